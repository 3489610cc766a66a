"""The mistake notebook: a line stays with its card, says how often it came back, and is never lost."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import RowMapping, delete, select, update
from sqlalchemy.exc import IntegrityError

from engine.store import Store
from engine.store.notebook_tables import mistakes
from engine.study.desk import Desk
from engine.study.exchange.files import read
from engine.study.notebook import LONGEST, TIP, Kind, Mistake, NotebookRefused, entries, folded, write
from tests.study.a_learner import MORNING, Learner, plain_library
from tests.study.exchange.machines import Machine, machine

CARD = "deck-000"


def put(
    store: Store,
    kind: Kind,
    nonce: str,
    *,
    card: str = CARD,
    at: datetime = MORNING,
    text: str = "",
    about: str = "",
) -> None:
    write(store, card, kind, nonce=nonce, now=at, zone="UTC", text=text, about=about)


def only(store: Store, card: str = CARD) -> Mistake:
    (line,) = entries(store)[card]
    return line


def test_a_line_is_kept_with_its_card_and_day(store: Store) -> None:
    put(store, "note", "n", text="  took the copy rate\nfor the datasheet's ")
    line = only(store)
    assert (line.text, line.times, line.settled) == ("took the copy rate for the datasheet's", 1, False)
    assert (line.first_day, line.last_day) == ("2026-11-30", "2026-11-30")
    put(store, "note", "n", text="sent a second time")
    assert only(store) == line


def test_it_counts_how_often_it_came_back_and_opens_again_where_it_was_settled(store: Store) -> None:
    put(store, "note", "n", text="wrong unit")
    put(store, "settle", "s", about="n", at=MORNING + timedelta(days=1))
    assert only(store).settled
    put(store, "again", "a", about="n", at=MORNING + timedelta(days=3))
    line = only(store)
    assert (line.times, line.last_day, line.settled) == (2, "2026-12-03", False)
    put(store, "reword", "r", about="n", text="GB, not GiB", at=MORNING + timedelta(days=4))
    assert only(store).text == "GB, not GiB"


def test_what_is_said_last_counts_also_where_the_clock_was_set_back(store: Store) -> None:
    put(store, "note", "n", text="wrong unit")
    put(store, "settle", "s", about="n", at=MORNING + timedelta(hours=2))
    put(store, "again", "a", about="n", at=MORNING + timedelta(hours=1))
    assert not only(store).settled
    put(store, "settle", "s2", about="n", at=MORNING + timedelta(hours=1))
    assert only(store).settled


def test_a_cards_pitfall_becomes_an_entry_once_it_is_made(store: Store) -> None:
    put(store, "again", "a", about=TIP)
    put(store, "again", "b", about=TIP)
    line = only(store)
    assert (line.nonce, line.text, line.times) == (TIP, "", 2)
    put(store, "settle", "c", about=TIP, at=MORNING + timedelta(minutes=1))
    assert only(store).settled


def test_it_says_how_often_the_card_was_forgotten_on_later_days(desk: Desk, store: Store) -> None:
    desk.sync(plain_library(1))
    learner = Learner(desk)
    for rating in (1, 1, 3, 3):
        learner.answer(learner.queue().items[0], rating)
        learner.wait(minutes=12)
    put(store, "note", "n", text="mixed them up", at=learner.now)
    learner.wait(days=30)
    learner.answer(learner.queue().items[0], 1)
    assert only(store).forgotten == 1
    learner.undo()
    assert only(store).forgotten == 0


@pytest.mark.parametrize(
    ("kind", "what", "code"),
    [
        ("note", {"text": " \n"}, "empty"),
        ("note", {"text": "x" * (LONGEST + 1)}, "too_long"),
        ("note", {"text": "x", "about": "n"}, "malformed"),
        ("again", {}, "malformed"),
        ("again", {"about": "nobody"}, "unknown"),
        ("reword", {"about": TIP, "text": "x"}, "malformed"),
        ("shout", {"text": "x"}, "malformed"),
    ],
)
def test_what_cannot_be_kept_is_refused_with_a_code(
    store: Store, kind: Kind, what: dict[str, str], code: str
) -> None:
    with pytest.raises(NotebookRefused) as refused:
        put(store, kind, "x", text=what.get("text", ""), about=what.get("about", ""))
    assert refused.value.code == code
    assert entries(store) == {}


def test_a_line_of_another_card_is_not_meant(store: Store) -> None:
    put(store, "note", "n", text="x")
    with pytest.raises(NotebookRefused) as refused:
        put(store, "settle", "s", card="deck-001", about="n")
    assert refused.value.code == "unknown"


def test_rows_are_added_and_never_changed(store: Store) -> None:
    put(store, "note", "n", text="x")
    for change in (update(mistakes).values(text="y"), delete(mistakes)):
        with pytest.raises(IntegrityError), store.begin() as connection:
            connection.execute(change)
    assert only(store).text == "x"


@pytest.mark.parametrize("format", ["json", "csv"])
def test_two_machines_notebooks_become_one_and_a_second_time_changes_nothing(
    here: Machine, there: Machine, format: str
) -> None:
    put(here.store, "note", "h", text='here: "quoted", 逗号，chấm')
    put(there.store, "note", "t", text="there", at=MORNING + timedelta(hours=1))
    put(there.store, "again", "a", about=TIP, card="deck-001")
    there.take(here.export(format))
    put(there.store, "again", "b", about="h", at=MORNING + timedelta(days=1))
    report = here.take(there.export(format))
    assert (report.mistakes.new, report.mistakes.known) == (3, 1)
    assert entries(here.store) == entries(there.store)
    assert [(line.text[:4], line.times) for line in entries(here.store)[CARD]] == [("here", 2), ("ther", 1)]
    assert not here.take(there.export(format)).changes


def test_a_line_known_here_with_another_text_refuses_the_file(here: Machine, there: Machine) -> None:
    put(here.store, "note", "n", text="one")
    put(there.store, "note", "n", text="two")
    with pytest.raises(Exception, match=r"mistakes\[0\]: nonce: the line n is here already"):
        here.take(there.export())
    with pytest.raises(Exception, match=r"mistakes\[0\]: kind"):
        read(there.export().replace(b'"kind":"note"', b'"kind":"nope"'), "export")


@pytest.fixture
def here(tmp_path: Path) -> Machine:
    return machine(tmp_path / "here")


@pytest.fixture
def there(tmp_path: Path) -> Machine:
    return machine(tmp_path / "there", first_nonce=100_000)


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "card_id": st.sampled_from("ab"),
            "kind": st.sampled_from(["note", "again", "reword", "settle", "reopen"]),
            "about": st.sampled_from([TIP, "0", "1", "2"]),
            "text": st.sampled_from("xyz"),
            "at_ms": st.integers(0, 5),
            "study_day": st.sampled_from(["2026-11-29", "2026-11-30"]),
        }
    ),
    max_size=12,
)


@given(ROWS)
def test_every_note_of_the_log_is_an_entry_with_all_that_was_said_of_it(rows: list[RowMapping]) -> None:
    log = [
        {**row, "nonce": str(number), "about": "" if row["kind"] == "note" else row["about"]}
        for number, row in enumerate(rows)
    ]
    log.sort(key=lambda row: (row["at_ms"], row["nonce"]))
    lines = [line for each in folded(log).values() for line in each]  # type: ignore[arg-type]
    notes = [row for row in log if row["kind"] == "note"]
    assert {line.nonce for line in lines if line.nonce != TIP} == {row["nonce"] for row in notes}
    for line in lines:
        said = [row for row in log if row["card_id"] == line.card_id and row["about"] == line.nonce]
        again = sum(row["kind"] == "again" for row in said)
        assert line.times == again + (line.nonce != TIP)
        last = [row["kind"] for row in said if row["kind"] in ("again", "settle", "reopen")]
        assert line.settled == (last[-1:] == ["settle"])


def test_the_query_of_all_lines_reads_each_row_once(store: Store) -> None:
    for number in range(5):
        put(store, "note", f"n{number}", card=f"deck-{number:03}", text="x")
    with store.read() as connection:
        assert len(connection.execute(select(mistakes)).all()) == 5
    assert len(entries(store)) == 5
    assert list(entries(store, ["deck-001"])) == ["deck-001"]
