"""Three elementwise operations, apart and in one kernel: what fusing saves, and why just that much."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from labs.kit.lab import Bench, Lab, LabFailed, Lever
from labs.kit.steps import Steps
from labs.kit.traffic import Operands, chain, fused

if TYPE_CHECKING:
    from engine.measure.events import Scalar
    from labs.kit.elementwise import Function, Variant, Work
    from labs.kit.fusion_findings import Case, Took
    from labs.kit.fusion_session import Session
    from labs.kit.timing import Timing

SIZES = ("auto", "256", "512", "1024", "2048", "4096", "8192", "16384", "32768")
_MAIN_S, _SERIES_S = 0.3, 0.1
_CARD_SIDE = 4096
"""The size that the card's own times are of."""
_COLUMNS = (
    "side",
    "operands",
    "variant",
    "tensor",
    "time",
    "bandwidth",
    "share_of_copy",
    "speedup",
    "cached",
)


def run(bench: Bench) -> None:
    """Measures eager, compiled and (on a GPU) hand-written, at one size in detail and over a series."""
    steps = Steps(bench, 40)
    steps.next("preparing")
    from labs.kit.fusion_epilogue import measure_epilogue
    from labs.kit.fusion_findings import across_sizes, over_ceiling
    from labs.kit.fusion_registers import report_multiprocessor
    from labs.kit.fusion_session import open_session

    session = open_session(bench, steps)
    report_multiprocessor(session)
    cases = [_measure(session, side, operands) for operands in session.operands for side in session.sides()]
    for case in cases:
        for finding in over_ceiling(case, session.limits):
            bench.emit(finding)
    for finding in across_sizes(cases, session.limits):
        bench.emit(finding)
    measure_epilogue(session)
    session.clocks.report(bench)
    session.others.report(bench)
    if bench.device == "cpu":
        bench.finding("needs_gpu_for_triton")
    if session.dropped and not any(case.best for case in cases if case.side == session.main_side):
        raise LabFailed(
            "unsupported",
            "No fused variant passed its checks here, so there is nothing to set against eager. "
            "The findings say what each variant lacks.",
        )


def _measure(session: Session, side: int, operands: Operands) -> Case:
    """Checks and times every variant at one size; at the main size also what explains the result."""
    from labs.kit.compiling import forget_compiled
    from labs.kit.elementwise import prepare
    from labs.kit.fusion_findings import Case
    from labs.kit.timing import settle

    session.steps.next("random_data")
    work = prepare(
        side,
        dtype=session.dtype,
        gelu=session.gelu,
        operands=operands,
        device=session.bench.device,
        cache_bytes=session.limits.cache_bytes,
    )
    main = side == session.main_side
    took: dict[str, Took] = {}
    for variant in session.variants.names:
        function = None if variant in session.dropped else _checked(session, work, variant)
        if function is None:
            if variant == "eager":
                raise LabFailed("unsupported", "Eager's own result is off its float64 reference here.")
            session.steps.skip(2)
            continue
        session.steps.next(f"timing_{variant}")
        timing, took[variant] = _time(session, work, function, variant, _MAIN_S if main else _SERIES_S)
        if main:
            _report(session, work, variant, timing, took)
        elif side == _CARD_SIDE:
            session.report_time("time", timing, session.labels(work, variant=variant))
    case = Case(side=side, operands=operands, tensor_bytes=work.tensor_bytes, variants=took)
    _add_rows(session, case)
    if main:
        settle()  # the compiler is loaded by now
        case = _explain(session, work, case)
    forget_compiled()
    return case


def _checked(session: Session, work: Work, variant: Variant) -> Function | None:
    """Builds the variant and sets it against float64. None where it fails, with a finding that says why."""
    from labs.kit.reference import TOLERANCE, relative_error

    bench, main, x = session.bench, work.side == session.main_side, work.inputs[0]
    session.steps.next(f"checking_{variant}")
    try:
        function = session.variants.build(variant, work)
        error = relative_error(function(x, work.scale, work.bias), x, work.scale, work.bias, work.gelu)
    except Exception as failure:  # a compiler may raise anything; it costs this variant, not the lab
        if variant == "eager" or type(failure).__name__ == "OutOfMemoryError":
            raise
        text = str(failure).strip() or type(failure).__name__
        bench.log(text[-8000:])
        _drop(session, variant, "variant_failed", message=text.splitlines()[0][:300])
        return None
    labels = session.labels(work, variant=variant)
    if main and math.isfinite(error):
        session.report("relative_error", error, "", labels)
    limit = TOLERANCE[x.dtype]
    if not error <= limit:
        _drop(session, variant, "variant_wrong", error=f"{error:.2g}", tolerance=f"{limit:g}")
        return None
    if not main:
        return function
    kernels, launches = session.variants.kernels(variant, function, work)
    session.report("kernels", kernels, "", labels)
    if launches is not None:
        session.report("launches", launches, "", labels)
    if variant != "eager" and kernels != 1:
        _drop(session, variant, "not_fused", kernels=kernels)
        return None
    return function


def _drop(session: Session, variant: str, code: str, **args: Scalar) -> None:
    session.dropped.add(variant)
    session.bench.finding(code, variant=variant, **args)


def _time(
    session: Session, work: Work, function: Function, variant: str, budget_s: float
) -> tuple[Timing, Took]:
    from labs.kit.fusion_findings import Took
    from labs.kit.timing import issue_time_ms, time_calls

    device = session.bench.device
    calls = work.calls(function)
    with session.others.during():
        timing = time_calls(calls, device=device, budget_s=budget_s)
    session.clocks.read()
    issue = issue_time_ms(calls) if device == "cuda" else None
    work.drop_outputs()
    bandwidth = session.traffic(work, variant).bytes / (timing.median_ms / 1e3)
    return timing, Took(ms=timing.median_ms, bandwidth=bandwidth, issue_ms=issue)


