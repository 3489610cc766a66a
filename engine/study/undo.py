"""Taking the last answer back."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from engine.store.tables import undos
from engine.study import review_log, state_table
from engine.study.answer import LONGEST_NONCE, Refused


@dataclass(frozen=True, slots=True)
class Undone:
    """The answer that was taken back. `already`: it was before this call (a repeated nonce)."""

    card_id: str
    rating: int
    reviewed_at_ms: int
    already: bool = False


def take_back(connection: Connection, nonce: str, now_ms: int) -> Undone | Refused:
    """Takes back the last answer that counts: the card stands exactly where it stood before it.

    Called again, it takes back the one before that; a nonce sent again takes back nothing more.
    """
    if not 0 < len(nonce) <= LONGEST_NONCE:
        return Refused("bad_nonce")
    done = connection.execute(select(undos.c.review_id).where(undos.c.nonce == nonce)).scalar_one_or_none()
    if done is not None:
        review = review_log.by_id(connection, done)
        return Undone(review.card_id, review.rating, review.reviewed_at_ms, already=True)
    last = review_log.last_that_counts(connection)
    if last is None:
        return Refused("nothing_to_undo")
    connection.execute(
        insert(undos),
        {"nonce": nonce, "review_id": last.id, "undone_at_ms": max(now_ms, last.reviewed_at_ms)},
    )
    # not its `state_before`: an answer that came from another machine may have been given on another state
    state_table.recompute(connection, last.card_id)
    return Undone(last.card_id, last.rating, last.reviewed_at_ms)
