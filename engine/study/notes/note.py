"""Notes as they were read: what becomes of them is said in `bring_in`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from unicodedata import normalize

from engine.study.card import Language
from engine.study.faults import StudyError

_VIETNAMESE = re.compile("[ăâđêôơưáàảãạắằẳẵặấầẩẫậéèẻẽẹếềểễệíìỉĩịóòỏõọốồổỗộớờởỡợúùủũụứừửữựýỳỷỹỵ]")


@dataclass(frozen=True, slots=True)
class Note:
    """One note: a card to be. Texts are Markdown; `answer` holds pairs of heading and text.

    line: where it begins in its file, from 1. id: the one that its file gives it, else None: then it is known
    again by its title, or by its answer where the title was changed.
    """

    line: int
    title: str
    prompt: str
    answer: tuple[tuple[str, str], ...]
    id: str | None = None
    topics: tuple[str, ...] = ()
    key_figures: tuple[str, ...] = ()
    pitfall: str | None = None

    def values(self) -> dict[str, Any]:
        """The card's fields as a deck has them, without id and kind."""
        values: dict[str, Any] = {"title": self.title}
        if self.topics:
            values["topics"] = list(self.topics)
        values["prompt"] = self.prompt
        values["answer"] = [{"heading": heading, "text": text} for heading, text in self.answer]
        if self.key_figures:
            values["key_figures"] = list(self.key_figures)
        if self.pitfall:
            values["pitfall"] = self.pitfall
        return values


@dataclass(frozen=True, slots=True)
class Notes:
    """A file of notes; what it says of its deck, where it says anything. left_out: what no card can hold."""

    notes: tuple[Note, ...]
    deck: str | None = None
    title: str | None = None
    language: Language | None = None
    document: str | None = None
    left_out: tuple[str, ...] = ()


class NotesFault(StudyError):
    """The notes can't become cards; nothing was written. One `FILE:LINE: what is wrong` a line."""

    def __init__(self, file: str, found: Iterable[tuple[int, str]]) -> None:
        self.found = tuple(found)
        super().__init__("\n".join(f"{file}:{line}: {message}" for line, message in self.found))


def guessed_language(texts: Iterable[str]) -> Language:
    """Chinese or Vietnamese, whichever has more letters of its own in them, else English."""
    text = "".join(texts)
    chinese = sum("\u4e00" <= sign <= "\u9fff" for sign in text)
    vietnamese = len(_VIETNAMESE.findall(normalize("NFC", text.lower())))
    if chinese or vietnamese:
        return "zh" if chinese > vietnamese else "vi"
    return "en"
