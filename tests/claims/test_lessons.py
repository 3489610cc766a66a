"""From findings to cards: every card named is there, the most telling ones come first."""

from __future__ import annotations

import pytest

from engine.claims.lessons import CARDS, TOPICS, cards_for
from engine.folders import project_folder
from engine.study.card import Library
from engine.study.library import load_library
from tests.pages.test_analysis_words import ANALYSERS, codes_in


@pytest.fixture(scope="module")
def library() -> Library:
    return load_library([project_folder() / "cards"], lab_names=None, cache=None)


def test_every_card_that_is_named_is_in_a_deck_and_every_topic_on_a_card(library: Library) -> None:
    named = {card for cards in CARDS.values() for card in cards}
    assert named - set(library.by_id) == set()
    assert set(TOPICS.values()) - {topic for card in library.by_id.values() for topic in card.topics} == set()


def test_the_codes_are_those_of_the_analysers() -> None:
    asked_by_the_page = {"gap", "speed_of_light"}
    assert set(CARDS) - asked_by_the_page - codes_in(ANALYSERS) == set()


def test_the_diagnosis_comes_before_what_supports_it(library: Library) -> None:
    found = cards_for(["leak", "lost_records"], library, language="vi")
    assert found[0].id == "vi-q2-oom-sixth-hour"
    assert "zh-d11-misconception-profiler-overhead" in {card.id for card in found}


def test_no_card_comes_twice_and_never_more_than_asked_for(library: Library) -> None:
    found = cards_for(["overhead_bound", "gap", "graphs_leave"], library, language="zh", most=4)
    assert len(found) == len({card.id for card in found}) == 4


def test_of_cards_that_rank_alike_those_in_the_readers_language_come_first(library: Library) -> None:
    # the second card on the first code and the first one on the second code
    second = {
        language: cards_for(["no_cpu_events", "leak"], library, language=language)[1].language
        for language in ("vi", "zh")
    }
    assert second == {"vi": "vi", "zh": "zh"}


def test_a_code_that_nobody_teaches_has_no_card(library: Library) -> None:
    assert cards_for(["mended_events"], library, language="en") == ()
