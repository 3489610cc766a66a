"""What is suggested from the text of an answer, in three languages, on the project's own cards."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.interview.asked import as_asked
from engine.interview.clock import Clock
from engine.interview.figures import check_figures
from engine.interview.question import Draft, Question
from engine.interview.rubric import marked
from engine.interview.terms import coverage, terms_of
from engine.study.card import Library, Point
from engine.study.library import load_library
from tests.interview.an_interview import a_card

CARDS = Path(__file__).resolve().parents[2] / "cards"


@pytest.fixture(scope="module")
def decks() -> Library:
    return load_library([CARDS], lab_names=None, cache=None)


def answered(text: str, card: object = None) -> Question:
    asked = as_asked(card or a_card(1), "A deck", follow_up=True, live=False)  # type: ignore[arg-type]
    clock = Clock(phase="done", outcome="answered", used_ms=1000)
    return Question("0123456789", 0, asked, clock, drafts={"main": Draft(text, 1)})


def ticks(text: str, card: object = None) -> list[str | None]:
    return [mark.tick for mark in marked(answered(text, card)).points]


def test_a_points_own_words_cover_it_and_others_do_not() -> None:
    assert ticks("memory-bound: all weights are streamed through the memory bus at each step") == [
        "covered",
        "missed",
    ]
    assert ticks("its arithmetic intensity is left of the ridge point in the roofline") == [
        "missed",
        "covered",
    ]
    assert ticks("I would profile first") == ["missed", "missed"]


def test_sound_without_text_waits_for_the_learner_and_a_skipped_question_does_not() -> None:
    assert ticks("") == [None, None]
    skipped = replace(answered(""), clock=Clock(phase="done", outcome="skipped"))
    assert [mark.tick for mark in marked(skipped).points] == ["missed", "missed"]
    assert [mark.tick for mark in marked(skipped).figures] == ["missing", "missing"]


def test_a_transcript_counts_as_the_notes_do() -> None:
    spoken = replace(answered(""), transcripts={"main": "all weights are streamed: memory-bound"})
    assert marked(spoken).points[0].tick == "covered"


def test_figures_are_right_wrong_or_missing_and_say_what_they_rest_on() -> None:
    asked = answered("").asked
    marks = check_figures(asked, "weights of 16 GB in a step of 9 ms")
    assert [mark.tick for mark in marks] == ["right", "wrong"]
    assert "9 ms" in marks[1].found
    assert [mark.tick for mark in check_figures(asked, "about 5000 µs a step")] == ["missing", "right"]


def test_key_figures_without_claims_are_left_to_the_learner() -> None:
    plain = as_asked(replace(a_card(1), claims=()), "A deck", follow_up=False, live=False)
    assert [mark.tick for mark in check_figures(plain, "16 GB, 4.8 ms")] == [None]


def test_an_answer_made_of_the_cards_own_text_covers_every_point(decks: Library) -> None:
    """A learner who says all of it, in any of the languages, is not told that points are missing."""
    wrong = []
    for card in decks.by_id.values():
        said = " ".join(f"{point.heading}. {point.text}" for point in card.answer)
        wrong += [
            f"{card.id}: {point.heading}"
            for point, found in zip(
                card.answer, coverage(card.answer, f"{card.title}\n{card.prompt}", said), strict=True
            )
            if found.tick != "covered"
        ]
    assert wrong == []


def test_saying_one_point_does_not_cover_the_others(decks: Library) -> None:
    """Of every pair of points on the project's cards, saying one covers the other in few."""
    pairs = covered = 0
    for card in decks.by_id.values():
        for said in card.answer:
            found = coverage(card.answer, f"{card.title}\n{card.prompt}", f"{said.heading}. {said.text}")
            others = [each.tick for point, each in zip(card.answer, found, strict=True) if point is not said]
            pairs += len(others)
            covered += others.count("covered")
    assert pairs > 100
    assert covered / pairs < 0.05, f"{covered} of {pairs}"


def test_diacritics_and_composition_do_not_matter() -> None:
    points = (Point("Băng thông bộ nhớ", "Đường truyền là **giới hạn**."), Point("Khác", "Điều khác hẳn."))
    for said in ("bang thong bo nho, gioi han", "Băng thông bộ nhớ bị giới hạn"):
        assert coverage(points, "?", said)[0].tick == "covered"


def test_chinese_is_found_inside_a_sentence_without_spaces() -> None:
    points = (Point("共享内存", "每个 SM 各有一份**寄存器**文件。"), Point("缓存", "二级缓存是全局的。"))
    assert [each.tick for each in coverage(points, "片上有什么？", "我觉得共享内存和寄存器最快")] == [
        "covered",
        "missed",
    ]


def test_a_point_of_signs_only_has_terms_or_is_missed() -> None:
    points = (Point("", "$4 + 4$"),)
    assert terms_of(points, "?") == ({},)
    assert coverage(points, "?", "eight")[0].tick == "missed"


def test_a_log_pasted_into_the_notes_is_looked_at_only_so_far() -> None:
    card = a_card(1)
    asked = as_asked(card, "A deck", follow_up=False, live=False)
    log = "9 " * 100_000
    assert [mark.tick for mark in check_figures(asked, f"16 GB and 4.8 ms {log}")] == ["right", "right"]
    assert [mark.tick for mark in check_figures(asked, f"{log} 16 GB and 4.8 ms")] == ["missing", "missing"]
