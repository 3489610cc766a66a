"""Fills the lesson's record table from what the lab saw."""

from __future__ import annotations

from engine.measure.hardware import environment
from labs.kit.ceilings import Limits, this_device_of
from labs.kit.decode_subject import Subject
from labs.kit.decode_trace import waited_for
from labs.kit.gap_measure import Seen
from labs.kit.record_table import COLUMNS, Given, Measured, rows


def record(
    subject: Subject,
    limits: Limits,
    empty_us: float,
    one: Seen,
    many: Seen | None,
    *,
    graph_ms: float | None,
    compiled_ms: float | None,
) -> None:
    """Reports the table as the series `record`; `many` is batch 32, where it was measured."""
    bench = subject.bench
    given = Given(
        layers=subject.layers,
        bandwidth=limits.datasheet or limits.copy,
        empty_us=empty_us,
        launch_us=one.point.launch_us,
        bytes_read=subject.reads(1).total,
    )
    waiting = [each for each in waited_for(one.traced.device.gaps) if each.operator]
    known = environment()
    versions = [f"{key} {known[key]}" for key in ("torch", "transformers") if key in known]
    table = rows(
        given,
        _measured(one),
        _measured(many) if many else None,
        graph_ms=graph_ms,
        compiled_ms=compiled_ms,
        operator=f"{waiting[0].operator} + {waiting[0].call}" if waiting else "–",
        versions=", ".join([this_device_of(bench).name, *versions]),
    )
    bench.series("record", COLUMNS, [row.cells() for row in table], ratio="×")


def _measured(seen: Seen) -> Measured:
    point = seen.point
    return Measured(point.kernels, point.busy_ms, point.ms, point.gap_us)
