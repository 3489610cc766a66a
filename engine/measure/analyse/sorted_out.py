"""Sorts the events of a chrome trace out: the GPU's work, the CPU's calls, operators and ranges.

What differs between the years and is evened out here: the case of categories ("Kernel", "kernel"), `tid` as
a number or as "stream 7", times as integers, as decimals beside `baseTimeNanoseconds`, or as absolute
decimals of which a float64 keeps only a quarter of a microsecond.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from operator import attrgetter, eq
from typing import TypeVar

import msgspec

from engine.measure.analyse.chrome_trace import (
    CALL_CATEGORIES,
    GPU_KINDS,
    GPU_RANGE_CATEGORIES,
    OPERATOR_CATEGORIES,
    OVERHEAD_CATEGORIES,
    PROFILER_STEP,
    RANGE,
    RANGE_CATEGORIES,
    STACK_CATEGORIES,
    ChromeTrace,
    CpuEvent,
    GpuEvent,
)
from engine.measure.analyse.errors import UnreadableFile
from engine.measure.analyse.trace_events import Event, Lasting, RawArgs
from engine.measure.analyse.trace_stream import EventStream
from engine.measure.analyse.trace_times import LATEST, MOST_WHOLE, SURE, Doubtful, nanoseconds, time_of, whole

MOST_EVENTS = 12_000_000
"""Events that are kept at most; a million takes some 200 MB."""
MOST_CATEGORIES = 1000
_UNSURE = LATEST
"""In place of an instant: it has to be read with more care."""
_Way = tuple[str, "list[CpuEvent] | None"]
"""Where a category's events go: the kind of GPU event, or the list of CPU events."""
_PASSED_OVER: _Way = ("", None)
_NO_ARGS = RawArgs()
_START, _END = attrgetter("start"), attrgetter("end")
E = TypeVar("E", CpuEvent, GpuEvent)


