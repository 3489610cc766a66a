"""The story of a gap in the GPU's work: what it waited for, and what the CPU did meanwhile. Facts, no words.

Why a gap was there is told by when the launch that ended it came:

- `queued`: before the gap began. The GPU had the work and didn't begin: it waited for another stream or an
  event, or for its own few microseconds between kernels.
- `graph`: so too, and the work before it came by the same launch: a gap within a CUDA graph.
- `sync`: after a call on the same thread that waits for the GPU and returned only when the GPU had run dry:
  the thread could not launch ahead.
- `call`: late, because one runtime call took most of the gap: an allocation, or a launch that had to load its
  kernel's code first.
- `data`: late, because the thread fetched the next batch from a DataLoader.
- `work`: late, because for most of the gap the thread was in one operator that launched nothing: the CPU
  computed or moved data itself.
- `python`: late, and for most of the gap the thread was in no operator and in no call.
- `overhead`: late, because the thread was busy with operators: dispatching costs more than the work.
- `unknown`: the file doesn't hold the launch.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Literal, get_args

from engine.measure.analyse.chrome_trace import LAUNCH_WORDS, PROFILER_STEP
from engine.measure.analyse.timeline import CALL, OPERATOR, RANGE, Row, Timeline, bars_around

Reason = Literal["overhead", "sync", "data", "work", "python", "call", "queued", "graph", "unknown"]
REASONS: tuple[Reason, ...] = get_args(Reason)
WAITING_WORDS = ("Synchronize", "Memcpy")
"""In the names of calls (CUDA and HIP) in which a thread may be waiting for the GPU: an asynchronous copy to
memory that isn't pinned waits as well. It counts only where it lasts until the GPU has run dry."""
LOADING_WORD = "DataLoader"
"""In the name of the operator in which PyTorch fetches a batch ("enumerate(DataLoader)#…")."""
_STARTING_WORDS = (*LAUNCH_WORDS, "Memcpy", "Memset")
SLOW_LAUNCH_NS = 100_000
"""A launch that lasts longer did more than launch: drivers load a kernel's code at its first use."""
MOST_OF = 0.5
"""From this share of the gap on, something is called what filled it."""
DONE_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Done:
    """What the thread was in during the gap, by outermost operator, and for how long."""

    name: str
    ns: int


@dataclass(frozen=True, slots=True)
class GapStory:
    """A gap and what is known of it. Instants in nanoseconds since the timeline's origin.

    `rank` counts from 1, the longest of the trace. `before` is the work that ended last before the gap,
    `after` the one that ended it. What concerns the launch is None where the file doesn't hold it.
    `launch_ns` is when the call began, since the gap's beginning: negative before it. `operators` are those
    around the launch, outermost first; `range` is what the program named there itself.
    """

    gap: int
    rank: int
    device: int
    start_ns: int
    duration_ns: int
    share: float
    """Of all gap time of the device."""
    reason: Reason
    before: str | None
    after: str | None
    call: str | None = None
    launch_ns: int | None = None
    call_ns: int | None = None
    thread: tuple[str, str] | None = None
    operators: tuple[str, ...] = ()
    range: str | None = None
    did: tuple[Done, ...] = ()
    """The outermost operators that the launching thread was in, by name, longest first."""
    waited: Done | None = None
    """The call in which it waited for the GPU, if that is the reason: the whole call's time."""
    held_up: Done | None = None
    """The runtime call, a launch only if it was slow, that it was in longest during the gap."""
    worked: Done | None = None
    """The operator without launches that most of the gap was spent in, and for how long."""
    launching_ns: int = 0
    """Of the gap: time in launch calls."""
    outside_ns: int = 0
    """Of the gap: time in no operator and no call."""

    @property
    def end_ns(self) -> int:
        return self.start_ns + self.duration_ns


