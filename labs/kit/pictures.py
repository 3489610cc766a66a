"""The two series that are drawn of a program's memory, and how finely."""

from __future__ import annotations

from collections.abc import Sequence

from engine.measure.analyse.memory import DeviceMemory
from engine.measure.analyse.memory_picture import segment_map, timeline_by_call
from engine.measure.events import Scalar, Series
from labs.kit.memory_plans import SHARED_SEGMENT, long_prompt

POINTS, CALLS, LINES = 90, 4, 24
FEW_POINTS = 40
"""Enough for a plan without teeth."""
SERVERS = ("sawtooth", "leak")


def timeline_series(rows: Sequence[Sequence[Scalar]]) -> Series:
    """What each call has alive over time: an area for each."""
    columns = ["at", "pattern", "allocator", "call", "allocated"]
    return Series("timeline", columns, [list(row) for row in rows], {"allocated": "B"})


def map_series(rows: Sequence[Sequence[Scalar]]) -> Series:
    """Where the blocks lie; an empty call is free memory."""
    columns = ["line", "pattern", "allocator", "segment", "offset", "size", "call"]
    return Series("segment_map", columns, [list(row) for row in rows], {"offset": "B", "size": "B"})


def map_width(pattern: str, cap: int) -> int:
    """Bytes of a line: one segment of PyTorch's own allocator in that pattern."""
    return long_prompt(cap) if pattern == "large_survivors" else SHARED_SEGMENT


def points(pattern: str) -> int:
    """How many instants of a pattern are drawn."""
    return POINTS if pattern in SERVERS else FEW_POINTS


def pictures(memory: DeviceMemory, pattern: str, allocator: str, cap: int) -> list[Series]:
    """Both series of a snapshot's device."""
    levels: list[list[Scalar]] = [
        [level.at, pattern, allocator, level.call, level.bytes]
        for level in timeline_by_call(memory, points=points(pattern), calls=CALLS)
    ]
    pieces: list[list[Scalar]] = [
        [piece.line, pattern, allocator, piece.segment, piece.offset, piece.size, piece.call]
        for piece in segment_map(
            memory, width=map_width(pattern, cap), lines=LINES, filled=pattern not in SERVERS
        )
    ]
    return [timeline_series(levels), map_series(pieces)]
