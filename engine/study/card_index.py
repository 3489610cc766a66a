"""The index of the cards that decks hold now: which there are, in which order new ones come, their topics,
and which of them are siblings.
"""

from __future__ import annotations

import hashlib
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from engine.store.change_tables import card_families, card_topics
from engine.store.tables import card_states, cards, settings
from engine.study.card import Card, Library

FINGERPRINT_KEY = "decks.fingerprint"
_PRIORITIES = {"high": 0, "normal": 1}


def rows_of(library: Library) -> list[dict[str, Any]]:
    """One row a card: those of high priority first, then decks and cards in their order."""
    ordered = sorted(
        (card for deck in library.decks for card in deck.cards), key=lambda card: _PRIORITIES[card.priority]
    )
    families = families_of(ordered)
    return [
        {
            "id": card.id,
            "deck": card.deck,
            "position": position,
            "language": card.language,
            "topics": card.topics,
            "family": families.get(card.id),
        }
        for position, card in enumerate(ordered)
    ]


def families_of(cards_held: list[Card]) -> dict[str, tuple[str, int]]:
    """Of the cards that follow others or are followed: the first one's id, and how far they stand from it."""
    before = {card.id: card.follows for card in cards_held if card.follows is not None}
    found: dict[str, tuple[str, int]] = {}
    for card_id in {*before, *before.values()}:
        first, place = card_id, 0
        while first in before and place <= len(before):  # a deck in a circle is refused by its checks
            first, place = before[first], place + 1
        found[card_id] = (first, place)
    return found


def fingerprint_of(rows: list[dict[str, Any]]) -> str:
    """Equal where the index would be equal."""
    digest = hashlib.sha256()
    for row in rows:
        shown = (row["id"], row["deck"], row["language"], *row["topics"], row["family"])
        digest.update(repr(shown).encode())
    return digest.hexdigest()


def kept_fingerprint(connection: Connection) -> str | None:
    """The fingerprint of the index as it is."""
    query = select(settings.c.value).where(settings.c.key == FINGERPRINT_KEY)
    kept = connection.execute(query).scalar_one_or_none()
    return None if kept is None else str(kept)


def write(connection: Connection, rows: list[dict[str, Any]]) -> None:
    """Replaces the index. A card that no deck holds any more stays in it as not present."""
    known = set(connection.execute(select(cards.c.id)).scalars())
    started = set(
        connection.execute(select(card_states.c.card_id).where(card_states.c.phase != "new")).scalars()
    )
    connection.execute(update(cards).where(cards.c.present.is_(True)).values(present=False))
    changed = [row for row in rows if row["id"] in known]
    added = [row for row in rows if row["id"] not in known]
    if changed:
        by_id = update(cards).where(cards.c.id == bindparam("card")).values(present=True)
        connection.execute(
            by_id.values(deck=bindparam("of"), position=bindparam("place"), language=bindparam("speaks")),
            [
                {"card": row["id"], "of": row["deck"], "place": row["position"], "speaks": row["language"]}
                for row in changed
            ],
        )
    if added:
        columns = ("id", "deck", "position", "language")
        connection.execute(
            insert(cards),
            [
                {**{name: row[name] for name in columns}, "present": True, "started": row["id"] in started}
                for row in added
            ],
        )
    _write_labels(connection, rows)
    connection.execute(delete(settings).where(settings.c.key == FINGERPRINT_KEY))
    connection.execute(insert(settings), {"key": FINGERPRINT_KEY, "value": fingerprint_of(rows)})


def _write_labels(connection: Connection, rows: list[dict[str, Any]]) -> None:
    """Topics and families of the cards, in place of what was kept."""
    connection.execute(delete(card_topics))
    connection.execute(delete(card_families))
    topics = [{"card_id": row["id"], "topic": topic[:128]} for row in rows for topic in row["topics"]]
    if topics:
        connection.execute(insert(card_topics), topics)
    families = [
        {"card_id": row["id"], "family": row["family"][0], "place": row["family"][1]}
        for row in rows
        if row["family"] is not None
    ]
    if families:
        connection.execute(insert(card_families), families)
