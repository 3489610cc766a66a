"""Behaves: counts, and reports one of each event."""

import sys

from labs.kit.lab import Bench, Lab, Lever


def run(bench: Bench) -> None:
    print("printed by the lab")
    sys.stderr.write("warned by the lab\n")
    steps = int(bench.params["steps"] or 0)
    for step in range(steps):
        bench.progress(step, steps, "counting")
        bench.series("steps", ["step", "square"], [[step, step * step]], square="1")
    bench.log("logged by the lab")
    bench.metric("time", 1.5, "ms", samples=3, low=1.25, high=1.75, variant="eager")
    bench.finding("counted", steps=steps)
    file = bench.artifacts / "note.txt"
    file.write_text("left by the lab", encoding="utf-8")
    bench.artifact("note", file, "text/plain")


LAB = Lab(
    name="counts",
    run=run,
    levers=(
        Lever("steps", 3, low=1, high=1000),
        Lever("mode", "fast", choices=("fast", "slow")),
        Lever("share", 0.5, low=0, high=1),
        Lever("exact", False),
    ),
    devices=("cpu",),
    time_limit_s=60,
    uses_torch=False,
)
