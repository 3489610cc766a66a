"""Anki's review log as our answers: each with the interval that Anki gave, the rest of the state by FSRS.

What Anki says of the card now (when it is due, how stable it is) stands in the last answer: Anki may have
moved the card since.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from engine.study.card_state import NEW, CardState, Phase
from engine.study.exchange.apkg.from_notes import short_hash
from engine.study.exchange.apkg.values import (
    LEARNING,
    LOG_CRAM,
    LOG_LEARNING,
    LOG_RELEARNING,
    LOG_REVIEW,
    RELEARNING,
    REVIEW,
    AnkiCard,
    LogRow,
)
from engine.study.exchange.apkg.values import NEW as NEW_CARD
from engine.study.exchange.records import ReviewRecord, StateRecord
from engine.study.placed import Step
from engine.study.replay import stepped
from engine.study.schedule import SchedulerParams, transitions
from engine.study.study_day import DAY_MINUTES, MINUTE_MS, add_days, days_between, study_day, to_ms

LOG_MANUAL = 4
GOOD = 3
_ANSWERS = frozenset({LOG_LEARNING, LOG_REVIEW, LOG_RELEARNING})


@dataclass(frozen=True, slots=True)
class Calendar:
    """Whose days count: the learner's zone and rollover, and today."""

    zone: str
    rollover_hour: int
    today: str

    def day(self, at_ms: int) -> str:
        return study_day(at_ms, self.zone, self.rollover_hour)


@dataclass(frozen=True, slots=True)
class Source:
    """A card in the package, and the id it has here."""

    guid: str
    card_id: str
    card: AnkiCard

    def nonce(self, at_ms: int) -> str:
        """The nonce of the answer or change that Anki has at an instant: the same in every package."""
        return f"anki-{at_ms}-{short_hash(f'{self.guid} {self.card.ordinal}', 10)}"


def is_answer(row: LogRow) -> bool:
    """Whether a row of the log is an answer that counts for the schedule."""
    rescheduled = row.kind == LOG_CRAM and row.factor != 0
    return 1 <= row.rating <= 4 and (row.kind in _ANSWERS or rescheduled)


def is_reset(row: LogRow) -> bool:
    """Whether a row says that the card was made new again."""
    return row.kind == LOG_MANUAL and row.interval == 0


def answers_of(
    source: Source,
    rows: Sequence[LogRow],
    before: Sequence[ReviewRecord],
    kept: Mapping[str, ReviewRecord],
    calendar: Calendar,
    params: SchedulerParams,
    steps: Sequence[Step] = (),
    changed: int = 0,
) -> list[ReviewRecord]:
    """The answers that `rows` of Anki's log stand for, after those of `before`.

    steps: when the card had been made new again or put on another day, among those of `before`; changed: by
    how much such changes, and what took some back, raised its version.
    kept: answers that an earlier import made of rows, by nonce: they stay as they are.
    """
    counted = [review for review in before if review.undo is None]
    last = max(counted, key=_order) if counted else None
    state = NEW if last is None else _state(last)
    for step in steps:
        if last is None or step.at_ms > last.reviewed_at_ms:
            state = stepped(state, step)
    version = 2 * len(before) - len(counted) + changed
    found: list[ReviewRecord] = []
    ordered = sorted(rows, key=lambda row: row.at_ms)
    for row in ordered:
        if is_reset(row):
            state, version = NEW, version + 1
        elif is_answer(row):
            made = kept.get(source.nonce(row.at_ms)) or _answer(source, row, state, version, calendar, params)
            found.append(made)
            state, version = _state(made), version + 1
    if not ordered and not before and source.card.kind != NEW_CARD:
        made = _without_log(source, calendar, params)
        found.append(kept.get(made.nonce, made))
    elif found and found[-1].nonce not in kept and source.card.kind != NEW_CARD:
        found[-1] = _as_it_stands(found[-1], source.card, calendar)
    return found


def _order(review: ReviewRecord) -> tuple[int, int]:
    return review.reviewed_at_ms, review.state_before.reps


def _state(review: ReviewRecord) -> CardState:
    after = review.state_after
    return CardState(**{name: getattr(after, name) for name in StateRecord.__struct_fields__})


