"""A kernel under Nsight Compute: predicted by the roofline first, then measured; and what occupancy buys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labs.kit.lab import Bench, Lab, LabFailed, Lever
from labs.kit.steps import Steps

if TYPE_CHECKING:
    from labs.kit.ceilings import Limits
    from labs.kit.clocks import ClockWatch
    from labs.kit.ncu_findings import Seen
    from labs.kit.ncu_tool import Access, MetricSet
    from labs.kit.occupancy_sweep import Point
    from labs.kit.speed_of_light import Roof

_LIMIT_S = 150
"""Of one run of ncu. The full set takes some 40 passes of each kernel."""
_BUDGET_S = 0.2
_SETS: tuple[MetricSet, ...] = ("basic", "full")


def run(bench: Bench) -> None:
    """Predicts, times outside ncu, sweeps block sizes, and opens the reports of the basic and full set."""
    steps = Steps(bench, 15)
    steps.next("preparing")
    import torch

    from labs.kit.ceilings import cache_bytes, limits_here
    from labs.kit.clocks import ClockWatch
    from labs.kit.ncu_findings import Machine, of_batch, of_reports
    from labs.kit.ncu_tool import OWN_KERNEL, access
    from labs.kit.occupancy_findings import of_block_sizes, of_occupancy

    if torch.version.hip:
        raise LabFailed("unsupported", "Nsight Compute reads NVIDIA's GPUs only; this one is AMD's.")
    limits = limits_here(bench, "bf16", steps.next)
    clocks = ClockWatch.start()
    cases, roof = _predict(bench, steps, limits, clocks)
    bench.emit(of_batch(cases["gemv"], cases["gemm"]))
    torch.cuda.empty_cache()
    points = _sweep(bench, steps)
    torch.cuda.empty_cache()
    version = open_reports(bench, steps, cases, access())
    machine = Machine(roof, cache_bytes("cuda"), version, clocks.sm_mhz[-1] if clocks.sm_mhz else None)
    for finding in (*of_reports(cases, machine), *of_block_sizes(points), *of_occupancy(points)):
        bench.emit(finding)
    clocks.report(bench)
    bench.finding("command_ncu", command=OWN_KERNEL)


def _predict(bench: Bench, steps: Steps, limits: Limits, clocks: ClockWatch) -> tuple[dict[str, Seen], Roof]:
    """Each case on paper, then by its own time; the predictions are told before any report is opened."""
    import torch

    from labs.kit.kernels import profile
    from labs.kit.ncu_cases import build
    from labs.kit.ncu_findings import Seen, of_prediction
    from labs.kit.speed_of_light import Roof, predict
    from labs.kit.timing import time_calls

    steps.next("random_data")
    torch.manual_seed(1)
    built = build(str(bench.params["layer"]), int(str(bench.params["batch"])))
    steps.next("timing_empty")
    nothing = torch.zeros(1, device="cuda")
    empty = time_calls([lambda: nothing.zero_()], device="cuda", budget_s=_BUDGET_S)
    bench.metric("empty_kernel", empty.median_ms, "ms", samples=empty.samples)
    latency = _latency(bench)
    torch.cuda.empty_cache()
    roof = Roof(
        bandwidth=limits.copy,
        peak_bandwidth=limits.datasheet or limits.copy,
        rate=limits.matmul,
        peak_rate=limits.peak or limits.matmul,
        start_s=empty.median_ms / 1e3 + 2 * latency,
    )
    if not limits.datasheet:
        bench.finding("no_datasheet")
    cases: dict[str, Seen] = {}
    for case in built:
        predicted = predict(case.counted, roof)
        bench.metric("predicted_memory", predicted.memory, "%", kernel=case.name)
        bench.metric("predicted_compute", predicted.compute, "%", kernel=case.name)
        cases[case.name] = Seen(case.name, case.batch, case.counted, predicted, 0.0, 0)
    bench.emit(of_prediction(cases["gemv"], roof))
    for case in built:
        steps.next(f"timing_{case.name}")
        timing = time_calls(case.calls, device="cuda", budget_s=_BUDGET_S)
        clocks.read()
        seen = cases[case.name]
        seen.own_ms, seen.kernels = timing.median_ms, profile(case.calls[0], 1).kernels
        bench.metric(
            "time", timing.median_ms, "ms",
            samples=timing.samples, low=timing.low_ms, high=timing.high_ms, kernel=case.name,
        )  # fmt: skip
        if seen.predicted.limit == "memory":
            reached = case.counted.bytes / (timing.median_ms / 1e3)
            bench.metric("achieved_bandwidth", reached / 1e9, "GB/s", kernel=case.name)
        bench.metric("intensity", case.counted.intensity, "FLOP/B", kernel=case.name)
        if not seen.kernels:
            raise LabFailed(
                "unsupported", f"The profiler saw no kernel of {case.name}: it has no access here."
            )
    return cases, roof


def _latency(bench: Bench) -> float:
    """Seconds of one load from memory; 0 where the kernel for it can't be compiled, which is said."""
    from labs.kit.occupancy_kernels import CannotCompile
    from labs.kit.occupancy_sweep import latency_s

    try:
        latency = latency_s()
    except CannotCompile as error:
        bench.finding("no_sweep", message=str(error))
        return 0.0
    bench.metric("latency", latency * 1e9, "ns")
    return latency


