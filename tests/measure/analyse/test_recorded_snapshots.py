"""The memory diagnosis against snapshots that were recorded on an H200 (torch 2.11): right about each one.

`record_snapshots.py` made them, in varied sizes and with varied seeds, under both allocators; the name of a
file says what its program does.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.measure.analyse.memory import analyse_snapshot
from engine.measure.analyse.memory_picture import RESERVED, segment_map, timeline_by_call

FILES = sorted((Path(__file__).parent / "snapshots").glob("*.pickle.gz"))
LEAKING = "kit/memory_tensors.py", "remember_result"


def test_thirty_snapshots_are_here() -> None:
    classes = [path.name.split(".")[1] for path in FILES]
    assert sum(name in ("sawtooth", "leak", "fragmentation") for name in classes) >= 30
    assert min(classes.count(name) for name in ("sawtooth", "leak", "fragmentation")) >= 7


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_recorded_snapshot_is_told_for_what_it_is(path: Path) -> None:
    program, expected, *_ = path.name.split(".")
    (device,) = analyse_snapshot(path).devices
    finding = device.findings[0]
    assert finding.code == expected
    if expected == "leak":
        call = str(finding.args["call"])
        assert (call.split(":")[0], call.split()[-1]) == LEAKING
    if "survivors" in program and expected == "fragmentation":
        assert device.failed is not None
        assert device.failed.allocated <= device.failed.reserved / 2
        assert device.failed.largest_free < device.failed.requested < device.failed.free


@pytest.mark.parametrize("path", FILES[::6], ids=lambda path: path.name)
def test_a_recorded_snapshot_is_drawn_from_few_rows(path: Path) -> None:
    (device,) = analyse_snapshot(path).devices
    levels = timeline_by_call(device, points=60, calls=4)
    assert len(levels) <= 62 * 6
    assert max(level.bytes for level in levels if level.call == RESERVED) == max(device.timeline.reserved)
    whole = sum(piece.size for piece in segment_map(device, lines=100_000, width=20 * 2**20) if piece.call)
    assert whole == device.allocated
