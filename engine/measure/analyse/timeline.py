"""A trace's timeline in a file of its own: what is drawn, and what a gap's story is read from.

The file is written once, beside the analysis, and mapped afterwards: a page opens it in milliseconds whatever
the trace's size. Layout, all numbers little-endian:

    8 bytes   magic `BCTIME01`
    8 bytes   length of the header
    header    JSON, see `_header`; padded to a multiple of 8
    arrays    each padded to a multiple of 8, in the order of `BAR_COLUMNS` and `GAP_COLUMNS`
    overview  what is drawn while all of it is in view (`timeline_cut`)

Bars lie lane by lane, in order of start within a lane; no two bars of a lane overlap. All instants are
nanoseconds since `origin_ns`, the trace's own instant at which its drawn part begins.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from engine.measure.analyse.chrome_trace import ChromeTrace
from engine.measure.analyse.contents import unreadable
from engine.measure.analyse.errors import UnreadableFile

MAGIC = b"BCTIME01"
SCHEMA = 1
KERNEL, COPY, SET, OPERATOR, CALL, RANGE = range(6)
"""What a bar is, as it stands in the column `kind`."""
GPU_KINDS = (KERNEL, COPY, SET)
BAR_COLUMNS = {"start": "q", "duration": "q", "name": "I", "link": "i", "kind": "B"}
"""Column and its type (module `array`). `name` counts in the names, `link` is the bar of the call that
launched this work, -1 where the file holds none."""
GAP_COLUMNS = {"start": "q", "duration": "q", "device": "i", "after": "i", "operator": "i", "call": "i"}
"""`device` counts in the devices, `after` is the bar of the work that ended the gap; `operator` (the
outermost around the launch) and `call` count in the names, -1: not known."""

Columns = dict[str, "memoryview[int]"]


@dataclass(frozen=True, slots=True)
class Lane:
    """One line of bars: those with the numbers from `first` up to `end`, which isn't among them."""

    first: int
    end: int


@dataclass(frozen=True, slots=True)
class Row:
    """A CPU thread or a GPU stream. A thread's lanes lie inside one another: operators, calls within them."""

    side: Literal["cpu", "gpu"]
    device: int | None
    stream: str | None
    thread: tuple[str, str] | None
    """Process and thread, as the trace names them."""
    launches: int
    """Of a thread: how many pieces of work it launched."""
    lanes: tuple[Lane, ...]

    @property
    def end(self) -> int:
        return self.lanes[-1].end if self.lanes else 0

    @property
    def first(self) -> int:
        return self.lanes[0].first if self.lanes else 0


@dataclass(frozen=True, slots=True)
class DeviceExtent:
    """When a device works, in nanoseconds since the origin, and its gaps, those that aren't listed too."""

    device: int
    start: int
    end: int
    gaps: int
    gap_ns: int


class Timeline:
    """An open timeline. Its columns are views of the file: numbers are read where they are needed."""

    def __init__(self, header: dict[str, Any], bars: Columns, gaps: Columns, overview: bytes = b"") -> None:
        self.origin_ns: int = header["origin_ns"]
        self.span_ns: int = header["span_ns"]
        self.names: list[str] = header["names"]
        self.left_out: dict[str, int] = header["left_out"]
        """What isn't drawn, by reason (threads, streams, depth, far, names, gaps): how many."""
        self.rows: tuple[Row, ...] = tuple(_row(each) for each in header["rows"])
        self.devices: tuple[DeviceExtent, ...] = tuple(DeviceExtent(**each) for each in header["devices"])
        self.bars = bars
        self.gaps = gaps
        self.overview = overview
        self._row_firsts = [row.first for row in self.rows]

    @property
    def bar_count(self) -> int:
        return len(self.bars["start"])

    @property
    def gap_count(self) -> int:
        """Gaps that are listed: the longest of the trace, in order of start."""
        return len(self.gaps["start"])

    def name_of(self, bar: int) -> str:
        return self.names[self.bars["name"][bar]]

    def row_of(self, bar: int) -> Row:
        """The row that a bar lies in. Raises IndexError for a number that no bar has."""
        if not 0 <= bar < self.bar_count:
            raise IndexError(bar)
        return self.rows[bisect_right(self._row_firsts, bar) - 1]

    @cached_property
    def longest(self) -> list[int]:
        """The numbers of the listed gaps, longest first."""
        length = self.gaps["duration"]
        return sorted(range(self.gap_count), key=lambda gap: -length[gap])

    def within(self, lane: Lane, start: int, end: int) -> range:
        """The bars of a lane that touch the time from `start` to `end`."""
        starts, durations = self.bars["start"], self.bars["duration"]
        first = bisect_right(starts, start, lane.first, lane.end)
        # no two bars of a lane overlap, so only the one before can reach into it
        if first > lane.first and starts[first - 1] + durations[first - 1] > start:
            first -= 1
        return range(first, bisect_left(starts, end, first, lane.end))

    @cached_property
    def ranks(self) -> array[int]:
        """For each listed gap its place among the longest, from 1."""
        ranks = array("I", bytes(4 * self.gap_count))
        for rank, gap in enumerate(self.longest, 1):
            ranks[gap] = rank
        return ranks

    def find_gap(self, device: int, start_us: float, duration_us: float) -> int | None:
        """The gap that an analysis lists: its start counts from the device's first work. None: not listed."""
        place = next((place for place, each in enumerate(self.devices) if each.device == device), None)
        if place is None:
            return None
        extent = self.devices[place]
        start, duration = extent.start + round(start_us * 1000), round(duration_us * 1000)
        at = bisect_left(self.gaps["start"], start - 1)
        while at < self.gap_count and self.gaps["start"][at] <= start + 1:
            if self.gaps["device"][at] == place and abs(self.gaps["duration"][at] - duration) <= 1:
                return at
            at += 1
        return None


