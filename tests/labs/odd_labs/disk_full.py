"""Meets a full disk."""

import errno

from labs.kit.lab import Bench, Lab


def run(bench: Bench) -> None:
    raise OSError(errno.ENOSPC, "No space left on device", str(bench.artifacts / "trace.json"))


LAB = Lab(name="disk_full", run=run, devices=("cpu",), uses_torch=False, time_limit_s=60)
