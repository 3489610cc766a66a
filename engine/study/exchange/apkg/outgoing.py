"""From decks and the log to a package that Anki takes in with its schedule and its review log."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import date, datetime
from pathlib import Path
from types import MappingProxyType

from msgspec.structs import replace

from engine.store import Store
from engine.study import state_table
from engine.study.card import Card, Library, placeless
from engine.study.card_changes import flags_in
from engine.study.card_flags import NONE, Flags
from engine.study.card_state import CardState
from engine.study.exchange.apkg.cargo import FIELDS, GUID, SCHEMA, Cargo, header_of, packed
from engine.study.exchange.apkg.process import write_package
from engine.study.exchange.apkg.to_html import BACK, FRONT, STYLE, back, front
from engine.study.exchange.apkg.values import (
    BURIED,
    LEARNING,
    LOG_LEARNING,
    LOG_RELEARNING,
    LOG_REVIEW,
    NEW,
    RELEARNING,
    REVIEW,
    SUSPENDED,
    AnkiCard,
    AnkiNote,
    AnkiPackage,
    AnkiPicture,
    LogRow,
)
from engine.study.exchange.faults import ExchangeFault
from engine.study.exchange.gather import gather
from engine.study.exchange.records import (
    ChangeRecord,
    ChangeUndoRecord,
    Export,
    MistakeRecord,
    ReviewRecord,
    SchedulerRecord,
)
from engine.study.pictures import names_of, read
from engine.study.schedule import SchedulerParams
from engine.study.schedule_plan import plan_in
from engine.study.settings import load_in
from engine.study.study_day import DAY_MINUTES, to_ms
from engine.study.today import now_for_learner

PARENT = "Benchcards"
NOTE_TYPE = "Benchcards"
IN_DAYS = 3
"""Anki's queue of learning cards that are due on a day."""

_KINDS = {"new": NEW, "learning": LEARNING, "review": REVIEW, "relearning": RELEARNING}
_LOGGED = {"new": LOG_LEARNING, "learning": LOG_LEARNING, "review": LOG_REVIEW, "relearning": LOG_RELEARNING}
_FACTOR = 2500


def package_of(
    library: Library,
    export: Export,
    states: Mapping[str, CardState],
    flags: Mapping[str, Flags],
    *,
    today: str,
    params: SchedulerParams,
    retention: Mapping[str, float] = MappingProxyType({}),
    decks: Collection[str] | None = None,
) -> AnkiPackage:
    """The cards of the library (or of some of its decks) with their answers.

    today: the learner's study day. params: what cards are scheduled with now; retention: the desired one of
    decks (by id) that have their own. Answers to cards that no deck
    has are not in it: Anki has no log without cards.
    """
    answers: dict[str, list[ReviewRecord]] = defaultdict(list)
    for review in export.reviews:
        answers[review.card_id].append(review)
    changes: dict[str, list[ChangeRecord]] = defaultdict(list)
    for change in export.card_changes:
        changes[change.card_id].append(change)
    mistakes: dict[str, list[MistakeRecord]] = defaultdict(list)
    for line in export.mistakes:
        mistakes[line.card_id].append(line)
    pictures: dict[str, AnkiPicture] = {}
    taken_back = {undo.change_nonce: undo for undo in export.card_change_undos}
    schedulers = {record.fingerprint: record for record in export.schedulers}
    taken: set[int] = set()
    notes: list[AnkiNote] = []
    for deck in library.decks:
        if decks is not None and deck.id not in decks:
            continue
        for place, card in enumerate(deck.cards):
            given = tuple(answers.get(card.id, ()))
            made = tuple(changes.get(card.id, ()))
            logged = _logged(given, taken)
            shown = _pictures(card)
            pictures |= {picture.name: picture for picture in shown.values()}
            names = {name: picture.name for name, picture in shown.items()}
            faces = front(card, names), back(card, names)
            cargo = Cargo(
                schema=SCHEMA,
                card=placeless(card),
                deck=header_of(deck),
                place=place,
                reviews=given,
                logged=logged,
                schedulers=_used(given, schedulers),
                changes=made,
                change_undos=_taken_back(made, taken_back),
                shown=digest(faces),
                pictures=tuple(names.items()),
                mistakes=tuple(mistakes.get(card.id, ())),
            )
            did = flags.get(card.id, NONE)
            state = states.get(card.id, CardState())
            notes.append(
                AnkiNote(
                    guid=f"{GUID}{card.id}",
                    deck=f"{PARENT}::{deck.title.replace('::', ' ')}",
                    fields=(*faces, packed(cargo)),
                    field_names=FIELDS,
                    tags=_tags(card, did),
                    cards=(
                        replace(
                            _card(state, did, len(notes), given, logged, today),
                            retention=retention.get(deck.id, params.desired_retention),
                        ),
                    ),
                )
            )
    return AnkiPackage(
        notes=tuple(notes),
        decay=params.parameters[20],
        style=STYLE,
        note_type=NOTE_TYPE,
        front=FRONT,
        back=BACK,
        pictures=tuple(pictures.values()),
    )


