"""The lesson's experiment: traces of steady decode at batch 1, 8, 32 and on, and the gaps in them."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from labs.kit.lab import Bench, Lab, LabFailed, Lever
from labs.kit.steps import Steps

if TYPE_CHECKING:
    from engine.measure.events import Scalar
    from labs.kit.ceilings import Limits
    from labs.kit.clocks import ClockWatch
    from labs.kit.decode_subject import Subject
    from labs.kit.decode_trace import Traced
    from labs.kit.gap_findings import Point
    from labs.kit.gap_measure import Seen, Timed
    from labs.kit.others import OtherLoad

MODELS = ("auto", "tiny", "small", "tinyllama-1.1b", "llama-2-7b", "llama-3-8b")
LESSON = (1, 8, 32)
"""The batches of the lesson; after them come larger ones until the gap closes."""
LARGER = (256, 2048, 4096, 8192, 16384)
PROMPT, CAPACITY = 32, 96
SWEEP_S = 30.0
"""No larger batch is begun after this long."""
SPEED = 2.0
TRACE = "trace-batch{batch}.json.gz"
NO_EVENTS = (
    "The profiler saw no work of the GPU, so there is no trace to look at. The driver may keep profiling "
    "from this user, or another profiler has the GPU: end it, or ask for access."
)


@dataclass(slots=True)
class _Run:
    bench: Bench
    steps: Steps
    subject: Subject
    limits: Limits
    clocks: ClockWatch
    others: OtherLoad
    empty_us: float
    seen: dict[int, Seen] = field(default_factory=dict)
    stopped: str | None = None
    """Why no larger batch was taken; None where the gap closed."""

    @property
    def points(self) -> list[Point]:
        return [seen.point for seen in self.seen.values()]


def run(bench: Bench) -> None:
    """Decodes at growing batches and shows where the GPU waits."""
    steps = Steps(bench, 26 if bench.device == "cuda" else 8)
    steps.next("preparing")
    if bench.device == "cpu":
        from labs.kit.gaps_on_cpu import run_on_cpu

        run_on_cpu(bench, steps, LESSON)
        return
    from labs.kit import gap_findings, gap_widths
    from labs.kit.gap_record import record

    here = _open(bench, steps)
    batches = _time_batches(here)
    widths, ended = gap_widths.time_widths(bench, here.subject.dtype, steps)
    # only now: a profiler makes every later launch dearer
    for timed in batches:
        _trace(here, timed)
    one = here.seen[1]
    for finding in gap_findings.of_batches(here.points, here.stopped):
        bench.emit(finding)
    _predict(here, one)
    steps.next("looking_at_widths")
    _report_widths(here, gap_widths.look_at_widths(bench, widths), ended)
    widths.clear()
    _kernels(here)
    graph_ms = _graphed(here)
    compiled_ms = _compiled(here) if bench.params["compiled"] else None
    record(
        here.subject, here.limits, here.empty_us, one, here.seen.get(32),
        graph_ms=graph_ms, compiled_ms=compiled_ms,
    )  # fmt: skip
    here.clocks.report(bench)
    here.others.report(bench)


def _open(bench: Bench, steps: Steps) -> _Run:
    from labs.kit.ceilings import limits_here
    from labs.kit.clocks import ClockWatch
    from labs.kit.decode_subject import open_subject
    from labs.kit.launch_cost import graph_cost
    from labs.kit.models import name_of
    from labs.kit.others import OtherLoad
    from labs.kit.weight_type import weight_type

    limits = limits_here(bench, name_of(weight_type(bench.device)), steps.next)
    subject = open_subject(bench, steps, prompt=PROMPT, capacity=CAPACITY)
    steps.next("empty_kernel")
    empty = graph_cost().gpu_us_per_kernel
    bench.metric("empty_kernel", empty, "us")
    return _Run(bench, steps, subject, limits, ClockWatch.start(), OtherLoad(), empty)


def _time_batches(here: _Run) -> list[Timed]:
    """Times the lesson's batches, then larger ones until the GPU falls behind the CPU."""
    import torch

    from labs.kit.gap_measure import time_batch

    end = time.monotonic() + SWEEP_S
    found: list[Timed] = []
    for batch in (*LESSON, *LARGER):
        if batch not in LESSON and time.monotonic() > end:
            here.stopped = "time"
            return found
        here.steps.next("timing_batch" if batch in LESSON else "timing_larger_batch")
        try:
            with here.others.during():
                found.append(time_batch(here.subject, batch))
        except torch.OutOfMemoryError:
            if batch == LESSON[0]:
                raise
            torch.cuda.empty_cache()
            here.stopped = "memory"
            return found
        here.clocks.read()
        _report_time(here, found[-1])
        if batch not in LESSON and found[-1].gpu_behind:
            return found
    here.stopped = "size"
    return found


