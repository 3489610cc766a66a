"""The cards that a search found: told how many at once, and made into cards only where they are looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from engine.study.card import Card
from engine.study.search.words import Mask

Places = NDArray[np.intp]
"""Positions in the order of an index."""


class Found(Sequence[Card]):
    """Cards by their positions in an index, in the order in which they are shown."""

    def __init__(self, cards: Sequence[Card], places: Places) -> None:
        self._cards = cards
        self.places = places

    def among(self, meant: Mask) -> Found:
        """Those of them whose positions are meant, in the same order."""
        return Found(self._cards, self.places[meant[self.places]])

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, which: int) -> Card: ...
    @overload
    def __getitem__(self, which: slice) -> Found: ...
    def __getitem__(self, which: int | slice) -> Card | Found:
        if isinstance(which, slice):
            return Found(self._cards, self.places[which])
        return self._cards[int(self.places[which])]

    def __iter__(self) -> Iterator[Card]:
        return map(self._cards.__getitem__, self.places.tolist())
