"""The room's one exception."""

from __future__ import annotations

from engine.faults import BenchcardsError


class MeasureError(BenchcardsError):
    """Something about a measurement is wrong: which file, field or device, and what to do."""
