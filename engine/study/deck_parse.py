"""One deck file from bytes to cards, or to its faults."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pydantic import ValidationError

from engine.study import deck_schema as shape
from engine.study.card import (
    Card,
    ClaimText,
    Correction,
    Deck,
    Fault,
    FollowUp,
    LabLink,
    MeasuredBy,
    Point,
    Says,
    Source,
)
from engine.study.deck_bytes import decode
from engine.study.deck_checks import items, rule_problems
from engine.study.deck_messages import problems as shape_problems
from engine.study.deck_node import Loc, Node, Problem, field_path, locate
from engine.study.deck_syntax import read
from engine.study.parsed_deck import Mention, ParsedDeck

MAX_FAULTS = 500


def parse_deck(raw: bytes, file: str) -> ParsedDeck:
    """Read `raw` as the deck file that messages call `file`. Never raises for what `raw` holds."""
    content = decode(raw)
    if content.text is None:
        return ParsedDeck(None, _faults(file, content.problems, None))
    reading = read(content.text)
    root = reading.root
    found = [*content.problems, *reading.problems]
    if root is None:
        if not found:
            found.append(Problem(1, (), "is empty: a deck begins with `deck:`, see cards/README.md"))
        return ParsedDeck(None, _faults(file, found, None))
    if root.broken:
        return ParsedDeck(None, _faults(file, found, root))
    if not isinstance(root.value, dict):
        found.append(Problem(root.line, (), "must begin with `deck:` and `cards:`, see cards/README.md"))
        return ParsedDeck(None, _faults(file, found, root))
    model: shape.DeckFileShape | None = None
    try:
        model = shape.DeckFileShape.model_validate(root.plain())
    except ValidationError as error:
        found.extend(shape_problems(error.errors(include_url=False), root))
    found.extend(rule_problems(root))
    deck = _deck(model, file, root) if model is not None and not found else None
    return ParsedDeck(
        deck,
        _faults(file, found, root),
        deck_id=_mention(root, ("deck", "id")),
        card_ids=tuple(_card_ids(root)),
        labs=tuple(_labs(root)),
    )


def _faults(file: str, found: Iterable[Problem], root: Node | None) -> tuple[Fault, ...]:
    """In order of line, each once; where only the line is known, the field that stands there is looked up."""
    seen: dict[tuple[int, str, str], None] = {}
    for problem in found:
        loc = locate(root, problem.line) if problem.loc is None else problem.loc
        seen[problem.line, field_path(loc), problem.message] = None
    ordered = sorted(seen, key=lambda entry: entry[0])
    faults = [Fault(file, *entry) for entry in ordered[:MAX_FAULTS]]
    if len(ordered) > MAX_FAULTS:
        rest = len(ordered) - MAX_FAULTS
        faults.append(
            Fault(file, ordered[MAX_FAULTS][0], field_path(()), f"has {rest} more faults from here on")
        )
    return tuple(faults)


def _at(root: Node, loc: Loc) -> Node | None:
    node: Node | None = root
    for step in loc:
        node = node.child(step) if node is not None else None
    return node


def _mention(root: Node, loc: Loc) -> Mention | None:
    node = _at(root, loc)
    if node is None or node.broken or not isinstance(node.value, str) or not node.value:
        return None
    return Mention(node.value, field_path(loc), node.line)


def _card_ids(root: Node) -> Iterator[Mention]:
    for loc, _ in items(root, "cards"):
        mention = _mention(root, (*loc, "id"))
        if mention is not None:
            yield mention


def _labs(root: Node) -> Iterator[Mention]:
    """Every lab's name in the deck: on the card and in its claims."""
    for loc, card in items(root, "cards"):
        linked = card.child("labs")
        count = len(linked.value) if linked is not None and isinstance(linked.value, list) else 0
        places: list[Loc] = []
        for index in range(count):
            link: Loc = (*loc, "labs", index)
            places += [link, (*link, "name")]
        places += [(*loc, *claim, "measured", "lab") for claim, _ in items(card, "claims")]
        for place in places:
            mention = _mention(root, place)
            if mention is not None and re.match(shape.NAME, mention.name):
                yield mention


def _deck(model: shape.DeckFileShape, file: str, root: Node) -> Deck:
    header = model.deck
    nodes = [card for _, card in items(root, "cards")]
    return Deck(
        id=header.id,
        title=header.title,
        language=header.language,
        path=file,
        description=header.description or "",
        cards=tuple(_card(card, header, file, node) for card, node in zip(model.cards, nodes, strict=True)),
    )


def _card(card: shape.CardShape, header: shape.DeckShape, file: str, node: Node) -> Card:
    source = card.source
    lines = [claim.line for _, claim in items(node, "claims")]
    document = (source.document if source is not None else None) or header.document or header.title
    return Card(
        id=card.id,
        deck=header.id,
        kind=card.kind,
        title=card.title,
        language=card.language or header.language,
        prompt=card.prompt,
        answer=tuple(Point(point.heading, point.text) for point in card.answer),
        source=Source(document, source.section if source is not None else ""),
        priority=card.priority,
        lessons=tuple(card.lessons),
        topics=tuple(card.topics),
        key_figures=tuple(card.key_figures),
        follow_ups=tuple(FollowUp(follow.prompt, follow.answer) for follow in card.follow_ups),
        pitfall=card.pitfall,
        labs=tuple(LabLink(lab.name, tuple(lab.set.items())) for lab in card.labs),
        claims=tuple(
            _claim(claim, header.quantities, line) for claim, line in zip(card.claims, lines, strict=True)
        ),
        file=file,
        line=node.line,
        follows=card.follows,
    )


def _claim(claim: shape.ClaimShape, shared: dict[str, str], line: int) -> ClaimText:
    says, measured, correction = claim.says, claim.measured, claim.correction
    return ClaimText(
        id=claim.id,
        label=claim.label,
        says=Says(unit=says.unit, value=says.value, low=says.low, high=says.high, on=says.on),
        formula=claim.formula,
        model=claim.model,
        quantities=_quantities(claim, shared),
        tolerance=claim.tolerance,
        measured=MeasuredBy(measured.lab, measured.metric, tuple(measured.labels.items()))
        if measured
        else None,
        why_not=claim.why_not,
        correction=None if correction is None else _correction(correction, says),
        line=line,
    )


def _correction(correction: shape.CorrectionShape, says: shape.SaysShape) -> Correction:
    unit = says.unit if correction.unit is None else correction.unit
    right = Says(unit=unit, value=correction.value, low=correction.low, high=correction.high, on=says.on)
    return Correction(right, correction.reason)


def _quantities(claim: shape.ClaimShape, shared: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """The claim's own quantities, and those of the deck that its formula or another quantity names."""
    found = dict(claim.quantities)
    texts = [claim.formula or "", *found.values()]
    while texts:
        for name in re.findall(r"[a-z][a-z0-9_]*", texts.pop()):
            if name in shared and name not in found:
                found[name] = shared[name]
                texts.append(shared[name])
    return tuple(found.items())
