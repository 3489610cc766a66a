"""Waits past its time limit."""

import signal

from labs.kit.lab import Bench, Lab


def run(bench: Bench) -> None:
    bench.progress(0, 1, "waiting")
    while True:
        signal.pause()


LAB = Lab(name="overruns", run=run, devices=("cpu",), uses_torch=False, time_limit_s=1)
