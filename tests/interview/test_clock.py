"""The clock of a question: deadlines that were stored, whatever happens in between."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.interview.clock import Allowance, Clock, broken_off, course, done, settled

NOW = 1_800_000_000_000
ALL = Allowance(answer_ms=60_000, thinking_ms=10_000, predict_ms=30_000, follow_ms=20_000)
PLAIN = Allowance(answer_ms=60_000)


def begun(allowance: Allowance = ALL) -> Clock:
    return done(Clock(), allowance, "begin", NOW)


def test_thinking_goes_over_into_the_answer_and_that_ends_at_its_deadline() -> None:
    clock = begun()
    assert (clock.phase, clock.deadline_ms) == ("thinking", NOW + 10_000)
    answering = settled(clock, ALL, NOW + 10_000)
    assert (answering.phase, answering.deadline_ms) == ("answering", NOW + 70_000)
    over = settled(clock, ALL, NOW + 70_000)
    assert (over.phase, over.used_ms, over.deadline_ms) == ("predict_ready", 60_000, None)


def test_a_page_that_comes_back_much_later_finds_the_answer_ended_at_its_deadline() -> None:
    clock = settled(begun(), ALL, NOW + 86_400_000)
    assert clock.phase == "predict_ready"  # what is asked next waits: nobody was there to answer it
    assert clock.used_ms == 60_000


@pytest.mark.parametrize("step", [1, 7, 333, 10_000, 59_999])
def test_looking_often_or_seldom_comes_to_the_same(step: int) -> None:
    clock = begun()
    for instant in range(NOW, NOW + 80_000, step):
        clock = settled(clock, ALL, instant)
    assert settled(clock, ALL, NOW + 80_000) == settled(begun(), ALL, NOW + 80_000)


def test_the_course_names_the_instants_that_end_each_part() -> None:
    assert [(each.phase, each.until_ms - NOW) for each in course(begun(), ALL)] == [
        ("thinking", 10_000),
        ("answering", 70_000),
    ]
    assert course(Clock(), ALL) == ()


def test_an_early_finish_counts_the_time_used_and_a_second_one_changes_nothing() -> None:
    answering = done(begun(PLAIN), PLAIN, "finish", NOW + 25_000)
    assert (answering.phase, answering.outcome, answering.used_ms) == ("done", "answered", 25_000)
    assert done(answering, PLAIN, "finish", NOW + 26_000) == answering


def test_finishing_the_thinking_begins_the_answer_with_all_its_time() -> None:
    clock = done(begun(), ALL, "finish", NOW + 3_000)
    assert (clock.phase, clock.deadline_ms) == ("answering", NOW + 63_000)


def test_a_pause_stops_the_time_and_is_not_counted() -> None:
    paused = done(begun(PLAIN), PLAIN, "pause", NOW + 20_000)
    assert paused.is_paused
    assert settled(paused, PLAIN, NOW + 900_000) == paused
    resumed = done(paused, PLAIN, "resume", NOW + 900_000)
    assert resumed.deadline_ms == NOW + 940_000
    finished = done(resumed, PLAIN, "finish", NOW + 905_000)
    assert finished.used_ms == 25_000
    assert done(paused, PLAIN, "finish", NOW + 900_000).used_ms == 20_000


def test_the_follow_up_has_its_own_clock_and_comes_only_after_the_answer() -> None:
    clock = settled(begun(replace(ALL, predict_ms=None)), replace(ALL, predict_ms=None), NOW + 70_000)
    assert clock.phase == "follow_ready"
    following = done(clock, ALL, "begin", NOW + 100_000)
    assert (following.phase, following.deadline_ms) == ("following", NOW + 120_000)
    end = settled(following, ALL, NOW + 120_000)
    assert (end.phase, end.outcome, end.used_ms, end.follow_used_ms) == ("done", "answered", 60_000, 20_000)


def test_skipping_before_the_answer_is_in_skips_the_question_later_only_the_rest() -> None:
    assert done(begun(), ALL, "skip", NOW + 30_000).outcome == "skipped"
    rest = done(settled(begun(), ALL, NOW + 70_000), ALL, "skip", NOW + 71_000)
    assert (rest.phase, rest.outcome, rest.used_ms) == ("done", "answered", 60_000)


def test_closing_keeps_what_was_answered_and_counts_the_rest_as_not_asked() -> None:
    assert broken_off(Clock(), ALL, NOW).outcome == "broken_off"
    half = broken_off(begun(), ALL, NOW + 40_000)
    assert (half.outcome, half.used_ms) == ("answered", 30_000)
    assert broken_off(begun(), ALL, NOW + 5_000).outcome == "broken_off"
