"""The words that tell whether a point of an answer was made: suggested only, the learner has the last word.

A point's terms are the words of its heading and what it sets in bold or as code (they weigh more), and the
words of its text. Chinese, which has no spaces, gives pairs of characters; Vietnamese, whose words are of
several syllables, gives pairs of syllables beside the Latin terms. What the question itself says, and what
several points say, tells nothing. Everything is compared folded, as search does it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from engine.interview.marks import PointTick
from engine.study.card import Point
from engine.study.search import fold, plain_markdown

COVERED_FROM, PARTLY_FROM = 0.4, 0.15
"""Shares of the weight of a point's terms that were said."""

LOOKED_AT = 50_000
"""Characters of an answer that are searched; an answer of ten minutes has a fifth of that."""

MOST_TERMS = 14
HEAVY, LIGHT = 3.0, 1.0

_STRONG = re.compile(r"\*\*(.+?)\*\*|`([^`]+)`", re.DOTALL)
_WORD = re.compile(r"[a-z][a-z0-9_]+(?:[-/.][a-z0-9_]+)*|[\u3400-\u9fff]+|[^\W\d_]+")
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_EMPTY_CHINESE = frozenset("的了是在和与也就不都而又有把被从到对为以及其这那个一上下中里外将会能要着过它们")
_STOP_WORDS = """
    the a an and or of to in on at by for with from as is are was were be been it its this that these
    those not no but if then than so when which what how why each every one two all more most less only
    also can could may will would do does done has have had into out over per up down about there here
    và là của có cho một các khi thì với không được những này đó trong ngoài ra vào trên dưới mỗi nếu
    như từ đến để do bị bởi vì nên mà cũng chỉ còn hơn nhất rồi lại đã sẽ đang phải
"""
_STOP = frozenset(fold(_STOP_WORDS).split())


@dataclass(frozen=True, slots=True)
class Coverage:
    """How far a point was made. share: of the weight of its terms; found: the terms that were said."""

    tick: PointTick
    share: float
    found: tuple[str, ...]


def coverage(points: Sequence[Point], prompt: str, said: str) -> tuple[Coverage, ...]:
    """How far each point of a card is in `said`."""
    text = f" {fold(said[:LOOKED_AT])} "
    return tuple(_covered(terms, text) for terms in terms_of(tuple(points), prompt))


@lru_cache(maxsize=256)
def terms_of(points: tuple[Point, ...], prompt: str) -> tuple[dict[str, float], ...]:
    """The terms of each point with their weights, the heaviest first."""
    asked = set(_terms(fold(plain_markdown(prompt))))
    weighed = [_weighed(point) for point in points]
    told = []
    for index, terms in enumerate(weighed):
        others = [each for place, each in enumerate(weighed) if place != index]
        # a word that most points have names the subject, not the point
        common = {term for term in terms if sum(term in each for each in others) * 2 >= len(others) > 1}
        own = {term: weight for term, weight in terms.items() if term not in asked | common}
        kept = own or {term: weight for term, weight in terms.items() if term not in common} or terms
        ranked = sorted(kept.items(), key=lambda pair: -pair[1])[:MOST_TERMS]
        told.append(dict(ranked))
    return tuple(told)


def _weighed(point: Point) -> dict[str, float]:
    strong = " ".join(first or second for first, second in _STRONG.findall(point.text))
    terms = dict.fromkeys(_terms(fold(plain_markdown(point.text))), LIGHT)
    terms |= dict.fromkeys(_terms(fold(plain_markdown(f"{point.heading} . {strong}"))), HEAVY)
    return terms


def _terms(folded: str) -> Iterable[str]:
    """The words of a folded text that mean something by themselves."""
    words = _WORD.findall(folded)
    for word in words:
        if _CHINESE.match(word):
            yield from (
                first + second for first, second in pairwise(word) if not {first, second} & _EMPTY_CHINESE
            )
        elif word not in _STOP and len(word) > 3:
            yield word
    for first, second in pairwise(words):
        syllables = not _CHINESE.match(first) and not _CHINESE.match(second)
        if syllables and len(first) <= 4 and len(second) <= 4 and not {first, second} & _STOP:
            yield f"{first} {second}"


def _covered(terms: dict[str, float], text: str) -> Coverage:
    found = tuple(term for term in terms if _is_in(term, text))
    whole = sum(terms.values())
    share = sum(terms[term] for term in found) / whole if whole else 0.0
    tick: PointTick = "covered" if share >= COVERED_FROM else "partly" if share >= PARTLY_FROM else "missed"
    return Coverage(tick, share, found)


def _is_in(term: str, text: str) -> bool:
    """A Chinese term anywhere, another one at the beginning of a word (`launch` is in `launches`)."""
    if _CHINESE.match(term):
        return term in text
    return re.search(rf"(?<![a-z0-9]){re.escape(term)}", text) is not None
