"""The rungs: which a device offers, and that each computes what it must agree with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from engine.measure.events import Event, Finding
from labs.kit.decode import EAGER, INT8_CPU, agreement, random_prompt, reference
from labs.kit.decode_timing import time_loop, warm_up
from labs.kit.int8_decoder import Int8Decoder
from labs.kit.lab import Bench, LabFailed
from labs.kit.rungs import Builder, rungs
from tests.labs.test_models import TINY, tiny

WIDE = replace(TINY, hidden=128, intermediate=256)


def offered(wanted: str, batch: int = 1) -> tuple[list[str], list[str]]:
    said: list[Event] = []
    bench = Bench(device="cpu", params={"rungs": wanted}, emit=said.append, artifacts=Path())
    names = [mode.name for mode in rungs(bench, batch)]
    return names, [event.code for event in said if isinstance(event, Finding)]


def test_a_cpu_offers_int8_and_says_what_needs_a_gpu() -> None:
    assert offered("all") == (["eager", "static", "compiled", "int8"], ["rungs_need_gpu"])


@pytest.mark.parametrize(
    ("wanted", "climbed"),
    [("eager", ["eager", "static"]), ("compiled", ["eager", "compiled"]), ("best", ["eager"])],
)
def test_only_the_rungs_asked_for_are_climbed(wanted: str, climbed: list[str]) -> None:
    assert offered(wanted)[0] == climbed


def test_more_than_one_sequence_leaves_out_the_steps_for_one() -> None:
    names, said = offered("all", batch=4)
    assert names == ["eager", "static", "compiled"]
    assert "one_sequence_only" in said


def builder() -> Builder:
    model = tiny(WIDE)
    return Builder(model, random_prompt(model, batch=1, tokens=8), 40, "cpu")


def test_int8_agrees_with_a_float_model_of_the_same_rounded_weights() -> None:
    made = builder()
    expected = reference(made.build(EAGER), 10)
    int8 = made.build(INT8_CPU)
    agrees = agreement(int8, made.expected(INT8_CPU, expected))
    assert agrees.holds
    assert 0 < agrees.logit_error < 0.1
    whole = made.read(EAGER, 8)
    assert made.read(INT8_CPU, 8).kv == whole.kv
    assert made.read(INT8_CPU, 8).weights < 0.3 * whole.weights


def test_int8_of_other_weights_does_not_agree() -> None:
    made = builder()
    expected = made.expected(INT8_CPU, reference(made.build(EAGER), 10))
    other = builder()
    with torch.no_grad():
        other.model.model.layers[0].mlp.down_proj.weight.mul_(30)
    assert not agreement(other.build(INT8_CPU), expected).holds


def test_int8_is_warmed_and_timed_like_any_rung() -> None:
    int8 = builder().build(INT8_CPU)
    warm_up(int8)
    assert len(time_loop(int8, "cpu", 10).steps_ms) == 10


def test_a_full_int8_cache_is_refused_before_the_step() -> None:
    int8 = builder().build(INT8_CPU)
    token = int8.prefill()
    for _ in range(32):
        token, _ = int8.step(token)
    with pytest.raises(LabFailed, match="is full"):
        int8.step(token)


def test_int8_refuses_several_sequences() -> None:
    model = tiny(WIDE)
    made = Builder(model, random_prompt(model, batch=2, tokens=8), 40, "cpu")
    with pytest.raises(LabFailed, match="batch=1"):
        made.build(INT8_CPU)


def test_what_a_rung_alone_needed_is_given_back() -> None:
    made = builder()
    int8 = made.build(INT8_CPU)
    assert isinstance(int8, Int8Decoder)
    made.forget(INT8_CPU)
    assert made._quantised == {}
