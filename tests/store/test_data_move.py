"""The data folder moves as a whole or not at all, and nothing is written into the old one afterwards."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import insert

from engine import data_move
from engine.data_move import MoveRefused, move_data
from engine.folders import DataFolderGone, DataFolderUnusable, data_folder, note_of
from engine.store import FILE_NAME, StoreError, open_store
from engine.store.tables import runs
from engine.study.desk import Desk
from tests.study.a_learner import Learner, plain_library

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder in use: answers, a deck, a link, an empty folder."""
    folder = tmp_path / "old"
    monkeypatch.setenv("BENCHCARDS_HOME", str(folder))
    assert data_folder() == folder
    learner = begun(folder)
    learner.answer(learner.first())
    learner.desk.store.close()
    (folder / "decks").mkdir()
    (folder / "decks" / "của tôi.yaml").write_text("deck: {}", encoding="utf-8")
    (folder / "decks" / "link.yaml").symlink_to("của tôi.yaml")
    (folder / "runs" / "empty").mkdir(parents=True)
    (folder / "cache").mkdir()
    (folder / "cache" / "x").write_text("made again")
    return folder


def begun(folder: Path) -> Learner:
    desk = Desk(open_store(folder / FILE_NAME))
    desk.sync(plain_library(3))
    return Learner(desk)


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if "backups" not in path.parts}


def test_everything_is_at_the_new_place_and_the_old_one_leads_there(old: Path, tmp_path: Path) -> None:
    store = open_store(old / FILE_NAME)
    states = Desk(store).states()
    store.close()
    new = tmp_path / "some where" / "new"
    move_data(old, new)
    assert data_folder() == new
    assert {"decks/của tôi.yaml", "decks/link.yaml", "runs/empty", FILE_NAME} <= names(new)
    assert (new / "decks" / "link.yaml").is_symlink()
    assert not (new / "cache").exists()
    moved = open_store(new / FILE_NAME)
    assert Desk(moved).states() == states
    moved.close()
    again = tmp_path / "third"
    move_data(data_folder(), again)
    assert data_folder() == again


def test_what_has_the_old_database_open_can_write_nothing_more_into_it(old: Path, tmp_path: Path) -> None:
    learner = begun(old)
    next(learner.nonces)  # the first answer's
    item = learner.first()
    new = tmp_path / "new"
    move_data(old, new)
    with pytest.raises(StoreError, match="this is the old one: reload the page"):
        learner.answer(item)
    learner.desk.store.close()
    elsewhere = begun(data_folder())
    elsewhere.nonces = learner.nonces  # those after the answer that was refused
    elsewhere.answer(elsewhere.first())
    elsewhere.desk.store.close()


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("old", "same"),
        ("old/within", "inside"),
        (".", "inside"),
        ("full", "not_empty"),
        ("file", "not_empty"),
    ],
)
def test_a_place_that_will_not_do_is_refused(old: Path, tmp_path: Path, target: str, code: str) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("")
    (tmp_path / "file").write_text("")
    before = names(tmp_path)
    with pytest.raises(MoveRefused) as refused:
        move_data(old, tmp_path / target)
    assert refused.value.code == code
    assert names(tmp_path) == before
    with pytest.raises(MoveRefused, match="whole path"):
        move_data(old, Path("relative"))


@pytest.mark.parametrize("path", ["/a\0b", "~nobody-of-that-name/x", "/" + "x" * 5000])
def test_what_can_be_no_folder_is_refused_in_words(old: Path, path: str) -> None:
    with pytest.raises(MoveRefused, match="can't be a folder") as refused:
        move_data(old, Path(path))
    assert refused.value.code == "bad_path"


def test_a_running_lab_or_a_writer_keeps_the_folder_where_it_is(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_move, "BUSY_SECONDS", 0.1)
    writer = sqlite3.connect(old / FILE_NAME, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    with pytest.raises(MoveRefused, match="in use"):
        move_data(old, tmp_path / "new")
    writer.execute("ROLLBACK")
    writer.close()
    store = open_store(old / FILE_NAME)
    with store.begin() as connection:
        row = {"id": "r", "lab": "x", "params": {}, "device": "cpu", "status": "running", "folder": "runs/r"}
        connection.execute(insert(runs), {**row, "queued_at_ms": 1})
    store.close()
    with pytest.raises(MoveRefused, match="lab is running"):
        move_data(old, tmp_path / "new")
    assert not (tmp_path / "new").exists()
    assert not [name for name in os.listdir(tmp_path) if "moving" in name]
    assert data_folder() == old


def test_a_copy_that_fails_changes_nothing(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged = bytearray((old / FILE_NAME).read_bytes())
    damaged[100:4000] = b"x" * 3900
    (old / FILE_NAME).write_bytes(bytes(damaged))
    with pytest.raises(MoveRefused, match="damaged"):
        move_data(old, tmp_path / "new")
    assert not (tmp_path / "new").exists()
    assert not note_of(old).exists()


def test_a_folder_on_a_drive_that_is_gone_is_not_begun_anew(old: Path, tmp_path: Path) -> None:
    new = tmp_path / "drive" / "data"
    move_data(old, new)
    (tmp_path / "drive").rename(tmp_path / "unplugged")
    with pytest.raises(DataFolderGone, match="Plug its drive in"):
        data_folder()
    assert not new.exists()
    (tmp_path / "unplugged").rename(tmp_path / "drive")
    assert data_folder() == new


@pytest.mark.parametrize("note", ["", "\n", "somewhere/else"])
def test_a_note_that_names_no_folder_leads_nowhere(old: Path, note: str) -> None:
    """An empty note led to whatever folder the app was started in."""
    note_of(old).write_text(note)
    with pytest.raises(DataFolderUnusable, match="whole path"):
        data_folder()


def test_a_note_that_an_editor_saved_with_its_mark_leads_on(old: Path, tmp_path: Path) -> None:
    move_data(old, tmp_path / "new")
    note_of(old).write_text(f"{tmp_path / 'new'}\r\n", encoding="utf-8-sig", newline="")
    assert data_folder() == tmp_path / "new"


@pytest.mark.parametrize("home", ["file", "file/below", "~nobody-has-this-name"])
def test_a_data_folder_that_cannot_be_is_told_in_a_line(tmp_path: Path, home: str) -> None:
    (tmp_path / "file").write_text("")
    named = home if home.startswith("~") else str(tmp_path / home)
    done = subprocess.run(
        [sys.executable, "-m", "engine", "export"],
        cwd=ROOT,
        env={**os.environ, "BENCHCARDS_HOME": named},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1
    assert "can't be used" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_command_moves_and_says_what_to_keep(old: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "engine", "move-data", str(tmp_path / "new")],
        cwd=ROOT,
        env={**os.environ, "BENCHCARDS_HOME": str(old)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"moved to {tmp_path / 'new'}" in done.stdout
    assert "keep moved-to.txt" in done.stdout
    assert data_folder() == tmp_path / "new"
