"""Labs that misbehave, found as people's own labs are."""

from __future__ import annotations

import pytest

from tests.labs.helpers import ODD_LABS


@pytest.fixture
def odd_labs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHCARDS_LABS", str(ODD_LABS))
