"""`python -m engine check`: lines for people, JSON for programs, exit codes for scripts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.study.decks import changed, small, written

ROOT = Path(__file__).resolve().parents[2]


def engine(tmp_path: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """The command as a person runs it, with a data folder of its own."""
    return subprocess.run(
        [sys.executable, "-m", "engine", *map(str, words)],
        cwd=ROOT,
        env={**os.environ, "BENCHCARDS_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_good_deck_exits_0(tmp_path: Path) -> None:
    deck = written(tmp_path / "deck.yaml", small("d", "c"))
    ended = engine(tmp_path, "check", deck)
    assert (ended.returncode, ended.stdout) == (0, "")
    assert ended.stderr == "1 deck with 1 card can be used; 0 faults\n"


def test_a_fault_is_one_line_and_exits_1(tmp_path: Path) -> None:
    deck = written(tmp_path / "deck.yaml", small("d", "c").replace("prompt", "promt"))
    ended = engine(tmp_path, "check", deck)
    assert ended.returncode == 1
    assert ended.stdout == f"{deck}:6: cards[0].promt: is not a field here: did you mean `prompt`?\n"


def test_json_has_decks_and_faults(tmp_path: Path) -> None:
    good = written(
        tmp_path / "decks" / "a.yaml", small("a", "card-a").replace("language: en", "language: zh")
    )
    bad = written(tmp_path / "decks" / "b.yaml", small("b", "card-b").replace("kind: term", "kind: trem"))
    ended = engine(tmp_path, "check", tmp_path / "decks", "--json")
    assert ended.returncode == 1
    assert json.loads(ended.stdout) == {
        "decks": [{"path": str(good), "language": "zh", "cards": 1}],
        "faults": [
            {
                "file": str(bad),
                "line": 4,
                "field": "cards[0].kind",
                "message": "must be question, self-test, misconception, term, table or exercise, "
                'not "trem"; did you mean term?',
            }
        ],
    }


def test_labs_are_checked_against_the_files_in_labs(tmp_path: Path) -> None:
    deck = written(tmp_path / "deck.yaml", changed("      - fusion\n", "      - no_such_lab\n"))
    assert 'cards[0].labs[0]: there is no lab "no_such_lab"' in engine(tmp_path, "check", deck).stdout


def test_without_a_path_the_learners_own_decks_are_checked_too(tmp_path: Path) -> None:
    own = written(tmp_path / "home" / "decks" / "mine.yaml", "deck: {}\n")
    ended = engine(tmp_path, "check")
    assert ended.returncode == 1
    assert f"{own}:1: deck.id: is missing" in ended.stdout


def test_the_projects_decks_are_named_as_seen_from_its_folder(tmp_path: Path) -> None:
    for deck in json.loads(engine(tmp_path, "check", "--json").stdout)["decks"]:
        assert deck["path"].startswith("cards/") or deck["path"].startswith("cards\\")


@pytest.mark.parametrize("words", [["check", "nowhere"], ["check", "--jsn"], ["chek"], []])
def test_wrong_usage_exits_2_and_says_so(tmp_path: Path, words: list[str]) -> None:
    ended = engine(tmp_path, *words)
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_link_that_leads_nowhere_is_a_fault(tmp_path: Path) -> None:
    link = tmp_path / "deck.yaml"
    link.symlink_to(tmp_path / "gone.yaml")
    ended = engine(tmp_path, "check", link)
    assert ended.returncode == 1
    assert ended.stdout.startswith(f"{link}:1: file: does not exist")


def test_a_terminal_that_knows_no_chinese_still_gets_its_lines(tmp_path: Path) -> None:
    deck = written(tmp_path / "deck.yaml", small("d", "c").replace("kind: term", "kind: 术语"))
    ended = subprocess.run(
        [sys.executable, "-m", "engine", "check", str(deck)],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "BENCHCARDS_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert "cards[0].kind" in ended.stdout
    assert "Traceback" not in ended.stderr


def test_help_lists_every_command(tmp_path: Path) -> None:
    ended = engine(tmp_path, "--help")
    assert ended.returncode == 0
    assert "check decks" in ended.stdout
