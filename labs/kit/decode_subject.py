"""The model that a decode lab looks at, and how it names its numbers."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from engine.measure.events import Metric, Scalar
from labs.kit.decode import Decoder
from labs.kit.lab import Bench
from labs.kit.models import SHAPES, Shape, StepBytes, name_of, random_model, step_bytes
from labs.kit.steps import Steps
from labs.kit.timing import Timing, undisturbed
from labs.kit.weight_type import weight_type

_TINY = {"tiny": Shape(2, 256, 704, 4, 4, 4096, 10000.0, 1e-5, 2048)}
"""Hardly any work in a kernel: the overhead by itself."""
_BEHIND = 0.5
"""Share of a step that the GPU must still have to do for the CPU to count as ahead of it."""
_DEFAULT = {"cuda": "tinyllama-1.1b", "cpu": "small"}


@dataclass(frozen=True, slots=True)
class Subject:
    """A Llama with random weights on the lab's device. `prompt` and `capacity` count tokens a sequence."""

    bench: Bench
    model: Any
    name: str
    dtype: torch.dtype
    prompt: int
    capacity: int

    @property
    def weights(self) -> str:
        return name_of(self.dtype)

    @property
    def layers(self) -> int:
        return int(self.model.config.num_hidden_layers)

    def reads(self, batch: int) -> StepBytes:
        """What a step in the middle of the run must read."""
        return step_bytes(self.model, batch=batch, context=(self.prompt + self.capacity) // 2)

    def labels(self, mode: str, batch: int, **more: Scalar) -> dict[str, Scalar]:
        return {"model": self.name, "weights": self.weights, "mode": mode, "batch": batch, **more}

    def report(
        self, name: str, value: float, unit: str, labels: dict[str, Scalar], spread: Timing | None = None
    ) -> None:
        low, high = (spread.low_ms, spread.high_ms) if spread else (None, None)
        samples = spread.samples if spread else None
        self.bench.emit(
            Metric(name=name, value=value, unit=unit, labels=labels, samples=samples, low=low, high=high)
        )


def open_subject(bench: Bench, steps: Steps, *, prompt: int, capacity: int) -> Subject:
    """Makes the model that the lever `model` names. Raises LabFailed where memory isn't enough."""
    steps.next("loading_transformers")
    import transformers

    transformers.utils.logging.set_verbosity_error()
    name = str(bench.params["model"])
    name = _DEFAULT[bench.device] if name == "auto" else name
    steps.next("random_weights")
    kind = weight_type(bench.device)
    model = random_model({**_TINY, **SHAPES}[name], device=bench.device, dtype=kind, tokens=capacity, batch=1)
    return Subject(bench, model, name, kind, prompt, capacity)


def stepper(decoder: Decoder) -> Callable[[], None]:
    """Steady decode as a call without arguments: the prompt is read and two tokens are behind it."""
    state = {"token": decoder.prefill()}

    def step() -> None:
        state["token"], _ = decoder.step(state["token"])

    step()
    step()
    return step


@dataclass(frozen=True, slots=True)
class CpuTime:
    """CPU time of a step in ms. `gpu_behind`: the GPU had most of a step to do when all had been issued."""

    ms: float
    gpu_behind: bool


def cpu_time(decoder: Decoder, steps: int = 12) -> CpuTime:
    """What a step costs the CPU to issue to the GPU.

    While the GPU keeps up, nothing holds the CPU, and the loop is the CPU's time. A CPU that is about a
    thousand launches ahead waits; then steps are issued one by one to an idle GPU, and the median counts.
    """
    step = stepper(decoder)
    with undisturbed():
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(steps):
            step()
        issued = time.perf_counter()
        torch.cuda.synchronize()
        each = (issued - start) / steps
        if time.perf_counter() - issued < _BEHIND * each:
            return CpuTime(each * 1e3, gpu_behind=False)
        step, times = stepper(decoder), []
        for _ in range(steps):
            torch.cuda.synchronize()
            start = time.perf_counter()
            step()
            times.append((time.perf_counter() - start) * 1e3)
    torch.cuda.synchronize()
    return CpuTime(statistics.median(times), gpu_behind=True)
