"""Reads a chrome trace as PyTorch's profiler writes it, of 2021 to now, for CUDA and ROCm.

What differs between the years and is evened out here: the case of categories ("Kernel", "kernel"), `tid` as
a number or as "stream 7", times as integers, as decimals beside `baseTimeNanoseconds`, or as absolute
decimals of which a float64 keeps only a quarter of a microsecond. Times are read from the text as it
stands there, so they are exact: integer nanoseconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from operator import attrgetter
from pathlib import Path

import msgspec

from engine.measure.analyse.errors import UnreadableFile
from engine.measure.analyse.trace_events import Event, Lasting, RawArgs
from engine.measure.analyse.trace_stream import Damage, EventStream, Report

GPU_KINDS = {
    "kernel": "kernel",
    "gpu_memcpy": "copy",
    "memcpy": "copy",
    "gpu_memset": "set",
    "memset": "set",
}
"""Category (lower case) of the events that are work of the GPU. gpu_user_annotation and cuda_sync are not."""

CALL_CATEGORIES = frozenset({"cuda_runtime", "cuda_driver", "runtime", "hip_runtime", "hip_driver"})
OPERATOR_CATEGORIES = frozenset({"cpu_op", "operator"})
RANGE_CATEGORIES = frozenset({"user_annotation", "nvtx"})
"""Ranges that the program named itself (`torch.profiler.record_function`, NVTX)."""
GPU_RANGE_CATEGORIES = frozenset({"gpu_user_annotation"})
"""The same ranges on the GPU's rows, from the first work launched in them to the last."""
OVERHEAD_CATEGORIES = frozenset({"overhead"})
"""What the profiler itself took of the CPU's time (CUPTI flushing its buffers, and the like)."""
STACK_CATEGORIES = frozenset({"python_function"})
PROFILER_STEP = "ProfilerStep#"
"""Named like an operator in 2021; it spans a whole step and says nothing of who let the GPU wait."""
LAUNCH_WORDS = ("LaunchKernel", "GraphLaunch", "LaunchCooperativeKernel")
LONGEST_NUMBER = 64
"""The most characters of a time that is read as a number."""
MOST_EVENTS = 12_000_000
"""Events that are kept at most; a million takes some 200 MB."""
MOST_CATEGORIES = 1000
LATEST = 1 << 63
"""No time is later, in nanoseconds (the year 2262)."""
MOST_WHOLE = 1 << 52
"""Below this a whole number of microseconds is a time for sure (the year 2112)."""
SURE = float(1 << 49)
"""Below this many nanoseconds (6.5 days) a float64 of microseconds times 1000 is less than 0.13 ns off (half
the last binary digit, 2**-4 ns, for the number and once more for the product): within 0.3 ns of a whole
nanosecond it is the one that the exact number rounds to."""
_UNSURE = LATEST
"""In place of an instant: it has to be read with more care."""
RANGE = "range"
_Way = tuple[str, "list[CpuEvent] | None"]
"""Where a category's events go: the kind of GPU event, or the list of CPU events."""
_PASSED_OVER: _Way = ("", None)
_NO_ARGS = RawArgs()


# the two below are made by the million: such a struct is made four times as fast as a frozen dataclass, and
# the garbage collector passes over it
class GpuEvent(msgspec.Struct, frozen=True, gc=False):
    """Work of a GPU. `start` and `end` in nanoseconds; `kind` is kernel, copy or set (or range: what the
    program named, over the work launched in it); `bytes` of a copy or set, where the file says so."""

    kind: str
    name: str
    device: int
    stream: str
    start: int
    end: int
    correlation: int | None
    bytes: int | None = None


class CpuEvent(msgspec.Struct, frozen=True, gc=False):
    """An operator or a runtime call on a CPU thread. `start` and `end` in nanoseconds."""

    name: str
    thread: tuple[str, str]
    start: int
    end: int
    correlation: int | None = None


@dataclass(frozen=True, slots=True)
class ChromeTrace:
    """What the analysers need of a trace; everything in order of start."""

    events: int
    gpu: tuple[GpuEvent, ...]
    calls: tuple[CpuEvent, ...]
    operators: tuple[CpuEvent, ...]
    unreadable: int
    """Events of a kind that counts whose time or duration is no finite number."""
    ranges: tuple[CpuEvent, ...] = ()
    """What the program marked by name, on the CPU."""
    gpu_ranges: tuple[GpuEvent, ...] = ()
    """The same on the GPU's rows, and the profiler's steps there."""
    steps: tuple[CpuEvent, ...] = ()
    """The profiler's steps (`prof.step()`), on the CPU."""
    overheads: tuple[CpuEvent, ...] = ()
    """What the profiler itself did on the CPU."""
    stacks: bool = False
    """Python's calls were recorded too, which makes the CPU slower still."""
    gpu_names: Mapping[int, str] = field(default_factory=dict)
    """The devices' names, where the file says them before its events."""
    damage: Damage = field(default_factory=Damage)
    """What was wrong with the file's text."""
    text_times: int = 0
    """Events whose times stand there as text."""
    without_args: int = 0
    """GPU events that don't say which launch they belong to, nor their device and stream."""


