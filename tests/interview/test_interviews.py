"""Interviews in a real database: each step is kept at once, and doing it twice does it once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.interview.draw import Standing
from engine.interview.fault import InterviewError
from engine.interview.interviews import GONE, Interviews
from engine.interview.question import Draft
from engine.interview.setup import QUICK, Setup
from engine.store import Store, open_store
from engine.study.card import Library
from tests.interview.an_interview import SETUP, Candidate


@pytest.fixture
def candidate(interviews: Interviews, library: Library) -> Candidate:
    taking = Candidate(interviews, library)
    taking.start()
    return taking


def test_starting_twice_under_one_id_draws_once(candidate: Candidate) -> None:
    first = candidate.get()
    candidate.setup = replace(SETUP, questions=8)
    assert candidate.start() == first
    assert len(first.questions) == 3
    assert len({question.asked.card_id for question in first.questions}) == 3


def test_a_set_up_that_no_card_fits_is_refused_in_words(interviews: Interviews, library: Library) -> None:
    with pytest.raises(InterviewError, match="No card fits"):
        interviews.start("0123456789ab", Setup(topics=("opera",)), library, Standing(), now_ms=0)


def test_the_deadline_is_the_same_for_another_process_on_the_same_file(
    candidate: Candidate, tmp_path: Path
) -> None:
    candidate.do("begin")
    again = open_store(tmp_path / "benchcards.db")
    found = Interviews(again, tmp_path).get(candidate.id, candidate.now + 12_000)
    again.close()
    assert found is not None
    assert found.questions[0].clock.phase == "answering"
    assert found.questions[0].clock.deadline_ms == candidate.now + 70_000


def test_a_second_click_and_a_late_deed_change_nothing(candidate: Candidate) -> None:
    candidate.do("begin")
    candidate.now += 15_000
    candidate.do("finish", phase="answering")
    first = candidate.question()
    candidate.now += 1_000
    candidate.do("finish", phase="answering")
    candidate.do("begin", phase="ready")
    assert candidate.question() == first


def test_a_deed_that_arrives_late_counts_from_when_it_was_done(candidate: Candidate) -> None:
    candidate.do("begin")
    finished_at = candidate.now + 40_000
    candidate.now += 300_000  # the app was dead meanwhile, and long past the deadline
    candidate.do("finish", phase="answering", at=finished_at)
    assert candidate.question().clock.used_ms == 30_000


def test_the_newest_text_counts_in_whatever_order_they_come(candidate: Candidate) -> None:
    keep = candidate.interviews.keep_text
    assert keep(candidate.id, 0, "main", Draft("second", 7)) == 7
    assert keep(candidate.id, 0, "main", Draft("first", 3)) == 7
    assert keep(candidate.id, 0, "main", Draft("second", 7)) == 7
    assert candidate.question().draft("main").text == "second"
    assert keep("ffffffffffff", 0, "main", Draft("x", 1)) == GONE


def test_text_of_a_page_that_was_cut_off_counts_after_time_is_up(candidate: Candidate) -> None:
    candidate.do("begin")
    candidate.now += 200_000
    candidate.do("skip")  # the follow-up
    assert candidate.question().marks.points[0].tick is None
    candidate.write("It streams all weights: memory-bound, 16 GB in 4.8 ms")
    marks = candidate.question().marks
    assert marks.points[0].tick == "covered"
    assert [mark.tick for mark in marks.figures] == ["right", "right"]


def test_each_answer_is_on_disk_when_it_ends_and_the_next_question_waits(candidate: Candidate) -> None:
    candidate.answer("memory-bound")
    interview = candidate.get()
    assert interview.questions[0].clock.outcome == "answered"
    assert interview.current is interview.questions[1]
    assert interview.to_review is None


def test_real_reviews_at_the_end_and_practice_after_each_answer(
    interviews: Interviews, library: Library
) -> None:
    practice = Candidate(interviews, library, replace(SETUP, mode="practice"), id="aaaaaaaaaaaa")
    practice.start()
    practice.answer("memory-bound")
    interview = practice.get()
    assert interview.current is None
    assert interview.to_review is interview.questions[0]
    interviews.reviewed(practice.id, 0, practice.now)
    assert practice.get().current is not None
    real = Candidate(interviews, library, id="bbbbbbbbbbbb")
    real.start()
    for place in range(3):
        assert real.get().to_review is None
        real.answer("memory-bound", place)
    interview = real.get()
    assert interview.is_over
    assert interview.ended_at_ms == real.now
    assert interview.to_review is interview.questions[0]


def test_real_has_no_pause_and_no_hints(candidate: Candidate) -> None:
    candidate.do("begin")
    candidate.do("pause")
    candidate.interviews.hint(candidate.id, 0, 2, candidate.now)
    assert not candidate.question().clock.is_paused
    assert candidate.question().hints == 0


def test_practice_counts_the_hints_that_were_shown(interviews: Interviews, library: Library) -> None:
    practice = Candidate(interviews, library, replace(SETUP, mode="practice"))
    practice.start()
    practice.do("begin")
    for hints in (1, 2, 1, 99):
        interviews.hint(practice.id, 0, hints, practice.now)
    assert practice.question().hints == 2  # there are two points


def test_a_broken_off_interview_is_closed_with_what_is_there(candidate: Candidate) -> None:
    candidate.answer("memory-bound")
    candidate.do("begin", 1)
    candidate.now += 30_000
    candidate.write("half an answer", 1)
    candidate.interviews.close(candidate.id, candidate.now)
    interview = candidate.get()
    assert [question.clock.outcome for question in interview.questions] == [
        "answered",
        "answered",
        "broken_off",
    ]
    assert interview.closed
    assert interview.questions[1].draft("main").text == "half an answer"
    candidate.interviews.close(candidate.id, candidate.now + 5)
    assert candidate.get() == interview


def test_ticks_of_the_learner_stay_when_more_text_comes(candidate: Candidate) -> None:
    candidate.answer("nothing of it")
    candidate.interviews.tick(candidate.id, 0, "point", 1, "covered", candidate.now)
    candidate.interviews.tick(candidate.id, 0, "figure", 0, "right", candidate.now)
    candidate.interviews.keep_transcript(candidate.id, 0, "main", "all weights are streamed: memory-bound")
    marks = candidate.question().marks
    assert [mark.tick for mark in marks.points] == ["covered", "covered"]
    assert [mark.by_learner for mark in marks.points] == [False, True]
    assert marks.figures[0].tick == "right"
    with pytest.raises(InterviewError, match="can't be kept"):
        candidate.interviews.tick(candidate.id, 0, "point", 9, "covered", candidate.now)


def test_the_card_is_kept_as_it_was_asked(candidate: Candidate, store: Store, tmp_path: Path) -> None:
    before = candidate.question().asked
    changed = replace(before.card, title="Another title", answer=())
    again = Interviews(store, tmp_path)
    library = Library(by_id={changed.id: changed})
    again.start("cccccccccccc", Setup(questions=1), library, Standing(), now_ms=candidate.now)
    assert candidate.question().asked == before
    assert before.follow_up is not None
    assert [figure.claim_id for figure in before.figures] == ["weights", "step"]


def test_a_deleted_interview_is_gone_with_its_recordings(candidate: Candidate, tmp_path: Path) -> None:
    candidate.interviews.keep_recording(candidate.id, 0, "main", b"RIFF")
    folder = tmp_path / "interviews" / candidate.id
    assert [path.name for path in folder.iterdir()] == ["1-answer.wav"]
    candidate.interviews.delete(candidate.id)
    assert candidate.interviews.get(candidate.id, candidate.now) is None
    assert not folder.exists()
    assert candidate.interviews.all(candidate.now) == ()


def test_a_recording_that_comes_after_the_interview_was_deleted_is_not_kept(
    candidate: Candidate, tmp_path: Path
) -> None:
    candidate.interviews.delete(candidate.id)
    candidate.interviews.keep_recording(candidate.id, 0, "main", b"RIFF")
    assert not (tmp_path / "interviews" / candidate.id).exists()


def test_notes_of_a_hundred_thousand_characters_are_kept_whole(candidate: Candidate) -> None:
    candidate.do("begin")
    notes = "显存 4.8 ms, " * 10_000
    candidate.write(notes)
    candidate.now += 90_000
    candidate.do("finish")
    assert candidate.question().draft("main").text == notes


def test_a_number_to_predict_is_asked_where_a_lab_measures_it(
    interviews: Interviews, library: Library
) -> None:
    setup = replace(SETUP, live=True, follow_ups=False, questions=1)
    taking = Candidate(interviews, library, setup)
    taking.start()
    live = taking.question().asked.live
    assert live is not None
    assert (live.claim_id, live.unit, live.lab) == ("step", "ms", "mbu_floor")
    taking.do("begin")
    taking.now += 70_000
    assert taking.question().clock.phase == "predict_ready"
    taking.do("begin")
    taking.write("4,8", part="predict")
    taking.now += 5_000
    taking.do("finish")
    assert taking.question().clock.predict_used_ms == 5_000
    assert taking.question().draft("predict").text == "4,8"


def test_five_questions_take_five_minutes() -> None:
    assert QUICK.questions * QUICK.seconds == 5 * 60
    assert QUICK.thinking == 0
    assert not QUICK.follow_ups
    assert Setup.from_json(QUICK.to_json()) == QUICK
    assert Setup.from_json({"seconds": 10**9, "mode": "?", "decks": "x"}) == Setup()
