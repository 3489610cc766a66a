"""A small file of each kind that the readers take."""

from __future__ import annotations

import gzip
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.measure.analyse.nsys_export import decode
from tests.measure.analyse.workloads import training


def trace() -> bytes:
    """20 operators that each launch a kernel."""
    events: list[dict[str, Any]] = [{"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "python"}}]
    for n in range(20):
        at = 1712195495519000.125 + 50 * n
        cpu = {"ph": "X", "pid": 9, "tid": 9}
        args = {"correlation": n, "device": 0, "stream": 7}
        events += [
            cpu | {"cat": "cpu_op", "name": "aten::linear", "ts": at, "dur": 40},
            cpu | {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": at + 5, "dur": 4, "args": args},
            {
                "ph": "X",
                "cat": "kernel",
                "name": "k",
                "pid": 0,
                "tid": 7,
                "ts": at + 12,
                "dur": 9,
                "args": args,
            },
        ]
    return json.dumps({"schemaVersion": 1, "traceEvents": events}).encode()


def ncu() -> bytes:
    """Tool lines, then a table with a kernel's Speed Of Light pair and a rule."""
    row = '"0","1","python","k<int, 4>(T1)","1","7","(128, 1, 1)","(224, 1, 1)","0","9.0",'
    return (
        "==PROF== Connected to process 1\nhello from the program\n"
        '"ID","Process ID","Process Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device",'
        '"CC","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name",'
        '"Rule Type","Rule Description"\n'
        f'{row}"Speed","Memory Throughput","%","79.24","","",""\n'
        f'{row}"Speed","Duration","us","31.78","","",""\n'
        f'{row}"Speed","Elapsed Cycles","cycle","13,485","","",""\n'
        f'{row}"Speed","","","","Bottleneck","OPT","memory is busy, compute is not"\n'
    ).encode()


def nsys_csv() -> bytes:
    """A trace of the GPU and a summary."""
    head = "Start (ns),Duration (ns),CorrId,GrdX,Bytes (MB),Device,Ctx,Strm,Name\n"
    rows = [f'{n * 9000},4000,{n},1,,NVIDIA H200 (0),1,7,"k<int, {n}>(T1)"\n' for n in range(12)]
    copies = [f"{n * 9000 + 5000},400,{n},,0.5,GPU (0),1,7,[CUDA memcpy HtoD]\n" for n in range(12)]
    sums = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Name\n100.0,48000,12,4000.0,4000.0,k\n"
    return (head + "".join(rows + copies) + "\n" + sums).encode()


def nsys_sqlite(folder: Path) -> bytes:
    return decode(3, cost=5000, kernel=2000).write(folder / "sample.sqlite").read_bytes()


KINDS: dict[str, tuple[str, str, Callable[[Path], bytes]]] = {
    "trace": ("trace.json", "trace", lambda _: trace()),
    "trace in gzip": ("trace.json.gz", "trace", lambda _: gzip.compress(trace())),
    "snapshot": ("snapshot.pickle", "memory_snapshot", lambda _: pickle.dumps(training(0))),
    "ncu": ("report.csv", "ncu", lambda _: ncu()),
    "nsys csv": ("stats.csv", "nsys", lambda _: nsys_csv()),
    "nsys sqlite": ("report.sqlite", "nsys", nsys_sqlite),
}
"""File name, the kind it must be recognised as, and what makes it."""
