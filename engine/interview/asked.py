"""A card as it was asked: kept with the answer, so that a report still fits after the deck was edited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from engine.study.card import Card, FollowUp, Point, Says


@dataclass(frozen=True, slots=True)
class Live:
    """What is to be predicted before a lab measures it: a claim of the card that a lab backs."""

    claim_id: str
    label: str
    unit: str
    lab: str


@dataclass(frozen=True, slots=True)
class AskedFigure:
    """A figure that an answer should give: a claim of the card, which typed numbers are held against.

    A card without claims has its key figures as lines of text (Markdown) instead: those the learner ticks.
    """

    label: str
    claim_id: str | None = None
    says: Says | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """The card, its deck's title, and what else is asked of it."""

    card: Card
    deck_title: str
    follow_up: FollowUp | None = None
    live: Live | None = None
    figures: tuple[AskedFigure, ...] = ()

    @property
    def card_id(self) -> str:
        return self.card.id

    @property
    def title(self) -> str:
        return self.card.title

    @property
    def language(self) -> str:
        return self.card.language

    @property
    def points(self) -> tuple[Point, ...]:
        return self.card.answer

    @property
    def topics(self) -> tuple[str, ...]:
        return self.card.topics

    @property
    def labs(self) -> tuple[str, ...]:
        """The labs that show this card's point, each once."""
        return tuple(dict.fromkeys(lab.name for lab in self.card.labs))

    @property
    def is_priority(self) -> bool:
        return self.card.priority == "high"

    def to_json(self) -> dict[str, Any]:
        """As the store keeps it."""
        body: dict[str, Any] = msgspec.to_builtins(self)
        return body

    @staticmethod
    def from_json(body: Mapping[str, Any]) -> Asked:
        """From what the store kept; fields that this version doesn't know are passed over."""
        return msgspec.convert(body, Asked)


def as_asked(card: Card, deck_title: str, *, follow_up: bool, live: bool) -> Asked:
    """The card with its first follow-up and the number to predict, where those are wanted and there."""
    return Asked(
        card=replace(card, file="", line=0),
        deck_title=deck_title,
        follow_up=card.follow_ups[0] if follow_up and card.follow_ups else None,
        live=_live(card) if live else None,
        figures=_figures(card),
    )


def _live(card: Card) -> Live | None:
    """The first number of the card that one of its labs measures."""
    linked = {lab.name for lab in card.labs}
    for claim in card.claims:
        if claim.measured is not None and claim.measured.lab in linked:
            return Live(claim.id, claim.label, claim.says.unit, claim.measured.lab)
    return None


def _figures(card: Card) -> tuple[AskedFigure, ...]:
    """The key claims, but not what is only set for the question's sake (neither computed nor measured)."""
    if not card.claims:
        return tuple(AskedFigure(line) for line in card.key_figures)
    from engine.claims.key_figures import key_claims  # imports pint

    keys = key_claims(card)
    return tuple(
        AskedFigure(claim.label, claim.id, claim.correction.says if claim.correction else claim.says)
        for claim in card.claims
        if claim.id in keys and (claim.formula is not None or claim.measured is not None)
    )
