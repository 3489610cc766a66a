"""Sorts the events of a chrome trace out: the GPU's work, the CPU's calls, operators and ranges.

What differs between the years and is evened out here: the case of categories ("Kernel", "kernel"), `tid` as
a number or as "stream 7", times as integers, as decimals beside `baseTimeNanoseconds`, or as absolute
decimals of which a float64 keeps only a quarter of a microsecond.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Raw

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
)
from engine.measure.analyse.errors import UnreadableFile
from engine.measure.analyse.trace_events import LASTING, Event, RawArgs
from engine.measure.analyse.trace_times import LATEST, MOST_WHOLE, SHORT, SURE, Doubtful, span_of, whole

MOST_EVENTS = 12_000_000
"""Events that are kept at most; a million takes some 200 MB."""
MOST_CATEGORIES = 1000
ON_GPU = (GPU, GPU_RANGES) = (0, 1)
ON_CPU = (CALLS, OPERATORS, RANGES, STEPS, OVERHEADS) = (2, 3, 4, 5, 6)
"""The lists that events are sorted into, by their places."""
Rows = list[list[tuple[Any, ...]]]
"""Of each list the fields of its events, `GpuEvent` or `CpuEvent`, in their order."""
Thread = tuple[str, str]
_Number = int | float | str | None
_UNSURE = LATEST
"""In place of an instant: it has to be read with more care."""
_NO_ARGS = RawArgs()
_Way = tuple[int, Any]
"""Where a category's events go: the place of the list, and the kind of the GPU's events."""
_PASSED_OVER: _Way = (-1, None)
_CPU_PLACES = {
    **dict.fromkeys(CALL_CATEGORIES, CALLS),
    **dict.fromkeys(OPERATOR_CATEGORIES, OPERATORS),
    **dict.fromkeys(RANGE_CATEGORIES, RANGES),
    **dict.fromkeys(OVERHEAD_CATEGORIES, OVERHEADS),
}


def no_rows() -> Rows:
    return [[] for _ in (*ON_GPU, *ON_CPU)]


class NeedsText(Exception):
    """A batch's time may not be what stands in the file: a float64 is too short."""


class Texts(dict[str, Any]):
    """What stands in rows for a text: the text itself, one object for all that are the same, or its number.
    `steps`: what stands there for the names of the profiler's steps."""

    def __init__(self, *, numbered: bool) -> None:
        super().__init__()
        self.steps: set[Any] = set()
        self._numbered = numbered

    def __missing__(self, text: str) -> Any:
        self[text] = found = len(self) if self._numbered else text
        if text.startswith(PROFILER_STEP):
            self.steps.add(found)
        return found


class Threads(dict[tuple[_Number, _Number], Any]):
    """The same for a thread, by process and thread as an event has them."""

    def __init__(self, *, numbered: bool) -> None:
        super().__init__()
        self.labels: dict[Thread, Any] = {}
        self._numbered = numbered

    def __missing__(self, numbers: tuple[_Number, _Number]) -> Any:
        label = (_label(numbers[0]), _label(numbers[1]))
        self[numbers] = found = self.labels.setdefault(label, len(self.labels) if self._numbered else label)
        return found


class _Ways(dict[str | None, _Way]):
    """Where the events of a category go. `stacks`: Python's calls were among them."""

    def __init__(self, texts: Texts) -> None:
        super().__init__({None: _PASSED_OVER})
        self.stacks = False
        self._texts = texts

    def __missing__(self, category: str) -> _Way:
        known = category.lower()
        self.stacks = self.stacks or known in STACK_CATEGORIES
        way = _PASSED_OVER
        if known in GPU_RANGE_CATEGORIES:
            way = (GPU_RANGES, self._texts[RANGE])
        elif known in GPU_KINDS:
            way = (GPU, self._texts[GPU_KINDS[known]])
        elif known in _CPU_PLACES:
            way = (_CPU_PLACES[known], None)
        if len(self) < MOST_CATEGORIES:
            self[category] = way
        return way


class Counts(msgspec.Struct):
    """What was met with in all batches. `kept`: the events in rows."""

    kept: int = 0
    stacks: bool = False
    unreadable: int = 0
    text_times: int = 0
    without_args: int = 0

    def add(self, other: Counts) -> None:
        self.kept += other.kept
        self.stacks = self.stacks or other.stacks
        self.unreadable += other.unreadable
        self.text_times += other.text_times
        self.without_args += other.without_args

    def check(self, file: str) -> None:
        """Raises `UnreadableFile` where there are too many events to keep."""
        if self.kept > MOST_EVENTS:
            raise UnreadableFile(
                f"{file}: it holds more than {MOST_EVENTS:,} operators, calls and kernels. Record "
                "fewer steps: torch.profiler.schedule(wait=…, warmup=…, active=3)."
            ).because("too_many_operators", name=file, events=MOST_EVENTS)


