"""Broken and hostile files of every kind: an answer or a message, never a traceback, and no code run.

`python -m tests.bench.mutated` does the same with 500 files a kind.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.measure.analyse.mutations import armed_pickles, mutated, replaced
from tests.measure.analyse.samples import KINDS, trace
from tests.measure.analyse.test_analyse_command import called

MUTATIONS = 60


@pytest.mark.parametrize("kind", KINDS)
def test_no_mutated_file_brings_a_traceback(tmp_path: Path, kind: str) -> None:
    name, _, content = KINDS[kind]
    whole = content(tmp_path)
    path = tmp_path / name
    rng = random.Random(f"{kind} 7")
    codes = []
    for number in range(MUTATIONS):
        path.write_bytes(mutated(whole, rng))
        words = (str(path), "--json") if number % 2 else (str(path),)
        code, out, err = called(*words)
        codes.append(code)
        assert code in (0, 1)
        assert bool(out) is (code == 0), (number, out, err)
        assert bool(err) is (code == 1), (number, out, err)
        assert code == 0 or err.startswith(f"{name}: ")
    # a damaged trace is repaired, or shown up to the damage: all of them may give an answer
    assert 1 in codes or kind == "trace"


def test_no_trace_with_strange_values_brings_a_traceback(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    rng = random.Random(5)
    for number in range(MUTATIONS):
        path.write_bytes(replaced(trace(), rng))
        code, out, err = called(str(path), *(["--json"] if number % 2 else []))
        assert bool(out) is (code == 0), (number, out, err)
        assert bool(err) is (code == 1), (number, out, err)


def test_no_code_in_a_pickle_runs_and_the_refusal_says_so(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    path = tmp_path / "snapshot.pickle"
    for content in armed_pickles(marker, random.Random(6)):
        path.write_bytes(content)
        code, out, err = called(str(path))
        assert (code, out) == (1, "")
        assert "run code" in err
        assert "nothing of this file was run" in err
        assert not marker.exists()


def test_no_mutated_pickle_with_code_runs_it(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    path = tmp_path / "snapshot.pickle"
    rng = random.Random(8)
    for content in armed_pickles(marker, rng):
        for _ in range(3):
            path.write_bytes(mutated(content, rng))
            code, out, err = called(str(path))
            assert bool(out) is (code == 0)
            assert bool(err) is (code == 1)
            assert not marker.exists()
