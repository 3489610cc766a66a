"""The decks that come with the app can all be used."""

from __future__ import annotations

from pathlib import Path

from engine.lab_names import lab_names
from engine.study.library import load_library

CARDS = Path(__file__).resolve().parents[2] / "cards"


def test_the_committed_decks_have_no_faults() -> None:
    library = load_library([CARDS], lab_names=lab_names(), cache=None)
    assert not library.faults, "\n".join(map(str, library.faults))


def test_every_committed_card_says_where_it_comes_from() -> None:
    library = load_library([CARDS], lab_names=None, cache=None)
    silent = [card.id for card in library.by_id.values() if not card.source.section]
    assert silent == []
