"""Loads a pickle of plain values (dicts, lists, text, numbers) and refuses every other one before running it.

Two guards, one behind the other. First the bytes are read without being run: only the instructions that
`pickle.dump` writes for plain values are let through, so code, classes, references to the outside, numbers
that make a dictionary slow, and places in the memo that would reserve gigabytes never reach the loader. Then
the loader itself refuses every global and every persistent id.

Sources: CPython `Lib/pickletools.py` (instructions), `Modules/_pickle.c` (LONG_BINPUT reserves twice its
argument in the memo).
"""

from __future__ import annotations

import io
import pickle
import re
import time
from typing import Any, NoReturn

MAX_CONTAINERS = 8_000_000
"""The most dicts and lists; a snapshot has two for each event."""

_SMALL = rb"(?:K.|M..|J.{4})"
_PLAIN = re.compile(
    rb"(?s:(?:"
    rb"[\x94N\x88\x89()\]}uesa]"  # memoize, none, booleans, mark, (), [], {}, set items, append
    rb"|" + _SMALL + _SMALL + rb"\x86"  # a pair of small integers: the id of a memory pool
    rb"|[hqK].|M..|[jJ].{4}|[G\x95].{8}"
    rb"|\x8a(?:\x00|\x01.|\x02..|\x03...|\x04.{4}|\x05.{5}|\x06.{6}|\x07.{7}"
    # above 2**57 integers may be chosen that a dictionary can't tell apart
    rb"|\x08.{7}[\x00\x01\xfe\xff])"
    rb"){1,4096}+)"
)
_LENGTHS = {0x8C: 1, 0x58: 4, 0x8D: 8, 0x43: 1, 0x42: 4}
"""Instructions for text and bytes, with the bytes that their length takes."""
_CODE = {
    0x63: "GLOBAL",
    0x93: "STACK_GLOBAL",
    0x52: "REDUCE",
    0x62: "BUILD",
    0x69: "INST",
    0x6F: "OBJ",
    0x81: "NEWOBJ",
    0x92: "NEWOBJ_EX",
    0x50: "PERSID",
    0x51: "BINPERSID",
    0x82: "EXT1",
    0x83: "EXT2",
    0x84: "EXT4",
}


class RefusedPickle(Exception):
    """Why a pickle is not loaded. `code`: it would run code; else it is broken or of another kind."""

    def __init__(self, reason: str, *, code: bool = False, why: str = "pickle_parts") -> None:
        """`why`: the reason as a code, for what is no code to run."""
        super().__init__(reason)
        self.code, self.why = code, why


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module_name: str, global_name: str, /) -> NoReturn:
        raise RefusedPickle(f"it asks for {module_name}.{global_name}", code=True)

    def persistent_load(self, pid: object) -> NoReturn:
        raise RefusedPickle("it refers to objects outside the file", code=True)


def load_plain(data: bytes, *, seconds: float = 60.0) -> Any:
    """The value in `data`: dicts, lists, text, bytes, numbers, pairs. Raises `RefusedPickle`."""
    _check(data, time.monotonic() + seconds)
    try:
        return _PlainUnpickler(io.BytesIO(data)).load()
    except (
        pickle.UnpicklingError,
        EOFError,
        ValueError,
        TypeError,
        KeyError,
        IndexError,
        AttributeError,
        OverflowError,
        MemoryError,
        RecursionError,
    ) as error:
        # what a loader raises over bytes that no pickler wrote
        raise RefusedPickle(f"its instructions don't fit together ({error})") from error


def _check(data: bytes, until: float) -> None:
    """Read the instructions without running them. Raises `RefusedPickle`."""
    if len(data) < 2 or data[0] != 0x80 or not 2 <= data[1] <= 5:
        raise RefusedPickle("it does not begin like a pickle of protocol 2 to 5")
    if data.count(b"}") + data.count(b"]") > MAX_CONTAINERS + len(data) // 64:
        raise RefusedPickle(f"it holds more than {MAX_CONTAINERS:,} lists and dictionaries", why="too_many")
    at, size = 2, len(data)
    rounds = 0
    while at < size:
        run = _PLAIN.match(data, at)
        if run:
            at = run.end()
            if at == size:
                break
        code = data[at]
        if code == 0x2E:  # STOP
            return
        if code in _LENGTHS:
            width = _LENGTHS[code]
            at += 1 + width + int.from_bytes(data[at + 1 : at + 1 + width], "little")
        elif code == 0x72:  # LONG_BINPUT
            if int.from_bytes(data[at + 1 : at + 5], "little") > at:
                raise RefusedPickle("it would reserve memory for values that it doesn't hold")
            at += 5
        elif code in _CODE:
            raise RefusedPickle(f"it holds instructions that run code ({_CODE[code]})", code=True)
        elif not run:
            raise RefusedPickle(f"instruction 0x{code:02x} at byte {at} has no place in it, or is cut off")
        rounds += 1
        if rounds % 4096 == 0 and time.monotonic() > until:
            raise RefusedPickle("reading it takes too long", why="too_slow")
    raise RefusedPickle("it ends in the middle: the file was cut off", why="ends_early")
