"""Whatever a deck file holds, loading it gives a library and never an exception."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from engine.study.library import load_library
from tests.study.decks import GOOD, LABS, small, written

SIGNS = [
    "\t",
    " ",
    "\n",
    ":",
    "- ",
    "[",
    "]",
    "{",
    "}",
    '"',
    "'",
    "|",
    ">",
    "&a ",
    "*a",
    "!!x ",
    "#",
    "%",
    "@",
    "? ",
    "<<: ",
    "---\n",
    "\x00",
    "\u2028",
    "ệ",
    "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"),
    "\\",
    ",",
]


def mutated(rng: random.Random) -> bytes:
    """The good deck after one to six accidents."""
    raw = bytearray(GOOD.encode())
    for _ in range(rng.randint(1, 6)):
        at, size = rng.randrange(len(raw)), rng.randint(1, 40)
        accident = rng.randrange(5)
        if accident == 0:
            del raw[at : at + size]
        elif accident == 1:
            raw[at:at] = rng.choice(SIGNS).encode()
        elif accident == 2:
            raw[at] = rng.randrange(256)
        elif accident == 3:
            raw[at:at] = raw[: rng.randrange(len(raw))][-size:]
        else:
            lines = raw.split(b"\n")
            one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
            lines[one], lines[other] = lines[other], lines[one]
            raw = bytearray(b"\n".join(lines))
    return bytes(raw)


@pytest.mark.parametrize("seed", range(6))
def test_a_damaged_deck_never_raises_and_never_takes_another_down(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    written(tmp_path / "sound.yaml", small("sound", "sound-card"))
    for _ in range(80):
        raw = mutated(rng)
        written(tmp_path / "zz.yaml", raw)
        library = load_library([tmp_path], lab_names=LABS, cache=None)
        assert "sound-card" in library.by_id
        assert len(library.decks) == 1 or not library.faults
        last = raw.count(b"\n") + raw.count(b"\r") + 1
        for fault in library.faults:
            assert 1 <= fault.line <= last, (fault, raw)
            assert fault.field
            assert fault.message
            assert "\n" not in str(fault)
