"""What the server tells the interview's component: the question or the review, and what is on disk by now."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from app_pages.interview_room.talk import Ledger, Talk
from app_pages.interview_words import colon, figure_text, predicted_text
from app_pages.words import catalogue, interval, knows, phrase
from engine.interview.agree import proposal
from engine.interview.clock import Clock, course
from engine.interview.interviews import LONGEST_TEXT
from engine.interview.marks import BANDS, FIGURE_TICKS, POINT_TICKS, Mark
from engine.interview.question import PARTS, Interview, Question, allowance_of
from engine.study.queue import Outcome

WORDS = "interview.room."
SHARED_WORDS = ("grade.", "kind.")


@cache
def words(language: str) -> dict[str, str]:
    """The words that the component says by itself."""
    of = catalogue(language)
    own = {key.removeprefix(WORDS): text for key, text in of.items() if key.startswith(WORDS)}
    card = "review.card."
    from_card = {
        name: of[f"{card}{name}"]
        for name in ("priority", "pitfall", "follow_up", "key_figures", "keys", "close", "key.space", "table")
    }
    return from_card | own | {key: text for key, text in of.items() if key.startswith(SHARED_WORDS)}


def envelope(language: str, now_ms: int, talk: Talk, ledger: Ledger) -> dict[str, Any]:
    """What stands in every payload: the clock, the words, and what became of the last message."""
    return {
        "view": "keeper",
        "language": language,
        "words": words(language),
        "now_ms": now_ms,
        "echo_ms": talk.sent_ms,
        "saved": {text.key: ledger.saved[text.key] for text in talk.texts if text.key in ledger.saved},
        "done": [op["nonce"] for op in talk.ops if op["nonce"] in ledger.done],
        "refused": [
            _refusal(language, *ledger.refused[op["nonce"]])
            for op in talk.ops
            if op["nonce"] in ledger.refused
        ],
        "trouble": ledger.trouble,
    }


def question_payload(interview: Interview, question: Question, now_ms: int) -> dict[str, Any]:
    """The question that is asked. What comes later (prompt, follow-up, number) isn't told before its time."""
    from app_pages.markup import inline, plain
    from app_pages.numbers import unit_sign

    asked, clock = question.asked, question.clock
    block = _block(asked.card.file)
    allowance = allowance_of(interview.setup, asked)
    shown = clock.phase != "ready"
    practice = interview.setup.mode == "practice"
    follow = asked.follow_up if clock.phase == "following" else None
    live = asked.live if clock.phase == "predicting" else None
    return {
        "view": "question",
        "interview": interview.id,
        "place": question.place,
        "total": len(interview.questions),
        "mode": interview.setup.mode,
        "phase": clock.phase,
        "paused": clock.is_paused,
        "course": _course(clock, now_ms, question, interview),
        "lengths": {
            "thinking": allowance.thinking_ms,
            "answering": allowance.answer_ms,
            "predicting": allowance.predict_ms or 0,
            "following": allowance.follow_ms or 0,
        },
        "card": {
            "lang": asked.language,
            "deck": asked.deck_title,
            "kind": asked.card.kind,
            "priority": asked.is_priority,
            "title": inline(asked.title),
            "plain_title": plain(asked.title),
            "prompt": block(asked.card.prompt),
        }
        if shown
        else None,
        "follow_up": block(follow.prompt) if follow is not None else None,
        "live": {"label": live.label, "unit": unit_sign(live.unit)} if live is not None else None,
        "hints": [plain(point.heading) for point in asked.points] if practice and shown else [],
        "hints_shown": question.hints,
        "longest": LONGEST_TEXT,
        "drafts": {
            part: {"text": question.draft(part).text, "seq": question.draft(part).seq} for part in PARTS
        },
    }


