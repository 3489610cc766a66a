"""Which batch the lab takes next on its way to the one that fills the GPU."""

from __future__ import annotations

import pytest

from labs.kit.gap_findings import Point
from labs.kit.next_batch import next_batch


def point(size: int, busy_ms: float) -> Point:
    return Point(
        size=size, ms=20.0, profiled_ms=40.0, cpu_ms=20.0, busy_ms=busy_ms, kernels=900, launches=900,
        gap_us=20.0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("before", "last", "batch"),
    [
        ((8, 2.0), (32, 2.0), 1024),  # no growth: the largest leap
        ((8, 2.0), (32, 3.0), 512),  # 1 ms in 24: 18 ms more are there at 470
        ((32, 3.0), (1024, 19.0), 4096),  # nearly there: still four times as many
        ((1024, 10.0), (8192, 12.0), 0),  # larger than any that is tried
    ],
)
def test_it_is_the_power_of_two_at_which_the_gpus_work_fills_the_step(
    before: tuple[int, float], last: tuple[int, float], batch: int
) -> None:
    assert next_batch([point(*before), point(*last)]) == batch
