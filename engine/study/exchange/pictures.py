"""The pictures beside the learner's own decks: out with the decks, and in where none has their name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from engine.study import pictures
from engine.study.exchange.records import PictureRecord


def own_pictures(decks: Path) -> tuple[PictureRecord, ...]:
    """Those of the folder of decks, in order of name. What a card can't show stays where it is."""
    folder = decks / pictures.FOLDER
    found = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        content = pictures.read(decks, path.name)
        if content is not None:
            found.append(PictureRecord(file=path.name, content=content))
    return tuple(found)


def new_here(decks: Path, coming: Sequence[PictureRecord]) -> tuple[PictureRecord, ...]:
    """Those whose name is free. One that is taken stays: pictures of ours are named by their content."""
    return tuple(each for each in coming if not os.path.lexists(decks / pictures.FOLDER / each.file))
