"""Predictions for any GPU of the table: the choice is kept, and this machine is what it starts with."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import insert

from engine.claims import as_if
from engine.claims.fault import ClaimsError
from engine.claims.sources import chosen_hardware, this_hardware
from engine.measure.specs import spec
from engine.store import Store
from engine.store.tables import settings

ASKED_FOR = (
    *("t4", "a10", "l4", "a100-40", "a100-80", "h100-sxm", "h100-pcie", "h100-nvl", "h200", "b200"),
    *("rtx-3090", "rtx-4090", "rtx-5090", "mi300x"),
)


def test_predictions_are_for_this_machine_until_a_gpu_is_picked(store: Store, tmp_path: Path) -> None:
    assert as_if.load(store) is None
    assert chosen_hardware(as_if.load(store), tmp_path) == this_hardware(tmp_path)
    as_if.save(store, "b200")
    assert as_if.load(store) == "b200"
    found = chosen_hardware(as_if.load(store), tmp_path)
    assert (found.key, found.quantities["memory_bandwidth"]) == ("b200", (8e12, "B/s"))
    as_if.save(store, None)
    assert chosen_hardware(as_if.load(store), tmp_path) == this_hardware(tmp_path)


def test_a_gpu_that_the_table_lacks_is_refused_and_a_kept_one_that_left_it_counts_as_none(
    store: Store,
) -> None:
    with pytest.raises(ClaimsError, match="there is no 'voodoo-2'"):
        as_if.save(store, "voodoo-2")
    with store.begin() as connection:
        connection.execute(insert(settings), {"key": "as_if_gpu", "value": "voodoo-2"})
    assert as_if.load(store) is None


@pytest.mark.parametrize("key", ASKED_FOR)
def test_every_gpu_that_learners_ask_for_can_be_picked_and_has_a_dated_source(key: str) -> None:
    row = spec(key)
    assert row is not None
    assert any(f"{year}" in row.source for year in range(2018, 2027)), row.source


def test_every_gpu_of_the_table_is_offered_once_the_usual_ones_first() -> None:
    offered = as_if.choices()
    assert offered[: len(ASKED_FOR)] == ASKED_FOR
    assert len(set(offered)) == len(offered) >= 30
