"""The claims of each deck counted: what a formula checks, what a lab measured, what nothing can, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.claims.evidence import EvidenceRow
from engine.study.card import ClaimText, Library, Says


@dataclass(frozen=True, slots=True)
class Named:
    """A claim in a list: what its card says, and why it stands there."""

    card: str
    claim: str
    says: str
    why: str


@dataclass(frozen=True, slots=True)
class DeckOverview:
    """A deck's claims. `with_lab`: a lab measures them; `measured`: there is a result, here or recorded.

    corrected: figures of the document that don't follow from its own inputs, with the right ones.
    unchecked: claims that neither a formula nor a lab can check, with the reason.
    """

    deck: str
    claims: int
    with_formula: int
    with_lab: int
    measured: int
    corrected: tuple[Named, ...]
    unchecked: tuple[Named, ...]


def overview(library: Library, rows: Iterable[EvidenceRow]) -> tuple[DeckOverview, ...]:
    """One entry for each deck of the library that has claims, in its order."""
    by_deck: dict[str, list[EvidenceRow]] = {deck.id: [] for deck in library.decks}
    for row in rows:
        by_deck.setdefault(row.card.deck, []).append(row)
    return tuple(_of_deck(deck, found) for deck, found in by_deck.items() if found)


def can_be_checked(claim: ClaimText) -> bool:
    """Whether a formula gives the figure or a lab measures it."""
    return claim.formula is not None or claim.measured is not None


def shown(says: Says) -> str:
    """What a card says, in figures: "4.8 ms", "300-400"."""
    value = f"{says.value:g}" if says.value is not None else f"{says.low:g}-{says.high:g}"
    return f"{value} {says.unit}".strip()


def _of_deck(deck: str, rows: list[EvidenceRow]) -> DeckOverview:
    claims = [row.claim for row in rows]
    return DeckOverview(
        deck=deck,
        claims=len(claims),
        with_formula=sum(claim.formula is not None for claim in claims),
        with_lab=sum(claim.measured is not None for claim in claims),
        measured=sum(row.measured is not None for row in rows),
        corrected=tuple(
            Named(row.card.id, row.claim.id, shown(row.claim.says), f"{shown(right.says)}: {right.reason}")
            for row in rows
            if (right := row.claim.correction) is not None
        ),
        unchecked=tuple(
            Named(row.card.id, row.claim.id, shown(row.claim.says), row.claim.why_not or "")
            for row in rows
            if not can_be_checked(row.claim)
        ),
    )
