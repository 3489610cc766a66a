"""A decode step against the time that reading its weights takes: MBU, eager and compiled."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from labs.kit.lab import Bench, Lab, LabFailed, Lever
from labs.kit.steps import Steps

if TYPE_CHECKING:
    import torch

    from engine.measure.events import Scalar
    from labs.kit.ceilings import Limits
    from labs.kit.clocks import ClockWatch
    from labs.kit.decode import Agreement, Mode, Reference
    from labs.kit.decode_findings import Decoded
    from labs.kit.decode_timing import LoopTime
    from labs.kit.kernels import GpuTime
    from labs.kit.models import StepBytes
    from labs.kit.others import OtherLoad
    from labs.kit.timing import Timing

MODELS = ("auto", "small", "tinyllama-1.1b", "llama-2-7b", "llama-3-8b")
_DEFAULT_MODEL = {"cuda": "tinyllama-1.1b", "cpu": "small"}
_STEPS_OF_A_MODE = 5
_CLEARLY_SLOWER = 1.3


@dataclass(frozen=True, slots=True)
class _Plan:
    """How many tokens each part takes."""

    prompt: int
    checked: int
    timed: int
    profiled: int

    @property
    def capacity(self) -> int:
        """Tokens that the longest part needs; the warm-up takes up to 16, the loops skip two."""
        return self.prompt + max(self.checked, self.timed + 2, self.profiled + 2, 16)


_PLANS = {"cuda": _Plan(128, 16, 40, 6), "cpu": _Plan(32, 8, 16, 0)}


@dataclass(slots=True)
class _Session:
    bench: Bench
    steps: Steps
    plan: _Plan
    model: Any
    model_name: str
    dtype: str
    batch: int
    limits: Limits
    clocks: ClockWatch
    others: OtherLoad
    read: StepBytes

    def labels(self, mode: str | None = None, **more: Scalar) -> dict[str, Scalar]:
        labels: dict[str, Scalar] = {"model": self.model_name, "weights": self.dtype, "batch": self.batch}
        return {**labels, **({"mode": mode} if mode else {}), **more}

    def report(
        self, name: str, value: float, unit: str, labels: dict[str, Scalar], spread: Timing | None = None
    ) -> None:
        from engine.measure.events import Metric

        given = {} if spread is None else {"samples": spread.samples}
        low, high = (spread.low_ms, spread.high_ms) if spread else (None, None)
        self.bench.emit(Metric(name=name, value=value, unit=unit, labels=labels, low=low, high=high, **given))


def run(bench: Bench) -> None:
    """Decodes in every mode the device offers and sets each step against its floor."""
    steps = Steps(bench, 30)
    steps.next("preparing")
    session = _open(bench, steps)
    from labs.kit.decode import EAGER, Decoder, random_prompt, reference
    from labs.kit.decode_findings import compare

    modes = _modes(bench)
    steps.total = steps.done + 2 + _STEPS_OF_A_MODE * len(modes)
    prompt = random_prompt(session.model, batch=session.batch, tokens=session.plan.prompt)
    steps.next("decoding_reference")
    expected = reference(Decoder(session.model, prompt, EAGER, session.plan.capacity), session.plan.checked)
    _report_floor(session)
    done = []
    for mode in modes:
        measured = _guarded(session, mode, prompt, expected)
        if measured:
            done.append(measured)
    for finding in compare(done):
        bench.emit(finding)
    session.clocks.report(bench)
    session.others.report(bench)
    if bench.device == "cpu":
        bench.finding("needs_gpu_for_gaps")
    if not done:
        raise LabFailed("unsupported", "No way to decode worked here; the findings say what each one lacks.")


def _open(bench: Bench, steps: Steps) -> _Session:
    """Ceilings, then the model, then what a step reads."""
    import torch

    from labs.kit.ceilings import limits_here
    from labs.kit.clocks import ClockWatch
    from labs.kit.models import name_of, step_bytes
    from labs.kit.others import OtherLoad
    from labs.kit.weight_type import weight_type

    plan = _PLANS[bench.device]
    name, batch = str(bench.params["model"]), int(str(bench.params["batch"]))
    name = _DEFAULT_MODEL[bench.device] if name == "auto" else name
    if bench.device == "cpu":
        bench.metric("threads", torch.get_num_threads(), "")
    if bench.params["weights"] == "pretrained":
        _checkpoint(bench, name)  # a wrong name is told before anything is measured
    steps.next("choosing_precision")
    kind = weight_type(bench.device)
    limits = limits_here(bench, name_of(kind), steps.next)
    steps.next("loading_transformers")
    name, model = _load(bench, steps, name, kind, batch, plan)
    return _Session(
        bench=bench,
        steps=steps,
        plan=plan,
        model=model,
        model_name=name,
        dtype=name_of(kind),
        batch=batch,
        limits=limits,
        clocks=ClockWatch.start(),
        others=OtherLoad(),
        # halfway through the timed steps
        read=step_bytes(model, batch=batch, context=plan.prompt + 2 + plan.timed // 2),
    )


def _load(
    bench: Bench, steps: Steps, name: str, kind: torch.dtype, batch: int, plan: _Plan
) -> tuple[str, Any]:
    """The model and what it is called."""
    import transformers

    from labs.kit.models import CHECKPOINTS, SHAPES, pretrained_model, random_model

    transformers.utils.logging.set_verbosity_error()
    if bench.params["weights"] == "random":
        steps.next("random_weights")
        shape = SHAPES[name]
        model = random_model(shape, device=bench.device, dtype=kind, tokens=plan.capacity, batch=batch)
        return name, model
    checkpoint = _checkpoint(bench, name)
    steps.next("loading_checkpoint")
    model = pretrained_model(checkpoint, device=bench.device, dtype=kind, say=bench.log)
    known = {hub: model_name for model_name, hub in CHECKPOINTS.items()}
    return known.get(checkpoint, checkpoint.rstrip("/").rsplit("/", 1)[-1]), model


def _checkpoint(bench: Bench, name: str) -> str:
    """The checkpoint that is asked for, or the model's own. Raises LabFailed where there can be none."""
    from labs.kit.models import CHECKPOINTS, checkpoint_source

    checkpoint = str(bench.params["checkpoint"]) or CHECKPOINTS.get(name)
    if checkpoint is None:
        raise LabFailed(
            "unsupported",
            f"model={name} has no checkpoint: name one with checkpoint=owner/model or a folder.",
        )
    return checkpoint_source(checkpoint)


