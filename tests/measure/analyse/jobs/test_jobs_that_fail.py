"""Files that can't be used, and disks that take nothing more: told in words, and nobody behind them waits."""

from __future__ import annotations

import gzip
import os
import random
import signal
import sys
from pathlib import Path

import pytest

from engine.measure.analyse.jobs import Analyses
from engine.measure.fault import MeasureError
from tests.measure.analyse.jobs.analysing import over, posix, tool, written
from tests.measure.analyse.mutations import armed_pickles
from tests.measure.analyse.samples import trace


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


@pytest.mark.skipif(sys.platform != "linux", reason="only there is a disk that is always full")
def test_on_a_full_disk_the_end_is_known_here_and_those_behind_go_on(
    tmp_path: Path, hanging: Path, analyses: Analyses
) -> None:
    first = analyses.submit(hanging)
    tool(tmp_path)
    second, third = (analyses.take_upload(name, [trace()]) for name in ("second.json", "third.json"))
    (analyses.folder(second) / "end.part").symlink_to("/dev/full")
    analyses.cancel(first)
    assert [over(analyses, each).status for each in (second, third)] == ["done", "done"]
    assert not (analyses.folder(second) / "end.json").exists()


@posix
def test_a_folder_whose_place_is_taken_while_its_file_is_read_holds_up_nobody(
    tmp_path: Path, hanging: Path, analyses: Analyses
) -> None:
    first = analyses.submit(hanging)
    running = tool(tmp_path)
    folder = analyses.folder(first)
    second = analyses.take_upload("t.json", [trace()])
    folder.rename(tmp_path / "elsewhere")
    folder.write_bytes(b"in its place")
    os.kill(running.pid, signal.SIGKILL)
    assert over(analyses, second).status == "done"
    assert [state.id for state in analyses.recent()] == [second]
    with pytest.raises(MeasureError, match=r"Open the file again"):
        analyses.state(first)


def test_a_file_among_the_folders_spoils_no_analysis(tmp_path: Path, analyses: Analyses) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "20261129-000000000000-0123456789abcdef").write_bytes(b"no folder")
    first, second = (analyses.take_upload("t.json", [trace()]) for _ in range(2))
    assert [over(analyses, each).status for each in (first, second)] == ["done", "done"]
    assert [state.id for state in analyses.recent()] == [second, first]
