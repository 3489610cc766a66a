"""Decks written from the app: into the learner's folder only, checked first, whole or not at all."""

from __future__ import annotations

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.study import deck_versions
from engine.study.card import Library
from engine.study.deck_edit import (
    DeckMoved,
    DeckRefused,
    DeckText,
    NewDeck,
    add_card,
    card_text,
    card_values,
    is_own,
    lacking,
    new_card_id,
    open_deck,
    save,
    with_card,
    with_card_text,
    with_lacking,
    with_new_card,
    with_new_card_text,
    without_card,
)
from engine.study.library import load_library, own_decks_folder
from tests.study.decks import GOOD, LABS, small, written

POINT = [{"heading": "Gap", "text": "41 µs under `aten::linear`."}]
CARD = {"kind": "question", "title": "Đo một khoảng trống", "prompt": "What is it?", "answer": POINT}
TERM = "kind: term\ntitle: T\nprompt: What?\nanswer:\n  - {heading: H, text: X}\n"
MINE = NewDeck("my-traces", "Traces of mine", "en", "My traces")


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    return written(tmp_path / "cards" / "good.yaml", "# head\n" + GOOD + "# end\n")


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return own_decks_folder(tmp_path / "data")


def loaded(tmp_path: Path) -> Library:
    own = own_decks_folder(tmp_path / "data")
    return load_library([tmp_path / "cards", own], lab_names=LABS, cache=None, own=own)


def test_a_projects_deck_is_copied_at_the_first_change_and_the_copy_is_read_in_its_place(
    tmp_path: Path, shipped: Path, own: Path
) -> None:
    written(tmp_path / "cards" / "z.yaml", small("z", "z-card"))
    before = loaded(tmp_path)
    original = shipped.read_bytes()
    opened = open_deck(Path(before.by_id["second-card"].file), own)
    values = card_values(opened.text, "second-card") | {"title": "MBU, said better"}
    save(opened, with_card(opened.text, "second-card", values), before, lab_names=LABS)
    after = loaded(tmp_path)
    assert after.by_id["second-card"].title == "MBU, said better"
    assert after.replaced == ((str(shipped), str(own / "good.yaml")),)
    assert list(after.by_id) == list(before.by_id), "new cards come in the order they came in before"
    assert not after.faults
    assert shipped.read_bytes() == original
    copied = (own / "good.yaml").read_text(encoding="utf-8")
    assert copied.replace("MBU, said better", "MBU") == original.decode("utf-8")
    assert (is_own(before.by_id["second-card"], own), is_own(after.by_id["second-card"], own)) == (
        False,
        True,
    )
    (own / "good.yaml").unlink()
    assert loaded(tmp_path).by_id["second-card"].title == "MBU"


def test_a_copy_that_is_broken_by_hand_leaves_the_projects_deck_in_use_and_is_not_written_over(
    tmp_path: Path, shipped: Path, own: Path
) -> None:
    copy = written(own / "good.yaml", GOOD.replace("kind: term", "kind: terms"))
    library = loaded(tmp_path)
    assert library.by_id["second-card"].file == str(shipped)
    assert [(fault.file, fault.field) for fault in library.faults] == [(str(copy), "cards[1].kind")]
    with pytest.raises(DeckMoved, match="is your own copy of good"):
        open_deck(shipped, own)


def test_two_decks_of_ones_own_with_one_id_are_a_fault_still(
    tmp_path: Path, shipped: Path, own: Path
) -> None:
    written(own / "a.yaml", GOOD)
    written(own / "b.yaml", GOOD)
    library = loaded(tmp_path)
    assert library.by_id["first-card"].file == str(own / "a.yaml")
    assert {fault.file for fault in library.faults} == {str(own / "b.yaml")}


