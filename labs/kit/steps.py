"""Progress in steps that were counted beforehand."""

from __future__ import annotations

from dataclasses import dataclass

from labs.kit.lab import Bench


@dataclass(slots=True)
class Steps:
    """Tells the bench what is being done now. More steps than expected stretch the total."""

    bench: Bench
    total: int
    done: int = -1

    def next(self, label: str) -> None:
        """Begins the next step; `label` is a stage code."""
        self.done += 1
        self.total = max(self.total, self.done + 1)
        self.bench.progress(self.done, self.total, label)

    def skip(self, count: int) -> None:
        """Leaves out steps that turn out not to be needed."""
        self.total = max(self.done + 1, self.total - count)
