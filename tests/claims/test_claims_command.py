"""`python -m engine claims`, as people script against it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DECK = """\
deck:
  id: own
  title: Own
  language: en
  document: Notes
cards:
  - id: own-ridge
    kind: question
    title: Ridge point
    prompt: What is it?
    answer:
      - heading: Peak over bandwidth
        text: In FLOP a byte.
    source: {section: one}
    claims:
      - id: ridge
        label: Ridge point of the T4
        says: {value: 153, unit: FLOP/B, on: t4}
        formula: FORMULA
"""


def claims(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "engine", "claims", *words],
        cwd=ROOT,
        env={**os.environ, "BENCHCARDS_HOME": str(home), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def write_deck(home: Path, formula: str = "peak_fp16 / memory_bandwidth") -> None:
    (home / "decks").mkdir()
    (home / "decks" / "own.yaml").write_text(DECK.replace("FORMULA", formula), encoding="utf-8")


def test_each_claim_has_every_field_of_the_contract(tmp_path: Path) -> None:
    write_deck(tmp_path)
    done = claims(tmp_path, "--gpu", "h100-sxm", "--json")
    assert done.returncode == 0, done.stderr
    body = json.loads(done.stdout)
    assert body["gpu"] == "h100-sxm"
    (ridge,) = [claim for claim in body["claims"] if claim["card"] == "own-ridge"]
    assert ridge == {
        "card": "own-ridge",
        "claim": "ridge",
        "says": {"value": 153.0, "unit": "FLOP/B", "on": "t4"},
        "formula": "peak_fp16 / memory_bandwidth",
        "computed": 203.125,
        "follows": False,
        "predicted": pytest.approx(295.22, abs=1),
        "measured": None,
        "verdict": "not_measured",
        "reason": {"code": "no_lab", "args": {}},
        "correction": None,
        "why_not": None,
    }
    assert {"vi-q1-torch-compile", "zh-d11-selftest-batch"} <= {claim["card"] for claim in body["claims"]}


def test_a_gpu_that_is_not_known_is_wrong_usage_and_names_those_that_are(tmp_path: Path) -> None:
    done = claims(tmp_path, "--gpu", "gtx")
    assert done.returncode == 2
    assert "t4" in done.stderr


def test_a_wrong_formula_is_a_fault_with_file_and_line_while_the_other_claims_are_listed(
    tmp_path: Path,
) -> None:
    write_deck(tmp_path, "peak_fp16 + memory_bandwidth")
    done = claims(tmp_path)
    assert done.returncode == 1
    assert "own.yaml:16: own-ridge.claims.ridge.formula: the units don't fit" in done.stderr
    assert "vi-q1-torch-compile" in done.stdout
    assert "Traceback" not in done.stderr


def test_each_deck_is_summed_up_with_what_cannot_be_checked_and_why(tmp_path: Path) -> None:
    done = claims(tmp_path, "--gpu", "h200", "--json")
    assert done.returncode == 0, done.stderr
    body = json.loads(done.stdout)
    listed = body["claims"]
    decks = {deck["deck"]: deck for deck in body["decks"]}
    assert sum(deck["claims"] for deck in decks.values()) == len(listed)
    assert sum(deck["with_formula"] for deck in decks.values()) == sum(
        claim["formula"] is not None for claim in listed
    )
    assert sum(deck["measured"] for deck in decks.values()) == sum(
        claim["measured"] is not None for claim in listed
    )
    corrected = {
        (claim["card"], claim["claim"]): claim["correction"]
        for claim in listed
        if claim["correction"] is not None
    }
    assert {
        (named["card"], named["claim"]) for deck in decks.values() for named in deck["corrected"]
    } == corrected.keys()
    assert corrected["zh-d11-selftest-batch", "ridge-point"]["value"] == 203
    unchecked = [named for deck in decks.values() for named in deck["unchecked"]]
    assert {named["claim"] for named in unchecked} >= {"crash-hour", "delay", "compute-capability"}
    assert all(named["why"] for named in unchecked)
    table = claims(tmp_path, "--gpu", "h200").stdout
    assert "by deck" in table
    assert "vi-q2-oom-sixth-hour.crash-hour: 6 h: Tình huống" in table
    assert "zh-d11-selftest-batch.ridge-point: 153 FLOP/B: 203 FLOP/B: T4" in table
