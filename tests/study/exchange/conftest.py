"""Two machines of one learner."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.study.exchange.machines import Machine, machine


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Machine]:
    made = machine(tmp_path / "here")
    yield made
    made.store.close()


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Machine]:
    made = machine(tmp_path / "there", first_nonce=100_000, steps="3m 15m 1d")
    yield made
    made.store.close()
