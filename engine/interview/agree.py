"""The rating of an answer goes into spaced repetition, once, when the learner agrees."""

from __future__ import annotations

from datetime import datetime

from engine.interview.marks import suggested_rating
from engine.interview.question import Interview, Question
from engine.store import Store
from engine.study import review_log
from engine.study.desk import Answer, Confirmed, Desk, Refused
from engine.study.study_day import to_ms


def proposal(interview: Interview, question: Question) -> int | None:
    """The rating that the ticks suggest; None while a point has no tick."""
    band = question.marks.band
    if band is None:
        return None
    used = question.clock.used_ms
    share = 1.0 if used is None else used / (interview.setup.seconds * 1000)
    return suggested_rating(band, used_share=share, hints=question.hints)


def nonce_of(question: Question) -> str:
    """The name of this answer in the review log: an interview rates each of its questions once."""
    return f"i-{question.interview_id[:48]}-{question.place}"


def agree(
    store: Store, desk: Desk, question: Question, rating: int, *, now: datetime, zone: str
) -> Confirmed | Refused:
    """Gives the rating into spaced repetition. Sent again, or from two tabs, it counts once.

    Refused as `Desk.answer` refuses: `unknown_card` where no deck holds the card any more.
    """
    known = _given(store, question)
    if known is not None:
        return known
    shown = desk.item(question.asked.card_id, now, zone)
    answer = Answer(
        nonce=nonce_of(question),
        card_id=shown.card_id,
        version=shown.version,
        rating=rating,
        shown_at_ms=shown.shown_at_ms,
        answered_at_ms=to_ms(now),
        answer_ms=question.clock.used_ms or 0,
        zone=zone,
        shown_day=shown.shown_day,
        scheduler=shown.scheduler,
    )
    outcome = desk.answer(answer)
    if isinstance(outcome, Refused) and outcome.code in ("stale", "nonce_reused"):
        return _given(store, question) or outcome  # another tab was quicker
    return outcome


def given_rating(store: Store, question: Question) -> int | None:
    """The rating that is in the review log for this question, taken back or not; None where there is none."""
    with store.read() as connection:
        known = review_log.by_nonce(connection, nonce_of(question))
    return None if known is None else known.rating


def _given(store: Store, question: Question) -> Confirmed | None:
    with store.read() as connection:
        known = review_log.by_nonce(connection, nonce_of(question))
    if known is None:
        return None
    return Confirmed(review_id=known.id, due_ms=known.due_ms, study_day=known.study_day, already=True)
