"""A shared PostgreSQL is a URL.

The test of a real session runs where `BENCHCARDS_TEST_POSTGRESQL` names an empty database, such as
`postgresql+psycopg://me@127.0.0.1/test`, and its driver is installed; the tables and statements are
compiled for PostgreSQL in any case.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

import pytest
from sqlalchemy import Select, delete, update
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import IntegrityError
from sqlalchemy.schema import CreateIndex, CreateTable

from engine.store import Store, open_store
from engine.store.tables import metadata
from engine.study import settings
from engine.study.desk import Confirmed, Desk, Refused, Undone
from engine.study.queue import due_reviews, new_cards
from tests.study.a_learner import Learner, plain_library

URL = os.environ.get("BENCHCARDS_TEST_POSTGRESQL")


def test_every_table_and_index_compiles() -> None:
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
    for table in metadata.sorted_tables:
        assert str(CreateTable(table).compile(dialect=dialect))
        for index in table.indexes:
            assert str(CreateIndex(index).compile(dialect=dialect))


@pytest.mark.parametrize("query", [due_reviews("2026-11-30", ["a"], with_states=True), new_cards(["a"])])
def test_queries_of_the_queue_compile(query: Select[tuple[object, ...]]) -> None:
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
    assert "card_states" in str(query.compile(dialect=dialect)) or "cards" in str(query)


@pytest.fixture
def server() -> Iterator[Store]:
    if URL is None:
        pytest.skip("BENCHCARDS_TEST_POSTGRESQL names no empty PostgreSQL database")
    store = open_store(URL)
    yield store
    with store.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE")
        connection.exec_driver_sql("CREATE SCHEMA public")
    store.close()


def test_a_study_day_on_a_server(server: Store) -> None:
    settings.save(server, {"new_per_day": 6})
    learner = Learner(Desk(server))
    learner.desk.sync(plain_library(9))
    assert not learner.desk.sync(plain_library(9))
    shown = learner.queue()
    assert (len(shown.items), shown.counts.new) == (6, 6)
    for item, rating in zip(shown.items, (1, 2, 3, 4, 4, 4), strict=True):
        confirmed = learner.answer(item, rating)
        learner.wait(seconds=1)
        review = learner.desk.history(item.card_id)[0]
        assert review.due_ms == confirmed.due_ms
    undone = learner.undo()
    assert isinstance(undone, Undone)
    assert learner.desk.today(learner.now, "UTC").reviewed == 5
    assert learner.queue().counts.new == 1
    assert len(learner.desk.forecast(learner.now, "UTC")) == 7
    learner.wait(days=60)
    before = learner.queue()
    assert before.counts.due == 2
    learner.desk.recompute_all()
    assert learner.queue() == before
    for table in ("reviews", "undos"):
        for change in (update(metadata.tables[table]).values(nonce="x"), delete(metadata.tables[table])):
            with pytest.raises(IntegrityError, match="append-only"), server.begin() as connection:
                connection.execute(change)


def test_answers_at_the_same_moment_count_once_on_a_server(server: Store) -> None:
    learner = Learner(Desk(server))
    learner.desk.sync(plain_library(1))
    answers = [learner.as_answer(learner.first(), 3) for _ in range(6)]
    outcomes: list[Confirmed | Refused] = []
    threads = [
        threading.Thread(target=lambda answer=answer: outcomes.append(learner.desk.answer(answer)))
        for answer in answers
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(isinstance(outcome, Confirmed) for outcome in outcomes) == 1
    assert len(learner.desk.history("deck-000")) == 1
