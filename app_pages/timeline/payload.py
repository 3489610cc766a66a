"""What the component gets: the timeline's bars as they are, everything else as JSON before them.

4 bytes   length of the head
head      JSON, padded to a multiple of 8; `sections` says where the parts below begin, from the head's end
gaps      columns of `GAP_PARTS`, each padded to a multiple of 8
overview  a cut (engine/measure/analyse/timeline_cut.py)
detail    another one, of the stretch that was asked for
"""

from __future__ import annotations

import json
import struct
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from app_pages.timeline.gap_words import gap_words, short_name
from app_pages.words import catalogue, phrase
from engine.measure.analyse.gap_story import gap_story
from engine.measure.analyse.timeline import Row, Timeline, read_timeline

STORIES = 200
"""Gaps whose words are there from the beginning, the longest; those of others are asked for."""
GAP_PARTS = {"start": "d", "duration": "d", "rank": "I", "device": "i", "operator": "i", "call": "i"}
_UI = "timeline.ui."
_OPEN = 4
"""Timelines and their words kept open."""


@lru_cache(maxsize=_OPEN)
def _opened(path: Path, _changed_ns: int) -> Timeline:
    return read_timeline(path)


def open_timeline(path: Path) -> Timeline:
    """The timeline at `path`, kept open between runs of the page. Raises `UnreadableFile`, OSError."""
    return _opened(path, path.stat().st_mtime_ns)


def first_gap(timeline: Timeline, goto: int | None) -> int | None:
    """The gap that is selected before anyone selects another: the one to go to, else the longest."""
    if goto is not None:
        return goto
    return timeline.longest[0] if timeline.longest else None


def words(language: str) -> dict[str, str]:
    """The words that the component uses, by their names there."""
    return {key.removeprefix(_UI): text for key, text in catalogue(language).items() if key.startswith(_UI)}


@dataclass(slots=True)
class Course:
    """Where a page sends its timeline, over the runs of a browser session.

    to: the gap it was last sent to; times: how often it was, so that it goes once each time; returned: what
    the page was told is selected.
    """

    to: int | None = None
    times: int = 0
    returned: int | None = None
    heard: int | None = None
    """What the page asked for in its last run."""

    def begin(self, first: int | None) -> None:
        """The picture is new, and nothing was selected in it yet: it shows the gap `first`."""
        self.returned, self.heard = first, None

    def steer(self, goto: int | None) -> bool:
        """Whether the page sends it elsewhere now: not to the gap that is selected, nor on and on to one that
        was left since."""
        fresh = goto is not None and goto not in (self.returned, self.heard)
        if fresh:
            self.to = goto
            self.times += 1
        self.heard = goto
        return fresh


def payload(
    path: Path,
    language: str,
    *,
    course: Course | None = None,
    gap: int | None = None,
    detail: bytes = b"",
) -> bytes:
    """All that the component needs; `gap` is the one that is selected."""
    course = course or Course()
    changed = path.stat().st_mtime_ns
    gaps, overview = _columns(path, changed)
    head = dict(_head(path, changed, language))
    lacking = {
        number for number in (course.to, gap) if number is not None and str(number) not in head["stories"]
    }
    told = {str(number): story(open_timeline(path), number, language) for number in lacking}
    first = first_gap(open_timeline(path), course.to)
    head |= {
        "stories": {**head["stories"], **told},
        "first": None if first is None else {"gap": first, "times": course.times},
    }
    sections, at, parts = {}, 0, []
    for name, part in (("gaps", gaps), ("overview", overview), ("detail", detail)):
        sections[name] = [at, len(part)]
        parts += [part, bytes(-len(part) % 8)]
        at += len(part) + -len(part) % 8
    text = json.dumps({**head, "sections": sections}, ensure_ascii=False).encode("utf-8", "replace")
    text += b" " * (-(len(text) + 4) % 8)
    return b"".join([struct.pack("<I", len(text)), text, *parts])


def story(timeline: Timeline, gap: int, language: str) -> dict[str, Any]:
    """A gap's words as the component shows them."""
    said = gap_words(gap_story(timeline, gap), language)
    return {"title": said.title, "what": said.what, "cpu": said.cpu, "ways": said.ways}


@lru_cache(maxsize=_OPEN)
def _head(path: Path, changed_ns: int, language: str) -> Mapping[str, Any]:
    timeline = _opened(path, changed_ns)
    return {
        "id": f"{path}:{changed_ns}",
        "language": language,
        "words": words(language),
        "names": timeline.names,
        "short": [short_name(name) for name in timeline.names],
        "rows": [_row(row) for row in timeline.rows],
        "devices": [
            {"device": each.device, "start": each.start, "end": each.end} for each in timeline.devices
        ],
        "gaps": timeline.gap_count,
        "span": timeline.span_ns,
        "notes": _notes(timeline, language),
        "stories": {str(gap): story(timeline, gap, language) for gap in timeline.longest[:STORIES]},
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "side": row.side,
        "device": row.device,
        "stream": (row.stream or "").removeprefix("stream "),
        "process": row.thread[0] if row.thread else None,
        "thread": row.thread[1] if row.thread else None,
        "launches": row.launches,
        "lanes": len(row.lanes),
    }


def _notes(timeline: Timeline, language: str) -> list[str]:
    """What isn't drawn, or not each by itself."""
    left_out = dict(timeline.left_out)
    (length,) = struct.unpack("<I", timeline.overview[:4])
    left_out["merged"] = json.loads(timeline.overview[4 : 4 + length])["merged"]
    return [phrase(language, f"timeline.left_out.{why}", n=n) for why, n in left_out.items() if n]


@lru_cache(maxsize=_OPEN)
def _columns(path: Path, changed_ns: int) -> tuple[bytes, bytes]:
    timeline = _opened(path, changed_ns)
    parts = []
    for name, kind in GAP_PARTS.items():
        column = timeline.ranks if name == "rank" else array(kind, timeline.gaps[name])
        parts += [column.tobytes(), bytes(-len(column) * column.itemsize % 8)]
    return b"".join(parts), timeline.overview
