"""What is drawn of a snapshot: few points that keep the curve's shape, and a map without overlaps."""

from __future__ import annotations

import itertools
import pickle
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from engine.measure.analyse.memory import DeviceMemory, analyse_snapshot
from engine.measure.analyse.memory_picture import (
    EARLIER,
    OTHERS,
    RESERVED,
    extremes,
    segment_map,
    timeline_by_call,
)
from tests.measure.analyse.allocator import MIB, Allocator, stack
from tests.measure.analyse.workloads import fragmented, server
from tests.real_files import real_file


def device(folder: Path, snapshot: dict[str, Any]) -> DeviceMemory:
    path = folder / "snapshot.pickle"
    path.write_bytes(pickle.dumps(snapshot))
    return analyse_snapshot(path).devices[0]


def totals(memory: DeviceMemory, points: int) -> dict[int, int]:
    found: dict[int, int] = defaultdict(int)
    for level in timeline_by_call(memory, points=points):
        if level.call != RESERVED:
            found[level.at] += level.bytes
    return found


@pytest.mark.parametrize("points", [10, 60, 100_000])
def test_the_calls_add_up_to_the_curve_at_every_point_drawn(tmp_path: Path, points: int) -> None:
    memory = device(tmp_path, server(2, leak=1.0))
    drawn = totals(memory, points)
    assert drawn == {at: memory.timeline.allocated[at] for at in drawn}
    assert len(drawn) <= min(points + 2, len(memory.timeline.allocated))
    assert {0, len(memory.timeline.allocated) - 1} <= set(drawn)


def test_the_curve_of_a_real_snapshot_keeps_its_peak() -> None:
    (memory,) = analyse_snapshot(real_file("memory/cs336_medium_1024_inference.pickle")).devices
    drawn = totals(memory, 100)
    assert max(drawn.values()) == memory.timeline.peak
    assert drawn[len(memory.timeline.allocated) - 1] == memory.timeline.end


def test_teeth_stay_teeth_in_a_small_picture() -> None:
    curve = ([0] * 30 + [100] * 30) * 10
    kept = [curve[at] for at in extremes(curve, 40)]
    falls = sum(before == 100 and after == 0 for before, after in itertools.pairwise(kept))
    assert falls == 9


def test_the_levels_name_the_calls_and_what_was_there_before(tmp_path: Path) -> None:
    memory = Allocator()
    memory.alloc(5 * MIB, stack("early.py", 1, "load"))
    memory.record()
    for line in range(10, 17):
        memory.alloc(line * MIB, stack("late.py", line, "grow"))
    levels = timeline_by_call(device(tmp_path, memory.snapshot()), calls=3)
    last = {level.call: level.bytes for level in levels if level.at == max(one.at for one in levels)}
    assert last["server/late.py:16 grow"] == 16 * MIB
    assert last.pop(RESERVED) >= sum(last.values())
    assert set(last) == {*(f"server/late.py:{n} grow" for n in (14, 15, 16)), OTHERS}
    assert last[OTHERS] == (5 + 10 + 11 + 12 + 13) * MIB
    every = timeline_by_call(device(tmp_path, memory.snapshot()), calls=9)
    assert {level.bytes for level in every if level.call == EARLIER} == {5 * MIB}


@pytest.mark.parametrize("width", [None, 2 * MIB, 20 * MIB, 7 * MIB + 512])
def test_the_map_covers_each_line_once(tmp_path: Path, width: int | None) -> None:
    memory = device(tmp_path, fragmented(3))
    pieces = segment_map(memory, width=width, lines=100_000)
    lines: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for piece in pieces:
        lines[piece.line].append((piece.offset, piece.offset + piece.size))
    for parts in lines.values():
        assert parts[0][0] == 0
        assert all(end == start for (_, end), (start, _) in itertools.pairwise(parts))
    assert sum(piece.size for piece in pieces) == memory.reserved
    assert sum(piece.size for piece in pieces if not piece.call) == memory.free


def test_the_map_shows_as_many_lines_as_wanted(tmp_path: Path) -> None:
    memory = device(tmp_path, fragmented(3))
    assert {piece.line for piece in segment_map(memory, width=20 * MIB, lines=5)} == set(range(5))
    assert segment_map(device(tmp_path, {"segments": [], "device_traces": [[]]} | no_blocks())) == []


def test_segments_that_one_block_fills_can_be_left_out(tmp_path: Path) -> None:
    memory = Allocator()
    memory.record()
    memory.alloc(64 * MIB, stack("model.py", 12, "load"))
    memory.alloc(3 * MIB, stack("cache.py", 39, "append"))
    loaded = device(tmp_path, memory.snapshot())
    assert {piece.call for piece in segment_map(loaded)} == {
        "server/model.py:12 load",
        "server/cache.py:39 append",
        "",
    }
    assert {piece.call for piece in segment_map(loaded, filled=False)} == {"server/cache.py:39 append", ""}


def no_blocks() -> dict[str, Any]:
    """A device that is known only by an event."""
    event = {"action": "snapshot", "addr": 0, "size": 0, "frames": []}
    return {"device_traces": [[event]]}


def test_parts_of_an_expandable_range_are_one_with_a_gap_between_them(tmp_path: Path) -> None:
    def part(at: int, size: int) -> dict[str, Any]:
        block = {
            "address": at * MIB,
            "size": size * MIB,
            "requested_size": size * MIB,
            "state": "active_allocated",
            "frames": stack("chat.py", 7, "grow"),
        }
        return {
            "device": 0,
            "address": at * MIB,
            "total_size": size * MIB,
            "segment_type": "large",
            "is_expandable": True,
            "blocks": [block],
        }

    snapshot = {"segments": [part(4096, 20), part(4156, 40)], "device_traces": [[]]}
    pieces = segment_map(device(tmp_path, snapshot), width=50 * MIB, lines=9)
    shown = [(piece.line, piece.segment, piece.offset // MIB, piece.size // MIB) for piece in pieces]
    assert shown == [(0, 0, 0, 20), (1, 0, 10, 40)]
