"""Sorts a trace's events into the rows and lanes of a timeline, and lists its gaps.

Everything is bounded, and what is left out is counted: threads and streams beyond those that matter most,
calls nested deeper than anyone reads, events whose time lies nowhere near the others'.
"""

from __future__ import annotations

import heapq
from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter
from typing import Any

from engine.measure.analyse.chrome_trace import ChromeTrace, CpuEvent, GpuEvent
from engine.measure.analyse.intervals import gaps_between, length, union
from engine.measure.analyse.timeline import (
    BAR_COLUMNS,
    CALL,
    COPY,
    GAP_COLUMNS,
    KERNEL,
    OPERATOR,
    RANGE,
    SET,
    Timeline,
    bars_around,
)

MOST_THREADS = 24
MOST_STREAMS = 64
MOST_DEPTH = 16
"""Lanes of a thread. Operators of PyTorch nest some eight deep."""
MOST_GAPS = 30_000
"""The longest gaps of the trace are listed one by one."""
MOST_NAMES = 20_000
LONGEST_NAME = 400
"""Characters of a name: a template's instances differ far behind its beginning."""
OTHER_NAMES = "(other names)"
NEAR_NS = 60 * 1_000_000_000
NEAR_WITHOUT_GPU_NS = 3600 * 1_000_000_000
"""An event of the CPU further from the GPU's work than this and than that work's own length isn't drawn: it
stands there by a fault of the recording, and all else would be one pixel wide."""

MOST_SPAN_NS = 1 << 62
"""Times beyond this, 146 years, have no room in the columns: they are a broken file's."""

_GPU_KIND = {"kernel": KERNEL, "copy": COPY, "set": SET}
Ref = tuple[int, int]
"""A bar before its number is known: its lane and its place therein."""


@dataclass(frozen=True, slots=True)
class Built:
    """What a timeline's file holds."""

    header: dict[str, Any]
    bars: dict[str, array[int]]
    gaps: dict[str, array[int]]

    def timeline(self) -> Timeline:
        bars, gaps = (
            {name: memoryview(column) for name, column in columns.items()}
            for columns in (self.bars, self.gaps)
        )
        return Timeline(self.header, bars, gaps)


@dataclass(slots=True)
class _Lane:
    start: array[int] = field(default_factory=lambda: array("q"))
    duration: array[int] = field(default_factory=lambda: array("q"))
    name: array[int] = field(default_factory=lambda: array("I"))
    kind: array[int] = field(default_factory=lambda: array("B"))
    links: list[Ref | None] | None = None
    """Of a GPU lane: the call that launched each bar."""


@dataclass(slots=True)
class _Row:
    side: str
    device: int | None = None
    stream: str | None = None
    thread: tuple[str, str] | None = None
    launches: int = 0
    lanes: list[int] = field(default_factory=list)


def build(trace: ChromeTrace) -> Built:
    """The rows, bars and gaps of a trace: threads above, GPU streams below."""
    return _Builder(trace).built()


