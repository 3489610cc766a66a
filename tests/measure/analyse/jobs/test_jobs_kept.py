"""Which analyses are kept, and what is removed with one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.measure.analyse.job import CANCEL
from engine.measure.analyse.jobs import Analyses, Limits
from engine.measure.fault import MeasureError
from tests.measure.analyse.jobs.analysing import over, posix, tool, written
from tests.measure.analyse.samples import trace
from tests.measure.waiting import gone, until


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


def test_a_folder_with_something_else_in_it_disturbs_nothing(tmp_path: Path, analyses: Analyses) -> None:
    analysis = analyses.take_upload("t.json", [trace()])
    over(analyses, analysis)
    (tmp_path / "files" / "20261129-000000000000-0123456789abcdef").mkdir()
    (tmp_path / "files" / "notes.txt").write_text("mine")
    (tmp_path / "files" / analysis / CANCEL).touch()
    assert [(state.id, state.status) for state in analyses.recent()] == [(analysis, "done")]
