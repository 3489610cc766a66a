"""What a decode step's numbers mean: the diagnosis that the card teaches, by gaps and MBU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.measure.events import Finding
from labs.kit.kernels import GpuTime

BUSY_BELOW = 0.7
"""Less of the step than this spent in kernels: the GPU waits for the CPU."""
MEMORY_BOUND_FROM = 70.0
"""MBU in % from which the card calls a step without gaps memory-bound ("70–80 %")."""
_OVER = 103.0
_FASTER = 1.15


@dataclass(frozen=True, slots=True)
class Decoded:
    """A rung's step. `weights` names their type; `gpu` only where there is one.

    The floors are the times of reading `bytes_read` at the measured and at the datasheet's bandwidth.
    """

    mode: str
    ms: float
    floor_ms: float
    floor_datasheet_ms: float | None = None
    gpu: GpuTime | None = None
    weights: str = "bf16"
    bytes_read: int = 0

    @property
    def mbu_measured(self) -> float:
        return 100 * self.floor_ms / self.ms

    @property
    def mbu_datasheet(self) -> float | None:
        return 100 * self.floor_datasheet_ms / self.ms if self.floor_datasheet_ms else None

    @property
    def busy_ms(self) -> float | None:
        """Time in kernels a step. The profiler hardly changes it, unlike the gaps."""
        return self.gpu.busy_ms / self.gpu.steps if self.gpu else None

    @property
    def busy_ratio(self) -> float | None:
        """Share of the unprofiled step spent in kernels."""
        return min(1.0, self.busy_ms / self.ms) if self.busy_ms is not None else None


def diagnose(step: Decoded) -> Iterator[Finding]:
    """Overhead, memory or one slow kernel; on a CPU only how far from the floor."""
    args: dict[str, str | int | float | bool | None] = {
        "mode": step.mode,
        "ms": step.ms,
        "mbu": step.mbu_measured,
        "mbu_datasheet": step.mbu_datasheet,
    }
    if step.mbu_measured > _OVER:
        yield Finding("over_ceiling", args)
        return
    gpu, busy = step.gpu, step.busy_ratio
    if gpu is None or busy is None:
        near = step.mbu_measured >= MEMORY_BOUND_FROM
        yield Finding("cpu_near_floor" if near else "cpu_off_floor", args)
        return
    args["busy"] = 100 * busy
    if busy < BUSY_BELOW:
        yield Finding(
            "overhead_bound",
            {
                **args,
                "kernels": round(gpu.kernels / gpu.steps),
                "launches": round(gpu.launches / gpu.steps),
                "gap_us": gpu.gap_p50_us,
                "busy_ms": step.busy_ms,
            },
        )
    elif step.mbu_measured >= MEMORY_BOUND_FROM:
        yield Finding("memory_bound", args)
    else:
        name, kernel_ms = gpu.heaviest[0]
        share = 100 * kernel_ms / (gpu.kernels_ms or gpu.busy_ms)
        yield Finding("slow_kernel", {**args, "kernel": _short(name), "share": share})
    profiled = gpu.wall_ms / gpu.steps
    if profiled > _FASTER * step.ms:
        yield Finding("profiler_widens_gaps", {"mode": step.mode, "with_ms": profiled, "without_ms": step.ms})


def compare(steps: Sequence[Decoded]) -> Iterator[Finding]:
    """What each rung gained over the one below, and why it isn't more."""
    by_mode = {step.mode: step for step in steps}
    eager = by_mode.get("eager")
    if eager is None:
        return
    static = by_mode.get("static")
    if static and static.ms > _FASTER * eager.ms:
        yield Finding("static_alone_slower", {"static_ms": static.ms, "eager_ms": eager.ms})
    compiled = by_mode.get("reduce-overhead") or by_mode.get("compiled")
    if compiled:
        yield from _compiling(eager, compiled)
    best = by_mode.get("best")
    if best and compiled:
        yield from _writing_kernels(compiled, best)
    full = [step for step in steps if step.weights == eager.weights]
    for mode in ("int8", "int4"):
        step = by_mode.get(mode)
        if step and step.gpu and best:
            yield from _fewer_bits(best, step)
        elif step and step.gpu is None:
            yield from _fewer_bits_on_cpu(min(full, key=lambda one: one.ms), step)


def _compiling(eager: Decoded, compiled: Decoded) -> Iterator[Finding]:
    times = eager.ms / compiled.ms
    if eager.gpu and compiled.gpu:
        yield Finding(
            "graphs_cure_overhead",
            {
                "times": round(times, 2),
                "eager_ms": eager.ms,
                "ms": compiled.ms,
                "launches": round(eager.gpu.launches / eager.gpu.steps),
                "kernels": round(eager.gpu.kernels / eager.gpu.steps),
                "kernels_left": round(compiled.gpu.kernels / compiled.gpu.steps),
                "mbu_before": eager.mbu_measured,
                "mbu_after": compiled.mbu_measured,
            },
        )
    elif eager.gpu is None:
        yield Finding(
            "cpu_compile_gains" if times > _FASTER else "cpu_compile_changes_little",
            {"times": round(times, 2), "eager_ms": eager.ms, "ms": compiled.ms, "mbu": compiled.mbu_measured},
        )


def _writing_kernels(compiled: Decoded, best: Decoded) -> Iterator[Finding]:
    if not compiled.gpu or not best.gpu:
        return
    yield Finding(
        "fused_kernels_gain" if best.ms < compiled.ms else "fused_kernels_lose",
        {
            "times": round(compiled.ms / best.ms, 2),
            "compiled_ms": compiled.ms,
            "ms": best.ms,
            "kernels": round(compiled.gpu.kernels / compiled.gpu.steps),
            "kernels_left": round(best.gpu.kernels / best.gpu.steps),
            "mbu_before": compiled.mbu_measured,
            "mbu_after": best.mbu_measured,
            "mbu_datasheet": best.mbu_datasheet,
            "rest_before": compiled.ms - compiled.floor_ms,
            "rest": best.ms - best.floor_ms,
        },
    )


def _fewer_bits(best: Decoded, step: Decoded) -> Iterator[Finding]:
    """Fewer bytes take less time only as far as bytes were the time: what stays is said in milliseconds."""
    yield Finding(
        "fewer_bits_gain" if step.ms < best.ms else "fewer_bits_lose",
        {
            "mode": step.mode,
            "times": round(best.ms / step.ms, 2),
            "full": best.weights,
            "full_ms": best.ms,
            "ms": step.ms,
            "fewer": round(best.bytes_read / step.bytes_read, 2),
            "floor_before": best.floor_ms,
            "floor": step.floor_ms,
            "rest_before": best.ms - best.floor_ms,
            "rest": step.ms - step.floor_ms,
            "mbu_before": best.mbu_measured,
            "mbu": step.mbu_measured,
        },
    )


def _fewer_bits_on_cpu(full: Decoded, step: Decoded) -> Iterator[Finding]:
    yield Finding(
        "cpu_int8_gains" if step.ms < full.ms else "cpu_int8_loses",
        {
            "times": round(full.ms / step.ms, 2),
            "full": full.weights,
            "full_ms": full.ms,
            "ms": step.ms,
            "fewer": round(full.bytes_read / step.bytes_read, 2),
            "mbu": step.mbu_measured,
        },
    )


def _short(kernel: str) -> str:
    """A kernel's name without its template arguments."""
    name = kernel.removeprefix("void ").split("(")[0]
    return (name.split("<")[0] or name)[:100]
