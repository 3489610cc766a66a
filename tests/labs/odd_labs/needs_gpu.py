"""Runs on a GPU only."""

from labs.kit.lab import Bench, Lab


def run(bench: Bench) -> None:
    bench.metric("time", 1.0, "ms")


LAB = Lab(name="needs_gpu", run=run, devices=("cuda",), uses_torch=False, time_limit_s=60)
