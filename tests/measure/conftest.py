"""Runs in a data folder of their own, ended with the test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.measure.runs import Runs
from engine.store.store import Store
from tests.labs.helpers import ODD_LABS


@pytest.fixture
def odd_labs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHCARDS_LABS", str(ODD_LABS))


@pytest.fixture
def runs(store: Store, tmp_path: Path, odd_labs: None) -> Iterator[Runs]:
    opened = Runs(store, tmp_path, output_limit=4 * 1024 * 1024)
    yield opened
    opened.close()
