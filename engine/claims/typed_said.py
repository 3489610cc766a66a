"""What the words around a number say of it: that it is about so much, at least or at most."""

from __future__ import annotations

import re
from typing import Literal

Bound = Literal["", "at_least", "at_most"]

_WORDS_APPROX = (
    "about around roughly approximately approx. approx circa nearly almost some maybe perhaps "
    "khoảng chừng xấp·xỉ cỡ tầm gần độ ước ước·chừng ước·tính chắc "
    "大约 大概 差不多 约 近 将近 接近 可能 大致 估计"
)
_WORDS_MOST = (
    "at·most less·than under below up·to no·more·than fewer·than "
    "dưới ít·hơn không·quá tối·đa nhỏ·hơn chưa·đến chưa·tới "
    "不到 不足 少于 小于 低于 最多 不超过 至多"
)
_WORDS_LEAST = (
    "at·least more·than over above no·less·than "
    "trên ít·nhất tối·thiểu lớn·hơn 至少 超过 大于 高于 多于 不少于"
)


def _before(words: str, signs: str) -> re.Pattern[str]:
    spelt = "|".join(re.escape(word).replace("·", r"\s+") for word in words.split())
    return re.compile(rf"(?:(?<![A-Za-zÀ-ỹ])(?:{spelt})|[{signs}]=?)\s*$", re.IGNORECASE)


APPROX = _before(_WORDS_APPROX, "~\u2248")
_AT_MOST = _before(_WORDS_MOST, "<\u2264")
_AT_LEAST = _before(_WORDS_LEAST, ">\u2265")
_OVER = re.compile(
    r"(?<![A-Za-zÀ-ỹ])(?<!nhanh )(?<!chậm )(?<!cao )(?<!thấp )(?<!ngắn )(?<!dài )hơn\s*$", re.IGNORECASE
)
"""Vietnamese "more than", which after an adjective is its comparative ("nhanh hơn 3 lần")."""
OPENING = re.compile(
    r"(?:(?<![A-Za-zÀ-ỹ])(?:from|between|từ|giữa|trong khoảng)|从|在|介于)\s*$", re.IGNORECASE
)
_FROM = re.compile(r"(?:(?<![A-Za-zÀ-ỹ])(?:from|từ)|从)\s*(?:(?:khoảng|about|约)\s*)?$", re.IGNORECASE)
APPROX_AFTER = re.compile(r"\s*(?:左右|上下|or so\b|-?ish\b|give or take|出头)", re.IGNORECASE)
_MORE_AFTER = re.compile(r"\s*(?:多(?!少)|余|以上|\+(?!\d)|or more\b|trở lên)", re.IGNORECASE)
_LESS_AFTER = re.compile(r"\s*(?:以下|以内|之内|or less\b|trở xuống)", re.IGNORECASE)


def said_before(before: str) -> tuple[bool, Bound, bool]:
    """Of the text before a number: was it called approximate, a bound, or the start of "from … to"?"""
    from_to = _FROM.search(before) is not None
    approx = False
    bound: Bound = ""
    for _ in range(3):  # "khoảng từ hơn": as many of them as anybody puts together
        opening = OPENING.search(before)
        if opening is not None:
            before = before[: opening.start()]
        if (said := APPROX.search(before)) is not None:
            approx = True
        elif (said := _AT_MOST.search(before)) is not None:
            bound = "at_most"
        elif (said := _AT_LEAST.search(before) or _OVER.search(before)) is not None:
            # "60 trên 80 GB": 60 of 80
            bound = "" if re.search(r"\d\s*$", before[: said.start()]) else "at_least"
        else:
            break
        before = before[: said.start()]
    return approx, bound, from_to


def said_after(text: str, place: int) -> tuple[bool, Bound, int]:
    """Of the text behind a number: approximate, a bound, and where those words end."""
    approx = False
    bound: Bound = ""
    meaning: Bound
    for pattern, meaning in ((_MORE_AFTER, "at_least"), (_LESS_AFTER, "at_most"), (APPROX_AFTER, "")):
        said = pattern.match(text, place)
        if said is not None:
            place = said.end()
            approx = approx or pattern is not _LESS_AFTER
            bound = meaning or bound
    return approx, bound, place
