"""Taking back what was done last: an answer, or a change of cards."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from engine.store.tables import undos
from engine.study import card_changes, change_log, leech, review_log, state_table
from engine.study.card_changes import ChangeUndone
from engine.study.refused import LONGEST_NONCE, Refused
from engine.study.review_log import Review


@dataclass(frozen=True, slots=True)
class Undone:
    """The answer that was taken back. `already`: it was before this call (a repeated nonce)."""

    card_id: str
    rating: int
    reviewed_at_ms: int
    already: bool = False


def take_back(connection: Connection, nonce: str, now_ms: int) -> Undone | ChangeUndone | Refused:
    """Takes back the last answer or change that counts: the cards stand exactly where they stood before it.

    Called again, it takes back the one before that; a nonce sent again takes back nothing more.
    """
    if not 0 < len(nonce) <= LONGEST_NONCE:
        return Refused("bad_nonce")
    done = connection.execute(select(undos.c.review_id).where(undos.c.nonce == nonce)).scalar_one_or_none()
    if done is not None:
        review = review_log.by_id(connection, done)
        return Undone(review.card_id, review.rating, review.reviewed_at_ms, already=True)
    known = card_changes.undone_by(connection, nonce)
    if known is not None:
        return known
    last = review_log.last_that_counts(connection)
    changed = change_log.last_that_counts(connection, by_person=True)
    if changed is not None and (last is None or changed.at_ms > last.reviewed_at_ms):
        return card_changes.undo_change_in(connection, changed.nonce, nonce=nonce, now_ms=now_ms)
    if last is None:
        return Refused("nothing_to_undo")
    return _answer(connection, last, nonce, now_ms)


def _answer(connection: Connection, last: Review, nonce: str, now_ms: int) -> Undone:
    at_ms = max(now_ms, last.reviewed_at_ms)
    connection.execute(insert(undos), {"nonce": nonce, "review_id": last.id, "undone_at_ms": at_ms})
    # not its `state_before`: an answer that came from another machine may have been given on another state
    state_table.recompute(connection, last.card_id)
    with_it = leech.nonce_of(last.nonce)
    if change_log.of_nonce(connection, with_it):
        card_changes.undo_change_in(connection, with_it, nonce=with_it, now_ms=now_ms)
    return Undone(last.card_id, last.rating, last.reviewed_at_ms)
