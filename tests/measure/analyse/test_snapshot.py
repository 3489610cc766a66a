"""Pickles that would run code, eat memory or time, or are no snapshot: refused in words, never run."""

from __future__ import annotations

import gzip
import os
import pickle
import struct
from pathlib import Path
from typing import Any

import pytest

from engine.measure.analyse.errors import UnreadableFile
from engine.measure.analyse.snapshot import read_snapshot
from tests.measure.analyse.workloads import server

MARKER: list[str] = []


class RunsACommand:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, ("echo run > /dev/null",)


class CallsBack:
    def __reduce__(self) -> tuple[Any, ...]:
        return MARKER.append, ("run",)


class OldClass:
    """Written by its name and its dictionary."""


def refused(folder: Path, content: bytes, words: str) -> None:
    path = folder / "s.pickle"
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match=words) as caught:
        read_snapshot(path)
    assert str(caught.value).startswith("s.pickle: ")


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("evil", [RunsACommand(), OldClass(), os.getcwd, OldClass])
def test_a_pickle_with_code_or_classes_is_refused_unrun(tmp_path: Path, evil: Any, protocol: int) -> None:
    refused(tmp_path, pickle.dumps({"segments": [evil]}, protocol), "(?s)run code.*nothing of this file")


@pytest.mark.parametrize("protocol", [0, 1])
def test_a_pickle_of_a_protocol_that_torch_never_wrote_is_refused(tmp_path: Path, protocol: int) -> None:
    refused(tmp_path, pickle.dumps({"segments": []}, protocol), "protocol")


@pytest.mark.parametrize(
    "code",
    [
        b"cos\nsystem\n",
        b"\x8c\x02os\x8c\x06system\x93",
        b"(ios\nsystem\n",
        b"Pid\n",
        b"N\x51",
        b"\x82\x01",
        b"\x83\x01\x00",
        b"\x84\x01\x00\x00\x00",
        b"N)R",
        b"N)\x81",
        b"N}b",
        b"(No",
    ],
)
def test_every_instruction_that_could_run_something_is_refused(tmp_path: Path, code: bytes) -> None:
    refused(tmp_path, b"\x80\x04" + code + b".", "run code")


@pytest.mark.parametrize(
    "content",
    [
        b"\x80\x02]r\xff\xff\xff\x7f.",  # a memo of 16 GiB
        b"\x80\x04X\xff\xff\xff\xffabc.",  # a text of 4 GiB
        b"\x80\x04\x8d" + b"\xff" * 8 + b"abc.",
        b"\x80\x04\x8b\xff\xff\xff\x7f.",  # an integer of 2 GiB
        b"\x80\x04\x8e" + b"\xff" * 8,
        b"\x80\x04\x8f.",  # a set
        b"\x80\x0420.",  # duplicate, drop
        b"\x80\x04h\x07.",
        b"\x80\x04e.",
        b"\x80\x04]]s.",
        b"\x80\x04}]Ns.",
        b"\x80\x04.",
        b"\x80",
        b"\x80\x09N.",
    ],
)
def test_instructions_that_do_not_fit_together_are_refused(tmp_path: Path, content: bytes) -> None:
    refused(tmp_path, content, "refused")


def test_integers_that_a_dictionary_cannot_tell_apart_are_refused(tmp_path: Path) -> None:
    prime = 2**61 - 1
    refused(tmp_path, pickle.dumps({n * prime: 0 for n in range(1, 500)}), "refused")


def test_lists_that_hold_each_other_over_and_over_are_bounded(tmp_path: Path) -> None:
    event = {"action": "alloc", "addr": 1, "size": 1}
    traces = [[event] * 30_000] * 3000
    refused(tmp_path, pickle.dumps({"segments": [], "device_traces": traces}), "more than once")
    block = {"address": 0, "size": 1, "state": "inactive"}
    segment = {"address": 0, "total_size": 1, "blocks": [block] * 100_000}
    refused(tmp_path, pickle.dumps({"segments": [segment] * 100_000}), "more than once")


def test_a_long_stack_named_by_every_event_is_read_once(tmp_path: Path) -> None:
    frames = [{"name": "f", "filename": "f.py", "line": 1}] * 100_000
    events = [{"action": "alloc", "addr": n, "size": 1, "frames": frames} for n in range(2000)]
    path = tmp_path / "s.pickle"
    path.write_bytes(pickle.dumps({"segments": [], "device_traces": [events]}))
    stacks = {id(event.stack) for event in read_snapshot(path).traces[0]}
    assert len(stacks) == 1


def test_lists_in_lists_without_end_are_refused(tmp_path: Path) -> None:
    refused(tmp_path, b"\x80\x04" + b"]" * 500_000 + b"a" * 499_999 + b".", "no PyTorch memory snapshot")


@pytest.mark.parametrize(
    "value",
    [
        None,
        7,
        "text",
        [1, 2],
        {},
        {"segments": 3},
        {"segments": [3]},
        {"segments": [{"blocks": 3}]},
        {"segments": [{"blocks": [{"size": "big"}]}]},
        {"segments": [{"blocks": [{"size": -1}]}]},
        {"segments": [], "device_traces": 3},
        {"segments": [], "device_traces": [3]},
        {"segments": [], "device_traces": [[{"action": "alloc", "addr": 1.5, "size": 1}]]},
        {"segments": [], "device_traces": [[{"action": "alloc", "frames": [3]}]]},
    ],
)
def test_a_pickle_of_something_else_is_refused_in_words(tmp_path: Path, value: Any) -> None:
    refused(tmp_path, pickle.dumps(value), "no PyTorch memory snapshot")


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_a_snapshot_that_was_cut_off_says_so(tmp_path: Path, share: float) -> None:
    whole = pickle.dumps(server(0))
    refused(tmp_path, whole[: int(len(whole) * share)], "refused")


def test_weights_are_told_from_a_snapshot(tmp_path: Path) -> None:
    refused(tmp_path, b"PK\x03\x04" + b"\0" * 100, "torch.save")


def test_every_protocol_that_torch_wrote_is_read(tmp_path: Path) -> None:
    snapshot = server(0)
    path = tmp_path / "s.pickle"
    read = []
    for protocol in (2, 3, 4, 5):
        path.write_bytes(pickle.dumps(snapshot, protocol))
        read.append(read_snapshot(path))
    path.write_bytes(gzip.compress(pickle.dumps(snapshot)))
    read.append(read_snapshot(path))
    assert all(one == read[0] for one in read)


def test_integers_as_the_cpp_pickler_writes_them_are_read(tmp_path: Path) -> None:
    address = b"\x8a\x08" + struct.pack("<q", 139_000_000_000_000)
    segment = b"}(X\x07\x00\x00\x00address" + address + b"X\x0a\x00\x00\x00total_sizeK\x05u"
    path = tmp_path / "s.pickle"
    path.write_bytes(b"\x80\x02}X\x08\x00\x00\x00segments](" + segment + b"es.")
    assert read_snapshot(path).segments[0].address == 139_000_000_000_000


def test_nothing_was_run(tmp_path: Path) -> None:
    refused(tmp_path, pickle.dumps([CallsBack()]), "run code")
    assert MARKER == []
