"""This device's two ceilings, the ridge point between them, and where a learner's own kernels lie below."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.measure.events import Metric
from labs.kit.lab import Bench, Lab, LabFailed, Lever
from labs.kit.steps import Steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import torch

    from engine.measure.events import Scalar
    from labs.kit.ceilings import Limits
    from labs.kit.clocks import ClockWatch
    from labs.kit.others import OtherLoad
    from labs.kit.roofline_findings import Point
    from labs.kit.roofline_kernels import Kernel
    from labs.kit.timing import Timing

_SWEEP_S, _RATE_S, _KERNEL_S = 0.05, 0.1, 0.06
_LONGEST_KERNEL_MS = 250.0
"""A kernel that takes longer ends the row of batches (a CPU): a dozen calls of each are needed."""
_ATTENTION_BATCHES = {"cuda": (1, 8, 64), "cpu": (1, 8)}
_DEFAULT_MODEL = {"cuda": "llama-3-8b", "cpu": "tinyllama-1.1b"}
_MOSTLY_READ = 0.9
_DEFAULT_CONTEXT = {"cuda": 4096, "cpu": 2048}


@dataclass(slots=True)
class _Run:
    """One run: what was found so far."""

    bench: Bench
    steps: Steps
    clocks: ClockWatch
    others: OtherLoad
    bandwidths: dict[str, float] = field(default_factory=dict)
    rates: dict[str, dict[int, float]] = field(default_factory=dict)
    points: list[Point] = field(default_factory=list)

    def report(
        self, name: str, value: float, unit: str, labels: dict[str, Scalar], timing: Timing | None = None
    ) -> None:
        """A metric, with its spread where it is a time."""
        spread = {} if timing is None else {"low": timing.low_ms, "high": timing.high_ms}
        samples = None if timing is None else timing.samples
        self.bench.emit(Metric(name=name, value=value, unit=unit, labels=labels, samples=samples, **spread))


def run(bench: Bench) -> None:
    """Measures bandwidth by size, the matrix rate by dtype and size, then kernels against both."""
    steps = Steps(bench, 40)
    steps.next("preparing")
    from labs.kit.clocks import ClockWatch
    from labs.kit.others import OtherLoad

    now = _Run(bench, steps, ClockWatch.start(), OtherLoad())
    if bench.device == "cpu":
        import torch

        bench.metric("threads", torch.get_num_threads(), "")
    dtype = _dtype(bench)
    _plan(now)
    _memory(now)
    _by_size(now)
    _rates(now, dtype)
    limits = _limits(now, dtype)
    _kernels(now, limits)
    _conclude(now, limits)


def _dtype(bench: Bench) -> str:
    """The dtype of the kernels: what was asked for, or what this device decodes in."""
    import torch

    from labs.kit.weight_type import weight_type

    chosen = str(bench.params["dtype"])
    names = {torch.bfloat16: "bf16", torch.float16: "fp16", torch.float32: "fp32"}
    return names[weight_type(bench.device)] if chosen == "auto" else chosen


def _plan(now: _Run) -> None:
    """Counts the steps that are ahead."""
    from labs.kit.matrix_rates import SIDES, dtypes_here
    from labs.kit.roofline_kernels import BATCHES
    from labs.kit.sweeps import Sweeper

    device = now.bench.device
    rates = len(dtypes_here(device)) * len(SIDES[device])
    kernels = len(BATCHES) + len(_ATTENTION_BATCHES[device]) + 4
    now.steps.total = now.steps.done + 1 + 3 + 3 + len(Sweeper.on(device).sizes()) + rates + kernels


def _memory(now: _Run) -> None:
    """Copying, reading and writing what fits into no cache; the copy checked by ways of other makes."""
    from labs.kit.ceilings import measure_copy, measure_read, measure_write, spec_of, this_device_of
    from labs.kit.copies import independent_ways, measure_way
    from labs.kit.roofline_findings import bandwidth_against, copy_checked

    bench = now.bench
    for name, measure in (("copy", measure_copy), ("read", measure_read), ("write", measure_write)):
        now.steps.next(f"measuring_{name}")
        with now.others.during():
            now.bandwidths[name] = measure(bench.device, None, 0.3)
        now.clocks.read()
        bench.metric(f"{name}_bandwidth", now.bandwidths[name] / 1e9, "GB/s")
    device, row = this_device_of(bench), spec_of(bench)
    if row:
        bench.metric("datasheet_bandwidth", row.bandwidth / 1e9, "GB/s")
    if device.bus_bandwidth:
        bench.metric("bus_bandwidth", device.bus_bandwidth / 1e9, "GB/s")
    ways: dict[str, float] = {}
    with independent_ways(bench.device) as found:
        for name, copy in found.items():
            now.steps.next("checking_copy")
            with now.others.during():
                ways[name] = measure_way(copy, bench.device)
            bench.metric("copy_check", ways[name] / 1e9, "GB/s", way=name)
    copy_rate = now.bandwidths["copy"]
    bench.metric("copy_agreement", 100 * copy_rate / max(ways.values()), "%")
    if row:
        bench.metric("copy_of_datasheet", 100 * copy_rate / row.bandwidth, "%")
        if device.bus_bandwidth:
            bench.metric("bus_agreement", 100 * device.bus_bandwidth / row.bandwidth, "%")
    bench.emit(copy_checked(copy_rate, ways))
    for finding in bandwidth_against(copy_rate, row, device):
        bench.emit(finding)


def _by_size(now: _Run) -> None:
    """Working sets from within the cache to many times its size."""
    from labs.kit.ceilings import cache_bytes
    from labs.kit.roofline_findings import cache_against
    from labs.kit.sweeps import ACCESSES, MIB, Sweeper

    bench, sweeper = now.bench, Sweeper.on(now.bench.device)
    cache = cache_bytes(bench.device)
    bench.metric("cache_size", cache, "B")
    highest: dict[str, float] = {}
    for size in sweeper.sizes():
        now.steps.next("sweeping")
        for access in ACCESSES:
            with now.others.during():
                reached = sweeper.measure(access, size, _SWEEP_S)
            row = [size / MIB, access, reached / 1e9]
            bench.series(
                "bandwidth_by_size",
                ("working_set", "access", "bandwidth"),
                [row],
                working_set="MiB",
                bandwidth="GB/s",
            )
            if size <= cache:
                highest[access] = max(reached, highest.get(access, 0.0))
    for name, most in highest.items():
        bench.metric("cache_bandwidth", most / 1e9, "GB/s", access=name)
    if "read" in highest:
        bench.emit(cache_against(highest["read"], now.bandwidths["read"], cache))


def _rates(now: _Run, wanted: str) -> None:
    """Square products of every dtype that the device may have units for."""
    from labs.kit.matrix_rates import SIDES, dtypes_here

    bench = now.bench
    for dtype in dict.fromkeys((*dtypes_here(bench.device), wanted)):
        sides = SIDES[bench.device]
        for place, side in enumerate(sides):
            now.steps.next("multiplying")
            reached = _rate(now, dtype, side)
            if reached is None:
                now.steps.skip(len(sides) - place - 1)
                break
            now.rates.setdefault(dtype, {})[side] = reached
            bench.series(
                "matrix_rate",
                ("side", "dtype", "rate"),
                [[side, dtype, reached / 1e12]],
                rate="TFLOP/s",
            )
        if dtype in now.rates:
            best = max(now.rates[dtype], key=lambda side, of=dtype: now.rates[of][side])  # type: ignore[misc]
            bench.metric("matmul_rate", now.rates[dtype][best] / 1e12, "TFLOP/s", dtype=dtype)
            bench.metric("best_side", best, "", dtype=dtype)
    if wanted not in now.rates:
        raise LabFailed("unsupported", f"torch has no matrix product in {wanted} on this device.")


def _rate(now: _Run, dtype: str, side: int) -> float | None:
    """The rate at that side; None where torch has no such product, or it would take too long or too much."""
    from labs.kit.matrix_rates import LONGEST_MS, fits, measure_rate

    device, known = now.bench.device, now.rates.get(dtype, {})
    if not fits(dtype, side, device):
        return None
    if known and 2e3 * side**3 / max(known.values()) > LONGEST_MS[device]:
        return None
    try:
        with now.others.during():
            reached = measure_rate(dtype, side, device, _RATE_S)
    except RuntimeError as error:
        if type(error).__name__ == "OutOfMemoryError":
            raise
        # a dtype that this build of torch or this GPU has no product for
        now.bench.finding("dtype_missing", dtype=dtype, message=str(error).strip().splitlines()[0][:300])
        return None
    now.clocks.read()
    return reached


def _limits(now: _Run, dtype: str) -> Limits:
    """Keeps the ceilings, and reports the ridge point."""
    from engine.measure.ceilings import Ceilings
    from labs.kit.ceilings import keep, limits_of, spec_of

    bench = now.bench
    measured = Ceilings(
        copy_bandwidth=now.bandwidths["copy"],
        read_bandwidth=now.bandwidths["read"],
        matmul_rate={name: max(by_side.values()) for name, by_side in now.rates.items()},
    )
    keep(bench, measured)
    limits = limits_of(bench, measured, dtype)
    bench.metric("ridge_point", limits.ridge_measured, "FLOP/B", ceiling="measured", dtype=dtype)
    if limits.ridge_datasheet:
        bench.metric("ridge_point", limits.ridge_datasheet, "FLOP/B", ceiling="datasheet", dtype=dtype)
    row = spec_of(bench)
    for name, rate in measured.matmul_rate.items():
        peak = row.peak(name) if row else None
        if peak:
            bench.metric("datasheet_matmul_rate", peak / 1e12, "TFLOP/s", dtype=name)
            bench.metric("matmul_of_datasheet", 100 * rate / peak, "%", dtype=name)
    return limits


def _kernels(now: _Run, limits: Limits) -> None:
    """The learner's kernels one after the other, each a point under the roof."""
    from labs.kit.models import SHAPES
    from labs.kit.roofline_kernels import Setting, attentions, elementwise, products

    bench = now.bench
    model, context = str(bench.params["model"]), str(bench.params["context"])
    model = _DEFAULT_MODEL[bench.device] if model == "auto" else model
    setting = Setting(
        device=bench.device,
        dtype=limits.dtype,
        shape=SHAPES[model],
        context=_DEFAULT_CONTEXT[bench.device] if context == "auto" else int(context),
        cache_bytes=limits.cache_bytes,
    )
    labels: dict[str, Scalar] = {"model": model, "dtype": limits.dtype}
    _measure_all(now, limits, products(setting), "timing_gemm", labels)
    of_context: dict[str, Scalar] = {**labels, "context": setting.context}
    _measure_all(
        now, limits, attentions(setting, _ATTENTION_BATCHES[bench.device]), "timing_attention", of_context
    )
    chain = _chain(bench.device, limits.dtype)
    _measure_all(now, limits, elementwise(setting, chain), "timing_elementwise", {"dtype": limits.dtype})


