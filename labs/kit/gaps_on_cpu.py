"""What of the experiment a CPU can show: the step by batch, and what calling an operator costs.

Kernels run where they are called, so there are no launches, no gaps and no trace of a GPU.
"""

from __future__ import annotations

from collections.abc import Sequence

from labs.kit.decode import EAGER, Decoder, random_prompt
from labs.kit.decode_subject import Subject, open_subject
from labs.kit.decode_timing import time_loop, warm_up
from labs.kit.lab import Bench
from labs.kit.launch_cost import launch_cost
from labs.kit.operators import operators_of
from labs.kit.others import OtherLoad
from labs.kit.steps import Steps

PROMPT, CAPACITY, TIMED = 16, 48, 12


def run_on_cpu(bench: Bench, steps: Steps, batches: Sequence[int]) -> None:
    """Times the batches, counts a step's operators, and sets their bare calling cost against the step."""
    subject = open_subject(bench, steps, prompt=PROMPT, capacity=CAPACITY)
    others, steps_ms = OtherLoad(), []
    for batch in batches:
        steps.next("decoding_batch")
        prompt = random_prompt(subject.model, batch=batch, tokens=PROMPT)
        decoder = Decoder(subject.model, prompt, EAGER, CAPACITY)
        warm_up(decoder)
        with others.during():
            loop = time_loop(decoder, "cpu", TIMED)
        ms = loop.timing.median_ms
        steps_ms.append(ms)
        labels = subject.labels("eager", batch)
        subject.report("ms_per_token", ms, "ms", labels, loop.timing)
        subject.report("tokens_per_second", 1e3 * batch / ms, "token/s", labels)
        bench.series("batches_cpu", ["batch", "time"], [[batch, ms]], time="ms")
    _operators(subject, steps, steps_ms[0])
    bench.finding(
        "cpu_batch",
        batch=batches[-1],
        ms=steps_ms[0],
        ms_after=steps_ms[-1],
        times=steps_ms[-1] / steps_ms[0],
    )
    bench.finding("needs_gpu_for_gaps")
    others.report(bench)


def _operators(subject: Subject, steps: Steps, step_ms: float) -> None:
    steps.next("counting_operators")
    prompt = random_prompt(subject.model, batch=1, tokens=PROMPT)
    seen = operators_of(Decoder(subject.model, prompt, EAGER, CAPACITY))
    labels = subject.labels("eager", 1)
    subject.report("operators_per_step", seen.count, "", labels)
    subject.report("profiled_step", seen.step_ms, "ms", labels)
    steps.next("calling_operators")
    cost = launch_cost("cpu", subject.dtype)
    call_us = cost.unlaunched.median_ms * 1e3
    subject.bench.metric("call_time", call_us, "us", call="unlaunched")
    subject.bench.finding(
        "cpu_operators",
        operators=round(seen.count),
        call_us=call_us,
        overhead_ms=seen.count * call_us / 1e3,
        ms=step_ms,
        share=100 * seen.count * call_us / 1e3 / step_ms,
    )