def read_chrome_trace(path: Path, report: Report | None = None) -> ChromeTrace:
    """The trace at `path` (.json or .json.gz), of any size up to the bounds. Raises `UnreadableFile`.

    What was damaged and could be repaired, and what is missing, is in `damage`.
    """
    stream = EventStream(path, report)
    sorted_out = _SortedOut(path.name)
    for batch in stream.batches():
        done = 0
        while True:
            try:
                sorted_out.take(batch, done)
                break
            except _NeedsText as first:
                batch, done = stream.with_texts(), first.number
    return sorted_out.trace(stream)


class _Doubtful(Exception):
    """A float64 may not be what stands in the file."""


class _NeedsText(Exception):
    """The time of a batch's event `number` may not be what stands in the file: a float64 is too short."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class _SortedOut:
    """The events that count, by what they are."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._gpu: list[GpuEvent] = []
        self._calls: list[CpuEvent] = []
        self._operators: list[CpuEvent] = []
        self._ranges: list[CpuEvent] = []
        self._steps: list[CpuEvent] = []
        self._overheads: list[CpuEvent] = []
        self._gpu_ranges: list[GpuEvent] = []
        self._stacks = False
        self._on_cpu: dict[str, list[CpuEvent]] = {
            **dict.fromkeys(CALL_CATEGORIES, self._calls),
            **dict.fromkeys(OPERATOR_CATEGORIES, self._operators),
            **dict.fromkeys(RANGE_CATEGORIES, self._ranges),
            **dict.fromkeys(OVERHEAD_CATEGORIES, self._overheads),
        }
        self._ways: dict[str, _Way] = {}
        # names and threads come again and again: one object each
        self._names: dict[str, str] = {}
        self._threads: dict[tuple[object, object], tuple[str, str]] = {}
        self._unreadable = 0
        self._text_times = 0
        self._without_args = 0

    def take(self, batch: Sequence[Event], begin: int = 0) -> None:
        """Sort a batch out from event number `begin` on.

        Raises `UnreadableFile` where there are too many to keep, and `_NeedsText`: what stands before that
        event has been taken.
        """
        # this loop is gone through by the million: what is usual is written out in it, without a call
        ways, names, threads = self._ways, self._names, self._threads
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
                except _Doubtful:
                    raise _NeedsText(number) from None
                if times is None:
                    self._unreadable += 1
                    continue
                start, end = times
            name = event.name
            name = names.get(name) or names.setdefault(name, name)
            args = event.args or _NO_ARGS
            correlation = args.correlation
            if correlation is not None and type(correlation) is not int:
                correlation = _whole(correlation)
            kind, on_cpu = way
            if on_cpu is not None:
                if event.tid != tid or event.pid != pid or type(event.tid) is not type(tid):
                    pid, tid = event.pid, event.tid
                    thread = threads.get((pid, tid)) or threads.setdefault((pid, tid), (str(pid), str(tid)))
                if name[:13] == PROFILER_STEP:
                    on_cpu = self._steps
                on_cpu.append(CpuEvent(name, thread, start, end, correlation))
            else:
                self._take_work(kind, name, event, args, (start, end, correlation))
        if sum(map(len, self._lists())) > MOST_EVENTS:
            raise UnreadableFile(
                f"{self._file}: it holds more than {MOST_EVENTS:,} operators, calls and kernels. Record "
                "fewer steps: torch.profiler.schedule(wait=…, warmup=…, active=3)."
            ).because("too_many_operators", name=self._file, events=MOST_EVENTS)

    def _times(
        self, ts: float | str | msgspec.Raw | None, dur: float | str | msgspec.Raw | None
    ) -> tuple[int, int] | None:
        """Start and end in nanoseconds, None for what is no time. Raises `_Doubtful`."""
        quoted = type(ts) is str
        if type(ts) is msgspec.Raw:
            # a large trace has millions of these
            text = bytes(ts)
            start = nanoseconds(text)
            quoted = text[:1] == b'"'
        else:
            start = _time(ts)
        length: int | None = None
        if type(dur) is float and 0 <= dur < MOST_WHOLE:
            long = dur * 1000
            length = round(long)
            if not (long < SURE and -0.3 < long - length < 0.3):
                raise _Doubtful
        else:
            length = _time(dur)
        if start is None or length is None or length < 0:
            return None
        self._text_times += quoted
        return start, start + length

    def _take_work(
        self, kind: str, name: str, event: Lasting, args: RawArgs, when: tuple[int, int, int | None]
    ) -> None:
        self._without_args += event.args is None
        device = args.device if args.device is not None else event.pid
        if type(device) is not int:
            device = _whole(device)
        stream = str(args.stream if args.stream is not None else event.tid)
        (self._gpu_ranges if kind == RANGE else self._gpu).append(
            GpuEvent(
                kind,
                name,
                -1 if device is None else device,
                self._names.setdefault(stream, stream),
                *when,
                args.bytes if type(args.bytes) is int else _whole(args.bytes),
            )
        )

    def _lists(self) -> tuple[Sequence[GpuEvent | CpuEvent], ...]:
        on_cpu = (self._calls, self._operators, self._ranges, self._steps, self._overheads)
        return (self._gpu, self._gpu_ranges, *on_cpu)

    def _way(self, category: str) -> _Way:
        known = category.lower()
        self._stacks = self._stacks or known in STACK_CATEGORIES
        kind = RANGE if known in GPU_RANGE_CATEGORIES else GPU_KINDS.get(known)
        on_cpu = self._on_cpu.get(known)
        way = _PASSED_OVER if kind is None and on_cpu is None else (kind or "", on_cpu)
        if len(self._ways) < MOST_CATEGORIES:
            self._ways[category] = way
        return way

    def trace(self, stream: EventStream) -> ChromeTrace:
        """All that was taken, in order."""
        for work in (self._gpu, self._gpu_ranges):
            work.sort(key=attrgetter("end"))
            work.sort(key=attrgetter("start"))
        for events in (self._calls, self._operators, self._ranges, self._steps, self._overheads):
            # an outer event before the inner ones that begin with it
            events.sort(key=attrgetter("end"), reverse=True)
            events.sort(key=attrgetter("start"))
        return ChromeTrace(
            events=stream.events,
            gpu=tuple(self._gpu),
            calls=tuple(self._calls),
            operators=tuple(self._operators),
            unreadable=self._unreadable,
            ranges=tuple(self._ranges),
            gpu_ranges=tuple(self._gpu_ranges),
            steps=tuple(self._steps),
            overheads=tuple(self._overheads),
            stacks=self._stacks,
            gpu_names=stream.gpu_names(),
            damage=stream.damage,
            text_times=self._text_times,
            without_args=self._without_args,
        )


