"""Cards that are forgotten again and again: told at their eighth lapse, suspended where the learner wants it.

As in Anki, a leech is told of again at every further half of the limit: with 8 at 8, 12, 16 … lapses.
"""

from __future__ import annotations

import hashlib

from engine.study.card_state import CardState


def becomes(before: CardState, after: CardState, limit: int) -> bool:
    """Whether an answer makes the card a leech, or one once more. limit: lapses; 0: no card ever is."""
    if limit == 0 or after.lapses == before.lapses or after.lapses < limit:
        return False
    return (after.lapses - limit) % max(1, -(-limit // 2)) == 0


def nonce_of(answer_nonce: str) -> str:
    """The name of the suspension that goes with an answer, and of its taking back."""
    return f"leech-{hashlib.blake2b(answer_nonce.encode(), digest_size=16).hexdigest()}"
