"""Says of a memory snapshot, from the snapshot alone, whether it shows a healthy sawtooth, a leak or
fragmentation.

- Fragmentation: a request failed although more than it asked for lay free in segments of its kind; or, with
  no failed request, much of the reserved memory is free in many small holes between live blocks (of an
  expandable segment only what shares a page with a live block counts: whole pages can be mapped elsewhere).
- Leak: the bytes alive at the floors of the teeth climb for one call of the program, to the end, and what
  it left alive dates from all over the recording (a rising load leaves only young blocks).
- Sawtooth: teeth without either.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.measure.analyse.leaks import AliveStack, Leak, alive_by_call, find_leak
from engine.measure.analyse.memory_picture import pictures_json
from engine.measure.analyse.replay import (
    Hole,
    Replay,
    Timeline,
    holes_after,
    holes_at_end,
    replay,
)
from engine.measure.analyse.snapshot import (
    ALLOCATED,
    Segment,
    Snapshot,
    Stack,
    TraceEvent,
    read_snapshot,
)
from engine.measure.analyse.teeth import troughs
from engine.measure.events import Finding, Progress, Scalar
from engine.measure.report import Report

FEWEST_TEETH = 4
STRANDED_SHARE = 0.3
"""Without a failed request: from this share of the reserved bytes, free between live blocks, on …"""
STRANDED_HOLES = 8
LARGEST_HOLE = 0.25
"""… in so many holes, of which the largest is no more than this share of the free bytes."""
LARGE_FREE = 0.25
"""Of the reserved bytes: from here on holes count before a leak as what made a request fail."""
LEAST_SWING = 1e-4
"""Of the peak: a curve whose teeth are smaller is flat."""
LISTED = 20
FRAMES = 24
"""The innermost frames of a stack that are shown: allocators and dispatchers make stacks long."""
MIB = 1024 * 1024
SMALL_REQUEST = MIB


@dataclass(frozen=True, slots=True)
class FailedRequest:
    """A request that the allocator could not serve. Bytes, at that instant.

    `free`: free in segments of the request's kind; `largest_free`: the largest piece of it;
    `device_free`: what the driver still had (under a cap it may not be taken).
    """

    event: int
    requested: int
    allocated: int
    reserved: int
    free: int
    largest_free: int
    device_free: int | None
    holes: tuple[Hole, ...]

    @property
    def by_fragmentation(self) -> bool:
        return self.free >= self.requested


@dataclass(frozen=True, slots=True)
class DeviceMemory:
    """One device's memory. Bytes throughout.

    `allocated`: blocks in use at the end, as rounded by the allocator; `requested`: the same as asked for;
    `free`: reserved and not in use; `stranded`: the part of `free` that can't go back to the driver, because
    live blocks share its segment, or its page where segments are expandable.
    """

    device: int
    segments: tuple[Segment, ...]
    replay: Replay
    allocated: int
    requested: int
    reserved: int
    free: int
    stranded: int
    largest_free: int
    allocs: int
    frees: int
    teeth: tuple[int, ...]
    """The events after which the curve is at a floor."""
    alive: tuple[AliveStack, ...]
    failed: FailedRequest | None
    leak: Leak | None
    findings: tuple[Finding, ...]

    @property
    def timeline(self) -> Timeline:
        return self.replay.timeline


@dataclass(frozen=True, slots=True)
class MemoryAnalysis:
    """What the snapshot shows, device by device. Warnings and findings are codes with arguments."""

    devices: tuple[DeviceMemory, ...]
    warnings: tuple[Finding, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for device in self.devices for finding in device.findings)

    def to_json(self) -> dict[str, Any]:
        """What `python -m engine analyse --json` prints; bytes."""
        return {
            "kind": "memory_snapshot",
            "devices": [_device_json(device) for device in self.devices],
            "warnings": [{"code": w.code, "args": w.args} for w in self.warnings],
            "findings": [{"code": f.code, "args": f.args} for f in self.findings],
        }


def analyse_snapshot(path: Path, report: Report | None = None) -> MemoryAnalysis:
    """Reads and analyses the snapshot at `path`. Raises `UnreadableFile`."""
    snapshot = read_snapshot(path, report)
    if report:
        report(Progress(0, 0, "analysing"))
    return analyse(snapshot)


def analyse(snapshot: Snapshot) -> MemoryAnalysis:
    """The analysis of a snapshot that was read."""
    numbers = sorted({s.device for s in snapshot.segments} | {n for n, t in enumerate(snapshot.traces) if t})
    devices = []
    warnings = []
    for number in numbers:
        segments = tuple(s for s in snapshot.segments if s.device == number)
        events = snapshot.traces[number] if number < len(snapshot.traces) else ()
        device = _device(number, segments, events)
        devices.append(device)
        if not events:
            warnings.append(Finding("no_history", {"device": number}))
        elif not any(event.stack for event in events):
            warnings.append(Finding("no_stacks", {"device": number}))
        if device.replay.unmatched:
            warnings.append(Finding("unmatched_frees", {"device": number, "frees": device.replay.unmatched}))
    if not devices:
        warnings.append(Finding("empty_snapshot"))
    return MemoryAnalysis(tuple(devices), tuple(warnings))


def _device(number: int, segments: tuple[Segment, ...], events: tuple[TraceEvent, ...]) -> DeviceMemory:
    played = replay(segments, events)
    holes = holes_at_end(segments)
    blocks = [block for s in segments for block in s.blocks if block.state == ALLOCATED]
    floors = tuple(troughs(played.timeline.allocated))
    failed = _failed_request(played, segments, events)
    leak = find_leak(played, floors)
    reserved = sum(s.size for s in segments)
    memory = DeviceMemory(
        device=number,
        segments=segments,
        replay=played,
        allocated=sum(block.size for block in blocks),
        requested=sum(block.requested for block in blocks),
        reserved=reserved,
        free=sum(hole.size for hole in holes),
        stranded=sum(hole.pinned for hole in holes if not hole.whole),
        largest_free=max((hole.size for hole in holes), default=0),
        allocs=sum(event.action == "alloc" for event in events),
        frees=sum(allocation.died is not None for allocation in played.allocations) + played.unmatched,
        teeth=floors,
        alive=alive_by_call(played),
        failed=failed,
        leak=leak,
        findings=(),
    )
    return _with_findings(memory, holes)


def _failed_request(
    played: Replay, segments: tuple[Segment, ...], events: tuple[TraceEvent, ...]
) -> FailedRequest | None:
    """The last request that failed by fragmentation; failing that, the last that failed."""
    last = None
    for index in reversed([n for n, event in enumerate(events) if event.action == "oom"][-8:]):
        event = events[index]
        fitting = [
            hole
            for hole in holes_after(played, segments, events, index)
            if hole.small is (event.size <= SMALL_REQUEST)
        ]
        request = FailedRequest(
            event=index,
            requested=event.size,
            allocated=played.timeline.allocated[index + 1],
            reserved=played.timeline.reserved[index + 1],
            free=sum(hole.size for hole in fitting),
            largest_free=max((hole.size for hole in fitting), default=0),
            device_free=event.device_free,
            holes=tuple(fitting),
        )
        if request.by_fragmentation:
            return request
        last = last or request
    return last


def _with_findings(memory: DeviceMemory, holes: list[Hole]) -> DeviceMemory:
    found: list[Finding] = []
    failed = memory.failed
    if failed and failed.by_fragmentation:
        found.append(_fragmentation(memory, list(failed.holes), failed))
    elif failed:
        found.append(
            Finding(
                "out_of_memory",
                {
                    "device": memory.device,
                    "requested_bytes": failed.requested,
                    "allocated_bytes": failed.allocated,
                    "reserved_bytes": failed.reserved,
                    "free_bytes": failed.free,
                },
            )
        )
    leak = memory.leak
    if leak:
        # a leak that fills the device leaves holes too: then they are not what ended it
        pieces = failed and failed.by_fragmentation and failed.free >= LARGE_FREE * failed.reserved
        found.insert(1 if pieces else 0, _leak(memory, leak))
    stranded = [hole for hole in holes if not hole.whole and not hole.small and hole.pinned]
    if not found and _is_stranded(stranded, memory.reserved):
        found.append(_fragmentation(memory, stranded, None))
    if not found:
        found.append(_healthy_or_nothing(memory))
    return DeviceMemory(
        **{name: getattr(memory, name) for name in DeviceMemory.__slots__ if name != "findings"},
        findings=tuple(found),
    )


def _is_stranded(holes: list[Hole], reserved: int) -> bool:
    total = sum(hole.pinned for hole in holes)
    return (
        len(holes) >= STRANDED_HOLES
        and total >= STRANDED_SHARE * reserved
        and max(hole.pinned for hole in holes) <= LARGEST_HOLE * total
    )


def _fragmentation(memory: DeviceMemory, holes: list[Hole], failed: FailedRequest | None) -> Finding:
    by_size: dict[int, int] = {}
    for hole in holes:
        size = _about(hole.size)
        by_size[size] = by_size.get(size, 0) + 1
    common = max(by_size, key=lambda size: (size * by_size[size], size))
    args: dict[str, Scalar] = {
        "device": memory.device,
        "free_bytes": sum(hole.size for hole in holes),
        "largest_free_bytes": max(hole.size for hole in holes),
        "holes": len(holes),
        "common_hole_bytes": min(common, max(hole.size for hole in holes)),
        "common_holes": by_size[common],
        "allocated_bytes": failed.allocated if failed else memory.allocated,
        "reserved_bytes": failed.reserved if failed else memory.reserved,
        "segments": len(memory.segments),
    }
    if failed:
        args["requested_bytes"] = failed.requested
    return Finding("fragmentation", args)


def _about(size: int) -> int:
    """Sizes that differ by less than a MiB count as one, from 2 MiB on: programs rarely ask twice for exactly
    the same."""
    return size if size < 2 * MIB else -(-size // MIB) * MIB


def _leak(memory: DeviceMemory, leak: Leak) -> Finding:
    return Finding(
        "leak",
        {
            "device": memory.device,
            "call": leak.call,
            "file": leak.frame.file if leak.frame else None,
            "line": leak.frame.line if leak.frame else None,
            "function": leak.frame.function if leak.frame else None,
            "block_bytes": leak.block_bytes,
            "blocks": leak.blocks,
            "bytes": leak.bytes,
            "bytes_per_tooth": leak.bytes_per_tooth,
            "teeth": len(memory.teeth),
            "p": leak.climb.p,
            "share_of_growth": leak.share_of_growth,
        },
    )


def _healthy_or_nothing(memory: DeviceMemory) -> Finding:
    curve = memory.timeline.allocated
    if len(memory.teeth) < FEWEST_TEETH:
        why = "no_history" if len(curve) == 1 else "few_teeth"
        return Finding("nothing_to_say", {"device": memory.device, "why": why, "teeth": len(memory.teeth)})
    floors = sorted(curve[at] for at in memory.teeth)
    if memory.timeline.peak - floors[0] < LEAST_SWING * memory.timeline.peak:
        return Finding("nothing_to_say", {"device": memory.device, "why": "flat", "teeth": len(floors)})
    return Finding(
        "sawtooth",
        {
            "device": memory.device,
            "teeth": len(floors),
            "floor_bytes": floors[len(floors) // 2],
            "peak_bytes": memory.timeline.peak,
            "baseline_bytes": memory.timeline.baseline,
            "end_bytes": memory.timeline.end,
        },
    )


def _device_json(memory: DeviceMemory) -> dict[str, Any]:
    line = memory.timeline
    failed = memory.failed
    return {
        "device": memory.device,
        "allocated_bytes": memory.allocated,
        "requested_bytes": memory.requested,
        "reserved_bytes": memory.reserved,
        "free_bytes": memory.free,
        "stranded_bytes": memory.stranded,
        "largest_free_bytes": memory.largest_free,
        "segments": len(memory.segments),
        "recorded": {
            "allocs": memory.allocs,
            "frees": memory.frees,
            "baseline_bytes": line.baseline,
            "peak_bytes": line.peak,
            "end_bytes": line.end,
            "peak_over_baseline_bytes": line.peak - line.baseline,
            "end_over_baseline_bytes": line.end - line.baseline,
            "teeth": len(memory.teeth),
        },
        "failed_request": failed
        and {
            "requested_bytes": failed.requested,
            "allocated_bytes": failed.allocated,
            "reserved_bytes": failed.reserved,
            "free_bytes": failed.free,
            "largest_free_bytes": failed.largest_free,
            "device_free_bytes": failed.device_free,
        },
        "alive": [
            {
                "call": alive.call,
                "bytes": alive.bytes,
                "blocks": alive.blocks,
                "stack": _frames(alive.stack),
            }
            for alive in memory.alive[:LISTED]
        ],
        "leak_stack": _frames(memory.leak.stack) if memory.leak else None,
        **pictures_json(memory),
    }


def _frames(stack: Stack) -> list[str]:
    """The stack as lines, the innermost first."""
    return [f"{frame.file}:{frame.line} {frame.function}" for frame in stack[:FRAMES]]
