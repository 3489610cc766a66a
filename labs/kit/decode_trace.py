"""A profiler's trace of steady decode: kept as a file, read back by the analyser that the app uses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import torch

from engine.measure.analyse.chrome_trace import LAUNCH_WORDS, ChromeTrace, CpuEvent
from engine.measure.analyse.intervals import Interval, length, percentile, union
from engine.measure.analyse.trace import DeviceTime, Gap, TraceAnalysis, analyse
from engine.measure.analyse.trace_reading import read_chrome_trace

MEDIA_TYPE = "application/gzip"
CLASSES_US = (2.5, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0)
"""Upper ends of the classes in which gaps are counted; what is longer counts in a last one twice as long."""


@dataclass(frozen=True, slots=True)
class GapClass:
    """Gaps of one length. `share` and `share_of_time` are of all gaps, from 0 to 1."""

    up_to_us: float
    share: float
    share_of_time: float


@dataclass(frozen=True, slots=True)
class Waiting:
    """What the GPU waited for: the operator and the runtime call that ended gaps, with their share of gap
    time from 0 to 1."""

    operator: str
    call: str
    share: float


@dataclass(frozen=True, slots=True)
class DuringGaps:
    """What the CPU did while the GPU had nothing to do, as shares of gap time that add up to 1."""

    driver: float
    """Inside a call of the CUDA runtime or driver."""
    dispatcher: float
    """Inside an operator, outside such a call."""
    python: float
    """In neither: the interpreter runs the model's own code."""


@dataclass(frozen=True, slots=True)
class Traced:
    """A trace of `steps` decode steps on one GPU. Raises nothing: that it holds GPU work is made sure of."""

    path: Path
    steps: int
    trace: ChromeTrace
    analysis: TraceAnalysis
    device: DeviceTime

    @property
    def kernels_per_step(self) -> float:
        return self.device.kernels / self.steps

    @property
    def launches_per_step(self) -> float:
        """Calls that launch a kernel or a graph, per step."""
        return len(launches_of(self.trace)) / self.steps

    @property
    def busy_ms(self) -> float:
        """Milliseconds of a step in which the GPU worked."""
        return self.device.busy_ns / 1e6 / self.steps

    @property
    def wall_ms(self) -> float:
        """Milliseconds of a step under the profiler, from the first GPU event to the last."""
        return self.device.wall_ns / 1e6 / self.steps

    @property
    def gap_ms(self) -> float:
        """Milliseconds of a step in which the GPU had nothing to do, under the profiler."""
        return sum(gap.duration_ns for gap in self.device.gaps) / 1e6 / self.steps

    @property
    def launch_us(self) -> float:
        """Microseconds that the median launch call takes on the CPU, under the profiler."""
        return percentile(sorted(call.end - call.start for call in launches_of(self.trace)), 0.5) / 1e3

    def gap_us(self, share: float) -> float:
        """A percentile (0 to 1) of the gaps' lengths, in microseconds."""
        return percentile(sorted(gap.duration_ns for gap in self.device.gaps), share) / 1e3


class NoGpuEvents(Exception):
    """The profiler saw no work of the GPU: that is no idle GPU, it is no trace."""


def record_trace(step: Callable[[], object], steps: int, path: Path) -> Traced:
    """Profiles `steps` calls of `step` on the current GPU, writes the trace to `path` (`.json.gz`), reads it.

    Raises NoGpuEvents where it holds no work of a GPU.
    """
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=activities, acc_events=True) as profiler:
        for _ in range(steps):
            step()
        torch.cuda.synchronize()
    profiler.export_chrome_trace(str(path))
    return read_trace(path, steps)


def read_trace(path: Path, steps: int) -> Traced:
    """What the trace at `path` shows of `steps` steps. Raises NoGpuEvents and `UnreadableFile`."""
    trace = read_chrome_trace(path)
    analysis = analyse(trace)
    if not any(device.kernels for device in analysis.devices):
        raise NoGpuEvents
    device = max(analysis.devices, key=lambda one: one.kernels)
    return Traced(path, steps, trace, analysis, device)


def launches_of(trace: ChromeTrace) -> list[CpuEvent]:
    """The calls that launch a kernel or a graph, in order."""
    return [call for call in trace.calls if any(word in call.name for word in LAUNCH_WORDS)]


def gap_classes(gaps: Iterable[Gap]) -> list[GapClass]:
    """How many gaps are how long, and how much of the gap time they make up."""
    counts: Counter[float] = Counter()
    time: Counter[float] = Counter()
    last = 2 * CLASSES_US[-1]
    for gap in gaps:
        up_to = next((end for end in CLASSES_US if gap.duration_ns <= end * 1e3), last)
        counts[up_to] += 1
        time[up_to] += gap.duration_ns
    number, total = sum(counts.values()), sum(time.values())
    if not number or not total:
        return []
    return [GapClass(end, counts[end] / number, time[end] / total) for end in (*CLASSES_US, last)]


def waited_for(gaps: Iterable[Gap]) -> list[Waiting]:
    """The operator and the call whose launch ended the gaps, by share of gap time, largest first."""
    time: Counter[tuple[str, str]] = Counter()
    for gap in gaps:
        time[gap.cpu_op or "", gap.runtime_call or ""] += gap.duration_ns
    total = sum(time.values())
    return [Waiting(op, call, ns / total) for (op, call), ns in time.most_common()] if total else []


def during_gaps(traced: Traced) -> DuringGaps | None:
    """What the launching thread did during the gaps; None where there are none."""
    gaps = [(gap.start_ns, gap.start_ns + gap.duration_ns) for gap in traced.device.gaps]
    total = length(gaps)
    threads = Counter(call.thread for call in launches_of(traced.trace))
    if not total or not threads:
        return None
    thread = threads.most_common(1)[0][0]
    calls = union((c.start, c.end) for c in traced.trace.calls if c.thread == thread)
    operators = union((o.start, o.end) for o in traced.trace.operators if o.thread == thread)
    driver = _shared(gaps, calls) / total
    either = _shared(gaps, union([*calls, *operators])) / total
    return DuringGaps(driver=driver, dispatcher=either - driver, python=1 - either)


def _shared(first: list[Interval], second: list[Interval]) -> int:
    """How long two lists of disjoint intervals in order overlap, in nanoseconds."""
    return sum(end - start for start, end in _overlaps(first, second))


def _overlaps(first: list[Interval], second: list[Interval]) -> Iterator[Interval]:
    place = 0
    for start, end in first:
        while place < len(second) and second[place][1] <= start:
            place += 1
        ahead = place
        while ahead < len(second) and second[ahead][0] < end:
            yield max(start, second[ahead][0]), min(end, second[ahead][1])
            ahead += 1
