"""Reports a value that is no number."""

from labs.kit.lab import Bench, Lab


def run(bench: Bench) -> None:
    bench.metric("time", float("nan"), "ms")


LAB = Lab(name="not_finite", run=run, devices=("cpu",), uses_torch=False, time_limit_s=60)
