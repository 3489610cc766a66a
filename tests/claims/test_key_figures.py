"""Typed answers in three languages: which figures of the card they give, right, wrong or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from engine.claims.key_figures import figures, key_claims
from engine.folders import project_folder
from engine.study.card import Card
from engine.study.library import load_library

HERE = Path(__file__).parent
LIBRARY = load_library([project_folder() / "cards", HERE / "answers.en.yaml"], lab_names=None, cache=None)
ANSWERS: list[dict[str, Any]] = yaml.safe_load((HERE / "written_answers.yaml").read_text(encoding="utf-8"))


def _card(card_id: str) -> Card:
    return LIBRARY.by_id[card_id]


def _judged(answer: dict[str, Any]) -> tuple[set[str], set[str]]:
    found = figures(_card(answer["card"]), answer["text"])
    assert {*answer.get("right", []), *answer.get("wrong", [])} <= {figure.claim.id for figure in found}
    assert set(answer.get("right", [])) | set(answer.get("wrong", [])) <= {
        figure.claim.id for figure in found
    }
    return (
        {figure.claim.id for figure in found if figure.outcome == "right"},
        {figure.claim.id for figure in found if figure.outcome == "wrong"},
    )


def test_there_are_twenty_answers_a_language() -> None:
    languages = [_card(answer["card"]).language for answer in ANSWERS]
    assert {language: languages.count(language) for language in ("vi", "zh", "en")} == dict.fromkeys(
        ("vi", "zh", "en"), 20
    )


def test_nothing_wrong_or_left_out_is_taken_for_right() -> None:
    for answer in ANSWERS:
        right, _ = _judged(answer)
        assert right <= set(answer.get("right", [])), answer["text"]


def test_at_least_95_percent_of_the_figures_are_judged_as_a_person_does() -> None:
    judged = agreed = 0
    off = []
    for answer in ANSWERS:
        right, wrong = _judged(answer)
        for outcome, found in (("right", right), ("wrong", wrong)):
            said = set(answer.get(outcome, []))
            judged += len(said | found)
            agreed += len(said & found)
            if said != found:
                off.append((answer["text"], outcome, sorted(said ^ found)))
    assert agreed >= 0.95 * judged, off


def test_a_figure_says_where_in_the_answer_it_was_given() -> None:
    text = "Mức sàn khoảng 4,8 ms."
    (floor,) = [figure for figure in figures(_card("vi-q1-torch-compile"), text) if figure.outcome == "right"]
    assert floor.typed is not None
    assert text[floor.typed.start : floor.typed.end] == "4,8 ms"


def test_the_key_figures_are_those_the_card_lists_in_numbers() -> None:
    keys = key_claims(_card("vi-q5-elementwise-fusion"))
    assert {"tensor-bytes", "round-trip-bytes", "round-trip-time", "memory-to-arithmetic"} <= keys
    assert "register-file" not in keys


@pytest.mark.parametrize("text", ["", "không biết", "?" * 5000, "4,8 " * 2000])
def test_an_answer_without_figures_leaves_all_of_them_out(text: str) -> None:
    assert {figure.outcome for figure in figures(_card("vi-q3-nsys-live-server"), text)} == {"missing"}
