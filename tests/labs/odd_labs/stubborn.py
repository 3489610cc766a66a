"""Ignores SIGTERM, and so does its child, which lives in the same group."""

import signal
import subprocess
import sys

from labs.kit.lab import Bench, Lab

CHILD = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True); signal.pause()"


def run(bench: Bench) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with subprocess.Popen([sys.executable, "-c", CHILD], stdout=subprocess.PIPE) as child:
        assert child.stdout
        child.stdout.readline()
        bench.metric("child", child.pid, "pid")
        bench.progress(0, 1, "waiting")
        while True:
            signal.pause()


LAB = Lab(name="stubborn", run=run, devices=("cpu",), uses_torch=False, time_limit_s=60)
