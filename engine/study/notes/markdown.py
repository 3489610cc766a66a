"""Notes in Markdown: a heading of the second level begins a card, those below it its points.

    ---
    deck: my-notes            (optional, as are title, language and document)
    ---
    # My notes

    ## What is the floor of a decode step?
    Topics: mbu, decode
    The question at more length, if the heading isn't enough.

    ### Bytes over bandwidth
    Every weight is read once.

    ### Pitfall
    A lower floor is not a faster step.

Without points, what stands below the heading is the answer; a rule (`---`) parts question and answer. Code
blocks are left whole: a heading or a blank line in one begins nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import get_args

from markdown_it import MarkdownIt

from engine.study.card import Language
from engine.study.deck_edit import slug
from engine.study.notes.note import Note, Notes, NotesFault

PITFALL = ("pitfall", "pitfalls", "easy to get wrong", "lỗi hay mắc", "dễ sai", "易错", "易错点", "误区")
FIGURES = ("key figures", "con số chính", "con số cần nhớ", "关键数字")
_TOPICS = re.compile(r"^(?:topics|tags|chủ đề|主题|标签)\s*[::]\s*(?P<names>.+)$", re.IGNORECASE)
_ID = re.compile(r"\s*\{#(?P<id>[a-z0-9-]+)\}\s*$")
_BULLET = re.compile(r"^\s{0,3}(?:[-*+]|\d+[.)])\s+")
_HEAD = ("deck", "title", "language", "document")


@dataclass(slots=True)
class _Section:
    """A heading with the lines below it, up to the next. line: the heading's, from 1."""

    line: int
    level: int
    heading: str
    lines: list[str] = field(default_factory=list)
    rules: list[int] = field(default_factory=list)
    """Indexes of the lines that are rules."""

    @property
    def text(self) -> str:
        return _text(self.lines)


def read(text: str, file: str) -> Notes:
    """The notes in a Markdown text. Raises NotesFault."""
    lines = text.replace("\r\n", "\n").split("\n")
    head, begin = _head(lines, file)
    sections = list(_sections(lines, begin))
    title = next((each.heading for each in sections if each.level == 1), None)
    notes, found = [], []
    for index, section in enumerate(sections):
        if section.level != 2:
            continue
        below: list[_Section] = []
        for each in sections[index + 1 :]:
            if each.level < 3:
                break
            below.append(each)
        try:
            notes.append(_note(section, below))
        except ValueError as error:
            found.append((section.line, str(error)))
    if not notes and not found:
        found.append((1, "holds no card: begin one with a line `## The question`"))
    language = head.get("language")
    if language is not None and language not in get_args(Language):
        found.append((1, f"language: must be vi, zh or en, not {language!r}"))
    if found:
        raise NotesFault(file, found)
    return Notes(
        notes=tuple(notes),
        deck=head.get("deck"),
        title=head.get("title") or title,
        language=next((each for each in get_args(Language) if each == language), None),
        document=head.get("document"),
    )


def _head(lines: Sequence[str], file: str) -> tuple[dict[str, str], int]:
    """What stands between two lines `---` at the very beginning, and where the notes begin."""
    if not lines or lines[0].strip() != "---":
        return {}, 0
    head: dict[str, str] = {}
    for index, line in enumerate(lines[1:], start=1):
        if line.strip() == "---":
            return head, index + 1
        name, colon, value = line.partition(":")
        if colon and name.strip() in _HEAD:
            head[name.strip()] = value.strip().strip("\"'")
        elif line.strip():
            raise NotesFault(file, [(index + 1, f"isn't known here: the fields are {', '.join(_HEAD)}")])
    raise NotesFault(file, [(1, "begins a head that never ends: close it with a line `---`")])


def _sections(lines: Sequence[str], begin: int) -> Iterator[_Section]:
    """Every heading with what is below it; what comes before the first heading belongs to no card."""
    # `text` above `---` would be a heading of the second level: here it is text above a rule
    parser = MarkdownIt("commonmark").disable("lheading")
    marks: dict[int, tuple[str, str]] = {}
    tokens = parser.parse("\n".join(lines[begin:]))
    for token, inside in zip(tokens, [*tokens[1:], None], strict=True):
        if token.level == 0 and token.map is not None:
            if token.type == "heading_open" and inside is not None:
                marks[token.map[0] + begin] = (token.tag, inside.content)
            elif token.type == "hr":
                marks[token.map[0] + begin] = ("hr", "")
    section: _Section | None = None
    for index in range(begin, len(lines)):
        tag, content = marks.get(index, ("", ""))
        if tag.startswith("h") and tag != "hr" and int(tag[1]) <= 3:
            if section is not None:
                yield section
            section = _Section(index + 1, int(tag[1]), content)
        elif section is not None:
            if tag == "hr":
                section.rules.append(len(section.lines))
            section.lines.append(lines[index])
    if section is not None:
        yield section


def _note(section: _Section, below: Sequence[_Section]) -> Note:
    heading = section.heading.strip()
    named = _ID.search(heading)
    title = heading[: named.start()] if named is not None else heading
    if not title:
        raise ValueError("a card needs a question: write it behind the ##")
    topics: tuple[str, ...] = ()
    for index, line in enumerate(section.lines):
        listed = _TOPICS.match(line.strip())
        if listed is not None:
            topics = tuple(dict.fromkeys(filter(None, map(slug, re.split(r"[,,、]", listed["names"])))))
            section.lines[index] = ""
        if line.strip():
            break
    points = [each for each in below if each.heading.strip().lower() not in (*PITFALL, *FIGURES)]
    pitfall = _joined(each.text for each in below if each.heading.strip().lower() in PITFALL)
    figures = [
        _BULLET.sub("", line).strip()
        for each in below
        if each.heading.strip().lower() in FIGURES
        for line in each.lines
        if line.strip()
    ]
    prompt, answer = section.text, [(each.heading.strip(), each.text) for each in points]
    if section.rules:
        prompt = _text(section.lines[: section.rules[0]])
        answer = [(title, _text(section.lines[section.rules[0] + 1 :])), *answer]
    elif not points:
        prompt, answer = "", [(title, section.text)]
    kept = tuple((heading or title, text or heading) for heading, text in answer if heading or text)
    if not any(text for _, text in answer):
        raise ValueError(f"“{title}” has no answer: write it below the question")
    return Note(
        line=section.line,
        title=title,
        prompt=prompt or title,
        answer=kept,
        id=named["id"] if named is not None else None,
        topics=topics,
        key_figures=tuple(figures),
        pitfall=pitfall or None,
    )


def _joined(texts: Iterator[str]) -> str:
    return "\n\n".join(filter(None, texts))


def _text(lines: Sequence[str]) -> str:
    """The lines without blank ones around them; spaces that begin a line of code stay."""
    return "\n".join(lines).rstrip().lstrip("\n")
