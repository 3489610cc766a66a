"""Cards that the app writes into the learner's own deck: valid, once each, beside what a person changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.study.card import Card, Library
from engine.study.faults import StudyError
from engine.study.library import load_library
from engine.study.own_cards import DECK, NewCard, Picture, Written, write_card
from engine.study.pictures import FOLDER

GAP = NewCard(
    title="A gap under `aten::linear`",
    language="en",
    prompt="In `trace.json` the GPU waits for 312 µs.\n\nWhat is it?",
    answer=(("What it is", "no: launches\n\n- one\n- two"), ("Two ways", "CUDA graphs: fuse.")),
    section='trace.json: "step 3" at 1.2 ms',
    topics=("gap", "overhead-bound"),
    key_figures=("312 µs of 84.5 ms",),
    pitfall="Blaming the GPU.",
    answer_picture=Picture("<svg xmlns='http://www.w3.org/2000/svg'/>", "A gap [marked]"),
)


FILE = f"{DECK}.yaml"


def library(folder: Path) -> Library:
    return load_library([folder], lab_names=None, cache=None)


def add(folder: Path, card: NewCard) -> Written:
    return write_card(
        folder, card, library(folder), deck_title="From my files", document="Your files", lab_names=None
    )


def write(folder: Path, card: NewCard) -> str:
    return add(folder, card).id


def cards(folder: Path) -> dict[str, Card]:
    found = library(folder)
    assert found.faults == ()
    return found.by_id


def test_a_card_comes_back_from_the_deck_as_it_was_given(tmp_path: Path) -> None:
    card_id = write(tmp_path, GAP)
    card = cards(tmp_path)[card_id]
    assert card.title == GAP.title
    assert card.prompt == GAP.prompt
    assert [point.heading for point in card.answer] == ["What it is", "Two ways"]
    assert card.answer[0].text.startswith("no: launches\n\n- one\n- two\n\n![A gap marked](pictures/")
    assert card.topics == GAP.topics
    assert (card.pitfall, card.key_figures) == (GAP.pitfall, GAP.key_figures)
    assert card.source.section == GAP.section
    (picture,) = (tmp_path / FOLDER).iterdir()
    assert picture.read_text(encoding="utf-8") == GAP.answer_picture.svg  # type: ignore[union-attr]


def test_the_same_thing_met_twice_is_one_card(tmp_path: Path) -> None:
    first = write(tmp_path, GAP)
    again = add(tmp_path, GAP)
    assert (again.id, again.already) == (first, True)
    assert len(cards(tmp_path)) == 1
    assert not add(tmp_path, replace(GAP, thing="another of the same title")).already


def test_what_a_person_changed_in_the_deck_stays_as_it_stands(tmp_path: Path) -> None:
    write(tmp_path, GAP)
    file = tmp_path / FILE
    changed = file.read_text(encoding="utf-8").replace(
        "    kind: question", "    kind: self-test  # mine\n    priority: high"
    )
    file.write_text(changed, encoding="utf-8")
    write(tmp_path, replace(GAP, section="elsewhere"))
    assert file.read_text(encoding="utf-8").startswith(changed.rstrip())
    assert sorted(card.kind for card in cards(tmp_path).values()) == ["question", "self-test"]


def test_a_hostile_name_is_text_and_nothing_else(tmp_path: Path) -> None:
    name = 'evil\x00\x07: "}\n  - id: other\n    *a &b !!python <<: {a: [1]} # \t'
    card_id = write(tmp_path, replace(GAP, title=name, prompt=name * 40, section=name * 9, topics=()))
    found = cards(tmp_path)
    assert list(found) == [card_id]
    assert found[card_id].title.startswith('evil: "} - id: other')


def test_a_deck_with_a_fault_is_left_alone_and_named(tmp_path: Path) -> None:
    write(tmp_path, GAP)
    file = tmp_path / FILE
    broken = file.read_text(encoding="utf-8").replace("language: en", "language: fr", 1)
    file.write_text(broken, encoding="utf-8")
    with pytest.raises(StudyError, match=FILE):
        write(tmp_path, replace(GAP, section="elsewhere"))
    assert file.read_text(encoding="utf-8") == broken


def test_a_picture_beyond_bounds_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    huge = replace(GAP, picture=Picture("<svg>" + "x" * 1_100_000, "huge"))
    with pytest.raises(StudyError, match="1 MiB"):
        write(tmp_path, huge)
    assert list(tmp_path.iterdir()) == []
