"""A real database, a small library, and interviews over both."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.interview.interviews import Interviews
from engine.store import Store
from engine.study.card import Library
from engine.study.desk import Desk
from tests.interview.an_interview import library_of


@pytest.fixture
def library() -> Library:
    return library_of(8)


@pytest.fixture
def interviews(store: Store, tmp_path: Path, library: Library) -> Interviews:
    Desk(store).sync(library)
    return Interviews(store, tmp_path)
