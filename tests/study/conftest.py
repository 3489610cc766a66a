"""A desk on a real database, and small decks."""

from __future__ import annotations

import pytest

from engine.store import Store
from engine.study.desk import Desk


@pytest.fixture
def desk(store: Store) -> Desk:
    return Desk(store)