def review_payload(
    interview: Interview,
    question: Question,
    *,
    language: str,
    outcomes: tuple[Outcome, ...] | None,
    given: int | None,
    revisited: bool,
) -> dict[str, Any]:
    """An answer beside the model answer. outcomes: what each rating leads to, None where no deck holds it."""
    from app_pages.markup import inline

    asked, marks, clock = question.asked, question.marks, question.clock
    block = _block(asked.card.file)
    follow = asked.follow_up
    band = marks.band
    return {
        "view": "review",
        "interview": interview.id,
        "place": question.place,
        "total": len(interview.questions),
        "mode": interview.setup.mode,
        "revisited": revisited,
        "outcome": clock.outcome,
        "used": _used(language, clock, interview),
        "hints_used": question.hints,
        "card": {
            "lang": asked.language,
            "deck": asked.deck_title,
            "kind": asked.card.kind,
            "priority": asked.is_priority,
            "title": inline(asked.title),
            "prompt": block(asked.card.prompt),
            "pitfall": block(asked.card.pitfall) if asked.card.pitfall else "",
        },
        "notes": question.draft("main").text,
        "transcript": question.transcripts.get("main", ""),
        "points": [
            {"heading": inline(point.heading), "text": block(point.text), **_mark(mark)}
            for point, mark in zip(asked.points, marks.points, strict=False)
        ],
        "figures": [
            {"text": inline(figure_text(figure, language)), **_mark(mark)}
            for figure, mark in zip(asked.figures, marks.figures, strict=False)
        ],
        "lines": [inline(line) for line in asked.card.key_figures] if asked.card.claims else [],
        "follow_up": {
            "prompt": block(follow.prompt),
            "answer": block(follow.answer),
            "notes": question.draft("follow_up").text,
            "transcript": question.transcripts.get("follow_up", ""),
            **_mark(marks.follow_up),
        }
        if follow is not None
        else None,
        "predicted": {
            "label": f"{asked.live.label}{colon(language)}",
            "text": predicted_text(question.draft("predict").text, asked.live.unit),
        }
        if asked.live is not None and question.draft("predict").text
        else None,
        "ticks": {"point": list(POINT_TICKS), "figure": list(FIGURE_TICKS)},
        "bands": list(BANDS),
        "band": band,
        "proposal": proposal(interview, question),
        "rating": given,
        "intervals": [interval(language, outcome.minutes) for outcome in outcomes] if outcomes else None,
        "last": all(
            each.reviewed or each is question or each.clock.outcome == "broken_off"
            for each in interview.questions
        ),
    }


def _course(clock: Clock, now_ms: int, question: Question, interview: Interview) -> list[dict[str, Any]]:
    """The parts that follow one another with the instant each ends; of a paused one, as if it went on."""
    if clock.left_ms is not None:
        return [{"phase": clock.phase, "until_ms": now_ms + clock.left_ms}]
    allowance = allowance_of(interview.setup, question.asked)
    return [{"phase": each.phase, "until_ms": each.until_ms} for each in course(clock, allowance)]


def _mark(mark: Mark) -> dict[str, Any]:
    return {"tick": mark.tick, "by_learner": mark.by_learner, "found": mark.found}


def _used(language: str, clock: Clock, interview: Interview) -> str:
    from app_pages.numbers import clock as as_clock

    if clock.used_ms is None:
        return ""
    return phrase(
        language,
        "interview.used",
        used=as_clock(clock.used_ms / 1000 + 0.5),
        allowed=as_clock(interview.setup.seconds),
    )


def _refusal(language: str, code: str, args: dict[str, str]) -> str:
    """Why a deed was not done, in words."""
    key = f"interview.refused.{code}"
    return phrase(language, key if knows(key) else "interview.refused.other", **{"reason": code, **args})


def _block(file: str) -> Callable[[str], str]:
    """Markdown to HTML with the pictures of the deck in that file."""
    from app_pages import markup  # a page that only begins does without

    return partial(markup.block, folder=markup.deck_folder(file))
