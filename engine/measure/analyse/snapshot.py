"""Reads a PyTorch memory snapshot, of 2021 to now, without running anything that it holds.

What differs between the years and is evened out here: a bare list of segments (`memory_snapshot()`, and all
there was before `device_traces`), blocks without address or requested size, stacks in a block's `history`
or its `frames` or not at all, events without `time_us`, segments that grow by pages (`segment_map`).
Source: torch/cuda/memory.py and torch/csrc/cuda/memory_snapshot.cpp of torch 1.10 to 2.13.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.measure.analyse.contents import read_contents
from engine.measure.analyse.errors import UnreadableFile
from engine.measure.analyse.safe_pickle import RefusedPickle, load_plain
from engine.measure.events import Progress
from engine.measure.report import Report

LARGEST_FILE = 512 * 1024 * 1024
MAX_EVENTS = 4_000_000
SECONDS = 60.0

ALLOCATED = "active_allocated"
INACTIVE = "inactive"


@dataclass(frozen=True, slots=True)
class Frame:
    """A call of a stack."""

    function: str
    file: str
    line: int


Stack = tuple[Frame, ...]
"""Innermost call first. Empty where none was recorded. Equal stacks of a snapshot are the same object."""


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a segment. `size` in bytes as the allocator rounded it, `requested` as it was asked for.

    `state`: active_allocated, active_pending_free or active_awaiting_free (freed, a stream still uses it),
    inactive (free).
    """

    address: int
    size: int
    requested: int
    state: str
    stack: Stack


@dataclass(frozen=True, slots=True)
class Segment:
    """Memory taken from the driver in one piece. `kind` is large or small (blocks up to 1 MiB)."""

    device: int
    address: int
    size: int
    kind: str
    expandable: bool
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class TraceEvent:
    """What the allocator did. `action`: alloc, free_requested, free_completed, segment_alloc, segment_free,
    segment_map, segment_unmap, oom, snapshot.

    `size` in bytes. `device_free`: bytes the driver still had, of an oom.
    """

    action: str
    address: int
    size: int
    time_us: int | None
    stack: Stack
    device_free: int | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The segments at the end, and each device's events up to it (its index is the device)."""

    segments: tuple[Segment, ...]
    traces: tuple[tuple[TraceEvent, ...], ...]
    settings: dict[str, str | int | float | bool] = field(default_factory=dict)


def read_snapshot(path: Path, report: Report | None = None) -> Snapshot:
    """The snapshot at `path` (pickle, or gzip of one). Raises `UnreadableFile`."""
    data = read_contents(path, report, largest=LARGEST_FILE)
    if data.startswith(b"PK\x03\x04"):
        raise UnreadableFile(
            f"{path.name}: this is a zip archive, as torch.save writes weights, and no memory snapshot. "
            "Nothing of it was unpacked: if a recording is in it, unpack it and name that file. " + _HOW
        ).because("zip_archive", name=path.name, command=RECORD)
    if report:
        report(Progress(0, 0, "loading"))
    try:
        value = load_plain(data, seconds=SECONDS)
    except RefusedPickle as refusal:
        way_out = (
            "A memory snapshot needs no code: nothing of this file was run, and it was not opened."
            if refusal.code
            else _HOW
        )
        refused = UnreadableFile(f"{path.name}: this pickle is refused: {refusal}. {way_out}")
        raise _reasoned(refused, path.name, refusal) from refusal
    return _Reader(path.name, time.monotonic() + SECONDS).snapshot(value)


RECORD = "torch.cuda.memory._record_memory_history()  …  torch.cuda.memory._dump_snapshot(FILE)"
"""How a snapshot is taken: before and after what is to be looked at."""
_HOW = (
    "Record one with torch.cuda.memory._record_memory_history() and torch.cuda.memory._dump_snapshot(FILE)."
)


def _reasoned(error: UnreadableFile, name: str, refusal: RefusedPickle) -> UnreadableFile:
    if refusal.code:
        return error.because("pickle_with_code", name=name)
    return error.because("pickle_broken", name=name, why=refusal.why, command=RECORD)


