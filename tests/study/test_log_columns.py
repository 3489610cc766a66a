"""The columns say what the log says, whatever became of the file they are kept in."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import numpy as np
import pytest

from engine.store import Store, open_store
from engine.study.desk import Desk
from engine.study.log_columns import FILE, KINDS, NONE, Log, LogReader, read_log
from engine.study.schedule import SchedulerParams, retrievability
from engine.study.statistics import day_name
from tests.study.a_learner import Learner, plain_library


@pytest.fixture
def learner(desk: Desk) -> Learner:
    desk.sync(plain_library(6))
    return Learner(desk)


def some_days(learner: Learner, days: int = 4) -> None:
    for day in range(days):
        for _ in range(5):
            items = learner.queue().items
            if items:
                learner.answer(items[0], 1 + (day + len(items)) % 4)
            learner.wait(minutes=3)
        learner.wait(days=2)


def told(log: Log) -> list[tuple[object, ...]]:
    of = log.columns
    return [
        (
            log.cards[of.card[place]],
            int(of.at[place]),
            day_name(int(of.day[place])),
            int(of.rating[place]),
            KINDS[of.kind[place]],
            int(of.took[place]),
            int(of.interval[place]),
            log.schedulers[of.scheduler[place]],
        )
        for place in range(len(log))
    ]


def wanted(learner: Learner) -> list[tuple[object, ...]]:
    reviews = sorted(
        (review for number in range(6) for review in learner.desk.history(f"deck-{number:03}")),
        key=lambda review: review.id,
    )
    return [
        (
            review.card_id,
            review.reviewed_at_ms,
            review.study_day,
            review.rating,
            review.kind,
            review.answer_ms,
            NONE if review.state_before.interval_minutes is None else review.state_before.interval_minutes,
            review.scheduler,
        )
        for review in reviews
        if not review.undone
    ]


def test_the_columns_hold_every_answer_that_counts(learner: Learner, store: Store, tmp_path: Path) -> None:
    some_days(learner)
    learner.undo()
    assert told(read_log(store, None)) == wanted(learner)
    assert told(read_log(store, tmp_path, worth=1)) == wanted(learner)
    assert (tmp_path / FILE).stat().st_size > 0
    assert told(read_log(store, tmp_path, worth=1)) == wanted(learner)


def test_answers_and_undos_given_since_are_added_to_the_file(
    learner: Learner, store: Store, tmp_path: Path
) -> None:
    some_days(learner, 2)
    read_log(store, tmp_path, worth=1)
    before = (tmp_path / FILE).read_bytes()
    some_days(learner, 2)
    learner.undo()
    learner.undo()
    assert told(read_log(store, tmp_path, worth=1000)) == wanted(learner)
    assert (tmp_path / FILE).read_bytes() == before
    assert told(read_log(store, tmp_path, worth=1)) == wanted(learner)


def test_the_chance_of_recall_is_the_one_that_fsrs_gave(learner: Learner, store: Store) -> None:
    some_days(learner)
    log = read_log(store, None)
    predicted = log.predicted
    rows = {
        review.reviewed_at_ms: review for n in range(6) for review in learner.desk.history(f"deck-{n:03}")
    }
    compared = 0
    for place, at in enumerate(log.columns.at.tolist()):
        before = rows[at].state_before
        if before.stability is None:
            assert np.isnan(predicted[place])
        else:
            chance = retrievability(before, rows[at].study_day, SchedulerParams())
            assert predicted[place] == pytest.approx(chance, rel=1e-5)
            compared += 1
    assert compared > 5


def test_a_reader_adds_what_came_since_and_gives_the_same_log_where_nothing_did(
    learner: Learner, store: Store, tmp_path: Path
) -> None:
    reader = LogReader(store, tmp_path, worth=1, step=3)
    assert told(reader.read()) == []
    some_days(learner, 2)
    log = reader.read()
    assert told(log) == wanted(learner)
    assert reader.read() is log
    learner.undo()
    assert told(reader.read()) == wanted(learner)
    some_days(learner, 1)
    assert told(reader.read()) == wanted(learner)


def test_one_who_leaves_in_the_middle_finds_what_was_read_the_next_time(
    learner: Learner, store: Store, tmp_path: Path
) -> None:
    some_days(learner, 2)
    answers = len(wanted(learner))
    seen: list[tuple[int, int]] = []

    def left(done: int, total: int) -> None:
        seen.append((done, total))
        if done >= 6:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        LogReader(store, tmp_path, worth=1, step=3).read(left)
    assert seen == [(3, answers), (6, answers)]
    seen.clear()
    again = LogReader(store, tmp_path, worth=1, step=3)
    assert told(again.read(lambda done, total: seen.append((done, total)))) == wanted(learner)
    assert seen[0] == (6, answers)


CUT = io.BytesIO()
np.save(CUT, np.frombuffer(b'{"schema": 1}', np.uint8))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no archive", b"\x93NUMPY", CUT.getvalue()])
def test_a_broken_file_is_made_anew(learner: Learner, store: Store, tmp_path: Path, content: bytes) -> None:
    some_days(learner, 1)
    (tmp_path / FILE).write_bytes(content)
    assert told(read_log(store, tmp_path, worth=1)) == wanted(learner)


def test_a_file_of_another_log_is_made_anew(learner: Learner, store: Store, tmp_path: Path) -> None:
    other = open_store(tmp_path / "other" / "benchcards.db")
    another = Learner(Desk(other), nonces=iter(range(1000, 2000)))  # type: ignore[arg-type]
    another.desk.sync(plain_library(6))
    some_days(another)
    read_log(other, tmp_path / "cache", worth=1)
    other.close()
    some_days(learner, 2)
    assert told(read_log(store, tmp_path / "cache", worth=1)) == wanted(learner)


def test_a_folder_that_cannot_be_written_costs_no_answer(
    learner: Learner, store: Store, tmp_path: Path
) -> None:
    some_days(learner, 1)
    (tmp_path / "cache").write_text("a file where the folder should be", encoding="utf-8")
    assert told(read_log(store, tmp_path / "cache", worth=1)) == wanted(learner)
    shutil.rmtree(tmp_path / "none", ignore_errors=True)


def test_the_first_answer_of_a_day_is_told_apart(learner: Learner, store: Store) -> None:
    some_days(learner)
    log = read_log(store, None)
    seen: set[tuple[object, object]] = set()
    for row, first in zip(told(log), log.first_of_day.tolist(), strict=True):
        assert first == ((row[0], row[2]) not in seen)
        seen.add((row[0], row[2]))
    assert len(seen) < len(log)


def test_the_log_of_some_cards_alone(learner: Learner, store: Store) -> None:
    some_days(learner)
    chosen = read_log(store, None).of_cards(["deck-001", "never-heard-of"])
    assert told(chosen) == [row for row in wanted(learner) if row[0] == "deck-001"]
    assert len(chosen)
