"""The timeline's file: what is drawn, what it links, what it leaves out, and how it opens."""

from __future__ import annotations

import json
import random
import struct
from pathlib import Path
from typing import Any

import pytest

from engine.measure.analyse import timeline_build
from engine.measure.analyse.errors import UnreadableFile
from engine.measure.analyse.gap_story import gap_story
from engine.measure.analyse.timeline import Timeline, read_timeline, write_timeline
from engine.measure.analyse.timeline_cut import CUT_COLUMNS, cut
from engine.measure.analyse.trace import analyse_trace
from engine.measure.analyse.trace_reading import read_chrome_trace
from tests.measure.analyse.mutations import mutated, replaced
from tests.measure.analyse.samples import trace as sample_trace
from tests.real_files import real_file


def cpu(
    cat: str, name: str, ts: float, dur: float, correlation: int | None = None, tid: int = 9
) -> dict[str, Any]:
    args = {} if correlation is None else {"correlation": correlation}
    return {"ph": "X", "cat": cat, "name": name, "pid": 9, "tid": tid, "ts": ts, "dur": dur, "args": args}


def kernel(ts: float, dur: float, correlation: int, name: str = "k", stream: int = 7) -> dict[str, Any]:
    args = {"device": 0, "stream": stream, "correlation": correlation}
    return {
        "ph": "X",
        "cat": "kernel",
        "name": name,
        "pid": 0,
        "tid": stream,
        "ts": ts,
        "dur": dur,
        "args": args,
    }


def timeline_of(folder: Path, events: list[dict[str, Any]]) -> Timeline:
    path = folder / "trace.json"
    path.write_text(json.dumps({"traceEvents": events}), encoding="utf-8")
    write_timeline(read_chrome_trace(path), folder / "timeline.bin")
    return read_timeline(folder / "timeline.bin")


def columns_of(content: bytes) -> tuple[dict[str, Any], dict[str, memoryview]]:
    """A cut as the browser reads it."""
    (length,) = struct.unpack("<I", content[:4])
    head = json.loads(content[4 : 4 + length])
    at, columns = 4 + length, {}
    for name, kind in CUT_COLUMNS.items():
        size = head["bars"] * struct.calcsize(kind)
        columns[name] = memoryview(content[at : at + size]).cast(kind)  # type: ignore[call-overload]
        at += size + -size % 8
    assert at == len(content)
    return head, columns


def test_calls_lie_in_the_lane_below_the_operator_that_they_were_made_in(tmp_path: Path) -> None:
    timeline = timeline_of(
        tmp_path,
        [
            cpu("cpu_op", "aten::linear", 100, 40),
            cpu("cpu_op", "aten::addmm", 105, 30),
            cpu("cuda_runtime", "cudaLaunchKernel", 110, 5, 1),
            kernel(130, 10, 1),
        ],
    )
    thread, stream = timeline.rows
    assert (thread.side, thread.thread, thread.launches) == ("cpu", ("9", "9"), 1)
    assert [[timeline.name_of(bar) for bar in range(lane.first, lane.end)] for lane in thread.lanes] == [
        ["aten::linear"],
        ["aten::addmm"],
        ["cudaLaunchKernel"],
    ]
    assert (stream.side, stream.device, stream.stream) == ("gpu", 0, "7")
    (work,) = range(stream.first, stream.end)
    assert timeline.name_of(timeline.bars["link"][work]) == "cudaLaunchKernel"
    assert timeline.origin_ns == 100_000
    assert (timeline.bars["start"][work], timeline.bars["duration"][work]) == (30_000, 10_000)


def test_the_profilers_steps_and_named_ranges_lie_above_the_operators(tmp_path: Path) -> None:
    events = [
        cpu("cpu_op", "aten::add", 0, 50),
        cpu("user_annotation", "decode", 0, 50),
        cpu("user_annotation", "ProfilerStep#3", 0, 50),
    ]
    (thread,) = timeline_of(tmp_path, events).rows
    timeline = read_timeline(tmp_path / "timeline.bin")
    names = [timeline.name_of(lane.first) for lane in thread.lanes]
    assert names == ["ProfilerStep#3", "decode", "aten::add"]


def test_the_thread_that_launches_most_comes_first(tmp_path: Path) -> None:
    events = [cpu("cpu_op", "idle", n * 10, 5, tid=1) for n in range(9)]
    events += [cpu("cuda_runtime", "cudaLaunchKernel", 200, 2, 1, tid=2), kernel(210, 5, 1)]
    assert [row.thread for row in timeline_of(tmp_path, events).rows if row.thread] == [
        ("9", "2"),
        ("9", "1"),
    ]


def test_work_that_overlaps_within_one_stream_takes_a_lane_of_its_own(tmp_path: Path) -> None:
    timeline = timeline_of(tmp_path, [kernel(0, 10, 1), kernel(5, 10, 2), kernel(20, 5, 3)])
    (stream,) = timeline.rows
    assert [lane.end - lane.first for lane in stream.lanes] == [2, 1]


def test_an_event_far_from_all_others_is_left_out_and_counted(tmp_path: Path) -> None:
    events = [
        cpu("cpu_op", "clock at zero", 0, 1),
        cpu("cpu_op", "aten::add", 9e12, 5),
        kernel(9e12 + 9, 5, 1),
    ]
    timeline = timeline_of(tmp_path, events)
    assert timeline.left_out == {"far": 1}
    assert timeline.span_ns == 14_000


