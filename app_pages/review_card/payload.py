"""What the server tells the card component: queue, cards it lacks, and what became of its operations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

from app_pages.review_card.faces import Faces
from app_pages.review_card.noting import open_lines
from app_pages.review_card.talk import Leech, Outcome, Refusal, TakenBack, Talk
from app_pages.words import MINUTES_A_DAY, catalogue, interval, knows, phrase
from engine.claims.sightings import cards_seen
from engine.study import card_changes, practice
from engine.study.card import Library
from engine.study.card_flags import Flags
from engine.study.desk import DayAhead, Desk, Queue, QueueItem
from engine.study.practice import PracticeQueue, Sitting
from engine.study.review_keys import DEFAULTS
from engine.study.scope import Narrowed

AHEAD = 12
"""Cards that lie ready on the client."""

FAR = 1000
"""How far down the queue a card that was taken back is looked for."""

WORDS = "review.card."


@dataclass(frozen=True, slots=True)
class Reader:
    """Who is looking: their browser session, language, time zone, and the instant."""

    session: str
    language: str
    zone: str
    now: datetime
    predicts_for: str | None = None
    """The GPU that predictions are for, by its name; None: the one that each card speaks of."""
    keys: Mapping[str, str] = field(default_factory=lambda: DEFAULTS)
    """The keys of the page (`engine.study.review_keys`)."""
    sitting: Sitting | None = None
    """What is practised outside the schedule; None: the daily review."""
    line: str | None = None
    """Where the component sends what needs no run of the page's script; None: nowhere."""
    edited: Mapping[str, str] | None = None
    """The last wish to edit a card that was done with: its `nonce`, a `message` ("": nothing was saved)."""


def payload(
    *,
    reader: Reader,
    library: Library,
    desk: Desk,
    faces: Faces,
    talk: Talk,
    outcomes: dict[str, Outcome],
    decks: Narrowed,
) -> tuple[dict[str, Any], Queue]:
    """The component's data, and the queue it was made from."""
    queue = desk.queue(reader.now, reader.zone, size=AHEAD, decks=decks)
    taken_back = [(nonce, each) for nonce, each in outcomes.items() if isinstance(each, TakenBack)]
    practised = None
    if reader.sitting is not None:
        practised = practice.queue(desk.store, reader.sitting, now=reader.now, zone=reader.zone, size=AHEAD)
        rows = [_practice_item(card_id, reader, practised) for card_id in practised.items]
    else:
        rows = [_item(item, reader.language) for item in _items(reader, desk, queue, taken_back, decks)]
    rows = [row for row in rows if row["card_id"] in library.by_id]
    titles = {deck.id: deck.title for deck in library.decks}
    held = {row["card_id"]: library.by_id[row["card_id"]] for row in rows}
    keys = {card_id: faces.key(card, titles[card.deck]) for card_id, card in held.items()}
    lacking = {key: held[card_id] for card_id, key in keys.items() if key not in talk.have}
    flags = card_changes.flags(desk.store, list(held))
    for row in rows:
        each = flags.get(row["card_id"], Flags())
        row |= {"face": keys[row["card_id"]], "marked": each.marked, "leech": each.leech}
    # With answers on their way the client counts on by itself: their confirmation is not kept waiting.
    counted = not (talk.ops and rows)
    reviewed = _reviewed(reader, desk, practised) if counted else None
    data = {
        "session": reader.session,
        "line": reader.line,
        "language": reader.language,
        "words": words(reader.language),
        "now_ms": int(reader.now.timestamp() * 1000),
        "keys": dict(reader.keys),
        "practice": None if reader.sitting is None else reader.sitting.name,
        "items": rows,
        "cards": {key: faces.of(card, titles[card.deck]) for key, card in lacking.items()},
        "counts": _counts(queue, practised),
        "reviewed": reviewed,
        "next_due_ms": queue.next_due_ms if practised is None else None,
        "confirmed": [nonce for nonce, each in outcomes.items() if not isinstance(each, Refusal)],
        "undone": [
            {
                "nonce": nonce,
                "card_id": each.card_id,
                "rating": each.rating,
                "kind": each.kind,
                "message": _taken_back(each, reader.language, library),
            }
            for nonce, each in taken_back
        ],
        "told": [
            {"nonce": each.nonce, "message": _leech(each, reader.language, library)}
            for each in outcomes.values()
            if isinstance(each, Leech)
        ],
        "refused": [
            _refusal(each, reader.language, library)
            for each in outcomes.values()
            if isinstance(each, Refusal)
        ],
        "seen": None
        if reviewed is None
        else cards_seen(desk.store, [*held], now=reader.now, zone=reader.zone),
        "mistakes": None if reviewed is None else open_lines(desk.store, [*held]),
        "predict_for": reader.predicts_for,
        "info": _info(talk.info, library, desk, reader),
        "edited": None if reader.edited is None else dict(reader.edited),
        "done": None
        if rows
        else _practice_done(reader, practised)
        if practised is not None
        else _done(reader, desk, queue, reviewed or 0, decks),
    }
    return data, queue


def _items(
    reader: Reader,
    desk: Desk,
    queue: Queue,
    taken_back: list[tuple[str, TakenBack]],
    decks: Narrowed,
) -> list[QueueItem]:
    """The queue's items, with those that were taken back, however far down they stand."""
    items = list(queue.items)
    wanted = {each.card_id for _, each in taken_back if each.cards == 1}
    if wanted - {item.card_id for item in items}:
        far = desk.queue(reader.now, reader.zone, size=FAR, decks=decks).items
        items += [item for item in far[AHEAD:] if item.card_id in wanted]
    return items


