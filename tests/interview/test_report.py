"""What a report says, and how it compares with the interviews before."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.interview.interviews import Interviews
from engine.interview.question import Interview
from engine.interview.report import report
from engine.study.card import Library
from tests.interview.an_interview import SETUP, START, Candidate, a_card

GOOD = (
    "memory-bound: all weights streamed through the memory bus; roofline, left of the ridge point; "
    "16 GB in 4.8 ms"
)


def take(interviews: Interviews, library: Library, number: int, answers: list[str | None]) -> Interview:
    """An interview a day, over all cards of the library in a random order; None skips."""
    setup = replace(SETUP, questions=len(answers), follow_ups=False)
    taking = Candidate(interviews, library, setup, id=f"{number:012x}", now=START + number * 86_400_000)
    interview = taking.start()
    order = sorted(range(len(answers)), key=lambda place: interview.questions[place].asked.card_id)
    said = {place: answers[index] for index, place in enumerate(order)}
    for place in range(len(answers)):
        text = said[place]
        if text is None:
            taking.do("skip", place)
        else:
            taking.answer(text, place)
    return taking.get()


@pytest.fixture
def two_cards() -> Library:
    cards = (a_card(0, topics=("decode",), priority="high"), a_card(1, topics=("mbu",)))
    return Library(by_id={card.id: card for card in cards})


def test_it_counts_what_was_covered_and_names_strengths_and_what_to_work_on(
    interviews: Interviews, two_cards: Library
) -> None:
    made = report(
        take(interviews, two_cards, 1, [GOOD, "memory-bound, all weights streamed: 16 GB in 12 ms"]), []
    )
    assert (made.answered, made.skipped, made.not_asked) == (2, 0, 0)
    assert (made.points_covered, made.points) == (3, 4)
    assert (made.figures_right, made.figures_wrong, made.figures_missing) == (3, 1, 0)
    assert [each.topic for each in made.strengths] == ["decode"]
    assert [(each.card_id, each.heading) for each in made.to_work_on] == [("card-1", "Roofline")]
    assert made.to_work_on[0].labs == ("mbu_floor",)
    assert [(each.topic, each.before) for each in made.trends] == [("mbu", None), ("decode", None)]
    assert made.repeated == ()


def test_three_points_to_work_on_are_spread_over_the_cards_priority_first(
    interviews: Interviews, library: Library
) -> None:
    cards = {**library.by_id, "card-5": replace(library.by_id["card-5"], priority="high")}
    made = report(take(interviews, Library(by_id=cards), 1, ["no idea"] * 8), [])
    found = [each.card_id for each in made.to_work_on]
    assert len(found) == 3
    assert len(set(found)) == 3
    assert found[0] == "card-5"


def test_it_is_compared_with_earlier_interviews(interviews: Interviews, two_cards: Library) -> None:
    first = take(interviews, two_cards, 1, ["no idea", GOOD])
    second = take(interviews, two_cards, 2, ["still no idea", GOOD])
    third = take(interviews, two_cards, 3, [GOOD, None])
    made = report(third, [first, second])
    trends = {each.topic: each for each in made.trends}
    assert trends["decode"].before == 0.0
    assert trends["decode"].now == 1.0
    assert trends["decode"].asked_before == 2
    assert trends["mbu"].now == 0.0
    assert {(each.card_id, each.times) for each in made.repeated} == {("card-0", 2)}
    assert report(second, [first]).to_work_on[0].missed_in == 2
    assert made.skipped == 1


def test_an_interview_without_an_answer_has_a_report_too(interviews: Interviews, library: Library) -> None:
    taking = Candidate(interviews, library)
    taking.start()
    interviews.close(taking.id, taking.now)
    made = report(taking.get(), [])
    assert (made.answered, made.not_asked, made.score, made.points) == (0, 3, None, 0)
    assert made.to_work_on == ()
