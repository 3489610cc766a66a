"""`python -m engine export` and `import`, as people script against them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from engine.store import FILE_NAME, open_store
from engine.study.desk import Desk
from tests.study.decks import GOOD
from tests.study.exchange.machines import machine, study

ROOT = Path(__file__).resolve().parents[3]


def engine(home: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "engine", *words],
        cwd=ROOT,
        env={**os.environ, "BENCHCARDS_HOME": str(home), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=120,
        check=False,
    )


def test_an_export_is_imported_once_after_a_dry_run_that_changes_nothing(tmp_path: Path) -> None:
    here = machine(tmp_path / "here")
    # a day that is past wherever the test runs: an import refuses answers from the future
    here.learner.now = here.learner.now.replace(year=2024)
    study(here, "3413u2")
    here.decks.mkdir()
    (here.decks / "mine.yaml").write_text(GOOD, encoding="utf-8")
    states = here.states()
    here.store.close()
    file = tmp_path / "out.csv"
    out = engine(tmp_path / "here", "export", "--out", str(file))
    assert out.returncode == 0, out.stderr
    assert b"5 answers to 4 cards" in out.stderr
    there = tmp_path / "there"
    dry = engine(there, "import", str(file), "--dry-run", "--json")
    assert dry.returncode == 0, dry.stderr
    body = json.loads(dry.stdout)
    assert body["reviews"] == {"new": 5, "known": 0}
    assert body["decks_new"] == ["mine.yaml"]
    assert body["unknown_cards"] == ["deck-000", "deck-001", "deck-002", "deck-003"]
    assert not (there / "decks").exists()
    done = engine(there, "import", str(file))
    assert done.returncode == 0, done.stderr
    assert b"answers: 5 new, 0 here already" in done.stdout
    assert len(list((there / "backups").glob("*before-import.db"))) == 1
    assert b"nothing changes" in engine(there, "import", str(file)).stdout
    store = open_store(there / FILE_NAME)
    assert Desk(store).states() == states
    store.close()
    assert (there / "decks" / "mine.yaml").read_text(encoding="utf-8") == GOOD


def test_what_is_no_export_is_named_without_a_traceback(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text('{"benchcards": "export", "schema": 9}', encoding="utf-8")
    for words, says in (
        ((str(bad),), b"bad.json: schema: is 9"),
        ((str(tmp_path / "none.json"),), b"none.json: can't be read"),
        ((str(tmp_path),), b"can't be read"),
    ):
        result = engine(tmp_path / "home", "import", *words)
        assert result.returncode == 1
        assert says in result.stderr
        assert b"Traceback" not in result.stderr


def test_a_package_for_anki_goes_out_and_comes_in(tmp_path: Path) -> None:
    here = machine(tmp_path / "here")
    (tmp_path / "here" / "decks").mkdir()
    (here.decks / "mine.yaml").write_text(GOOD, encoding="utf-8")
    here.store.close()
    file = tmp_path / "out.apkg"
    out = engine(tmp_path / "here", "export", "--deck", "good-deck", "--out", str(file))
    assert out.returncode == 0, out.stderr
    assert b"2 cards of 1 decks, for Anki" in out.stderr
    there = tmp_path / "there"
    dry = engine(there, "import", str(file), "--dry-run")
    assert dry.returncode == 0, dry.stderr
    assert b"decks new: good-deck.yaml" in dry.stdout
    assert not (there / "decks").exists()
    unknown = engine(there, "export", "--format", "apkg", "--deck", "nowhere")
    assert unknown.returncode == 2
    assert b"there is no deck nowhere: there are" in unknown.stderr
