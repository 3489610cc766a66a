"""The notebook for a free T4: valid, and its cells run a lab and hand over a file that can be imported."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.claims import imported
from tests.labs.helpers import ODD_LABS

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "labs" / "colab.ipynb"
COLAB = """\
import shutil
from pathlib import Path


class files:
    @staticmethod
    def download(name):
        shutil.copy(name, Path("downloads") / Path(name).name)
"""


def cells(kind: str) -> list[dict[str, Any]]:
    body = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    return [cell for cell in body["cells"] if cell["cell_type"] == kind]


def text(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def test_it_is_a_valid_notebook_without_outputs() -> None:
    body = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert (body["nbformat"], body["nbformat_minor"]) >= (4, 5)
    assert set(body) == {"cells", "metadata", "nbformat", "nbformat_minor"}
    assert body["metadata"]["kernelspec"]["name"] == "python3"
    names = [cell["id"] for cell in body["cells"]]
    assert len(set(names)) == len(names)
    for cell in body["cells"]:
        assert cell["cell_type"] in ("markdown", "code")
        assert isinstance(cell["metadata"], dict)
        assert all(isinstance(line, str) for line in cell["source"])
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)
            compile(text(cell), cell["id"], "exec")  # no magics: it runs wherever Python does


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of what the labs need, as the notebook's archive would unpack it."""
    copy = tmp_path / "project"
    for folder in ("labs", "engine"):
        shutil.copytree(
            ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__", "recorded")
        )
    shutil.copy(ROOT / "requirements.txt", copy)
    return copy


def run(place: Path, source: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", source],
        cwd=place,
        env={**os.environ, "BENCHCARDS_HOME": str(place / "home"), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_its_cells_run_a_lab_and_hand_over_a_file_that_can_be_imported(project: Path, tmp_path: Path) -> None:
    colab = tmp_path / "site" / "google" / "colab"
    colab.mkdir(parents=True)
    (colab / "__init__.py").write_text(COLAB, encoding="utf-8")
    (project / "downloads").mkdir()
    source = "\n".join(map(text, cells("code")))
    assert "LABS = []" in source
    source = source.replace("LABS = []", 'LABS = ["counts", "gives_up", "needs_gpu"]')
    done = run(
        project,
        source,
        BENCHCARDS_LABS=str(ODD_LABS),
        PYTHONPATH=str(tmp_path / "site"),
        CUDA_VISIBLE_DEVICES="",
    )
    assert done.returncode == 0, done.stderr
    assert "needs_gpu: can't run here" in done.stdout
    (file,) = (project / "downloads").iterdir()  # a lab that fails leaves none and stops no other
    assert file.name == "counts.json"
    result = imported.read_file(
        file.read_bytes(), file.name, labs={"counts"}, claims=(), now=datetime.now(UTC)
    )
    assert result.lab == "counts"


def test_without_a_project_it_says_what_to_bring(tmp_path: Path) -> None:
    done = run(tmp_path, text(cells("code")[0]))
    assert done.returncode == 1
    assert done.stderr.startswith("Upload benchcards.zip, or name the REPOSITORY")
    assert "Traceback" not in done.stderr
