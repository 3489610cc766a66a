"""Takes memory until there is none."""

import resource

from labs.kit.lab import Bench, Lab


def run(bench: Bench) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))
    bench.progress(0, 1, "eating")
    bytearray(2**34)


LAB = Lab(name="hungry", run=run, devices=("cpu",), uses_torch=False, time_limit_s=60)