def bars_around(timeline: Timeline, bar: int, *kinds: int) -> list[int]:
    """The bars of those kinds that a bar lies in, outermost first."""
    at = timeline.bars["start"][bar]
    found = []
    for lane in timeline.row_of(bar).lanes:
        if lane.first <= bar < lane.end:
            break
        for outer in timeline.within(lane, at, at + 1):
            if timeline.bars["kind"][outer] in kinds:
                found.append(outer)
    return found


def write_timeline(trace: ChromeTrace, path: Path) -> None:
    """Write the timeline of a trace that was read to `path`; whoever opens it sees all of it or nothing."""
    # what makes it needs what is said above
    from engine.measure.analyse.timeline_build import build
    from engine.measure.analyse.timeline_cut import cut

    built = build(trace)
    overview = cut(built.timeline(), 0, built.header["span_ns"])
    partial = path.with_name(f"{path.name}.part")
    with partial.open("wb") as file:
        header = json.dumps(built.header | {"schema": SCHEMA}, ensure_ascii=False).encode("utf-8", "replace")
        file.write(MAGIC + struct.pack("<Q", len(header)) + header + bytes(-len(header) % 8))
        for column in (*built.bars.values(), *built.gaps.values()):
            if sys.byteorder == "big":
                column.byteswap()
            file.write(memoryview(column).cast("B"))
            file.write(bytes(-len(column) * column.itemsize % 8))
        file.write(overview)
    os.replace(partial, path)


def read_timeline(path: Path) -> Timeline:
    """Open the timeline at `path`. Raises `UnreadableFile` where it is none, cut off, or cannot be opened."""
    try:
        with path.open("rb") as file:
            content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError) as error:  # ValueError: an empty file can't be mapped
        raise unreadable(path, error) from error
    try:
        return _opened(content)
    except (ValueError, KeyError, TypeError, struct.error) as error:
        raise UnreadableFile(
            f"{path.name}: this is no timeline that can be read ({error}). Analyse the trace again."
        ).because("timeline_broken", name=path.name) from error


def _opened(content: memoryview) -> Timeline:
    if bytes(content[:8]) != MAGIC:
        raise ValueError("its beginning is not a timeline's")
    (length,) = struct.unpack("<Q", content[8:16])
    header = json.loads(bytes(content[16 : 16 + length]))
    if header["schema"] != SCHEMA:
        raise ValueError(f"its schema is {header['schema']}")
    at = 16 + length + -length % 8
    columns: list[Columns] = []
    for names, count in ((BAR_COLUMNS, header["bars"]), (GAP_COLUMNS, header["gaps"])):
        found: Columns = {}
        for name, kind in names.items():
            size = count * array(kind).itemsize
            part = content[at : at + size]
            if len(part) < size:
                raise ValueError("it is cut off")
            found[name] = _native(part, kind)
            at += size + -size % 8
        columns.append(found)
    bars, gaps = columns
    return Timeline(header, bars, gaps, bytes(content[at:]))


def _native(part: memoryview, kind: str) -> memoryview[int]:
    if sys.byteorder == "little":
        return part.cast(kind)  # type: ignore[call-overload, no-any-return]
    swapped = array(kind, part.tobytes())
    swapped.byteswap()
    return memoryview(swapped)


def _row(body: dict[str, Any]) -> Row:
    return Row(
        side=body["side"],
        device=body["device"],
        stream=body["stream"],
        thread=tuple(body["thread"]) if body["thread"] else None,
        launches=body["launches"],
        lanes=tuple(Lane(first, end) for first, end in _pairs(body["lanes"])),
    )


def _pairs(flat: Sequence[Sequence[int]]) -> Iterator[tuple[int, int]]:
    for first, end in flat:
        yield int(first), int(end)
