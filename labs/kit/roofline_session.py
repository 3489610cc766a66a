"""What a run of the roofline lab has found so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.measure.device import Device
from engine.measure.events import Metric, Scalar
from engine.measure.specs import Spec
from labs.kit.ceilings import spec_of, this_device_of
from labs.kit.clocks import ClockWatch
from labs.kit.lab import Bench
from labs.kit.others import OtherLoad
from labs.kit.roofline_findings import Point
from labs.kit.steps import Steps
from labs.kit.timing import Timing


@dataclass(slots=True)
class Session:
    """One run. Bandwidths in B/s by access, rates in FLOP/s by dtype and side."""

    bench: Bench
    steps: Steps
    device: Device
    spec: Spec | None
    dtype: str
    """Of the kernels."""
    clocks: ClockWatch = field(default_factory=ClockWatch.start)
    others: OtherLoad = field(default_factory=OtherLoad)
    bandwidths: dict[str, float] = field(default_factory=dict)
    rates: dict[str, dict[int, float]] = field(default_factory=dict)
    points: list[Point] = field(default_factory=list)

    @classmethod
    def on(cls, bench: Bench, steps: Steps, dtype: str) -> Session:
        return cls(bench, steps, this_device_of(bench), spec_of(bench), dtype)

    def report(
        self, name: str, value: float, unit: str, labels: dict[str, Scalar], timing: Timing | None = None
    ) -> None:
        """A metric, with its spread where it is a time."""
        spread = {} if timing is None else {"low": timing.low_ms, "high": timing.high_ms}
        samples = None if timing is None else timing.samples
        self.bench.emit(Metric(name=name, value=value, unit=unit, labels=labels, samples=samples, **spread))

    def products(self) -> list[Point]:
        """The matrix products, in order of batch."""
        return [point for point in self.points if point.kernel == "gemm"]
