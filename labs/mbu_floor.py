"""A decode step against the time that reading its weights takes: MBU, rung by rung down to the floor."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

from labs.kit.lab import Bench, Lab, LabFailed, Lever
from labs.kit.steps import Steps

if TYPE_CHECKING:
    import torch

    from labs.kit.decode import Decoding, Mode, Reference
    from labs.kit.decode_findings import Decoded
    from labs.kit.decode_session import DecodePlan, DecodeSession
    from labs.kit.rungs import Builder

MODELS = ("auto", "small", "tinyllama-1.1b", "llama-2-7b", "llama-3-8b")
RUNGS = ("all", "eager", "compiled", "best", "int8", "int4")
_DEFAULT_MODEL = {"cuda": "tinyllama-1.1b", "cpu": "small"}
_STEPS_OF_A_MODE = 5
_CLEARLY_SLOWER = 1.3


def run(bench: Bench) -> None:
    """Decodes on every rung the device offers and sets each step against its floor."""
    steps = Steps(bench, 36)
    steps.next("preparing")
    session = _open(bench, steps)
    from labs.kit.decode import EAGER, random_prompt, reference
    from labs.kit.decode_findings import compare
    from labs.kit.rungs import Builder, rungs

    modes = rungs(bench, session.batch)
    steps.total = steps.done + 5 + _STEPS_OF_A_MODE * len(modes)
    prompt = random_prompt(session.model, batch=session.batch, tokens=session.plan.prompt)
    builder = Builder(session.model, prompt, session.plan.capacity, bench.device)
    steps.next("decoding_reference")
    eager = builder.build(EAGER)
    expected = reference(eager, session.plan.checked)
    _say_early(session, eager)
    _measure_ceilings(session)
    done = []
    for mode in modes:
        measured = _guarded(session, builder, mode, expected)
        if measured:
            done.append(measured)
    session.report_speedups(done)
    for finding in compare(done):
        bench.emit(finding)
    session.clocks.report(bench)
    session.others.report(bench)
    if bench.device == "cpu":
        bench.finding("needs_gpu_for_gaps")
    if not done:
        raise LabFailed("unsupported", "No way to decode worked here; the findings say what each one lacks.")


def _plan(bench: Bench) -> DecodePlan:
    from labs.kit.decode_session import DecodePlan

    if bench.device == "cuda":
        return DecodePlan(prompt=128, checked=16, timed=40, profiled=6)
    return DecodePlan(prompt=32, checked=8, timed=16, profiled=0)


def _open(bench: Bench, steps: Steps) -> DecodeSession:
    """The model, ready to decode; the ceilings are measured once a first number is out."""
    import torch

    from labs.kit.clocks import ClockWatch
    from labs.kit.decode_session import DecodeSession
    from labs.kit.models import name_of
    from labs.kit.others import OtherLoad
    from labs.kit.weight_type import weight_type

    plan = _plan(bench)
    name, batch = str(bench.params["model"]), int(str(bench.params["batch"]))
    name = _DEFAULT_MODEL[bench.device] if name == "auto" else name
    if bench.device == "cpu":
        bench.metric("threads", torch.get_num_threads(), "")
    if bench.params["weights"] == "pretrained":
        _checkpoint(bench, name)  # a wrong name is told before anything is measured
    steps.next("choosing_precision")
    kind = weight_type(bench.device)
    steps.next("loading_transformers")
    name, model = _load(bench, steps, name, kind, batch, plan)
    return DecodeSession(
        bench=bench,
        steps=steps,
        plan=plan,
        model=model,
        model_name=name,
        dtype=name_of(kind),
        batch=batch,
        clocks=ClockWatch.start(),
        others=OtherLoad(),
    )


def _say_early(session: DecodeSession, eager: Decoding) -> None:
    """A first number seconds after the click: eager's step, over lengths that the reference has prepared. The
    rung's own, longer timing replaces it."""
    from labs.kit.decode_timing import time_loop

    early = time_loop(eager, session.bench.device, session.plan.checked - 2)
    session.report_time("eager", session.dtype, early.timing)


