"""Logs without end."""

from labs.kit.lab import Bench, Lab


def run(bench: Bench) -> None:
    bench.progress(0, 1, "flooding")
    while True:
        bench.log("flood " * 1000)


LAB = Lab(name="floods", run=run, devices=("cpu",), uses_torch=False, time_limit_s=60)
