"""What the four buttons lead to: FSRS-6 on study days, with our own fuzz."""

from __future__ import annotations

import random
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import fsrs
import pytest

from engine.study.card_state import NEW, CardState
from engine.study.fuzz import fuzzed, place
from engine.study.schedule import SchedulerParams, after, retrievability, transitions
from engine.study.study_day import add_days

DAY = "2026-11-30"
PLAIN = SchedulerParams()


def walk(*ratings: int, params: SchedulerParams = PLAIN, card: str = "card") -> CardState:
    """The state after these ratings, each given on the day the card is due."""
    state, day = NEW, DAY
    for rating in ratings:
        way = transitions(card, state, day, params)[rating - 1]
        state = after(state, way, reviewed_at_ms=0, study_day=day)
        day = state.due_day or day
    return state


def test_memory_is_what_fsrs_makes_of_the_same_ratings_on_the_same_days() -> None:
    random_of = random.Random(1)
    for card in range(40):
        ours, day = NEW, DAY
        theirs = fsrs.Card(card_id=1)
        scheduler = fsrs.Scheduler(enable_fuzzing=False)
        for _ in range(12):
            rating = random_of.choice((1, 2, 3, 3, 3, 4))
            way = transitions(f"card-{card}", ours, day, PLAIN)[rating - 1]
            ours = after(ours, way, reviewed_at_ms=0, study_day=day)
            midnight = datetime.fromisoformat(day).replace(tzinfo=UTC)
            theirs, _ = scheduler.review_card(theirs, fsrs.Rating(rating), midnight)
            assert (ours.stability, ours.difficulty, ours.step) == (
                theirs.stability,
                theirs.difficulty,
                theirs.step,
            )
            day = add_days(day, random_of.randint(0, 12))


def test_unfuzzed_intervals_are_those_of_fsrs() -> None:
    way = transitions("card", NEW, DAY, PLAIN)
    scheduler, midnight = fsrs.Scheduler(enable_fuzzing=False), datetime(2026, 11, 30, tzinfo=UTC)
    for rating in (1, 3):
        card, _ = scheduler.review_card(fsrs.Card(card_id=1), fsrs.Rating(rating), midnight)
        assert timedelta(minutes=way[rating - 1].minutes) == card.due - midnight


def test_a_better_rating_never_comes_back_sooner_and_again_comes_first() -> None:
    random_of = random.Random(2)
    for card in range(60):
        params = SchedulerParams(
            desired_retention=random_of.choice((0.7, 0.9, 0.97)),
            learning_steps=random_of.choice(((), (1,), (1, 10), (10, 2880), (1, 10, 60, 1440))),
            relearning_steps=random_of.choice(((), (10,), (10, 4320))),
            maximum_days=random_of.choice((1, 3, 30, 36500)),
        )
        state, day = NEW, DAY
        for _ in range(15):
            ways = transitions(f"card-{card}", state, day, params)
            minutes = [way.minutes for way in ways]
            assert minutes == sorted(minutes), (params, state)
            assert minutes[0] >= 1
            assert all(way.days is None or way.minutes == way.days * 1440 for way in ways)
            assert all(way.days is not None for way in ways if way.phase == "review")
            way = ways[random_of.choice((0, 1, 2, 2, 2, 3))]
            state = after(state, way, reviewed_at_ms=0, study_day=day)
            day = add_days(state.due_day or day, random_of.choice((0, 0, 1, 20)))


def test_within_one_study_day_no_day_passes_whatever_the_hours() -> None:
    state = walk(4)
    assert state.due_day is not None
    same_day = transitions("card", state, state.last_study_day or "", PLAIN)[2]
    next_day = transitions("card", state, add_days(state.last_study_day or "", 1), PLAIN)[2]
    assert same_day.stability is not None
    assert next_day.stability is not None
    assert state.stability is not None
    scheduler = fsrs.Scheduler()
    assert same_day.stability == scheduler._short_term_stability(
        stability=state.stability, rating=fsrs.Rating.Good
    )
    assert next_day.stability != same_day.stability
    assert retrievability(state, state.last_study_day or "", PLAIN) == 1.0


