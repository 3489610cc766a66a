"""The two cures of launch overhead side by side on one decode step, and what one launch alone costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labs.kit.lab import Bench, Lab, LabFailed, Lever
from labs.kit.steps import Steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from labs.kit.decode_subject import Subject
    from labs.kit.launch_cost import LaunchCost
    from labs.kit.ways import Way

MODELS = ("auto", "tiny", "small", "tinyllama-1.1b", "llama-2-7b", "llama-3-8b")
PROMPT, CAPACITY = 32, 96
_STEPS = {"cuda": 11, "cpu": 8}


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
    with others.during():
        ways = _ways(subject, steps, int(str(bench.params["batch"])))
    clocks.read()
    _conclude(subject, ways, cost)
    clocks.report(bench)
    others.report(bench)


def _ways(subject: Subject, steps: Steps, batch: int) -> list[Way]:
    """Every way that works here, reported as it is measured."""
    from labs.kit import ways
    from labs.kit.compiling import why_no_compiler

    bench = subject.bench
    found: list[Way] = []

    def take(measured: Iterable[Way], mode: str) -> None:
        found.extend(_guarded(subject, measured, mode, found[0] if found else None))

    steps.next("timing_eager")
    take([ways.eager(subject, 1)], "eager")
    expected = ways.expected_of(subject)
    if bench.device == "cuda":
        steps.next("timing_graph")
        take(_later(lambda: ways.graphed(subject, expected)), "graph")
    missing = why_no_compiler(bench.device)
    if missing:
        bench.finding("compiler_missing", message=missing)
    else:
        take(ways.fused(subject, expected, steps.next), "fused")
    steps.next("timing_batch")
    take([ways.eager(subject, batch)], "eager")
    return found


def _later(measure: Callable[[], Way]) -> Iterable[Way]:
    """What fails while it is measured must fail where it is guarded."""
    yield measure()


def _guarded(subject: Subject, measured: Iterable[Way], mode: str, first: Way | None) -> Iterable[Way]:
    """Reports each way. One that fell back or broke is left out, and a finding says why."""
    from labs.kit.decode_timing import NotAsMeant

    try:
        for way in measured:
            _report_way(subject, way, first or way)
            yield way
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


def _report_way(subject: Subject, way: Way, first: Way) -> None:
    labels = subject.labels(way.mode, way.batch)
    subject.report("ms_per_token", way.ms, "ms", labels, way.timing)
    subject.report("tokens_per_second", way.tokens_per_second, "token/s", labels)
    subject.report("speedup", way.tokens_per_second / first.tokens_per_second, "×", labels)
    subject.report("cpu_per_step", way.cpu_ms, "ms", labels)
    if way.gpu is None:
        return
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
