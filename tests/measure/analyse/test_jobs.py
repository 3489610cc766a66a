"""Files analysed in a process of their own: followed, cancelled, bounded, and kept."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.measure.analyse.job import CANCEL
from engine.measure.analyse.jobs import Analyses, AnalysisState, Limits
from engine.measure.analyse.timeline import read_timeline
from engine.measure.analyse.uploads import safe_name
from engine.measure.fault import MeasureError
from engine.measure.processes import Identity, identity
from tests.measure.analyse import fake_tools
from tests.measure.analyse.mutations import armed_pickles
from tests.measure.analyse.samples import KINDS, ncu, nsys_sqlite, trace
from tests.measure.analyse.test_analyse_command import called
from tests.measure.analyse.workloads import training
from tests.measure.waiting import gone, until

ROOT = Path(__file__).resolve().parents[3]
posix = pytest.mark.skipif(os.name != "posix", reason="the stand-in for the tool is a shell script")


@pytest.fixture
def analyses(tmp_path: Path) -> Iterator[Analyses]:
    opened = Analyses(tmp_path / "files")
    yield opened
    opened.close()


@pytest.fixture
def open_(tmp_path: Path) -> Iterator[Callable[[Limits], Analyses]]:
    """Opens the analyses of the test's folder with other limits."""
    opened: list[Analyses] = []

    def with_limits(limits: Limits) -> Analyses:
        opened.append(Analyses(tmp_path / "files", limits=limits))
        return opened[-1]

    yield with_limits
    for each in opened:
        each.close()


