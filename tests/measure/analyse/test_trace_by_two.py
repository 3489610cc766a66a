"""A large trace read with a second process's help: nothing comes out otherwise than alone."""

from __future__ import annotations

import gzip
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.measure.analyse.second_process import SecondProcess, can_help
from engine.measure.analyse.trace_reading import WORTH_TWO, read_chrome_trace
from engine.measure.events import Progress
from tests.measure.analyse.trace_writer import everything

pytestmark = pytest.mark.skipif(not can_help(), reason="there is no processor for a second process")

Change = Callable[[list[dict[str, Any]]], None]


@pytest.fixture
def forks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The processes that were started, so that a test sees that there was one."""
    started: list[int] = []
    fork = os.fork

    def counted() -> int:
        pid = fork()
        if pid:
            started.append(pid)
        return pid

    monkeypatch.setattr(os, "fork", counted)
    return started


def events() -> list[dict[str, Any]]:
    """Some of all that a trace may hold, several batches long."""
    found = []
    for turn in range(40):
        for event in everything().events:
            shifted = {**event, "ts": event["ts"] + 1000 * turn, "args": {**event["args"], "pad": "x" * 500}}
            if shifted["args"].get("correlation"):
                shifted["args"]["correlation"] += 10_000 * turn
            found.append(shifted)
    return found


def plain(folder: Path, found: list[dict[str, Any]]) -> Path:
    path = folder / "large.json"
    path.write_text(json.dumps({"traceEvents": found}), encoding="utf-8")
    assert path.stat().st_size > 2 * WORTH_TWO
    return path


def as_they_are(found: list[dict[str, Any]]) -> None:
    """Changes nothing."""


def times_as_text(found: list[dict[str, Any]]) -> None:
    for event in found[1000::3]:
        event["ts"] = str(event["ts"])


def times_beyond_a_float(found: list[dict[str, Any]]) -> None:
    for event in found:
        event["ts"] = 1_700_000_000_000_000.125 + event["ts"]


def correlations_here_and_there(found: list[dict[str, Any]]) -> None:
    for event in found[::7]:
        event["args"].pop("correlation", None)


def threads_as_numbers_of_either_kind(found: list[dict[str, Any]]) -> None:
    for event in found[::5]:
        event["tid"] = float(event["tid"])


def unsigned_correlations(found: list[dict[str, Any]]) -> None:
    for event in found:
        if "correlation" in event["args"]:
            event["args"]["correlation"] += 2**63


@pytest.mark.parametrize(
    "change",
    [
        as_they_are,
        times_as_text,
        times_beyond_a_float,
        correlations_here_and_there,
        threads_as_numbers_of_either_kind,
        unsigned_correlations,
    ],
)
def test_two_read_what_one_reads(tmp_path: Path, forks: list[int], change: Change) -> None:
    found = events()
    change(found)
    path = plain(tmp_path, found)
    alone = read_chrome_trace(path)
    assert not forks
    assert read_chrome_trace(path, helped=True) == alone
    assert len(forks) == 1


def test_two_read_an_archive_too(tmp_path: Path, forks: list[int]) -> None:
    path = tmp_path / "large.json.gz"
    # hardly packed: the size that counts is that of the file
    path.write_bytes(gzip.compress(plain(tmp_path, events()).read_bytes(), compresslevel=0))
    assert read_chrome_trace(path, helped=True) == read_chrome_trace(path)
    assert len(forks) == 1


def cut_off(content: bytes) -> bytes:
    return content[:-100_000]


def damaged_in_the_middle(content: bytes) -> bytes:
    middle = content.index(b'"aten::linear"', len(content) // 2)
    return content[:middle] + b'"C:\\new\\x"' + content[middle + 14 :]


def damaged_at_the_end(content: bytes) -> bytes:
    return content[:-2] + b', {"ph": "X", "cat": "kernel", "ts": inf, "dur": 1}]}'


@pytest.mark.parametrize("harm", [cut_off, damaged_in_the_middle, damaged_at_the_end])
def test_what_is_damaged_is_mended_and_placed_as_by_one(
    tmp_path: Path, forks: list[int], harm: Callable[[bytes], bytes]
) -> None:
    path = plain(tmp_path, events())
    path.write_bytes(harm(path.read_bytes().replace(b"}, {", b"},\n{")))
    alone = read_chrome_trace(path)
    assert alone.damage.mended or alone.damage.numbers or alone.damage.broken_end_line
    assert read_chrome_trace(path, helped=True) == alone
    assert len(forks) == 1


def test_how_far_it_is_is_told_by_one_of_the_two(tmp_path: Path) -> None:
    told: list[Progress] = []
    read_chrome_trace(plain(tmp_path, events()), told.append, helped=True)
    done = [progress.done for progress in told]
    assert done == sorted(set(done))
    assert done[-1] > 0.8 * told[-1].total


def test_a_second_process_answers_what_its_work_gives() -> None:
    with SecondProcess(lambda: [(os.getpid(), "a" * 3_000_000)], list[tuple[int, str]]) as second:
        ((pid, text),) = second.result() or [(0, "")]
    assert pid not in (0, os.getpid())
    assert text == "a" * 3_000_000


def fails() -> int:
    raise ValueError("in the second process")


def is_killed() -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 1


@pytest.mark.parametrize("work", [fails, is_killed])
def test_of_a_second_process_that_fails_there_is_no_answer(
    work: Callable[[], int], capfd: pytest.CaptureFixture[str]
) -> None:
    with SecondProcess(work, int) as second:
        assert second.result() is None
    assert capfd.readouterr() == ("", "")


def test_nothing_runs_on_behind_the_context(forks: list[int]) -> None:
    with pytest.raises(KeyError), SecondProcess(lambda: time.sleep(600), type(None)):
        raise KeyError
    (pid,) = forks
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
