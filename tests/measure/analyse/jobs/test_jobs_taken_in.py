"""What is taken in to be analysed: names, sizes, and what is refused at once."""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.measure.analyse.jobs import Analyses, Limits
from engine.measure.analyse.uploads import safe_name
from engine.measure.fault import MeasureError
from tests.measure.analyse.jobs.analysing import over, written
from tests.measure.analyse.samples import trace
from tests.measure.analyse.workloads import training


def test_an_upload_is_kept_under_a_name_that_stays_in_its_folder(tmp_path: Path, analyses: Analyses) -> None:
    content = trace()
    pieces = [content[at : at + 1000] for at in range(0, len(content), 1000)]
    analysis = analyses.take_upload("../../..\\C:\\evil\n/../my trace.json", pieces)
    state = over(analyses, analysis)
    assert (state.status, state.uploaded) == ("done", True)
    assert state.path == analyses.folder(analysis) / "upload" / "my trace.json"
    assert state.path.read_bytes() == content
    assert {file.name for file in tmp_path.iterdir()} == {"files"}


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("trace.json", "trace.json"),
        ("/etc/passwd", "passwd"),
        ("C:\\Users\\me\\trace.json.gz", "trace.json.gz"),
        ("..", "file"),
        ("", "file"),
        ("a\x00b\x1b[31m.json", "a_b_[31m.json"),
        ("gió ở đây 痕迹.json", "gió ở đây 痕迹.json"),
        ("x" * 500 + ".ncu-rep", "x" * 112 + ".ncu-rep"),
        ("\ud800.json", "_.json"),
    ],
)
def test_a_file_name_is_made_safe(name: str, safe: str) -> None:
    assert safe_name(name) == safe


def test_a_name_of_wide_characters_fits_the_file_system() -> None:
    made = safe_name("痕" * 300 + ".json")
    assert len(made.encode()) <= 255
    assert made.endswith(".json")


def test_an_upload_that_is_too_large_leaves_nothing(
    tmp_path: Path, open_: Callable[[Limits], Analyses]
) -> None:
    analyses = open_(Limits(upload_bytes=1000))
    with pytest.raises(MeasureError, match=r"^t\.json: it is larger than"):
        analyses.take_upload("t.json", (b"x" * 100 for _ in range(10**9)))
    assert list((tmp_path / "files").iterdir()) == []
    assert analyses.recent() == ()


@pytest.mark.parametrize(
    ("make", "words"),
    [(lambda path: path.mkdir(), "folder"), (lambda path: None, "no such file")],
    ids=["a folder", "nothing"],
)
def test_what_is_no_file_is_refused_at_once(
    tmp_path: Path, analyses: Analyses, make: Callable[[Path], None], words: str
) -> None:
    make(tmp_path / "x")
    with pytest.raises(MeasureError, match=words):
        analyses.submit(tmp_path / "x")
    assert analyses.recent() == ()


def test_text_that_is_none_is_shown_with_question_marks(analyses: Analyses) -> None:
    snapshot = training(0)
    for event in snapshot["device_traces"][0]:
        event["frames"] = [{"name": "a\ud800b", "filename": "model.py", "line": 7}]
    state = over(analyses, asked := analyses.take_upload("s\udcff.pickle", [pickle.dumps(snapshot)]))
    assert (state.status, state.name) == ("done", "s_.pickle")
    assert "a?b" in json.dumps(analyses.result(asked))


@pytest.mark.skipif(sys.platform != "linux", reason="only there a path may hold any bytes")
def test_a_path_that_is_no_text_is_no_trouble(tmp_path: Path, analyses: Analyses) -> None:
    sound = written(tmp_path / "t\udcff.json", trace())
    broken = written(tmp_path / "w\udcff.json", b"once upon a time")
    first, second = over(analyses, analyses.submit(sound)), over(analyses, analyses.submit(broken))
    assert (first.status, first.name, first.path) == ("done", "t_.json", sound)
    assert second.message.startswith("w?.json: this is none of the files")


@pytest.mark.parametrize(
    "hostile", ["", "..", "../files", "/etc", "x\0y", "20261129-000000000000-" + "g" * 16]
)
def test_an_address_that_names_no_analysis_is_refused(analyses: Analyses, hostile: str) -> None:
    for ask in (analyses.state, analyses.result, analyses.folder, analyses.cancel, analyses.remove):
        with pytest.raises(MeasureError, match="no such analysis"):
            ask(hostile)
