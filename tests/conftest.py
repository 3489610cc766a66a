"""What tests of every room share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.store import Store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A database of the test's own, with the newest schema."""
    opened = open_store(tmp_path / "benchcards.db")
    yield opened
    opened.close()
