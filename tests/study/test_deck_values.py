"""What a good deck becomes: the text that stands there, and numbers where numbers are meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.study.card import Card, LabLink, MeasuredBy, Point, Says, Source
from engine.study.library import load_library
from tests.study.decks import GOOD, LABS, changed, line_of, small, written


def cards_of(tmp_path: Path, text: str) -> dict[str, Card]:
    written(tmp_path / "deck.yaml", text)
    library = load_library([tmp_path], lab_names=LABS, cache=None)
    assert library.faults == ()
    return library.by_id


def test_every_field_of_a_card_arrives(tmp_path: Path) -> None:
    cards = cards_of(tmp_path, GOOD)
    first, second = cards["first-card"], cards["second-card"]
    assert (first.deck, first.kind, first.language, first.priority) == ("good-deck", "question", "vi", "high")
    assert first.title == "Sàn của một bước decode"
    assert first.lessons == ("55", "61")
    assert first.topics == ("mbu", "torch-compile")
    assert first.answer == (
        Point("Bytes", "All weights are read once."),
        Point("Time", "bytes over bandwidth"),
    )
    assert first.key_figures == ("16 GB",)
    assert [(follow.prompt, follow.answer) for follow in first.follow_ups] == [("And then?", "Then this.")]
    assert first.pitfall == "Forgetting the embedding"
    assert first.labs == (LabLink("fusion"), LabLink("mbu_floor", (("model", "llama-3-8b"), ("batch", "1"))))
    assert first.source == Source("The document", "Q1")
    assert first.file == str(tmp_path / "deck.yaml")
    assert first.line == line_of(GOOD, "- id: first-card")
    assert (second.language, second.priority, second.pitfall) == ("zh", "normal", None)
    assert second.source == Source("Another", "术语")
    assert second.line == line_of(GOOD, "- id: second-card")


def test_a_claim_arrives_with_numbers(tmp_path: Path) -> None:
    (claim,) = cards_of(tmp_path, GOOD)["first-card"].claims
    assert claim.says == Says(unit="ms", value=4.8, on="h100-sxm")
    assert claim.quantities == (("measured_step", "25 ms"),)
    assert claim.formula == "weight_bytes / memory_bandwidth"
    assert claim.model == "llama-3-8b"
    assert claim.tolerance == pytest.approx(0.05)
    assert claim.measured == MeasuredBy("mbu_floor", "floor", (("ceiling", "datasheet"),))


@pytest.mark.parametrize(
    ("written_as", "share"), [("10%", 0.1), ("0.2", 0.2), ("2.5 %", 0.025), ('"5%"', 0.05)]
)
def test_a_tolerance_is_a_share_however_it_is_written(tmp_path: Path, written_as: str, share: float) -> None:
    text = changed("tolerance: 5%", f"tolerance: {written_as}")
    (claim,) = cards_of(tmp_path, text)["first-card"].claims
    assert claim.tolerance == pytest.approx(share)


def test_a_range_arrives_as_low_and_high(tmp_path: Path) -> None:
    text = changed("{value: 4.8, unit: ms, on: h100-sxm}", '{low: 3e2, high: "400", unit: ""}')
    (claim,) = cards_of(tmp_path, text)["first-card"].claims
    assert claim.says == Says(unit="", low=300.0, high=400.0)


@pytest.mark.parametrize(
    "text",
    [
        "no",
        "Yes",
        "on",
        "1:10",
        "0x10",
        "010",
        "1e3",
        "2026-01-01",
        "null",
        "~",
        "true",
        "1_000",
        ".inf",
        "=",
    ],
)
def test_a_scalar_is_the_text_that_stands_there(tmp_path: Path, text: str) -> None:
    deck = changed("text: bytes over bandwidth", f"text: {text}").replace("title: MBU", f"title: {text}")
    cards = cards_of(tmp_path, deck)
    assert cards["first-card"].answer[1].text == text
    assert cards["second-card"].title == text


def test_a_blank_line_in_a_code_block_cuts_nothing(tmp_path: Path) -> None:
    prompt = cards_of(tmp_path, GOOD)["first-card"].prompt
    assert prompt == "Why is it slow?\n\n```python\nx = 1\n\ny = no\n```"


def test_tabs_inside_a_block_of_code_stay(tmp_path: Path) -> None:
    deck = changed("      x = 1\n", "      x = 1\n      all:\n      \tmake it\n")
    assert "all:\n\tmake it\n" in cards_of(tmp_path, deck)["first-card"].prompt


def test_line_ends_of_windows_are_read_as_line_ends(tmp_path: Path) -> None:
    with_lf = cards_of(tmp_path / "lf", GOOD)
    with_crlf = cards_of(tmp_path / "crlf", GOOD.replace("\n", "\r\n"))
    assert with_lf["first-card"].prompt == with_crlf["first-card"].prompt


def test_a_deck_may_leave_out_where_its_cards_come_from(tmp_path: Path) -> None:
    assert cards_of(tmp_path, small("own", "own-card"))["own-card"].source == Source("Small", "")
