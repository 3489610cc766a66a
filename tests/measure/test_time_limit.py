"""The learner's time limit for labs."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.measure import time_limit
from engine.measure.fault import MeasureError
from engine.store import FILE_NAME, open_store
from engine.study import settings


def test_a_time_limit_is_kept_until_it_is_taken_back(tmp_path: Path) -> None:
    store = open_store(tmp_path / FILE_NAME)
    assert time_limit.load(store) is None
    time_limit.save(store, 5)
    settings.save(store, {"new_per_day": 3})
    assert time_limit.load(store) == 5
    time_limit.save(store, None)
    assert time_limit.load(store) is None
    store.close()


@pytest.mark.parametrize("minutes", [0, -1, 1.5, 24 * 60 + 1])
def test_a_time_limit_out_of_range_is_refused_and_nothing_kept(tmp_path: Path, minutes: float) -> None:
    store = open_store(tmp_path / FILE_NAME)
    with pytest.raises(MeasureError, match="from 1 to 1440"):
        time_limit.save(store, minutes)
    assert time_limit.load(store) is None
    store.close()
