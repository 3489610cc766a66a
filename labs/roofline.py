"""This device's two ceilings, the ridge point between them, and where a learner's own kernels lie below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labs.kit.lab import Bench, Lab, LabFailed, Lever
from labs.kit.steps import Steps

if TYPE_CHECKING:
    from labs.kit.ceilings import Limits
    from labs.kit.roofline_session import Session

_SWEEP_S, _RATE_S = 0.05, 0.1
_CACHES_LARGE = 8
"""From this many times the cache on, next to nothing of a working set is left in it."""


def run(bench: Bench) -> None:
    """Measures bandwidth by size, the matrix rate by dtype and size, then kernels against both."""
    steps = Steps(bench, 40)
    steps.next("preparing")
    from labs.kit.roofline_points import measure_kernels
    from labs.kit.roofline_session import Session
    from labs.kit.timing import settle

    if bench.device == "cpu":
        import torch

        bench.metric("threads", torch.get_num_threads(), "")
    settle()
    session = Session.on(bench, steps, _dtype(bench))
    _plan(session)
    _memory(session)
    _by_size(session)
    _rates(session)
    _ridge(session)  # so that the points come under a roof as they are measured
    measure_kernels(session)
    limits = _ridge(session)
    _conclude(session, limits)


def _dtype(bench: Bench) -> str:
    """The dtype of the kernels: what was asked for, or what this device decodes in."""
    import torch

    from labs.kit.weight_type import weight_type

    chosen = str(bench.params["dtype"])
    names = {torch.bfloat16: "bf16", torch.float16: "fp16", torch.float32: "fp32"}
    return names[weight_type(bench.device)] if chosen == "auto" else chosen


def _plan(session: Session) -> None:
    """Counts the steps that are ahead."""
    from labs.kit.matrix_rates import SIDES, dtypes_here
    from labs.kit.roofline_kernels import BATCHES
    from labs.kit.roofline_points import ATTENTION_BATCHES
    from labs.kit.sweeps import Sweeper

    device, steps = session.bench.device, session.steps
    rates = len(dtypes_here(device)) * len(SIDES[device])
    kernels = len(BATCHES) + len(ATTENTION_BATCHES[device]) + 4
    steps.total = steps.done + 1 + 3 + 3 + len(Sweeper.on(device).sizes()) + rates + kernels


def _memory(session: Session) -> None:
    """Copying, reading and writing what fits into no cache; the copy checked by ways of other makes."""
    from labs.kit.ceilings import measure_copy, measure_read, measure_write
    from labs.kit.copies import independent_ways, measure_way
    from labs.kit.roofline_findings import AGREES, bandwidth_against, copy_checked
    from labs.kit.triton_here import why_no_triton

    bench, reached = session.bench, session.bandwidths
    for name, measure in (("copy", measure_copy), ("read", measure_read), ("write", measure_write)):
        session.steps.next(f"measuring_{name}")
        with session.others.during():
            reached[name] = measure(bench.device, None, 0.3)
        session.clocks.read()
        bench.metric(f"{name}_bandwidth", reached[name] / 1e9, "GB/s")
    if session.spec:
        bench.metric("datasheet_bandwidth", session.spec.bandwidth / 1e9, "GB/s")
    bus = session.device.bus_bandwidth
    if bus:
        bench.metric("bus_bandwidth", bus / 1e9, "GB/s")
    if bench.device == "cuda" and (missing := why_no_triton()):
        bench.finding("no_triton", message=missing)
    ways: dict[str, float] = {}
    with independent_ways(bench.device) as found:
        for name, copy in found.items():
            session.steps.next("checking_copy")
            with session.others.during():
                ways[name] = measure_way(copy, bench.device)
            bench.metric("copy_check", ways[name] / 1e9, "GB/s", way=name)
    best = max(ways.values())
    bench.metric("copy_agreement", 100 * reached["copy"] / best, "%")
    bench.emit(copy_checked(reached["copy"], ways))
    if reached["copy"] < (1 - AGREES) * best:
        # a ceiling is the most that was reached, by whatever way
        reached["copy"] = best
        bench.metric("copy_bandwidth", best / 1e9, "GB/s")
    if session.spec:
        bench.metric("copy_of_datasheet", 100 * reached["copy"] / session.spec.bandwidth, "%")
        if bus:
            bench.metric("bus_agreement", 100 * bus / session.spec.bandwidth, "%")
    for finding in bandwidth_against(reached["copy"], session.spec, session.device):
        bench.emit(finding)


def _by_size(session: Session) -> None:
    """Working sets from within the cache to many times its size."""
    from labs.kit.ceilings import cache_bytes
    from labs.kit.roofline_findings import cache_against
    from labs.kit.sweeps import ACCESSES, MIB, Sweeper

    bench, sweeper = session.bench, Sweeper.on(session.bench.device)
    cache = cache_bytes(bench.device)
    bench.metric("cache_size", cache, "B")
    highest: dict[str, float] = {}
    for size in sweeper.sizes():
        session.steps.next("sweeping")
        for access in ACCESSES:
            with session.others.during():
                reached = sweeper.measure(access, size, _SWEEP_S)
            bench.series(
                "bandwidth_by_size",
                ("working_set", "access", "bandwidth"),
                [[size / MIB, access, reached / 1e9]],
                working_set="MiB",
                bandwidth="GB/s",
            )
            if size <= cache:
                highest[access] = max(reached, highest.get(access, 0.0))
            elif size >= _CACHES_LARGE * cache and reached > session.bandwidths[access]:
                # a ceiling is the most that was reached, by whatever kernel
                session.bandwidths[access] = reached
                bench.metric(f"{access}_bandwidth", reached / 1e9, "GB/s")
    for name, most in highest.items():
        bench.metric("cache_bandwidth", most / 1e9, "GB/s", access=name)
    if "read" in highest:
        bench.emit(cache_against(highest["read"], session.bandwidths["read"], cache))


def _rates(session: Session) -> None:
    """Square products of every dtype that the device may have units for."""
    from labs.kit.matrix_rates import SIDES, dtypes_here

    bench = session.bench
    for dtype in dict.fromkeys((*dtypes_here(bench.device), session.dtype)):
        sides = SIDES[bench.device]
        for place, side in enumerate(sides):
            session.steps.next("multiplying")
            reached = _rate(session, dtype, side)
            if reached is None:
                session.steps.skip(len(sides) - place - 1)
                break
            session.rates.setdefault(dtype, {})[side] = reached
            bench.series(
                "matrix_rate", ("side", "dtype", "rate"), [[side, dtype, reached / 1e12]], rate="TFLOP/s"
            )
        if by_side := session.rates.get(dtype):
            best = max(by_side, key=by_side.__getitem__)
            bench.metric("matmul_rate", by_side[best] / 1e12, "TFLOP/s", dtype=dtype)
            bench.metric("best_side", best, "", dtype=dtype)
    if session.dtype not in session.rates:
        raise LabFailed("unsupported", f"torch has no matrix product in {session.dtype} on this device.")


def _rate(session: Session, dtype: str, side: int) -> float | None:
    """The rate at that side; None where torch has no such product, or it would take too long or too much."""
    from labs.kit.matrix_rates import LONGEST_MS, fits, measure_rate

    device, known = session.bench.device, session.rates.get(dtype, {})
    if not fits(dtype, side, device):
        return None
    if known and 2e3 * side**3 / max(known.values()) > LONGEST_MS[device]:
        return None
    try:
        with session.others.during():
            reached = measure_rate(dtype, side, device, _RATE_S)
    except RuntimeError as error:
        if type(error).__name__ == "OutOfMemoryError":
            raise
        # a dtype that this build of torch or this GPU has no product for
        line = (str(error).strip() or type(error).__name__).splitlines()[0]
        session.bench.finding("dtype_missing", dtype=dtype, message=line[:300])
        return None
    session.clocks.read()
    return reached


def _ridge(session: Session) -> Limits:
    """Keeps the ceilings as far as they are known now, and reports the ridge point between them.

    A kernel's matrix product counts like a square one: a ceiling is the highest rate that was measured.
    """
    from engine.measure.ceilings import Ceilings
    from labs.kit.ceilings import keep, limits_of

    bench = session.bench
    rates = {name: max(by_side.values()) for name, by_side in session.rates.items()}
    rates[session.dtype] = max([rates[session.dtype], *(point.rate for point in session.products())])
    measured = Ceilings(
        copy_bandwidth=session.bandwidths["copy"],
        read_bandwidth=session.bandwidths["read"],
        matmul_rate=rates,
    )
    keep(bench, measured)
    limits = limits_of(bench, measured, session.dtype)
    bench.metric("matmul_rate", limits.matmul / 1e12, "TFLOP/s", dtype=session.dtype)
    bench.metric("ridge_point", limits.ridge_measured, "FLOP/B", ceiling="measured", dtype=session.dtype)
    if limits.ridge_datasheet:
        bench.metric(
            "ridge_point", limits.ridge_datasheet, "FLOP/B", ceiling="datasheet", dtype=session.dtype
        )
    for name, rate in rates.items():
        peak = session.spec.peak(name) if session.spec else None
        if peak:
            bench.metric("datasheet_matmul_rate", peak / 1e12, "TFLOP/s", dtype=name)
            bench.metric("matmul_of_datasheet", 100 * rate / peak, "%", dtype=name)
    return limits


def _conclude(session: Session, limits: Limits) -> None:
    """Everything the numbers say."""
    from labs.kit import roofline_findings as said

    bench, points, products = session.bench, session.points, session.products()
    for point in points:
        session.report("share_of_roof", 100 * point.share(limits), "%", dict(point.labels))
    bench.metric("batch_same_time", said.same_time_up_to(products).batch or 1, "", dtype=limits.dtype)
    for ceiling, ridge in (("measured", limits.ridge_measured), ("datasheet", limits.ridge_datasheet)):
        crossed = said.batch_at(products, ridge) if ridge else None
        if crossed:
            bench.metric("batch_at_ridge", crossed.batch or 1, "", ceiling=ceiling, dtype=limits.dtype)
    for findings in (
        said.rates_against(session.rates, limits),
        said.ridge(limits),
        said.products_said(products, limits),
        said.others_said(points, limits),
        said.over_roof(points, limits),
    ):
        for finding in findings:
            bench.emit(finding)
    session.clocks.report(bench)
    session.others.report(bench)
    if bench.device == "cpu":
        bench.finding("cpu_ceilings")


LAB = Lab(
    name="roofline",
    run=run,
    levers=(
        Lever("model", "auto", choices=("auto", "tinyllama-1.1b", "llama-2-7b", "llama-3-8b")),
        Lever("dtype", "auto", choices=("auto", "bf16", "fp16", "fp32")),
        Lever("context", "auto", choices=("auto", "512", "2048", "4096", "8192")),
    ),
    time_limit_s=600,
)
