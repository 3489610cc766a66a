"""Reading a file of events while it grows."""

from __future__ import annotations

from pathlib import Path

from engine.measure.events import MAX_LINE, Finished, Log, to_line
from engine.measure.tail import EventFile, last_lines


def test_each_read_goes_on_where_the_last_one_ended(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    file = EventFile(path)
    assert list(file.read()) == []
    line = to_line(Log(text="Đường")).encode()
    with path.open("ab", buffering=0) as output:
        output.write(line + b"\n" + line[:7])
        assert list(file.read()) == [Log(text="Đường")]
        assert list(file.read()) == []
        output.write(line[7:])
        assert list(file.read()) == []
        output.write(b"\nwords")
        assert list(file.read()) == [Log(text="Đường")]
    assert list(file.close()) == ["words"]
    assert list(file.close()) == []


def test_a_line_without_end_is_told_once_and_what_follows_is_read(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    finished = to_line(Finished(seconds=1)).encode()
    path.write_bytes(b"x" * (9 * MAX_LINE) + b"\n" + finished + b"\n")
    [words, event] = list(EventFile(path).read())
    assert isinstance(words, str)
    assert len(words) < 2100
    assert event == Finished(seconds=1)


def test_binary_is_shown_as_text_without_control_characters(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"\x00\x1b[31mred\xff\n\n \n")
    assert list(EventFile(path).read()) == ["��[31mred�"]


def test_the_last_lines_of_a_log(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    assert last_lines(path, 5) == ()
    path.write_bytes(b"one\n\ntwo\r\n 10%\r 50%\r100%\nthree")
    assert last_lines(path, 10) == ("one", "two", "100%", "three")
    assert last_lines(path, 2) == ("100%", "three")
    assert last_lines(path, 0) == ()
    path.write_bytes(b"first\n" + b"line\n" * 100_000)
    assert last_lines(path, 100_000)[0] == "line"