def test_what_is_beyond_the_bounds_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for bound, value in {"MOST_THREADS": 2, "MOST_STREAMS": 1, "MOST_DEPTH": 2, "MOST_GAPS": 1}.items():
        monkeypatch.setattr(timeline_build, bound, value)
    events = [cpu("cpu_op", "a", 0, 30, tid=tid) for tid in range(4)]
    events += [cpu("cpu_op", "b", 1, 20, tid=0), cpu("cpu_op", "c", 2, 10, tid=0)]
    events += [kernel(0, 5, 1), kernel(10, 5, 2), kernel(20, 5, 3), kernel(22, 1, 4, stream=8)]
    timeline = timeline_of(tmp_path, events)
    assert timeline.left_out == {"threads": 2, "streams": 1, "depth": 1, "gaps": 1}
    assert timeline.gap_count == 1
    (device,) = timeline.devices
    assert (device.gaps, device.gap_ns) == (2, 10_000)


def test_a_trace_without_events_that_count_gives_an_empty_timeline(tmp_path: Path) -> None:
    timeline = timeline_of(tmp_path, [])
    assert (timeline.bar_count, timeline.gap_count, timeline.rows, timeline.span_ns) == (0, 0, (), 0)


def test_no_broken_trace_that_can_be_read_brings_its_timeline_down(tmp_path: Path) -> None:
    rng = random.Random(11)
    path, drawn = tmp_path / "trace.json", 0
    for number in range(150):
        path.write_bytes((mutated if number % 2 else replaced)(sample_trace(), rng))
        try:
            trace = read_chrome_trace(path)
        except UnreadableFile:
            continue
        write_timeline(trace, tmp_path / "timeline.bin")
        timeline = read_timeline(tmp_path / "timeline.bin")
        assert [gap_story(timeline, gap).gap for gap in timeline.longest] == timeline.longest
        columns_of(timeline.overview)
        drawn += 1
    assert drawn > 100


def test_times_at_both_ends_of_the_clock_have_no_room_and_are_counted(tmp_path: Path) -> None:
    timeline = timeline_of(tmp_path, [kernel(-9e15, 1, 1), kernel(9e15, 1, 2), kernel(-8e15, 1, 3)])
    assert timeline.left_out == {"far": 1}
    assert timeline.bar_count == 2


@pytest.mark.parametrize("size", [0, 5, 30, 300])
def test_a_timeline_that_was_cut_off_is_refused_in_words(tmp_path: Path, size: int) -> None:
    path = tmp_path / "trace.json"
    path.write_bytes(sample_trace())
    whole = tmp_path / "timeline.bin"
    write_timeline(read_chrome_trace(path), whole)
    cut_off = tmp_path / "cut_off.bin"
    cut_off.write_bytes(whole.read_bytes()[:size])
    with pytest.raises(UnreadableFile, match=r"cut_off\.bin"):
        read_timeline(cut_off)


def test_a_cut_within_the_bound_keeps_every_bar_and_its_launch(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_bytes(sample_trace())
    write_timeline(read_chrome_trace(path), tmp_path / "timeline.bin")
    timeline = read_timeline(tmp_path / "timeline.bin")
    head, bars = columns_of(timeline.overview)
    assert (head["bars"], head["merged"]) == (60, 0)
    first, end = head["lanes"][-1]
    for bar in range(first, end):
        launch = bars["link"][bar]
        assert timeline.names[bars["name"][launch]] == "cudaLaunchKernel"
        assert bars["start"][bar] - bars["start"][launch] == 7_000

    # the sixth step alone: its launch has another number there
    head, bars = columns_of(cut(timeline, 250_000, 275_000))
    assert [timeline.names[name] for name in bars["name"]] == ["aten::linear", "cudaLaunchKernel", "k"]
    assert list(bars["link"]) == [-1, -1, 1]
    # and the same kernel without its launch
    _, bars = columns_of(cut(timeline, 264_000, 275_000))
    assert list(bars["link"])[-1] == -1


def test_a_cut_beyond_the_bound_merges_the_shortest_and_counts_them(tmp_path: Path) -> None:
    events = [cpu("cpu_op", f"short {n}", n * 2, 1) for n in range(500)]
    events += [cpu("cpu_op", "long", 2000 + n * 200, 150) for n in range(5)] + [kernel(0, 1, 1)]
    timeline = timeline_of(tmp_path, events)
    head, bars = columns_of(cut(timeline, 0, timeline.span_ns, most=20))
    assert head["bars"] <= 20
    assert head["merged"] == 506 - head["bars"]
    counts = dict(zip([timeline.names[name] for name in bars["name"]], bars["count"], strict=True))
    assert counts["short 0"] == 500
    assert counts["long"] == 1
    assert (bars["start"][0], bars["duration"][0]) == (0, 999_000)


@pytest.mark.parametrize("name", ["resnet50_num_workers_0.worker0.pt.trace.json.gz", "mi250_rocm62.json.gz"])
def test_the_gaps_are_those_of_the_analysis_and_wait_for_the_same(tmp_path: Path, name: str) -> None:
    path = real_file(f"traces/{name}")
    write_timeline(read_chrome_trace(path), tmp_path / "timeline.bin")
    timeline = read_timeline(tmp_path / "timeline.bin")
    for device in analyse_trace(path).to_json()["devices"]:
        (extent,) = [each for each in timeline.devices if each.device == device["device"]]
        assert (extent.gaps, extent.gap_ns / 1e3) == (device["gaps"]["count"], device["gaps"]["total_us"])
        for listed in device["gaps"]["longest"]:
            gap = timeline.find_gap(device["device"], listed["start_us"], listed["duration_us"])
            assert gap is not None
            story = gap_story(timeline, gap)
            assert (story.operators[:1] or (None,))[0] == listed["cpu_op"]
            assert story.call == listed["runtime_call"]
            operator = timeline.gaps["operator"][gap]
            assert (timeline.names[operator] if operator >= 0 else None) == listed["cpu_op"]
