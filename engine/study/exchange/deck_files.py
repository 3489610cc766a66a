"""Deck files put into the learner's folder all at once, and taken out again where the import fails."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from engine.study.exchange.faults import ExchangeFault
from engine.study.exchange.records import DeckRecord


@contextmanager
def placed(folder: Path, decks: Sequence[DeckRecord]) -> Iterator[None]:
    """Writes the decks; where the body raises, the folder is as it was before. Raises ExchangeFault."""
    before: dict[Path, bytes | None] = {}
    try:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for deck in decks:
                path = folder / deck.file
                before[path] = path.read_bytes() if path.exists() else None
                _write(path, deck.text.encode("utf-8"))
        except OSError as error:
            raise ExchangeFault(
                str(error.filename or folder),
                "",
                f"can't be written ({error.strerror}): make room or allow it",
            ) from error
        yield
    except BaseException:
        for path, content in before.items():
            if content is None:
                path.unlink(missing_ok=True)
            else:
                _write(path, content)
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