def _sweep(bench: Bench, steps: Steps) -> list[Point]:
    """Block sizes and occupancies outside ncu; the chart grows meanwhile. None where that was said before."""
    from labs.kit.occupancy_kernels import CannotCompile
    from labs.kit.occupancy_sweep import LARGEST_BLOCK, sweep

    def seen(point: Point) -> None:
        name, geometry, timing = f"swept_{point.kernel}", point.geometry, point.timing
        bench.metric(
            "sweep_time", timing.median_ms, "ms",
            samples=timing.samples, low=timing.low_ms, high=timing.high_ms,
            kernel=name, block=geometry.block, blocks=geometry.blocks,
        )  # fmt: skip
        reached = point.bandwidth / 1e9
        if geometry.blocks == 1 or geometry.block == LARGEST_BLOCK:
            row = (100 * point.resident, name, reached)
            bench.series(
                "occupancy", ("resident", "kernel", "bandwidth"), [row], resident="%", bandwidth="GB/s"
            )
        if point.fills:
            row = (geometry.block, name, reached)
            bench.series("block_sizes", ("block", "kernel", "bandwidth"), [row], bandwidth="GB/s")

    try:
        return sweep(steps.next, seen)
    except CannotCompile as error:
        bench.log(str(error))
        return []


def open_reports(bench: Bench, steps: Steps, cases: dict[str, Seen], allowed: Access) -> str:
    """Runs ncu with each set and reports what it says; says what to do where it can't. ncu's version."""
    from engine.measure.analyse.nvidia_tools import ncu_path
    from labs.kit.children import module_command
    from labs.kit.ncu_cases import FIRST
    from labs.kit.ncu_report import by_case
    from labs.kit.ncu_tool import ENABLE, NcuFailed, profile, version

    ncu = ncu_path()
    if ncu is None:
        bench.finding("ncu_missing")
        return ""
    if allowed.denied:
        bench.finding("ncu_not_allowed", setting=ENABLE)
        return ""
    known = version(ncu, bench.artifacts / "ncu-version.out")
    target = module_command("labs.kit.ncu_cases", str(bench.params["layer"]), str(bench.params["batch"]))
    launched = {FIRST: 1, **{name: case.kernels for name, case in cases.items()}}
    for metrics in _SETS:
        steps.next(f"replaying_{metrics}")
        try:
            done = profile(ncu, metrics, target, folder=bench.artifacts, limit_s=_LIMIT_S)
            reports = by_case(done, launched)
        except NcuFailed as failed:
            if failed.reason == "permission":
                bench.finding("ncu_not_allowed", setting=ENABLE)
            else:
                bench.finding("ncu_failed", set=metrics, message=str(failed))
            return known
        bench.artifact(done.path.name, done.path, "application/octet-stream")
        for case in cases.values():
            case.reports[metrics] = reports[case.name]
            _report(bench, case, metrics)
    return known


def _report(bench: Bench, case: Seen, metrics: MetricSet) -> None:
    report = case.reports[metrics]
    ms = None if report.duration_s is None else report.duration_s * 1e3
    for name, value, unit in (
        ("memory_throughput", report.memory, "%"),
        ("compute_throughput", report.compute, "%"),
        ("dram_throughput", report.dram, "%"),
        ("achieved_occupancy", report.achieved, "%"),
        ("theoretical_occupancy", report.theoretical, "%"),
        ("l2_hit_rate", report.l2_hit, "%"),
        ("registers", report.registers, ""),
        ("passes", report.passes, ""),
        ("ncu_duration", ms, "ms"),
        ("duration_ratio", None if ms is None else ms / case.own_ms, "×"),
        ("replay_wall", None if report.wall_s is None else report.wall_s * 1e3, "ms"),
        ("sm_clock_ncu", None if report.sm_hz is None else report.sm_hz / 1e6, "MHz"),
    ):
        if value is not None:
            bench.metric(name, value, unit, kernel=case.name, set=metrics)
    memory = case.predicted.limit == "memory"
    measured = report.memory if memory else report.compute
    if measured is not None and metrics == "basic":
        off = measured - (case.predicted.memory if memory else case.predicted.compute)
        bench.metric("prediction_error", off, "%", kernel=case.name, of=case.predicted.limit)


LAB = Lab(
    name="ncu_replay",
    run=run,
    levers=(
        Lever("layer", "gate", choices=("gate", "qkv", "lm_head")),
        Lever("batch", 16, choices=(2, 4, 8, 16, 32, 64)),
    ),
    devices=("cuda",),
    time_limit_s=420,
)
