"""The kernels that `ncu_replay` looks at, and the program that launches each of them once under ncu.

As a program (`python -m labs.kit.ncu_cases LAYER BATCH`) it warms up, starts the profiler's range, launches
each case once and prints a line of JSON a case with the host's time for it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from labs.kit.speed_of_light import Counted, elementwise, linear

LAYERS = {"gate": (14336, 4096), "qkv": (6144, 4096), "lm_head": (128256, 4096)}
"""Rows × columns of Llama 3 8B's weights (meta-llama/Meta-Llama-3-8B, config.json): the gate or the up
projection; queries, keys and values in one; the LM head."""
PREFILL = 4096
"""Tokens of the compute-bound contrast."""
FIRST = "first"
"""A launch before the cases: the first one under ncu pays for setting ncu up."""
_BUFFERS_BYTES = 400 * 10**6
"""Copies of the weights that are taken in turn hold at least so much: several times any L2 of today."""


@dataclass(frozen=True, slots=True)
class Case:
    """One kernel: its work on paper, and calls on buffers of their own that do the same."""

    name: str
    batch: int
    counted: Counted
    calls: tuple[Callable[[], object], ...]


def build(layer: str, batch: int) -> list[Case]:
    """The cases on the current GPU, in bf16 and with random numbers."""
    rows, columns = LAYERS[layer]
    count = max(2, -(-_BUFFERS_BYTES // (2 * rows * columns)))
    weights = [_random(rows, columns) for _ in range(count)]
    found = []
    for name, tokens in (("gemv", 1), ("gemm", batch), ("prefill", PREFILL)):
        x = _random(tokens, columns)
        found.append(
            Case(
                name,
                tokens,
                linear(rows=rows, columns=columns, batch=tokens, item_bytes=2),
                tuple(_linear(x, weight) for weight in weights),
            )
        )
    counted = elementwise(elements=rows * columns, item_bytes=2)
    return [*found, Case("elementwise", 0, counted, tuple(_scaled(weight) for weight in weights))]


def _random(rows: int, columns: int) -> torch.Tensor:
    return torch.randn(rows, columns, device="cuda", dtype=torch.bfloat16)


def _linear(x: torch.Tensor, weight: torch.Tensor) -> Callable[[], object]:
    return lambda: torch.nn.functional.linear(x, weight)


def _scaled(x: torch.Tensor) -> Callable[[], object]:
    return lambda: x * 1.5


def main(arguments: Sequence[str] | None = None) -> None:
    """Launches each case once between the profiler's start and stop."""
    parser = argparse.ArgumentParser()
    parser.add_argument("layer", choices=LAYERS)
    parser.add_argument("batch", type=int)
    chosen = parser.parse_args(arguments)
    torch.manual_seed(1)
    cases = build(chosen.layer, chosen.batch)
    for case in cases:
        for _ in range(3):  # the libraries choose and load their kernels
            case.calls[-1]()
    nothing = torch.ones(1, device="cuda")
    torch.cuda.synchronize()
    torch.cuda.profiler.start()
    for name, call in ((FIRST, nothing.zero_), *((case.name, case.calls[0]) for case in cases)):
        started = time.perf_counter()
        call()
        torch.cuda.synchronize()
        line = json.dumps({"case": name, "wall_s": time.perf_counter() - started})
        sys.stdout.write(line + "\n")
    torch.cuda.profiler.stop()


if __name__ == "__main__":
    main()
