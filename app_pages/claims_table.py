"""The three columns of a card's claims as a table, with each verdict's reason in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from app_pages.numbers import as_given, day, joined, percent, quantity, span, unit_sign
from app_pages.words import phrase
from engine.claims.evidence import EvidenceRow, Measured
from engine.claims.verdict import Verdict
from engine.measure.specs import spec
from engine.study.card import Says


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads: language and time zone. `labs`: the titles of the labs by name, in that language."""

    language: str
    zone: str
    labs: Mapping[str, str] = field(default_factory=dict)

    def say(self, key: str, **args: object) -> str:
        return phrase(self.language, key, **args)

    def quantity(self, value: float, unit: str) -> str:
        return quantity(value, unit, self.language)


def claims_table(rows: Sequence[EvidenceRow], reader: Reader) -> str:
    """The table as HTML; claims that only a formula checks stand folded below those that a lab measures."""
    measurable = [row for row in rows if row.claim.measured is not None or row.fault is not None]
    others = [row for row in rows if row not in measurable]
    if not measurable or not others:
        return _table(rows, reader)
    title = escape(reader.say("evidence.by_formula", n=len(others)))
    folded = f"<details><summary>{title}</summary>{_table(others, reader)}</details>"
    return _table(measurable, reader) + folded


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


def _table(rows: Iterable[EvidenceRow], reader: Reader) -> str:
    columns = [reader.say(f"evidence.column.{name}") for name in ("claim", "says", "predicted", "measured")]
    verdict = escape(reader.say("evidence.column.verdict"))
    head = "".join(
        f'<th scope="col"{" class=number" if place else ""}>{escape(column)}</th>'
        for place, column in enumerate(columns)
    )
    said: set[str] = set()
    body = "".join(_body(row, columns, reader, said) for row in rows)
    return f'<table class="claims"><thead><tr>{head}<th scope="col">{verdict}</th></tr></thead>{body}</table>'


def _body(row: EvidenceRow, columns: Sequence[str], reader: Reader, said: set[str]) -> str:
    """A claim's row. `said`: what the rows above said already about not being measured."""
    label = f'<th scope="row" lang="{row.card.language}">{escape(row.claim.label or row.claim.id)}</th>'
    if row.fault is not None:
        fault = escape(str(row.fault))
        return f'<tbody><tr>{label}<td colspan="4" class="card-off">{fault}</td></tr></tbody>'
    says = row.claim.says
    cells = (
        _cell(columns[1], says_text(says, reader), escape(hardware_name(says.on))),
        _cell(columns[2], *_predicted(row, reader)),
        _cell(columns[3], *_measured(row.measured, reader)),
    )
    outcome = row.verdict.outcome
    word = escape(reader.say(f"verdict.{outcome}"))
    verdict = f'<td data-column=""><span class="verdict {outcome}">{word}</span></td>'
    why = [text for text in _why(row, reader) if outcome != "not_measured" or text not in said]
    said.update(why)
    below = f'<tr class="why"><td colspan="5">{"<br>".join(why)}</td></tr>' if why else ""
    return f"<tbody><tr>{label}{''.join(cells)}{verdict}</tr>{below}</tbody>"


def _cell(column: str, value: str, below: str = "") -> str:
    small = f"<small>{below}</small>" if below else ""
    shown = f"<b>{escape(value)}</b>" if value else "–"
    return f'<td class="number" data-column="{escape(column)}"><span>{shown}</span>{small}</td>'


def _predicted(row: EvidenceRow, reader: Reader) -> tuple[str, str]:
    if row.predicted is None:
        return "", ""
    below = escape(reader.say("evidence.by_measured")) if row.predicted.ceiling == "measured" else ""
    return reader.quantity(row.predicted.value, row.claim.says.unit), below


def _measured(measured: Measured | None, reader: Reader) -> tuple[str, str]:
    if measured is None:
        return "", ""
    spread = ""
    if measured.low is not None and measured.high is not None and measured.low != measured.high:
        spread = escape(span(measured.low, measured.high, measured.unit, reader.language))
    tag = f'<span class="tag">{escape(reader.say("evidence.recorded"))}</span>' if measured.recorded else ""
    return reader.quantity(measured.value, measured.unit), " ".join(part for part in (tag, spread) if part)


def _why(row: EvidenceRow, reader: Reader) -> Iterable[str]:
    reason = escape(reason_text(row, row.verdict, reader))
    if row.verdict.reason == "why_not":
        reason = f'<span lang="{row.card.language}">{reason}</span>'
    shown = row.measured
    yield f"{_recorded_tag(shown, reader)}{reason}" if shown is not None and shown.recorded else reason
    if row.here is not None and row.recorded is not None:
        value = escape(reader.quantity(row.recorded.value, row.recorded.unit))
        why = escape(reason_text(row, row.recorded.verdict, reader))
        yield f"{_recorded_tag(row.recorded, reader)}<b>{value}</b> · {why}"
    if row.follows is False and row.computed is not None:
        gives = reader.quantity(row.computed.value, row.claim.says.unit)
        on = hardware_name(row.claim.says.on)
        key = "evidence.card_off_on" if on else "evidence.card_off"
        yield f'<span class="card-off">{escape(reader.say(key, value=gives, on=on))}</span>'


def _recorded_tag(measured: Measured, reader: Reader) -> str:
    when = day(measured.started_at, reader.zone, reader.language)
    text = reader.say("evidence.recorded_on", device=measured.device, date=when)
    return f'<span class="tag">{escape(text)}</span> '
