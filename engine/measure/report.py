"""Who wants to know how far something is."""

from __future__ import annotations

from collections.abc import Callable

from engine.measure.finding import Progress

Report = Callable[[Progress], None]
"""Is told how far a reader is: bytes of the file, rows, or a stage alone (a total of 0)."""
