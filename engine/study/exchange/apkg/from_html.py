"""Anki's HTML as Markdown: emphasis, code, lists, tables, links' texts and formulas; scripts and styles go.

Pictures that came with the package are shown; where another one or a sound stood the text says so, and they
are counted.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from html.parser import HTMLParser
from types import MappingProxyType
from urllib.parse import unquote

_SOUND = re.compile(r"\[sound:([^\[\]]*)\]|\[anki:play:[^\]]*\]")
# a formula never holds the sign that begins one: else a note of nothing but such signs takes hours
_MATH = re.compile(r"\\\(((?:(?!\\\().)+?)\\\)|\\\[((?:(?!\\\[).)+?)\\\]", re.DOTALL)
_LATEX = re.compile(r"\[(latex|\$\$?)\]((?:(?!\[\1\]).)+?)\[/\1\]", re.DOTALL)
_BLANKS = re.compile(r"[ \t\r\f\v\u00a0]+")
_LINES = re.compile(r"\n{3,}")
_NOT_IN_ALT = re.compile(r"[\[\]\\`*$_<>|\x02\x03]")
_SPECIAL = re.compile(r"([`*$])")
_BLOCK_TAGS = (
    "address article aside blockquote center dd div dl dt figure footer form h1 h2 h3 h4 h5 h6 header hr "
    "li main ol p pre section table tbody td th thead tr ul"
)
_BLOCKS = frozenset(_BLOCK_TAGS.split())
_SKIPPED = frozenset({"script", "style", "head", "title"})
_MARKS = {"b": "**", "strong": "**", "i": "*", "em": "*"}


_PICTURE = re.compile(r"<img\b[^>]*?\bsrc\s*=\s*(?:\"([^\">]*)\"|'([^'>]*)'|([^\s\"'>]+))", re.IGNORECASE)


def picture_names(source: str) -> Iterator[str]:
    """The names of the pictures that a piece of HTML shows."""
    for quoted, single, bare in _PICTURE.findall(source):
        yield picture_name(unescape(quoted or single or bare))


def picture_name(address: str) -> str:
    """What Anki's folder of media calls the picture with that address."""
    return unicodedata.normalize("NFC", unquote(address.strip()))


@dataclass(frozen=True, slots=True)
class Converted:
    """Markdown, with the number of pictures and sounds that stood in it and couldn't come along."""

    text: str
    media: int


def markdown_of(source: str, pictures: Mapping[str, str] = MappingProxyType({})) -> Converted:
    """The Markdown of a piece of HTML. pictures: by Anki's name, what a card calls them (`pictures/NAME`)."""
    reader = _Reader(pictures)
    reader.feed(_kept_math(_without_comments(source), reader))
    reader.close()
    text = "".join(reader.done()).strip()
    lines = [line.rstrip() for line in text.split("\n")]
    return Converted(_LINES.sub("\n\n", "\n".join(lines)), reader.media)


def _without_comments(source: str) -> str:
    """The HTML without its comments; one that never ends hides the rest, as in a browser."""
    parts = []
    at = 0
    while (begin := source.find("<!--", at)) >= 0:
        parts.append(source[at:begin])
        end = source.find("-->", begin + 4)
        at = len(source) if end < 0 else end + 3
    return "".join([*parts, source[at:]])


def _kept_math(source: str, reader: _Reader) -> str:
    """Formulas put out of the way of Markdown's signs, and sounds counted."""

    def formula(match: re.Match[str]) -> str:
        inline, display = match.group(1), match.group(2)
        return reader.keep(f"${inline.strip()}$" if inline else f"$${(display or '').strip()}$$")

    def latex(match: re.Match[str]) -> str:
        dollars = "$$" if match.group(1) == "$$" else "$"
        return reader.keep(f"{dollars}{match.group(2).strip()}{dollars}")

    def sound(match: re.Match[str]) -> str:
        reader.media += 1
        return f"[sound: {match.group(1)}]" if match.group(1) else ""

    return _SOUND.sub(sound, _LATEX.sub(latex, _MATH.sub(formula, source)))