def _chain(device: str, dtype: str) -> Callable[[torch.Tensor], torch.Tensor] | None:
    """Multiply, add and GELU in one kernel, where there is Triton and the kernel is exact enough."""
    from labs.kit.compiling import why_no_compiler

    if device != "cuda" or why_no_compiler("cuda"):
        return None
    from labs.kit.fused_triton import SHORT_GELU, TILINGS, scale_bias_gelu

    gelu = SHORT_GELU.get(dtype, "library")
    return lambda x: scale_bias_gelu(x, 1.25, 0.125, gelu=gelu, tiling=TILINGS[1])


def _measure_all(
    now: _Run, limits: Limits, kernels: Iterator[Kernel], stage: str, labels: dict[str, Scalar]
) -> None:
    """Times each kernel and sends its point at once. A row of batches ends where a call takes too long."""
    from labs.kit.roofline_findings import Point
    from labs.kit.timing import time_calls

    bench = now.bench
    for kernel in kernels:
        now.steps.next(stage)
        with now.others.during():
            timing = time_calls(kernel.calls, device=bench.device, budget_s=_KERNEL_S)
        now.clocks.read()
        seconds = timing.median_ms / 1e3
        # what is only read comes from memory faster than a copy on some devices
        slope = limits.read if kernel.reads > _MOSTLY_READ else limits.copy
        point = Point(
            kernel=kernel.name,
            batch=kernel.batch,
            intensity=kernel.intensity,
            rate=kernel.flop / seconds,
            ms=timing.median_ms,
            roof=min(kernel.intensity * max(slope, limits.copy), limits.matmul),
        )
        now.points.append(point)
        of: dict[str, Scalar] = {"kernel": kernel.name, **labels}
        if kernel.batch is not None:
            of["batch"] = kernel.batch
        now.report("kernel_time", timing.median_ms, "ms", of, timing)
        now.report("kernel_intensity", kernel.intensity, "FLOP/B", of)
        now.report("kernel_rate", point.rate / 1e12, "TFLOP/s", of)
        now.report("kernel_bandwidth", kernel.bytes / seconds / 1e9, "GB/s", of)
        now.report("share_of_roof", 100 * point.share, "%", of)
        bench.series(
            "roofline",
            ("intensity", "rate", "kernel", "batch", "dtype"),
            [[kernel.intensity, point.rate / 1e12, kernel.name, kernel.batch, limits.dtype]],
            intensity="FLOP/B",
            rate="TFLOP/s",
        )
        if timing.median_ms > _LONGEST_KERNEL_MS / 2:
            return


def _conclude(now: _Run, limits: Limits) -> None:
    """Everything the numbers say."""
    from labs.kit import roofline_findings as said

    bench = now.bench
    ridges = {"measured": limits.ridge_measured}
    if limits.ridge_datasheet:
        ridges["datasheet"] = limits.ridge_datasheet
    products = [point for point in now.points if point.kernel == "gemm"]
    bench.metric("batch_same_time", said.same_time_up_to(products).batch or 1, "", dtype=limits.dtype)
    for ceiling, at in ridges.items():
        crossed = said.batch_at(products, at)
        if crossed:
            bench.metric("batch_at_ridge", crossed.batch or 1, "", ceiling=ceiling, dtype=limits.dtype)
    for findings in (
        said.rates_against(now.rates, limits),
        said.ridge(limits),
        said.products_said(products, ridges),
        said.others_said(now.points, limits.ridge_measured),
        said.over_roof(now.points),
    ):
        for finding in findings:
            bench.emit(finding)
    now.clocks.report(bench)
    now.others.report(bench)
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