def test_a_faulty_text_is_refused_with_its_lines_and_nothing_is_written(
    tmp_path: Path, shipped: Path, own: Path
) -> None:
    opened = open_deck(shipped, own)
    text = with_card_text(
        opened.text, "second-card", card_text(opened.text, "second-card").replace("kind: term", "kind: trem")
    )
    with pytest.raises(DeckRefused) as refused:
        save(opened, text, loaded(tmp_path), lab_names=LABS)
    (fault,) = refused.value.faults
    assert (fault.file, fault.field) == (str(own / "good.yaml"), "cards[1].kind")
    assert text.split("\n")[fault.line - 1].strip() == "kind: trem"
    assert not own.exists()


def test_an_id_of_another_deck_or_a_lost_id_is_refused(tmp_path: Path, shipped: Path, own: Path) -> None:
    written(own / "mine.yaml", small("mine", "my-card"))
    library = loaded(tmp_path)
    opened = open_deck(own / "mine.yaml", own)
    for text, part in (
        (opened.text.replace("my-card", "first-card"), "already the id of the card at"),
        (opened.text.replace("my-card", "my-new-card"), "history hangs on its id"),
    ):
        with pytest.raises(DeckRefused, match=part):
            save(opened, text, library, lab_names=LABS, keeps=["my-card"])
    with pytest.raises(DeckRefused, match='no lab "fuson"'):
        save(
            opened,
            with_new_card(opened.text, {"id": "x", **CARD, "labs": ["fuson"]}),
            library,
            lab_names=LABS,
        )


def test_a_file_changed_meanwhile_is_not_written_over(tmp_path: Path, own: Path) -> None:
    path = written(own / "mine.yaml", small("mine", "my-card"))
    opened = open_deck(path, own)
    written(path, small("mine", "my-card").replace("Small", "Smaller"))
    with pytest.raises(DeckMoved, match="changed by another program"):
        save(opened, opened.text.replace("This.", "That."), loaded(tmp_path), lab_names=LABS)
    assert "Smaller" in path.read_text(encoding="utf-8")


def test_of_two_tabs_that_save_at_once_one_is_told_and_nothing_is_lost(tmp_path: Path, own: Path) -> None:
    """Both were told that it was saved, and the first one's text stood nowhere any more."""
    file = written(own / "mine.yaml", small("mine", "mine-card"))
    library = loaded(tmp_path)
    for number in range(20):
        opened = open_deck(file, own)
        texts = [opened.text + f"# {number} of tab {tab}\n" for tab in range(2)]
        together = threading.Barrier(len(texts))

        def saved(text: str, opened: DeckText = opened, together: threading.Barrier = together) -> bool:
            together.wait()
            try:
                save(opened, text, library, lab_names=LABS)
            except DeckMoved:
                return False
            return True

        with ThreadPoolExecutor(len(texts)) as tabs:
            came = list(tabs.map(saved, texts))
        assert sum(came) == 1
        assert open_deck(file, own).text == texts[came.index(True)]


def test_each_change_keeps_the_text_before_it_and_can_follow_on_the_last(tmp_path: Path, own: Path) -> None:
    path = written(own / "mine.yaml", small("mine", "my-card"))
    opened = open_deck(path, own)
    for word in ("first", "second"):
        opened = save(opened, opened.text.replace("Small", f"{word} Small"), loaded(tmp_path), lab_names=LABS)
    kept = [version.read_text(encoding="utf-8") for version in deck_versions.versions(path)]
    assert kept == [small("mine", "my-card").replace("Small", "first Small"), small("mine", "my-card")]
    assert loaded(tmp_path).decks[-1].title == "first second Small"
    assert not loaded(tmp_path).faults, "kept versions are no decks"


def test_lines_that_end_as_on_windows_go_on_doing_so(tmp_path: Path, own: Path) -> None:
    path = written(own / "mine.yaml", small("mine", "my-card").replace("\n", "\r\n"))
    opened = open_deck(path, own)
    save(opened, opened.text.replace("This.", "That."), loaded(tmp_path), lab_names=LABS)
    assert (
        path.read_bytes() == small("mine", "my-card").replace("This.", "That.").replace("\n", "\r\n").encode()
    )


