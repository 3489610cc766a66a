"""The ways to launch one decode step: eager, fused, as a CUDA graph, both, and with more work a launch.

Each is timed first; what the GPU did is looked at only when all have been timed: a profiler leaves hooks in
the driver that make every later launch dearer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from labs.kit.decode import EAGER, Decoder, Mode, Reference, agreement, random_prompt, reference
from labs.kit.decode_subject import Subject, cpu_time, stepper
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
    """One way as measured. Times in ms a step; `gpu` is None on a CPU and until it was looked at."""

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


@dataclass(frozen=True, slots=True)
class Candidate:
    """A decoder that is ready in a way of its own. `replays`: as the CUDA graph that it recorded."""

    mode: str
    batch: int
    decoder: Decoder
    replays: bool = False


def expected_of(subject: Subject) -> Reference:
    """Eager's tokens at batch 1, which every other way must choose too."""
    prompt = random_prompt(subject.model, batch=1, tokens=subject.prompt)
    return reference(Decoder(subject.model, prompt, EAGER, subject.capacity), _CHECKED)


def eager(subject: Subject, batch: int) -> Candidate:
    """As transformers runs it: a growing cache, a launch for every operator."""
    prompt = random_prompt(subject.model, batch=batch, tokens=subject.prompt)
    decoder = Decoder(subject.model, prompt, EAGER, subject.capacity)
    warm_up(decoder)
    return Candidate("eager", batch, decoder)


def graphed(subject: Subject) -> Candidate:
    """Eager's kernels with a static cache in one CUDA graph: only the launching changes."""
    prompt = random_prompt(subject.model, batch=1, tokens=subject.prompt)
    decoder = GraphedDecoder(subject.model, prompt, STATIC, subject.capacity)
    decoder.record()
    return Candidate("graph", 1, decoder, replays=True)


def fused(subject: Subject, next_stage: Callable[[str], None]) -> Iterator[Candidate]:
    """Compiled without CUDA graphs, and (on a GPU) the compiled step in one."""
    prompt = random_prompt(subject.model, batch=1, tokens=subject.prompt)
    next_stage("compiling")
    decoder = GraphedDecoder(subject.model, prompt, FUSED, subject.capacity)
    warm_up(decoder)
    next_stage("timing_fused")
    yield Candidate("fused", 1, decoder)
    if subject.bench.device == "cuda":
        next_stage("timing_fused_graph")
        decoder.record()
        yield Candidate("fused_graph", 1, decoder, replays=True)


def checked(candidate: Candidate, expected: Reference) -> None:
    """Raises NotAsMeant where it doesn't choose eager's tokens."""
    _set(candidate)
    agrees = agreement(candidate.decoder, expected)
    if not agrees.holds:
        raise NotAsMeant(
            "tokens_differ", wrong=agrees.wrong, tokens=agrees.tokens, error=f"{agrees.logit_error:.2g}"
        )


def timed(subject: Subject, candidate: Candidate) -> Way:
    """The step's time, and what it costs the CPU."""
    _set(candidate)
    device, decoder = subject.bench.device, candidate.decoder
    if device == "cpu":
        timing = time_loop(decoder, device, _TIMED[device]).timing
        return Way(candidate.mode, candidate.batch, timing, cpu_ms=timing.median_ms)
    # twice over the same lengths: an attention library may prepare itself for each new one
    time_loop(decoder, device, _TIMED[device])
    loop = time_loop(decoder, device, _TIMED[device])
    return Way(candidate.mode, candidate.batch, loop.timing, cpu_time(decoder).ms)


def looked_at(candidate: Candidate) -> GpuTime:
    """What the GPU does in it. Raises NotAsMeant where a graph isn't one, LabFailed where nothing is seen."""
    _set(candidate)
    gpu = profile(stepper(candidate.decoder), _PROFILED)
    if gpu.kernels == 0:
        raise LabFailed("permission", NO_KERNELS)
    if candidate.replays and gpu.graph_launches != gpu.steps:
        raise NotAsMeant(
            "no_graph",
            graph_launches=round(gpu.graph_launches / gpu.steps, 2),
            launches=round(gpu.launches / gpu.steps, 1),
        )
    return gpu


def _set(candidate: Candidate) -> None:
    """The compiled decoder is two ways in one: launched kernel by kernel, or as its graph."""
    if isinstance(candidate.decoder, GraphedDecoder):
        candidate.decoder.replays = candidate.replays
