"""Says what was damaged in a trace, what was repaired and what is missing: warnings beside the analysis."""

from __future__ import annotations

from engine.measure.analyse.chrome_trace import ChromeTrace
from engine.measure.finding import Finding


def damage_said(trace: ChromeTrace) -> list[Finding]:
    """One warning for each kind of damage, with the line of the first."""
    damage = trace.damage
    found = []
    if damage.mended:
        found.append(Finding("mended_events", {"events": damage.mended, "line": damage.mended_line}))
    if damage.numbers:
        found.append(Finding("no_number", {"events": damage.numbers, "line": damage.numbers_line}))
    if damage.dropped:
        found.append(Finding("dropped_events", {"events": damage.dropped, "line": damage.dropped_line}))
    if damage.broken_end_line:
        found.append(Finding("broken_end", {"line": damage.broken_end_line, "events": trace.events}))
    if trace.text_times:
        found.append(Finding("text_times", {"events": trace.text_times}))
    if trace.without_args:
        found.append(Finding("work_without_args", {"events": trace.without_args}))
    return found
