"""What is known of a card, as HTML: where it stands, the chance to know it over time, all that befell it.

Every text in it is escaped here. Neither pandas nor altair is needed: the review page shows it too.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from html import escape
from zoneinfo import ZoneInfo

from app_pages.graphs.dates import day_label
from app_pages.numbers import clock, moment, number
from app_pages.words import interval, phrase
from engine.study import change_log
from engine.study.card import Card
from engine.study.card_changes import flags_in
from engine.study.card_flags import Flags
from engine.study.card_state import CardState
from engine.study.change_log import Change
from engine.study.desk import Desk
from engine.study.placed import Placed
from engine.study.review_log import Review
from engine.study.schedule import SchedulerParams, retrievability
from engine.study.schedule_plan import schedulers_of
from engine.study.settings import load_in
from engine.study.study_day import add_days, days_between, to_ms
from engine.study.today import now_for_learner

WIDTH, HEIGHT = 560, 132
LEFT, TOP, BOTTOM = 48, 12, 22
APART = 20
"""Units of the picture between two numbers beside it."""
MOST_POINTS = 160
AHEAD = 30
"""Days that the curve goes on at least, from today."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads it: language, time zone (IANA), instant."""

    language: str
    zone: str
    now: datetime


def card_info(card: Card, desk: Desk, reader: Reader) -> str:
    """The whole: figures, curve, history."""
    state, history = desk.state(card.id), desk.history(card.id)
    with desk.store.read() as connection:
        settings = load_in(connection)
        today = now_for_learner(connection, to_ms(reader.now), reader.zone, settings.rollover_hour).day
        flags = flags_in(connection, [card.id]).get(card.id, Flags())
        changes = tuple(change_log.of_cards(connection, [card.id]))
        params = schedulers_of(connection, settings.scheduler, [card.id])[card.id]
    parts = [_figures(state, flags, today, params, reader)]
    counted = [review for review in history if not review.undone]
    if counted and state.phase != "new":
        parts.append(curve(_since_reset(counted, changes), state, today, params, reader))
    if history or changes:
        parts.append(_history(history, changes, reader))
    return "".join(parts)


def flag_words(flags: Flags, today: str, language: str) -> list[str]:
    """The flags in words, those that hold on a study day."""
    said = [
        phrase(language, f"info.flag.{name}")
        for name, holds in (
            ("suspended", flags.suspended),
            ("marked", flags.marked),
            ("leech", flags.leech),
        )
        if holds
    ]
    if flags.buried(today):
        until = day_label(flags.buried_until or today, language, year=True)
        said.append(phrase(language, "info.flag.buried", day=until))
    return said + [phrase(language, "info.flag.tag", tag=tag) for tag in flags.tags]


def _figures(state: CardState, flags: Flags, today: str, params: SchedulerParams, reader: Reader) -> str:
    language = reader.language
    entries = [("cards.entry.state", phrase(language, f"cards.state.{state.phase}"))]
    said = flag_words(flags, today, language)
    if said:
        entries.append(("info.flags", ", ".join(said)))
    if state.phase != "new":
        entries.append(("cards.entry.due", _due(state, reader)))
    if state.stability is not None:
        days = phrase(language, "cards.days", n=number(state.stability, language))
        entries.append(("cards.entry.stability", days))
        entries.append(("info.now", _percent(retrievability(state, today, params), language)))
    if state.difficulty is not None:
        entries.append(("cards.entry.difficulty", f"{number(state.difficulty, language, 2)} / 10"))
    if state.reps:
        entries += [("cards.entry.reps", str(state.reps)), ("cards.entry.lapses", str(state.lapses))]
    return (
        "<dl>"
        + "".join(
            f"<dt>{escape(phrase(language, name))}</dt><dd>{escape(value)}</dd>" for name, value in entries
        )
        + "</dl>"
    )


def _due(state: CardState, reader: Reader) -> str:
    if state.due_day:
        return day_label(state.due_day, reader.language, year=True)
    if state.due_ms is None:
        return ""
    local = datetime.fromtimestamp(state.due_ms / 1000, UTC).astimezone(ZoneInfo(reader.zone))
    return f"{day_label(f'{local:%Y-%m-%d}', reader.language, year=True)} {local:%H:%M}"


def _percent(share: float, language: str) -> str:
    return f"{number(round(share * 100), language)} %"


def _since_reset(history: list[Review], changes: tuple[Change, ...]) -> list[Review]:
    """The answers that count for the memory: those since the card was made new again."""
    reset = max((each.at_ms for each in changes if each.kind == "reset" and not each.undone), default=0)
    return [review for review in history if review.reviewed_at_ms >= reset]