def _measure_ceilings(session: DecodeSession) -> None:
    from labs.kit.ceilings import limits_here

    session.measured = limits_here(session.bench, session.dtype, session.steps.next)


def _load(
    bench: Bench, steps: Steps, name: str, kind: torch.dtype, batch: int, plan: DecodePlan
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


def _guarded(session: DecodeSession, builder: Builder, mode: Mode, expected: Reference) -> Decoded | None:
    """Measures a rung. One that fell back or broke is left out, and a finding says why."""
    from labs.kit.compiling import forget_compiled
    from labs.kit.decode_timing import NotAsMeant

    bench, before = session.bench, session.steps.done
    try:
        return _measure(session, builder, mode, expected)
    except NotAsMeant as fault:
        bench.finding(fault.code, mode=mode.name, **fault.args_of_finding)
    except LabFailed as fault:
        if mode.kernels == "library":
            raise
        bench.finding("mode_failed", mode=mode.name, message=fault.message)
    except Exception as fault:  # a compiler may raise anything; it costs this rung, not the lab
        of_library = mode.kernels == "library"
        if of_library and (mode.compile_mode is None or type(fault).__name__ == "OutOfMemoryError"):
            raise
        text = str(fault).strip() or type(fault).__name__
        bench.log(text[-8000:])
        bench.finding("mode_failed", mode=mode.name, message=text.splitlines()[0][:300])
    finally:
        forget_compiled()
        builder.forget(mode)
    session.steps.skip(_STEPS_OF_A_MODE - (session.steps.done - before))
    return None


def _measure(session: DecodeSession, builder: Builder, mode: Mode, of_eager: Reference) -> Decoded:
    from labs.kit.decode import agreement
    from labs.kit.decode_findings import Decoded, diagnose
    from labs.kit.decode_timing import NotAsMeant, first_token, time_loop, warm_up, watch_gpu

    bench, plan, steps = session.bench, session.plan, session.steps
    steps.next("compiling" if mode.compile_mode else f"warming_{mode.name}")
    decoder = builder.build(mode)
    weights = session.dtype if mode.kind == "plain" else mode.kind
    read = builder.read(mode, plan.context)
    session.report_floor(weights, read)
    warm_up(decoder)
    steps.next(f"checking_{mode.name}")
    agrees = agreement(decoder, builder.expected(mode, of_eager))
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
    floors = session.floors(read)
    step = Decoded(
        mode=mode.name,
        ms=loop.timing.median_ms,
        floor_ms=floors["measured"],
        floor_datasheet_ms=floors.get("datasheet"),
        gpu=gpu,
        weights=weights,
        bytes_read=read.total,
    )
    session.report_rung(step, loop, first, agrees)
    new_length_ms = statistics.median(cold.steps_ms[plan.checked :] or cold.steps_ms)
    if new_length_ms > _CLEARLY_SLOWER * step.ms:
        bench.finding("new_length_costs", mode=mode.name, first_ms=new_length_ms, again_ms=step.ms)
    if mode.kind != "plain" and mode.kernels == "triton":
        bench.finding("prompt_dequantised", mode=mode.name, first_ms=first.median_ms)
    for finding in diagnose(step):
        bench.emit(finding)
    return step


LAB = Lab(
    name="mbu_floor",
    run=run,
    levers=(
        Lever("model", "auto", choices=MODELS, on_cpu=("auto", "small")),
        Lever("batch", 1, low=1, high=64),
        Lever("weights", "random", choices=("random", "pretrained")),
        Lever("checkpoint", ""),
        Lever("rungs", "all", choices=RUNGS, on_cpu=("all", "eager", "compiled", "int8")),
    ),
    time_limit_s=900,
)
