"""Tells of the process that it runs in."""

import os
import sys

from labs.kit.lab import Bench, Lab


def run(bench: Bench) -> None:
    torch = sys.modules.get("torch")
    bench.metric("torch_loaded", int(torch is not None), "1")
    bench.metric("gpu_context", int(torch is not None and torch.cuda.is_initialized()), "1")
    bench.metric("leads_session", int(os.getsid(0) == os.getpid()), "1")
    bench.metric("parent", os.getppid(), "pid")
    bench.metric("sockets", sum(_is_socket(number) for number in os.listdir("/proc/self/fd")), "1")


def _is_socket(number: str) -> bool:
    try:
        return os.readlink(f"/proc/self/fd/{number}").startswith("socket:")
    except OSError:  # the one that listed the folder
        return False


LAB = Lab(name="tells", run=run, devices=("cpu",), uses_torch=False, time_limit_s=60)
