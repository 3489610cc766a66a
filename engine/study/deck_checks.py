"""What a deck must keep to beyond its shape: rules that bind several fields.

They look at the plain tree, not at the model, so that they speak up even where the shape has faults too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.study.deck_node import Loc, Node, Problem


def rule_problems(root: Node) -> Iterator[Problem]:
    """Every broken rule. `root` may be of any shape."""
    seen: dict[str, int] = {}
    for loc, card in items(root, "cards"):
        card_id = _text(card, "id")
        if card_id is not None:
            line = _line(card, "id")
            if card_id in seen:
                message = (
                    f'"{card_id}" is already the id of the card on line {seen[card_id]}: give it another'
                )
                yield Problem(line, (*loc, "id"), message)
            else:
                seen[card_id] = line
        yield from _claims(loc, card)
        yield from _repeated(loc, card)
    yield from _follows(root)


def items(node: Node, name: str) -> Iterator[tuple[Loc, Node]]:
    """The items of a list field, with their place, as far as they are whole groups of fields."""
    listed = node.child(name)
    if listed is None or listed.broken or not isinstance(listed.value, list):
        return
    for index, item in enumerate(listed.value):
        if isinstance(item.value, dict) and not item.broken:
            yield (name, index), item


def _text(node: Node, name: str) -> str | None:
    found = node.child(name)
    return found.value if found is not None and not found.broken and isinstance(found.value, str) else None


def _line(node: Node, name: str) -> int:
    found = node.child(name)
    return found.line if found is not None else node.line


def _follows(root: Node) -> Iterator[Problem]:
    """A card follows another of its deck, and not, over however many others, itself."""
    cards = [(loc, card, _text(card, "id")) for loc, card in items(root, "cards")]
    known = {card_id for _, _, card_id in cards if card_id is not None}
    before = {card_id: _text(card, "follows") for _, card, card_id in cards if card_id is not None}
    for loc, card, card_id in cards:
        followed = _text(card, "follows")
        if followed is None:
            continue
        place = (_line(card, "follows"), (*loc, "follows"))
        if followed not in known:
            yield Problem(*place, f'there is no card "{followed}" in this deck: write the id of one')
            continue
        passed: set[str] = set()
        at: str | None = followed
        while at is not None and at != card_id and at not in passed:
            passed.add(at)
            at = before.get(at)
        if at == card_id:
            yield Problem(*place, f'"{followed}" follows this very card: take one of the two `follows` away')


def _claims(card_loc: Loc, card: Node) -> Iterator[Problem]:
    seen: dict[str, int] = {}
    for place, claim in items(card, "claims"):
        loc = card_loc + place
        claim_id = _text(claim, "id")
        if claim_id in seen:
            message = f'"{claim_id}" is already the id of the claim on line {seen[claim_id]}: give it another'
            yield Problem(_line(claim, "id"), (*loc, "id"), message)
        elif claim_id is not None:
            seen[claim_id] = _line(claim, "id")
        given: Any = claim.value
        if not {"formula", "measured", "why_not"} & given.keys():
            yield Problem(
                claim.line, loc, "needs `formula`, `measured` or `why_not`: say how the number can be checked"
            )
        for name in ("says", "correction"):
            stated = claim.child(name)
            if stated is not None:
                yield from _says((*loc, name), stated)
        if "correction" in given and "formula" not in given:
            yield Problem(
                _line(claim, "correction"),
                (*loc, "correction"),
                "needs a `formula` that gives the right value: nobody should have to believe it",
            )


def _says(loc: Loc, says: Node) -> Iterator[Problem]:
    if says.broken or not isinstance(says.value, dict):
        return
    given = says.value.keys() & {"value", "low", "high"}
    if given not in ({"value"}, {"low", "high"}):
        yield Problem(says.line, loc, "needs either `value`, or `low` and `high`")
    low, high = _number(says, "low"), _number(says, "high")
    if low is not None and high is not None and low >= high:
        yield Problem(
            says.line, loc, "has a `low` that is not below its `high`: exchange them, or write `value`"
        )


def _number(node: Node, name: str) -> float | None:
    text = _text(node, name)
    try:
        return float(text) if text is not None else None
    except ValueError:
        return None  # the shape's check says so at the field itself


def _repeated(card_loc: Loc, card: Node) -> Iterator[Problem]:
    """The same topic, lesson or lab link twice says nothing and is a slip."""
    for name in ("topics", "lessons"):
        listed = card.child(name)
        if listed is None or not isinstance(listed.value, list):
            continue
        seen: set[str] = set()
        for index, item in enumerate(listed.value):
            if isinstance(item.value, str):
                if item.value in seen:
                    yield Problem(item.line, (*card_loc, name, index), f'"{item.value}" stands here twice')
                seen.add(item.value)