class _Builder:
    def __init__(self, trace: ChromeTrace) -> None:
        self._trace = trace
        self._left_out: Counter[str] = Counter()
        self._names: dict[str, int] = {}
        self._lanes: list[_Lane] = []
        self._rows: list[_Row] = []
        self._calls: dict[int | None, CpuEvent] = {
            call.correlation: call for call in trace.calls if call.correlation is not None
        }
        self._place: dict[int, Ref] = {}
        """Correlation -> where its call is drawn."""
        self._low, self._high = _extent(trace)

    def built(self) -> Built:
        self._threads(
            Counter(call.thread for event in self._trace.gpu if (call := self._calls.get(event.correlation)))
        )
        ended_by = self._streams()
        firsts = self._firsts()
        bars = self._bars(firsts)
        devices, found = self._gaps(ended_by, firsts)
        header = {
            "origin_ns": self._trace.origin_ns + self._low,
            "span_ns": min(self._high - self._low, MOST_SPAN_NS),
            "bars": len(bars["start"]),
            "gaps": len(found),
            "names": list(self._names),
            "left_out": {reason: count for reason, count in self._left_out.items() if count},
            "devices": devices,
            "rows": [self._row_header(row, firsts) for row in self._rows],
        }
        return Built(header, bars, _gap_columns(found, header, bars))

    # --- rows ----------------------------------------------------------------------------------------

    def _threads(self, launched: Counter[tuple[str, str]]) -> None:
        """The threads that launch most work first, then those that do most."""
        events: dict[tuple[str, str], list[tuple[CpuEvent, int]]] = defaultdict(list)
        # in this order one that begins and ends with another lies inside of it
        for kind, found in (
            (RANGE, self._trace.steps),
            (RANGE, self._trace.ranges),
            (OPERATOR, self._trace.operators),
            (CALL, self._trace.calls),
        ):
            for event in found:
                if self._near(event.start, event.end):
                    events[event.thread].append((event, kind))
        order = sorted(events, key=lambda thread: (-launched[thread], -len(events[thread]), thread))
        self._left_out["threads"] = max(0, len(order) - MOST_THREADS)
        for thread in order[:MOST_THREADS]:
            row = _Row("cpu", thread=thread, launches=launched[thread])
            inside = events.pop(thread)
            inside.sort(key=lambda pair: (pair[0].start, -pair[0].end))
            self._nest(row, inside)
            self._rows.append(row)

    def _nest(self, row: _Row, events: Iterable[tuple[CpuEvent, int]]) -> None:
        """Runs once for each event of a thread, of which there may be millions: hence all in one place."""
        ends: list[int] = []
        names, calls, low = self._names, self._calls, self._low
        for event, kind in events:
            start, end = event.start, event.end
            while ends and ends[-1] <= start:
                ends.pop()
            depth = len(ends)
            if depth >= MOST_DEPTH:
                self._left_out["depth"] += 1
                continue
            ends.append(end)
            lane = self._lane(row, depth)
            if kind == CALL:
                correlation = event.correlation
                if correlation is not None and calls.get(correlation) is event:
                    self._place[correlation] = (row.lanes[depth], len(lane.start))
            name = names.get(event.name)
            lane.start.append(start - low)
            lane.duration.append(end - start)
            lane.name.append(self._new_name(event.name) if name is None else name)
            lane.kind.append(kind)

    def _streams(self) -> dict[int, dict[int, Ref]]:
        """A row for each stream. Returns, by device and instant, the work that begins there first."""
        by_row: dict[tuple[int, str], _Row] = {}
        ends: dict[tuple[int, str], list[int]] = defaultdict(list)
        first_at: dict[int, dict[int, Ref]] = defaultdict(dict)
        busiest = Counter((event.device, event.stream) for event in self._trace.gpu)
        shown = {key for key, _ in busiest.most_common(MOST_STREAMS)}
        self._left_out["streams"] = len(busiest) - len(shown)
        for event in self._trace.gpu:
            key = (event.device, event.stream)
            if key not in shown or not self._near(event.start, event.end):
                continue
            row = by_row.get(key)
            if row is None:
                row = by_row[key] = _Row("gpu", device=event.device, stream=event.stream)
            # work of one stream follows on itself; where a file says otherwise it takes further lanes
            open_ends = ends[key]
            while open_ends and open_ends[-1] <= event.start:
                open_ends.pop()
            depth = len(open_ends)
            if depth >= MOST_DEPTH:
                self._left_out["depth"] += 1
                continue
            open_ends.append(event.end)
            lane = self._lane(row, depth)
            first_at[event.device].setdefault(event.start, (row.lanes[depth], len(lane.start)))
            name = self._names.get(event.name)
            lane.start.append(event.start - self._low)
            lane.duration.append(event.end - event.start)
            lane.name.append(self._new_name(event.name) if name is None else name)
            lane.kind.append(_GPU_KIND[event.kind])
            if lane.links is None:
                lane.links = []
            lane.links.append(None if event.correlation is None else self._place.get(event.correlation))
        self._rows += [by_row[key] for key in sorted(by_row, key=_in_order)]
        return first_at

    def _lane(self, row: _Row, depth: int) -> _Lane:
        if depth == len(row.lanes):
            row.lanes.append(len(self._lanes))
            self._lanes.append(_Lane())
        return self._lanes[row.lanes[depth]]

    def _new_name(self, name: str) -> int:
        name = name[:LONGEST_NAME]
        if name not in self._names and len(self._names) >= MOST_NAMES:
            self._left_out["names"] += 1
            name = OTHER_NAMES
        return self._names.setdefault(name, len(self._names))

    def _near(self, start: int, end: int) -> bool:
        if start >= self._low and end <= self._high and end - self._low <= MOST_SPAN_NS:
            return True
        self._left_out["far"] += 1
        return False

    # --- numbers -------------------------------------------------------------------------------------

    def _firsts(self) -> list[int]:
        """The number of each lane's first bar: rows in order, their lanes in order."""
        firsts, at = [0] * len(self._lanes), 0
        for row in self._rows:
            for lane in row.lanes:
                firsts[lane] = at
                at += len(self._lanes[lane].start)
        return firsts

    def _bars(self, firsts: list[int]) -> dict[str, array[int]]:
        bars = {name: array(kind) for name, kind in BAR_COLUMNS.items()}
        for row in self._rows:
            for number in row.lanes:
                lane = self._lanes[number]
                bars["start"].extend(lane.start)
                bars["duration"].extend(lane.duration)
                bars["name"].extend(lane.name)
                bars["kind"].extend(lane.kind)
                links = lane.links or [None] * len(lane.start)
                bars["link"].extend(-1 if ref is None else firsts[ref[0]] + ref[1] for ref in links)
        return bars

    def _gaps(
        self, ended_by: dict[int, dict[int, Ref]], firsts: list[int]
    ) -> tuple[list[dict[str, int]], list[tuple[int, int, int, int]]]:
        """The devices; the longest gaps in order: start, duration, the device's place, the bar after it."""
        found: list[tuple[int, int, int, int]] = []
        devices = []
        by_device: dict[int, list[GpuEvent]] = defaultdict(list)
        for event in self._trace.gpu:
            by_device[event.device].append(event)
        for place, (device, events) in enumerate(sorted(by_device.items())):
            merged = union((event.start, event.end) for event in events)
            between = gaps_between(merged)
            devices.append(
                {
                    "device": device,
                    "start": merged[0][0] - self._low,
                    "end": merged[-1][1] - self._low,
                    "gaps": len(between),
                    "gap_ns": length(between),
                }
            )
            for start, end in between:
                if end - self._low > MOST_SPAN_NS:
                    break
                ref = ended_by[device].get(end)
                after = -1 if ref is None else firsts[ref[0]] + ref[1]
                found.append((start - self._low, end - start, place, after))
        self._left_out["gaps"] = max(0, len(found) - MOST_GAPS)
        return devices, sorted(heapq.nlargest(MOST_GAPS, found, key=itemgetter(1)))

    def _row_header(self, row: _Row, firsts: list[int]) -> dict[str, Any]:
        return {
            "side": row.side,
            "device": row.device,
            "stream": row.stream,
            "thread": row.thread,
            "launches": row.launches,
            "lanes": [(firsts[lane], firsts[lane] + len(self._lanes[lane].start)) for lane in row.lanes],
        }


