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
_D_STROKE = {"đ": "d", "Đ": "d"}
AROUND = ".,;:!?\"'()[]{}<>“”‘’«»、。《》「」…`*"
"""Signs around a word that are not searched for."""
FIELD_END = "\x01"
"""Stands between the fields of a card's text; no deck can hold it."""


class Folded(dict[int, str]):
    """Each character as search compares it, worked out once."""

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        plain = _MARKS.sub("", unicodedata.normalize("NFKD", sign))
        folded = unicodedata.normalize("NFC", _D_STROKE.get(plain, plain)).casefold()
        self[code] = folded
        return folded


FOLDED = Folded()


def fold(text: str) -> str:
    """`text` as search compares it: lower case, no diacritics, full-width forms made plain, single spaces."""
    if text.isascii():
        return " ".join(text.lower().split())
    if not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
    return " ".join(text.translate(FOLDED).split())


def accented(text: str) -> str:
    """`text` in lower case with its diacritics, in one Unicode form."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


_FENCE = re.compile(r"^[ \t]*(```|~~~).*$", re.MULTILINE)
_RULE = re.compile(r"^[ \t]*\|?[ \t:|-]*-{2,}[ \t:|-]*$", re.MULTILINE)
_LINE_START = re.compile(r"^[ \t]*(#{1,6}|>|[-*+]|\d+\.)[ \t]+", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
# begins with a set of signs, so that the search passes over all others at once: three times as fast
_EMPHASIS = re.compile(r"([*_](?:(?<=\*)\*{0,2}|(?<=_)_))(?=\S)(.+?)(?<=\S)\1")
_TEX_FONT = re.compile(r"\\(?:text|mathrm|mathbf|mathit|operatorname)\b")
_MATH = re.compile(rf"\$\$?([^${FIELD_END}]+)\$\$?")


def _tex(match: re.Match[str]) -> str:
    return re.sub(r"[{}\\]", " ", _TEX_FONT.sub("", match.group(1)))


def plain_markdown(text: str) -> str:
    """The words of a Markdown text on one line, without its signs; code and formulas stay readable."""
    return " ".join(unmarked(text).split())


def unmarked(text: str) -> str:
    """`plain_markdown` with the lines and spaces as they were."""
    # most texts have few of the signs, and looking for one is much cheaper than a pattern
    if "```" in text or "~~~" in text:
        text = _FENCE.sub("", text)
    if "--" in text:
        text = _RULE.sub("", text)
    text = _LINE_START.sub("", text)
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if "*" in text or "__" in text:
        text = _EMPHASIS.sub(r"\2", text)
    if "$" in text:
        text = _MATH.sub(_tex, text)
    return text.replace("`", "").replace("|", " ")


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
