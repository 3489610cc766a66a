"""Reads a window of torch's profiler as if Nsight Systems had recorded it, so that one reader serves both.

torch's profiler stands on CUPTI, as nsys does: it records each kernel of a CUDA graph (nsys' `node`), the
calls of the CUDA runtime and driver, copies with their sizes, and ranges named by `record_function` in place
of NVTX.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from engine.measure.analyse.chrome_trace import CALL_CATEGORIES, GPU_KINDS
from engine.measure.analyse.contents import read_contents
from engine.measure.analyse.errors import UnreadableFile
from engine.measure.analyse.nsys_capture import Call, Capture, NvtxRange, Work
from engine.measure.analyse.trace_times import nanoseconds

_RANGES = "user_annotation"
_DIRECTIONS = ("HtoD", "DtoH", "DtoD", "PtoP")


class _Event(msgspec.Struct):
    ph: str = ""
    cat: str | None = None
    name: Any = ""
    tid: int | float | str | None = None
    ts: msgspec.Raw = msgspec.Raw()
    dur: msgspec.Raw = msgspec.Raw()
    args: dict[str, Any] | None = None


class _File(msgspec.Struct):
    traceEvents: list[_Event]


def read_torch_window(path: Path) -> Capture:
    """The trace that torch's profiler left at `path`. Raises UnreadableFile."""
    try:
        events = msgspec.json.decode(read_contents(path), type=_File).traceEvents
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UnreadableFile(f"{path.name}: this is no trace of torch's profiler: {error}.") from error
    work: list[Work] = []
    calls: list[Call] = []
    ranges: list[NvtxRange] = []
    skipped = 0
    for event in events:
        category = (event.cat or "").lower()
        kind = GPU_KINDS.get(category)
        if event.ph != "X" or not (kind or category in CALL_CATEGORIES or category == _RANGES):
            continue
        start, length = nanoseconds(bytes(event.ts)), nanoseconds(bytes(event.dur))
        if start is None or length is None or length < 0:
            skipped += 1
            continue
        args = event.args or {}
        if kind:
            work.append(_work(kind, event, args, start, start + length))
        elif category == _RANGES:
            ranges.append(NvtxRange(str(event.name), start, start + length))
        else:
            correlation = _whole(args.get("correlation"))
            calls.append(Call(str(event.name), str(event.tid), start, start + length, correlation))
    # torch's trace doesn't mark a graph's kernels, but they share the correlation of the graph's launch
    launched = {call.correlation for call in calls if call.is_graph_launch and call.correlation is not None}
    work = [replace(item, in_graph=item.in_graph or item.correlation in launched) for item in work]
    work.sort(key=lambda w: (w.start, w.end))
    calls.sort(key=lambda c: (c.start, -c.end))
    ranges.sort(key=lambda r: (r.start, -r.end))
    return Capture(tuple(work), tuple(calls), tuple(ranges), {}, skipped)


def _work(kind: str, event: _Event, args: dict[str, Any], start: int, end: int) -> Work:
    name = str(event.name)
    way = next((way for way in _DIRECTIONS if way in name), "other")
    return Work(
        kind=kind,
        name=name,
        device=_whole(args.get("device")) or 0,
        stream=str(args.get("stream", event.tid)),
        start=start,
        end=end,
        correlation=_whole(args.get("correlation")),
        bytes=_whole(args.get("bytes")),
        direction=way if kind == "copy" else None,
        in_graph=bool(_whole(args.get("graph node id"))),
    )


def _whole(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
