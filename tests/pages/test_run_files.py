"""Files of a run: only what lies in the run's own folder is shown, whatever a result names."""

from __future__ import annotations

from pathlib import Path

import pytest

from app_pages.run_files import _lies_in, _read


def test_a_file_of_the_run_is_its_own_and_one_outside_is_not(tmp_path: Path) -> None:
    folder, secret = tmp_path / "run", tmp_path / "secret.txt"
    (folder / "artifacts").mkdir(parents=True)
    own = folder / "artifacts" / "leak.pickle.gz"
    own.write_bytes(b"x")
    secret.write_text("not the run's", encoding="utf-8")
    (folder / "link").symlink_to(secret)
    assert _lies_in(own, folder)
    assert not _lies_in(secret, folder)
    assert not _lies_in(folder / "artifacts" / ".." / ".." / "secret.txt", folder)
    assert not _lies_in(folder / "link", folder)
    assert not _lies_in(folder / "gone.pickle", folder)


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", "\x00"])
def test_an_analysis_that_was_cut_off_says_nothing(tmp_path: Path, text: str) -> None:
    path = tmp_path / "leak.analysis.json"
    path.write_text(text, encoding="utf-8")
    assert _read(path) == {}