def _time(microseconds: float | str | bytes | msgspec.Raw | None) -> int | None:
    """Nanoseconds; None for what is no number. Raises `_Doubtful`."""
    kind = type(microseconds)
    if kind is bytes:
        return nanoseconds(microseconds)  # type: ignore[arg-type]
    if kind is int:
        whole: int = microseconds * 1000  # type: ignore[assignment, operator]
        return whole if -LATEST < whole < LATEST else None
    if kind is float:
        scaled: float = microseconds * 1000  # type: ignore[assignment, operator]
        if -SURE < scaled < SURE:
            whole = round(scaled)
            if -0.3 < scaled - whole < 0.3:
                return whole
        raise _Doubtful
    if isinstance(microseconds, msgspec.Raw):
        return nanoseconds(bytes(microseconds))
    return _unusual(microseconds.encode("ascii", "replace")) if isinstance(microseconds, str) else None


def nanoseconds(text: bytes) -> int | None:
    """Microseconds as they stand in the file, to integer nanoseconds; None where that is no number.

    `ts` and `dur` are microseconds whatever `displayTimeUnit` says; some writers quote them.
    """
    try:
        # as nearly all traces have them: three decimals, or a whole number
        exact = int(text.replace(b".", b"", 1)) if text[-4:-3] == b"." else int(text) * 1000
    except ValueError:
        return _unusual(text)
    return exact if -LATEST < exact < LATEST else None


def _unusual(text: bytes) -> int | None:
    digits = text.strip(b'"')
    if len(digits) > LONGEST_NUMBER:
        return None
    whole, point, part = digits.partition(b".")
    if whole.lstrip(b"-").isdigit() and len(part) <= 3 and (not point or part.isdigit()):
        value = int(whole) * 1000
        fraction = int(part.ljust(3, b"0")) if part else 0
        exact = value - fraction if whole.startswith(b"-") else value + fraction
        return exact if abs(exact) < LATEST else None
    try:
        number = Decimal(digits.decode("ascii")) * 1000
    except (ArithmeticError, UnicodeDecodeError):
        # decimal's own errors are arithmetic ones: no number, or one beyond all bounds
        return None
    # 1e999999999 is finite too, and no memory holds its digits
    return int(number.to_integral_value()) if number.is_finite() and abs(number) < LATEST else None


def _whole(value: float | str | None) -> int | None:
    if isinstance(value, str):
        digits = value.removeprefix("-")
        return int(value) if digits.isascii() and digits.isdigit() and len(digits) < LONGEST_NUMBER else None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value
