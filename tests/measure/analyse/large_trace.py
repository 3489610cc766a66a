"""Writes a trace as PyTorch's profiler of today does, of any size: operators, launches, arrows, kernels."""

from __future__ import annotations

from pathlib import Path

HEAD = """{
  "schemaVersion": 1,
  "deviceProperties": [{"id": 0, "name": "NVIDIA H200", "numSms": 132}],
  "displayTimeUnit": "ms",
  "baseTimeNanoseconds": 1770000000000000000,
  "traceEvents": [
"""
EVENT = """  {{
    "ph": "X", "cat": "cpu_op", "name": "aten::{op}", "pid": 4242, "tid": 4242,
    "ts": {at}.125, "dur": 38.500,
    "args": {{
      "External id": {n},"Record function id": 0, "Concrete Inputs": ["", "", ""], \
"Input type": ["c10::BFloat16", "c10::BFloat16", ""], \
"Input Strides": [[4096, 4096, 1], [1, 4096], []], \
"Input Dims": [[1, 1, 4096], [4096, 4096], []], "Ev Idx": {n}
    }}
  }},
  {{
    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 4242, "tid": 4242,
    "ts": {launched}.375, "dur": 4.250,
    "args": {{
      "External id": {n}, "cbid": 211, "correlation": {n}
    }}
  }},
  {{
    "ph": "s", "id": {n}, "pid": 4242, "tid": 4242, "ts": {launched}.375,
    "cat": "ac2g", "name": "ac2g"
  }},
  {{
    "ph": "X", "cat": "kernel", "name": "void at::native::vectorized_elementwise_kernel<4, {op}, \
std::array<char*, 2ul> >(int, {op}, std::array<char*, 2ul>)", "pid": 0, "tid": 7,
    "ts": {run}.625, "dur": 9.250,
    "args": {{
      "External id": {n}, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": {n},
      "registers per thread": 32, "shared memory": 0, "blocks per SM": 0.484848, "warps per SM": 1.939394,
      "grid": [64, 1, 1], "block": [128, 1, 1], "est. achieved occupancy %": 3
    }}
  }},
  {{
    "ph": "f", "id": {n}, "pid": 0, "tid": 7, "ts": {run}.625,
    "cat": "ac2g", "name": "ac2g", "bp": "e"
  }},
"""
TAIL = """  {
    "name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", "ts": 0
  }
  ],
  "traceName": "large.json"
}
"""
OPERATORS = ("linear", "silu", "mul", "add", "rms_norm", "softmax", "copy_")
STEP_US = 50
BEGIN_US = 4_458_676_522_690
"""As large as profilers write it beside a baseTimeNanoseconds."""


def write_large_trace(path: Path, size: int) -> int:
    """Write a trace of about `size` bytes. Returns its number of kernels: each 9.25 µs of every 50 µs."""
    kernels = 0
    with path.open("w", encoding="utf-8") as file:
        written = file.write(HEAD)
        while written < size:
            at = BEGIN_US + STEP_US * kernels
            written += file.write(
                EVENT.format(
                    n=kernels, op=OPERATORS[kernels % len(OPERATORS)], at=at, launched=at + 5, run=at + 12
                )
            )
            kernels += 1
        file.write(TAIL)
    return kernels
