"""What is drawn of a memory snapshot: the bytes alive over time by the call that took them, and where the
blocks lie in their segments.

Both are made small enough for a chart, a recorded result or a message: a few hundred rows each.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.measure.analyse.snapshot import Segment, Stack
from engine.measure.analyse.stacks import own_call, place

if TYPE_CHECKING:
    from engine.measure.analyse.memory import DeviceMemory

EARLIER = "(before the recording)"
OTHERS = "(other calls)"
NO_STACK = "(no stack)"
RESERVED = "(reserved)"
"""Stands for a call in the timeline: what the allocator holds, used or not."""


@dataclass(frozen=True, slots=True)
class Level:
    """What one call has alive after event `at`. Bytes."""

    at: int
    call: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A block on a line of the map. `offset` (from the line's beginning) and `size` in bytes.

    `call` is empty where the memory is free. A segment longer than a line goes on in the next one.
    """

    line: int
    segment: int
    offset: int
    size: int
    call: str


def pictures_json(memory: DeviceMemory) -> dict[str, Any]:
    """Both pictures as `python -m engine analyse --json` writes them: rows of [at, call, bytes] and of
    [line, segment, offset, size, call]."""
    return {
        "timeline": [[level.at, level.call, level.bytes] for level in timeline_by_call(memory)],
        "segment_map": [
            [piece.line, piece.segment, piece.offset, piece.size, piece.call] for piece in segment_map(memory)
        ],
    }


def timeline_by_call(memory: DeviceMemory, *, points: int = 120, calls: int = 5) -> list[Level]:
    """The curve of allocated bytes at about `points` instants, split by the `calls` that hold most.

    Of each stretch between two instants its lowest and its highest point are kept, so that teeth stay teeth.
    Levels of 0 are listed too: an area is drawn from them. The reserved bytes come last, as `RESERVED`.
    """
    at = extremes(memory.timeline.allocated, points)
    names: dict[int, str] = {}
    held: dict[str, list[int]] = defaultdict(lambda: [0] * (len(at) + 1))
    for block in memory.replay.allocations:
        name = EARLIER if block.born < 0 else _name(block.stack, names)
        # the state at position t of the curve is the one after event t - 1
        held[name][bisect_left(at, block.born + 1)] += block.size
        if block.died is not None:
            held[name][bisect_left(at, block.died + 1)] -= block.size
    levels: dict[str, list[int]] = {}
    for name, changes in held.items():
        total, line = 0, []
        for change in changes[:-1]:
            total += change
            line.append(total)
        levels[name] = line
    largest = sorted(levels, key=lambda name: (-max(levels[name], default=0), name))
    shown = _merged(levels, largest, calls)
    shown[RESERVED] = [memory.timeline.reserved[instant] for instant in at]
    return [
        Level(instant, name, line[place]) for name, line in shown.items() for place, instant in enumerate(at)
    ]


def _merged(levels: dict[str, list[int]], largest: Sequence[str], calls: int) -> dict[str, list[int]]:
    shown = {name: levels[name] for name in largest[:calls]}
    rest = [levels[name] for name in largest[calls:]]
    if rest:
        shown[OTHERS] = [sum(column) for column in zip(*rest, strict=True)]
    return shown


def extremes(curve: Sequence[int], points: int) -> list[int]:
    """About `points` positions of the curve: the lowest and the highest of each stretch, first and last."""
    if len(curve) <= points:
        return list(range(len(curve)))
    stretches = max(1, points // 2)
    kept = {0, len(curve) - 1}
    for number in range(stretches):
        start, end = len(curve) * number // stretches, len(curve) * (number + 1) // stretches
        positions = range(start, end)
        kept.add(min(positions, key=curve.__getitem__))
        kept.add(max(positions, key=curve.__getitem__))
    return sorted(kept)


def segment_map(
    memory: DeviceMemory, *, width: int | None = None, lines: int = 32, filled: bool = True
) -> list[Piece]:
    """The first `lines` lines of the reserved memory, each at most `width` bytes of one segment.

    `filled` False leaves out the segments that one block fills: there is nothing to see in them. Without a
    `width`: such that all segments fit, or else the longest segment is one line. Expandable memory is one
    range with parts that are not there: those stay blank.
    """
    wanted = [segment for segment in memory.segments if filled or not _is_filled(segment)]
    segments = _joined(wanted)
    if not segments:
        return []
    if width is None:
        total = sum(end - start for start, end, _ in segments)
        longest = max(end - start for start, end, _ in segments)
        width = longest if len(segments) > 1 else max(1, -(-total // lines))
    names: dict[int, str] = {}
    pieces: list[Piece] = []
    line = 0
    for number, (start, end, parts) in enumerate(segments):
        for first in range(start, end, width):
            if line == lines:
                return pieces
            pieces += [
                Piece(line, number, max(low, first) - first, min(high, first + width) - max(low, first), call)
                for low, high, call in _blocks(parts, names, first, first + width)
            ]
            line += 1
    return pieces


def _is_filled(segment: Segment) -> bool:
    return len(segment.blocks) == 1 and segment.blocks[0].state.startswith("active")


def _joined(segments: Sequence[Segment]) -> list[tuple[int, int, list[Segment]]]:
    """Start, end and segments; the parts of an expandable range (with gaps of up to its length) are one."""
    found: list[tuple[int, int, list[Segment]]] = []
    for segment in sorted(segments, key=lambda one: one.address):
        end = segment.address + segment.size
        if segment.expandable and found and _goes_on(found[-1], segment):
            start, _, parts = found[-1]
            found[-1] = (start, end, [*parts, segment])
        else:
            found.append((segment.address, end, [segment]))
    return found


def _goes_on(before: tuple[int, int, list[Segment]], segment: Segment) -> bool:
    last = before[2][-1]
    gap = segment.address - before[1]
    return last.expandable and last.kind == segment.kind and gap < 1 << 34


def _blocks(
    parts: Sequence[Segment], names: dict[int, str], first: int, end: int
) -> list[tuple[int, int, str]]:
    """Start, end and call of the blocks that reach into [first, end)."""
    starts = [part.address for part in parts]
    found = []
    for part in parts[max(0, bisect_right(starts, first) - 1) : bisect_left(starts, end)]:
        for block in part.blocks:
            if block.address < end and first < block.address + block.size:
                call = _name(block.stack, names) if block.state.startswith("active") else ""
                found.append((block.address, block.address + block.size, call))
    return found


def _name(stack: Stack, names: dict[int, str]) -> str:
    name = names.get(id(stack))
    if name is None:
        name = names[id(stack)] = place(own_call(stack)) or NO_STACK
    return name
