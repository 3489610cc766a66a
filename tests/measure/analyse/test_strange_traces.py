"""Traces whose values were exchanged for strange ones: analysed and compared, or refused, in words."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from app_pages.analysis_words import findings_of, said
from engine.commands.analyse_words import sentences
from engine.measure.analyse.compare import compare
from engine.measure.analyse.errors import UnreadableFile
from engine.measure.analyse.trace_file import analyse_trace
from tests.measure.analyse.mutations import replaced
from tests.measure.analyse.trace_writer import everything

FILES = 120


@pytest.mark.parametrize("seed", range(3))
def test_strange_values_end_in_an_answer_or_a_refusal(tmp_path: Path, seed: int) -> None:
    path, rng = tmp_path / "trace.json", random.Random(seed)
    whole = everything().write(path).read_bytes()
    sound = analyse_trace(path).to_json()
    answered = 0
    for _ in range(FILES // 3):
        path.write_bytes(replaced(whole, rng))
        try:
            shown = analyse_trace(path).to_json()
        except UnreadableFile:
            continue
        answered += 1
        json.dumps(shown, allow_nan=False)
        assert sentences(shown)
        assert all(said(finding, "vi") for finding in findings_of(shown))
        if shown["devices"]:
            moved = compare(sound, shown).to_json()
            json.dumps(moved, allow_nan=False)
            assert sentences(moved)
            assert all(said(finding, "zh") for finding in findings_of(moved))
    assert answered > FILES // 6


def test_everything_is_said_at_once(tmp_path: Path) -> None:
    shown = analyse_trace(everything().write(tmp_path / "trace.json")).to_json()
    codes = {finding["code"] for finding in shown["findings"] + shown["warnings"]}
    assert {"launch_cost", "in_graphs", "without_gaps", "pageable_copies", "profiler_overhead"} <= codes
    (device,) = shown["devices"]
    assert len(device["steps"]) == 8
    assert [row["name"] for row in device["by_range"]] == ["layer"]