@pytest.fixture
def hanging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A report that takes for ever, because ncu does."""
    fake_tools.hang(tmp_path / "bin", tmp_path / "pid")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    report = tmp_path / "kernel.ncu-rep"
    report.write_bytes(b"NVR\0")
    return report


def over(analyses: Analyses, analysis: str) -> AnalysisState:
    def look() -> AnalysisState | None:
        state = analyses.state(analysis)
        return state if state.is_over else None

    return until(look)


def tool(tmp_path: Path) -> Identity:
    """The hanging ncu, once it runs."""
    pid = until(lambda: (tmp_path / "pid").exists() and int((tmp_path / "pid").read_text()))
    found = identity(int(pid))
    assert found is not None
    return found


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_every_kind_is_analysed_as_the_command_does(tmp_path: Path, analyses: Analyses) -> None:
    files = [written(tmp_path / KINDS[kind][0], KINDS[kind][2](tmp_path)) for kind in KINDS]
    asked = [analyses.submit(file) for file in files]
    for (name, kind, _), file, analysis in zip(KINDS.values(), files, asked, strict=True):
        state = over(analyses, analysis)
        assert (state.status, state.message) == ("done", "")
        assert (state.name, state.path, state.kind, state.uploaded) == (name, file.resolve(), kind, False)
        assert state.started_at is not None
        assert state.ended_at is not None
        assert state.asked_at <= state.started_at <= state.ended_at <= datetime.now(UTC)
        assert analyses.result(analysis) == json.loads(called(str(file), "--json")[1])
        assert (analyses.folder(analysis) / "timeline.bin").exists() is (kind == "trace")
    assert [state.id for state in analyses.recent()] == asked[::-1]
    assert [state.id for state in analyses.recent(2)] == asked[:-3:-1]


def test_the_timeline_of_a_trace_can_be_opened(tmp_path: Path, analyses: Analyses) -> None:
    analysis = analyses.submit(written(tmp_path / "t.json", trace()))
    over(analyses, analysis)
    timeline = read_timeline(analyses.folder(analysis) / "timeline.bin")
    assert timeline.gap_count == 19


def test_what_is_known_of_an_analysis_survives_the_app(tmp_path: Path, analyses: Analyses) -> None:
    analysis = analyses.take_upload("t.json", [trace()])
    before = over(analyses, analysis)
    result = analyses.result(analysis)
    analyses.close()
    later = Analyses(tmp_path / "files")
    assert later.recent() == (before,)
    assert later.result(analysis) == result
    later.close()


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


def test_files_that_cannot_be_used_fail_in_words_and_hold_up_nobody(
    tmp_path: Path, analyses: Analyses
) -> None:
    whole = gzip.compress(trace() * 50)
    bomb = gzip.compress(b'{"traceEvents": [' + b" " * 70 * 1024 * 1024)
    broken = {
        "empty.json": (b"", "empty"),
        "words.txt": (b"once upon a time\n", "none of the files"),
        "weights.pt": (b"PK\x03\x04" + bytes(100), "torch.save"),
        "bomb.json.gz": (bomb, "unfold"),
        "deep.json": (b'{"traceEvents": ' + b"[" * 200_000, "not a chrome trace"),
        "cut.json.gz": (whole[:100], "not a chrome trace"),
        "report.csv": (b"==ERROR== Option did not match any section.\n", "did not match any section"),
    }
    asked = {name: analyses.take_upload(name, [content]) for name, (content, _) in broken.items()}
    last = analyses.take_upload("t.json", [trace()])
    for name, analysis in asked.items():
        state = over(analyses, analysis)
        assert (state.status, state.code) == ("failed", "unsupported"), state
        assert state.message.startswith(f"{name}: ")
        assert broken[name][1] in state.message
        with pytest.raises(MeasureError, match=r"isn't done"):
            analyses.result(analysis)
    assert over(analyses, last).status == "done"


def test_no_code_in_an_uploaded_pickle_runs(tmp_path: Path, analyses: Analyses) -> None:
    marker = tmp_path / "ran"
    armed = random.Random(9).sample(armed_pickles(marker, random.Random(9)), 3)
    asked = [analyses.take_upload("snapshot.pickle", [content]) for content in armed]
    for analysis in asked:
        state = over(analyses, analysis)
        assert (state.status, state.code) == ("failed", "unsupported")
        assert "nothing of this file was run" in state.message
    assert not marker.exists()


def test_a_file_that_was_taken_away_fails_in_words(tmp_path: Path, hanging: Path, analyses: Analyses) -> None:
    first = analyses.submit(hanging)
    file = written(tmp_path / "t.json", trace())
    second = analyses.submit(file)
    file.unlink()
    analyses.cancel(first)
    state = over(analyses, second)
    assert (state.status, state.message) == ("failed", "t.json: it can't be read: No such file or directory.")


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


@posix
def test_a_report_of_ncu_is_read_where_ncu_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, analyses: Analyses
) -> None:
    table = written(tmp_path / "table.csv", ncu())
    fake_tools.install(tmp_path / "bin", "ncu", fake_tools.hands_out(table))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    analysis = analyses.take_upload("kernel.ncu-rep", [b"NVR\0 and more"])
    state = over(analyses, analysis)
    assert (state.status, state.kind) == ("done", "ncu")
    assert analyses.result(analysis) == json.loads(called(str(table), "--json")[1])


@posix
def test_a_report_of_nsys_is_read_where_nsys_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, analyses: Analyses
) -> None:
    export = written(tmp_path / "made.sqlite", nsys_sqlite(tmp_path))
    fake_tools.install(tmp_path / "bin", "nsys", fake_tools.copies(export))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    analysis = analyses.take_upload("server.nsys-rep", [b"\1\2\3"])
    state = over(analyses, analysis)
    assert (state.status, state.kind) == ("done", "nsys")
    assert analyses.result(analysis) == json.loads(called(str(export), "--json")[1])


@posix
def test_what_a_tool_says_of_a_report_that_it_cannot_read_is_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, analyses: Analyses
) -> None:
    fake_tools.install(tmp_path / "bin", "nsys", "echo 'Unrecognized report version 9' >&2; exit 1")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    state = over(analyses, analyses.take_upload("server.nsys-rep", [b"\1\2\3"]))
    assert (state.status, state.code) == ("failed", "unsupported")
    assert state.message == "server.nsys-rep: nsys could not read this report: Unrecognized report version 9"
    fake_tools.install(tmp_path / "bin", "ncu", "echo '==ERROR== The file is not a report.'; exit 1")
    state = over(analyses, analyses.take_upload("kernel.ncu-rep", [b"NVR\0"]))
    assert state.message == "kernel.ncu-rep: no report, only what ncu stopped with: The file is not a report."


@posix
def test_cancelling_ends_the_process_and_the_tool_it_started(
    tmp_path: Path, hanging: Path, analyses: Analyses
) -> None:
    analysis = analyses.submit(hanging)
    started = tool(tmp_path)
    state = analyses.state(analysis)
    assert (state.status, state.label, state.kind, state.total) == ("running", "exporting", "ncu", 0)
    analyses.cancel(analysis)
    state = over(analyses, analysis)
    assert (state.status, state.code) == ("cancelled", "cancelled")
    gone(started)
    assert not (analyses.folder(analysis) / "scratch").exists()
    analyses.cancel(analysis)
    assert analyses.state(analysis) == state


@posix
def test_one_that_waits_is_cancelled_at_once(hanging: Path, analyses: Analyses) -> None:
    first, second = analyses.submit(hanging), analyses.submit(hanging)
    until(lambda: analyses.state(first).status == "running")
    assert analyses.state(second).status == "waiting"
    analyses.cancel(second)
    assert analyses.state(second).status == "cancelled"
    assert analyses.state(first).status == "running"
    analyses.cancel(first)
    assert over(analyses, first).status == "cancelled"
    assert analyses.state(second).started_at is None


@posix
def test_another_app_sees_and_cancels_it(tmp_path: Path, hanging: Path, analyses: Analyses) -> None:
    analysis = analyses.submit(hanging)
    until(lambda: analyses.state(analysis).status == "running")
    other = Analyses(tmp_path / "files")
    assert other.state(analysis).status == "running"
    other.cancel(analysis)
    assert over(other, analysis).status == "cancelled"
    other.close()


@posix
def test_an_analysis_that_takes_too_long_is_ended(
    tmp_path: Path, hanging: Path, open_: Callable[[Limits], Analyses]
) -> None:
    analyses = open_(Limits(seconds=1))
    state = over(analyses, analyses.submit(hanging))
    assert (state.status, state.code) == ("failed", "timeout")
    assert state.message == "kernel.ncu-rep: it took longer than 1 s. Record a shorter window."


@posix
def test_an_analysis_that_takes_too_much_memory_is_ended(
    hanging: Path, open_: Callable[[Limits], Analyses]
) -> None:
    analyses = open_(Limits(resident_bytes=1024**2))
    state = over(analyses, analyses.submit(hanging))
    assert (state.status, state.code) == ("failed", "out_of_memory")
    assert state.message.startswith("kernel.ncu-rep: reading it takes more than ")


@posix
def test_an_app_that_is_killed_leaves_nothing_running_and_says_interrupted(
    tmp_path: Path, hanging: Path, analyses: Analyses
) -> None:
    words = [
        sys.executable,
        "-m",
        "tests.measure.analyse.analysing_app",
        str(tmp_path / "files"),
        str(hanging),
    ]
    with subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as app:
        assert app.stdout is not None
        analysis = app.stdout.readline().strip()
        started = tool(tmp_path)
        assert analyses.state(analysis).status == "running"
        app.kill()
    gone(started)
    state = analyses.state(analysis)
    assert state.status == "interrupted"
    assert "The app ended" in state.message
    analyses.remove(analysis)
    assert analyses.recent() == ()


@posix
def test_closing_interrupts_what_runs_and_what_waits(
    tmp_path: Path, hanging: Path, analyses: Analyses
) -> None:
    asked = [analyses.submit(hanging), analyses.submit(hanging)]
    started = tool(tmp_path)
    analyses.close()
    gone(started)
    assert [analyses.state(each).status for each in asked] == ["interrupted", "interrupted"]


@posix
def test_removing_ends_what_runs_and_forgets_the_copy(
    tmp_path: Path, hanging: Path, analyses: Analyses
) -> None:
    analysis = analyses.take_upload("kernel.ncu-rep", [b"NVR\0"])
    started = tool(tmp_path)
    analyses.remove(analysis)
    gone(started)
    assert analyses.recent() == ()
    assert list((tmp_path / "files").iterdir()) == []
    with pytest.raises(MeasureError, match="There is no analysis"):
        analyses.state(analysis)


def test_removing_leaves_the_learners_own_file(tmp_path: Path, analyses: Analyses) -> None:
    file = written(tmp_path / "t.json", trace())
    analysis = analyses.submit(file)
    over(analyses, analysis)
    analyses.remove(analysis)
    assert file.read_bytes() == trace()


def test_the_newest_are_kept(open_: Callable[[Limits], Analyses]) -> None:
    analyses = open_(Limits(keep=2))
    asked = [analyses.take_upload("words.txt", [b"once upon a time"]) for _ in range(4)]
    over(analyses, asked[-1])
    until(lambda: len(analyses.recent()) == 2)
    assert [state.id for state in analyses.recent()] == asked[:1:-1]


def test_so_much_is_kept_as_has_room(open_: Callable[[Limits], Analyses]) -> None:
    analyses = open_(Limits(kept_bytes=25_000))
    asked = [analyses.take_upload("words.txt", [b"once " * 2000]) for _ in range(4)]
    over(analyses, asked[-1])
    until(lambda: len(analyses.recent()) == 2)
    assert [state.id for state in analyses.recent()] == asked[:1:-1]


@pytest.mark.parametrize(
    "hostile", ["", "..", "../files", "/etc", "x\0y", "20261129-000000000000-" + "g" * 16]
)
def test_an_address_that_names_no_analysis_is_refused(analyses: Analyses, hostile: str) -> None:
    for ask in (analyses.state, analyses.result, analyses.folder, analyses.cancel, analyses.remove):
        with pytest.raises(MeasureError, match="no such analysis"):
            ask(hostile)


def test_a_folder_with_something_else_in_it_disturbs_nothing(tmp_path: Path, analyses: Analyses) -> None:
    analysis = analyses.take_upload("t.json", [trace()])
    over(analyses, analysis)
    (tmp_path / "files" / "20261129-000000000000-0123456789abcdef").mkdir()
    (tmp_path / "files" / "notes.txt").write_text("mine")
    (tmp_path / "files" / analysis / CANCEL).touch()
    assert [(state.id, state.status) for state in analyses.recent()] == [(analysis, "done")]
