"""A card as it was asked: kept with the answer, so that a report still fits after the deck was edited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from engine.study.card import Card, FollowUp, Point


@dataclass(frozen=True, slots=True)
class Live:
    """What is to be predicted before a lab measures it: a claim of the card that a lab backs."""

    claim_id: str
    label: str
    unit: str
    lab: str


@dataclass(frozen=True, slots=True)
class Asked:
    """The parts of a card that an interview needs; texts are Markdown, as in the deck."""

    card_id: str
    deck: str
    deck_title: str
    kind: str
    title: str
    language: str
    prompt: str
    points: tuple[Point, ...]
    key_figures: tuple[str, ...] = ()
    follow_up: FollowUp | None = None
    pitfall: str | None = None
    topics: tuple[str, ...] = ()
    labs: tuple[str, ...] = ()
    priority: bool = False
    live: Live | None = None

    def to_json(self) -> dict[str, Any]:
        """As the store keeps it."""
        return asdict(self)

    @staticmethod
    def from_json(body: Mapping[str, Any]) -> Asked:
        """From what the store kept."""
        follow, live = body.get("follow_up"), body.get("live")
        return Asked(
            card_id=body["card_id"],
            deck=body["deck"],
            deck_title=body["deck_title"],
            kind=body["kind"],
            title=body["title"],
            language=body["language"],
            prompt=body["prompt"],
            points=tuple(Point(**point) for point in body["points"]),
            key_figures=tuple(body["key_figures"]),
            follow_up=None if follow is None else FollowUp(**follow),
            pitfall=body["pitfall"],
            topics=tuple(body["topics"]),
            labs=tuple(body["labs"]),
            priority=body["priority"],
            live=None if live is None else Live(**live),
        )


def as_asked(card: Card, deck_title: str, *, follow_up: bool, live: bool) -> Asked:
    """The card with its first follow-up and the number to predict, where those are wanted and there."""
    return Asked(
        card_id=card.id,
        deck=card.deck,
        deck_title=deck_title,
        kind=card.kind,
        title=card.title,
        language=card.language,
        prompt=card.prompt,
        points=card.answer,
        key_figures=card.key_figures,
        follow_up=card.follow_ups[0] if follow_up and card.follow_ups else None,
        pitfall=card.pitfall,
        topics=card.topics,
        labs=tuple(dict.fromkeys(lab.name for lab in card.labs)),
        priority=card.priority == "high",
        live=_live(card) if live else None,
    )


def _live(card: Card) -> Live | None:
    """The first number of the card that one of its labs measures."""
    linked = {lab.name for lab in card.labs}
    for claim in card.claims:
        if claim.measured is not None and claim.measured.lab in linked:
            return Live(claim.id, claim.label, claim.says.unit, claim.measured.lab)
    return None
