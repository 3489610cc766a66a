"""Which of a card's figures a typed answer gives, which it gives wrong, and which it leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from engine.claims.fault import ClaimsError
from engine.claims.label_words import around, distinctive, words
from engine.claims.typed_numbers import TypedNumber, numbers
from engine.claims.typed_units import nouns
from engine.claims.units import converted
from engine.claims.verdict import off, target
from engine.study.card import Card, ClaimText, Says

Outcome = Literal["right", "wrong", "missing"]
NARROW = 0.25
"""A typed range gives a single figure where it is no wider than this share of its middle."""
SURE = 2
"""Words of another claim's label beside a number that make it a wrong figure of that claim."""
_SENTENCE = re.compile(r"[.!?;\n](?:\s|$)|[。！？；]")
ROUGH = 0.5
"""Without "about", a figure may be off by this share of the claim's tolerance."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the card and what the answer made of it.

    typed: the number that gave it, right or wrong; None where it is missing. key: it stands among the card's
    key figures, or the card names none in numbers.
    """

    claim: ClaimText
    outcome: Outcome
    typed: TypedNumber | None
    key: bool


@dataclass(frozen=True, slots=True)
class _Match:
    """A number that is about a claim; `aside` is how far it is off."""

    claim: ClaimText
    number: TypedNumber
    aside: float


def figures(card: Card, text: str, language: str | None = None) -> tuple[Figure, ...]:
    """Every claim of the card with what the text says of it; the language is the card's where none is given.

    A number that carries no unit counts only where one claim alone can be meant. What the card's document
    says and what its correction says both count as right.
    """
    reading = _Reading(card)
    reading.read(text, numbers(text, language or card.language))
    right, wrong = reading.right, reading.wrong
    keys = key_claims(card)
    found = []
    for claim in card.claims:
        outcome: Outcome = "right" if claim.id in right else "wrong" if claim.id in wrong else "missing"
        told = right.get(claim.id) or wrong.get(claim.id)
        found.append(Figure(claim, outcome, None if told is None else told.number, key=claim.id in keys))
    return tuple(found)


def key_claims(card: Card) -> frozenset[str]:
    """The ids of the claims whose figure stands among the card's key figures; all where those have none."""
    listed = [number for line in card.key_figures for number in _numbers(line, card.language)]
    found = frozenset(claim.id for claim in card.claims for number in listed if _fits(claim, number))
    return found or frozenset(claim.id for claim in card.claims)


class _Reading:
    """Goes through the numbers of one answer and gathers what they give."""

    def __init__(self, card: Card) -> None:
        self.claims = card.claims
        self.known = tuple(_known(card))
        self.right: dict[str, _Match] = {}
        self.wrong: dict[str, _Match] = {}
        self._contested: list[tuple[list[_Match], _Match, bool]] = []

    def read(self, text: str, typed: Sequence[TypedNumber]) -> None:
        lead = ""
        for index, number in enumerate(typed):
            before, behind = around(text, typed, index)
            if index and _SENTENCE.search(text[typed[index - 1].end : number.start]):
                lead = ""
            for part in self._parts(number):
                self._number(part, (before, behind, lead))
            if words(before):
                lead = before  # "the gate projection: 23 MB, 72 µs": both are about it
        for near, about, sure in self._contested:
            if about.claim.id in self.right:  # given elsewhere, so this number is what its value says
                self._give(near)
            elif sure:  # else one word against a value: neither counts
                self.wrong.setdefault(about.claim.id, about)

    def _parts(self, number: TypedNumber) -> tuple[TypedNumber, ...]:
        """A range that no claim has may be a change, "25.5 tok/s to 107 tok/s": then its two ends."""
        if not number.is_range or any(_fits(claim, number) for claim in self.claims):
            return (number,)
        return (replace(number, high=number.low), replace(number, low=number.high))

    def _number(self, number: TypedNumber, context: tuple[str, ...]) -> None:
        alike = [claim for claim in self.claims if _comparable(claim, number)]
        if number.noun:  # "6 transfers" is about a claim that counts transfers, where there is one
            alike = [claim for claim in alike if number.noun in nouns(claim.label)] or alike
        scores = _scores(alike, context)
        best = max(scores.values(), default=0)
        about = [claim for claim in alike if best and scores[claim.id] == best]
        matches = [match for claim in alike if (match := _match(claim, number)) is not None]
        if not matches:
            self._no_match(number, about, alike)
            return
        nearest = min(match.aside for match in matches)
        near = [match for match in matches if match.aside <= nearest + 1e-9]
        told = max(scores[match.claim.id] for match in near)
        if best > told:  # the sentence speaks of another figure than the one with this value
            of_these = [match for match in matches if scores[match.claim.id] == best]
            if not of_these:
                if len(about) == 1 and number.unit:
                    self._contested.append((near, _Match(about[0], number, 1.0), best >= SURE))
                return
            near, told = of_these, best
        near = [match for match in near if scores[match.claim.id] == told]
        if number.unit or told or len(near) == 1:  # else a bare number that could be several figures
            self._give(near)

    def _no_match(self, number: TypedNumber, about: list[ClaimText], alike: list[ClaimText]) -> None:
        if any(_same(number, other) for other in self.known):
            return  # a number of the question or of the card's reasoning
        if not about and number.unit and len(alike) == 1:
            about = alike
        if len(about) == 1:
            self.wrong.setdefault(about[0].id, _Match(about[0], number, 1.0))

    def _give(self, matches: list[_Match]) -> None:
        for match in matches:
            held = self.right.setdefault(match.claim.id, match)
            if match.aside < held.aside:
                self.right[match.claim.id] = match