def _pictures(card: Card) -> dict[str, AnkiPicture]:
    """The pictures that a card shows, by their names here. In Anki they are named by their content: no other
    file of anybody's has such a name, and the same picture always has it."""
    found: dict[str, AnkiPicture] = {}
    for name in names_of(card) if card.file else ():
        content = read(Path(card.file).parent, name)
        if content is not None:
            digested = hashlib.sha256(content).hexdigest()[:16]
            found[name] = AnkiPicture(f"benchcards-{digested}.{name.rpartition('.')[2]}", content)
    return found


def digest(faces: tuple[str, ...]) -> str:
    """Tells whether the fields that Anki shows were changed."""
    return hashlib.sha256("\x00".join(faces).encode("utf-8")).hexdigest()[:16]


def _logged(answers: tuple[ReviewRecord, ...], taken: set[int]) -> tuple[int | None, ...]:
    """The instant under which Anki's log has each answer: it knows a row by its millisecond alone."""
    found: list[int | None] = []
    for answer in answers:
        if answer.undo is not None:
            found.append(None)
            continue
        at_ms = answer.reviewed_at_ms
        while at_ms in taken:
            at_ms += 1
        taken.add(at_ms)
        found.append(at_ms)
    return tuple(found)


def _used(
    answers: tuple[ReviewRecord, ...], schedulers: Mapping[str, SchedulerRecord]
) -> tuple[SchedulerRecord, ...]:
    used = sorted({answer.scheduler for answer in answers})
    return tuple(schedulers[name] for name in used if name in schedulers)


def _taken_back(
    changes: tuple[ChangeRecord, ...], undos: Mapping[str, ChangeUndoRecord]
) -> tuple[ChangeUndoRecord, ...]:
    return tuple(undos[nonce] for nonce in dict.fromkeys(each.nonce for each in changes) if nonce in undos)


def _tags(card: Card, flags: Flags) -> tuple[str, ...]:
    """Topics and own tags; Anki's own two for what is marked and what is a leech."""
    own = ("marked",) * flags.marked + ("leech",) * flags.leech
    return tuple(sorted({*card.topics, *flags.tags, *own}))


def _card(
    state: CardState,
    flags: Flags,
    position: int,
    answers: tuple[ReviewRecord, ...],
    logged: tuple[int | None, ...],
    today: str,
) -> AnkiCard:
    kind = _KINDS[state.phase]
    due_days = None
    if state.due_day is not None:
        due_days = (date.fromisoformat(state.due_day) - date.fromisoformat(today)).days
    queue = kind if kind != RELEARNING else LEARNING
    if kind in (LEARNING, RELEARNING) and due_days is not None:
        queue = IN_DAYS
    if flags.suspended:
        queue = SUSPENDED
    elif flags.buried(today):
        queue = BURIED
    minutes = state.interval_minutes or 0
    return AnkiCard(
        kind=kind,
        queue=queue,
        due_days=due_days,
        due_ms=state.due_ms if due_days is None else None,
        position=position,
        interval_days=max(1, minutes // DAY_MINUTES) if kind in (REVIEW, RELEARNING) else 0,
        reps=state.reps,
        lapses=state.lapses,
        steps_left=1001 if kind in (LEARNING, RELEARNING) else 0,
        stability=state.stability,
        difficulty=state.difficulty,
        last_review_ms=state.last_review_ms,
        log=tuple(
            _row(answer, at_ms) for answer, at_ms in zip(answers, logged, strict=True) if at_ms is not None
        ),
    )


def _row(answer: ReviewRecord, at_ms: int) -> LogRow:
    return LogRow(
        at_ms=at_ms,
        rating=answer.rating,
        interval=_interval(answer.shown[answer.rating - 1], answer.state_after.phase),
        last_interval=_interval(answer.state_before.interval_minutes or 0, answer.state_before.phase),
        factor=_FACTOR,
        took_ms=answer.answer_ms,
        kind=_LOGGED[answer.kind],
    )


def _interval(minutes: int, phase: str) -> int:
    """Days for a card in review, else seconds below zero, as Anki writes it."""
    return minutes // DAY_MINUTES if phase == "review" else -60 * minutes


def export(
    store: Store,
    library: Library,
    decks_folder: Path,
    *,
    now: datetime,
    zone: str,
    decks: Collection[str] | None = None,
) -> bytes:
    """The `.apkg` of the library, or of some of its decks (by id). Raises ExchangeFault, UnknownZone.

    decks_folder: where the learner's own decks lie.
    """
    gathered = gather(store, decks_folder, now).export
    with store.read() as connection:
        settings = load_in(connection)
        plan = plan_in(connection)
        today = now_for_learner(connection, to_ms(now), zone, settings.rollover_hour).day
        states = state_table.read_all(connection)
        flags = flags_in(connection)
    package = package_of(
        library,
        gathered,
        states,
        flags,
        today=today,
        params=plan.of_deck(settings.scheduler, None),
        retention=plan.retention,
        decks=decks,
    )
    if not package.notes:
        raise ExchangeFault("export", "decks", "hold no cards: choose a deck that has some")
    return write_package(package)
