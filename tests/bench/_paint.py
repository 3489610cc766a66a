"""When the browser has painted something: shared by the benchmarks of the page."""

from __future__ import annotations

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
