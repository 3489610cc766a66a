"""Cuts a capture by the ranges that the program named, and says what a capture is made of."""

from __future__ import annotations

from dataclasses import dataclass

from engine.measure.analyse.intervals import length, union
from engine.measure.analyse.nsys_capture import Capture, NvtxRange


@dataclass(frozen=True, slots=True)
class Share:
    """What a capture's time went to, in nanoseconds."""

    wall: int
    load: int
    decode: int

    @property
    def decode_share(self) -> float:
        """Decode's part of the recorded time, from 0 to 1."""
        return self.decode / self.wall if self.wall else 0.0


def within(capture: Capture, name: str) -> Capture:
    """What began within the ranges of that name. A server that waits for the GPU at the end of each step
    leaves no work of a range running past its end."""
    spans = union((span.start, span.end) for span in capture.ranges if span.name == name)

    def inside(moment: int) -> bool:
        return any(start <= moment < end for start, end in spans)

    return Capture(
        work=tuple(work for work in capture.work if inside(work.start)),
        calls=None if capture.calls is None else tuple(call for call in capture.calls if inside(call.start)),
        ranges=tuple(span for span in capture.ranges if inside(span.start)),
        sums={},
        skipped=capture.skipped,
    )


def count(capture: Capture, name: str) -> int:
    """How many ranges of that name there are."""
    return sum(span.name == name for span in capture.ranges)


def share(capture: Capture) -> Share:
    """From the first thing recorded to the last, and how much of that was load and decode."""
    edges = [(work.start, work.end) for work in capture.work]
    edges += [(call.start, call.end) for call in capture.calls or ()]
    edges += [(span.start, span.end) for span in capture.ranges]
    wall = max(end for _, end in edges) - min(start for start, _ in edges) if edges else 0
    return Share(
        wall=wall,
        load=length(_spans(capture.ranges, "load")),
        decode=length(_spans(capture.ranges, "decode:")),
    )


def _spans(ranges: tuple[NvtxRange, ...], prefix: str) -> list[tuple[int, int]]:
    return union((span.start, span.end) for span in ranges if span.name.startswith(prefix))
