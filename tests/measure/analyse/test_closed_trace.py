"""A trace that was cut off becomes a whole document again, wherever the cut is."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from engine.measure.analyse import closed_trace
from engine.measure.analyse.closed_trace import closed
from tests.measure.analyse.samples import trace


def events(path: Path) -> list[object]:
    document = json.loads(b"".join(closed(path)))
    found = document["traceEvents"] if isinstance(document, dict) else document
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize("cut", [1, 2, 3, 50, 700, 4000])
def test_all_events_but_the_last_are_there(tmp_path: Path, cut: int) -> None:
    whole = json.loads(trace())["traceEvents"]
    path = tmp_path / "t.json"
    path.write_bytes(trace()[:-cut])
    kept = events(path)
    assert kept == whole[: len(kept)]
    left = len(json.dumps(whole[len(kept) :]))
    assert cut <= left <= cut + 2 * len(json.dumps(whole[-1]))


def test_a_bare_list_is_closed_as_one(tmp_path: Path) -> None:
    whole = json.loads(trace())["traceEvents"]
    path = tmp_path / "t.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(whole).encode()[:-30])
    assert events(path) == whole[:-1]


def test_an_archive_that_was_cut_off_is_read_to_the_cut(tmp_path: Path) -> None:
    whole = json.loads(trace())["traceEvents"]
    path = tmp_path / "t.json.gz"
    path.write_bytes(gzip.compress(trace())[:-40])
    kept = events(path)
    assert len(kept) > 10
    assert kept == whole[: len(kept)]


def test_a_long_trace_goes_through_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closed_trace, "LONGEST_EVENT", 1000)
    monkeypatch.setattr(closed_trace, "CHUNK", 100)
    event = {"ph": "X", "name": "k", "args": {"list": [{"x": 1}, {"x": 2}]}}
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"traceEvents": [event] * 40_000})[:-40])
    assert len(list(closed(path))) > 3
    assert events(path) == [event] * 39_999
