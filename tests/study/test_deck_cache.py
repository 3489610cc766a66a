"""A warm start reads parsed decks, is never stale, and survives a damaged or shared cache."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.study.card import Library
from engine.study.library import load_library
from tests.study.decks import GOOD, LABS, changed, small, written

ROOT = Path(__file__).resolve().parents[2]


def load(tmp_path: Path) -> Library:
    return load_library([tmp_path / "decks"], lab_names=LABS, cache=tmp_path / "cache")


@pytest.fixture
def decks(tmp_path: Path) -> Path:
    """A folder with a good deck, a small one, and a broken one."""
    written(tmp_path / "decks" / "a.yaml", GOOD)
    written(tmp_path / "decks" / "b.yaml", small("b", "card-b"))
    written(tmp_path / "decks" / "c.yaml", changed("title: MBU", "titel: MBU"))
    return tmp_path / "decks"


def test_a_warm_start_gives_the_same_library(tmp_path: Path, decks: Path) -> None:
    cold = load(tmp_path)
    warm = load(tmp_path)
    uncached = load_library([decks], lab_names=LABS, cache=None)
    assert cold == warm == uncached
    assert len(cold.decks) == 2
    assert len(cold.faults) >= 1


def test_a_warm_start_imports_neither_yaml_nor_pydantic(tmp_path: Path, decks: Path) -> None:
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from engine.study.library import load_library\n"
        "decks, cache = Path(sys.argv[1]), Path(sys.argv[2])\n"
        "library = load_library([decks], lab_names={'fusion', 'mbu_floor'}, cache=cache)\n"
        "print(len(library.by_id), [name for name in ('yaml', 'pydantic', 'torch') if name in sys.modules])\n"
    )
    command = [sys.executable, "-c", program, str(decks), str(tmp_path / "cache")]
    cold = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    warm = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert cold.stdout == "3 ['yaml', 'pydantic']\n"
    assert warm.stdout == "3 []\n"


def test_an_edit_is_seen_even_with_the_same_size_and_time(tmp_path: Path, decks: Path) -> None:
    load(tmp_path)
    path = decks / "b.yaml"
    before = path.stat()
    path.write_text(small("b", "card-b").replace("A term", "B term"), encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert load(tmp_path).by_id["card-b"].title == "B term"


def test_the_labs_are_checked_anew_on_a_warm_start(tmp_path: Path, decks: Path) -> None:
    load(tmp_path)
    library = load_library([decks], lab_names={"mbu_floor"}, cache=tmp_path / "cache")
    assert ("cards[0].labs[0]", 'there is no lab "fusion": the labs are mbu_floor') in [
        (fault.field, fault.message) for fault in library.faults
    ]


@pytest.mark.parametrize("damage", [b"", b"{", b"null", b"[1]", b'{"key": 1}', b"\xff\xfe", b"[" * 100_000])
def test_a_damaged_entry_is_replaced(tmp_path: Path, decks: Path, damage: bytes) -> None:
    cold = load(tmp_path)
    entries = list((tmp_path / "cache").iterdir())
    assert len(entries) == 3
    for entry in entries:
        entry.write_bytes(damage)
    assert load(tmp_path) == cold
    assert all(entry.read_bytes() != damage for entry in entries)


def test_an_entry_with_the_right_key_and_a_wrong_body_is_replaced(tmp_path: Path, decks: Path) -> None:
    cold = load(tmp_path)
    for entry in (tmp_path / "cache").iterdir():
        text = entry.read_text(encoding="utf-8")
        entry.write_text(text[: text.index('"parsed"')] + '"parsed":[["a"],[],null,[],[]]}', encoding="utf-8")
    assert load(tmp_path) == cold


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path, decks: Path) -> None:
    in_the_way = written(tmp_path / "cache", "a file where the folder should be")
    assert len(load(tmp_path).decks) == 2
    assert in_the_way.read_text() == "a file where the folder should be"


def test_programs_that_start_at_once_share_the_cache(tmp_path: Path, decks: Path) -> None:
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from engine.study.library import load_library\n"
        "for _ in range(20):\n"
        "    for entry in Path(sys.argv[2]).glob('[!.]*.json'):\n"
        "        entry.unlink(missing_ok=True)\n"
        "    library = load_library([Path(sys.argv[1])], lab_names=None, cache=Path(sys.argv[2]))\n"
        "    assert len(library.by_id) == 3, library.faults\n"
    )
    command = [sys.executable, "-c", program, str(decks), str(tmp_path / "cache")]
    running = [subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    ended = [(process.communicate()[1], process.returncode) for process in running]
    assert ended == [("", 0)] * 3
    assert not list((tmp_path / "cache").glob(".writing-*"))
