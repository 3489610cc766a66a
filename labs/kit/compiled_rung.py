"""The decode step with reduce-overhead: compiled, and one CUDA graph. It counts only where it is that."""

from __future__ import annotations

from dataclasses import dataclass

from labs.kit.compiling import forget_compiled, why_no_compiler
from labs.kit.decode import EAGER, REDUCE_OVERHEAD, Decoder, agreement, random_prompt, reference
from labs.kit.decode_subject import Subject, cpu_time
from labs.kit.decode_timing import NotAsMeant, time_loop, warm_up, watch_gpu
from labs.kit.gap_findings import Point
from labs.kit.lab import LabFailed
from labs.kit.steps import Steps
from labs.kit.timing import Timing

_CHECKED, _TIMED, _PROFILED = 8, 40, 4


@dataclass(frozen=True, slots=True)
class CompiledStep:
    point: Point
    timing: Timing

    @property
    def ms(self) -> float:
        return self.point.ms


def compiled_step(subject: Subject, steps: Steps) -> CompiledStep | None:
    """Measures it at batch 1. None where it can't be compiled or fell back; a finding then says why."""
    bench = subject.bench
    missing = why_no_compiler(bench.device)
    if missing:
        bench.finding("compiler_missing", message=missing)
        return None
    steps.next("compiling")
    mode = REDUCE_OVERHEAD.name
    try:
        return _measure(subject)
    except NotAsMeant as fault:
        bench.finding(fault.code, mode=mode, **fault.args_of_finding)
    except LabFailed:
        raise
    except Exception as fault:  # a compiler may raise anything; it costs this row, not the lab
        if type(fault).__name__ == "OutOfMemoryError":
            raise
        text = str(fault).strip() or type(fault).__name__
        bench.log(text[-8000:])
        bench.finding("mode_failed", mode=mode, message=text.splitlines()[0][:300])
    finally:
        forget_compiled()
    return None


def _measure(subject: Subject) -> CompiledStep:
    model, device = subject.model, subject.bench.device
    prompt = random_prompt(model, batch=1, tokens=subject.prompt)
    expected = reference(Decoder(model, prompt, EAGER, subject.capacity), _CHECKED)
    decoder = Decoder(model, prompt, REDUCE_OVERHEAD, subject.capacity)
    warm_up(decoder)
    agrees = agreement(decoder, expected)
    if not agrees.holds:
        raise NotAsMeant(
            "tokens_differ", wrong=agrees.wrong, tokens=agrees.tokens, error=f"{agrees.logit_error:.2g}"
        )
    loop = time_loop(decoder, device, _TIMED)
    cpu = cpu_time(decoder).ms
    gpu = watch_gpu(decoder, _PROFILED)
    point = Point(
        size=1,
        ms=loop.timing.median_ms,
        profiled_ms=gpu.wall_ms / gpu.steps,
        cpu_ms=cpu,
        busy_ms=gpu.busy_ms / gpu.steps,
        kernels=gpu.kernels / gpu.steps,
        launches=gpu.launches / gpu.steps,
        gap_us=gpu.gap_p50_us,
    )
    return CompiledStep(point, loop.timing)