class NeedsText(Exception):
    """The time of a batch's event `number` may not be what stands in the file: a float64 is too short."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class SortedOut:
    """The events that count, by what they are."""

    def __init__(self, file: str) -> None:
        self._file = file
        self.gpu: list[GpuEvent] = []
        self.calls: list[CpuEvent] = []
        self.operators: list[CpuEvent] = []
        self.ranges: list[CpuEvent] = []
        self.steps: list[CpuEvent] = []
        self.overheads: list[CpuEvent] = []
        self.gpu_ranges: list[GpuEvent] = []
        self.stacks = False
        self._on_cpu: dict[str, list[CpuEvent]] = {
            **dict.fromkeys(CALL_CATEGORIES, self.calls),
            **dict.fromkeys(OPERATOR_CATEGORIES, self.operators),
            **dict.fromkeys(RANGE_CATEGORIES, self.ranges),
            **dict.fromkeys(OVERHEAD_CATEGORIES, self.overheads),
        }
        self._ways: dict[str, _Way] = {}
        # names and threads come again and again: one object each
        self.names: dict[str, str] = {}
        self._threads: dict[tuple[object, object], tuple[str, str]] = {}
        self.unreadable = 0
        self.text_times = 0
        self.without_args = 0

    def take(self, batch: Sequence[Event], begin: int = 0) -> None:
        """Sort a batch out from event number `begin` on.

        Raises `UnreadableFile` where there are too many to keep, and `NeedsText`: what stands before that
        event has been taken.
        """
        # this loop is gone through by the million: what is usual is written out in it, without a call
        ways, names, threads = self._ways, self.names, self._threads
        pid: float | str | None = None
        tid: float | str | None = None
        thread = ("None", "None")
        for number, event in enumerate(batch[begin:] if begin else batch, begin):
            if event.cat is None:
                continue
            way = ways.get(event.cat) or self._way(event.cat)
            if way is _PASSED_OVER:
                continue
            ts, dur = event.ts, event.dur
            start = end = _UNSURE
            if type(ts) is int and type(dur) is int:
                if -MOST_WHOLE < ts < MOST_WHOLE and 0 <= dur < MOST_WHOLE:
                    start, end = ts * 1000, (ts + dur) * 1000
            elif type(ts) is float and type(dur) is float:
                begun, long = ts * 1000, dur * 1000
                if -SURE < begun < SURE and 0 <= long < SURE:
                    at, length = round(begun), round(long)
                    if -0.3 < begun - at < 0.3 and -0.3 < long - length < 0.3:
                        start, end = at, at + length
            if end is _UNSURE:
                try:
                    times = self._times(ts, dur)
                except Doubtful:
                    raise NeedsText(number) from None
                if times is None:
                    self.unreadable += 1
                    continue
                start, end = times
            name = event.name
            name = names.get(name) or names.setdefault(name, name)
            args = event.args or _NO_ARGS
            correlation = args.correlation
            if correlation is not None and type(correlation) is not int:
                correlation = whole(correlation)
            kind, on_cpu = way
            if on_cpu is not None:
                if event.tid != tid or event.pid != pid or type(event.tid) is not type(tid):
                    pid, tid = event.pid, event.tid
                    thread = threads.get((pid, tid)) or self._thread(pid, tid)
                if name[:13] == PROFILER_STEP:
                    on_cpu = self.steps
                on_cpu.append(CpuEvent(name, thread, start, end, correlation))
            else:
                self._take_work(kind, name, event, args, (start, end, correlation))
        self.check_size()

    def _times(
        self, ts: float | str | msgspec.Raw | None, dur: float | str | msgspec.Raw | None
    ) -> tuple[int, int] | None:
        """Start and end in nanoseconds, None for what is no time. Raises `Doubtful`."""
        quoted = type(ts) is str
        if type(ts) is msgspec.Raw:
            # a large trace has millions of these
            text = bytes(ts)
            start = nanoseconds(text)
            quoted = text[:1] == b'"'
        else:
            start = time_of(ts)
        length: int | None = None
        if type(dur) is float and 0 <= dur < MOST_WHOLE:
            long = dur * 1000
            length = round(long)
            if not (long < SURE and -0.3 < long - length < 0.3):
                raise Doubtful
        else:
            length = time_of(dur)
        if start is None or length is None or length < 0:
            return None
        self.text_times += quoted
        return start, start + length

    def _take_work(
        self, kind: str, name: str, event: Lasting, args: RawArgs, when: tuple[int, int, int | None]
    ) -> None:
        self.without_args += event.args is None
        device = args.device if args.device is not None else event.pid
        if type(device) is not int:
            device = whole(device)
        stream = str(args.stream if args.stream is not None else event.tid)
        (self.gpu_ranges if kind == RANGE else self.gpu).append(
            GpuEvent(
                kind,
                name,
                -1 if device is None else device,
                self.names.setdefault(stream, stream),
                *when,
                args.bytes if type(args.bytes) is int else whole(args.bytes),
            )
        )

    def _thread(self, pid: float | str | None, tid: float | str | None) -> tuple[str, str]:
        self._threads[pid, tid] = thread = (_label(pid), _label(tid))
        return thread

    def gpu_lists(self) -> tuple[list[GpuEvent], ...]:
        return (self.gpu, self.gpu_ranges)

    def cpu_lists(self) -> tuple[list[CpuEvent], ...]:
        return (self.calls, self.operators, self.ranges, self.steps, self.overheads)

    def lengths(self) -> tuple[int, ...]:
        """How many events there are in each of these lists."""
        return (*map(len, self.gpu_lists()), *map(len, self.cpu_lists()))

    def clear(self) -> None:
        """Empties these lists."""
        for on_gpu in self.gpu_lists():
            on_gpu.clear()
        for on_cpu in self.cpu_lists():
            on_cpu.clear()

    def check_size(self) -> None:
        """Raises `UnreadableFile` where there are too many events to keep."""
        if sum(self.lengths()) > MOST_EVENTS:
            raise UnreadableFile(
                f"{self._file}: it holds more than {MOST_EVENTS:,} operators, calls and kernels. Record "
                "fewer steps: torch.profiler.schedule(wait=…, warmup=…, active=3)."
            ).because("too_many_operators", name=self._file, events=MOST_EVENTS)

    def _way(self, category: str) -> _Way:
        known = category.lower()
        self.stacks = self.stacks or known in STACK_CATEGORIES
        kind = RANGE if known in GPU_RANGE_CATEGORIES else GPU_KINDS.get(known)
        on_cpu = self._on_cpu.get(known)
        way = _PASSED_OVER if kind is None and on_cpu is None else (kind or "", on_cpu)
        if len(self._ways) < MOST_CATEGORIES:
            self._ways[category] = way
        return way

    def trace(self, stream: EventStream, *, events: int) -> ChromeTrace:
        """All that was taken, in order. `events`: of all in the file."""
        for work in self.gpu_lists():
            _put_in_order(work, longest_first=False)
        for on_cpu in self.cpu_lists():
            _put_in_order(on_cpu, longest_first=True)  # an outer event before the inner ones
        return ChromeTrace(
            events=events,
            gpu=tuple(self.gpu),
            calls=tuple(self.calls),
            operators=tuple(self.operators),
            unreadable=self.unreadable,
            ranges=tuple(self.ranges),
            gpu_ranges=tuple(self.gpu_ranges),
            steps=tuple(self.steps),
            overheads=tuple(self.overheads),
            stacks=self.stacks,
            gpu_names=stream.gpu_names(),
            damage=stream.damage,
            text_times=self.text_times,
            without_args=self.without_args,
        )


def _put_in_order(events: list[E], *, longest_first: bool) -> None:
    """By their starts; those that begin together by their ends."""
    # nearly in order as they come: one pass by the starts, and a look at the few that share one, take a
    # quarter of the time that sorting by both does
    events.sort(key=_START)
    starts = list(map(_START, events))
    done = 0
    for begin in itertools.compress(itertools.count(), map(eq, starts, itertools.islice(starts, 1, None))):
        if begin < done:
            continue
        done = begin + 2
        while done < len(starts) and starts[done] == starts[begin]:
            done += 1
        events[begin:done] = sorted(events[begin:done], key=_END, reverse=longest_first)


def _label(number: float | str | None) -> str:
    """The same for 7 and 7.0: which stands there first says nothing."""
    return str(int(number) if isinstance(number, float) and number.is_integer() else number)
