"""Texts as search compares them: without diacritics, in one Unicode form, without the signs of Markdown.

Everything is compared folded (`fold`), so that `duong` finds Đường, whichever way its diacritics are
encoded, and 内存 finds 共享内存.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from engine.study.card import Card

_MARKS = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]+")
_D_STROKE = str.maketrans("đĐ", "dD")
_SPACES = re.compile(r"\s+")
AROUND = ".,;:!?\"'()[]{}<>“”‘’«»、。《》「」…`*"
"""Signs around a word that are not searched for."""
FIELD_END = "\x01"
"""Stands between the fields of a card's text; no deck can hold it."""


def fold(text: str) -> str:
    """`text` as search compares it: lower case, no diacritics, full-width forms made plain, single spaces."""
    if not text.isascii():
        text = _MARKS.sub("", unicodedata.normalize("NFKD", text)).translate(_D_STROKE)
        text = unicodedata.normalize("NFC", text)
    return _SPACES.sub(" ", text.casefold()).strip()


def accented(text: str) -> str:
    """`text` in lower case with its diacritics, in one Unicode form."""
    return _SPACES.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


_FENCE = re.compile(r"^[ \t]*(```|~~~).*$", re.MULTILINE)
_RULE = re.compile(r"^[ \t]*\|?[ \t:|-]*-{2,}[ \t:|-]*$", re.MULTILINE)
_LINE_START = re.compile(r"^[ \t]*(#{1,6}|>|[-*+]|\d+\.)[ \t]+", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
_EMPHASIS = re.compile(r"(\*{1,3}|__)(?=\S)(.+?)(?<=\S)\1")
_TEX_FONT = re.compile(r"\\(?:text|mathrm|mathbf|mathit|operatorname)\b")
_MATH = re.compile(rf"\$\$?([^${FIELD_END}]+)\$\$?")


def _tex(match: re.Match[str]) -> str:
    return re.sub(r"[{}\\]", " ", _TEX_FONT.sub("", match.group(1)))


def plain_markdown(text: str) -> str:
    """The words of a Markdown text on one line, without its signs; code and formulas stay readable."""
    text = _FENCE.sub("", text)
    text = _RULE.sub("", text)
    text = _LINE_START.sub("", text)
    text = _LINK.sub(r"\1", text)
    text = _EMPHASIS.sub(r"\2", text)
    text = _MATH.sub(_tex, text)
    return _SPACES.sub(" ", text.replace("`", "").replace("|", " ")).strip()


def _texts(card: Card) -> Iterator[str]:
    yield card.prompt
    for point in card.answer:
        yield point.heading
        yield point.text
    yield from card.key_figures
    for follow in card.follow_ups:
        yield follow.prompt
        yield follow.answer
    if card.pitfall is not None:
        yield card.pitfall
    for claim in card.claims:
        yield claim.label


def plain_text(card: Card) -> str:
    """All that the card says, without markup: title, prompt, answer, figures, follow-ups and pitfall."""
    return " ".join([plain_markdown(card.title), *map(plain_markdown, _texts(card))])