def _scores(alike: Sequence[ClaimText], context: tuple[str, ...]) -> dict[str, int]:
    """How many words that only this claim's label has stand beside the number.

    Counted in the first part that has any.

    The parts are what stands before the number, what stands behind it, what led to the number before it.
    """
    own = distinctive({claim.id: claim.label for claim in alike})
    for part in context:
        said = words(part)
        found = {claim_id: len(mine & said) for claim_id, mine in own.items()}
        if any(found.values()):
            return found
    return dict.fromkeys(own, 0)


def _fits(claim: ClaimText, number: TypedNumber) -> bool:
    return _comparable(claim, number) and _match(claim, number) is not None


def _comparable(claim: ClaimText, number: TypedNumber) -> bool:
    """Whether the number could be this claim's: its unit converts, and it counts the same sort of thing."""
    mine = claim.says.unit
    counted = nouns(claim.label)
    if not number.unit:
        if number.noun:
            return not mine and (not counted or number.noun in counted)
        return True
    if number.unit == "\u00d7" and counted:
        return False
    if number.unit == "token" or mine == "token":
        return number.unit == mine or (not mine and "token" in counted)
    if (number.unit == "percent") != (mine == "percent"):
        return False
    return _convertible(number.unit, mine)


@lru_cache(maxsize=1024)
def _convertible(from_unit: str, to_unit: str) -> bool:
    try:
        converted(1, from_unit, to_unit)
    except ClaimsError:
        return False
    return True


def _match(claim: ClaimText, number: TypedNumber) -> _Match | None:
    """The number as this claim's figure, as its document or its correction says it."""
    stated = [claim.says] if claim.correction is None else [claim.says, claim.correction.says]
    asides = [aside for says in stated if (aside := _aside(says, number, claim.tolerance)) is not None]
    return _Match(claim, number, min(asides)) if asides else None


def _aside(says: Says, number: TypedNumber, tolerance: float) -> float | None:
    """How far the number is off what is stated; None where that is too far."""
    if not number.unit:
        low, high = number.low, number.high
    else:
        if not _convertible(number.unit, says.unit):
            return None
        low, high = (converted(end, number.unit, says.unit) for end in (number.low, number.high))
    least, most = target(says)
    allowed = tolerance if number.approx or number.bound else tolerance * ROUGH
    if least != most:
        return _aside_of_range(least, most, low, high, tolerance, number)
    if low != high:
        narrow = (high - low) <= NARROW * (high + low) / 2
        return (high - low) / (high + low) if narrow and low <= least <= high else None
    aside = abs(off(low, least, most))
    return aside if aside <= allowed or (aside <= tolerance and _rounds_to(least, low)) else None


def _aside_of_range(
    least: float, most: float, low: float, high: float, tolerance: float, number: TypedNumber
) -> float | None:
    """A range is given by its ends, by a value or a range within it, or by the bound that it is."""
    if number.bound == "at_most" and least <= 0:
        return abs(off(high, most, most)) if abs(off(high, most, most)) <= tolerance else None
    if low >= least * (1 - tolerance) and high <= most * (1 + tolerance):
        return 0.0 if (low, high) == (least, most) else 1e-3
    return None


def _rounds_to(exact: float, typed: float) -> bool:
    """Whether `typed` is `exact` rounded to as many digits as `typed` has."""
    digits = len(f"{typed:g}".replace(".", "").replace("-", "").strip("0")) or 1
    return float(f"{exact:.{digits}g}") == typed


def _same(number: TypedNumber, other: TypedNumber) -> bool:
    return (number.low, number.high) == (other.low, other.high) and number.unit in ("", other.unit)


def _known(card: Card) -> Iterator[TypedNumber]:
    """The numbers of the question and of the answer, which nobody gets wrong by naming them."""
    texts = [card.prompt, *card.key_figures]
    texts += [part for point in card.answer for part in (point.heading, point.text)]
    texts += [part for follow in card.follow_ups for part in (follow.prompt, follow.answer)]
    for text in texts:
        yield from _numbers(text, card.language)


@lru_cache(maxsize=4096)
def _numbers(text: str, language: str) -> tuple[TypedNumber, ...]:
    """The numbers of a text of the card."""
    return numbers(_plain(text), language)


def _plain(text: str) -> str:
    """Markdown and LaTeX as a reader sees them."""
    shown = re.sub(r"\\(?:text|mathrm)\{([^}]*)\}", r"\1", text.replace("{,}", ","))
    shown = re.sub(r"\\d?frac\{([^}]*)\}\{([^}]*)\}", r"\1 ÷ \2", shown)
    return re.sub(r"[$*`{}]", "", shown)
