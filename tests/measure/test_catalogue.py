"""The labs as the app knows them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.folders import project_folder
from engine.measure import catalogue
from tests.labs.helpers import ODD_LABS


def test_a_lab_is_known_with_its_levers_and_words(odd_labs: None) -> None:
    lab = catalogue.lab("counts")
    assert lab is not None
    assert [lever.name for lever in lab.levers] == ["steps", "mode", "share", "exact"]
    assert lab.levers[1].choices == ("fast", "slow")
    assert (lab.devices, lab.time_limit_s, lab.can_run, lab.why_not) == (("cpu",), 60, True, None)
    assert lab.word("vi", "title") == "Đếm"
    assert lab.word("vi", "finding.counted") == "It counted {steps} steps."
    assert lab.word("vi", "nothing") is None
    assert catalogue.lab("nothing") is None


def test_a_new_lab_is_seen_and_a_broken_one_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHCARDS_LABS", str(tmp_path))
    assert catalogue.lab("counts") is None
    (tmp_path / "counts.py").write_text((ODD_LABS / "counts.py").read_text(encoding="utf-8"))
    (tmp_path / "torn.py").write_text("(", encoding="utf-8")
    assert catalogue.lab("counts") is not None
    [(file, message)] = catalogue.full_catalogue().faults
    assert file.endswith("torn.py")
    assert "SyntaxError" in message


def test_the_app_learns_of_the_labs_without_importing_them_or_torch() -> None:
    script = (
        "import sys; from engine.measure.catalogue import catalogue; assert catalogue() or True; "
        "sys.exit(any(name.split('.')[0] in ('torch', 'labs') for name in sys.modules))"
    )
    subprocess.run([sys.executable, "-c", script], cwd=project_folder(), check=True)


def test_every_lab_of_ours_has_words_in_every_language() -> None:
    env = {name: value for name, value in os.environ.items() if name != "BENCHCARDS_LABS"}
    assert "BENCHCARDS_LABS" not in env
    for lab in catalogue.catalogue():
        languages = {language: set(texts) for language, texts in lab.words.items()}
        assert set(languages) == {"en", "vi", "zh"}, lab.name
        assert languages["en"] == languages["vi"] == languages["zh"], lab.name
        for key in ("title", "about", *(f"lever.{lever.name}" for lever in lab.levers)):
            assert lab.word("en", key), f"{lab.name}: {key}"
