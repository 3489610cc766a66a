"""What the server tells the card component: queue, cards it lacks, and what became of its operations."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from app_pages.review_card.faces import Faces
from app_pages.review_card.talk import Outcome, Refusal, TakenBack, Talk
from app_pages.words import MINUTES_A_DAY, catalogue, interval, knows, phrase
from engine.claims.sightings import cards_seen
from engine.study.card import Library
from engine.study.desk import DayAhead, Desk, Queue, QueueItem

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


def payload(
    *,
    reader: Reader,
    library: Library,
    desk: Desk,
    faces: Faces,
    talk: Talk,
    outcomes: dict[str, Outcome],
    decks: Collection[str] | None,
) -> tuple[dict[str, Any], Queue]:
    """The component's data, and the queue it was made from."""
    queue = desk.queue(reader.now, reader.zone, size=AHEAD, decks=decks)
    items = [item for item in queue.items if item.card_id in library.by_id]
    taken_back = [(nonce, each) for nonce, each in outcomes.items() if isinstance(each, TakenBack)]
    if any(all(item.card_id != each.card_id for item in items) for _, each in taken_back):
        wanted = {each.card_id for _, each in taken_back}
        far = desk.queue(reader.now, reader.zone, size=FAR, decks=decks).items
        items += [item for item in far[AHEAD:] if item.card_id in wanted and item.card_id in library.by_id]
    titles = {deck.id: deck.title for deck in library.decks}
    held = {item.card_id: library.by_id[item.card_id] for item in items}
    keys = {card_id: faces.key(card, titles[card.deck]) for card_id, card in held.items()}
    lacking = {key: held[card_id] for card_id, key in keys.items() if key not in talk.have}
    # With answers on their way the client counts on by itself: their confirmation is not kept waiting.
    reviewed = None if talk.ops and items else desk.today(reader.now, reader.zone).reviewed
    data = {
        "session": reader.session,
        "language": reader.language,
        "words": words(reader.language),
        "now_ms": int(reader.now.timestamp() * 1000),
        "items": [_item(item, keys[item.card_id], reader.language) for item in items],
        "cards": {key: faces.of(card, titles[card.deck]) for key, card in lacking.items()},
        "counts": {
            "new": queue.counts.new,
            "learning": queue.counts.learning,
            "due": queue.counts.due,
        },
        "reviewed": reviewed,
        "next_due_ms": queue.next_due_ms,
        "confirmed": [nonce for nonce, each in outcomes.items() if not isinstance(each, Refusal)],
        "undone": [
            {"nonce": nonce, "card_id": each.card_id, "rating": each.rating} for nonce, each in taken_back
        ],
        "refused": [
            _refusal(each, reader.language, library)
            for each in outcomes.values()
            if isinstance(each, Refusal)
        ],
        "seen": None
        if reviewed is None
        else cards_seen(desk.store, [*held], now=reader.now, zone=reader.zone),
        "predict_for": reader.predicts_for,
        "done": None if items else _done(reader, desk, queue, reviewed or 0, decks),
    }
    return data, queue


@cache
def words(language: str) -> dict[str, str]:
    """The words that the component says by itself."""
    said = {
        key.removeprefix(WORDS): text for key, text in catalogue(language).items() if key.startswith(WORDS)
    }
    shared = ("grade.", "kind.")
    return said | {key: text for key, text in catalogue(language).items() if key.startswith(shared)}


def _item(item: QueueItem, face: str, language: str) -> dict[str, Any]:
    return {
        "card_id": item.card_id,
        "face": face,
        "version": item.version,
        "phase": item.phase,
        "outcomes": [interval(language, outcome.minutes) for outcome in item.outcomes],
        "shown_at_ms": item.shown_at_ms,
        "shown_day": item.shown_day,
        "scheduler": item.scheduler,
    }


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


def _done(
    reader: Reader, desk: Desk, queue: Queue, answered: int, decks: Collection[str] | None
) -> dict[str, Any]:
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
