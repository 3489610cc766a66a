"""The columns of claims as a table, with each verdict's reason in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import groupby
from urllib.parse import quote

from app_pages.numbers import as_given, day, joined, percent, quantity, span, unit_sign
from app_pages.words import phrase
from engine.claims.calibration import Compared
from engine.claims.evidence import EvidenceRow, Measured
from engine.claims.verdict import Verdict
from engine.measure.specs import spec
from engine.study.card import Says


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads: language and time zone. `labs`: the titles of the labs by name, in that language.

    `made`: the learner's newest prediction of a claim, by card and claim id.
    """

    language: str
    zone: str
    labs: Mapping[str, str] = field(default_factory=dict)
    made: Mapping[tuple[str, str], Compared] = field(default_factory=dict)

    def say(self, key: str, **args: object) -> str:
        return phrase(self.language, key, **args)

    def quantity(self, value: float, unit: str) -> str:
        return quantity(value, unit, self.language)


def claims_table(rows: Sequence[EvidenceRow], reader: Reader) -> str:
    """A card's claims as HTML; those that only a formula checks stand folded below those a lab measures."""
    measurable = [row for row in rows if row.claim.measured is not None or row.fault is not None]
    others = [row for row in rows if row not in measurable]
    if not measurable or not others:
        return _table([("", rows)], reader)
    title = escape(reader.say("evidence.by_formula", n=len(others)))
    folded = f"<details><summary>{title}</summary>{_table([('', others)], reader)}</details>"
    return _table([("", measurable)], reader) + folded


def all_claims_table(rows: Sequence[EvidenceRow], reader: Reader, titles: Mapping[str, str]) -> str:
    """The claims of many cards as HTML, under each card's title with a link to it.

    titles: of the cards, by id, as plain text.
    """
    groups = []
    for card_id, of_card in groupby(rows, key=lambda row: row.card.id):
        found = list(of_card)
        link = f'<a href="cards?card={quote(card_id)}" target="_self">{escape(titles[card_id])}</a>'
        groups.append((f'<span lang="{found[0].card.language}">{link}</span>', found))
    return _table(groups, reader, wide=True)


def says_text(says: Says, reader: Reader) -> str:
    """What the card says, as a value or a range with its unit, with the digits that the card gives."""
    if says.value is not None:
        return joined(as_given(says.value, reader.language), unit_sign(says.unit))
    return span(says.low or 0.0, says.high or 0.0, says.unit, reader.language)


def hardware_name(key: str | None) -> str:
    """The name of a GPU of the spec table; "" for none."""
    row = spec(key) if key else None
    return (key or "") if row is None else row.name


def reason_text(row: EvidenceRow, verdict: Verdict, reader: Reader) -> str:
    """Why the verdict is what it is, in a sentence."""
    args = dict(verdict.args)
    shown: dict[str, object] = {name: "" if value is None else value for name, value in args.items()}
    if "lab" in args:
        shown["lab"] = f"“{reader.labs.get(str(args['lab']), str(args['lab']))}”"
    if "expected" in args:
        shown["expected"] = reader.quantity(float(args["expected"] or 0), row.claim.says.unit)
        shown["tolerance"] = percent(float(args["tolerance"] or 0), reader.language)
        off = args["off"]
        shown["off"] = "∞" if off is None else percent(float(off), reader.language, signed=True)
    exact = verdict.reason == "within_tolerance" and shown["off"] == "0%"
    text = reader.say("verdict.reason.exact" if exact else f"verdict.reason.{verdict.reason}", **shown)
    if args.get("ceiling") == "measured":
        text = f"{text} {reader.say('verdict.by_measured_ceiling')}"
    return text


def origin_text(measured: Measured, reader: Reader) -> str:
    """Where a measurement comes from that isn't of this machine: "recorded on NVIDIA H200, 29 Nov 2026"."""
    when = day(measured.started_at, reader.zone, reader.language)
    key = "evidence.recorded_on" if measured.recorded else "evidence.elsewhere_on"
    return reader.say(key, device=measured.device, date=when)


def prediction_text(found: Compared, reader: Reader) -> str:
    """What the learner predicted, and how far that is from formula and measurement."""
    made = found.prediction
    value = span(made.low, made.high, made.unit, reader.language)
    if made.low == made.high:
        value = reader.quantity(made.value, made.unit)
    parts = [reader.say("predict.you", value=value, gpu=hardware_name(made.gpu) or made.gpu)]
    for name, right in (("formula", found.formula), ("measured", found.measured)):
        if right:
            apart = percent(made.value / right - 1, reader.language, signed=True)
            parts.append(reader.say(f"predict.off.{name}", off=apart))
    return " · ".join(parts)


_NARROW = ("claim", "says", "predicted", "measured")
_WIDE = ("claim", "says", "computed", "predicted", "measured")


