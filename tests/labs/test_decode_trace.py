"""What the labs read in a trace: gaps by length and by what the CPU did, kernels by part of the model."""

from __future__ import annotations

from pathlib import Path

import pytest

from labs.kit.decode_trace import NoGpuEvents, during_gaps, gap_classes, read_trace, waited_for
from labs.kit.faster_gpu import Replay
from labs.kit.parts import OUTSIDE, kernels_by_part, part_name, time_by_part
from tests.labs.traces import kernel, launch, operator, part, written


def test_a_step_is_the_share_of_its_trace(tmp_path: Path) -> None:
    path = written(
        tmp_path, *(launch(40 * i, 4, i) for i in range(4)), *(kernel(40 * i + 5, 10, i) for i in range(4))
    )
    seen = read_trace(path, steps=2)
    assert (seen.kernels_per_step, seen.launches_per_step) == (2, 2)
    assert seen.busy_ms == pytest.approx(0.020)
    assert seen.wall_ms == pytest.approx(0.065)
    assert seen.gap_ms == pytest.approx(0.045)
    assert seen.gap_us(0.5) == 30
    assert seen.launch_us == 4


def test_a_trace_without_gpu_events_is_no_idle_gpu(tmp_path: Path) -> None:
    with pytest.raises(NoGpuEvents):
        read_trace(written(tmp_path, launch(0, 4, 1), operator("aten::add", 0, 5)), steps=1)


def test_gap_time_is_parted_into_driver_dispatcher_and_python(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        launch(0, 4, 1),
        kernel(5, 5, 1),
        # the gap from 10 to 50: Python until 30, an operator from 30, its launch from 40 to 44
        operator("aten::silu", 30, 20),
        launch(40, 4, 2),
        kernel(50, 5, 2),
    )
    seen = read_trace(path, steps=1)
    during = during_gaps(seen)
    assert during is not None
    assert during.python == pytest.approx(20 / 40)
    assert during.driver == pytest.approx(4 / 40)
    assert during.dispatcher == pytest.approx(16 / 40)
    (waiting,) = waited_for(seen.device.gaps)
    assert (waiting.operator, waiting.call, waiting.share) == ("aten::silu", "cudaLaunchKernel", 1.0)


def test_gaps_are_counted_by_length(tmp_path: Path) -> None:
    starts = (0, 11, 32, 53)  # gaps of 1, 11, 11 µs after kernels of 10 µs
    path = written(tmp_path, *(kernel(start, 10, number) for number, start in enumerate(starts)))
    found = {one.up_to_us: one for one in gap_classes(read_trace(path, 1).device.gaps)}
    assert found[2.5].share == pytest.approx(1 / 3)
    assert found[20.0].share == pytest.approx(2 / 3)
    assert found[20.0].share_of_time == pytest.approx(22 / 23)
    assert sum(one.share for one in found.values()) == pytest.approx(1)
    assert sum(one.share_of_time for one in found.values()) == pytest.approx(1)
    assert gap_classes([]) == []


def test_kernels_belong_to_the_innermost_part_that_launched_them(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        part("model", 0, 100),
        part("layer", 10, 60),
        part("mlp.up_proj", 20, 10),
        launch(22, 2, 1),
        part("mlp.down_proj", 40, 10),
        launch(42, 2, 2),
        launch(60, 2, 3),
        launch(80, 2, 4),
        launch(120, 2, 5),
        kernel(30, 10, 1, "gemv"),
        kernel(50, 20, 2, "gemv"),
        kernel(70, 3, 3, "add"),
        kernel(90, 2, 4, "add"),
        kernel(125, 1, 5, "argmax"),
    )
    trace = read_trace(path, 1).trace
    assert [(k.name, k.count, k.ns) for k in kernels_by_part(trace)] == [
        ("gemv", 2, 30_000),
        ("add", 2, 5_000),
        ("argmax", 1, 1_000),
    ]
    assert kernels_by_part(trace)[0].parts == (("mlp.down_proj", 20_000), ("mlp.up_proj", 10_000))
    assert time_by_part(trace) == [
        ("mlp.down_proj", 1, 20_000),
        ("mlp.up_proj", 1, 10_000),
        ("layer", 1, 3_000),
        ("model", 1, 2_000),
        (OUTSIDE, 1, 1_000),
    ]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("model.layers.3.mlp.up_proj", "mlp.up_proj"),
        ("model.layers.11", "layer"),
        ("model.embed_tokens", "embed_tokens"),
        ("lm_head", "lm_head"),
        ("", "model"),
    ],
)
def test_a_part_has_no_layer_number(path: str, name: str) -> None:
    assert part_name(path) == name


def test_a_faster_gpu_waits_longer_where_the_cpu_sets_the_pace(tmp_path: Path) -> None:
    # a launch every 40 µs under the profiler, every 20 µs without it; kernels of 5 µs
    events = [e for i in range(100) for e in (launch(40 * i, 4, i), kernel(40 * i + 6, 5, i))]
    replay = Replay(read_trace(written(tmp_path, *events), 1).trace, 1, step_ms=(99 * 20 + 5) / 1e3)
    same, faster = replay.at(1), replay.at(2)
    assert same.ms == pytest.approx(1.985, rel=1e-3)
    assert same.busy_ratio == pytest.approx(500 / 1985, rel=1e-3)
    assert faster.ms == pytest.approx(1.9825, rel=1e-3)
    assert faster.busy_ratio == pytest.approx(250 / 1982.5, rel=1e-3)


def test_a_faster_gpu_halves_a_step_whose_kernels_queue(tmp_path: Path) -> None:
    events = [e for i in range(50) for e in (launch(2 * i, 1, i), kernel(3 + 100 * i, 100, i))]
    replay = Replay(read_trace(written(tmp_path, *events), 1).trace, 1, step_ms=5.0)
    assert replay.at(1).ms == pytest.approx(5.0, rel=1e-2)
    assert replay.at(2).ms == pytest.approx(2.5, rel=1e-2)
    assert replay.at(2).busy_ratio == pytest.approx(1, rel=1e-2)