def _trace(here: _Run, timed: Timed) -> None:
    """Traces a batch and reports it; the lesson's traces are kept."""
    from labs.kit import gap_findings
    from labs.kit.decode_trace import NoGpuEvents
    from labs.kit.gap_measure import trace_batch

    batch = timed.batch
    here.steps.next("tracing_batch")
    path = here.bench.artifacts / TRACE.format(batch=batch)
    try:
        seen = trace_batch(here.subject, timed, path)
    except NoGpuEvents as fault:
        raise LabFailed("permission", NO_EVENTS) from fault
    here.seen[batch] = seen
    if batch in LESSON:
        _keep(here.bench, f"trace_batch{batch}", seen.traced)
    else:
        path.unlink()
    _report(here, seen)
    if batch == 1:
        for finding in gap_findings.of_one(seen.point):
            here.bench.emit(finding)
        _report_gaps(here, seen)
    for warning in seen.traced.analysis.warnings:
        if warning.code == "lost_records":
            here.bench.finding("lost_records", batch=batch, **warning.args)


def _keep(bench: Bench, name: str, traced: Traced) -> None:
    """The trace as a file of the run, and beside it what the app's analyser says of it."""
    from labs.kit.decode_trace import MEDIA_TYPE

    bench.artifact(name, traced.path, MEDIA_TYPE)
    analysis = bench.artifacts / f"{name}.analysis.json"
    analysis.write_text(json.dumps(traced.analysis.to_json()), encoding="utf-8")
    bench.artifact(f"{name}.analysis", analysis, "application/json")


def _report_time(here: _Run, timed: Timed) -> None:
    labels, ms = here.subject.labels("eager", timed.batch), timed.timing.median_ms
    here.subject.report("ms_per_token", ms, "ms", labels, timed.timing)
    here.subject.report("tokens_per_second", 1e3 * timed.batch / ms, "token/s", labels)


def _report(here: _Run, seen: Seen) -> None:
    point, subject = seen.point, here.subject
    labels = subject.labels("eager", point.size)
    _report_point(subject, point, labels)
    subject.report("gap", point.gap_us, "us", {**labels, "percentile": 50})
    subject.report("gap", seen.traced.gap_us(0.9), "us", {**labels, "percentile": 90})
    here.bench.series(
        "batches",
        ["batch", "time", "cpu_time", "gpu_time", "busy"],
        [[point.size, point.ms, point.cpu_ms, point.busy_ms, 100 * point.busy_ratio]],
        time="ms",
        cpu_time="ms",
        gpu_time="ms",
        busy="%",
    )


