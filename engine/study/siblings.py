"""Cards of one family, a question and those that follow it up, come on different days.

One of them waits till the next study day where another was answered today, and where one that is asked
before it comes today. Nothing is written: taking the answer back brings the sibling back.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import ColumnElement, Connection, and_, exists, or_, select

from engine.store.change_tables import card_families
from engine.store.tables import card_states, cards, reviews
from engine.study import card_flags, review_log


def any_families(connection: Connection) -> bool:
    """Whether any deck has cards that follow others."""
    return connection.execute(select(card_families.c.card_id).limit(1)).first() is not None


def apart(card_id: ColumnElement[str], day: str, *, new: bool) -> ColumnElement[bool]:
    """The condition that the card of a column waits for a sibling. new: the card was never answered."""
    me, other = card_families.alias("me"), card_families.alias("sibling")
    answered = exists().where(
        reviews.c.card_id == other.c.card_id, reviews.c.study_day == day, review_log.counts()
    )
    free = and_(
        ~card_flags.suspended(other.c.card_id),
        ~card_flags.buried(other.c.card_id, day),
        exists().where(cards.c.id == other.c.card_id, cards.c.present.is_(True)),
    )
    states = card_states.alias("of_sibling")
    comes: ColumnElement[bool] = exists().where(
        states.c.card_id == other.c.card_id, states.c.phase == "review", states.c.due_day <= day
    )
    if new:
        held = cards.alias("sibling_card")
        fresh = exists().where(held.c.id == other.c.card_id, held.c.started.is_(False))
        comes = or_(comes, fresh)
    return exists().where(
        me.c.card_id == card_id,
        other.c.family == me.c.family,
        other.c.card_id != me.c.card_id,
        or_(answered, and_(other.c.place < me.c.place, free, comes)),
    )


def once(connection: Connection, card_ids: Collection[str]) -> set[str]:
    """Those of the cards that are not the first of their family among them, in the order given."""
    query = select(card_families.c.card_id, card_families.c.family)
    query = query.where(card_families.c.card_id.in_(list(card_ids)))
    family_of = {row.card_id: row.family for row in connection.execute(query)}
    seen: set[str] = set()
    later: set[str] = set()
    for card_id in card_ids:
        family = family_of.get(card_id)
        if family in seen:
            later.add(card_id)
        elif family is not None:
            seen.add(family)
    return later
