"""The memory diagnosis: exact against a real snapshot, right about programs whose illness is known."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.measure.analyse.memory import MemoryAnalysis, analyse_snapshot
from engine.measure.analyse.snapshot import Frame
from engine.measure.analyse.stacks import own_call, place
from engine.measure.analyse.teeth import climb_of, troughs
from tests.measure.analyse.allocator import MIB, Allocator, OutOfMemory, stack
from tests.measure.analyse.workloads import WORKLOADS, batching, fragmented, server
from tests.real_files import real_file

SEEDS = range(4)


def analysed(folder: Path, snapshot: Any) -> MemoryAnalysis:
    path = folder / "snapshot.pickle"
    path.write_bytes(pickle.dumps(snapshot))
    return analyse_snapshot(path)


def test_the_real_snapshot_gives_its_exact_values() -> None:
    analysis = analyse_snapshot(real_file("memory/cs336_medium_1024_inference.pickle"))
    (device,) = analysis.devices
    line = device.timeline
    assert (device.allocs, device.frees) == (1280, 1280)
    # the recorded allocations alone, from nothing: what the manifest calls the replay
    assert line.peak - line.baseline == 1_175_724_032  # 1,121 MiB
    assert line.end - line.baseline == 0
    assert device.reserved == 3056 * MIB
    assert device.allocated == 1_703_677_952  # 1,625 MiB: active blocks as rounded by the allocator
    assert line.baseline == device.requested == 1_701_711_872  # the same blocks as asked for
    assert device.allocated + device.free == device.reserved
    assert [finding.code for finding in analysis.findings] == ["sawtooth"]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("name", "said", "program"), WORKLOADS, ids=[name for name, _, _ in WORKLOADS])
def test_a_program_is_told_by_its_snapshot_alone(
    tmp_path: Path, name: str, said: str, program: Callable[[int], dict[str, Any]], seed: int
) -> None:
    analysis = analysed(tmp_path, program(seed))
    assert analysis.findings[0].code == said


@pytest.mark.parametrize("seed", SEEDS)
def test_the_line_that_leaks_is_named(tmp_path: Path, seed: int) -> None:
    leak = analysed(tmp_path, server(seed, leak=1.0)).findings[0].args
    assert (leak["file"], leak["line"], leak["function"]) == ("/home/me/server/trace.py", 27, "keep")
    # 40 requests leak a block each; the first quarter of the teeth is warm-up
    assert 25 <= int(str(leak["blocks"])) <= 40


def test_a_line_that_leaks_now_and_then_is_told_from_its_own_healthy_blocks(tmp_path: Path) -> None:
    leak = analysed(tmp_path, batching(3, leak=0.6)).findings[0].args
    assert leak["line"] == 39
    assert leak["block_bytes"] == 256 * 1024


def without(snapshot: dict[str, Any], key: str) -> dict[str, Any]:
    for trace in snapshot["device_traces"]:
        for event in trace:
            event.pop(key, None)
    for segment in snapshot["segments"]:
        for block in segment["blocks"]:
            block.pop(key, None)
    return snapshot


def test_without_stacks_a_leak_is_still_found_by_the_size_of_its_blocks(tmp_path: Path) -> None:
    snapshot = without(batching(1), "frames")
    assert analysed(tmp_path, snapshot).findings[0].code == "sawtooth"
    memory = Allocator()
    memory.record()
    for _ in range(40):
        temporary = memory.alloc(8 * MIB)
        memory.alloc(300_000)
        memory.free(temporary)
    analysis = analysed(tmp_path, without(memory.snapshot(), "frames"))
    assert analysis.findings[0].code == "leak"
    assert analysis.findings[0].args["block_bytes"] == 300_000
    assert analysis.findings[0].args["call"] == ""
    assert "no_stacks" in [warning.code for warning in analysis.warnings]


def test_a_failed_request_is_set_beside_what_lay_free_at_that_instant(tmp_path: Path) -> None:
    memory = Allocator(cap=100 * MIB)
    memory.record()
    kept, freed = [], []
    for _ in range(5):
        freed += [memory.alloc(8 * MIB, stack("a.py", 1, "f")) for _ in range(2)]
        kept.append(memory.alloc(4 * MIB, stack("a.py", 2, "g")))
    for block in freed:
        memory.free(block)
    with pytest.raises(OutOfMemory):
        memory.alloc(32 * MIB, stack("a.py", 3, "h"))
    for block in kept:
        memory.free(block)
    (device,) = analysed(tmp_path, memory.snapshot()).devices
    assert device.failed is not None
    assert device.failed.requested == 32 * MIB
    assert (device.failed.allocated, device.failed.reserved) == (20 * MIB, 100 * MIB)
    assert (device.failed.free, device.failed.largest_free) == (80 * MIB, 16 * MIB)
    # everything was released afterwards: the end says nothing of it any more
    assert device.allocated == 0
    assert device.findings[0].code == "fragmentation"


def test_blocks_from_before_the_recording_are_counted_and_their_release_too(tmp_path: Path) -> None:
    memory = Allocator()
    early = [memory.alloc(5 * MIB) for _ in range(3)]
    memory.record()
    memory.free(early[0])
    memory.free(memory.alloc(3 * MIB))
    memory.alloc(1000)
    line = analysed(tmp_path, memory.snapshot()).devices[0].timeline
    assert line.baseline == 15 * MIB
    assert line.end == 10 * MIB + 1000
    assert line.reserved[0] == 20 * MIB


@pytest.mark.parametrize("code", ["sawtooth", "fragmentation"])
def test_a_snapshot_of_2024_without_times_is_read(tmp_path: Path, code: str) -> None:
    snapshot = without(server(1) if code == "sawtooth" else fragmented(1), "time_us")
    analysis = analysed(tmp_path, snapshot)
    assert analysis.findings[0].code == code
    assert analysis.devices[0].timeline.times_us is None


def test_a_snapshot_of_2021_is_a_bare_list_of_segments(tmp_path: Path) -> None:
    blocks = [{"size": 4 * MIB, "state": "active_allocated"}, {"size": 16 * MIB, "state": "inactive"}]
    segment = {
        "device": 0,
        "address": 1 << 30,
        "total_size": 20 * MIB,
        "allocated_size": 4 * MIB,
        "active_size": 4 * MIB,
        "segment_type": "large",
        "blocks": blocks,
    }
    analysis = analysed(tmp_path, [segment])
    (device,) = analysis.devices
    assert (device.allocated, device.free, device.stranded) == (4 * MIB, 16 * MIB, 16 * MIB)
    assert device.segments[0].blocks[1].address == (1 << 30) + 4 * MIB
    assert analysis.findings[0].args["why"] == "no_history"


def test_a_snapshot_of_2022_keeps_stacks_in_the_history_of_blocks(tmp_path: Path) -> None:
    history = [{"addr": 1, "real_size": 3 * MIB - 5, "frames": stack("old.py", 4, "make")}]
    blocks = [{"size": 3 * MIB, "state": "active_allocated", "history": history}]
    segment = {"device": 0, "address": 4096, "total_size": 3 * MIB, "blocks": blocks}
    (device,) = analysed(tmp_path, {"segments": [segment], "device_traces": []}).devices
    assert device.alive[0].call == "server/old.py:4 make"
    assert device.requested == 3 * MIB - 5


def test_pages_mapped_side_by_side_are_one_piece_of_free_memory(tmp_path: Path) -> None:
    pages = [
        {"action": action, "addr": 4096 * MIB + at * MIB, "size": size * MIB, "stream": 0, "frames": []}
        for action, at, size in (
            ("segment_map", 0, 20),
            ("alloc", 0, 4),
            ("segment_map", 20, 20),
            ("segment_map", 40, 20),
            ("segment_unmap", 40, 20),
        )
    ]
    oom = {"action": "oom", "size": 30 * MIB, "device_free": 0, "stream": 0, "frames": []}
    blocks = [
        {"address": 4096 * MIB, "size": 4 * MIB, "requested_size": 4 * MIB, "state": "active_allocated"},
        {"address": 4100 * MIB, "size": 36 * MIB, "state": "inactive"},
    ]
    segment = {
        "device": 0,
        "address": 4096 * MIB,
        "total_size": 40 * MIB,
        "segment_type": "large",
        "is_expandable": True,
        "blocks": blocks,
    }
    (device,) = analysed(tmp_path, {"segments": [segment], "device_traces": [[*pages, oom]]}).devices
    assert device.timeline.reserved == tuple(n * MIB for n in (0, 20, 20, 40, 60, 40, 40))
    assert device.failed is not None
    assert (device.failed.free, device.failed.largest_free) == (36 * MIB, 36 * MIB)


def test_a_second_device_is_told_apart_from_the_first(tmp_path: Path) -> None:
    first, second = server(0), server(0, leak=1.0)
    for segment in second["segments"]:
        segment["device"] = 1
    both = {
        "segments": first["segments"] + second["segments"],
        "device_traces": first["device_traces"] + second["device_traces"],
    }
    analysis = analysed(tmp_path, both)
    assert [finding.code for finding in analysis.findings] == ["sawtooth", "leak"]
    assert [finding.args["device"] for finding in analysis.findings] == [0, 1]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["??", "/v/site-packages/torch/nn/m.py", "/v/site-packages/vllm/w.py", "/home/me/run.py"], 3),
        (["??", "/v/site-packages/torch/nn/m.py", "/v/site-packages/vllm/w.py", "/u/lib/python3.11/t.py"], 2),
        (["c10.cpp", "/v/site-packages/torch/nn/m.py"], 1),
        (["??", "kernel.cpp"], 0),
        (["C:\\v\\Lib\\site-packages\\torch\\m.py", "C:\\me\\run.py"], 1),
    ],
)
def test_the_call_shown_is_the_innermost_of_the_program_itself(files: list[str], expected: int) -> None:
    calls = tuple(Frame(f"f{n}", file, n) for n, file in enumerate(files))
    assert own_call(calls) == calls[expected]


def test_a_call_is_named_with_the_last_folder_of_its_path() -> None:
    assert place(Frame("forward", "C:\\me\\net\\run.py", 7)) == "net/run.py:7 forward"
    assert place(None) == ""


def test_teeth_are_the_largest_falls_that_repeat() -> None:
    big = [0, 30, 60, 100] + [100, 98] * 3
    curve = big * 10 + [0]
    floors = troughs(curve)
    assert [curve[at] for at in floors] == [0] * 10


def test_noise_around_a_level_floor_is_no_climb() -> None:
    floors = [100 + (n * 7919) % 13 for n in range(60)]
    climb = climb_of(floors)
    assert climb is not None
    assert not climb.steady
    rising = climb_of([floor + 2 * n for n, floor in enumerate(floors)])
    assert rising is not None
    assert rising.steady
    assert rising.per_tooth == pytest.approx(2, rel=0.2)


def test_a_floor_that_rises_and_then_stays_is_no_leak() -> None:
    climb = climb_of([min(n, 20) * 1000 for n in range(60)])
    assert climb is not None
    assert not climb.steady


def test_the_analysis_holds_the_culprits_stack_and_what_is_drawn_of_the_memory(tmp_path: Path) -> None:
    analysis = analysed(tmp_path, server(1, leak=1.0))
    (shown,) = analysis.to_json()["devices"]
    leak = analysis.devices[0].leak
    assert leak is not None
    assert leak.frame is not None
    assert f"{leak.frame.file}:{leak.frame.line} {leak.frame.function}" in shown["leak_stack"]
    assert shown["alive"][0]["stack"]
    last = max(at for at, _, _ in shown["timeline"])
    held = {call: size for at, call, size in shown["timeline"] if at == last}
    assert held.pop("(reserved)") == analysis.devices[0].timeline.reserved[-1]
    assert sum(held.values()) == analysis.devices[0].timeline.end
    assert {len(piece) for piece in shown["segment_map"]} == {5}
    healthy = analysed(tmp_path, server(1)).to_json()["devices"][0]
    assert healthy["leak_stack"] is None