@cache
def words(language: str) -> dict[str, str]:
    """The words that the component says by itself."""
    said = {
        key.removeprefix(WORDS): text for key, text in catalogue(language).items() if key.startswith(WORDS)
    }
    shared = ("grade.", "kind.")
    return said | {key: text for key, text in catalogue(language).items() if key.startswith(shared)}


def _item(item: QueueItem, language: str) -> dict[str, Any]:
    return {
        "card_id": item.card_id,
        "version": item.version,
        "phase": item.phase,
        "outcomes": [interval(language, outcome.minutes) for outcome in item.outcomes],
        "shown_at_ms": item.shown_at_ms,
        "shown_day": item.shown_day,
        "scheduler": item.scheduler,
    }


def _practice_item(card_id: str, reader: Reader, queue: PracticeQueue) -> dict[str, Any]:
    """A card outside the schedule: its buttons say whether it comes once more."""
    again, done = (phrase(reader.language, f"review.practice.{name}") for name in ("again", "done"))
    return {
        "card_id": card_id,
        "version": 0,
        "phase": "learning" if card_id in queue.repeated else "review",
        "outcomes": [again, done, done, done],
        "shown_at_ms": int(reader.now.timestamp() * 1000),
        "shown_day": None,
        "scheduler": None,
    }


def _counts(queue: Queue, practised: PracticeQueue | None) -> dict[str, int]:
    if practised is not None:
        return {"new": 0, "learning": practised.again, "due": practised.left - practised.again}
    return {"new": queue.counts.new, "learning": queue.counts.learning, "due": queue.counts.due}


def _title(card_id: str, library: Library) -> str:
    card = library.by_id.get(card_id)
    return card_id if card is None else card.title


def _taken_back(each: TakenBack, language: str, library: Library) -> str:
    """What an undo took back, by name."""
    title = _title(each.card_id, library)
    if each.kind is None:
        rating = phrase(language, f"grade.{each.rating}")
        return phrase(language, "review.card.undone", rating=rating, title=title)
    if each.cards > 1:
        title = phrase(language, "review.and_more", title=title, n=each.cards - 1)
    return phrase(language, f"review.card.back.{each.kind}", title=title)


def _leech(each: Leech, language: str, library: Library) -> str:
    key = "review.leech_suspended" if each.suspended else "review.leech"
    return phrase(language, key, title=_title(each.card_id, library), n=each.lapses)


def _info(card_id: str | None, library: Library, desk: Desk, reader: Reader) -> dict[str, str] | None:
    """What is known of the card that was asked about."""
    card = library.by_id.get(card_id or "")
    if card is None:
        return None
    from app_pages import card_info  # not before somebody asks

    who = card_info.Reader(reader.language, reader.zone, reader.now)
    return {"card_id": card.id, "title": card.title, "html": card_info.card_info(card, desk, who)}


def _reviewed(reader: Reader, desk: Desk, practised: PracticeQueue | None) -> int:
    """Answers behind the reader: of the sitting, or of the day."""
    return desk.today(reader.now, reader.zone).reviewed if practised is None else practised.done


def _practice_done(reader: Reader, practised: PracticeQueue) -> dict[str, Any]:
    sitting = reader.sitting
    if sitting is not None and sitting.mode == "ahead" and not practised.done:
        text = phrase(reader.language, "review.practice.none_ahead", days=sitting.days)
    else:
        text = phrase(reader.language, "review.practice.finished", n=practised.done)
    return {"text": text, "forecast": []}


def _refusal(refusal: Refusal, language: str, library: Library) -> dict[str, Any]:
    card = library.by_id.get(refusal.card_id or "")
    known = f"review.refused.{refusal.code}"
    message = phrase(
        language,
        known if knows(known) else "review.refused.other",
        **{"title": card.title if card else refusal.card_id or "", "code": refusal.code, **refusal.args},
    )
    return {
        "nonce": refusal.nonce,
        "card_id": refusal.card_id,
        "bring_back": refusal.bring_back,
        "kind": "calm" if refusal.code == "nothing_to_undo" else "problem",
        "message": message,
    }


def _done(reader: Reader, desk: Desk, queue: Queue, answered: int, decks: Narrowed) -> dict[str, Any]:
    """The done screen: what was done, when the next card comes, and what the next days bring."""
    ahead = desk.forecast(reader.now, reader.zone, decks=decks)
    if queue.next_due_ms is None:
        text = phrase(reader.language, "review.done.never", n=answered)
    else:
        minutes = (queue.next_due_ms - reader.now.timestamp() * 1000) / 60_000
        days = next((index for index, day in enumerate(ahead) if _cards(day)), 0)
        if days:  # counted as the learner counts, not by 24 hours
            minutes = days * MINUTES_A_DAY
        when = phrase(reader.language, "review.when.in", interval=interval(reader.language, minutes))
        text = phrase(reader.language, "review.done.later", n=answered, when=when)
    return {
        "text": text,
        "forecast": [
            {"label": _day(reader.language, index), "n": _cards(day)}
            for index, day in enumerate(ahead)
            if _cards(day)
        ],
    }


def _cards(day: DayAhead) -> int:
    return day.new + day.learning + day.due


def _day(language: str, index: int) -> str:
    if index == 0:
        return phrase(language, "review.when.today")
    if index == 1:
        return phrase(language, "review.when.tomorrow")
    return phrase(language, "review.when.days", n=index)
