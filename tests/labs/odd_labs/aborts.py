"""Crashes in C."""

import os

from labs.kit.lab import Bench, Lab


def run(bench: Bench) -> None:
    bench.progress(0, 1, "working")
    bench.log("about to crash")
    os.abort()


LAB = Lab(name="aborts", run=run, devices=("cpu",), uses_torch=False, time_limit_s=60)
