"""The two cures of launch overhead side by side on one decode step, and what one launch alone costs."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from labs.kit.lab import Bench, Lab, LabFailed, Lever
from labs.kit.steps import Steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from labs.kit.decode_subject import Subject
    from labs.kit.launch_cost import LaunchCost
    from labs.kit.others import OtherLoad
    from labs.kit.ways import Candidate, Way

MODELS = ("auto", "tiny", "small", "tinyllama-1.1b", "llama-2-7b", "llama-3-8b")
PROMPT, CAPACITY = 32, 96
_STEPS = {"cuda": 12, "cpu": 8}


def run(bench: Bench) -> None:
    """Prices a launch, then launches the same step in every way."""
    steps = Steps(bench, _STEPS[bench.device])
    steps.next("preparing")
    from labs.kit.clocks import ClockWatch
    from labs.kit.decode_subject import open_subject
    from labs.kit.launch_cost import launch_cost
    from labs.kit.others import OtherLoad
    from labs.kit.weight_type import weight_type

    others, clocks = OtherLoad(), ClockWatch.start()
    steps.next("calling_operators")
    with others.during():
        cost = launch_cost(bench.device, weight_type(bench.device))
    _report_cost(bench, cost)
    if bench.device == "cuda":
        _report_graph(bench, steps)
    subject = open_subject(bench, steps, prompt=PROMPT, capacity=CAPACITY)
    ways = _ways(subject, steps, others)
    clocks.read()
    _conclude(subject, ways, cost)
    clocks.report(bench)
    others.report(bench)


def _ways(subject: Subject, steps: Steps, others: OtherLoad) -> list[Way]:
    """Every way that works here: all of them timed, then all of them looked at."""
    from labs.kit import ways
    from labs.kit.compiling import forget_compiled

    found: dict[int, tuple[ways.Candidate, Way]] = {}

    def take(candidate: ways.Candidate) -> None:
        if candidate.batch == 1 and candidate.mode != "eager":
            ways.checked(candidate, expected)
        with others.during():
            way = ways.timed(subject, candidate)
        found[len(found)] = candidate, way
        _report_time(subject, way, found[0][1])

    steps.next("timing_eager")
    take(ways.eager(subject, 1))
    expected = ways.expected_of(subject)
    if subject.bench.device == "cuda":
        with _left_out(subject, "graph"):
            steps.next("timing_graph")
            take(ways.graphed(subject))
    try:
        with _left_out(subject, "fused"):
            for candidate in _compilable(subject, steps):
                take(candidate)
        steps.next("timing_batch")
        take(ways.eager(subject, int(str(subject.bench.params["batch"]))))
        if subject.bench.device == "cpu":
            return [way for _, way in found.values()]
        steps.next("looking_at_kernels")
        seen = []
        for candidate, way in found.values():
            with _left_out(subject, way.mode):
                seen.append(replace(way, gpu=ways.looked_at(candidate)))
                _report_gpu(subject, seen[-1])
        return seen
    finally:
        forget_compiled()


def _compilable(subject: Subject, steps: Steps) -> Iterator[Candidate]:
    """The compiled ways where there is a compiler; else a finding says what it lacks."""
    from labs.kit import ways
    from labs.kit.compiling import why_no_compiler

    missing = why_no_compiler(subject.bench.device)
    if missing:
        subject.bench.finding("compiler_missing", message=missing)
        return
    yield from ways.fused(subject, steps.next)


@contextmanager
def _left_out(subject: Subject, mode: str) -> Iterator[None]:
    """A way that fell back or broke is left out, and a finding says why. Without eager there is no lab."""
    from labs.kit.decode_timing import NotAsMeant

    try:
        yield
    except NotAsMeant as fault:
        subject.bench.finding(fault.code, **{"mode": mode, **fault.args_of_finding})
    except LabFailed:
        raise
    except Exception as fault:  # a compiler may raise anything; it costs this way, not the lab
        if mode == "eager" or type(fault).__name__ == "OutOfMemoryError":
            raise
        text = str(fault).strip() or type(fault).__name__
        subject.bench.log(text[-8000:])
        subject.bench.finding("mode_failed", mode=mode, message=text.splitlines()[0][:300])


def _report_cost(bench: Bench, cost: LaunchCost) -> None:
    for call in ("operator", "unlaunched", "module", "linear"):
        timing = getattr(cost, call)
        bench.metric(
            "call_time", timing.median_ms * 1e3, "us", samples=timing.samples,
            low=timing.low_ms * 1e3, high=timing.high_ms * 1e3, call=call,
        )  # fmt: skip
    if bench.device == "cpu":
        return
    if cost.driver is not None:
        bench.metric("call_time", cost.driver.median_ms * 1e3, "us", call="cuLaunchKernel")
    else:
        bench.finding("driver_by_difference", message=cost.why_no_driver or "ROCm")
    for part in ("driver", "dispatcher", "python"):
        bench.metric("launch_cost", float(getattr(cost, f"{part}_us")), "us", part=part)


def _report_graph(bench: Bench, steps: Steps) -> None:
    from labs.kit.launch_cost import graph_cost

    steps.next("replaying_empty")
    cost = graph_cost()
    bench.metric("graph_replay", cost.replay_us, "us", nodes=cost.nodes)
    bench.metric("graph_per_kernel", cost.replay_us / cost.nodes, "us", side="cpu")
    bench.metric("graph_per_kernel", cost.gpu_us_per_kernel, "us", side="gpu")


def _report_time(subject: Subject, way: Way, first: Way) -> None:
    labels = subject.labels(way.mode, way.batch)
    subject.report("ms_per_token", way.ms, "ms", labels, way.timing)
    subject.report("tokens_per_second", way.tokens_per_second, "token/s", labels)
    subject.report("speedup", way.tokens_per_second / first.tokens_per_second, "×", labels)
    subject.report("cpu_per_step", way.cpu_ms, "ms", labels)


def _report_gpu(subject: Subject, way: Way) -> None:
    labels = subject.labels(way.mode, way.batch)
    subject.report("launches_per_step", way.launches, "", labels)
    subject.report("kernels_per_step", way.kernels, "", labels)
    subject.report("busy_per_step", way.busy_ms, "ms", labels)
    subject.report("busy_ratio", 100 * way.busy_ratio, "%", {**labels, "profiler": "off"})
    subject.report("gap_share", 100 * (1 - way.busy_ratio), "%", labels)
    subject.bench.series(
        "ways",
        ["mode", "batch", "launches", "cpu_time", "gpu_time", "time", "gap_share", "tokens_per_second"],
        [[way.mode, way.batch, way.launches, way.cpu_ms, way.busy_ms, way.ms, 100 * (1 - way.busy_ratio),
          way.tokens_per_second]],
        cpu_time="ms", gpu_time="ms", time="ms", gap_share="%", tokens_per_second="token/s",
    )  # fmt: skip


def _conclude(subject: Subject, ways: list[Way], cost: LaunchCost) -> None:
    from labs.kit.launch_findings import of_cost, of_ways

    bench = subject.bench
    if bench.device == "cpu":
        from labs.kit.decode import EAGER, Decoder, random_prompt
        from labs.kit.operators import operators_of

        prompt = random_prompt(subject.model, batch=1, tokens=PROMPT)
        count = operators_of(Decoder(subject.model, prompt, EAGER, CAPACITY)).count
        subject.report("operators_per_step", count, "", subject.labels("eager", 1))
        call_us = cost.unlaunched.median_ms * 1e3
        bench.finding(
            "cpu_operators", operators=round(count), call_us=call_us, overhead_ms=count * call_us / 1e3,
            ms=ways[0].ms, share=100 * count * call_us / 1e3 / ways[0].ms,
        )  # fmt: skip
        bench.finding("needs_gpu_for_launches")
    else:
        total = 1e3 * ways[0].cpu_ms / ways[0].launches
        known = cost.driver_us + cost.dispatcher_us + cost.python_us
        bench.metric("launch_cost", total, "us", part="total")
        bench.metric("launch_cost", max(0.0, total - known), "us", part="model")
        for finding in of_cost(cost, total):
            bench.emit(finding)
    for finding in of_ways(ways):
        bench.emit(finding)


LAB = Lab(
    name="launch_overhead",
    run=run,
    levers=(
        Lever("model", "auto", choices=MODELS, on_cpu=("auto", "tiny", "small")),
        Lever("batch", 32, low=2, high=512),
    ),
    time_limit_s=600,
)
