"""Waits for ever, and tells that it was told to end."""

import signal

from labs.kit.lab import Bench, Lab


def run(bench: Bench) -> None:
    try:
        bench.progress(0, 1, "waiting")
        while True:
            signal.pause()
    finally:
        (bench.artifacts / "cleaned-up").touch()


LAB = Lab(name="hangs", run=run, devices=("cpu",), uses_torch=False, time_limit_s=60)
