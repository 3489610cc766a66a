"""Long lists in parts that one query takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")

_AT_ONCE = 400
"""Values in one query: every database takes as many."""


def chunks(items: Iterable[Item], size: int = _AT_ONCE) -> Iterator[list[Item]]:
    """The items in lists of at most `size`."""
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk
