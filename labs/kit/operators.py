"""The operators that a decode step calls, by the profiler's record of the CPU."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from labs.kit.decode import Decoder
from labs.kit.decode_subject import stepper

_STEPS = 3


@dataclass(frozen=True, slots=True)
class Operators:
    """Outermost operators a step, and milliseconds a step while they are recorded."""

    count: float
    step_ms: float


def operators_of(decoder: Decoder) -> Operators:
    """Profiles a few steps on the CPU. Only what Python called itself is counted, not what that called."""
    step = stepper(decoder)
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], acc_events=True
    ) as profiler:
        for _ in range(_STEPS):
            with torch.profiler.record_function("a step"):
                step()
    spans = [
        (int(event.start_ns()), int(event.start_ns() + event.duration_ns()), event.name())
        for event in profiler.profiler.kineto_results.events()
    ]
    marks = [(start, end) for start, end, name in spans if name == "a step"]
    outermost, reached = 0, 0
    for start, end, name in sorted(spans, key=lambda span: (span[0], -span[1])):
        if name.startswith("aten::") and start >= reached:
            outermost += 1
            reached = end
    return Operators(outermost / _STEPS, sum(end - start for start, end in marks) / 1e6 / _STEPS)
