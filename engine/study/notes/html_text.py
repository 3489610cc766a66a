"""The HTML of a note as Markdown: what its text says, with code, lists and emphasis; pictures are counted."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_MARKS = {"b": "**", "strong": "**", "i": "*", "em": "*", "code": "`", "s": "~~", "del": "~~"}
_BREAKS = frozenset({"br", "div", "p", "tr", "ul", "ol", "h1", "h2", "h3", "h4", "table", "blockquote"})
_SOUND = re.compile(r"\[sound:[^\[\]]*\]")


def as_markdown(source: str) -> tuple[str, int]:
    """The text as Markdown, and how many pictures and sounds it had, which no card holds."""
    reader = _Reader()
    reader.feed(_SOUND.sub("", source))
    reader.close()
    text = re.sub(r"[ \t]+\n", "\n", "".join(reader.parts).replace("\xa0", " "))
    text = re.sub(r"\n{3,}", "\n\n", text).strip()
    return text, reader.pictures + len(_SOUND.findall(source))


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.pictures = 0
        self.code = False
        self.hidden = 0
        self.lists: list[int] = []
        """Of each open list the number of its next item; 0 where it has none."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "style"):
            self.hidden += 1
        elif tag == "img":
            self.pictures += 1
        elif tag == "pre":
            self.code = True
            self.parts.append("\n\n```\n")
        elif tag in ("ul", "ol"):
            self.lists.append(1 if tag == "ol" else 0)
            self.parts.append("\n\n" if len(self.lists) == 1 else "")
        elif tag == "li":
            number = self.lists[-1] if self.lists else 0
            if number:
                self.lists[-1] += 1
            indent = "  " * (len(self.lists) - 1)
            self.parts.append(f"\n{indent}{number}. " if number else f"\n{indent}- ")
        elif tag in _MARKS and not self.code:
            self.parts.append(_MARKS[tag])
        elif tag in _BREAKS:
            self.parts.append("\n\n" if tag == "p" else "\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self.hidden = max(0, self.hidden - 1)
        elif tag == "pre":
            self.code = False
            self.parts.append("\n```\n\n")
        elif tag in ("ul", "ol"):
            self.lists = self.lists[:-1]
            self.parts.append("\n\n" if not self.lists else "")
        elif tag in _MARKS and not self.code:
            self.parts.append(_MARKS[tag])
        elif tag in ("p", "div", "td", "th"):
            self.parts.append(" " if tag in ("td", "th") else "\n")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.parts.append(data if self.code else re.sub(r"[ \t]*\n[ \t]*", " ", data))
