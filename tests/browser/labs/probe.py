"""A quick lab for the tests: times copies of a buffer in memory, for as long as it is told to."""

from __future__ import annotations

import os
import statistics
import time

from labs.kit.lab import Bench, Lab, LabFailed, Lever

SIZE = 8 * 1024 * 1024


def run(bench: Bench) -> None:
    repeats = int(bench.params["repeats"] or 1)
    ending = bench.params["ending"]
    source, target = bytearray(os.urandom(SIZE)), bytearray(SIZE)
    times: list[float] = []
    for done in range(repeats):
        bench.progress(done, repeats, "copying")
        started = time.perf_counter()
        target[:] = source
        times.append(time.perf_counter() - started)
        bench.series("samples", ["repeat", "time"], [[done, times[-1] * 1e3]], time="ms")
        time.sleep(float(bench.params["pause"] or 0))
    bench.log(f"copied {repeats} times")
    if ending == "crash":
        os._exit(7)
    if ending == "memory":
        raise LabFailed("out_of_memory", "2 TB were asked for, 1 TB is free.")
    if target != source:
        raise LabFailed("unsupported", "The copy differs from its source.")
    low, middle, high = statistics.quantiles(times, n=4) if len(times) > 1 else times * 3
    for variant, factor in (("once", 1), ("twice", 2)):
        bench.metric(
            "time",
            middle * factor * 1e3,
            "ms",
            samples=len(times),
            low=low * factor * 1e3,
            high=high * factor * 1e3,
            variant=variant,
        )
    bench.metric("floor", low * 1e3, "ms", ceiling="measured")
    bench.metric("copy_bandwidth", 2 * SIZE / middle / 1e9, "GB/s")
    bench.finding("copied", rate=2 * SIZE / middle / 1e9)


LAB = Lab(
    name="probe",
    run=run,
    levers=(
        Lever("repeats", 20, low=1, high=100_000),
        Lever("pause", 0.02, low=0.0, high=10.0),
        Lever("ending", "finish", choices=("finish", "crash", "memory")),
    ),
    devices=("cpu",),
    time_limit_s=120,
    uses_torch=False,
)
