"""Reads a chrome trace as PyTorch's profiler writes it, of 2021 to now, for CUDA and ROCm.

What differs between the years and is evened out here: the case of categories ("Kernel", "kernel"), `tid` as
a number or as "stream 7", times as integers, as decimals beside `baseTimeNanoseconds`, or as absolute
decimals of which a float64 keeps only a quarter of a microsecond. Times are read from the text as it
stands there, so they are exact: integer nanoseconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec

from engine.measure.analyse.contents import read_contents
from engine.measure.analyse.errors import UnreadableFile

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
RANGE_CATEGORIES = frozenset({"user_annotation"})
"""Ranges that the program named itself (`torch.profiler.record_function`)."""
PROFILER_STEP = "ProfilerStep#"
"""Named like an operator in 2021; it spans a whole step and says nothing of who let the GPU wait."""
LAUNCH_WORDS = ("LaunchKernel", "GraphLaunch", "LaunchCooperativeKernel")
LONGEST_NUMBER = 64
"""The most characters of a time that is read as a number."""
LATEST = 1 << 63
"""No time is later, in nanoseconds (the year 2262)."""


@dataclass(frozen=True, slots=True)
class GpuEvent:
    """Work of a GPU. `start` and `end` in nanoseconds; `kind` is kernel, copy or set."""

    kind: str
    name: str
    device: int
    stream: str
    start: int
    end: int
    correlation: int | None


@dataclass(frozen=True, slots=True)
class CpuEvent:
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


class _Args(msgspec.Struct):
    correlation: int | float | str | None = None
    device: int | float | str | None = None
    stream: int | float | str | None = None


class _Event(msgspec.Struct):
    ph: str = ""
    cat: str | None = None
    name: Any = ""
    pid: int | float | str | None = None
    tid: int | float | str | None = None
    ts: msgspec.Raw = msgspec.Raw()
    dur: msgspec.Raw = msgspec.Raw()
    args: _Args | None = None


class _File(msgspec.Struct):
    traceEvents: list[_Event]


def read_chrome_trace(path: Path) -> ChromeTrace:
    """The trace at `path` (.json or .json.gz). Raises `UnreadableFile`."""
    text = read_contents(path)
    try:
        events = (
            msgspec.json.decode(text, type=list[_Event])
            if text.lstrip()[:1] == b"["
            else msgspec.json.decode(text, type=_File).traceEvents
        )
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        # RecursionError: brackets in brackets without end
        raise UnreadableFile(
            f"{path.name}: this is not a chrome trace: {error}. Export it again with "
            "prof.export_chrome_trace(...), or check that the file was copied whole."
        ) from error
    return _sorted_out(events)


def _sorted_out(events: list[_Event]) -> ChromeTrace:
    gpu: list[GpuEvent] = []
    calls: list[CpuEvent] = []
    operators: list[CpuEvent] = []
    ranges: list[CpuEvent] = []
    into_by_category = {
        **dict.fromkeys(CALL_CATEGORIES, calls),
        **dict.fromkeys(OPERATOR_CATEGORIES, operators),
        **dict.fromkeys(RANGE_CATEGORIES, ranges),
    }
    unreadable = 0
    for event in events:
        if event.ph != "X" or event.cat is None:
            continue
        category = event.cat.lower()
        kind = GPU_KINDS.get(category)
        if kind is None and category not in into_by_category:
            continue
        if kind is None and str(event.name).startswith(PROFILER_STEP):
            continue
        start, length = nanoseconds(bytes(event.ts)), nanoseconds(bytes(event.dur))
        if start is None or length is None or length < 0:
            unreadable += 1
            continue
        args = event.args or _Args()
        correlation = _whole(args.correlation)
        if kind is not None:
            device = _whole(args.device if args.device is not None else event.pid)
            gpu.append(
                GpuEvent(
                    kind=kind,
                    name=str(event.name),
                    device=-1 if device is None else device,
                    stream=str(args.stream if args.stream is not None else event.tid),
                    start=start,
                    end=start + length,
                    correlation=correlation,
                )
            )
        else:
            thread = (str(event.pid), str(event.tid))
            into_by_category[category].append(
                CpuEvent(str(event.name), thread, start, start + length, correlation)
            )
    gpu.sort(key=lambda e: (e.start, e.end))
    calls.sort(key=lambda e: (e.start, -e.end))
    operators.sort(key=lambda e: (e.start, -e.end))
    ranges.sort(key=lambda e: (e.start, -e.end))
    return ChromeTrace(len(events), tuple(gpu), tuple(calls), tuple(operators), unreadable, tuple(ranges))


def nanoseconds(text: bytes) -> int | None:
    """Microseconds as they stand in the file, to integer nanoseconds; None where that is no number.

    `ts` and `dur` are microseconds whatever `displayTimeUnit` says; some writers quote them.
    """
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
