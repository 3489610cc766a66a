"""What a lab's levers stand at before the learner touches them."""

from __future__ import annotations

from app_pages.lever_widgets import start_values
from engine.measure.catalogue import LabInfo, LeverInfo

MODEL = LeverInfo(
    name="model",
    default="auto",
    choices=("auto", "small", "large"),
    low=None,
    high=None,
    on_cpu=("auto", "small"),
)
BATCH = LeverInfo(name="batch", default=1, choices=(), low=1, high=64)
LAB = LabInfo(
    name="decode",
    levers=(MODEL, BATCH),
    devices=("cuda", "cpu"),
    tools=(),
    time_limit_s=60,
    can_run=True,
    why_not=None,
    why_not_text="",
    words={},
)


def test_a_card_sets_the_levers_it_names() -> None:
    wanted = {"model": "large", "batch": "8", "unknown": "1"}
    assert start_values(LAB, wanted, gpu=True) == {"model": "large", "batch": 8}


def test_without_a_gpu_a_card_does_not_ask_for_what_takes_a_cpu_too_long() -> None:
    assert start_values(LAB, {"model": "large", "batch": "8"}, gpu=False) == {"model": "auto", "batch": 8}
    assert start_values(LAB, {"model": "small"}, gpu=False)["model"] == "small"
