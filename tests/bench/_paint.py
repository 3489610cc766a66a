"""When the browser has painted something: shared by the benchmarks of the page."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

PAINTED = """condition => new Promise((resolve, reject) => {
    const ends = performance.now() + 60000;
    const holds = new Function(`return (${condition})`);
    const look = () => {
        if (performance.now() > ends) return reject(new Error(`never: ${condition}`));
        if (!holds()) return requestAnimationFrame(look);
        const after = new MessageChannel();
        after.port1.onmessage = () => resolve(performance.now());
        requestAnimationFrame(() => after.port2.postMessage(null));
    };
    look();
})"""
"""Resolves once a condition (an expression) holds and the frame that shows it has been handed on;
fails after a minute."""

WATCH_KEYS = """() => window.addEventListener("keydown", event => {
    requestAnimationFrame(() => {
        const after = new MessageChannel();
        after.port1.onmessage = () => { window.painted = performance.now() - event.timeStamp; };
        after.port2.postMessage(null);
    });
}, true)"""
"""From now on `window.painted` is the time from a key press to the end of the frame after it, in ms."""


def spread(times: Sequence[float]) -> str:
    """Median with the 10th and 90th percentile, of milliseconds."""
    cuts = statistics.quantiles(times, n=10)
    return (
        f"{statistics.median(times):.1f} ms (80 % within {cuts[0]:.1f} to {cuts[-1]:.1f}, n = {len(times)})"
    )
