"""The ways to launch one decode step: eager, fused, as a CUDA graph, both, and with more work a launch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from labs.kit.compiling import forget_compiled
from labs.kit.decode import EAGER, Decoder, Mode, Reference, agreement, random_prompt, reference
from labs.kit.decode_subject import Subject, issue_ms, stepper
from labs.kit.decode_timing import NotAsMeant, time_loop, warm_up
from labs.kit.graphed import GraphedDecoder
from labs.kit.kernels import GpuTime, profile
from labs.kit.lab import LabFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from labs.kit.timing import Timing

FUSED = Mode("fused", "static", "default")
STATIC = Mode("static", "static")
_CHECKED, _PROFILED = 8, 4
_TIMED = {"cuda": 24, "cpu": 10}
NO_KERNELS = (
    "The profiler saw no work of the GPU, so nothing can be said of it. The driver may keep profiling from "
    "this user, or another profiler has the GPU: end it, or ask for access."
)


@dataclass(frozen=True, slots=True)
class Way:
    """One way as measured. Times in ms a step; `gpu` is None on a CPU."""

    mode: str
    batch: int
    timing: Timing
    cpu_ms: float
    gpu: GpuTime | None = None

    @property
    def ms(self) -> float:
        return self.timing.median_ms

    @property
    def tokens_per_second(self) -> float:
        return 1e3 * self.batch / self.ms

    @property
    def launches(self) -> float:
        return self.gpu.launches / self.gpu.steps if self.gpu else 0.0

    @property
    def kernels(self) -> float:
        return self.gpu.kernels / self.gpu.steps if self.gpu else 0.0

    @property
    def busy_ms(self) -> float:
        return self.gpu.busy_ms / self.gpu.steps if self.gpu else 0.0

    @property
    def busy_ratio(self) -> float:
        """Share of the unprofiled step in which the GPU works."""
        return min(1.0, self.busy_ms / self.ms)


def expected_of(subject: Subject) -> Reference:
    """Eager's tokens at batch 1, which every other way must choose too."""
    prompt = random_prompt(subject.model, batch=1, tokens=subject.prompt)
    return reference(Decoder(subject.model, prompt, EAGER, subject.capacity), _CHECKED)


def eager(subject: Subject, batch: int) -> Way:
    """As transformers runs it: a growing cache, a launch for every operator."""
    prompt = random_prompt(subject.model, batch=batch, tokens=subject.prompt)
    decoder = Decoder(subject.model, prompt, EAGER, subject.capacity)
    warm_up(decoder)
    return _measure(subject, decoder, "eager", batch)


def graphed(subject: Subject, expected: Reference) -> Way:
    """Eager's own kernels in one CUDA graph: only the launching changes. Raises NotAsMeant."""
    prompt = random_prompt(subject.model, batch=1, tokens=subject.prompt)
    decoder = GraphedDecoder(subject.model, prompt, STATIC, subject.capacity)
    decoder.record()
    return _checked(subject, decoder, "graph", expected, graphs=True)


def fused(subject: Subject, expected: Reference, next_stage: Callable[[str], None]) -> Iterator[Way]:
    """Compiled without CUDA graphs, and (on a GPU) the compiled step in one. Raises NotAsMeant."""
    prompt = random_prompt(subject.model, batch=1, tokens=subject.prompt)
    next_stage("compiling")
    decoder = GraphedDecoder(subject.model, prompt, FUSED, subject.capacity)
    try:
        warm_up(decoder)
        next_stage("timing_fused")
        yield _checked(subject, decoder, "fused", expected)
        if subject.bench.device == "cuda":
            next_stage("timing_fused_graph")
            decoder.record()
            yield _checked(subject, decoder, "fused_graph", expected, graphs=True)
    finally:
        forget_compiled()


def _checked(
    subject: Subject, decoder: Decoder, mode: str, expected: Reference, *, graphs: bool = False
) -> Way:
    agrees = agreement(decoder, expected)
    if not agrees.holds:
        raise NotAsMeant(
            "tokens_differ", mode=mode, wrong=agrees.wrong, tokens=agrees.tokens,
            error=f"{agrees.logit_error:.2g}",
        )  # fmt: skip
    way = _measure(subject, decoder, mode, 1)
    if graphs and way.gpu is not None and way.gpu.graph_launches != way.gpu.steps:
        raise NotAsMeant(
            "no_graph", mode=mode, graph_launches=round(way.gpu.graph_launches / way.gpu.steps, 2),
            launches=round(way.launches, 1),
        )  # fmt: skip
    return way


def _measure(subject: Subject, decoder: Decoder, mode: str, batch: int) -> Way:
    device = subject.bench.device
    if device == "cpu":
        timing = time_loop(decoder, device, _TIMED[device]).timing
        return Way(mode, batch, timing, cpu_ms=timing.median_ms)
    # twice over the same lengths: an attention library may prepare itself for each new one
    time_loop(decoder, device, _TIMED[device])
    loop = time_loop(decoder, device, _TIMED[device])
    cpu = issue_ms(decoder)
    gpu = profile(stepper(decoder), _PROFILED)
    if gpu.kernels == 0:
        raise LabFailed("permission", NO_KERNELS)
    return Way(mode, batch, loop.timing, cpu, gpu)
