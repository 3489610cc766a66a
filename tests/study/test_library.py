"""Many decks together: a broken one hinders no other, and no id stands twice."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from engine.study.library import load_library, own_decks_folder
from tests.study.decks import GOOD, LABS, changed, small, written


def test_a_broken_deck_leaves_every_other_deck_usable(tmp_path: Path) -> None:
    written(tmp_path / "a.yaml", small("a", "card-a"))
    written(tmp_path / "b.yaml", "deck: [")
    written(tmp_path / "c.yml", small("c", "card-c"))
    library = load_library([tmp_path], lab_names=LABS, cache=None)
    assert [deck.id for deck in library.decks] == ["a", "c"]
    assert list(library.by_id) == ["card-a", "card-c"]
    assert [fault.file for fault in library.faults] == [str(tmp_path / "b.yaml")]


def test_a_card_id_in_two_decks_is_a_fault_of_the_later_one_naming_both_places(tmp_path: Path) -> None:
    shipped, own = tmp_path / "cards", own_decks_folder(tmp_path / "data")
    written(shipped / "z.yaml", small("z", "same"))
    written(own / "a.yaml", small("a", "same"))
    library = load_library([shipped, own], lab_names=LABS, cache=None)
    assert [deck.id for deck in library.decks] == ["z"]
    assert library.by_id["same"].deck == "z"
    (fault,) = library.faults
    assert (fault.file, fault.line, fault.field) == (str(own / "a.yaml"), 3, "cards[0].id")
    assert f"{shipped / 'z.yaml'}:3" in fault.message


def test_a_deck_id_in_two_decks_is_a_fault_of_the_later_one(tmp_path: Path) -> None:
    written(tmp_path / "a.yaml", small("same", "one"))
    written(tmp_path / "b.yaml", small("same", "two"))
    (fault,) = load_library([tmp_path], lab_names=LABS, cache=None).faults
    assert (fault.file, fault.line, fault.field) == (str(tmp_path / "b.yaml"), 1, "deck.id")
    assert f"{tmp_path / 'a.yaml'}:1" in fault.message


def test_a_clash_is_told_together_with_the_other_faults_of_a_deck(tmp_path: Path) -> None:
    written(tmp_path / "a.yaml", small("a", "same"))
    written(tmp_path / "b.yaml", small("b", "same").replace("prompt", "promt"))
    faults = load_library([tmp_path], lab_names=LABS, cache=None).faults
    assert [fault.field for fault in faults] == ["cards[0].id", "cards[0].promt"]


def test_labs_are_not_checked_where_none_are_named(tmp_path: Path) -> None:
    written(tmp_path / "a.yaml", changed("- fusion", "- unheard_of"))
    assert load_library([tmp_path], lab_names=None, cache=None).faults == ()
    assert load_library([tmp_path], lab_names=frozenset(), cache=None).faults


def test_a_folder_that_does_not_exist_holds_no_decks(tmp_path: Path) -> None:
    library = load_library([tmp_path / "nothing"], lab_names=LABS, cache=None)
    assert (library.decks, library.faults) == ((), ())


def test_other_files_and_hidden_files_are_no_decks(tmp_path: Path) -> None:
    written(tmp_path / "notes.txt", "not a deck")
    written(tmp_path / "deck.schema.json", "{}")
    written(tmp_path / ".#a.yaml", "an editor's lock")
    written(tmp_path / "a.yaml~", "an editor's backup")
    library = load_library([tmp_path], lab_names=LABS, cache=None)
    assert (library.decks, library.faults) == ((), ())


def test_what_is_named_like_a_deck_but_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "gone.yaml").symlink_to(tmp_path / "nowhere.yaml")
    (tmp_path / "loop.yaml").symlink_to(tmp_path / "loop.yaml")
    written(tmp_path / "sound.yaml", small("sound", "card"))
    library = load_library([tmp_path], lab_names=LABS, cache=None)
    assert [(Path(fault.file).name, fault.line, fault.field) for fault in library.faults] == [
        ("folder.yaml", 1, "file"),
        ("gone.yaml", 1, "file"),
        ("loop.yaml", 1, "file"),
    ]
    assert "is a folder" in library.faults[0].message
    assert "does not exist" in library.faults[1].message
    assert "leads back to itself" in library.faults[2].message
    assert list(library.by_id) == ["card"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes are a thing of POSIX")
def test_a_pipe_does_not_make_the_app_wait(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    (fault,) = load_library([tmp_path], lab_names=LABS, cache=None).faults
    assert "a device or a pipe" in fault.message


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_deck_that_may_not_be_read_is_told(tmp_path: Path) -> None:
    written(tmp_path / "a.yaml", GOOD).chmod(0)
    (fault,) = load_library([tmp_path], lab_names=LABS, cache=None).faults
    assert "allow reading" in fault.message


def test_a_deck_reached_twice_is_read_once(tmp_path: Path) -> None:
    written(tmp_path / "a.yaml", small("a", "card"))
    (tmp_path / "b.yaml").symlink_to(tmp_path / "a.yaml")
    library = load_library([tmp_path, tmp_path, tmp_path / "a.yaml"], lab_names=LABS, cache=None)
    assert (len(library.decks), library.faults) == (1, ())


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_file_name_that_is_no_text_can_still_be_told(tmp_path: Path) -> None:
    bad = Path(os.fsdecode(os.fsencode(tmp_path) + b"/x\xff\n.yaml"))
    written(bad, "deck: [")
    (fault,) = load_library([tmp_path], lab_names=LABS, cache=tmp_path / "cache").faults
    assert "\n" not in str(fault).encode("utf-8").decode("utf-8")
