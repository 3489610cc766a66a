"""The words of the labs: the same in three languages, and none missing for what the code can say."""

from __future__ import annotations

import json
import re

import pytest

from engine.folders import project_folder
from labs.kit.discovery import find_labs, words
from tests.labs.word_check import placeholders

LABS = project_folder() / "labs"
OF = {
    "fusion": (
        "fusion.py",
        "kit/fusion_epilogue.py",
        "kit/fusion_registers.py",
        "kit/fusion_findings.py",
        "kit/fusion_session.py",
        "kit/clocks.py",
        "kit/others.py",
    ),
    "roofline": ("roofline.py", "kit/roofline_findings.py", "kit/clocks.py", "kit/others.py"),
    "mbu_floor": (
        "mbu_floor.py",
        "kit/decode_findings.py",
        "kit/decode_session.py",
        "kit/decode_timing.py",
        "kit/rungs.py",
        "kit/clocks.py",
        "kit/others.py",
    ),
    "decode_gaps": (
        "decode_gaps.py",
        "kit/gap_findings.py",
        "kit/gaps_on_cpu.py",
        "kit/compiled_rung.py",
        "kit/gap_widths.py",
        "kit/decode_subject.py",
        "kit/decode_timing.py",
        "kit/clocks.py",
        "kit/others.py",
    ),
    "launch_overhead": (
        "launch_overhead.py",
        "kit/launch_findings.py",
        "kit/ways.py",
        "kit/decode_subject.py",
        "kit/clocks.py",
        "kit/others.py",
    ),
    "utilisation": ("utilisation.py", "kit/utilisation_findings.py", "kit/decode_subject.py"),
    "oom_fragmentation": (
        "oom_fragmentation.py",
        "kit/malloc_session.py",
        "kit/memory_findings.py",
        "kit/memory_session.py",
    ),
    "ncu_replay": (
        "ncu_replay.py",
        "kit/ncu_findings.py",
        "kit/occupancy_findings.py",
        "kit/clocks.py",
    ),
    "nsys_window": (
        "nsys_window.py",
        "kit/window_findings.py",
        "kit/window_commands.py",
    ),
}


@pytest.mark.parametrize("path", sorted((LABS / "words").glob("*.json")), ids=lambda path: path.stem)
def test_every_language_has_every_word_with_the_same_places_for_numbers(path: object) -> None:
    texts = json.loads((LABS / "words" / str(path)).read_text(encoding="utf-8"))
    assert set(texts) == {"en", "vi", "zh"}
    for language, own in texts.items():
        assert set(own) == set(texts["en"]), language
        for key, text in own.items():
            assert text.strip(), f"{language} {key}"
            assert placeholders(text) == placeholders(texts["en"][key]), f"{language} {key}"


@pytest.mark.parametrize("lab", OF)
def test_every_finding_in_the_code_has_words(lab: str) -> None:
    source = "".join((LABS / file).read_text(encoding="utf-8") for file in OF[lab])
    codes = set(
        re.findall(r"(?:Finding|finding|NotAsMeant|_drop)\(\s*(?:session, variant, )?\"(\w+)\"", source)
    )
    assert len(codes) >= 5
    missing = [code for code in sorted(codes) if f"finding.{code}" not in words(lab)["en"]]
    assert missing == []


@pytest.mark.parametrize("lab", OF)
def test_every_stage_that_the_code_names_has_words(lab: str) -> None:
    source = "".join((LABS / file).read_text(encoding="utf-8") for file in OF[lab])
    stages = set(re.findall(r"\bnext(?:_stage)?\(\s*\"(\w+)\"", source))
    assert [stage for stage in sorted(stages) if f"stage.{stage}" not in words(lab)["en"]] == []


@pytest.mark.parametrize("lab", OF)
def test_levers_have_words(lab: str) -> None:
    (found,) = [one for one in find_labs().labs if one.name == lab]
    assert [lever.name for lever in found.levers if f"lever.{lever.name}" not in words(lab)["zh"]] == []
    assert {"title", "about"} <= set(words(lab)["vi"])
