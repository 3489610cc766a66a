"""What a profile says: union over streams, launches apart from graphs, gaps in between."""

from __future__ import annotations

import pytest

from labs.kit.kernels import Record, gpu_time


def kernel(name: str, start: int, duration: int) -> Record:
    return Record(name, on_gpu=True, start_ns=start, duration_ns=duration)


def call(name: str) -> Record:
    return Record(name, on_gpu=False, start_ns=0, duration_ns=1)


def test_overlapping_kernels_count_once_as_busy() -> None:
    seen = gpu_time([kernel("a", 0, 1000), kernel("b", 500, 1000), kernel("a", 2500, 500)], steps=1)
    assert seen.kernels == 3
    assert seen.busy_ms == pytest.approx(0.002)
    assert seen.wall_ms == pytest.approx(0.003)
    assert seen.busy_ratio == pytest.approx(2 / 3)
    assert seen.gap_p50_us == pytest.approx(1.0)
    name, heaviest_ms = seen.heaviest[0]
    assert name == "a"
    assert heaviest_ms == pytest.approx(0.0015)


def test_copies_are_busy_time_and_no_kernels_and_annotations_are_neither() -> None:
    seen = gpu_time(
        [kernel("Memcpy DtoD", 0, 100), kernel("Memset", 100, 100), kernel("ProfilerStep#3", 0, 10_000)],
        steps=1,
    )
    assert seen.kernels == 0
    assert seen.busy_ms == pytest.approx(0.0002)


def test_graph_launches_and_recordings_are_told_from_kernel_launches() -> None:
    seen = gpu_time(
        [
            call("cudaLaunchKernel"),
            call("cuLaunchKernelEx"),
            call("cudaGraphLaunch"),
            call("cudaStreamBeginCapture"),
            call("cudaMalloc"),
            call("aten::mm"),
        ],
        steps=1,
    )
    assert (seen.launches, seen.graph_launches, seen.captures) == (3, 1, 1)


def test_an_empty_profile_is_empty() -> None:
    seen = gpu_time([], steps=4)
    assert (seen.kernels, seen.busy_ms, seen.wall_ms, seen.busy_ratio) == (0, 0, 0, 0)
