"""Damaged traces: repaired where what was meant is plain, and said so; refused with the place where not."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from engine.measure.analyse import contents, events_one_by_one, trace_stream
from engine.measure.analyse.damage import Damage
from engine.measure.analyse.errors import UnreadableFile
from engine.measure.analyse.trace_file import analyse_trace
from engine.measure.analyse.trace_reading import read_chrome_trace
from engine.measure.analyse.trace_times import nanoseconds
from engine.measure.events import Progress
from tests.measure.analyse.samples import trace
from tests.measure.analyse.test_trace import kernel

PLACE = (
    b'{"ph": "X", "cat": "kernel", "name": "@", "pid": 0, "tid": 7, "ts": 0.5, "dur": 1.25, '
    b'"args": {"stream": 7}}'
)


def with_event(event: bytes) -> bytes:
    """The sample with one more event, in the third line of its list."""
    head, _, tail = trace().partition(b'"traceEvents": [')
    first, comma, rest = tail.partition(b", {")
    return head + b'"traceEvents": [\n' + first + b",\n" + event + b",\n{" + rest if comma else b""


def warnings_of(path: Path) -> dict[str, Any]:
    """What is said of the file itself: not of how much its content proves."""
    said = {warning.code: warning.args for warning in analyse_trace(path).warnings}
    return {code: args for code, args in said.items() if code not in ("few_events", "profiler_widens")}


def written(folder: Path, content: bytes) -> Path:
    path = folder / "damaged.json"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("inside", "meant"),
    [
        (rb"C:\Users\new\kernel.py", r"C:\Users\new\kernel.py"),
        (b"C:\\dir\\", "C:\\dir\\"),
        (b'say "hi" now', 'say "hi" now'),
        (b'operator"" _a', 'operator"" _a'),
        (b"one\x01two\x00\nthree", "one\x01two\x00\nthree"),
        (b"k\xff\xfe", "k\ufffd\ufffd"),
        (rb"lambda \u12", r"lambda \u12"),
    ],
)
def test_a_damaged_name_is_repaired_and_said_to_be(tmp_path: Path, inside: bytes, meant: str) -> None:
    path = written(tmp_path, with_event(PLACE.replace(b"@", inside)))
    read = read_chrome_trace(path)
    (added,) = [event for event in read.gpu if event.start == 500]
    assert (added.name, added.end, added.stream) == (meant, 1750, "7")
    assert (read.events, len(read.gpu)) == (62, 21)
    assert warnings_of(path)["mended_events"] == {"events": 1, "line": 3}


@pytest.mark.parametrize("number", [b"inf", b"-Infinity", b"NaN", b"nan"])
def test_a_number_that_is_none_is_said_and_its_event_kept_out(tmp_path: Path, number: bytes) -> None:
    path = written(tmp_path, with_event(PLACE.replace(b"1.25", number)))
    said = warnings_of(path)
    assert said["no_number"] == {"events": 1, "line": 3}
    assert said["unreadable_events"] == {"events": 1}
    assert "mended_events" not in said


def test_infinity_among_the_arguments_costs_no_event(tmp_path: Path) -> None:
    path = written(tmp_path, with_event(PLACE.replace(b'"stream": 7', b'"stream": 7, "GB/s": inf')))
    assert len(read_chrome_trace(path).gpu) == 21
    assert set(warnings_of(path)) == {"no_number", "launched_before_window"}


def test_an_event_beyond_repair_is_left_out_and_said(tmp_path: Path) -> None:
    path = written(tmp_path, with_event(b'{"ph": "X", "cat": [[[}, "name"}'))
    assert read_chrome_trace(path).events == 61
    assert warnings_of(path)["dropped_events"] == {"events": 1, "line": 3}


def test_an_event_whose_fields_have_strange_types_is_read_without_them(tmp_path: Path) -> None:
    path = written(tmp_path, with_event(PLACE.replace(b'{"stream": 7}', b"[1, 2]").replace(b'"@"', b"5")))
    (added,) = [event for event in read_chrome_trace(path).gpu if event.start == 500]
    assert (added.name, added.stream, added.device) == ("5", "7", 0)


def test_times_as_text_are_read_and_said(tmp_path: Path) -> None:
    path = written(tmp_path, with_event(PLACE.replace(b"0.5", b'"0.5"')))
    assert any(event.start == 500 for event in read_chrome_trace(path).gpu)
    assert warnings_of(path)["text_times"] == {"events": 1}


def test_work_without_arguments_counts_and_is_said(tmp_path: Path) -> None:
    path = written(tmp_path, with_event(PLACE.replace(b', "args": {"stream": 7}', b"")))
    (added,) = [event for event in read_chrome_trace(path).gpu if event.start == 500]
    assert (added.device, added.stream, added.correlation) == (0, "7", None)
    assert warnings_of(path)["work_without_args"] == {"events": 1}


def test_unsigned_64_bit_arguments_are_read_exactly(tmp_path: Path) -> None:
    args = b'{"stream": 7, "correlation": 18446744073709551615, "addr": 10159970886766084423}'
    path = written(tmp_path, with_event(PLACE.replace(b'{"stream": 7}', args)))
    assert any(event.correlation == 2**64 - 1 for event in read_chrome_trace(path).gpu)


@pytest.mark.parametrize("packed", [False, True])
def test_a_trace_that_was_cut_off_shows_what_came_before(tmp_path: Path, packed: bool) -> None:
    whole = json.dumps({"traceEvents": [kernel(10 * n, 5, n) for n in range(3000)]}, indent=1).encode()
    content = gzip.compress(whole)[:-4000] if packed else whole[: len(whole) // 2]
    path = written(tmp_path, content)
    read = read_chrome_trace(path)
    assert 100 < read.events < 3000
    assert len(read.gpu) == read.events
    said = warnings_of(path)["broken_end"]
    assert said["events"] == read.events
    assert said["line"] == pytest.approx(14 * read.events, abs=30)


def test_a_bare_list_may_lack_its_closing_bracket(tmp_path: Path) -> None:
    path = written(tmp_path, b"[" + json.dumps(kernel(1, 2, 3)).encode() + b",\n")
    assert read_chrome_trace(path).events == 1
    assert "broken_end" not in warnings_of(path)


def test_a_refusal_names_file_and_line(tmp_path: Path) -> None:
    path = written(tmp_path, b'{\n"traceEvents": [\n{"ph": "X", "cat": ')
    with pytest.raises(UnreadableFile, match=r"damaged\.json: line 3: this is not a chrome trace"):
        read_chrome_trace(path)
    path = written(tmp_path, b'{"traceEvents":\n {"ph": "X"}}')
    with pytest.raises(UnreadableFile, match=r"damaged\.json: line 2: .*traceEvents is no list"):
        read_chrome_trace(path)


def test_a_file_with_too_much_damage_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events_one_by_one, "MOST_DAMAGED", 20)
    broken = b",\n".join([PLACE.replace(b"@", rb"C:\Users")] * 50)
    with pytest.raises(UnreadableFile, match="too much of it is damaged, 21 events"):
        read_chrome_trace(written(tmp_path, b'{"traceEvents": [\n' + broken + b"]}"))


def test_a_trace_of_many_batches_is_read_as_the_same_in_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nested = {"shapes": [{"name": "a"}, {"name": "b"}], "text": '}, {"ph": "X"}, {', "correlation": 1}
    events = [kernel(1712195495519689.047 + n, 0.5, n) | {"args": nested} for n in range(500)]
    text = json.dumps({"traceEvents": events, "tail": [{"a": 1}, {"b": 2}]}).encode()
    path = written(tmp_path, text)
    whole = read_chrome_trace(path)
    monkeypatch.setattr(trace_stream, "CHUNK", 3000)
    monkeypatch.setattr(contents, "CHUNK", 700)
    told: list[Progress] = []
    assert read_chrome_trace(path, told.append) == whole
    assert whole.events == 500
    assert whole.damage == Damage()
    assert len(told) > 10
    assert [step.done for step in told] == sorted(step.done for step in told)
    assert told[-1].total == len(text)


@pytest.mark.parametrize("microseconds", ["0.001", "562949953421.311", "3758096384.0005", "1e3", "7.9999"])
def test_a_time_is_exact_whether_it_was_decoded_as_number_or_text(tmp_path: Path, microseconds: str) -> None:
    event = PLACE.replace(b"0.5", microseconds.encode())
    (read,) = read_chrome_trace(written(tmp_path, b"[" + event + b"]")).gpu
    assert read.start == nanoseconds(microseconds.encode())
