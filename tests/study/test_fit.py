"""A fit finds the memory that made a log where it can, and offers only what foretells better."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from fsrs.scheduler import DEFAULT_PARAMETERS
from sqlalchemy import select

from engine.commands.fit import lines
from engine.folders import project_folder
from engine.store import FILE_NAME, Store, open_store
from engine.store.schedule_tables import schedule_changes as kept
from engine.study import schedule_changes, schedule_plan
from engine.study.card_state import CardState
from engine.study.fit import DIGITS, Fit, NotEnough, fit
from engine.study.fit_data import histories
from engine.study.fit_process import fit_in_process
from engine.study.log_columns import KINDS, Log, read_log
from engine.study.schedule import SchedulerParams, retrievability
from engine.study.settings import load
from engine.study.statistics import losses
from engine.study.study_day import study_day
from tests.study.generated import FORGETFUL, generated, put


@pytest.fixture(scope="module")
def other_memory(tmp_path_factory: pytest.TempPathFactory) -> Log:
    """3,000 answers of a memory that the defaults foretell badly."""
    store = open_store(tmp_path_factory.mktemp("other") / FILE_NAME)
    put(store, generated(3000))
    log = read_log(store, None)
    store.close()
    return log


def test_the_fitted_parameters_foretell_held_back_reviews_better_than_the_defaults(other_memory: Log) -> None:
    found = fit(other_memory)
    assert isinstance(found, Fit)
    assert found.verdict == "better"
    assert found.own.log_loss < found.default.log_loss == found.in_use.log_loss
    assert found.gain == pytest.approx(found.in_use.log_loss - found.own.log_loss)
    assert found.gain > found.gain_error > 0
    of = histories(other_memory)
    split = np.sort(of.at[of.counted])[found.fitted]
    late = of.counted & (of.at >= split)
    truth = losses(of.predicted(FORGETFUL)[late], (of.rating > 1)[late]).mean()
    assert found.own.log_loss < truth * 1.02
    assert int(late.sum()) == found.held_back
    assert found.parameters == tuple(round(each, DIGITS) for each in found.parameters)
    schedule_plan.check("parameters", found.to_change(), "")


def test_parameters_already_in_use_are_not_offered_again(other_memory: Log) -> None:
    first = fit(other_memory)
    assert isinstance(first, Fit)
    again = fit(other_memory, first.parameters)
    assert isinstance(again, Fit)
    assert (again.verdict, again.gain) == ("same", 0.0)
    worse = fit(other_memory, FORGETFUL)
    assert isinstance(worse, Fit)
    assert worse.verdict in ("same", "worse")


def test_the_reviews_held_back_take_no_part_in_the_fit(other_memory: Log) -> None:
    """With their outcomes turned round, the fitted parameters stay what they were."""
    found = fit(other_memory)
    assert isinstance(found, Fit)
    of = histories(other_memory)
    split = np.sort(of.at[of.counted])[found.fitted]
    rating = other_memory.columns.rating.copy()
    late = other_memory.columns.at >= split
    rating[late] = np.where(rating[late] == 1, 3, 1)
    turned = replace(other_memory, columns=replace(other_memory.columns, rating=rating))
    again = fit(turned)
    assert isinstance(again, Fit)
    assert again.parameters == found.parameters
    assert again.own.log_loss > found.own.log_loss


def test_a_memory_that_is_as_the_defaults_say_is_left_alone_or_hardly_changed(store: Store) -> None:
    put(store, generated(3000, DEFAULT_PARAMETERS, seed=3))
    found = fit(read_log(store, None))
    assert isinstance(found, Fit)
    assert abs(found.gain) < 0.02


def test_too_few_reviews_are_said_to_be_too_few(store: Store) -> None:
    none = fit(read_log(store, None))
    assert none == NotEnough(0, 500, 0)
    assert lines(none, applied=False) == ["not enough reviews: 0 of the 500 that a fit takes"]
    put(store, generated(300))
    found = fit(read_log(store, None))
    assert isinstance(found, NotEnough)
    assert 0 < found.reviews < found.needed == 500


def test_cards_whose_beginning_is_not_in_the_log_are_left_out(other_memory: Log) -> None:
    of = other_memory.columns
    beginnings = of.kind == KINDS.index("new")
    headless = np.isin(of.card, np.unique(of.card)[::2])
    cut = other_memory.where(~(beginnings & headless))
    found = histories(cut)
    assert found.left_out == int((headless & ~beginnings).sum())
    whole = histories(other_memory.where(~headless))
    assert found.rating.tolist() == whole.rating.tolist()
    assert found.elapsed.tolist() == whole.elapsed.tolist()


def test_the_chances_of_a_history_are_those_that_the_log_kept(other_memory: Log, store: Store) -> None:
    """With the defaults, which planned the log, the model's chance is that of each state in it."""
    rows = generated(3000)
    of = histories(other_memory)
    predicted = dict(zip(of.at.tolist(), of.predicted(DEFAULT_PARAMETERS).tolist(), strict=True))
    for row in rows[::97]:
        before = CardState.from_json(row["state_before"])
        if before.stability is not None:
            chance = retrievability(before, row["study_day"], SchedulerParams())
            assert predicted[row["reviewed_at_ms"]] == pytest.approx(chance, rel=1e-6)


def test_a_large_log_is_fitted_by_whole_cards(other_memory: Log) -> None:
    some = histories(other_memory, most=1000)
    assert 500 < len(some) < 1700
    lengths = dict(zip(*np.unique(other_memory.columns.card, return_counts=True), strict=True))
    kept, counts = np.unique(some.card, return_counts=True)
    assert [lengths[card] for card in kept] == counts.tolist()


def engine_fit(home: Path, *words: str, zone: str = "UTC") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "engine", "fit", *words],
        cwd=project_folder(),
        env={**os.environ, "BENCHCARDS_HOME": str(home), "TZ": zone},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_fits_applies_and_goes_back(tmp_path: Path) -> None:
    store = open_store(tmp_path / FILE_NAME)
    put(store, generated(3000))
    done = engine_fit(tmp_path, "--apply", "--json")
    assert done.returncode == 0, done.stderr
    body = msgspec.json.decode(done.stdout)
    assert body["applied"] is True
    assert list(schedule_changes.plan(store).parameters) == body["fit"]["parameters"]
    again = fit_in_process(tmp_path)
    assert isinstance(again, Fit)
    assert list(again.parameters) == body["fit"]["parameters"]
    assert (again.verdict, again.gain) == ("same", 0.0)
    assert engine_fit(tmp_path, "--defaults").returncode == 0
    assert not schedule_changes.plan(store).is_fitted
    store.close()


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_the_command_keeps_the_study_day_of_this_machines_zone(tmp_path: Path, zone: str) -> None:
    store = open_store(tmp_path / FILE_NAME)  # the two zones are a day apart: one of them isn't UTC's day
    assert engine_fit(tmp_path, "--defaults", zone=zone).returncode == 0
    (made,) = schedule_changes.history(store)
    assert made.study_day == study_day(made.made_at_ms, zone, load(store).rollover_hour)
    with store.read() as connection:
        assert connection.execute(select(kept.c.zone)).scalar_one() == zone
    store.close()