def _answer(
    source: Source,
    row: LogRow,
    state: CardState,
    version: int,
    calendar: Calendar,
    params: SchedulerParams,
) -> ReviewRecord:
    day = max(calendar.day(row.at_ms), state.last_study_day or "")
    ways = transitions(source.card_id, state, day, params)
    way = ways[row.rating - 1]
    forgotten = state.phase == "review" and row.rating == 1
    phase: Phase = way.phase
    minutes = way.minutes
    if row.interval > 0:
        phase, minutes = "review", row.interval * DAY_MINUTES
    elif row.interval < 0:
        lapsed = state.phase in ("review", "relearning")
        phase, minutes = "relearning" if lapsed else "learning", max(1, round(-row.interval / 60))
    in_days = minutes // DAY_MINUTES if minutes % DAY_MINUTES == 0 else None
    after = CardState(
        phase=phase,
        step=None if phase == "review" else way.step or 0,
        stability=way.stability,
        difficulty=way.difficulty,
        due_ms=row.at_ms + minutes * MINUTE_MS,
        due_day=None if in_days is None else add_days(day, in_days),
        interval_minutes=minutes,
        last_review_ms=row.at_ms,
        last_study_day=day,
        reps=state.reps + 1,
        lapses=state.lapses + forgotten,
    )
    lower = [min(each.minutes, minutes) for each in ways[: row.rating - 1]]
    higher = [max(each.minutes, minutes) for each in ways[row.rating :]]
    shown = [*lower, minutes, *higher]
    return ReviewRecord(
        nonce=source.nonce(row.at_ms),
        card_id=source.card_id,
        version=version,
        kind=state.phase,
        rating=row.rating,
        reviewed_at_ms=row.at_ms,
        study_day=day,
        zone=calendar.zone,
        answer_ms=max(0, row.took_ms),
        shown_at_ms=row.at_ms - max(0, min(row.took_ms, MINUTE_MS * 60)),
        shown_day=day,
        scheduler=params.fingerprint,
        shown=(shown[0], shown[1], shown[2], shown[3]),
        state_before=StateRecord(**asdict(state)),
        state_after=StateRecord(**asdict(after)),
    )


def _as_it_stands(review: ReviewRecord, card: AnkiCard, calendar: Calendar) -> ReviewRecord:
    """The last answer with what Anki says of the card now."""
    state = _state(review)
    due_day = None if card.due_days is None else add_days(calendar.today, card.due_days)
    if card.kind == REVIEW and due_day is not None:
        days = days_between(review.study_day, due_day)
        state = replace(
            state,
            phase="review",
            step=None,
            due_day=due_day,
            due_ms=review.reviewed_at_ms + days * DAY_MINUTES * MINUTE_MS,
            interval_minutes=max(1, card.interval_days) * DAY_MINUTES,
        )
    elif card.kind in (LEARNING, RELEARNING) and (due_day is not None or card.due_ms is not None):
        state = replace(
            state,
            phase="learning" if card.kind == LEARNING else "relearning",
            step=state.step or 0,
            due_day=due_day,
            due_ms=card.due_ms if card.due_ms is not None else state.due_ms,
        )
    if card.stability is not None and card.difficulty is not None:
        state = replace(
            state,
            stability=min(max(card.stability, 0.001), 36500.0),
            difficulty=min(max(card.difficulty, 1.0), 10.0),
        )
    after = StateRecord(**asdict(replace(state, lapses=max(state.lapses, card.lapses))))
    return _replaced(review, after)


def _replaced(review: ReviewRecord, after: StateRecord) -> ReviewRecord:
    """The answer with another state after it."""
    fields = {name: getattr(review, name) for name in ReviewRecord.__struct_fields__}
    return ReviewRecord(**{**fields, "state_after": after})


def _without_log(source: Source, calendar: Calendar, params: SchedulerParams) -> ReviewRecord:
    """One answer for a card that has a schedule and no log: *good*, when its interval began."""
    card = source.card
    if card.last_review_ms is not None:
        at_ms = card.last_review_ms
    elif card.due_ms is not None:
        at_ms = card.due_ms - DAY_MINUTES * MINUTE_MS
    else:
        day = add_days(calendar.today, (card.due_days or 0) - max(1, card.interval_days))
        at_ms = _noon_ms(min(day, add_days(calendar.today, -1)))
    row = LogRow(at_ms, GOOD, max(1, card.interval_days), 0, 1, 0, LOG_LEARNING)
    return _as_it_stands(_answer(source, row, NEW, 0, calendar, params), card, calendar)


def _noon_ms(day: str) -> int:
    return to_ms(datetime.fromisoformat(f"{day}T12:00:00+00:00"))