def _modes(bench: Bench) -> tuple[Mode, ...]:
    from labs.kit.compiling import why_no_compiler
    from labs.kit.decode import COMPILED, EAGER, REDUCE_OVERHEAD, STATIC

    missing = why_no_compiler(bench.device)
    if missing:
        bench.finding("compiler_missing", message=missing)
        return EAGER, STATIC
    return EAGER, STATIC, REDUCE_OVERHEAD if bench.device == "cuda" else COMPILED


def _report_floor(session: _Session) -> None:
    read, limits, labels = session.read, session.limits, session.labels()
    session.report("bytes_per_step", read.total, "B", labels)
    session.report("weight_bytes", read.weights, "B", labels)
    session.report("kv_bytes", read.kv, "B", labels)
    floors = _floors(session)
    for ceiling, ms in floors.items():
        session.report("floor", ms, "ms", session.labels(ceiling=ceiling))
    session.bench.finding(
        "floor" if "datasheet" in floors else "floor_measured",
        model=session.model_name,
        gb=read.total / 1e9,
        bandwidth=limits.reading / 1e9,
        ms=floors["measured"],
        datasheet_ms=floors.get("datasheet"),
    )
    if read.weights < 2 * limits.cache_bytes:
        session.bench.finding("weights_fit_cache", mb=read.weights / 1e6, cache_mb=limits.cache_bytes / 1e6)


def _floors(session: _Session) -> dict[str, float]:
    """Milliseconds that reading a step's bytes takes at each ceiling."""
    floors = {"measured": session.read.total / session.limits.reading * 1e3}
    if session.limits.datasheet:
        floors["datasheet"] = session.read.total / session.limits.datasheet * 1e3
    return floors


def _guarded(session: _Session, mode: Mode, prompt: torch.Tensor, expected: Reference) -> Decoded | None:
    """Measures a mode. One that fell back or broke is left out, and a finding says why."""
    from labs.kit.compiling import forget_compiled
    from labs.kit.decode_timing import NotAsMeant

    bench, before = session.bench, session.steps.done
    try:
        return _measure(session, mode, prompt, expected)
    except NotAsMeant as fault:
        bench.finding(fault.code, mode=mode.name, **fault.args_of_finding)
    except LabFailed:
        raise
    except Exception as fault:  # a compiler may raise anything; it costs this mode, not the lab
        if mode.compile_mode is None or type(fault).__name__ == "OutOfMemoryError":
            raise
        text = str(fault).strip() or type(fault).__name__
        bench.log(text[-8000:])
        bench.finding("mode_failed", mode=mode.name, message=text.splitlines()[0][:300])
    finally:
        forget_compiled()
    session.steps.skip(_STEPS_OF_A_MODE - (session.steps.done - before))
    return None


