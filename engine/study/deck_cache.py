"""Parsed decks kept as JSON, so that a warm start reads them without PyYAML and pydantic.

An entry is good for one content of one file read by one state of this loader's sources: all three are
hashed into its key, so a stale entry can't be used, whatever a file's time stamp says. Entries are replaced
whole (write beside, then rename), so two programs may write at once. An entry that can't be read counts as
absent.
"""

from __future__ import annotations

import hashlib
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

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
from engine.study.parsed_deck import Mention, ParsedDeck
from engine.whole_file import write_whole

_SOURCES = (
    "card.py",
    "deck_bytes.py",
    "deck_cache.py",
    "deck_checks.py",
    "deck_messages.py",
    "deck_node.py",
    "deck_parse.py",
    "deck_schema.py",
    "deck_syntax.py",
    "deck_tree.py",
    "parsed_deck.py",
)


@cache
def _loader_version() -> str:
    digest = hashlib.sha256()
    for name in _SOURCES:
        digest.update(Path(__file__).with_name(name).read_bytes())
    return digest.hexdigest()


class DeckCache:
    """Parsed decks in `folder`, one JSON file for each deck file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, file: str, raw: bytes) -> ParsedDeck | None:
        """The parsed deck of exactly this content, if it is there."""
        try:
            stored = json.loads(self._entry(file).read_bytes())
            if stored["key"] != _key(file, raw):
                return None
            return _decode(stored["parsed"], file)
        except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
            return None  # absent or damaged: the deck is read anew and the entry replaced

    def put(self, file: str, raw: bytes, parsed: ParsedDeck) -> None:
        """Keep `parsed`. A cache that can't be written costs time at the next start and nothing else."""
        content = json.dumps(
            {"key": _key(file, raw), "parsed": _encode(parsed)}, ensure_ascii=False, separators=(",", ":")
        )
        entry = self._entry(file)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_whole(entry, content.encode("utf-8"), durable=False)
        except OSError:
            return

    def _entry(self, file: str) -> Path:
        name = hashlib.sha256(os.path.abspath(file).encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return self._folder / f"{name}.json"


def _key(file: str, raw: bytes) -> list[str]:
    return [file, hashlib.sha256(raw).hexdigest(), _loader_version()]


def _encode(parsed: ParsedDeck) -> list[Any]:
    deck = parsed.deck
    return [
        None
        if deck is None
        else [
            deck.id,
            deck.title,
            deck.language,
            deck.description,
            [_encode_card(card) for card in deck.cards],
        ],
        [[fault.line, fault.field, fault.message] for fault in parsed.faults],
        parsed.deck_id,
        parsed.card_ids,
        parsed.labs,
    ]


def _encode_card(card: Card) -> list[Any]:
    return [
        card.id,
        card.deck,
        card.kind,
        card.title,
        card.language,
        card.prompt,
        [[point.heading, point.text] for point in card.answer],
        [card.source.document, card.source.section],
        card.priority,
        card.lessons,
        card.topics,
        card.key_figures,
        [[follow.prompt, follow.answer] for follow in card.follow_ups],
        card.pitfall,
        [[lab.name, lab.set] for lab in card.labs],
        [_encode_claim(claim) for claim in card.claims],
        card.line,
        card.follows,
    ]


def _encode_claim(claim: ClaimText) -> list[Any]:
    measured, correction = claim.measured, claim.correction
    return [
        claim.id,
        claim.label,
        _encode_says(claim.says),
        claim.formula,
        claim.model,
        claim.quantities,
        claim.tolerance,
        None if measured is None else [measured.lab, measured.metric, measured.labels],
        claim.why_not,
        None if correction is None else [_encode_says(correction.says), correction.reason],
        claim.line,
    ]


def _encode_says(says: Says) -> list[Any]:
    return [says.unit, says.value, says.low, says.high, says.on]


def _decode(stored: Any, file: str) -> ParsedDeck:
    deck, faults, deck_id, card_ids, labs = stored
    return ParsedDeck(
        deck=None
        if deck is None
        else Deck(
            id=deck[0],
            title=deck[1],
            language=deck[2],
            path=file,
            description=deck[3],
            cards=tuple([_decode_card(card, file) for card in deck[4]]),
        ),
        faults=tuple(Fault(file, *fault) for fault in faults),
        deck_id=None if deck_id is None else Mention(*deck_id),
        card_ids=tuple(map(Mention._make, card_ids)),
        labs=tuple(map(Mention._make, labs)),
    )


def _pairs(stored: Any) -> tuple[tuple[str, str], ...]:
    return tuple([(key, value) for key, value in stored])


def _decode_card(stored: Any, file: str) -> Card:
    (
        card_id,
        deck,
        kind,
        title,
        language,
        prompt,
        answer,
        source,
        priority,
        lessons,
        topics,
        key_figures,
        follow_ups,
        pitfall,
        labs,
        claims,
        line,
        follows,
    ) = stored
    return Card(
        card_id,
        deck,
        kind,
        title,
        language,
        prompt,
        tuple([Point(*point) for point in answer]),
        Source(*source),
        priority,
        tuple(lessons),
        tuple(topics),
        tuple(key_figures),
        tuple([FollowUp(*follow) for follow in follow_ups]),
        pitfall,
        tuple([LabLink(name, _pairs(levers)) for name, levers in labs]),
        tuple([_decode_claim(claim) for claim in claims]),
        file,
        line,
        follows,
    )


def _decode_claim(stored: Any) -> ClaimText:
    claim_id, label, says, formula, model, quantities, tolerance, measured, why_not, right, line = stored
    return ClaimText(
        claim_id,
        label,
        Says(*says),
        formula,
        model,
        _pairs(quantities),
        tolerance,
        None if measured is None else MeasuredBy(measured[0], measured[1], _pairs(measured[2])),
        why_not,
        None if right is None else Correction(Says(*right[0]), right[1]),
        line,
    )