def _gap_columns(
    found: list[tuple[int, int, int, int]], header: dict[str, Any], bars: dict[str, array[int]]
) -> dict[str, array[int]]:
    """The listed gaps with the names of what the GPU waited for."""
    timeline = Built(header, bars, {}).timeline()
    gaps = {name: array(kind) for name, kind in GAP_COLUMNS.items()}
    for gap in found:
        link = bars["link"][gap[3]] if gap[3] >= 0 else -1
        operator = call = -1
        if link >= 0:
            call = bars["name"][link]
            around = bars_around(timeline, link, OPERATOR)
            operator = bars["name"][around[0]] if around else -1
        for column, value in zip(gaps.values(), (*gap, operator, call), strict=True):
            column.append(value)
    return gaps


def _extent(trace: ChromeTrace) -> tuple[int, int]:
    """When what is drawn begins and ends, in the trace's nanoseconds."""
    cpu = [found for found in (trace.steps, trace.ranges, trace.operators, trace.calls) if found]
    if trace.gpu:
        first, last = trace.gpu[0].start, max(trace.gpu, key=attrgetter("end")).end
        reach = max(NEAR_NS, last - first)
    elif cpu:
        most = max(cpu, key=len)
        first = last = most[len(most) // 2].start
        reach = NEAR_WITHOUT_GPU_NS
    else:
        return 0, 0
    lowest, highest = first - reach, last + reach
    low, high = first, last
    for events in cpu:
        begin = bisect_left(events, lowest, key=attrgetter("start"))
        if begin < len(events):
            low = min(low, events[begin].start)
        high = max([high, *(event.end for event in events if event.end <= highest)])
    return low, high


def _in_order(key: tuple[int, str]) -> tuple[int, int, str]:
    """Streams by number, then those whose name is none."""
    device, stream = key
    digits = stream.removeprefix("stream ")
    numbered = digits.isascii() and digits.isdigit() and len(digits) < 10
    return device, int(digits) if numbered else 1 << 40, stream
