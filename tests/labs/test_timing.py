"""Timing: the median with its spread, every buffer in turn, nothing of Python's in between."""

from __future__ import annotations

import gc

import pytest

from labs.kit.timing import summarise, time_calls, undisturbed


def test_the_median_comes_with_its_quartiles() -> None:
    timing = summarise([5.0, 1.0, 4.0, 2.0, 3.0], "host")
    assert (timing.low_ms, timing.median_ms, timing.high_ms, timing.samples) == (2.0, 3.0, 4.0, 5)


def test_a_single_sample_has_no_spread() -> None:
    timing = summarise([7.0], "host")
    assert (timing.low_ms, timing.median_ms, timing.high_ms) == (7.0, 7.0, 7.0)


def test_no_samples_are_refused() -> None:
    with pytest.raises(ValueError, match="no samples"):
        summarise([], "host")


def test_calls_are_taken_in_turn() -> None:
    counts = [0, 0, 0]

    def call(slot: int) -> None:
        counts[slot] += 1
        sum(range(20_000))

    time_calls([lambda slot=slot: call(slot) for slot in range(3)], device="cpu", budget_s=0.02)  # type: ignore[misc]
    assert min(counts) > 0
    assert max(counts) - min(counts) <= 2  # the warm-up of four calls starts over at the first


def test_the_garbage_collector_rests_and_comes_back() -> None:
    assert gc.isenabled()
    with undisturbed():
        assert not gc.isenabled()
    assert gc.isenabled()