def points(
    history: list[Review], state: CardState, today: str, params: SchedulerParams
) -> list[tuple[str, float]]:
    """Study day and chance to know the card on it, from the first answer to beyond the day it is due.

    A day with an answer has two points: just before it, and 1 after it.
    """
    ordered = sorted(history, key=lambda review: (review.study_day, review.reviewed_at_ms))
    last_of_day = {review.study_day: review for review in ordered}
    days = sorted(last_of_day)
    ends = max(add_days(today, AHEAD), add_days(state.due_day or today, AHEAD // 3))
    whole = max(1, days_between(days[0], ends))
    step = max(1, -(-whole // MOST_POINTS))
    found: list[tuple[str, float]] = []
    for index, day in enumerate(days):
        known = last_of_day[day].state_after if index + 1 < len(days) else state
        until = days[index + 1] if index + 1 < len(days) else ends
        found.append((day, 1.0))
        for later in range(step, days_between(day, until) + 1, step):
            at = add_days(day, later)
            found.append((at, retrievability(known, at, params)))
        if found[-1][0] != until:
            found.append((until, retrievability(known, until, params)))
    return found


def curve(
    history: list[Review], state: CardState, today: str, params: SchedulerParams, reader: Reader
) -> str:
    """The chance to know the card over time as SVG, with today, the day it is due, the retention wanted."""
    if not history:
        return ""
    language = reader.language
    drawn = points(history, state, today, params)
    begins, ends = drawn[0][0], drawn[-1][0]
    span = max(1, days_between(begins, ends))
    low = 0.5 if min(share for _, share in drawn) >= 0.5 else 0.0

    def x(day: str) -> float:
        off = (date.fromisoformat(day) - date.fromisoformat(begins)).days
        return LEFT + min(1.0, max(0.0, off / span)) * (WIDTH - LEFT - 4)

    def y(share: float) -> float:
        return TOP + (1 - (max(low, share) - low) / (1 - low)) * (HEIGHT - BOTTOM - TOP)

    line = " ".join(f"{x(day):.1f},{y(share):.1f}" for day, share in drawn)
    dots = "".join(
        f'<circle class="r{review.rating}" cx="{x(review.study_day):.1f}" cy="{y(1):.1f}" r="3"></circle>'
        for review in history
    )
    wanted = params.desired_retention
    now = _percent(retrievability(state, today, params), language)
    label = phrase(language, "info.curve", until=day_label(ends, language, year=True), now=now)
    marks = [
        f'<line class="now" x1="{x(today):.1f}" x2="{x(today):.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" />'
    ]
    if state.due_day is not None:
        at = f"{x(state.due_day):.1f}"
        marks.append(f'<line class="due" x1="{at}" x2="{at}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" />')
    grid = "".join(
        f'<line class="grid" x1="{LEFT}" x2="{WIDTH}" y1="{y(share):.1f}" y2="{y(share):.1f}" />'
        f'<text x="{LEFT - 6}" y="{y(share) + 4:.1f}" text-anchor="end">{text}</text>'
        for share, text in (
            (1.0, "100%" if y(wanted) - y(1.0) >= APART else ""),  # never one number on another
            (wanted, f"{wanted:.0%}"),
            (low, f"{low:.0%}"),
        )
    )
    return (
        f'<figure class="curve"><figcaption>{escape(phrase(language, "info.retrievability"))}</figcaption>'
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">{grid}'
        f'{"".join(marks)}<polyline points="{line}" />{dots}'
        f'<text x="{LEFT}" y="{HEIGHT - 5}">{day_label(begins, language, year=True)}</text>'
        f'<text x="{WIDTH}" y="{HEIGHT - 5}" text-anchor="end">{day_label(ends, language, year=True)}</text>'
        "</svg></figure>"
    )


def _history(history: tuple[Review, ...], changes: tuple[Change, ...], reader: Reader) -> str:
    """Answers and changes, the newest first; those taken back are struck through and marked."""
    language = reader.language
    names = ("when", "rating", "given", "stability_change", "took")
    head = "".join(f'<th scope="col">{escape(phrase(language, f"cards.history.{n}"))}</th>' for n in names)
    rows = [(review.reviewed_at_ms, _answer_row(review, reader)) for review in history]
    rows += [(change.at_ms, _change_row(change, reader)) for change in changes]
    body = "".join(row for _, row in sorted(rows, key=lambda each: each[0], reverse=True))
    label = escape(phrase(language, "cards.history"))
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _when(at_ms: int, undone: bool, reader: Reader) -> str:
    when = moment(datetime.fromtimestamp(at_ms / 1000, UTC), reader.zone, reader.language)
    back = f' <span class="tag">{escape(phrase(reader.language, "cards.undone"))}</span>' if undone else ""
    row = '<tr class="undone">' if undone else "<tr>"
    return f'{row}<td class="plain">{escape(when)}{back}</td>'


def _answer_row(review: Review, reader: Reader) -> str:
    language = reader.language
    cells = (
        phrase(language, f"grade.{review.rating}"),
        interval(language, review.shown[review.rating - 1]),
        f"{_standing(review.state_before, language)} → {_standing(review.state_after, language)}",
        clock(review.answer_ms / 1000),
    )
    row = "".join(f"<td>{escape(text)}</td>" for text in cells)
    return f"{_when(review.reviewed_at_ms, review.undone, reader)}{row}</tr>"


def _change_row(change: Change, reader: Reader) -> str:
    said = phrase(reader.language, f"info.change.{change.kind}", **_value(change))
    return f'{_when(change.at_ms, change.undone, reader)}<td colspan="4">{escape(said)}</td></tr>'


def _value(change: Change) -> dict[str, str]:
    if change.kind == "reschedule":
        return {"value": Placed.read(change.value).due_day}
    return {"value": change.value or ""} if change.kind in ("tag", "untag") else {}


def _standing(state: CardState, language: str) -> str:
    """A state in short: its phase, and its stability where it has one."""
    said = phrase(language, f"cards.state.{state.phase}")
    if state.stability is None:
        return said
    return f"{said} ({phrase(language, 'cards.days', n=number(state.stability, language, 2))})"
