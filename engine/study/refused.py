"""What wasn't done, and why: of answers, undos and changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

LONGEST_NONCE = 64
"""Characters of the name that a page gives to an answer, undo or change."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing was written. Codes of an answer, with arguments:

    `stale` {version} (the card moved on: another tab, an undo), `unknown_card`, `bad_rating`, `bad_nonce`,
    `nonce_reused` {card_id} (it was another answer's), `shown_in_future`, `shown_too_old`,
    `wrong_day` {shown_day}, `unknown_scheduler`. Of an undo: `nothing_to_undo`, `bad_nonce`. Those of a
    change of cards stand at `engine.study.card_changes.change`.
    """

    code: str
    args: Mapping[str, str | int] = field(default_factory=dict)
