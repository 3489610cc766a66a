"""Writes small traces event by event, as PyTorch's profiler does; times in microseconds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MAIN, BACKWARD = 9, 10
"""Threads of the program."""


class Trace:
    """A trace in the making. Every method returns the trace."""

    def __init__(self, gpu: str | None = None) -> None:
        self.events: list[dict[str, Any]] = []
        self._gpu = gpu

    def cpu(
        self, cat: str, name: str, start: float, end: float, correlation: int | None = None, tid: int = MAIN
    ) -> Trace:
        """Something that a thread did."""
        args = {} if correlation is None else {"correlation": correlation}
        self.events.append(
            {"ph": "X", "cat": cat, "name": name, "pid": 9, "tid": tid, "ts": start, "dur": end - start}
            | {"args": args}
        )
        return self

    def op(self, name: str, start: float, end: float, tid: int = MAIN) -> Trace:
        return self.cpu("cpu_op", name, start, end, tid=tid)

    def call(self, name: str, start: float, end: float, correlation: int, tid: int = MAIN) -> Trace:
        return self.cpu("cuda_runtime", name, start, end, correlation, tid=tid)

    def launch(self, start: float, end: float, correlation: int, tid: int = MAIN) -> Trace:
        return self.call("cudaLaunchKernel", start, end, correlation, tid)

    def step(self, number: int, start: float, end: float) -> Trace:
        return self.cpu("user_annotation", f"ProfilerStep#{number}", start, end)

    def range(self, name: str, start: float, end: float) -> Trace:
        return self.cpu("user_annotation", name, start, end)

    def work(
        self,
        start: float,
        end: float,
        correlation: int,
        name: str = "k",
        *,
        cat: str = "kernel",
        stream: int = 7,
        device: int = 0,
        **args: Any,
    ) -> Trace:
        """Something that a GPU did."""
        self.events.append(
            {
                "ph": "X",
                "cat": cat,
                "name": name,
                "pid": device,
                "tid": stream,
                "ts": start,
                "dur": end - start,
            }
            | {"args": {"device": device, "stream": stream, "correlation": correlation, **args}}
        )
        return self

    def write(self, path: Path) -> Path:
        head: dict[str, Any] = (
            {} if self._gpu is None else {"deviceProperties": [{"id": 0, "name": self._gpu}]}
        )
        path.write_text(json.dumps(head | {"traceEvents": self.events}), encoding="utf-8")
        return path


def decode(
    steps: int, *, kernels: int = 20, launch: float = 10.0, kernel: float = 2.0, graph: bool = False
) -> Trace:
    """Decode steps: each launches its kernels one by one from an operator, or all at once by a graph.

    One by one a kernel begins when it was launched, so between two the GPU waits `launch` - `kernel`.
    """
    trace, at, number = Trace("NVIDIA H200"), 0.0, 0
    for step in range(steps):
        begin = at
        if graph:
            number += 1
            trace.call("cudaGraphLaunch", at, at + launch, number)
            for n in range(kernels):
                trace.work(at + launch + n * kernel, at + launch + (n + 1) * kernel, number, f"gemv_{n % 4}")
            at += launch + kernels * kernel
        else:
            for n in range(kernels):
                number += 1
                trace.op("aten::linear", at, at + launch - 1)
                trace.launch(at + launch / 2, at + launch - 2, number)
                trace.work(at + launch - 2, at + launch - 2 + kernel, number, f"gemv_{n % 4}")
                at += launch
        trace.step(step, begin, at)
    return trace


def everything() -> Trace:
    """A little of all that a trace may hold: steps, ranges, graphs, copies, waits, overheads."""
    trace = decode(4, kernels=6)
    for n in range(4):
        at = 300.0 + 100 * n
        trace.range("layer", at, at + 80).step(10 + n, at, at + 90)
        trace.call("cudaGraphLaunch", at + 5, at + 10, 500 + n)
        trace.work(at + 10, at + 20, 500 + n, "nvjet_gemm").work(at + 20, at + 25, 500 + n, "softmax")
        trace.call("cudaMemcpyAsync", at + 30, at + 32, 600 + n)
        trace.work(
            at + 32, at + 40, 600 + n, "Memcpy DtoH (Device -> Pageable)", cat="gpu_memcpy", bytes=4096
        )
        trace.call("cudaStreamSynchronize", at + 33, at + 45, 700 + n)
        trace.work(at + 50, at + 70, 800 + n, "ncclDevKernel_AllReduce", stream=20)
        trace.work(at + 10, at + 40, 0, "layer", cat="gpu_user_annotation")
        trace.cpu("overhead", "Buffer Flush", at + 50, at + 52)
    return trace
