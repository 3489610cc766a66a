"""What the roofline says of a kernel before any report is opened: the pair of throughputs, and the limit.

Source: S. Williams, A. Waterman, D. Patterson, "Roofline", CACM 52(4), 2009. Nsight Compute gives both
throughputs as a share of the hardware's peak ("GPU Speed Of Light Throughput", Nsight Compute documentation),
so that the prediction is given as a share of the datasheet's peak too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Limit = Literal["memory", "compute"]


@dataclass(frozen=True, slots=True)
class Counted:
    """A kernel's work, counted on paper: bytes that must come from or go to memory, and FLOP."""

    bytes: int
    flop: int

    @property
    def intensity(self) -> float:
        """FLOP per byte."""
        return self.flop / self.bytes


@dataclass(frozen=True, slots=True)
class Roof:
    """What a GPU allows. Rates in B/s and FLOP/s; `start_s` is what a kernel takes beside its work: that of
    an empty one, and memory's latency at its start and at its end."""

    bandwidth: float
    peak_bandwidth: float
    rate: float
    peak_rate: float
    start_s: float

    @property
    def ridge(self) -> float:
        """FLOP per byte from which on the matrix units are the limit, by what was measured."""
        return self.rate / self.bandwidth


@dataclass(frozen=True, slots=True)
class Predicted:
    """The pair in percent of the peaks, the time in seconds, and which of the two is the limit."""

    memory: float
    compute: float
    seconds: float
    limit: Limit


def predict(work: Counted, roof: Roof) -> Predicted:
    """The roofline with measured ceilings, and the time to start and to end on top: a kernel of 30 µs is
    short enough for them to show."""
    memory_s, compute_s = work.bytes / roof.bandwidth, work.flop / roof.rate
    seconds = max(memory_s, compute_s) + roof.start_s
    return Predicted(
        memory=100 * work.bytes / seconds / roof.peak_bandwidth,
        compute=100 * work.flop / seconds / roof.peak_rate,
        seconds=seconds,
        limit="memory" if memory_s >= compute_s else "compute",
    )


def linear(*, rows: int, columns: int, batch: int, item_bytes: int) -> Counted:
    """`batch` vectors of `columns` numbers through a weight of rows × columns: every byte moved once."""
    elements = rows * columns + batch * (rows + columns)
    return Counted(bytes=elements * item_bytes, flop=2 * rows * columns * batch)


def elementwise(*, elements: int, item_bytes: int) -> Counted:
    """One operation per element: read once, written once."""
    return Counted(bytes=2 * elements * item_bytes, flop=elements)
