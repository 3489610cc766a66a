"""What stays the same during a run of the fusion lab: levers read, variants found, ceilings known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

import torch

from engine.measure.events import Metric, Scalar
from labs.kit.ceilings import DTYPES, Limits, limits_here
from labs.kit.clocks import ClockWatch
from labs.kit.compiling import why_no_compiler
from labs.kit.elementwise import Variant, Work, bytes_needed
from labs.kit.fusion_epilogue import steps_of
from labs.kit.lab import Bench
from labs.kit.memory import free_bytes, require
from labs.kit.others import OtherLoad
from labs.kit.steps import Steps
from labs.kit.timing import Timing
from labs.kit.traffic import Gelu, Operands, Traffic, chain, fused, separate
from labs.kit.variants import Variants

_DEFAULT_SIDE = {"cuda": 16384, "cpu": 4096}
_SERIES = {"cuda": (1024, 2048, 4096, 8192, 16384, 32768), "cpu": (512, 1024, 2048, 4096)}
_MEMORY_SHARE = 0.8


@dataclass(slots=True)
class Session:
    """One run. `dropped` holds variants that failed: they are not tried at further sizes."""

    bench: Bench
    steps: Steps
    limits: Limits
    variants: Variants
    clocks: ClockWatch
    others: OtherLoad
    dtype: str
    item_bytes: int
    main_side: int
    operands: tuple[Operands, ...]
    dropped: set[str] = field(default_factory=set)

    @property
    def gelu(self) -> Gelu:
        return self.variants.gelu

    def traffic(self, work: Work, variant: str) -> Traffic:
        """What the variant moves on paper."""
        count = separate if variant == "eager" else fused
        return count(
            chain(self.gelu),
            rows=work.side,
            columns=work.side,
            item_bytes=self.item_bytes,
            operands=work.operands,
        )

    def labels(self, work: Work, **more: Scalar) -> dict[str, Scalar]:
        """The labels of a metric of this case."""
        return {
            "rows": work.side,
            "columns": work.side,
            "operands": work.operands,
            "dtype": self.dtype,
            "gelu": self.gelu,
            **more,
        }

    def report(self, name: str, value: float, unit: str, labels: dict[str, Scalar]) -> None:
        self.bench.emit(Metric(name=name, value=value, unit=unit, labels=labels))

    def report_time(self, name: str, timing: Timing, labels: dict[str, Scalar]) -> None:
        """A time in milliseconds with its spread and how it was taken."""
        self.bench.emit(
            Metric(
                name=name,
                value=timing.median_ms,
                unit="ms",
                labels={**labels, "method": timing.method},
                samples=timing.samples,
                low=timing.low_ms,
                high=timing.high_ms,
            )
        )

    def sides(self) -> tuple[int, ...]:
        """The main size first, then those for the chart; what memory has no room for is left out."""
        device, main = self.bench.device, self.main_side
        room = _MEMORY_SHARE * free_bytes(device)
        wanted = (main // 2, main) if main < min(_SERIES[device]) else _SERIES[device]
        fitting = {s for s in wanted if bytes_needed(s, self.item_bytes, self.limits.cache_bytes) < room}
        return (main, *sorted(fitting - {main}))


def open_session(bench: Bench, steps: Steps) -> Session:
    """Finds out which variants can run, measures ceilings that aren't known, and counts the steps.

    Raises LabFailed where the main size doesn't fit into memory.
    """
    names: tuple[Variant, ...] = ("eager", "compiled")
    dtype = "fp32"  # a CPU without bf16 units would spend its time converting
    if bench.device == "cuda":
        names = ("eager", "compiled", "triton")
        dtype = "bf16" if torch.version.hip or torch.cuda.get_device_capability()[0] >= 8 else "fp16"
    else:
        bench.metric("threads", torch.get_num_threads(), "")
    missing = why_no_compiler(bench.device)
    if missing:
        bench.finding("compiler_missing", message=missing)
        names = ("eager",)
    chosen, size = bench.params["operands"], str(bench.params["size"])
    session = Session(
        bench=bench,
        steps=steps,
        limits=limits_here(bench, dtype, steps.next),
        variants=Variants(bench.device, cast("Gelu", bench.params["gelu"]), names),
        clocks=ClockWatch.start(),
        others=OtherLoad(),
        dtype=dtype,
        item_bytes=DTYPES[dtype].itemsize,
        main_side=_DEFAULT_SIDE[bench.device] if size == "auto" else int(size),
        operands=("row", "scalar") if chosen == "both" else (cast("Operands", chosen),),
    )
    require(
        bytes_needed(session.main_side, session.item_bytes, session.limits.cache_bytes),
        bench.device,
        what=f"size={session.main_side} in {dtype}",
        instead="Choose a smaller size, or end what else uses the memory.",
    )
    each = 1 + 2 * len(names)
    explaining = 4 if bench.device == "cuda" else 5
    cases = len(session.operands) * (each * len(session.sides()) + explaining)
    steps.total = steps.done + 1 + cases + steps_of(bench.device)
    return session
