"""Why the GPU waited: one small trace for each reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.measure.analyse.gap_story import Done, GapStory, gap_story
from tests.measure.analyse.test_timeline import cpu, kernel, timeline_of

FIRST = [cpu("cuda_runtime", "cudaLaunchKernel", 0, 5, 1), kernel(10, 10, 1, "first")]
"""The gap begins at 20 µs and ends at 100."""


def launched(at: float, dur: float = 5) -> list[dict[str, Any]]:
    return [cpu("cuda_runtime", "cudaLaunchKernel", at, dur, 2), kernel(100, 10, 2, "second")]


def story_of(folder: Path, events: list[dict[str, Any]]) -> GapStory:
    timeline = timeline_of(folder, events)
    return gap_story(timeline, timeline.longest[0])


def test_a_thread_busy_with_operators_is_overhead(tmp_path: Path) -> None:
    story = story_of(
        tmp_path,
        [
            *FIRST,
            cpu("user_annotation", "decode", 0, 100),
            cpu("user_annotation", "ProfilerStep#3", 0, 90),
            cpu("cpu_op", "aten::linear", 8, 82),
            cpu("cpu_op", "aten::addmm", 30, 60),
            *launched(80),
        ],
    )
    assert story == GapStory(
        gap=0,
        rank=1,
        device=0,
        start_ns=20_000,
        duration_ns=80_000,
        share=1.0,
        reason="overhead",
        before="first",
        after="second",
        call="cudaLaunchKernel",
        launch_ns=60_000,
        call_ns=5_000,
        thread=("9", "9"),
        operators=("aten::linear", "aten::addmm"),
        range="decode",
        did=(Done("aten::linear", 70_000),),
        launching_ns=5_000,
        outside_ns=10_000,
    )


@pytest.mark.parametrize(
    ("meanwhile", "reason"),
    [
        ([cpu("cuda_runtime", "cudaStreamSynchronize", 7, 15)], "sync"),
        ([cpu("cuda_runtime", "cudaMemcpyAsync", 7, 15)], "sync"),
        # called when the GPU had nothing left to do: it held nothing up
        ([cpu("cuda_runtime", "cudaStreamSynchronize", 30, 1)], "python"),
        ([cpu("cpu_op", "enumerate(DataLoader)#_SingleProcess.__next__", 25, 50)], "data"),
        ([cpu("cpu_op", "aten::empty", 25, 50), cpu("cuda_runtime", "cudaMalloc", 26, 48)], "call"),
        ([cpu("cpu_op", "aten::unflatten_dense_tensors", 25, 50)], "work"),
        # it launched a copy: dispatching, not work of the CPU's own
        ([cpu("cpu_op", "aten::to", 25, 50), cpu("cuda_runtime", "cudaMemcpyAsync", 70, 3)], "overhead"),
        ([cpu("cpu_op", "aten::silu", 25, 10)], "python"),
        ([cpu("cpu_op", "aten::silu", 25, 10, tid=77)], "python"),
    ],
)
def test_what_the_launching_thread_did_tells_the_reason(
    tmp_path: Path, meanwhile: list[dict[str, Any]], reason: str
) -> None:
    assert story_of(tmp_path, [*FIRST, *meanwhile, *launched(90)]).reason == reason


def test_the_operator_that_kept_the_cpu_to_itself_is_named_with_its_time(tmp_path: Path) -> None:
    events = [*FIRST, cpu("cpu_op", "aten::sort", 15, 70), cpu("cpu_op", "aten::mm", 88, 10), *launched(90)]
    assert story_of(tmp_path, events).worked == Done("aten::sort", 65_000)


def test_the_wait_that_drained_the_queue_is_named(tmp_path: Path) -> None:
    story = story_of(tmp_path, [*FIRST, cpu("cuda_runtime", "cudaStreamSynchronize", 7, 15), *launched(90)])
    assert story.waited == Done("cudaStreamSynchronize", 15_000)


def test_a_launch_that_took_the_whole_gap_is_named(tmp_path: Path) -> None:
    events = [*FIRST, cpu("cuda_runtime", "cudaLaunchKernel", 30, 900, 2), kernel(950, 10, 2)]
    story = story_of(tmp_path, events)
    assert (story.reason, story.held_up) == ("call", Done("cudaLaunchKernel", 900_000))


def test_work_that_was_launched_before_the_gap_did_not_wait_for_the_cpu(tmp_path: Path) -> None:
    story = story_of(tmp_path, [*FIRST, *launched(12)])
    assert (story.reason, story.launch_ns) == ("queued", -8_000)


def test_a_gap_between_two_kernels_of_one_graph_is_told_as_such(tmp_path: Path) -> None:
    events = [cpu("cuda_runtime", "cudaGraphLaunch", 0, 5, 1), kernel(10, 10, 1), kernel(24, 10, 1)]
    story = story_of(tmp_path, events)
    assert (story.reason, story.duration_ns) == ("graph", 4_000)


def test_a_launch_that_the_file_does_not_hold_is_not_guessed_at(tmp_path: Path) -> None:
    story = story_of(tmp_path, [*FIRST, kernel(100, 10, 2, "second")])
    assert (story.reason, story.call, story.did) == ("unknown", None, ())
    assert (story.before, story.after) == ("first", "second")


def test_a_gap_that_is_not_there_has_no_story(tmp_path: Path) -> None:
    with pytest.raises(IndexError):
        gap_story(timeline_of(tmp_path, FIRST), 0)