def _report(session: Session, work: Work, variant: str, timing: Timing, took: dict[str, Took]) -> None:
    from labs.kit.fusion_registers import report_places

    limits, labels = session.limits, session.labels(work, variant=variant)
    traffic, reached = session.traffic(work, variant), took[variant].bandwidth
    session.report_time("time", timing, labels)
    issue_ms = took[variant].issue_ms
    if issue_ms is not None:
        session.report("issue_time", issue_ms * 1e3, "us", labels)
    session.report("transfers", traffic.transfers, "", labels)
    session.report("bytes_moved", traffic.bytes, "B", labels)
    session.report("achieved_bandwidth", reached / 1e9, "GB/s", labels)
    session.report("share_of_copy", 100 * reached / limits.copy, "%", labels)
    if limits.datasheet:
        session.report("share_of_datasheet", 100 * reached / limits.datasheet, "%", labels)
    session.report("arithmetic_intensity", traffic.intensity, "FLOP/B", labels)
    session.report("speedup", took["eager"].ms / timing.median_ms, "×", labels)
    report_places(session, work, variant)


def _add_rows(session: Session, case: Case) -> None:
    """The case's rows of the chart, sent at once so that it grows while the lab runs."""
    from labs.kit.fusion_findings import cached

    rows: list[list[Scalar]] = [
        [
            case.side,
            case.operands,
            variant,
            case.tensor_bytes / 1e6,
            took.ms,
            took.bandwidth / 1e9,
            100 * took.bandwidth / session.limits.copy,
            case.speedup(variant),
            cached(case.tensor_bytes, session.limits),
        ]
        for variant, took in case.variants.items()
    ]
    session.bench.series(
        "sizes", _COLUMNS, rows, tensor="MB", time="ms", bandwidth="GB/s", share_of_copy="%", speedup="×"
    )


def _explain(session: Session, work: Work, case: Case) -> Case:
    """Times eager's operations one by one and fused kernels with less to compute; says why."""
    from labs.kit.fusion_findings import explain, still_memory_bound
    from labs.kit.fusion_registers import where_they_lie
    from labs.kit.kernel_resources import known

    case = replace(case, operations=_operations(session, work))
    if session.bench.device == "cpu":
        session.steps.next("timing_operations")
        _fresh_memory(session, work, case)
    session.steps.next("timing_experiments")
    if not case.best:
        return case
    experiments: dict[str, Took] = {}
    for name, function in session.variants.experiments(work).items():
        timing, experiments[name] = _time(session, work, function, name, _SERIES_S)
        session.report_time("experiment_time", timing, session.labels(work, experiment=name))
    if "triton" in case.variants:
        experiments["short_erf"] = case.variants["triton"]
    for finding in explain(case, session.limits, experiments):
        session.bench.emit(finding)
    if "triton" in case.variants and work.operands == session.operands[0] and known(session.bench.device):
        session.bench.emit(where_they_lie(work, "triton", session.variants.resources(work)))
    flop = sum(operation.flop for operation in chain(session.gelu))
    intensity = session.traffic(work, case.best).intensity
    session.bench.emit(still_memory_bound(intensity, session.limits, session.gelu, flop))
    return case


def _operations(session: Session, work: Work) -> dict[str, Took]:
    """Each of eager's operations alone: its time and what it reaches by its own traffic."""
    from labs.kit.elementwise import separate_operations

    found: dict[str, Took] = {}
    functions = separate_operations(session.gelu)
    for operation in chain(session.gelu):
        session.steps.next("timing_operations")
        counted = fused(
            [operation],
            rows=work.side,
            columns=work.side,
            item_bytes=session.item_bytes,
            operands=work.operands,
        )
        timing, took = _time(session, work, functions[operation.name], operation.name, _SERIES_S)
        reached = counted.bytes / (timing.median_ms / 1e3)
        found[operation.name] = replace(took, bandwidth=reached)
        labels = session.labels(work, operation=operation.name)
        session.report_time("operation_time", timing, labels)
        session.report("operation_bandwidth", reached / 1e9, "GB/s", labels)
        session.report("operation_intensity", counted.intensity, "FLOP/B", labels)
    return found


def _fresh_memory(session: Session, work: Work, case: Case) -> None:
    """How much of eager's time on a CPU is fresh memory: each large new tensor is mapped page by page."""
    from labs.kit.elementwise import eager, into_kept_memory
    from labs.kit.page_faults import faults_of

    timing, _ = _time(session, work, into_kept_memory(session.gelu, work), "eager", _SERIES_S)
    labels = session.labels(work, variant="eager")
    session.report_time("time_in_kept_memory", timing, labels)
    faults = faults_of(lambda: eager(session.gelu)(work.inputs[0], work.scale, work.bias))
    if faults is not None:
        session.report("page_faults", faults, "", labels)
    eager_ms = case.variants["eager"].ms
    if faults and timing.median_ms < 0.8 * eager_ms:
        session.bench.finding(
            "fresh_memory_costs",
            operands=work.operands,
            eager_ms=eager_ms,
            kept_ms=timing.median_ms,
            share=100 * (1 - timing.median_ms / eager_ms),
            faults=faults,
        )


LAB = Lab(
    name="fusion",
    run=run,
    levers=(
        Lever("size", "auto", choices=SIZES),
        Lever("operands", "both", choices=("both", "row", "scalar")),
        Lever("gelu", "erf", choices=("erf", "tanh")),
    ),
    time_limit_s=600,
)