def _report_point(subject: Subject, point: Point, labels: dict[str, Scalar]) -> None:
    subject.report("profiled_step", point.profiled_ms, "ms", labels)
    subject.report("kernels_per_step", point.kernels, "", labels)
    subject.report("launches_per_step", point.launches, "", labels)
    subject.report("busy_per_step", point.busy_ms, "ms", labels)
    subject.report("busy_ratio", 100 * point.busy_ratio, "%", {**labels, "profiler": "off"})
    subject.report(
        "busy_ratio", 100 * min(1.0, point.busy_ms / point.profiled_ms), "%", {**labels, "profiler": "on"}
    )
    subject.report("gap_share", 100 * (1 - point.busy_ratio), "%", labels)
    subject.report("cpu_per_step", point.cpu_ms, "ms", labels)
    subject.report("cpu_per_launch", point.launch_us, "us", labels)


def _report_gaps(here: _Run, seen: Seen) -> None:
    """How long the gaps are, and what the CPU did in them."""
    from labs.kit import gap_findings
    from labs.kit.decode_trace import during_gaps, gap_classes, waited_for

    during, waiting = during_gaps(seen.traced), waited_for(seen.traced.device.gaps)
    labels = here.subject.labels("eager", seen.point.size)
    if during is not None:
        for where in ("python", "dispatcher", "driver"):
            share = 100 * float(getattr(during, where))
            here.subject.report("gap_during", share, "%", {**labels, "where": where})
    for finding in gap_findings.of_gaps(during, waiting):
        here.bench.emit(finding)
    here.bench.series(
        "waiting",
        ["operator", "call", "share_of_time"],
        [[one.operator or "–", one.call or "–", 100 * one.share] for one in waiting[:8]],
        share_of_time="%",
    )
    here.bench.series(
        "gap_lengths",
        ["gap_up_to", "share_of_gaps", "share_of_time"],
        [
            [one.up_to_us, 100 * one.share, 100 * one.share_of_time]
            for one in gap_classes(seen.traced.device.gaps)
        ],
        gap_up_to="us",
        share_of_gaps="%",
        share_of_time="%",
    )


def _kernels(here: _Run) -> None:
    """The five kernels that take most time, and which part of the model each belongs to."""
    from labs.kit import gap_findings
    from labs.kit.decode import EAGER, Decoder, random_prompt
    from labs.kit.decode_subject import stepper
    from labs.kit.decode_trace import record_trace
    from labs.kit.parts import kernels_by_part, marked_parts, time_by_part

    here.steps.next("naming_kernels")
    steps, model = 2, here.subject.model
    decoder = Decoder(model, random_prompt(model, batch=1, tokens=PROMPT), EAGER, CAPACITY)
    path = here.bench.artifacts / "parts.json.gz"
    with marked_parts(model):
        step = stepper(decoder)
        traced = record_trace(step, steps, path)
    path.unlink()  # the marks make the gaps wider: it serves for this table alone
    kernels = kernels_by_part(traced.trace)
    total = sum(kernel.ns for kernel in kernels)
    here.bench.series(
        "slowest_kernels",
        ["kernel", "part", "count", "time_per_step", "share"],
        [
            [
                gap_findings.short_name(kernel.name),
                ", ".join(part for part, _ in kernel.parts[:3]),
                kernel.count / steps,
                kernel.ns / 1e3 / steps,
                100 * kernel.ns / total,
            ]
            for kernel in kernels[:5]
        ],
        time_per_step="us",
        share="%",
    )
    labels = here.subject.labels("eager", 1)
    for part, count, ns in time_by_part(traced.trace):
        here.subject.report("part_time", ns / 1e3 / steps, "us", {**labels, "part": part})
        here.subject.report("part_kernels", count / steps, "", {**labels, "part": part})
    for finding in gap_findings.of_kernels(kernels, steps):
        here.bench.emit(finding)


