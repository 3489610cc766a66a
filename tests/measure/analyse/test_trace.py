"""The trace analyser against real traces, to the nanosecond, and against small ones made here."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.measure.analyse.errors import UnreadableFile
from engine.measure.analyse.timeline_build import build
from engine.measure.analyse.trace_file import analyse_trace
from engine.measure.analyse.trace_reading import read_chrome_trace
from engine.measure.analyse.trace_times import nanoseconds
from tests.real_files import expected, real_file


@pytest.mark.parametrize("name", sorted(expected()) or ["traces/triton_example.json.gz"])
def test_a_real_trace_gives_the_exact_values(name: str) -> None:
    path = real_file(name)
    truth = expected()[name]
    assert read_chrome_trace(path).events == truth["events"]
    found = [
        {
            "device": device.device,
            "kernels": device.kernels,
            "copies": device.copies,
            "sets": device.sets,
            "wall_ns": device.wall_ns,
            "busy_ns": device.busy_ns,
            "busy_ratio": round(device.busy_ratio, 6),
            "launch_recorded": device.launch_recorded
            and {
                "events": device.launch_recorded.events,
                "wall_ns": device.launch_recorded.wall_ns,
                "busy_ns": device.launch_recorded.busy_ns,
            },
        }
        for device in analyse_trace(path).devices
    ]
    assert found == truth["devices"]


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        (b"1712195495519689.047", 1712195495519689047),
        (b"3", 3000),
        (b"0.5", 500),
        (b'"12.25"', 12250),
        (b"-1.5", -1500),
        (b"1e3", 1000000),
        (b"2.0004", 2000),
        (b"inf", None),
        (b"null", None),
        (b"", None),
    ],
)
def test_microseconds_are_read_exactly(text: bytes, ns: int | None) -> None:
    assert nanoseconds(text) == ns


def kernel(ts: float, dur: float, correlation: int, stream: int = 7) -> dict[str, Any]:
    args = {"device": 0, "stream": stream, "correlation": correlation}
    return {
        "ph": "X",
        "cat": "kernel",
        "name": "k",
        "pid": 0,
        "tid": stream,
        "ts": ts,
        "dur": dur,
        "args": args,
    }


def cpu(cat: str, name: str, ts: float, dur: float, correlation: int | None = None) -> dict[str, Any]:
    args = {} if correlation is None else {"correlation": correlation}
    return {"ph": "X", "cat": cat, "name": name, "pid": 9, "tid": 9, "ts": ts, "dur": dur, "args": args}


def written(folder: Path, events: list[dict[str, Any]]) -> Path:
    path = folder / "trace.json"
    path.write_text(json.dumps({"traceEvents": events}), encoding="utf-8")
    return path


def test_a_gap_names_the_operator_whose_launch_the_gpu_waited_for(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        [
            cpu("cpu_op", "aten::linear", 0, 40),
            cpu("cpu_op", "aten::addmm", 5, 30),
            cpu("cuda_runtime", "cudaLaunchKernel", 10, 5, 1),
            cpu("cpu_op", "aten::silu", 50, 20),
            cpu("cuda_runtime", "cudaLaunchKernel", 55, 5, 2),
            kernel(16, 10, 1),
            kernel(61, 10, 2),
        ],
    )
    shown = analyse_trace(path).to_json()
    (device,) = shown["devices"]
    assert device["busy_us"] == 20
    assert device["wall_us"] == 55
    assert device["gaps"]["longest"] == [
        {
            "start_us": 10.0,
            "duration_us": 35.0,
            "cpu_op": "aten::silu",
            "inner_op": "aten::silu",
            "runtime_call": "cudaLaunchKernel",
            "cpu_during": None,
            "kernel_before": "k",
            "kernel_after": "k",
        }
    ]
    assert shown["findings"][0]["code"] == "overhead_bound"
    assert shown["findings"][0]["args"]["cpu_op"] == "aten::silu"


def test_ranges_that_the_program_named_are_kept_apart_from_operators(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        [
            cpu("user_annotation", "part:mlp", 0, 50),
            cpu("cpu_op", "aten::silu", 5, 20),
            cpu("cuda_runtime", "cudaLaunchKernel", 10, 5, 1),
            kernel(16, 10, 1),
            kernel(40, 10, 2),
        ],
    )
    trace = read_chrome_trace(path)
    assert [(mark.name, mark.start, mark.end) for mark in trace.ranges] == [("part:mlp", 0, 50_000)]
    assert [operator.name for operator in trace.operators] == ["aten::silu"]
    (device,) = analyse_trace(path).devices
    assert [gap.cpu_op for gap in device.gaps] == [None]


SINCE_1970 = 1_669_783_687_464_181


@pytest.mark.parametrize("write", [int, lambda time: time + 0.25, str], ids=["whole", "decimal", "text"])
def test_times_since_1970_are_counted_from_the_first_one_and_told_by_the_files_own_clock(
    tmp_path: Path, write: Callable[[int], Any]
) -> None:
    events = [cpu("cuda_runtime", "cudaLaunchKernel", 100, 5, 1), kernel(90, 4, 7), kernel(120, 10, 1)]
    early = written(tmp_path, events)
    shown, timeline = analyse_trace(early).to_json(), build(read_chrome_trace(early))
    for event in events:
        event["ts"] = write(SINCE_1970 + event["ts"])
    late = written(tmp_path, events)
    trace = read_chrome_trace(late)
    assert trace.origin_ns == (SINCE_1970 + 100) * 1000
    assert (trace.calls[0].start, trace.gpu[0].start) == pytest.approx((0, -10_000), abs=250)
    shift = trace.calls[0].start - 100_000 + trace.origin_ns
    shown["devices"][0]["start_ns"] += shift
    of_late = analyse_trace(late).to_json()
    assert (of_late["devices"], of_late["findings"]) == (shown["devices"], shown["findings"])
    timeline.header["origin_ns"] += shift
    assert build(trace) == timeline


def test_overlapping_streams_count_once(tmp_path: Path) -> None:
    path = written(tmp_path, [kernel(0, 10, 1), kernel(5, 10, 2, stream=8), kernel(20, 5, 3)])
    (device,) = analyse_trace(path).devices
    assert (device.busy_ns, device.wall_ns, device.streams) == (20_000, 25_000, 2)
    assert [gap.duration_ns for gap in device.gaps] == [5_000]


def test_a_trace_without_gpu_events_is_not_called_idle(tmp_path: Path) -> None:
    shown = analyse_trace(written(tmp_path, [cpu("cpu_op", "aten::add", 0, 1)]))
    assert shown.devices == ()
    assert [warning.code for warning in shown.warnings] == ["no_gpu_events"]


def test_launches_without_kernels_are_said_to_be_lost_records(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        [cpu("cuda_runtime", "cudaLaunchKernel", 0, 1, c) for c in (1, 2, 3)] + [kernel(5, 1, 1)],
    )
    warnings = {warning.code: warning.args for warning in analyse_trace(path).warnings}
    assert warnings["lost_records"] == {"missing": 2, "launches": 3}


@pytest.mark.parametrize("content", [b"", b"{", b'{"events": []}', b"\x1f\x8b\x08\x00truncated", b"\xff\xfe"])
def test_a_file_that_is_no_trace_is_refused_in_words(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match=r"broken\.json"):
        analyse_trace(path)


def test_a_truncated_archive_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "cut.json.gz"
    path.write_bytes(gzip.compress(b'{"traceEvents": []}' * 1000)[:-20])
    with pytest.raises(UnreadableFile, match=r"cut\.json\.gz"):
        analyse_trace(path)
