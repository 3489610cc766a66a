"""Every claim of the project's decks worked out for one GPU after another, in milliseconds a GPU.

Baseline of the same run: the same formulas as plain Python numbers, compiled once, without units and without
any check. The target is 100 ms a GPU; what a page waits for is this and the results it reads.

Run: `python -m tests.bench.claims`.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from types import CodeType

from engine.claims.compute import compute, on_card
from engine.claims.hardware_quantities import Hardware, of_key
from engine.claims.models import MODELS
from engine.claims.units import quantity, read
from engine.folders import project_folder
from engine.measure.specs import specs
from engine.study.card import ClaimText
from engine.study.library import load_library

TARGET_MS = 100.0
ROUNDS = 5


def main() -> None:
    library = load_library([project_folder() / "cards"], lab_names=None, cache=None)
    claims = [claim for card in library.by_id.values() for claim in card.claims]
    gpus = [hardware for row in specs() if (hardware := of_key(row.key)) is not None]
    started = time.perf_counter()
    _with_units(claims, gpus[0])
    first = (time.perf_counter() - started) * 1e3
    with_units = _median(lambda gpu: _with_units(claims, gpu), gpus)
    plain = [_compiled(claim) for claim in claims if claim.formula is not None]
    bare = _median(lambda gpu: _without_units(plain, gpu), gpus)
    formulas = len(plain)
    print(f"{len(claims)} claims, {formulas} formulas, {len(gpus)} GPUs, {ROUNDS} rounds")
    print(f"first GPU, with every plan made: {first:.1f} ms ({first / TARGET_MS:.2f} of the target)")
    print(
        f"each further GPU:                {with_units:.1f} ms ({with_units / TARGET_MS:.2f} of the target)"
    )
    print(f"baseline, floats without units:  {bare:.3f} ms; units cost {with_units / bare:.0f} times that")


def _median(work: Callable[[Hardware], object], gpus: list[Hardware]) -> float:
    samples = []
    for _ in range(ROUNDS):
        for gpu in gpus:
            started = time.perf_counter()
            work(gpu)
            samples.append((time.perf_counter() - started) * 1e3)
    return statistics.median(samples)


def _with_units(claims: list[ClaimText], gpu: Hardware) -> None:
    """What a page of claims needs: the card's own column and the one for this GPU."""
    for claim in claims:
        on_card(claim)
        compute(claim, gpu)


def _compiled(claim: ClaimText) -> tuple[CodeType, dict[str, float], list[tuple[str, CodeType]]]:
    """A formula as Python code over floats in base units. Only here: the app never runs text as code."""
    known: dict[str, float] = {"min": min, "max": max}  # type: ignore[dict-item]
    if claim.model is not None:
        for name, (value, unit) in MODELS[claim.model].quantities().items():
            known[name] = quantity(value, unit).to_base_units().magnitude
    steps = []
    for name, text in reversed(claim.quantities):
        try:
            known[name] = read(text).to_base_units().magnitude
        except Exception:  # noqa: BLE001  # not a number with a unit: a formula over others
            steps.append((name, compile(text, name, "eval")))
    return compile(" ".join((claim.formula or "0").split()), claim.id, "eval"), known, steps


def _without_units(
    plain: list[tuple[CodeType, dict[str, float], list[tuple[str, CodeType]]]], gpu: Hardware
) -> None:
    device = {name: value for name, (value, _) in gpu.quantities.items()}
    for code, known, steps in plain:
        values = {**known, **device}
        pending = list(steps)
        try:
            while pending:
                name, step = pending.pop(0)
                if all(needed in values for needed in step.co_names):
                    values[name] = eval(step, {}, values)  # noqa: S307
                else:
                    pending.append((name, step))
            eval(code, {}, values)  # noqa: S307
        except NameError:
            continue  # this GPU lacks a quantity


if __name__ == "__main__":
    main()
