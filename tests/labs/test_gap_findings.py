"""What the gaps by batch and width are said to mean."""

from __future__ import annotations

from dataclasses import replace

import pytest

from labs.kit.decode_trace import DuringGaps, Waiting
from labs.kit.faster_gpu import Replayed
from labs.kit.gap_findings import (
    Point,
    of_batches,
    of_faster_gpu,
    of_gaps,
    of_kernels,
    of_one,
    of_widths,
    short_name,
)
from labs.kit.parts import KernelTime

ONE = Point(
    size=1, ms=30.0, profiled_ms=51.0, cpu_ms=29.0, busy_ms=1.5, kernels=946, launches=946, gap_us=40.0
)


def test_a_step_that_waits_is_overhead_bound_by_the_unprofiled_clock() -> None:
    found = {finding.code: finding.args for finding in of_one(ONE)}
    assert set(found) == {"overhead_bound", "profiler_widens_gaps"}
    assert found["overhead_bound"]["busy"] == pytest.approx(5)
    assert found["overhead_bound"]["launch_us"] == pytest.approx(29_000 / 946)
    assert found["profiler_widens_gaps"]["times"] == pytest.approx(1.7)


def test_a_full_gpu_sets_the_pace() -> None:
    assert [finding.code for finding in of_one(replace(ONE, busy_ms=29.0, profiled_ms=30.0))] == ["gpu_paces"]


def test_the_first_batch_that_fills_the_gpu_closes_the_gap() -> None:
    points = [ONE, replace(ONE, size=32, busy_ms=3.0), replace(ONE, size=512, ms=40.0, busy_ms=39.0)]
    found = {finding.code: finding.args for finding in of_batches(points, None)}
    assert set(found) == {"batch_fills_gaps", "gap_closes_at_batch"}
    assert found["gap_closes_at_batch"]["batch"] == 512
    assert found["batch_fills_gaps"]["busy_after"] == pytest.approx(10)


@pytest.mark.parametrize("stopped", ["memory", "time", "size"])
def test_a_gap_that_stays_open_says_why_the_lab_stopped(stopped: str) -> None:
    points = [ONE, replace(ONE, size=32, busy_ms=1.4)]
    assert [finding.code for finding in of_batches(points, stopped)] == [
        "batch_fills_nothing",
        f"gap_open_{stopped}",
    ]


def test_a_gpu_that_fell_behind_with_short_gaps_left_no_longer_waits() -> None:
    points = [ONE, replace(ONE, size=2048, busy_ms=27.0)]
    assert [finding.code for finding in of_batches(points, None)] == ["no_waiting_left"]
    assert [finding.code for finding in of_widths(points, None)] == ["no_waiting_at_width"]


def test_the_width_at_which_the_gap_closes_is_named() -> None:
    (found,) = of_widths([replace(ONE, size=2048), replace(ONE, size=8192, busy_ms=30.0)], None)
    assert (found.code, found.args["width"], found.args["from_width"]) == ("gap_closes_at_width", 8192, 2048)
    (found,) = of_widths([replace(ONE, size=4096)], "memory")
    assert found.code == "width_open_memory"


def test_a_prediction_is_withheld_where_the_replay_misses_what_was_measured() -> None:
    (found,) = of_faster_gpu(ONE, Replayed(30.0, 0.05), Replayed(29.5, 0.025), 2.0)
    assert found.code == "faster_gpu_waits"
    (found,) = of_faster_gpu(ONE, Replayed(30.0, 0.05), Replayed(16.0, 0.05), 2.0)
    assert found.code == "faster_gpu_gains"
    (found,) = of_faster_gpu(ONE, Replayed(30.0, 0.08), Replayed(29.5, 0.04), 2.0)
    assert found.code == "replay_off"


def test_the_operator_waited_for_is_the_first_that_is_known() -> None:
    waiting = [Waiting("", "", 0.5), Waiting("aten::linear", "cudaLaunchKernel", 0.3)]
    found = {f.code: f.args for f in of_gaps(DuringGaps(driver=0.1, dispatcher=0.3, python=0.6), waiting)}
    assert found["waited_for"]["operator"] == "aten::linear"
    assert found["during_gaps"]["python"] == pytest.approx(60)
    assert list(of_gaps(None, [])) == []


def test_the_slowest_kernel_is_named_with_its_parts() -> None:
    kernels = [
        KernelTime("void gemv<float, 3>(args)", 44, 80_000, (("mlp.up_proj", 50_000), ("lm_head", 30_000))),
        KernelTime("add", 10, 20_000, (("layer", 20_000),)),
    ]
    (found,) = of_kernels(kernels, steps=2)
    assert found.args == {"kernel": "gemv", "share": 80.0, "parts": "mlp.up_proj, lm_head", "us": 40.0}
    assert list(of_kernels([], steps=2)) == []


def test_a_kernels_name_loses_its_template_arguments() -> None:
    assert short_name("void at::native::elementwise<2>(int, f)") == "at::native::elementwise"