def _graphed(here: _Run) -> float | None:
    """Eager's own kernels in one CUDA graph, recorded by hand; None where that doesn't work here."""
    from labs.kit import ways
    from labs.kit.decode_timing import NotAsMeant

    here.steps.next("recording_graph")
    try:
        candidate = ways.graphed(here.subject)
        ways.checked(candidate, ways.expected_of(here.subject))
        way = replace(ways.timed(here.subject, candidate), gpu=ways.looked_at(candidate))
    except NotAsMeant as fault:
        here.bench.finding(fault.code, **{"mode": "graph", **fault.args_of_finding})
        return None
    except RuntimeError as fault:  # torch's word for what can't be recorded here
        here.bench.finding("mode_failed", mode="graph", message=str(fault).splitlines()[0][:300])
        return None
    labels = here.subject.labels("graph", 1)
    here.subject.report("ms_per_token", way.ms, "ms", labels, way.timing)
    here.subject.report("cpu_per_step", way.cpu_ms, "ms", labels)
    here.subject.report("kernels_per_step", way.kernels, "", labels)
    here.subject.report("launches_per_step", way.launches, "", labels)
    here.subject.report("busy_per_step", way.busy_ms, "ms", labels)
    here.subject.report("busy_ratio", 100 * way.busy_ratio, "%", {**labels, "profiler": "off"})
    _cured(here, "graph", way.ms, way.launches, way.busy_ratio)
    return way.ms


def _compiled(here: _Run) -> float | None:
    """The step with reduce-overhead: compiled, and one CUDA graph; None where it can't be had."""
    from labs.kit.compiled_rung import compiled_step

    measured = compiled_step(here.subject, here.steps)
    if measured is None:
        return None
    labels = here.subject.labels("reduce-overhead", 1)
    here.subject.report("ms_per_token", measured.ms, "ms", labels, measured.timing)
    _report_point(here.subject, measured.point, labels)
    _cured(here, "reduce-overhead", measured.ms, measured.point.launches, measured.point.busy_ratio)
    return measured.ms


def _cured(here: _Run, mode: str, ms: float, launches: float, busy: float) -> None:
    one = here.seen[1].point
    here.bench.finding(
        "graph_closes_gaps" if ms < one.ms else "graph_gains_nothing",
        mode=mode,
        eager_ms=one.ms,
        ms=ms,
        times=one.ms / ms,
        launches=round(one.launches),
        launches_left=round(launches),
        busy=100 * busy,
    )


def _predict(here: _Run, one: Seen) -> None:
    """What a GPU twice as fast would do: reckoned from the trace, not measured."""
    from labs.kit import gap_findings
    from labs.kit.faster_gpu import Replay

    replay = Replay(one.traced.trace, one.traced.steps, one.point.ms)
    same, faster = replay.at(1.0), replay.at(SPEED)
    labels = here.subject.labels("eager", 1)
    for speed, step in ((1.0, same), (SPEED, faster)):
        here.subject.report("predicted_step", step.ms, "ms", {**labels, "speed": speed})
        here.subject.report("predicted_busy_ratio", 100 * step.busy_ratio, "%", {**labels, "speed": speed})
    for finding in gap_findings.of_faster_gpu(one.point, same, faster, SPEED):
        here.bench.emit(finding)


def _report_widths(here: _Run, points: list[Point], ended: str | None) -> None:
    from labs.kit import gap_findings
    from labs.kit.gap_widths import LAYERS

    for point in points:
        labels: dict[str, Scalar] = {
            "width": point.size, "layers": LAYERS, "weights": here.subject.weights,
            "mode": "eager", "batch": 1,
        }  # fmt: skip
        here.subject.report("kernels_per_step", point.kernels, "", labels)
        here.subject.report("busy_per_step", point.busy_ms, "ms", labels)
        here.subject.report("busy_ratio", 100 * point.busy_ratio, "%", {**labels, "profiler": "off"})
    for finding in gap_findings.of_widths(points, ended):
        here.bench.emit(finding)


LAB = Lab(
    name="decode_gaps",
    run=run,
    levers=(
        Lever("model", "auto", choices=MODELS, on_cpu=("auto", "tiny", "small")),
        Lever("compiled", False),
    ),
    time_limit_s=600,
)
