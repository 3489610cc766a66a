"""Changes of cards and practice go out and come in; two machines' changes become one log."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlalchemy import Table

from engine.store.change_tables import card_change_undos, card_changes, card_flags, practice_answers
from engine.store.tables import card_states, reviews
from engine.study import card_changes as changes
from engine.study import practice, rescheduling, schedule_changes
from engine.study.card_changes import Changed
from engine.study.change_log import Kind
from engine.study.exchange.faults import ExchangeFault
from engine.study.practice import Practised
from engine.study.rescheduling import Rescheduled
from tests.study.exchange.machines import Machine, machine, study

LOGS: tuple[Table, ...] = (
    card_changes,
    card_change_undos,
    practice_answers,
    card_flags,
    card_states,
    reviews,
)


def change(at: Machine, kind: Kind, *cards: str, value: str | None = None) -> Changed:
    at.learner.wait(minutes=1)
    nonce = f"change-{next(at.learner.nonces)}"
    how = {"now": at.learner.now, "zone": "UTC", "nonce": nonce}
    made = changes.change(at.store, cards, kind, value=value, **how)  # type: ignore[arg-type]
    assert isinstance(made, Changed)
    return made


def with_changes(at: Machine) -> None:
    """Answers, changes of every sort, one of them taken back, a reset in the middle, practice."""
    study(at, "3413")
    change(at, "suspend", "deck-001", "deck-002")
    change(at, "tag", "deck-001", value="hỏi-lại")
    made = change(at, "bury", "deck-003")
    changes.undo_change(at.store, made.nonce, nonce=f"back-{made.nonce}", now=at.learner.now)
    change(at, "mark", "deck-000")
    change(at, "reset", "deck-000")
    study(at, "d33u4")
    name = f"p-{next(at.learner.nonces)}"
    how = {"now": at.learner.now, "zone": "UTC"}
    given = practice.answer(at.store, "sitting", "deck-000", 1, nonce=name, answer_ms=5, **how)  # type: ignore[arg-type]
    assert isinstance(given, Practised)
    practice.undo(at.store, "sitting", nonce=f"back-{name}", **how)  # type: ignore[arg-type]


@pytest.mark.parametrize("format", ["json", "csv"])
def test_changes_out_and_into_an_empty_store_are_the_same_and_twice_as_once(
    here: Machine, tmp_path: Path, format: str
) -> None:
    with_changes(here)
    fresh = machine(tmp_path / "fresh")
    report = fresh.take(here.export(format))
    assert (report.card_changes.new, report.practice_answers.new) == (7, 2)
    for table in LOGS:
        assert fresh.rows(table) == here.rows(table), table.name
    assert not fresh.take(here.export(format)).changes
    assert fresh.export() == here.export()
    fresh.store.close()


def test_two_machines_with_changes_agree_once_each_has_the_others(here: Machine, there: Machine) -> None:
    with_changes(here)
    there.learner.wait(hours=3)
    with_changes(there)
    change(there, "reset", "deck-003")
    study(there, "3d2")
    ours, theirs = here.export(), there.export()
    here.take(theirs)
    there.take(ours)
    assert here.states() == there.states()
    assert changes.flags(here.store) == changes.flags(there.store)
    for at in (here, there):
        before = at.states(), changes.flags(at.store), at.rows(card_states)
        at.learner.desk.recompute_all()
        assert (at.states(), changes.flags(at.store), at.rows(card_states)) == before
        versions = [(row["card_id"], row["version"]) for row in at.rows(reviews)]
        assert len(versions) == len(set(versions))
    study(here, "d3u34")  # no answer meets a version that is taken


def test_a_change_taken_back_on_another_machine_is_taken_back_here(here: Machine, tmp_path: Path) -> None:
    study(here, "3d4")
    made = change(here, "reset", "deck-000")
    fresh = machine(tmp_path / "fresh", first_nonce=500)
    fresh.take(here.export())
    assert fresh.states() == here.states()
    changes.undo_change(fresh.store, made.nonce, nonce="back", now=fresh.learner.now)
    here.take(fresh.export())
    assert here.states() == fresh.states()
    assert here.states()["deck-000"].reps == 2
    fresh.store.close()


@pytest.mark.parametrize(
    ("kind", "field", "value", "message"),
    [
        ("card_changes", "kind", "explode", "card_changes\\[0\\]: kind"),
        ("card_changes", "at_ms", 1, "before there were such cards"),
        ("card_changes", "zone", "Moon/Crater", "zone"),
        ("card_changes", "value", "tag", "doesn't go with suspend"),
        ("card_changes", "at_ms", 1_796_000_000_001, "isn't that of the other cards"),
        ("card_change_undos", "change_nonce", "nobody", "none of the file's changes"),
        ("practice_answers", "rating", 0, "takes an answer back"),
    ],
)
def test_a_file_whose_changes_can_not_be_is_refused(
    here: Machine, there: Machine, kind: str, field: str, value: object, message: str
) -> None:
    with_changes(here)
    body = json.loads(here.export())
    body[kind][0][field] = value
    before = there.export()
    with pytest.raises(ExchangeFault, match=message):
        there.take(json.dumps(body).encode())
    assert there.export() == before


@pytest.mark.parametrize("format", ["json", "csv"])
def test_cards_put_on_other_days_stand_so_on_the_other_machine_and_back_again(
    here: Machine, tmp_path: Path, format: str
) -> None:
    study(here, "4444ddd4444")
    how = {"now": here.learner.now, "zone": "UTC"}
    lower = {"retention": 0.75}
    schedule_changes.change(here.store, "retention", lower, deck="deck", nonce="r", **how)  # type: ignore[arg-type]
    made = rescheduling.reschedule(here.store, None, nonce="move", **how)  # type: ignore[arg-type]
    assert isinstance(made, Rescheduled)
    fresh = machine(tmp_path / "fresh")
    fresh.take(here.export(format))
    for table in LOGS:
        assert fresh.rows(table) == here.rows(table), table.name
    assert not fresh.take(here.export(format)).changes
    here.learner.wait(minutes=1)
    rescheduling.take_back(here.store, "move", nonce="back", now=here.learner.now)
    fresh.take(here.export(format))
    assert fresh.states() == here.states()
    fresh.store.close()


def test_an_answer_of_another_machine_is_never_moved_by_a_plan_that_did_not_know_it(
    here: Machine, there: Machine
) -> None:
    study(here, "4444ddd4444")
    there.take(here.export())
    there.learner.now = here.learner.now
    how = {"zone": "UTC"}
    lower = {"retention": 0.75}
    now = here.learner.now
    schedule_changes.change(here.store, "retention", lower, deck="deck", now=now, nonce="r", **how)
    study(there, "d4")
    here.learner.wait(days=40)
    rescheduling.reschedule(here.store, None, now=here.learner.now, nonce="move", **how)
    ours, theirs = here.export(), there.export()
    here.take(theirs)
    there.take(ours)
    assert here.states() == there.states()


def test_a_place_in_a_file_that_cannot_be_is_refused(here: Machine) -> None:
    study(here, "4444")
    change(here, "mark", "deck-000")
    body = json.loads(here.export())
    body["card_changes"][0] |= {"kind": "reschedule", "value": '{"due":"2026-12-01"}'}
    with pytest.raises(ExchangeFault, match="a card is placed by"):
        here.take(json.dumps(body).encode())
