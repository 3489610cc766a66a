"""What an interview came to: per question and over all, and against the interviews before it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.interview.marks import Band
from engine.interview.question import Interview, Question
from engine.study.search import plain_markdown

MOST_ITEMS = 3
"""Strengths shown, and points to work on."""

REPEATED_FROM = 2
"""Interviews in which a point was missed before it counts as missed repeatedly."""

STRENGTH_FROM = 0.75
_PRIORITY, _REPEATED, _PARTLY = 2.0, 1.5, 0.5
"""What a point to work on weighs: more on a priority card and when missed before, half where partly."""


@dataclass(frozen=True, slots=True)
class Weakness:
    """A point to work on. missed_in: interviews in which it was missed, this one among them."""

    card_id: str
    card_title: str
    heading: str
    place: int
    labs: tuple[str, ...]
    missed_in: int


@dataclass(frozen=True, slots=True)
class Strength:
    """A topic that went well, with its mean score (0 to 1) and how many questions it stood in."""

    topic: str
    score: float
    questions: int


@dataclass(frozen=True, slots=True)
class TopicTrend:
    """A topic now and in the interviews before: mean scores from 0 to 1, None where it was not asked."""

    topic: str
    now: float
    before: float | None
    asked_before: int


@dataclass(frozen=True, slots=True)
class Repeated:
    """A point that was missed again and again."""

    card_id: str
    card_title: str
    heading: str
    times: int
    labs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """An interview as a whole. Times in milliseconds; score from 0 to 1, None where nothing is ticked."""

    interview: Interview
    answered: int
    skipped: int
    not_asked: int
    used_ms: int
    points_covered: int
    points_partly: int
    points: int
    figures_right: int
    figures_wrong: int
    figures_missing: int
    score: float | None
    bands: dict[Band, int]
    strengths: tuple[Strength, ...]
    to_work_on: tuple[Weakness, ...]
    trends: tuple[TopicTrend, ...]
    repeated: tuple[Repeated, ...]


def report(interview: Interview, earlier: Sequence[Interview]) -> Report:
    """The report. earlier: the interviews that began before this one, in any order."""
    questions = asked_questions(interview)
    before = [question for each in earlier for question in asked_questions(each)]
    times = missed_times((interview, *earlier))
    bands = Counter(question.marks.band for question in questions)
    return Report(
        interview=interview,
        answered=sum(question.clock.outcome == "answered" for question in interview.questions),
        skipped=sum(question.clock.outcome == "skipped" for question in interview.questions),
        not_asked=sum(question.clock.outcome == "broken_off" for question in interview.questions),
        used_ms=sum(time_used_ms(question) for question in questions),
        points_covered=sum(question.marks.count("point", "covered") for question in questions),
        points_partly=sum(question.marks.count("point", "partly") for question in questions),
        points=sum(len(question.asked.points) for question in questions),
        figures_right=sum(question.marks.count("figure", "right") for question in questions),
        figures_wrong=sum(question.marks.count("figure", "wrong") for question in questions),
        figures_missing=sum(question.marks.count("figure", "missing") for question in questions),
        score=mean_score(questions),
        bands={band: number for band, number in bands.items() if band is not None},
        strengths=_strengths(questions),
        to_work_on=_to_work_on(questions, times),
        trends=_trends(questions, before),
        repeated=repeated_misses((interview, *earlier)),
    )


def asked_questions(interview: Interview) -> list[Question]:
    """The questions that were put: answered or skipped."""
    return [each for each in interview.questions if each.clock.outcome in ("answered", "skipped")]


def time_used_ms(question: Question) -> int:
    """Time taken by answer, prediction and follow-up together."""
    clock = question.clock
    return (clock.used_ms or 0) + (clock.predict_used_ms or 0) + (clock.follow_used_ms or 0)


def mean_score(questions: Iterable[Question]) -> float | None:
    """The mean over the questions that have a score."""
    scores = [question.marks.score for question in questions]
    known = [score for score in scores if score is not None]
    return sum(known) / len(known) if known else None


def topic_scores(questions: Iterable[Question]) -> dict[str, list[float]]:
    """The scores of the questions of each topic; a card without topics counts for its deck."""
    found: dict[str, list[float]] = defaultdict(list)
    for question in questions:
        score = question.marks.score
        if score is not None:
            for topic in question.asked.topics or (question.asked.deck_title,):
                found[topic].append(score)
    return found


def missed_times(interviews: Iterable[Interview]) -> Counter[tuple[str, str]]:
    """In how many interviews each point (card id, heading) was missed."""
    return Counter(
        (question.asked.card_id, point.heading)
        for interview in interviews
        for question in asked_questions(interview)
        for point, mark in zip(question.asked.points, question.marks.points, strict=False)
        if mark.tick == "missed"
    )


def repeated_misses(interviews: Sequence[Interview]) -> tuple[Repeated, ...]:
    """The points missed in several interviews, the most often missed first."""
    times = missed_times(interviews)
    asked = {question.asked.card_id: question.asked for each in interviews for question in each.questions}
    found = [
        Repeated(
            card_id=card_id,
            card_title=plain_markdown(asked[card_id].title),
            heading=plain_markdown(heading),
            times=number,
            labs=asked[card_id].labs,
        )
        for (card_id, heading), number in times.items()
        if number >= REPEATED_FROM
    ]
    return tuple(sorted(found, key=lambda each: (-each.times, each.card_title, each.heading)))


def _strengths(questions: Sequence[Question]) -> tuple[Strength, ...]:
    found = [
        Strength(topic, sum(scores) / len(scores), len(scores))
        for topic, scores in topic_scores(questions).items()
    ]
    good = [each for each in found if each.score >= STRENGTH_FROM]
    return tuple(sorted(good, key=lambda each: (-each.score, -each.questions, each.topic))[:MOST_ITEMS])


def _to_work_on(questions: Sequence[Question], times: Counter[tuple[str, str]]) -> tuple[Weakness, ...]:
    """The points that cost most, one of each card before a second of any."""
    weighed = []
    for question in questions:
        of_card = []
        for index, (point, mark) in enumerate(
            zip(question.asked.points, question.marks.points, strict=False)
        ):
            if mark.tick not in ("missed", "partly"):
                continue
            missed = times[(question.asked.card_id, point.heading)]
            weight = _PARTLY if mark.tick == "partly" else 1.0
            weight *= _PRIORITY if question.asked.is_priority else 1.0
            weight *= _REPEATED if missed >= REPEATED_FROM else 1.0
            found = Weakness(
                card_id=question.asked.card_id,
                card_title=plain_markdown(question.asked.title),
                heading=plain_markdown(point.heading or point.text),
                place=question.place,
                labs=question.asked.labs,
                missed_in=missed,
            )
            of_card.append((weight, -index, found))
        of_card.sort(key=lambda each: each[:2], reverse=True)
        weighed += [(nth, -weight, question.place, found) for nth, (weight, _, found) in enumerate(of_card)]
    weighed.sort(key=lambda each: each[:3])
    return tuple(found for *_, found in weighed[:MOST_ITEMS])


def _trends(questions: Sequence[Question], before: Sequence[Question]) -> tuple[TopicTrend, ...]:
    earlier = topic_scores(before)
    found = [
        TopicTrend(
            topic=topic,
            now=sum(scores) / len(scores),
            before=sum(earlier[topic]) / len(earlier[topic]) if topic in earlier else None,
            asked_before=len(earlier.get(topic, ())),
        )
        for topic, scores in topic_scores(questions).items()
    ]
    return tuple(sorted(found, key=lambda each: (each.before is None, each.now, each.topic)))
