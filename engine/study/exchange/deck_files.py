"""Deck files put into the learner's folder all at once, and taken out again where the import fails."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from engine.study.exchange.faults import ExchangeFault
from engine.study.exchange.records import DeckRecord, PictureRecord
from engine.study.pictures import FOLDER


@contextmanager
def placed(
    folder: Path, decks: Sequence[DeckRecord], pictures: Sequence[PictureRecord] = ()
) -> Iterator[None]:
    """Writes the decks and their pictures; where the body raises, the folder is as it was before.

    Raises ExchangeFault.
    """
    before: dict[Path, bytes | None] = {}
    try:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # pictures first: whoever reads a deck meanwhile finds what its cards show
            contents = {folder / FOLDER / picture.file: picture.content for picture in pictures}
            contents |= {folder / deck.file: deck.text.encode("utf-8") for deck in decks}
            for path, content in contents.items():
                path.parent.mkdir(exist_ok=True)
                before[path] = path.read_bytes() if path.exists() else None
                _write(path, content)
        except OSError as error:
            raise ExchangeFault(
                str(error.filename or folder),
                "",
                f"can't be written ({error.strerror}): make room or allow it",
            ) from error
        yield
    except BaseException:
        for path, was in before.items():
            if was is None:
                path.unlink(missing_ok=True)
            else:
                _write(path, was)
        raise


def _write(path: Path, content: bytes) -> None:
    """The whole file or none of it, whoever reads at the same time."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".import-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
