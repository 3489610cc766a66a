"""NVML's utilisation beside the GPU's real busy ratio in the same seconds of overhead-bound decode."""

from __future__ import annotations

import statistics
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from labs.kit.lab import Bench, Lab, LabFailed, Lever
from labs.kit.steps import Steps

if TYPE_CHECKING:
    from collections.abc import Callable

    from labs.kit.decode import Decoder
    from labs.kit.loads import Seconds
    from labs.kit.utilisation_samples import UtilisationWatch

Answer = TypeVar("Answer")
MODELS = ("auto", "tiny", "small", "tinyllama-1.1b", "llama-2-7b", "llama-3-8b")
PROMPT, CAPACITY = 32, 64
"""Few lengths, all met before: an attention library prepares itself for each new one."""
_TRICKLE_S = 0.01
_RECORDED_S = 2.0
"""Every kernel of these seconds is recorded and read back, a thousand a step."""
_COUNTED = 8
HALF_BUSY_US = (25, 250, 25000)
"""Lengths of a kernel and of the gap after it, from the lesson's gap up to what nvidia-smi could see."""


def run(bench: Bench) -> None:
    """Samples NVML while the GPU idles, decodes eagerly and as a graph, and has next to nothing to do."""
    steps = Steps(bench, 13)
    steps.next("preparing")
    from labs.kit.decode import EAGER, Decoder, Mode, random_prompt
    from labs.kit.decode_subject import open_subject
    from labs.kit.decode_timing import warm_up
    from labs.kit.graphed import GraphedDecoder
    from labs.kit.loads import run_for, run_recorded
    from labs.kit.utilisation_findings import conclude
    from labs.kit.utilisation_samples import UtilisationWatch

    watch = _or_failed(UtilisationWatch.open)
    subject = open_subject(bench, steps, prompt=PROMPT, capacity=CAPACITY)
    seconds = float(str(bench.params["seconds"]))
    prompt = random_prompt(subject.model, batch=1, tokens=PROMPT)
    eager = Decoder(subject.model, prompt, EAGER, CAPACITY)
    once = _endless(eager)
    steps.next("warming")
    warm_up(eager)
    for _ in range(CAPACITY):
        once()
    graph = GraphedDecoder(subject.model, prompt, Mode("graph", "static"), CAPACITY)
    graph.record()
    tiny = _trickle()
    loads: list[tuple[str, Callable[[], Seconds]]] = [
        ("idle", lambda: run_for(seconds, lambda: time.sleep(_TRICKLE_S), watch)),
        ("eager", lambda: run_for(seconds, once, watch)),
        ("graph", lambda: run_for(seconds, _endless(graph), watch)),
        # recorded ones last: a profiler leaves its hooks in the driver
        ("eager_recorded", lambda: run_recorded(min(seconds, _RECORDED_S), once, watch)),
        ("trickle", lambda: run_recorded(seconds, tiny, watch)),
        *(
            (f"half_{gap_us}us", partial(_half_busy, gap_us, min(seconds, _RECORDED_S), watch))
            for gap_us in HALF_BUSY_US
        ),
    ]
    seen: dict[str, Seconds] = {}
    for load, measure in loads:
        steps.next(f"running_{load}")
        seen[load] = _or_failed(measure)
        _report(bench, load, seen[load])
    steps.next("counting_kernels")
    for load, decoder in (("eager", eager), ("graph", graph)):
        busy_s = _busy_s(decoder) * seen[load].calls
        seen[load] = replace(seen[load], busy_s=busy_s)
        bench.metric("busy_ratio", 100 * min(1.0, busy_s / seen[load].seconds), "%", load=load)
    for finding in conclude(seen):
        bench.emit(finding)


def _half_busy(gap_us: int, seconds: float, watch: UtilisationWatch) -> Seconds:
    """A kernel of `gap_us` and as long a gap after it, again and again."""
    from labs.kit.loads import Spinner, run_recorded

    return run_recorded(seconds, Spinner.of(gap_us).beat, watch, in_flight=None)


def _busy_s(decoder: Decoder) -> float:
    """Seconds of GPU work in a step, by the profiler's records of a few."""
    from labs.kit.kernels import profile

    step = _endless(decoder)
    step()
    seen = profile(step, _COUNTED)
    if seen.kernels == 0:
        raise LabFailed(
            "permission",
            "The profiler saw no work of the GPU, so there is no busy ratio to set NVML against. The driver "
            "may keep profiling from this user, or another profiler has the GPU.",
        )
    return seen.busy_ms / 1e3 / seen.steps


def _or_failed(measure: Callable[[], Answer]) -> Answer:
    """What is measured; where NVML has no answer the lab can't show its point, and says why."""
    from labs.kit.utilisation_samples import NoUtilisation

    try:
        return measure()
    except NoUtilisation as fault:
        raise LabFailed("unsupported", str(fault)) from fault


def _endless(decoder: Decoder) -> Callable[[], None]:
    """Decodes token after token, starting over with the prompt where the cache is full."""
    state = {"token": decoder.prefill()}

    def step() -> None:
        if decoder.length >= decoder.capacity:
            state["token"] = decoder.prefill()
        state["token"], _ = decoder.step(state["token"])

    return step


def _trickle() -> Callable[[], None]:
    """One tiny kernel in ten milliseconds."""
    import torch

    one = torch.ones(1, device="cuda")

    def call() -> None:
        one.neg_()
        time.sleep(_TRICKLE_S)

    return call


def _report(bench: Bench, load: str, seen: Seconds) -> None:
    middle = statistics.median(seen.percent)
    bench.metric(
        "nvml_utilisation", middle, "%", samples=len(seen.percent),
        low=min(seen.percent), high=max(seen.percent), load=load,
    )  # fmt: skip
    if load in ("eager", "graph", "eager_recorded"):
        bench.metric("steps_per_second", seen.calls / seen.seconds, "1/s", load=load)
    if seen.busy_ratio is not None:
        bench.metric("busy_ratio", 100 * seen.busy_ratio, "%", load=load)
    period = seen.seconds / len(seen.percent)
    bench.series(
        "samples",
        ["second", "load", "nvml_utilisation"],
        [[round(period * (number + 1), 2), load, percent] for number, percent in enumerate(seen.percent)],
        second="s",
        nvml_utilisation="%",
    )


LAB = Lab(
    name="utilisation",
    run=run,
    levers=(Lever("model", "auto", choices=MODELS), Lever("seconds", 3, low=2, high=30)),
    devices=("cuda",),
    time_limit_s=400,
)
