"""Two machines' logs become one: no answer lost, none doubled, one schedule that follows both."""

from __future__ import annotations

from collections import Counter

from engine.store.tables import reviews, undos
from engine.study.card_state import NEW
from engine.study.desk import Refused, Undone
from tests.study.exchange.machines import Machine, study


def both_ways(here: Machine, there: Machine) -> None:
    out = here.export()
    here.take(there.export("csv"))
    there.take(out)


def nonces(at: Machine) -> set[object]:
    return {row["nonce"] for row in at.rows(reviews)}


def test_two_answers_from_one_version_are_both_kept_in_order_of_their_instants(
    here: Machine, there: Machine
) -> None:
    study(there, "1")
    there_answer = there.rows(reviews)[0]
    here.learner.wait(hours=1)
    study(here, "4")
    both_ways(here, there)
    for at in (here, there):
        history = at.learner.desk.history("deck-000")
        assert sorted(review.version for review in history) == [0, 1]
        assert {review.nonce for review in history} == {"answer-0", "answer-100000"}
        state = at.states()["deck-000"]
        assert state.reps == 2
        # the later answer is scheduled as one on a card that was forgotten an hour before
        assert state.phase == "review"
        assert state.stability != history[-1].state_after.stability or at is there
        assert at.learner.desk.version("deck-000") == 2
    assert here.states() == there.states()
    assert here.rows(reviews)[1]["state_after"] == there_answer["state_after"]


def test_merging_gives_both_machines_the_same_states(here: Machine, there: Machine) -> None:
    study(here, "3413uu2h33d4431ud3333d212")
    there.learner.wait(minutes=7)
    study(there, "12h4u3d33341d3u33")
    both_ways(here, there)
    assert here.states() == there.states()
    assert nonces(here) == nonces(there)
    assert len(nonces(here)) == len(here.rows(reviews))
    assert Counter(row["nonce"] for row in here.rows(undos)) == Counter(
        row["nonce"] for row in there.rows(undos)
    )


def test_machines_that_go_on_after_a_merge_merge_again(here: Machine, there: Machine) -> None:
    study(here, "3413")
    study(there, "2u31")
    both_ways(here, there)
    here.learner.wait(days=2)
    study(here, "3u43")
    there.learner.wait(days=3)
    study(there, "33d3")
    both_ways(here, there)
    assert here.states() == there.states()
    assert not here.take(there.export()).changes
    assert not there.take(here.export()).changes


def test_an_answer_taken_back_on_the_other_machine_is_taken_back_here(here: Machine, there: Machine) -> None:
    study(here, "3")
    there.take(here.export())
    study(here, "u")
    report = there.take(here.export())
    assert (report.reviews.new, report.undos.new) == (0, 1)
    assert there.states()["deck-000"] == NEW


def test_an_answer_taken_back_on_both_machines_is_taken_back_once(here: Machine, there: Machine) -> None:
    study(here, "3")
    there.take(here.export())
    for at in (here, there):
        study(at, "u")
    assert not there.take(here.export()).changes
    assert len(there.rows(undos)) == 1


def test_a_page_that_was_open_through_the_import_cannot_answer_an_old_showing(
    here: Machine, there: Machine
) -> None:
    study(here, "3")
    shown = there.learner.first()
    assert shown.card_id == "deck-000"
    there.take(here.export())
    outcome = there.learner.desk.answer(there.learner.as_answer(shown, 3))
    assert isinstance(outcome, Refused)
    assert outcome.code == "stale"


def test_the_last_answer_to_take_back_is_the_last_by_the_clock(here: Machine, there: Machine) -> None:
    study(here, "3")
    there.learner.wait(hours=2)
    study(there, "1")
    there.take(here.export())  # an older answer comes into the log after a newer one
    undone = there.learner.undo()
    assert isinstance(undone, Undone)
    assert undone.rating == 1
    assert there.states()["deck-000"] == here.states()["deck-000"]


def test_what_is_here_is_never_renumbered(here: Machine, there: Machine) -> None:
    study(here, "3h1")
    study(there, "3h1")
    before = here.rows(reviews)
    report = here.take(there.export())
    assert report.merged > 0
    assert report.renumbered > 0
    assert here.rows(reviews)[: len(before)] == before
