"""What reading one deck file gives. Kept apart so that a warm start needs neither PyYAML nor pydantic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from engine.study.card import Deck, Fault


class Mention(NamedTuple):
    """A name in a deck file that others must know of, or must not use too."""

    name: str
    field: str
    line: int


@dataclass(frozen=True, slots=True)
class ParsedDeck:
    """`deck` is None where there are faults. The ids are what could be read of them all the same."""

    deck: Deck | None
    faults: tuple[Fault, ...] = ()
    deck_id: Mention | None = None
    card_ids: tuple[Mention, ...] = ()
    labs: tuple[Mention, ...] = ()
