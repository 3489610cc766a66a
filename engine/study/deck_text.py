"""A deck of cards as the YAML of a deck file: what `deck_parse` reads back as the same cards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import yaml

from engine.study.card import Card, ClaimText, Deck, Says, placeless
from engine.study.deck_parse import parse_deck
from engine.study.faults import StudyError


class UnwritableDeck(StudyError):
    """Cards that no deck file can hold: the first thing wrong with them."""


def deck_text(deck: Deck) -> str:
    """The YAML of a deck. Raises UnwritableDeck where its cards break the rules of decks."""
    text = ""
    for plain in (False, True):
        text = yaml.dump(
            _body(deck),
            Dumper=_Plain if plain else _Blocks,
            allow_unicode=True,
            sort_keys=False,
            width=100,
        )
        read = parse_deck(text.encode("utf-8"), deck.path or deck.id)
        if read.deck is not None and _same(read.deck, deck):
            return text
    if read.faults:
        raise UnwritableDeck(f"{deck.title}: {read.faults[0].field}: {read.faults[0].message}")
    raise UnwritableDeck(f"{deck.title}: its text can't be written as YAML without a change")


def same_cards(one: Deck, other: Deck) -> bool:
    """Whether two decks say the same, wherever they stand."""
    return _same(one, other)


def _same(one: Deck, other: Deck) -> bool:
    def told(deck: Deck) -> tuple[object, ...]:
        cards = tuple(placeless(card) for card in deck.cards)
        return deck.id, deck.title, deck.language, deck.description, cards

    return told(one) == told(other)


def _body(deck: Deck) -> dict[str, Any]:
    head = {
        "id": deck.id,
        "title": deck.title,
        "language": deck.language,
        "description": deck.description,
        # cards without a section have no source of their own: theirs is the deck's document
        "document": next((card.source.document for card in deck.cards if not card.source.section), None),
    }
    return {"deck": _filled(head), "cards": [_card(card, deck) for card in deck.cards]}


def _filled(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that say something: an empty one is left out."""
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}


def _card(card: Card, deck: Deck) -> dict[str, Any]:
    return _filled(
        {
            "id": card.id,
            "kind": card.kind,
            "title": card.title,
            "language": card.language if card.language != deck.language else None,
            "priority": card.priority if card.priority != "normal" else None,
            "lessons": list(card.lessons),
            "topics": list(card.topics),
            "prompt": card.prompt,
            "answer": [{"heading": point.heading, "text": point.text} for point in card.answer],
            "key_figures": list(card.key_figures),
            "follow_ups": [{"prompt": each.prompt, "answer": each.answer} for each in card.follow_ups],
            "follows": card.follows,
            "pitfall": card.pitfall,
            "labs": [_filled({"name": lab.name, "set": dict(lab.set)}) for lab in card.labs],
            "source": {"document": card.source.document, "section": card.source.section}
            if card.source.section
            else None,
            "claims": [_claim(claim) for claim in card.claims],
        }
    )


def _claim(claim: ClaimText) -> dict[str, Any]:
    measured, correction = claim.measured, claim.correction
    return _filled(
        {
            "id": claim.id,
            "label": claim.label,
            "says": _says(claim.says),
            "formula": claim.formula,
            "model": claim.model,
            "quantities": dict(claim.quantities),
            "tolerance": repr(claim.tolerance),
            "measured": None
            if measured is None
            else _filled({"lab": measured.lab, "metric": measured.metric, "labels": dict(measured.labels)}),
            "why_not": claim.why_not,
            "correction": None
            if correction is None
            else {**_says(replace(correction.says, on=None)), "reason": correction.reason},
        }
    )


def _says(says: Says) -> dict[str, Any]:
    numbers = {name: getattr(says, name) for name in ("value", "low", "high")}
    found: dict[str, Any] = {name: repr(number) for name, number in numbers.items() if number is not None}
    found["unit"] = says.unit
    if says.on is not None:
        found["on"] = says.on
    return found


class _Plain(yaml.SafeDumper):
    """Every text on one line, in quotation marks where needed."""


class _Blocks(yaml.SafeDumper):
    """Texts of several lines as blocks, as a person would write them."""


def _block(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Blocks.add_representer(str, _block)
