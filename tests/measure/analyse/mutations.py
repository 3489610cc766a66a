"""Files with changes that a broken disk, a bad copy or an attacker makes; all by a seed."""

from __future__ import annotations

import json
import pickle
import random
from pathlib import Path
from typing import Any


def mutated(content: bytes, rng: random.Random) -> bytes:
    """The content with one to eight changes: bytes changed, cut, doubled, swapped for hostile pieces."""
    pieces = (
        b"\x00", b"\xff" * 8, b"9" * 400, b"-1", b"1e999999999", b"NaN", b"inf", b'"', b"null", b"{",
        b"[", b"\\u0000", b"\\ud800", b",", b"\n", "²".encode(), b"\x80\x04", b"cos\nsystem\n",
        b"r\xff\xff\xff\x7f", b"X\xff\xff\xff\xff", b"[]", b"{}", b'"text"', b"1.5", b"\xef\xbb\xbf",
    )  # fmt: skip
    data = bytearray(content)
    for _ in range(rng.randint(1, 8)):
        at = rng.randrange(len(data) + 1)
        end = min(len(data), at + rng.choice([0, 1, 1, 2, 8, 200]))
        kind = rng.randrange(5)
        if kind == 0 and at < len(data):
            data[at] = rng.randrange(256)
        elif kind == 1:
            del data[at:end]
        elif kind == 2:
            data[at:at] = data[rng.randrange(len(data) + 1) :][: rng.randint(1, 300)]
        elif kind == 3:
            data[at:end] = rng.choice(pieces)
        elif rng.random() < 0.3:
            del data[at:]
    return bytes(data)


def replaced(content: bytes, rng: random.Random) -> bytes:
    """The content with some of its numbers and words replaced: it still has its shape."""
    values: list[Any] = [
        -1,
        0,
        2**63,
        10**30,
        1.5,
        "text",
        None,
        [],
        {},
        "²",
        "1e999999999",
        "9" * 5000,
        True,
    ]
    document = json.loads(content)
    for event in rng.sample(document["traceEvents"], 10):
        key = rng.choice(list(event))
        event[key] = rng.choice(values)
        if event.get("args"):
            changed = {rng.choice(["correlation", "device", "stream"]): rng.choice(values)}
            event["args"] = {**event["args"], **changed} if isinstance(event["args"], dict) else changed
    return json.dumps(document).encode()


class Armed:
    """Unpickled, it would make the folder `marker`."""

    def __init__(self, marker: Path) -> None:
        self._marker = marker

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.mkdir, (self._marker,))


def armed_pickles(marker: Path, rng: random.Random) -> list[bytes]:
    """Snapshots that make the folder `marker` if any of their code runs: by a class, by a name, in every
    place and protocol."""
    armed = Armed(marker)
    plain: dict[str, Any] = {"segments": [], "device_traces": [[]]}
    values: list[Any] = [
        armed,
        [armed],
        plain | {"segments": [armed]},
        plain | {"device_traces": [[{"action": armed}]]},
        plain | {"allocator_settings": {"x": armed}},
    ]
    made = [pickle.dumps(value, protocol) for value in values for protocol in range(2, 6)]
    name = str(marker).encode()
    shell = b"\x80\x02cos\nmkdir\nX" + len(name).to_bytes(4, "little") + name + b"\x85R."
    rng.shuffle(made)
    return [*made, shell, b"\x80\x04" + shell[2:]]