def _measure(session: _Session, mode: Mode, prompt: torch.Tensor, expected: Reference) -> Decoded:
    from labs.kit.decode import Decoder, agreement
    from labs.kit.decode_findings import Decoded, diagnose
    from labs.kit.decode_timing import NotAsMeant, first_token, time_loop, warm_up, watch_gpu

    bench, plan, steps = session.bench, session.plan, session.steps
    steps.next("compiling" if mode.compile_mode else f"warming_{mode.name}")
    decoder = Decoder(session.model, prompt, mode, plan.capacity)
    warm_up(decoder)
    steps.next(f"checking_{mode.name}")
    agrees = agreement(decoder, expected)
    if not agrees.holds:
        raise NotAsMeant(
            "tokens_differ", wrong=agrees.wrong, tokens=agrees.tokens, error=f"{agrees.logit_error:.2g}"
        )
    steps.next(f"first_token_{mode.name}")
    first = first_token(decoder, bench.device, 3)
    steps.next(f"timing_{mode.name}")
    # twice over the same lengths: an attention library may prepare itself for each new one
    cold = time_loop(decoder, bench.device, plan.timed)
    with session.others.during():
        loop = time_loop(decoder, bench.device, plan.timed)
    session.clocks.read()
    # after the timing: a profiler leaves its hooks in the driver
    gpu = None
    if bench.device == "cuda":
        steps.next(f"profiling_{mode.name}")
        gpu = watch_gpu(decoder, plan.profiled)
    step = Decoded(
        mode=mode.name,
        ms=loop.timing.median_ms,
        mbu_measured=100 * _floors(session)["measured"] / loop.timing.median_ms,
        mbu_datasheet=100 * floor / loop.timing.median_ms
        if (floor := _floors(session).get("datasheet"))
        else None,
        gpu=gpu,
    )
    _report(session, step, loop, first, agrees)
    new_length_ms = statistics.median(cold.steps_ms[plan.checked :] or cold.steps_ms)
    if new_length_ms > _CLEARLY_SLOWER * step.ms:
        bench.finding("new_length_costs", mode=mode.name, first_ms=new_length_ms, again_ms=step.ms)
    for finding in diagnose(step):
        bench.emit(finding)
    return step


def _report(session: _Session, step: Decoded, loop: LoopTime, first: Timing, agrees: Agreement) -> None:
    labels = session.labels(step.mode)
    session.report("ms_per_token", step.ms, "ms", labels, loop.timing)
    session.report("tokens_per_second", 1e3 * session.batch / step.ms, "token/s", labels)
    session.report("first_token", first.median_ms, "ms", labels, first)
    session.report("mbu", step.mbu_measured, "%", session.labels(step.mode, ceiling="measured"))
    if step.mbu_datasheet is not None:
        session.report("mbu", step.mbu_datasheet, "%", session.labels(step.mode, ceiling="datasheet"))
    session.report("agreement", 100 * agrees.same / agrees.tokens, "%", labels)
    session.report("logit_error", agrees.logit_error, "", labels)
    if agrees.ties:
        session.bench.finding("ties", mode=step.mode, ties=agrees.ties, tokens=agrees.tokens)
    if step.gpu is not None and step.busy_ratio is not None and step.busy_ms is not None:
        _report_gpu(session, step.gpu, labels, busy_ms=step.busy_ms, busy=step.busy_ratio)
    floors = _floors(session)
    session.bench.series(
        "modes",
        ["mode", "time", "floor_measured", "floor_datasheet", "mbu_measured", "mbu_datasheet"],
        [
            [
                step.mode,
                step.ms,
                floors["measured"],
                floors.get("datasheet"),
                step.mbu_measured,
                step.mbu_datasheet,
            ]
        ],
        time="ms",
        floor_measured="ms",
        floor_datasheet="ms",
        mbu_measured="%",
        mbu_datasheet="%",
    )
    rows: list[list[Scalar]] = [[number, step.mode, ms] for number, ms in enumerate(loop.steps_ms, start=1)]
    session.bench.series("steps", ["step", "mode", "time"], rows, time="ms")


def _report_gpu(
    session: _Session, gpu: GpuTime, labels: dict[str, Scalar], *, busy_ms: float, busy: float
) -> None:
    session.report("kernels_per_step", gpu.kernels / gpu.steps, "", labels)
    session.report("launches_per_step", gpu.launches / gpu.steps, "", labels)
    session.report("busy_per_step", busy_ms, "ms", labels)
    session.report("busy_ratio", 100 * busy, "%", {**labels, "profiler": "off"})
    session.report("busy_ratio", 100 * gpu.busy_ratio, "%", {**labels, "profiler": "on"})
    session.report("profiled_step", gpu.wall_ms / gpu.steps, "ms", labels)
    session.report("gap", gpu.gap_p50_us, "us", {**labels, "percentile": 50})
    session.report("gap", gpu.gap_p90_us, "us", {**labels, "percentile": 90})


LAB = Lab(
    name="mbu_floor",
    run=run,
    levers=(
        Lever("model", "auto", choices=MODELS, on_cpu=("auto", "small")),
        Lever("batch", 1, low=1, high=64),
        Lever("weights", "random", choices=("random", "pretrained")),
        Lever("checkpoint", ""),
    ),
    time_limit_s=900,
)
