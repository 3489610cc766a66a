"""What goes into the log when a card is answered, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from engine.store.tables import cards, reviews
from engine.study import card_changes, change_log, leech, review_log, state_table
from engine.study.card_state import CardState
from engine.study.refused import LONGEST_NONCE, Refused
from engine.study.schedule import RATINGS, SchedulerParams, after, transitions
from engine.study.schedule_plan import schedulers_of
from engine.study.settings import StudySettings, load_in, remember, scheduler_of
from engine.study.study_day import MINUTE_MS, add_days, study_day
from engine.study.today import JITTER_MS, Now, now_for_learner

LONGEST_SHOWN_MS = 24 * 60 * MINUTE_MS
"""A card shown longer ago is shown anew: its intervals were worked out for another day."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A rating as it comes from the page.

    nonce: the page's own name for this answer, up to 64 characters; sent again, it counts once. rating: 1 to
    4. version, shown_at_ms, shown_day, scheduler: as they stood in the queue's item; without the last two,
    the day of `shown_at_ms` and the settings of now are taken. answered_at_ms: by the clock that the queue
    was asked with, the server's. answer_ms: from question to rating.
    """

    nonce: str
    card_id: str
    version: int
    rating: int
    shown_at_ms: int
    answered_at_ms: int
    answer_ms: int
    zone: str
    shown_day: str | None = None
    scheduler: str | None = None


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The answer is on disk. `already`: it was before this call (a repeated nonce).

    lapses: how often the card was forgotten, where this answer made it a leech; else 0. suspended: and it was
    suspended for it.
    """

    review_id: int
    due_ms: int
    study_day: str
    already: bool
    lapses: int = 0
    suspended: bool = False


_ADD = insert(reviews).returning(reviews.c.id)


def record(connection: Connection, answer: Answer) -> Confirmed | Refused:
    """Writes an answer within a writing transaction. Raises UnknownZone."""
    refused = _malformed(answer)
    if refused is not None:
        return refused
    known = review_log.by_nonce(connection, answer.nonce)
    if known is not None:
        if (known.card_id, known.version) != (answer.card_id, answer.version):
            return Refused("nonce_reused", {"card_id": known.card_id})
        return _again(connection, known)
    state, version = state_table.read(connection, answer.card_id)
    if version == 0 and not _is_known(connection, answer.card_id):
        return Refused("unknown_card", {"card_id": answer.card_id})
    if version != answer.version:
        return Refused("stale", {"version": version})
    settings = load_in(connection)
    now = now_for_learner(connection, answer.answered_at_ms, answer.zone, settings.rollover_hour)
    shown = _shown(connection, answer, state, now, settings)
    if isinstance(shown, Refused):
        return shown
    shown_day, params = shown
    return _write(connection, answer, state, now, shown_day, params, settings)


def _malformed(answer: Answer) -> Refused | None:
    if answer.rating not in RATINGS:
        return Refused("bad_rating", {"rating": answer.rating})
    if not 0 < len(answer.nonce) <= LONGEST_NONCE:
        return Refused("bad_nonce")
    return None


def _is_known(connection: Connection, card_id: str) -> bool:
    return connection.execute(select(cards.c.id).where(cards.c.id == card_id)).first() is not None


def _shown(
    connection: Connection, answer: Answer, state: CardState, now: Now, settings: StudySettings
) -> tuple[str, SchedulerParams] | Refused:
    """The study day and the scheduler that the outcomes on the buttons were worked out with."""
    if answer.shown_at_ms > now.ms + JITTER_MS:
        return Refused("shown_in_future")
    if answer.shown_at_ms < now.ms - LONGEST_SHOWN_MS:
        return Refused("shown_too_old")
    local = study_day(answer.shown_at_ms, answer.zone, settings.rollover_hour)
    if answer.shown_day is None:
        before = review_log.last_given(connection, not_after_ms=answer.shown_at_ms)
        day = local if before is None else max(local, before.study_day)
    else:
        day = answer.shown_day
        # one day of play on either side: the zone may have changed between showing and answering
        if not add_days(local, -1) <= day <= max(add_days(local, 1), now.day):
            return Refused("wrong_day", {"shown_day": day})
    if state.last_study_day is not None:
        day = max(day, state.last_study_day)
    params = schedulers_of(connection, settings.scheduler, [answer.card_id])[answer.card_id]
    if answer.scheduler is not None and answer.scheduler != params.fingerprint:
        former = scheduler_of(connection, answer.scheduler)
        if former is None:
            return Refused("unknown_scheduler")
        params = former
    return day, params


def _write(
    connection: Connection,
    answer: Answer,
    state: CardState,
    now: Now,
    shown_day: str,
    params: SchedulerParams,
    settings: StudySettings,
) -> Confirmed:
    ways = transitions(answer.card_id, state, shown_day, params)
    new_state = after(state, ways[answer.rating - 1], reviewed_at_ms=now.ms, study_day=now.day)
    remember(connection, params)
    row = {
        "nonce": answer.nonce,
        "card_id": answer.card_id,
        "version": answer.version,
        "kind": state.phase,
        "rating": answer.rating,
        "reviewed_at_ms": now.ms,
        "study_day": now.day,
        "zone": answer.zone,
        "answer_ms": min(max(0, answer.answer_ms), LONGEST_SHOWN_MS),
        "shown_at_ms": answer.shown_at_ms,
        "shown_day": shown_day,
        "scheduler": params.fingerprint,
        "shown": [way.minutes for way in ways],
        "state_before": state.to_json(),
        "state_after": new_state.to_json(),
    }
    review_id = connection.execute(_ADD, row).scalar_one()
    state_table.write(connection, answer.card_id, new_state, answer.version + 1, before=state)
    is_leech = leech.becomes(state, new_state, settings.leech_lapses)
    suspended = is_leech and settings.leech_action == "suspend"
    if suspended:
        card_changes.write(
            connection,
            (answer.card_id,),
            "leech",
            value=answer.nonce,
            now_ms=now.ms,
            zone=answer.zone,
            nonce=leech.nonce_of(answer.nonce),
        )
    return Confirmed(
        review_id=review_id,
        due_ms=now.ms + ways[answer.rating - 1].minutes * MINUTE_MS,
        study_day=now.day,
        already=False,
        lapses=new_state.lapses if is_leech else 0,
        suspended=suspended,
    )


def _again(connection: Connection, review: review_log.Review) -> Confirmed:
    """What was said of an answer that is on disk."""
    limit = load_in(connection).leech_lapses
    is_leech = leech.becomes(review.state_before, review.state_after, limit)
    return Confirmed(
        review_id=review.id,
        due_ms=review.due_ms,
        study_day=review.study_day,
        already=True,
        lapses=review.state_after.lapses if is_leech else 0,
        suspended=is_leech and bool(change_log.of_nonce(connection, leech.nonce_of(review.nonce))),
    )
