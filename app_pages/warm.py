"""Makes the first page ready before anybody asks for it: imports, database, decks, and the first cards."""

from __future__ import annotations

import gc
import logging

from streamlit.string_util import is_emoji

from app_pages import context
from app_pages.review_card import payload
from app_pages.words import catalogue
from engine.claims import as_if
from engine.faults import BenchcardsError

LOG = logging.getLogger(__name__)


def up() -> None:
    """Opens the house and reads decks and words. A fault is logged; the page meets it again and shows it."""
    as_if.here()
    try:
        library = context.library()
        titles = {deck.id: deck.title for deck in library.decks}
        faces = context.faces()
        for item in context.desk().queue(context.now(), "UTC", size=payload.AHEAD).items:
            card = library.by_id.get(item.card_id)
            if card is not None:
                faces.of(card, titles[card.deck])
    except BenchcardsError as error:
        LOG.warning("Not ready yet: %s", error)
    for language in context.LANGUAGES:
        catalogue(language)
    is_emoji("📇")  # reads Streamlit's list, which the page's icon needs
    gc.freeze()  # what is loaded by now stays: collections needn't look through it while cards are graded
