"""Is killed as the kernel kills when memory runs out."""

import os
import signal

from labs.kit.lab import Bench, Lab


def run(bench: Bench) -> None:
    bench.progress(0, 1, "working")
    os.kill(os.getpid(), signal.SIGKILL)


LAB = Lab(name="killed", run=run, devices=("cpu",), uses_torch=False, time_limit_s=60)
