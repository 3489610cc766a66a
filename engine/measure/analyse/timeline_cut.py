"""What of a timeline is drawn at once: the bars of a stretch of time, the shortest merged if there are many.

A bar joins the one before it in its lane where both of them and the space between are shorter than a
threshold that leaves at most `MOST_DRAWN` bars. Such bars are far below a pixel while the whole stretch is in
view; zoomed in, the picture asks for a smaller stretch. As bytes, numbers little-endian:

    4 bytes   length of the head
    head      JSON {"start", "end", "bars", "merged", "lanes": [[first, end] per lane, rows in order]},
              padded to a multiple of 8
    columns   of `CUT_COLUMNS`, each padded to a multiple of 8
"""

from __future__ import annotations

import json
import struct
import sys
from array import array
from bisect import bisect_right
from collections import Counter

from engine.measure.analyse.timeline import Lane, Timeline

MOST_DRAWN = 150_000
CUT_COLUMNS = {"start": "d", "duration": "d", "name": "I", "link": "i", "count": "I", "kind": "B"}
"""As in the timeline; `link` counts in the cut; `count` is how many bars were merged into this one (1: none).
Times as float64: exact up to 2**53 ns, 104 days."""
GPU_WEIGHT = 4
"""Work of the GPU is merged last: by so many binary places its times count for more."""


def cut(timeline: Timeline, start: int, end: int, most: int = MOST_DRAWN) -> bytes:
    """The bars that touch the time from `start` to `end` (ns since the origin), as described above."""
    stretches: list[tuple[range, bool]] = []
    for row in timeline.rows:
        for lane in row.lanes:
            stretches.append((_within(timeline, lane, start, end), row.side == "gpu"))
    total = sum(len(bars) for bars, _ in stretches)
    threshold = 0 if total <= most else _threshold(timeline, stretches, most)
    columns = {name: array(kind) for name, kind in CUT_COLUMNS.items()}
    lanes = []
    new_number: list[tuple[int, int]] = []
    for bars, gpu in stretches:
        first = len(columns["start"])
        new_number.append((bars.start, first))
        limit = threshold >> GPU_WEIGHT if gpu else threshold
        if limit and bars:
            _merge(timeline, bars, limit, columns)
        else:
            _copy(timeline, bars, columns)
        lanes.append([first, len(columns["start"])])
    drawn = len(columns["start"])
    if threshold:
        _link_by_time(timeline, columns)
    else:
        _link_by_number(columns, stretches, new_number)
    head = {"start": start, "end": end, "bars": drawn, "merged": total - drawn, "lanes": lanes}
    text = json.dumps(head).encode()
    text += b" " * (-(len(text) + 4) % 8)
    parts = [struct.pack("<I", len(text)), text]
    for column in columns.values():
        if sys.byteorder == "big":
            column.byteswap()
        parts += [column.tobytes(), bytes(-len(column) * column.itemsize % 8)]
    return b"".join(parts)


def _within(timeline: Timeline, lane: Lane, start: int, end: int) -> range:
    return timeline.within(lane, start, end + 1)


def _threshold(timeline: Timeline, stretches: list[tuple[range, bool]], most: int) -> int:
    """The least power of two below which joining leaves at most `most` bars."""
    starts, durations = timeline.bars["start"], timeline.bars["duration"]
    lasting: Counter[int] = Counter()
    for bars, gpu in stretches:
        weight = GPU_WEIGHT if gpu else 0
        ended, length_before = None, 0
        for bar in bars:
            start, length = starts[bar], durations[bar]
            if ended is not None:
                lasting[max(length, length_before, start - ended).bit_length() + weight] += 1
            ended, length_before = start + length, length
    left = sum(1 for bars, _ in stretches if bars)
    for places in sorted(lasting, reverse=True):
        left += lasting[places]
        if left > most:
            return 1 << places
    return 1


def _copy(timeline: Timeline, bars: range, columns: dict[str, array[int]]) -> None:
    for name in ("start", "duration", "name", "link", "kind"):
        columns[name].extend(timeline.bars[name][bars.start : bars.stop])
    columns["count"].extend([1] * len(bars))


def _merge(timeline: Timeline, bars: range, limit: int, columns: dict[str, array[int]]) -> None:
    starts, durations, names, links, kinds = (
        timeline.bars[name] for name in ("start", "duration", "name", "link", "kind")
    )
    begin = end = longest = count = -1
    length_before = 0

    def close() -> None:
        if count > 0:
            columns["start"].append(begin)
            columns["duration"].append(end - begin)
            columns["name"].append(names[longest])
            columns["link"].append(links[longest] if count == 1 else -1)
            columns["kind"].append(kinds[longest])
            columns["count"].append(count)

    for bar in bars:
        start, length = starts[bar], durations[bar]
        if count > 0 and length < limit and length_before < limit and start - end < limit:
            count += 1
            if length > durations[longest]:
                longest = bar
        else:
            close()
            begin, longest, count = start, bar, 1
        end, length_before = start + length, length
    close()


def _link_by_number(
    columns: dict[str, array[int]], stretches: list[tuple[range, bool]], new_number: list[tuple[int, int]]
) -> None:
    """Launches by their numbers in the cut; -1 where they lie outside of it."""
    olds = [old for old, _ in new_number]
    links = columns["link"]
    for at, link in enumerate(links):
        if link >= 0:
            lane = bisect_right(olds, link) - 1
            # lanes without bars here may begin at the same number
            while lane >= 0 and link not in stretches[lane][0] and olds[lane] == link:
                lane -= 1
            bars = stretches[lane][0]
            links[at] = new_number[lane][1] + link - bars.start if lane >= 0 and link in bars else -1


def _link_by_time(timeline: Timeline, columns: dict[str, array[int]]) -> None:
    """As above where bars were merged: a launch that went into a merged bar has no number of its own."""
    starts, names = timeline.bars["start"], timeline.bars["name"]
    alone = {
        (int(start), name): at
        for at, (start, name, count) in enumerate(
            zip(columns["start"], columns["name"], columns["count"], strict=True)
        )
        if count == 1
    }
    links = columns["link"]
    for at, link in enumerate(links):
        if link >= 0:
            links[at] = alone.get((starts[link], names[link]), -1)
