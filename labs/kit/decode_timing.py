"""Times a decode loop and makes sure that what was timed is what was meant."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass

import torch

from labs.kit.compiling import compiled_so_far, send_workers_home
from labs.kit.decode import Decoding, run
from labs.kit.kernels import GpuTime, profile
from labs.kit.lab import DeviceType
from labs.kit.timing import Timing, summarise, undisturbed

_STILL_STEPS = 3
_MOST_WARM_UP = 16


class NotAsMeant(Exception):
    """The mode fell back to something else. `code` is a finding's code, `args` its arguments."""

    def __init__(self, code: str, **args: str | int | float) -> None:
        super().__init__(code)
        self.code = code
        self.args_of_finding = args


@dataclass(frozen=True, slots=True)
class LoopTime:
    """Milliseconds of each step in order, and their median with its spread."""

    steps_ms: tuple[float, ...]
    timing: Timing


def warm_up(decoder: Decoding) -> int:
    """Decodes until nothing is compiled or recorded any more; returns the steps it took.

    Raises NotAsMeant where it doesn't come to rest.
    """
    token = decoder.prefill()
    before, still = compiled_so_far(), 0
    for count in range(1, _MOST_WARM_UP + 1):
        token, _ = decoder.step(token)
        now = compiled_so_far()
        still = still + 1 if now == before else 0
        before = now
        if count > _STILL_STEPS and still >= _STILL_STEPS:
            send_workers_home()
            return count
    raise NotAsMeant("keeps_recording", recordings=before.recordings, graphs=before.graphs)


def first_token(decoder: Decoding, device: DeviceType, samples: int) -> Timing:
    """The time from prompt to first token, the CPU waiting for it."""
    times = []
    with undisturbed():
        for _ in range(samples + 1):
            _synchronise(device)
            start = time.perf_counter()
            decoder.prefill()
            _synchronise(device)
            times.append((time.perf_counter() - start) * 1e3)
    return summarise(times[1:], "host")


def time_loop(decoder: Decoding, device: DeviceType, steps: int) -> LoopTime:
    """Decodes `steps` tokens after two that aren't counted, never waiting for the GPU in between.

    Raises NotAsMeant where something was compiled or recorded meanwhile.
    """
    token = run(decoder, decoder.prefill(), 2)
    before = compiled_so_far()
    with undisturbed():
        times = _step_times(decoder, device, token, steps)
    if (now := compiled_so_far()) != before:
        raise NotAsMeant(
            "recompiled", graphs=now.graphs - before.graphs, recordings=now.recordings - before.recordings
        )
    return LoopTime(tuple(times), summarise(times, "events" if device == "cuda" else "host"))


def _step_times(decoder: Decoding, device: DeviceType, token: torch.Tensor, steps: int) -> list[float]:
    _synchronise(device)
    if device == "cuda":
        marks = [torch.cuda.Event(enable_timing=True) for _ in range(steps + 1)]
        marks[0].record()
        for mark in marks[1:]:
            token, _ = decoder.step(token)
            mark.record()
        torch.cuda.synchronize()
        return [float(a.elapsed_time(b)) for a, b in itertools.pairwise(marks)]
    times = []
    for _ in range(steps):
        start = time.perf_counter()
        token, _ = decoder.step(token)
        times.append((time.perf_counter() - start) * 1e3)
    return times


def watch_gpu(decoder: Decoding, steps: int) -> GpuTime:
    """Profiles `steps` steps of steady decode.

    Raises NotAsMeant where the mode promises one CUDA graph a step and the GPU was driven otherwise, or
    where the profiler saw no kernel.
    """
    state = {"token": run(decoder, decoder.prefill(), 2)}

    def step() -> None:
        state["token"], _ = decoder.step(state["token"])

    seen = profile(step, steps)
    if seen.kernels == 0:
        raise NotAsMeant("no_gpu_events")
    if decoder.mode.wants_graphs:
        skips = compiled_so_far().cudagraph_skips
        if skips or seen.graph_launches != steps or seen.captures:
            raise NotAsMeant(
                "graphs_skipped",
                skips=skips,
                graph_launches=round(seen.graph_launches / steps, 2),
                launches=round(seen.launches / steps, 1),
                captures=seen.captures,
            )
    return seen


def _synchronise(device: DeviceType) -> None:
    if device == "cuda":
        torch.cuda.synchronize()
