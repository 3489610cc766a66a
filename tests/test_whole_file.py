"""A file is written whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from engine.whole_file import write_whole


def test_a_file_that_is_replaced_keeps_its_rights_and_a_new_one_has_the_usual(tmp_path: Path) -> None:
    """A deck edited in the app could be read by nobody else any more."""
    usual = tmp_path / "usual"
    usual.write_bytes(b"")
    file = tmp_path / "deck.yaml"
    write_whole(file, b"one")
    assert stat.S_IMODE(file.stat().st_mode) == stat.S_IMODE(usual.stat().st_mode)
    file.chmod(0o640)
    write_whole(file, b"two")
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"two", 0o640)


def test_where_it_cannot_be_put_in_place_nothing_changes_and_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        write_whole(tmp_path / "folder", b"x")
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "missing" / "file", b"x")
    assert os.listdir(tmp_path) == ["folder"]