def gap_story(timeline: Timeline, gap: int) -> GapStory:
    """The story of the listed gap with that number. Raises IndexError where there is none."""
    if not 0 <= gap < timeline.gap_count:
        raise IndexError(gap)
    columns = timeline.gaps
    start, duration, place, after = (columns[name][gap] for name in ("start", "duration", "device", "after"))
    extent = timeline.devices[place]
    before = _before(timeline, extent.device, start)
    untold = GapStory(
        gap=gap,
        rank=timeline.ranks[gap],
        device=extent.device,
        start_ns=start,
        duration_ns=duration,
        share=duration / extent.gap_ns if extent.gap_ns else 0.0,
        reason="unknown",
        before=None if before is None else timeline.name_of(before),
        after=timeline.name_of(after) if after >= 0 else None,
    )
    link = timeline.bars["link"][after] if after >= 0 else -1
    if link < 0:
        return untold
    row = timeline.row_of(link)
    launch, call_ns = timeline.bars["start"][link], timeline.bars["duration"][link]
    meanwhile = _meanwhile(timeline, row, start, start + duration)
    waited = _waiting_at(timeline, row, start)
    ranges = [
        bar
        for bar in bars_around(timeline, link, RANGE)
        if not timeline.name_of(bar).startswith(PROFILER_STEP)
    ]
    worked = _own_work(timeline, row, meanwhile.longest, duration)
    if call_ns >= SLOW_LAUNCH_NS:
        meanwhile.calls[timeline.name_of(link)] += meanwhile.launching
    held_up = meanwhile.calls.most_common(1)
    if launch + call_ns <= start:
        same = before is not None and timeline.bars["link"][before] == link
        reason: Reason = "graph" if same else "queued"
    elif waited is not None:
        reason = "sync"
    elif held_up and held_up[0][1] >= MOST_OF * duration:
        reason = "call"
    elif sum(ns for name, ns in meanwhile.operators.items() if LOADING_WORD in name) >= MOST_OF * duration:
        reason = "data"
    elif worked is not None:
        reason = "work"
    elif meanwhile.outside >= MOST_OF * duration:
        reason = "python"
    else:
        reason = "overhead"
    return replace(
        untold,
        reason=reason,
        call=timeline.name_of(link),
        launch_ns=launch - start,
        call_ns=call_ns,
        thread=row.thread,
        operators=tuple(timeline.name_of(bar) for bar in bars_around(timeline, link, OPERATOR)),
        range=timeline.name_of(ranges[-1]) if ranges else None,
        did=tuple(Done(name, ns) for name, ns in meanwhile.operators.most_common(DONE_SHOWN)),
        waited=waited,
        held_up=Done(*held_up[0]) if held_up else None,
        worked=worked,
        launching_ns=meanwhile.launching,
        outside_ns=meanwhile.outside,
    )


@dataclass(slots=True)
class _Meanwhile:
    operators: Counter[str]
    calls: Counter[str]
    launching: int
    outside: int
    longest: tuple[int, int] = (0, -1)
    """Time in the outermost operator that filled most of the gap, and its bar; -1: there was none."""


def _meanwhile(timeline: Timeline, row: Row, start: int, end: int) -> _Meanwhile:
    """What a thread did from `start` to `end`: each moment counts for the outermost operator."""
    bars = timeline.bars
    inside = sorted(
        (bars["start"][bar], -bars["duration"][bar], bar)
        for lane in row.lanes
        for bar in timeline.within(lane, start, end)
        if bars["kind"][bar] != RANGE
    )
    found = _Meanwhile(Counter(), Counter(), 0, end - start)
    operators_until = covered_until = start
    for begin, minus_length, bar in inside:
        until = min(end, begin - minus_length)
        begin = max(start, begin)
        if until > covered_until:
            found.outside -= until - max(begin, covered_until)
            covered_until = until
        name = timeline.name_of(bar)
        if bars["kind"][bar] == CALL:
            if any(word in name for word in LAUNCH_WORDS):
                found.launching += until - begin
            elif until > begin:
                found.calls[name] += until - begin
        elif until > operators_until:
            alone = until - max(begin, operators_until)
            found.operators[name] += alone
            found.longest = max(found.longest, (alone, bar))
            operators_until = until
    return found


def _own_work(timeline: Timeline, row: Row, longest: tuple[int, int], duration: int) -> Done | None:
    """The operator that filled most of the gap, if nothing was launched in all its time."""
    ns, bar = longest
    if bar < 0 or ns < MOST_OF * duration:
        return None
    bars = timeline.bars
    start, end = bars["start"][bar], bars["start"][bar] + bars["duration"][bar]
    for lane in row.lanes:
        for inner in timeline.within(lane, start, end):
            if bars["kind"][inner] == CALL and any(
                word in timeline.name_of(inner) for word in _STARTING_WORDS
            ):
                return None
    return Done(timeline.name_of(bar), ns)


def _waiting_at(timeline: Timeline, row: Row, start: int) -> Done | None:
    """The call in which a thread was waiting for the GPU when the gap began."""
    bars = timeline.bars
    for lane in row.lanes:
        for bar in timeline.within(lane, start, start + 1):
            name = timeline.name_of(bar)
            if bars["kind"][bar] == CALL and any(word in name for word in WAITING_WORDS):
                return Done(name, bars["duration"][bar])
    return None


def _before(timeline: Timeline, device: int, start: int) -> int | None:
    """The work of the device that ended last when the gap began."""
    bars = timeline.bars
    for row in timeline.rows:
        if row.device != device or row.side != "gpu":
            continue
        for lane in row.lanes:
            for bar in timeline.within(lane, start - 1, start):
                if bars["start"][bar] + bars["duration"][bar] == start:
                    return bar
    return None
