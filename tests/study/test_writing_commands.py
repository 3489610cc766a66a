"""`engine new` and `engine import` of notes: what they write passes `engine check`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from engine.folders import project_folder
from engine.lab_names import lab_names
from engine.study.card import Language, Library
from engine.study.deck_edit import NewDeck, card_text, deck_of_text, faults_of, with_new_card_text
from engine.study.deck_spans import spots
from engine.study.templates import TEMPLATES, Template, template
from tests.study.decks import written


def engine(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "engine", *words],
        capture_output=True,
        text=True,
        cwd=project_folder(),
        env={**os.environ, "BENCHCARDS_HOME": str(home), "PYTHONIOENCODING": "utf-8"},
        check=False,
    )


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("language", get_args(Language))
def test_every_template_makes_a_deck_without_faults_and_follows_in_one(
    name: Template, language: Language
) -> None:
    text = template(name, language, deck_id="d", taken=())
    deck = deck_of_text(NewDeck("d", "D", language), text)
    first = spots(text).at(("id",)).plain()
    assert card_text(deck, first) == text
    more = template(name, language, deck_id="d", taken={first}, title="no: *really*?")
    both = with_new_card_text(deck, more)
    assert both.startswith(deck.rstrip())
    parsed, faults = faults_of(both, Path("d.yaml"), Library(), lab_names=lab_names())
    assert not faults
    assert parsed.deck is not None
    assert parsed.deck.cards[1].title == "no: *really*?"
    assert bool(parsed.deck.cards[0].claims) == (name == "claim")


def test_new_writes_cards_into_ones_own_deck_and_says_where(tmp_path: Path) -> None:
    first = engine(
        tmp_path, "new", "claim", "--deck", "mine", "--title", "Sàn của decode", "--language", "vi"
    )
    path = tmp_path / "decks" / "mine.yaml"
    assert (first.stdout, first.stderr) == (f"{path}:7\n", "")
    second = json.loads(engine(tmp_path, "new", "term", "--deck", "mine", "--json").stdout)
    assert (
        path.read_text(encoding="utf-8").split("\n")[second["line"] - 1].strip().startswith("- id: mine-mbu")
    )
    checked = json.loads(engine(tmp_path, "check", "--json").stdout)
    assert checked["faults"] == []
    assert {deck["path"]: deck["cards"] for deck in checked["decks"]}[str(path)] == 2


def test_new_names_a_deck_that_it_cannot_write_to(tmp_path: Path) -> None:
    assert engine(tmp_path, "new", "--deck", "My Deck").returncode == 2
    written(tmp_path / "decks" / "mine.yaml", "deck: [")
    broken = engine(tmp_path, "new", "--deck", "mine")
    assert broken.returncode == 1
    assert broken.stderr.startswith(f"{tmp_path / 'decks' / 'mine.yaml'}: has faults")


def test_notes_come_in_by_import_after_a_dry_run(tmp_path: Path) -> None:
    notes = written(tmp_path / "my notes.md", "# Ghi chú\n\n## MBU là gì?\nSàn ÷ đo.\n")
    dry = engine(tmp_path, "import", str(notes), "--dry-run")
    assert dry.stdout.endswith(
        "new: 1 (MBU là gì?)\nchanged: 0\nas they are: 0\ndry run: nothing was changed\n"
    )
    assert not (tmp_path / "decks").exists()
    done = json.loads(engine(tmp_path, "import", str(notes), "--json").stdout)
    assert (done["deck"], done["new"], done["makes_deck"]) == ("ghi-chu", ["MBU là gì?"], True)
    assert not json.loads(engine(tmp_path, "import", str(notes), "--json").stdout)["changes"]
    notes.write_text("## Q\n", encoding="utf-8")
    refused = engine(tmp_path, "import", str(notes))
    assert (refused.returncode, refused.stderr.split(": ")[0]) == (1, f"{notes}:1")
