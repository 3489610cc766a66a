"""A pool of pages of one size, taken once: what a server does that pages its KV cache.

A piece of memory is a list of pages in any order, so a request is served whenever enough pages are free.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from labs.kit.memory_plans import MIB, Purpose, Step, Take

if TYPE_CHECKING:
    import torch

PAGE = MIB
"""Bytes: 8 tokens of Llama 3 8B's KV cache."""


class PoolFull(Exception):
    """Fewer pages are free than were asked for."""


class PagePool:
    """`pages` pages of `PAGE` bytes on `device`, with a list of the free ones and a page table.

    Where `device` is None there is no memory behind it: the account alone.
    """

    def __init__(self, pages: int, device: str | None) -> None:
        self._memory = None if device is None else _memory(pages, device)
        self._free = list(range(pages - 1, -1, -1))
        self._table: dict[int, list[int]] = {}
        self._purposes: dict[int, Purpose] = {}
        self._asked: dict[int, int] = {}
        self.pages = pages

    def run(self, steps: Iterable[Step]) -> None:
        """Raises PoolFull where the pages don't suffice."""
        for step in steps:
            if isinstance(step, Take):
                self._take(step)
            else:
                self._free += reversed(self._table.pop(step.key))
                del self._purposes[step.key], self._asked[step.key]

    def _take(self, step: Take) -> None:
        count = -(-step.size // PAGE)
        if count > len(self._free):
            raise PoolFull(f"{count} pages asked for, {len(self._free)} free")
        self._table[step.key] = [self._free.pop() for _ in range(count)]
        self._purposes[step.key] = step.purpose
        self._asked[step.key] = step.size

    @property
    def free_bytes(self) -> int:
        return len(self._free) * PAGE

    @property
    def taken_bytes(self) -> int:
        return (self.pages - len(self._free)) * PAGE

    @property
    def wasted_bytes(self) -> int:
        """Taken but not asked for: the rest of last pages."""
        return self.taken_bytes - sum(self._asked.values())

    def longest_free_run(self) -> int:
        """Bytes of the longest row of neighbouring free pages: what an allocator without pages would have."""
        best = run = 0
        before = -2
        for page in sorted(self._free):
            run = run + 1 if page == before + 1 else 1
            best, before = max(best, run), page
        return best * PAGE

    def pages_of(self, key: int) -> list[int]:
        """The page table's entry of a piece."""
        return list(self._table[key])

    def owners(self) -> list[Purpose | None]:
        """What each page is taken for, in order of address; None where it is free."""
        found: list[Purpose | None] = [None] * self.pages
        for key, pages in self._table.items():
            for page in pages:
                found[page] = self._purposes[key]
        return found

    def holds_data(self, key: int) -> bool:
        """Writes each page's place into the piece and reads it back through the page table."""
        if self._memory is None:
            raise RuntimeError("a pool without memory holds no data")
        import torch

        pages = self._table[key]
        for place, page in enumerate(pages):
            self._memory[page].fill_(place % 251)
        where = torch.tensor(pages, device=self._memory.device)
        ends = torch.stack([self._memory[where, 0], self._memory[where, PAGE - 1]])
        wanted = (torch.arange(len(pages), device=self._memory.device) % 251).to(torch.uint8)
        return bool((ends == wanted).all())


def _memory(pages: int, device: str) -> torch.Tensor:
    import torch

    return torch.empty((pages, PAGE), dtype=torch.uint8, device=device)
