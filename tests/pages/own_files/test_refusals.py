"""Refusals of files: each reason has words in every language, and they get what they name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from app_pages import context
from app_pages.own_files.refusals import told
from app_pages.words import catalogue, knows
from engine import faults
from engine.faults import BenchcardsError, Reason, os_why
from engine.measure.analyse.recognise import analyse_file

READERS = Path(faults.__file__).parent / "measure" / "analyse"
FILES = {
    "empty.json": b"",
    "picture.png": b"\x89PNG\r\n\x1a\n" + b"\0" * 99,
    "other.json": b'{"a": 1}',
    "weights.pt": b"PK\x03\x04" + b"\0" * 99,
    "armed.pickle": b"\x80\x04cos\nsystem\n.",
    "cut.pickle": b"\x80\x04}",
    "empty.sqlite": b"SQLite format 3\0" + b"\1" * 99,
    "stopped.csv": b"==ERROR== no such section\n",
    "report.ncu-rep": b"NVR\0" + b"\0" * 99,
}


def reasons() -> Iterator[tuple[str, set[str]]]:
    """Code and names of the arguments of every `because(…)` and `Reason(…, {…})` of the readers."""
    for file in sorted(READERS.glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Constant):
                continue
            if isinstance(node.func, ast.Attribute) and node.func.attr == "because":
                yield str(node.args[0].value), {str(word.arg) for word in node.keywords}
            elif getattr(node.func, "id", "") == "Reason" and isinstance(node.args[1], ast.Dict):
                names = [key.value for key in node.args[1].keys if isinstance(key, ast.Constant)]
                yield str(node.args[0].value), set(map(str, names))


def test_every_reason_has_words_and_gets_what_they_name() -> None:
    found = list(reasons())
    assert len(found) > 30, "the test no longer sees how readers give reasons"
    for code, given in found:
        assert knows(f"refusal.{code}"), code
        named = {name for _, name, _, _ in Formatter().parse(catalogue("en")[f"refusal.{code}"]) if name}
        assert named <= given, f"{code} has no {named - given}"


@pytest.mark.parametrize("language", context.LANGUAGES)
@pytest.mark.parametrize("name", FILES)
def test_a_refused_file_is_told_in_each_language(tmp_path: Path, name: str, language: str) -> None:
    file = tmp_path / name
    file.write_bytes(FILES[name])
    with pytest.raises(BenchcardsError) as raised:
        analyse_file(file)
    said = told(str(raised.value), raised.value.why, language)
    assert name in said
    assert "{" not in said
    if language != "en":
        assert said != str(raised.value)
        assert not re.search(r"\b(the|is|was|can't|isn't)\b", said), said


def test_what_has_no_reason_keeps_its_words() -> None:
    assert told("a.json: odd.", None, "vi") == "a.json: odd."
    assert told("a.json: odd.", Reason("of_a_later_version"), "zh") == "a.json: odd."


def test_a_full_disk_is_told_by_its_name_and_a_rare_fault_in_the_systems_words() -> None:
    full = Reason("not_kept", {"name": "a.json", "why": os_why(OSError(28, "No space left")), "place": "/d"})
    assert told("", full, "vi") == "a.json: không lưu được: đĩa đã đầy (/d)."
    assert os_why(OSError(71, "Protocol error")) == "Protocol error"