class _Reader(HTMLParser):
    """Collects Markdown while the tags go by."""

    def __init__(self, pictures: Mapping[str, str]) -> None:
        super().__init__(convert_charrefs=True)
        self._pictures = pictures
        self.media = 0
        self._out: list[str] = []
        self._kept: list[str] = []
        self._skipped = 0
        self._pre = 0
        self._code = 0
        self._lists: list[list[str | int]] = []
        self._rows: list[list[str]] | None = None
        self._cell: int | None = None

    def keep(self, text: str) -> str:
        """A sign that stands for a text which is to be kept as it is."""
        self._kept.append(_unescaped(text))
        return f"\x02{len(self._kept) - 1}\x03"

    def done(self) -> list[str]:
        self._end_table()
        return [re.sub(r"\x02(\d+)\x03", lambda found: self._kept[int(found.group(1))], "".join(self._out))]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SKIPPED:
            self._skipped += 1
        elif tag == "br":
            self._add("\n" if self._pre or self._cell is None else " ")
        elif tag == "img":
            self._picture(dict(attrs))
        elif tag == "pre":
            self._pre += 1
            self._add("\n\n```\n")
        elif tag in ("code", "tt", "kbd") and not self._pre:
            self._code += 1
            self._add("`")
        elif tag in ("ul", "ol"):
            self._lists.append([tag, 0])
            self._add("\n")
        elif tag == "li":
            self._item()
        elif tag == "table":
            self._end_table()
            self._rows = []
        elif tag == "tr" and self._rows is not None:
            self._end_cell()
            self._rows.append([])
        elif tag in ("td", "th") and self._rows:
            self._end_cell()
            self._cell = len(self._out)
        elif re.fullmatch("h[1-6]", tag):
            self._add(f"\n\n{'#' * int(tag[1])} ")
        elif tag == "hr":
            self._add("\n\n---\n\n")
        elif tag in _MARKS and not self._pre and not self._code:
            self._add(_MARKS[tag])
        elif tag in _BLOCKS:
            self._break(tag == "p")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SKIPPED:
            self._skipped = max(0, self._skipped - 1)
        elif tag == "pre" and self._pre:
            self._pre -= 1
            self._add("\n```\n\n")
        elif tag in ("code", "tt", "kbd") and self._code:
            self._code -= 1
            self._add("`")
        elif tag in ("ul", "ol") and self._lists:
            self._lists.pop()
            self._break(not self._lists)
        elif tag == "table":
            self._end_table()
        elif tag in ("td", "th"):
            self._end_cell()
        elif tag in _MARKS and not self._pre and not self._code:
            self._add(_MARKS[tag])
        elif tag in _BLOCKS:
            self._break(tag == "p" or tag.startswith("h"))

    def handle_data(self, data: str) -> None:
        if self._skipped:
            return
        if self._pre or self._code:
            self._add(data)
            return
        text = _SPECIAL.sub(r"\\\1", _BLANKS.sub(" ", data.replace("\n", " ")))
        if self._out and self._out[-1].endswith(("\n", " ")):
            text = text.lstrip(" ")
        self._add(text)

    def _picture(self, attrs: Mapping[str, str | None]) -> None:
        name = picture_name(attrs.get("src") or "")
        address = self._pictures.get(name)
        if address is None or self._pre or self._code:
            self.media += 1
            self._add(f"[picture: {name.rsplit('/', 1)[-1][:80]}]")
            return
        said = " ".join(_NOT_IN_ALT.sub("", attrs.get("alt") or name.rpartition(".")[0]).split())
        self._add(f"![{said[:200]}]({address})")

    def _add(self, text: str) -> None:
        if text and not self._skipped:
            self._out.append(text)

    def _break(self, paragraph: bool) -> None:
        """A new line; where the text goes on in a cell, a blank."""
        if self._cell is not None:
            self._add(" ")
        elif self._out and not "".join(self._out[-2:]).endswith("\n\n" if paragraph else "\n"):
            self._add("\n\n" if paragraph else "\n")

    def _item(self) -> None:
        depth = max(0, len(self._lists) - 1)
        mark = "- "
        if self._lists and self._lists[-1][0] == "ol":
            number = int(self._lists[-1][1]) + 1
            self._lists[-1][1] = number
            mark = f"{number}. "
        self._break(False)
        self._add(f"{'   ' * depth}{mark}")

    def _end_cell(self) -> None:
        if self._cell is not None and self._rows:
            text = " ".join("".join(self._out[self._cell :]).split()).replace("|", "\\|")
            del self._out[self._cell :]
            self._rows[-1].append(text)
        self._cell = None

    def _end_table(self) -> None:
        self._end_cell()
        rows = [row for row in self._rows or [] if row]
        self._rows = None
        if not rows:
            return
        width = max(map(len, rows))
        lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in rows]
        lines.insert(1, f"|{' --- |' * width}")
        self._add("\n\n" + "\n".join(lines) + "\n\n")


def _unescaped(text: str) -> str:
    """A formula's text without the tags and entities that Anki's editor puts into it."""
    return unescape(re.sub(r"<[^>]*>", "", text.replace("<br>", " "))).replace("\u00a0", " ")
