"""What is written is judged while typing, at the lines of its deck's file, and saved only without faults."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app_pages import write_work
from app_pages.deck_editor import Draft
from engine.study.card import Library
from engine.study.deck_edit import DeckMoved, DeckRefused, NewDeck
from engine.study.library import load_library, own_decks_folder
from engine.study.templates import template
from tests.study.decks import GOOD, LABS, small, written


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return own_decks_folder(tmp_path / "data")


def loaded(tmp_path: Path) -> Library:
    own = own_decks_folder(tmp_path / "data")
    return load_library([tmp_path / "cards", own], lab_names=LABS, cache=None, own=own)


def test_a_cards_faults_stand_at_the_lines_of_its_file(tmp_path: Path, own: Path) -> None:
    shipped = written(tmp_path / "cards" / "good.yaml", GOOD)
    library = loaded(tmp_path)
    work = write_work.of_card(library.by_id["second-card"], own)
    assert (work.copies, work.path) == (True, own / "good.yaml")
    assert GOOD.split("\n")[work.first_line - 1] == "  - id: second-card"
    sound = write_work.judge(work, work.text, 0, library, LABS)
    assert (sound.faults, sound.cards, sound.deck_title) == ((), 2, "Good deck")
    assert sound.card is not None
    assert sound.card.id == "second-card"
    broken = write_work.judge(work, work.text.replace("kind: term", "kind: trem"), 0, library, LABS)
    assert [(fault.line, fault.field) for fault in broken.faults] == [(work.first_line + 1, "cards[1].kind")]
    assert broken.card is None
    with pytest.raises(DeckRefused):
        write_work.saved(work, work.text.replace("kind: term", "kind: trem"), library, LABS)
    write_work.saved(work, work.text.replace("MBU", "MBU!"), library, LABS)
    assert loaded(tmp_path).by_id["second-card"].title == "MBU!"
    assert shipped.read_text(encoding="utf-8") == GOOD


def test_a_formula_that_cannot_be_is_told_while_typing(tmp_path: Path, own: Path) -> None:
    written(tmp_path / "cards" / "good.yaml", GOOD)
    library = loaded(tmp_path)
    work = write_work.of_card(library.by_id["first-card"], own)
    text = work.text.replace("weight_bytes / memory_bandwidth", "weight_bytes / memory_bandwith")
    judged = write_work.judge(work, text, 0, library, LABS)
    (doubt,) = judged.doubts
    assert "memory_bandwith" in doubt.message
    assert not judged.faults, "the deck can be used, as it can with a number that is off"
    other = write_work.of_card(library.by_id["second-card"], own)
    assert not write_work.judge(other, other.text, 0, library, LABS).doubts


def test_of_a_whole_deck_the_card_at_the_caret_is_shown(tmp_path: Path, own: Path) -> None:
    written(own / "good.yaml", GOOD)
    library = loaded(tmp_path)
    work = write_work.of_file(own / "good.yaml", own)
    for passage, expected in (
        ("description:", "first-card"),
        ("pitfall:", "first-card"),
        ("什么是", "second-card"),
    ):
        line = GOOD[: GOOD.index(passage)].count("\n")
        card = write_work.judge(work, work.text, line, library, LABS).card
        assert card is not None
        assert card.id == expected


def test_a_new_card_makes_its_deck_once_and_the_next_follows_in_it(tmp_path: Path, own: Path) -> None:
    deck = NewDeck("mine", "Mine", "en")
    text = template("question", "en", deck_id="mine", taken=())
    work = write_work.of_new(text, deck, own)
    assert work.first_line == 7
    path = write_work.saved(work, text, loaded(tmp_path), LABS)
    with pytest.raises(DeckMoved, match="is there already"):
        write_work.saved(work, text, loaded(tmp_path), LABS)
    library = loaded(tmp_path)
    more = template("term", "en", deck_id="mine", taken=library.by_id.keys())
    following = write_work.of_new(more, path, own)
    judged = write_work.judge(following, more, 0, library, LABS)
    assert judged.card is not None
    assert (judged.card.title, judged.cards) == ("MBU", 2)
    write_work.saved(following, more, library, LABS)
    lines = path.read_text(encoding="utf-8").split("\n")
    assert lines[following.first_line - 1].strip().startswith("- id: mine-mbu")
    assert not loaded(tmp_path).faults


FLOW = """\
deck: {id: flow, title: Flow, language: en}
cards: [{id: flow-card, kind: term, title: T, prompt: "?", answer: [{heading: H, text: X}]}]  # one line
"""
TYPED = st.text(st.sampled_from("id: -|[]{}\"'#&*!\t\n a\u0301Đ中\x00\ud800"), max_size=60)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(typed=TYPED, begin=st.integers(0, 400), end=st.integers(0, 400))
def test_whatever_is_typed_is_judged_and_a_sound_text_can_be_read_back(
    tmp_path: Path, own: Path, typed: str, begin: int, end: int
) -> None:
    written(own / "good.yaml", GOOD)
    flow = written(own / "flow.yaml", FLOW)
    library = loaded(tmp_path)
    assert not library.faults
    for work in (
        write_work.of_card(library.by_id["first-card"], own),
        write_work.of_card(library.by_id["flow-card"], own),
        write_work.of_file(flow, own),
        write_work.of_new("id: new", flow, own),
        write_work.of_new("id: new", NewDeck("n", "N", "en"), own),
    ):
        text = work.text[: min(begin, end)] + typed + work.text[max(begin, end) :]
        judged = write_work.judge(work, text, 0, library, LABS)
        assert work.first_line >= 1
        assert (judged.card is None) == (judged.cards == 0)
        assert judged.card is not None or judged.faults


def test_a_card_comes_to_a_deck_whose_cards_stand_in_one_line(tmp_path: Path, own: Path) -> None:
    flow = written(own / "flow.yaml", FLOW)
    text = template("term", "zh", deck_id="flow", taken=())
    write_work.saved(write_work.of_new(text, flow, own), text, loaded(tmp_path), LABS)
    assert [card.title for card in loaded(tmp_path).by_id.values()] == ["T", "MBU"]


def test_the_state_differs_where_the_file_does(tmp_path: Path, own: Path) -> None:
    path = written(own / "mine.yaml", small("mine", "my-card"))
    before = write_work.of_card(loaded(tmp_path).by_id["my-card"], own).state
    written(path, small("mine", "my-card").replace("Small", "Smaller"))
    assert write_work.of_card(loaded(tmp_path).by_id["my-card"], own).state != before


@pytest.mark.parametrize("said", [None, {}, {"doc": 1, "text": "x"}, {"doc": "a"}, [1]])
def test_a_message_that_is_none_is_no_draft(said: object) -> None:
    assert Draft.read(said) is None


def test_a_draft_is_read_with_its_caret_and_wish_to_save() -> None:
    assert Draft.read({"doc": "a@b", "text": "x", "line": 3, "save": "s"}) == Draft("a@b", "x", 3, "s")
    assert Draft.read({"doc": "a@b", "text": "x", "line": float("nan")}) == Draft("a@b", "x")