def test_a_cards_yaml_is_shown_without_its_indentation_and_put_back_as_it_was(
    shipped: Path, own: Path
) -> None:
    text = open_deck(shipped, own).text
    shown = card_text(text, "first-card")
    assert shown.startswith("id: first-card\nkind: question\n")
    assert "\n  ```python\n  x = 1\n\n  y = no\n" in shown
    assert with_card_text(text, "first-card", shown) == text
    edited = with_card_text(text, "first-card", shown.replace("x = 1\n\n", "x = 1\n\n\n"))
    assert edited == text.replace("x = 1\n\n", "x = 1\n\n\n")
    with pytest.raises(KeyError):
        card_text(text, "no-such-card")


def test_a_card_makes_its_deck_and_the_next_one_follows(tmp_path: Path, own: Path) -> None:
    for number in range(3):
        values = {**CARD, "prompt": f"Gap {number}?\n\n- one\n- two: yes"}
        path, card_id = add_card(values, MINE, own=own, library=loaded(tmp_path), lab_names=LABS)
        assert path == own / "my-traces.yaml"
        card = loaded(tmp_path).by_id[card_id]
        assert (card.title, card.deck, card.source.document) == (CARD["title"], "my-traces", "My traces")
        assert card.prompt == values["prompt"]
    assert list(loaded(tmp_path).by_id) == [f"my-traces-do-mot-khoang-trong{end}" for end in ("", "-2", "-3")]
    assert not loaded(tmp_path).faults


def test_a_card_with_a_fault_makes_no_deck(tmp_path: Path, own: Path) -> None:
    with pytest.raises(DeckRefused, match="is empty"):
        add_card({**CARD, "answer": []}, MINE, own=own, library=loaded(tmp_path), lab_names=LABS)
    assert not own.exists()
    written(own / "my-traces.yaml", "deck: [")
    with pytest.raises(DeckMoved, match="is there already"):
        add_card(CARD, MINE, own=own, library=loaded(tmp_path), lab_names=LABS)


def test_a_card_is_taken_out_alone(tmp_path: Path, shipped: Path, own: Path) -> None:
    opened = open_deck(shipped, own)
    text = without_card(opened.text, "second-card")
    assert opened.text.startswith(text.removesuffix("# end\n"))
    save(opened, text, loaded(tmp_path), lab_names=LABS)
    assert list(loaded(tmp_path).by_id) == ["first-card"]


def test_cards_that_came_to_the_original_later_come_to_the_copy_as_they_stand_there(
    tmp_path: Path, shipped: Path, own: Path
) -> None:
    library = loaded(tmp_path)
    copy = save(open_deck(shipped, own), open_deck(shipped, own).text, library, lab_names=LABS)
    newer = with_new_card_text(shipped.read_text(encoding="utf-8"), "id: third-card  # new\n" + TERM)
    written(shipped, newer)
    theirs = open_deck(shipped, own, copies=False).text
    assert lacking(copy.text, theirs) == ("third-card",)
    save(copy, with_lacking(copy.text, theirs), loaded(tmp_path), lab_names=LABS)
    assert (own / "good.yaml").read_text(encoding="utf-8") == newer
    assert not loaded(tmp_path).faults


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("What bounds decode?", "d-what-bounds-decode"),
        ("Đường ống", "d-duong-ong"),
        ("共享内存", r"d-[0-9a-f]{8}"),
        ("", r"d-[0-9a-f]{8}"),
        ("a" * 300, "d-a{60}"),
    ],
)
def test_a_new_id_is_made_of_plain_letters(title: str, expected: str) -> None:
    found = new_card_id(title, "d", ())
    assert re.fullmatch(expected, found)
    assert new_card_id(title, "d", {found, f"{found}-2"}) == f"{found}-3"
