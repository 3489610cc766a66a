"""Any two logs: out and in without loss, twice as once, and in either order to the same states."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.store.tables import card_states, reviews, undos
from tests.study.exchange.machines import Machine, machine, study

SITTING = st.text(alphabet="1234uhd", max_size=14)
FEW = settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@contextmanager
def machines(*first_nonces: int) -> Iterator[list[Machine]]:
    with tempfile.TemporaryDirectory() as home:
        made = [machine(Path(home) / str(nonce), first_nonce=nonce) for nonce in first_nonces]
        try:
            yield made
        finally:
            for each in made:
                each.store.close()


@FEW
@given(SITTING, st.sampled_from(["json", "csv"]))
def test_out_and_into_an_empty_store_is_the_same_and_twice_is_as_once(sitting: str, format: str) -> None:
    with machines(0, 1000) as (here, fresh):
        study(here, sitting)
        fresh.take(here.export(format))
        for table in (reviews, undos, card_states):
            assert fresh.rows(table) == here.rows(table)
        assert not fresh.take(here.export(format)).changes
        assert fresh.export() == here.export()


@FEW
@given(SITTING, SITTING, SITTING, SITTING)
def test_two_machines_that_merge_twice_agree(one: str, two: str, later_one: str, later_two: str) -> None:
    with machines(0, 1000) as (here, there):
        for sittings in ((one, two), (later_one, later_two)):
            for at, sitting in zip((here, there), sittings, strict=True):
                study(at, sitting)
            ours, theirs = here.export(), there.export("csv")
            here.take(theirs)
            there.take(ours)
            assert here.states() == there.states()
            before = here.states()
            here.learner.desk.recompute_all()
            assert here.states() == before
        assert len(here.rows(reviews)) == len(there.rows(reviews))
        assert len(here.rows(undos)) == len(there.rows(undos))
