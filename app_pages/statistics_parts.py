"""The work and the recall of each deck and topic, as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from html import escape

import numpy as np
from numpy.typing import NDArray

from app_pages.graphs.figure import plain_table
from app_pages.statistics_view import View, recall
from engine.study import statistics
from engine.study.card import Library
from engine.study.log_columns import Log
from engine.study.search.index import SearchIndex, index_of


def parts_table(view: View, library: Library) -> str:
    """Decks and topics: answers, minutes and recall in the period."""
    log, index = view.log, index_of(library)
    places = _places(log, index)
    if view.since is not None:
        log = log.where(log.columns.day >= statistics.day_number(view.since))
    titles = Counter(deck.title for deck in library.decks)
    named = {
        deck.id: f"{deck.title} ({deck.id})" if titles[deck.title] > 1 else deck.title
        for deck in library.decks
    }
    decks = {named.get(deck, deck): places[cards] for deck, cards in index.labelled("deck").items()}
    topics = {topic: places[cards] for topic, cards in index.labelled("topic").items()}
    tables = []
    for name, held in (("deck", decks), ("topic", topics)):
        answered = {part: of[of >= 0] for part, of in held.items()}
        tables.append(_table(view, name, statistics.by_part(log, answered)))
    return f'<div class="graphs">{"".join(tables)}</div>'


@lru_cache(maxsize=2)  # both stay as they are from one view of a page to the next
def _places(log: Log, index: SearchIndex) -> NDArray[np.int64]:
    """Each card's place in `log.cards`, by its position in the library; below 0 where it has no answer."""
    position = index.position
    held = [position.get(card, len(position)) for card in log.cards]
    places = np.full(len(position) + 1, -1)
    places[held] = np.arange(len(held))
    return places[:-1]  # without the last, of cards that no deck holds any more


def _table(view: View, name: str, parts: Sequence[statistics.Part]) -> str:
    heads = [view.say(f"statistics.parts.{head}") for head in (name, "answers", "minutes", "retention")]
    rows = [
        (part.name, view.number(part.answers), view.number(part.minutes), recall(view, part.retention.both))
        for part in parts
    ]
    label = escape(view.say(f"statistics.parts.{name}"))
    table = plain_table(heads, rows)
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">{table}</div>'