def test_a_study_day_before_the_last_review_counts_as_that_of_the_last_review() -> None:
    state = walk(4)
    earlier = transitions("card", state, "2026-01-01", PLAIN)
    assert earlier == transitions("card", state, state.last_study_day or "", PLAIN)


def test_hard_on_the_first_of_two_steps_is_shown_in_whole_minutes() -> None:
    assert [way.minutes for way in transitions("card", NEW, DAY, PLAIN)][:3] == [1, 6, 10]


def test_a_step_of_a_day_is_due_by_the_study_day() -> None:
    state = walk(3, 3, params=SchedulerParams(learning_steps=(10, 60, 1440)))
    again = walk(3, 3, 3, params=SchedulerParams(learning_steps=(10, 60, 1440)))
    assert (state.phase, state.interval_minutes, state.due_day) == ("learning", 1440, add_days(DAY, 1))
    assert again.phase == "review"


def test_a_forgotten_card_relearns_and_counts_a_lapse() -> None:
    state = walk(4, 1)
    assert (state.phase, state.step, state.lapses, state.interval_minutes) == ("relearning", 0, 1, 10)
    assert walk(4, 1, 3).phase == "review"


def test_without_steps_every_answer_gives_days() -> None:
    bare = SchedulerParams(learning_steps=(), relearning_steps=())
    assert [way.phase for way in transitions("card", NEW, DAY, bare)] == ["review"] * 4
    assert walk(4, 1, params=bare).phase == "review"


def test_fewer_steps_than_a_card_has_done_let_it_graduate() -> None:
    state = walk(3, 3, params=SchedulerParams(learning_steps=(1, 10, 60, 90)))
    assert state.step == 2
    assert transitions("card", state, DAY, PLAIN)[2].phase == "review"


def test_fuzz_is_the_same_in_another_process() -> None:
    program = "from engine.study.fuzz import place; print(repr(place('thẻ-学习', 7)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert float(done.stdout) == place("thẻ-学习", 7)


def test_fuzz_differs_between_cards_and_between_reviews_of_one() -> None:
    assert len({place(f"card-{index}", 1) for index in range(100)}) == 100
    assert len({place("card", reps) for reps in range(100)}) == 100


@pytest.mark.parametrize(
    ("days", "low", "high"),
    [(1, 1, 1), (2, 2, 2), (3, 2, 4), (7, 5, 9), (17, 14, 20), (37, 33, 41), (100, 93, 107)],
)
def test_fuzz_stays_within_the_ranges_of_anki_and_reaches_both_ends(days: int, low: int, high: int) -> None:
    found = {fuzzed(days, place("card", reps), most=36500) for reps in range(2000)}
    assert found == set(range(low, high + 1))


def test_fuzz_keeps_order_and_limits() -> None:
    for at in (0.0, 0.3, 0.999999):
        spread = [fuzzed(days, at, most=400) for days in range(1, 500)]
        assert spread == sorted(spread)
        assert max(spread) == 400
        assert fuzzed(30, at, least=31, most=36500) >= 31
        assert fuzzed(30, at, least=31, most=5) == 5


def test_an_interval_that_grew_is_not_fuzzed_back_to_the_last_one() -> None:
    for index in range(200):
        state = walk(4, 2, card=f"card-{index}")
        assert state.interval_minutes is not None
        before = walk(4, card=f"card-{index}").interval_minutes
        assert before is not None
        assert state.interval_minutes > before


def test_parameters_are_kept_and_named_by_what_they_are() -> None:
    params = SchedulerParams(desired_retention=0.85, learning_steps=(5, 60))
    assert SchedulerParams.from_json(params.to_json()) == params
    assert params.fingerprint == SchedulerParams.from_json(params.to_json()).fingerprint
    assert params.fingerprint != PLAIN.fingerprint
