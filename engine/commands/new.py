"""`python -m engine new [SORT] [--deck ID] [--title TEXT] [--language vi|zh|en]`: a card to begin with."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import get_args

from engine.commands.check import default_library
from engine.folders import data_folder
from engine.lab_names import lab_names
from engine.study import deck_edit
from engine.study.card import Language
from engine.study.library import own_decks_folder
from engine.study.templates import TEMPLATES, template


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sort", metavar="SORT", nargs="?", choices=TEMPLATES, default="question", help=", ".join(TEMPLATES)
    )
    parser.add_argument("--deck", metavar="ID", default="my-deck", help="your deck, made where it is missing")
    parser.add_argument("--title", metavar="TEXT", help="the card's title; its id is made from it")
    parser.add_argument("--language", choices=get_args(Language), help="default: the deck's, else en")
    parser.add_argument("--json", action="store_true", help="write one JSON object instead of a line")


def run(arguments: argparse.Namespace) -> int:
    """0: written, and its place is on standard output; 1: it can't be; 2: the deck's id is none."""
    deck_id: str = arguments.deck
    if deck_edit.slug(deck_id) != deck_id:
        print(f"--deck: {deck_id!r} must be lowercase letters, digits and single hyphens", file=sys.stderr)
        return 2
    own = own_decks_folder(data_folder())
    labs = lab_names()
    library = default_library(lab_names=labs)
    deck = next((each for each in library.decks if each.id == deck_id), None)
    language: Language = arguments.language or (deck.language if deck is not None else "en")
    text = template(
        arguments.sort, language, deck_id=deck_id, taken=library.by_id.keys(), title=arguments.title
    )
    path = Path(deck.path if deck is not None else own / f"{deck_id}.yaml")
    if deck is None and os.path.lexists(path):
        raise deck_edit.DeckMoved(f"{path}: has faults: `python -m engine check` says which")
    if deck is None:
        whole = deck_edit.deck_of_text(deck_edit.NewDeck(deck_id, deck_id, language), text)
        _, faults = deck_edit.faults_of(whole, path, library, lab_names=labs)
        if faults:
            raise deck_edit.DeckRefused(faults)
        deck_edit.make(path, whole)
    else:
        opened = deck_edit.open_deck(path, own)
        whole = deck_edit.with_new_card_text(opened.text, text)
        path = deck_edit.save(opened, whole, library, lab_names=labs).path
    line = whole[: whole.rindex(text.split("\n", 1)[0])].count("\n") + 1
    if arguments.json:
        card_id = text.split()[1]
        print(json.dumps({"file": str(path), "line": line, "card": card_id}, ensure_ascii=False))
    else:
        print(f"{path}:{line}")
    return 0
