"""Anki itself, as a person uses it: a collection that takes packages in, is studied, and gives packages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anki.collection
from anki.collection import (
    Collection,
    ExportAnkiPackageOptions,
    ImportAnkiPackageOptions,
    ImportAnkiPackageRequest,
)


@contextmanager
def anki_at(folder: Path) -> Iterator[Collection]:
    """The collection in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    collection = Collection(str(folder / "collection.anki2"))
    try:
        yield collection
    finally:
        collection.close()


def take(collection: Collection, package: bytes, folder: Path) -> anki.collection.ImportLogWithChanges.Log:
    """What *Import* does there."""
    path = folder / "taken.apkg"
    path.write_bytes(package)
    options = ImportAnkiPackageOptions(with_scheduling=True, with_deck_configs=True)
    return collection.import_anki_package(
        ImportAnkiPackageRequest(package_path=str(path), options=options)
    ).log


def give(collection: Collection, folder: Path) -> bytes:
    """What *Export* with scheduling gives."""
    path = folder / "given.apkg"
    options = ExportAnkiPackageOptions(with_scheduling=True, with_deck_configs=True, with_media=True)
    collection.export_anki_package(out_path=str(path), options=options, limit=None)
    return path.read_bytes()
