"""Ends well and leaves a child behind."""

import subprocess
import sys

from labs.kit.lab import Bench, Lab

CHILD = "import signal; signal.pause()"


def run(bench: Bench) -> None:
    child = subprocess.Popen([sys.executable, "-c", CHILD])
    bench.metric("child", child.pid, "pid")


LAB = Lab(name="leaves_child", run=run, devices=("cpu",), uses_torch=False, time_limit_s=60)
