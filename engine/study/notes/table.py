"""Notes as a table: front, back and tags, parted by tabs; also what Anki writes as *Notes in Plain Text*.

Lines that begin with `#` at the top are Anki's: `#separator:tab`, `#html:true`, `#deck:My deck`,
`#tags column:3`, `#guid column:1`, `#columns:…`. A first row with names (`front`, `back`, `tags`, `id`) says
which column is which; without either the first is the front, the second the back, the third the tags.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping

from engine.study.deck_edit import slug
from engine.study.notes.html_text import as_markdown
from engine.study.notes.note import Note, Notes, NotesFault

NAMES: Mapping[str, tuple[str, ...]] = {
    "front": ("front", "question", "prompt", "mặt trước", "câu hỏi", "正面", "问题"),
    "back": ("back", "answer", "mặt sau", "trả lời", "đáp án", "背面", "答案"),
    "tags": ("tags", "topics", "chủ đề", "nhãn", "标签", "主题"),
    "id": ("id", "guid"),
}
"""What a first row may call the columns."""

_SEPARATORS = {"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "colon": ":", "space": " "}
_LONGEST_TITLE = 120


def read(text: str, file: str) -> Notes:
    """The notes in a table. Raises NotesFault."""
    lines = text.replace("\r\n", "\n").split("\n")
    said, begin = _said(lines)
    separator = said.get("separator", "tab")
    rows, found = [], []
    reader = csv.reader(
        io.StringIO("\n".join(lines[begin:]), newline=""),
        delimiter=_SEPARATORS.get(separator.lower(), separator[:1] or "\t"),
        strict=True,
    )
    line = begin + 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append((line, cells))
            line = begin + reader.line_num + 1
    except csv.Error as error:
        hint = 'a text that begins with a quote ends with one, and "" stands for a quote in it'
        raise NotesFault(
            file, [(begin + reader.line_num, f"isn't a table of notes ({error}): {hint}")]
        ) from error
    at, rows = _columns(said, rows)
    html = said.get("html", "false").lower() == "true"
    notes: list[Note] = []
    pictures = 0
    for line, cells in rows:
        front, back = (_cell(cells, at.get(name)) for name in ("front", "back"))
        if html:
            (front, lost), (back, more) = as_markdown(front), as_markdown(back)
            pictures += lost + more
        if not front or not back:
            side = "front" if not front else "back"
            found.append((line, f"has no {side}: write one, or take the line out"))
            continue
        notes.append(_note(line, front, back, _cell(cells, at.get("tags")), _cell(cells, at.get("id"))))
    if not notes and not found:
        found.append((1, "holds no note: write the front, a tab and the back in one line"))
    if found:
        raise NotesFault(file, found)
    left_out = (f"pictures and sounds: {pictures}",) if pictures else ()
    return Notes(tuple(notes), title=said.get("deck"), left_out=left_out)


def _said(lines: list[str]) -> tuple[dict[str, str], int]:
    """Anki's lines at the top by name, and where the notes begin."""
    said: dict[str, str] = {}
    for index, line in enumerate(lines):
        match = re.match(r"#(separator|html|deck|tags|columns|notetype|(?:\w+) column):(.*)$", line)
        if match is None:
            return said, index
        said[match[1]] = match[2].strip()
    return said, len(lines)


def _columns(
    said: Mapping[str, str], rows: list[tuple[int, list[str]]]
) -> tuple[dict[str, int], list[tuple[int, list[str]]]]:
    """Which column is what, and the rows without the one that says so."""
    taken = {
        sort: int(said[f"{name} column"]) - 1
        for name, sort in (("tags", "tags"), ("guid", "id"), ("deck", "deck"), ("notetype", "notetype"))
        if said.get(f"{name} column", "").isdecimal()
    }
    if rows and not taken:
        first = [cell.strip().lower() for cell in rows[0][1]]
        named = {name: first.index(word) for name, words in NAMES.items() for word in words if word in first}
        if {"front", "back"} <= named.keys():
            return named, rows[1:]
    widest = max((len(cells) for _, cells in rows), default=0)
    free = [index for index in range(widest) if index not in taken.values()]
    wanted = ("front", "back") if "tags" in taken or taken else ("front", "back", "tags")
    return {**dict(zip(wanted, free, strict=False)), **taken}, rows


def _cell(cells: list[str], index: int | None) -> str:
    return cells[index].strip() if index is not None and 0 <= index < len(cells) else ""


def _note(line: int, front: str, back: str, tags: str, name: str) -> Note:
    title = front.split("\n", 1)[0].strip("#*` ") or front
    if len(title) > _LONGEST_TITLE:
        title = title[:_LONGEST_TITLE].rstrip() + "…"
    topics = tuple(dict.fromkeys(filter(None, map(slug, re.split(r"[\s,,]+", tags)))))
    return Note(line, title, front, ((title, back),), id=slug(name) or None, topics=topics)