class SortedOut:
    """Turns batches of events into rows of those that count. `numbered`: texts and threads stand in them by
    their numbers."""

    def __init__(self, file: str, *, numbered: bool = False) -> None:
        self._file = file
        self.texts = Texts(numbered=numbered)
        self._ways = _Ways(self.texts)
        self.threads = Threads(numbered=numbered)
        self.counts = Counts()

    def take(self, batch: Sequence[Event], found: Rows, origin: int = 0) -> None:
        """Adds the rows of a batch to those found, their times from `origin` (microseconds) on.

        Raises `UnreadableFile` where there are too many to keep, and `NeedsText`: then nothing was added.
        """
        # this loop is gone through by the million: what is usual is written out in it, without a call
        ways, texts, threads, steps, lasting = self._ways, self.texts, self.threads, self.texts.steps, LASTING
        add = [rows.append for rows in found]
        before = list(map(len, found))
        unreadable = text_times = without_args = 0
        origin_ns = origin * 1000
        pid: _Number = None
        tid: _Number = None
        thread = threads[pid, tid]
        event: Any
        for event in batch:
            # asking one of another phase for its category takes longer than telling it apart
            if type(event) not in lasting:
                continue
            place, kind = ways[event.cat]
            if place < 0:
                continue
            ts, dur = event.ts, event.dur
            start = end = _UNSURE
            if type(ts) is int and type(dur) is int:
                if dur >= 0 and ts > -MOST_WHOLE and ts + dur < MOST_WHOLE:
                    start = (ts - origin) * 1000
                    end = start + dur * 1000
            elif type(ts) is float and type(dur) is float:
                begun, long = ts * 1000, dur * 1000
                if -SURE < begun < SURE and 0 <= long < SURE:
                    at, lasts = round(begun), round(long)
                    if -0.3 < begun - at < 0.3 and -0.3 < long - lasts < 0.3:
                        start = at - origin_ns
                        end = start + lasts
            elif type(ts) is Raw and type(dur) is float:
                text, long = bytes(ts), dur * 1000
                digits, lasts = text.replace(b".", b"", 1), round(long) if 0 <= long < SURE else -1
                if (
                    text[-4:-3] == b"."
                    and digits.isdigit()
                    and len(digits) < SHORT
                    and lasts >= 0
                    and -0.3 < long - lasts < 0.3
                ):
                    start = int(digits) - origin_ns
                    end = start + lasts
            if end is _UNSURE:
                try:
                    times = span_of(ts, dur)
                except Doubtful:
                    for rows, length in zip(found, before, strict=True):
                        del rows[length:]
                    raise NeedsText from None
                if times is None:
                    unreadable += 1
                    continue
                start, end, quoted = times[0] - origin_ns, times[1] - origin_ns, times[2]
                text_times += quoted
            name, args = texts[event.name], event.args
            correlation = None
            if place in ON_GPU:
                if args is None:
                    args = _NO_ARGS
                    without_args += 1
                device, correlation, size = args.device, args.correlation, args.bytes
                if type(device) is not int:
                    device = whole(event.pid if device is None else device)
                    device = -1 if device is None else device
                if correlation is not None and type(correlation) is not int:
                    correlation = whole(correlation)
                if size is not None and type(size) is not int:
                    size = whole(size)
                stream = texts[str(event.tid if args.stream is None else args.stream)]
                add[place]((kind, name, device, stream, start, end, correlation, size))
                continue
            if steps and name in steps:
                place = STEPS
            elif place == CALLS and args is not None:
                correlation = args.correlation
                if correlation is not None and type(correlation) is not int:
                    correlation = whole(correlation)
            if event.tid != tid or event.pid != pid:
                pid, tid = event.pid, event.tid
                thread = threads[pid, tid]
            add[place]((name, thread, start, end, correlation))
        kept = sum(map(len, found)) - sum(before)
        self.counts.add(Counts(kept, ways.stacks, unreadable, text_times, without_args))
        self.counts.check(self._file)


def _label(number: _Number) -> str:
    """The same for 7 and 7.0: which stands there first says nothing."""
    return str(int(number) if isinstance(number, float) and number.is_integer() else number)
