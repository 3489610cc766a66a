"""Times calls: warm, synchronised, several samples, the median with its spread."""

from __future__ import annotations

import gc
import itertools
import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import torch

from labs.kit.lab import DeviceType

Call = Callable[[], object]

WARM_UP_CALLS = 4
"""The first three calls of anything compiled are slow (pytorch#120309)."""
GRAPH_BELOW_MS = 0.2
"""Shorter calls are timed inside a CUDA graph: between events their launches would be measured as soon as the
CPU falls behind. (A launch takes about 5 µs of CPU time, three operations with allocations 30 µs.)"""
_SAMPLE_MS = 1.0
"""A sample holds as many calls as fill this time, so that a clock's resolution doesn't count."""
_FEWEST, _MOST = 7, 200


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds of one call: the median, and the 25th and 75th percentile of the samples."""

    median_ms: float
    low_ms: float
    high_ms: float
    samples: int
    method: Literal["events", "graph", "host"]


def summarise(samples_ms: Sequence[float], method: Literal["events", "graph", "host"]) -> Timing:
    """The median of the samples with its quartiles. Raises ValueError where there is none."""
    if not samples_ms:
        raise ValueError("no samples")
    if len(samples_ms) == 1:
        return Timing(samples_ms[0], samples_ms[0], samples_ms[0], 1, method)
    low, median, high = statistics.quantiles(samples_ms, n=4, method="inclusive")
    return Timing(median, low, high, len(samples_ms), method)


def settle() -> None:
    """Collects garbage once and takes what is left out of later collections.

    Each timing begins with one, and over the heap of torch and its compiler it takes a third of a second.
    """
    gc.collect()
    gc.freeze()


@contextmanager
def undisturbed() -> Iterator[None]:
    """Keeps Python's garbage collector from running: over torch's objects it takes half a second."""
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def time_calls(calls: Sequence[Call], *, device: DeviceType, budget_s: float = 0.25) -> Timing:
    """The time of one call. `calls` do the same work on buffers of their own and are taken in turn.

    On a GPU a call of less than 0.2 ms is timed by replaying a CUDA graph of many calls.
    """
    with undisturbed():
        return _time_calls(calls, device, budget_s)


def _time_calls(calls: Sequence[Call], device: DeviceType, budget_s: float) -> Timing:
    if device == "cpu":
        return _by_host_clock(calls, budget_s)
    for number in range(max(WARM_UP_CALLS, len(calls))):
        calls[number % len(calls)]()
    torch.cuda.synchronize()
    estimate_ms = _between_events(calls, 8)
    if estimate_ms < GRAPH_BELOW_MS:
        return _by_graph(calls, estimate_ms, budget_s)
    return _by_events(calls, estimate_ms, budget_s)


def issue_time_ms(calls: Sequence[Call], count: int = 24) -> float:
    """Milliseconds that the CPU needs to issue one call to an idle GPU, without waiting for its end."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    for number in range(count):
        calls[number % len(calls)]()
    spent = time.perf_counter() - start
    torch.cuda.synchronize()
    return spent * 1e3 / count


def _by_host_clock(calls: Sequence[Call], budget_s: float) -> Timing:
    for number in range(WARM_UP_CALLS):
        start = time.perf_counter()
        calls[number % len(calls)]()
        estimate_ms = (time.perf_counter() - start) * 1e3
    count = max(1, math.ceil(_SAMPLE_MS / max(estimate_ms, 1e-6)))
    samples: list[float] = []
    turn = 0
    end = time.perf_counter() + budget_s
    while len(samples) < _FEWEST or (time.perf_counter() < end and len(samples) < _MOST):
        start = time.perf_counter()
        for _ in range(count):
            calls[turn % len(calls)]()
            turn += 1
        samples.append((time.perf_counter() - start) * 1e3 / count)
    return summarise(samples, "host")


def _between_events(calls: Sequence[Call], count: int) -> float:
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for number in range(count):
        calls[number % len(calls)]()
    end.record()
    end.synchronize()
    return max(float(start.elapsed_time(end)) / count, 1e-6)


def _by_events(calls: Sequence[Call], estimate_ms: float, budget_s: float) -> Timing:
    count = max(1, math.ceil(_SAMPLE_MS / estimate_ms))
    wanted = min(_MOST, max(_FEWEST, int(budget_s * 1e3 / (estimate_ms * count))))
    marks = [torch.cuda.Event(enable_timing=True) for _ in range(wanted + 1)]
    turn = 0
    for _ in range(count):  # the first sample must not wait for an idle GPU to be told
        calls[turn % len(calls)]()
        turn += 1
    marks[0].record()
    for mark in marks[1:]:
        for _ in range(count):
            calls[turn % len(calls)]()
            turn += 1
        mark.record()
    torch.cuda.synchronize()
    pairs = itertools.pairwise(marks)
    return summarise([float(a.elapsed_time(b)) / count for a, b in pairs], "events")


def _by_graph(calls: Sequence[Call], estimate_ms: float, budget_s: float) -> Timing:
    rounds = max(1, math.ceil(_SAMPLE_MS / (estimate_ms * len(calls))))
    count = min(rounds, max(1, 512 // len(calls))) * len(calls)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        calls[0]()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for number in range(count):
            calls[number % len(calls)]()
    per_replay = _between_events([graph.replay], 3) / count
    replay = _by_events([graph.replay], per_replay * count, budget_s)
    graph.reset()
    return Timing(
        replay.median_ms / count, replay.low_ms / count, replay.high_ms / count, replay.samples, "graph"
    )
