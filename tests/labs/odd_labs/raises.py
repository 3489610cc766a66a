"""Raises an error that nobody expected."""

from labs.kit.lab import Bench, Lab


def run(bench: Bench) -> None:
    bench.progress(0, 1, "working")
    raise ZeroDivisionError("no step took any time\nsecond line")


LAB = Lab(name="raises", run=run, devices=("cpu",), uses_torch=False, time_limit_s=60)
