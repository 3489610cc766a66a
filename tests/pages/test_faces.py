"""Cards made ready for the browser, and kept."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from app_pages.review_card import faces as module
from app_pages.review_card.faces import Faces, key_of
from engine.study.card import Card, LabLink, Point, Source

CARD = Card(
    id="one",
    deck="deck",
    kind="question",
    title="What is **MBU**?",
    language="en",
    prompt="$t_0/t$",
    answer=(Point("Floor", "first"),),
    source=Source("document", "section"),
)


def test_a_face_is_kept_and_read_again(tmp_path: Path) -> None:
    face = Faces(tmp_path).of(CARD, "Deck")
    assert face["title"] == "What is <strong>MBU</strong>?"
    assert face["plain_title"] == "What is MBU?"
    (kept,) = (tmp_path / "cache" / "faces" / module.version()).iterdir()
    kept.write_text(json.dumps({**face, "title": "kept"}), encoding="utf-8")
    assert Faces(tmp_path).of(CARD, "Deck")["title"] == "kept"


def test_a_kept_face_that_is_cut_off_is_made_again(tmp_path: Path) -> None:
    face = Faces(tmp_path).of(CARD, "Deck")
    (kept,) = (tmp_path / "cache" / "faces" / module.version()).iterdir()
    kept.write_text('{"title": "wh', encoding="utf-8")
    assert Faces(tmp_path).of(CARD, "Deck") == face


def test_faces_of_other_code_are_removed(tmp_path: Path) -> None:
    old = tmp_path / "cache" / "faces" / "0000"
    old.mkdir(parents=True)
    Faces(tmp_path).of(CARD, "Deck")
    assert not old.exists()


def test_a_picture_that_comes_or_changes_is_shown_at_once(tmp_path: Path) -> None:
    """A card that was shown before its picture was there never showed it."""
    card = replace(CARD, prompt="See ![the curve](pictures/a.svg)", file=str(tmp_path / "mine.yaml"))
    faces = Faces(tmp_path)
    assert "<img" not in faces.of(card, "Deck")["prompt"]
    (tmp_path / "pictures").mkdir()
    shown = []
    for drawing in ("<svg/>", "<svg></svg>"):
        (tmp_path / "pictures" / "a.svg").write_text(drawing)
        shown.append(faces.of(card, "Deck")["prompt"])
        assert "<img" in shown[-1]
    assert shown[0] != shown[1]
    assert Faces(tmp_path).of(card, "Deck")["prompt"] == shown[1]


def test_every_word_that_is_shown_is_in_the_key() -> None:
    key = key_of(CARD, "Deck")
    assert key == key_of(replace(CARD, file="elsewhere.yaml", line=9, topics=("mbu",)), "Deck")
    changed = [
        key_of(CARD, "Another"),
        key_of(replace(CARD, title="x"), "Deck"),
        key_of(replace(CARD, prompt="x"), "Deck"),
        key_of(replace(CARD, answer=(Point("x", "first"),)), "Deck"),
        key_of(replace(CARD, pitfall="x"), "Deck"),
        key_of(replace(CARD, labs=(LabLink("fusion"),)), "Deck"),
    ]
    assert len({key, *changed}) == len(changed) + 1


def test_a_card_whose_source_names_no_section_has_no_mark_behind_its_document(tmp_path: Path) -> None:
    faces = Faces(tmp_path)
    assert faces.of(CARD, "Deck")["source"] == "document · section"
    assert faces.of(replace(CARD, source=Source("document", "")), "Deck")["source"] == "document"
