"""The account that a program keeps of itself where no snapshot can: on a pool of pages, and on malloc."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from engine.measure.analyse.memory_picture import RESERVED, extremes
from engine.measure.events import Scalar, Series
from labs.kit.memory_plans import Purpose, Step, Take
from labs.kit.page_pool import PAGE, PagePool
from labs.kit.pictures import LINES, map_series, map_width, points, timeline_series


class Runner(Protocol):
    """Something that gives memory."""

    def run(self, steps: Iterable[Step]) -> None: ...


class Account:
    """Runs steps and remembers what was taken for what after each. A step that fails is not in it."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._taken: dict[int, Take] = {}
        self._held: dict[Purpose, int] = {}
        self._after: list[dict[Purpose, int]] = [{}]

    def run(self, steps: Iterable[Step]) -> None:
        for step in steps:
            self._runner.run([step])
            if isinstance(step, Take):
                self._taken[step.key] = step
                self._held[step.purpose] = self._held.get(step.purpose, 0) + step.size
            else:
                given = self._taken.pop(step.key)
                self._held[given.purpose] -= given.size
            self._after.append(dict(self._held))

    def timeline(self, pattern: str, allocator: str, *, reserved: int | None = None) -> Series:
        """As it is made of a snapshot; each purpose stands for a call. `reserved`: bytes, where they are
        known and stay the same."""
        at = extremes([sum(held.values()) for held in self._after], points(pattern))
        rows: list[list[Scalar]] = [
            [instant, pattern, allocator, call_of(purpose), self._after[instant].get(purpose, 0)]
            for purpose in self._held
            for instant in at
        ]
        if reserved is not None:
            rows += [[instant, pattern, allocator, RESERVED, reserved] for instant in at]
        return timeline_series(rows)


def pool_map(pool: PagePool, pattern: str, *, cap: int) -> Series:
    """Runs of pages with one owner, line by line."""
    owners = pool.owners()
    a_line = map_width(pattern, cap) // PAGE
    rows: list[list[Scalar]] = []
    for line, first in enumerate(range(0, min(len(owners), LINES * a_line), a_line)):
        end = min(first + a_line, len(owners))
        begun = first
        for page in range(first + 1, end + 1):
            if page == end or owners[page] != owners[begun]:
                offset, size = (begun - first) * PAGE, (page - begun) * PAGE
                rows.append([line, pattern, "pool", 0, offset, size, call_of(owners[begun])])
                begun = page
    return map_series(rows)


def call_of(purpose: Purpose | None) -> str:
    return "" if purpose is None else f"taken.{purpose}"