class _Reader:
    """Turns the plain values of one file into a `Snapshot`, within bounds."""

    def __init__(self, name: str, until: float) -> None:
        self._name = name
        self._until = until
        self._frames: dict[int, Frame] = {}
        self._stacks: dict[tuple[int, ...], Stack] = {}
        self._entries: set[int] = set()
        self._lists: dict[int, Stack] = {}
        self._seen = 0

    def snapshot(self, value: Any) -> Snapshot:
        if isinstance(value, list):
            value = {"segments": value}
        if not isinstance(value, dict) or not isinstance(value.get("segments"), list):
            raise self._wrong("it holds no list of segments")
        segments = tuple(self._segment(raw) for raw in self._records(value["segments"], "segments"))
        raw_traces = value.get("device_traces") or []
        if not isinstance(raw_traces, list):
            raise self._wrong("device_traces is no list")
        traces = []
        for raw in raw_traces:
            self._count()
            traces.append(tuple(self._event(e) for e in self._records(raw, "device_traces")))
        settings = value.get("allocator_settings")
        return Snapshot(
            segments,
            tuple(traces),
            {
                key: item
                for key, item in (settings.items() if isinstance(settings, dict) else ())
                if isinstance(key, str) and isinstance(item, str | int | float)
            },
        )

    def _records(self, values: Any, where: str) -> Iterable[dict[str, Any]]:
        if not isinstance(values, list):
            raise self._wrong(f"{where} is no list")
        for value in values:
            self._count()
            if not isinstance(value, dict):
                raise self._wrong(f"an entry of {where} is no dictionary")
            if id(value) in self._entries:
                # the values of a small file may refer to one another so that there are billions
                raise self._wrong(f"it names an entry of {where} more than once")
            self._entries.add(id(value))
            yield value

    def _count(self) -> None:
        self._seen += 1
        if self._seen > MAX_EVENTS:
            raise self._wrong(f"it holds more than {MAX_EVENTS:,} events and blocks", "too_many")
        if self._seen % 4096 == 0 and time.monotonic() > self._until:
            raise self._wrong(f"reading it takes longer than {SECONDS:.0f} s", "too_slow")

    def _segment(self, raw: dict[str, Any]) -> Segment:
        address = self._number(raw, "address", 0)
        blocks = []
        at = address
        for block in self._records(raw.get("blocks", []), "blocks"):
            size = self._number(block, "size")
            at = self._number(block, "address", at)
            history = block.get("history")
            newest = history[0] if isinstance(history, list) and history else None
            older = newest if isinstance(newest, dict) else {}
            state = block.get("state", INACTIVE)
            blocks.append(
                Block(
                    at,
                    size,
                    self._number(block, "requested_size", self._number(older, "real_size", size)),
                    state if isinstance(state, str) else INACTIVE,
                    self._stack(block.get("frames") or older.get("frames")),
                )
            )
            at += size
        kind = raw.get("segment_type")
        return Segment(
            device=self._number(raw, "device", 0),
            address=address,
            size=self._number(raw, "total_size", sum(block.size for block in blocks)),
            kind="small" if kind == "small" else "large",
            expandable=raw.get("is_expandable") is True,
            blocks=tuple(blocks),
        )

    def _event(self, raw: dict[str, Any]) -> TraceEvent:
        action = raw.get("action")
        return TraceEvent(
            action=action if isinstance(action, str) else "unknown",
            address=self._number(raw, "addr", 0),
            size=self._number(raw, "size", 0),
            time_us=self._number(raw, "time_us") if "time_us" in raw else None,
            stack=self._stack(raw.get("frames")),
            device_free=self._number(raw, "device_free") if "device_free" in raw else None,
        )

    def _number(self, raw: dict[str, Any], key: str, default: int | None = None) -> int:
        value = raw.get(key, default)
        if not isinstance(value, int) or not 0 <= value < 1 << 63:
            raise self._wrong(f"{key} is no whole number of bytes, microseconds or an address")
        return int(value)

    def _stack(self, frames: Any) -> Stack:
        if not isinstance(frames, list) or not frames:
            return ()
        known = self._lists.get(id(frames))
        if known is None:
            key = tuple(map(id, frames))
            known = self._stacks.get(key)
            if known is None:
                known = self._stacks[key] = tuple(self._frame(frame) for frame in frames)
            self._lists[id(frames)] = known
        return known

    def _frame(self, raw: Any) -> Frame:
        known = self._frames.get(id(raw))
        if known is not None:
            return known
        if not isinstance(raw, dict):
            raise self._wrong("a call of a stack is no dictionary")
        name, file, line = raw.get("name"), raw.get("filename"), raw.get("line")
        frame = Frame(
            name if isinstance(name, str) else "?",
            file if isinstance(file, str) else "?",
            line if isinstance(line, int) else 0,
        )
        self._frames[id(raw)] = frame
        return frame

    def _wrong(self, what: str, why: str = "snapshot_parts") -> UnreadableFile:
        return UnreadableFile(f"{self._name}: this is no PyTorch memory snapshot: {what}. {_HOW}").because(
            "not_a_snapshot", name=self._name, why=why, command=RECORD
        )
