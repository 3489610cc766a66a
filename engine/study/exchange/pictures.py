"""The pictures beside the learner's own decks: out with the decks, and in where none has their name."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from engine.study.exchange.records import PictureRecord
from engine.study.own_cards import LARGEST_PICTURE, PICTURES

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,150}\.(svg|png)")
"""What a card may show, and a name that every system takes."""


def own_pictures(decks: Path) -> tuple[PictureRecord, ...]:
    """Those of the folder of decks, in order of name. What a card can't show stays where it is."""
    folder = decks / PICTURES
    found = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if NAME.fullmatch(path.name) and path.is_file() and path.stat().st_size <= LARGEST_PICTURE:
            found.append(PictureRecord(file=path.name, content=path.read_bytes()))
    return tuple(found)


def new_here(decks: Path, pictures: Sequence[PictureRecord]) -> tuple[PictureRecord, ...]:
    """Those whose name is free. One that is taken stays: pictures of ours are named by their content."""
    return tuple(each for each in pictures if not os.path.lexists(decks / PICTURES / each.file))
