"""The index of the cards that decks hold now: which there are, and in which order new ones come."""

from __future__ import annotations

import hashlib
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from engine.store.tables import card_states, cards, settings
from engine.study.card import Library

FINGERPRINT_KEY = "decks.fingerprint"
_PRIORITIES = {"high": 0, "normal": 1}


def rows_of(library: Library) -> list[dict[str, Any]]:
    """One row a card: those of high priority first, then decks and cards in their order."""
    ordered = sorted(
        (card for deck in library.decks for card in deck.cards), key=lambda card: _PRIORITIES[card.priority]
    )
    return [
        {"id": card.id, "deck": card.deck, "position": position, "language": card.language}
        for position, card in enumerate(ordered)
    ]


def fingerprint_of(rows: list[dict[str, Any]]) -> str:
    """Equal where the index would be equal."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(f"{row['id']}\0{row['deck']}\0{row['language']}\n".encode())
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
        connection.execute(
            insert(cards), [{**row, "present": True, "started": row["id"] in started} for row in added]
        )
    connection.execute(delete(settings).where(settings.c.key == FINGERPRINT_KEY))
    connection.execute(insert(settings), {"key": FINGERPRINT_KEY, "value": fingerprint_of(rows)})
