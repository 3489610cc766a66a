"""Small chrome traces for tests: kernels, launches, operators and named parts at given microseconds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def kernel(ts: float, dur: float, correlation: int, name: str = "k") -> dict[str, Any]:
    args = {"device": 0, "stream": 7, "correlation": correlation}
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": ts, "dur": dur, "args": args}


def launch(ts: float, dur: float, correlation: int, name: str = "cudaLaunchKernel") -> dict[str, Any]:
    args = {"correlation": correlation}
    return {
        "ph": "X", "cat": "cuda_runtime", "name": name, "pid": 9, "tid": 9, "ts": ts, "dur": dur,
        "args": args,
    }  # fmt: skip


def operator(name: str, ts: float, dur: float) -> dict[str, Any]:
    return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 9, "tid": 9, "ts": ts, "dur": dur, "args": {}}


def part(name: str, ts: float, dur: float) -> dict[str, Any]:
    return {
        "ph": "X", "cat": "user_annotation", "name": f"part:{name}", "pid": 9, "tid": 9, "ts": ts, "dur": dur,
    }  # fmt: skip


def written(folder: Path, *events: dict[str, Any]) -> Path:
    path = folder / "trace.json"
    path.write_text(json.dumps({"traceEvents": list(events)}), encoding="utf-8")
    return path