def _table(groups: Iterable[tuple[str, Sequence[EvidenceRow]]], reader: Reader, *, wide: bool = False) -> str:
    """Rows under headings; a heading that is "" isn't shown."""
    names = _WIDE if wide else _NARROW
    columns = [reader.say(f"evidence.column.{name}") for name in names]
    verdict = escape(reader.say("evidence.column.verdict"))
    head = "".join(
        f'<th scope="col"{" class=number" if place else ""}>{escape(column)}</th>'
        for place, column in enumerate(columns)
    )
    said: set[str] = set()
    body = []
    for heading, rows in groups:
        if heading:
            body.append(
                f'<tbody class="card"><tr><th colspan="{len(names) + 1}" scope="rowgroup">{heading}</th>'
                "</tr></tbody>"
            )
        body += [_body(row, columns, reader, said, wide=wide) for row in rows]
    kind = "claims wide" if wide else "claims"
    return (
        f'<table class="{kind}"><thead><tr>{head}<th scope="col">{verdict}</th></tr></thead>'
        f"{''.join(body)}</table>"
    )


def _body(row: EvidenceRow, columns: Sequence[str], reader: Reader, said: set[str], *, wide: bool) -> str:
    """A claim's row. `said`: what the rows above said already about not being measured."""
    label = f'<th scope="row" lang="{row.card.language}">{escape(row.claim.label or row.claim.id)}</th>'
    if row.fault is not None:
        fault = escape(str(row.fault))
        return f'<tbody><tr>{label}<td colspan="{len(columns)}" class="card-off">{fault}</td></tr></tbody>'
    says = row.claim.says
    cells = [(says_text(says, reader), escape(hardware_name(says.on)))]
    if wide:
        cells.append(_computed(row, reader))
    cells += [_predicted(row, reader, wide=wide), _measured(row.measured, reader)]
    shown = "".join(_cell(column, *cell) for column, cell in zip(columns[1:], cells, strict=True))
    outcome = row.verdict.outcome
    word = escape(reader.say(f"verdict.{outcome}"))
    verdict = f'<td data-column=""><span class="verdict {outcome}">{word}</span></td>'
    why = [text for text in _why(row, reader) if outcome != "not_measured" or text not in said]
    said.update(why)
    below = f'<tr class="why"><td colspan="{len(columns) + 1}">{"<br>".join(why)}</td></tr>' if why else ""
    return f"<tbody><tr>{label}{shown}{verdict}</tr>{below}</tbody>"


def _cell(column: str, value: str, below: str = "") -> str:
    small = f"<small>{below}</small>" if below else ""
    shown = f"<b>{escape(value)}</b>" if value else "–"
    return f'<td class="number" data-column="{escape(column)}"><span>{shown}</span>{small}</td>'


def _computed(row: EvidenceRow, reader: Reader) -> tuple[str, str]:
    """What the formula gives on the card's own hardware."""
    if row.computed is None:
        return "", ""
    mark = '<span class="verdict differs"></span>' if row.follows is False else ""
    return reader.quantity(row.computed.value, row.claim.says.unit), mark


def _predicted(row: EvidenceRow, reader: Reader, *, wide: bool) -> tuple[str, str]:
    below = []
    if not wide and row.computed is not None and row.claim.says.on is not None:
        value = reader.quantity(row.computed.value, row.claim.says.unit)
        below.append(reader.say("evidence.computed_on", value=value, on=hardware_name(row.claim.says.on)))
    if row.predicted is None:
        return "", escape(" · ".join(below))
    if row.predicted.ceiling == "measured":
        below.append(reader.say("evidence.by_measured"))
    value = reader.quantity(row.predicted.value, row.claim.says.unit)
    return value, "<br>".join(map(escape, below))


def _measured(measured: Measured | None, reader: Reader) -> tuple[str, str]:
    if measured is None:
        return "", ""
    spread = ""
    if measured.low is not None and measured.high is not None and measured.low != measured.high:
        spread = escape(span(measured.low, measured.high, measured.unit, reader.language))
    tag = ""
    if measured.origin != "here":
        key = "evidence.recorded" if measured.recorded else "evidence.elsewhere"
        tag = f'<span class="tag">{escape(reader.say(key))}</span>'
    return reader.quantity(measured.value, measured.unit), " ".join(part for part in (tag, spread) if part)


def _why(row: EvidenceRow, reader: Reader) -> Iterable[str]:
    made = reader.made.get((row.card.id, row.claim.id))
    if made is not None:
        yield f'<span class="made">{escape(prediction_text(made, reader))}</span>'
    shown = row.measured
    reason = escape(reason_text(row, row.verdict, reader))
    if row.verdict.reason == "why_not":
        reason = f'<span lang="{row.card.language}">{reason}</span>'
    yield f"{_tag(shown, reader)}{reason}" if shown is not None and shown.origin != "here" else reason
    for other in row.measurements:
        if other is not shown:
            value = escape(reader.quantity(other.value, other.unit))
            why = escape(reason_text(row, other.verdict, reader))
            yield f"{_tag(other, reader)}<b>{value}</b> · {why}"
    if row.follows is False and row.computed is not None:
        gives = reader.quantity(row.computed.value, row.claim.says.unit)
        on = hardware_name(row.claim.says.on)
        key = "evidence.card_off_on" if on else "evidence.card_off"
        said = f'<span class="card-off">{escape(reader.say(key, value=gives, on=on))}</span>'
        if row.claim.correction is not None:
            why = escape(row.claim.correction.reason)
            said += f' <span class="correction" lang="{row.card.language}">{why}</span>'
        yield said


def _tag(measured: Measured, reader: Reader) -> str:
    if measured.origin == "here":
        return f'<span class="tag">{escape(reader.say("evidence.measured_here"))}</span> '
    return f'<span class="tag">{escape(origin_text(measured, reader))}</span> '
