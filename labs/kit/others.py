"""Whether something else used the CPU while something was timed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psutil

from labs.kit.lab import Bench

_NOTICED_CORES = 0.5
_NOTICED_SHARE = {"cpu": 0.1, "cuda": 0.5}
"""A machine of many cores has some to spare. Work on a GPU needs one of them."""


@dataclass(slots=True)
class OtherLoad:
    """Adds up what other processes took of the CPU during the timed stretches."""

    seconds: float = 0.0
    taken: float = 0.0

    @contextmanager
    def during(self) -> Iterator[None]:
        """A timed stretch."""
        wall, own, all_ = time.perf_counter(), time.process_time(), _busy_seconds()
        yield
        self.seconds += time.perf_counter() - wall
        self.taken += max(0.0, _busy_seconds() - all_ - (time.process_time() - own))

    @property
    def cores(self) -> float:
        """How many cores the others kept busy, on average."""
        return self.taken / self.seconds if self.seconds else 0.0

    def report(self, bench: Bench) -> None:
        """A finding where others took so much that the times can't be trusted."""
        cores = os.cpu_count() or 1
        if self.seconds > 0.2 and self.cores > max(_NOTICED_CORES, _NOTICED_SHARE[bench.device] * cores):
            bench.finding("others_use_cpu", cores=round(self.cores, 1), of=cores)


def _busy_seconds() -> float:
    """Seconds that all cores together have been busy since the machine started."""
    times = psutil.cpu_times()
    # a guest's time is counted in user and nice already, stolen time is another machine's
    skipped = ("idle", "iowait", "guest", "guest_nice", "steal")
    return float(sum(value for name, value in times._asdict().items() if name not in skipped))
