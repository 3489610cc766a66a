"""From a package of Anki's to the records of an import: checked, shown and taken in like any other file."""

from __future__ import annotations

import hashlib
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from msgspec.structs import replace as replaced
from sqlalchemy import Connection

from engine.store import Store
from engine.study.card import Card, Deck, Library
from engine.study.card_changes import flags_in, is_tag
from engine.study.card_flags import NONE, Flags, folded
from engine.study.change_log import OF_SCHEDULE, Change, Kind
from engine.study.deck_stamp import stamped
from engine.study.deck_text import UnwritableDeck, deck_text, same_cards
from engine.study.exchange.apkg.cargo import FIELD, GUID, Cargo, Header, unpacked
from engine.study.exchange.apkg.from_log import Calendar, Source, answers_of, is_answer, is_reset
from engine.study.exchange.apkg.from_notes import OWN_TAGS, card_id_of, decks_of, short_hash, topic_of
from engine.study.exchange.apkg.outgoing import digest
from engine.study.exchange.apkg.process import read_package
from engine.study.exchange.apkg.values import (
    NEW,
    SUSPENDED,
    AnkiCard,
    AnkiNote,
    AnkiPackage,
    AnkiPicture,
    LogRow,
)
from engine.study.exchange.faults import ExchangeFault
from engine.study.exchange.parsed import Parsed
from engine.study.exchange.plan import reviews_here
from engine.study.exchange.records import (
    ChangeRecord,
    ChangeUndoRecord,
    DeckRecord,
    Export,
    PictureRecord,
    ReviewRecord,
    SchedulerRecord,
)
from engine.study.pictures import FOLDER, LARGEST, NAME, kind_of, names_of
from engine.study.placed import steps_of
from engine.study.schedule import SchedulerParams
from engine.study.schedule_plan import plan_in
from engine.study.settings import load_in, scheduler_of
from engine.study.study_day import to_ms
from engine.study.today import now_for_learner


@dataclass(frozen=True, slots=True)
class Learner:
    """Who takes the package in: the store and the decks here, and whose days count.

    decks: the folder of the learner's own decks.
    """

    store: Store
    library: Library
    decks: Path
    zone: str
    now: datetime


@dataclass(frozen=True, slots=True)
class _Held:
    """A card in the package: the note it is of, the id it has here, and what of ours came with it."""

    note: AnkiNote
    source: Source
    cargo: Cargo | None

    @property
    def card(self) -> AnkiCard:
        return self.source.card

    @property
    def rows(self) -> list[LogRow]:
        """The rows of Anki's log that no answer of the cargo stands for."""
        known = set(self.cargo.logged) if self.cargo is not None else set()
        return [row for row in self.card.log if row.at_ms not in known]


def read(content: bytes, where: str, learner: Learner) -> Parsed:
    """The records of an `.apkg`. Nothing is written. Raises ExchangeFault, UnknownZone."""
    return parsed_of(read_package(content, where), where, learner)


def parsed_of(package: AnkiPackage, where: str, learner: Learner) -> Parsed:
    """The records that a package's notes amount to here."""
    if not package.notes:
        raise ExchangeFault(where, "", "holds no notes: choose a deck with cards when exporting from Anki")
    left_out: Counter[str] = Counter()
    held = list(_held(package.notes))
    foreign = [each.note for each in held if each.cargo is None]
    named = _named(package.pictures)
    addresses = {name: f"{FOLDER}/{picture.file}" for name, picture in named.items()}
    decks = [*_own_decks(held), *decks_of(dict.fromkeys(foreign), left_out, addresses)]
    ids = {card.id for deck in decks for card in deck.cards}
    held = [each for each in held if each.source.card_id in ids]
    cargos = [each.cargo for each in held if each.cargo is not None]
    left_out["edited"] = len({each.note.guid for each in held if _is_edited(each)})
    with learner.store.read() as connection:
        answers, changes, undos, schedulers = _records(connection, held, learner)
    export = Export(
        exported_at=learner.now.isoformat(timespec="seconds"),
        settings={},
        schedulers=schedulers,
        reviews=answers,
        card_changes=changes,
        card_change_undos=undos,
        mistakes=tuple({line.nonce: line for cargo in cargos for line in cargo.mistakes}.values()),
        pictures=tuple(_shown(decks, cargos, named)),
        decks=tuple(_deck_records(decks, learner, where, left_out)),
    )
    return Parsed(export, where, left_out={code: number for code, number in left_out.items() if number})


def _named(pictures: Iterable[AnkiPicture]) -> dict[str, PictureRecord]:
    """The pictures that a card can show, by Anki's names, as they are called here: by their content."""
    found: dict[str, PictureRecord] = {}
    for picture in pictures:
        kind = kind_of(picture.content)
        if kind is not None and len(picture.content) <= LARGEST:
            name = f"anki-{hashlib.sha256(picture.content).hexdigest()[:16]}.{kind}"
            found[picture.name] = PictureRecord(file=name, content=picture.content)
    return found


def _shown(
    decks: Iterable[Deck], cargos: Iterable[Cargo], named: Mapping[str, PictureRecord]
) -> Iterator[PictureRecord]:
    """The pictures that the cards show, each name once: a card that carries itself says its names."""
    carried = {
        name.casefold(): replaced(named[of_anki], file=name)
        for cargo in cargos
        for name, of_anki in cargo.pictures
        if of_anki in named and NAME.fullmatch(name)
    }
    known = {picture.file: picture for picture in named.values()} | carried
    wanted = {name.casefold(): name for deck in decks for card in deck.cards for name in names_of(card)}
    for name in sorted(wanted):
        picture = known.get(name)
        if picture is not None:
            yield picture


def _held(notes: Iterable[AnkiNote]) -> Iterator[_Held]:
    for note in notes:
        cargo = None
        if note.guid.startswith(GUID) and FIELD in note.field_names:
            cargo = unpacked(note.fields[note.field_names.index(FIELD)])
        if cargo is not None and note.guid != f"{GUID}{cargo.card.id}":
            cargo = None
        for card in note.cards if cargo is None else note.cards[:1]:
            card_id = card_id_of(note, card) if cargo is None else cargo.card.id
            yield _Held(note, Source(note.guid, card_id, card), cargo)


def _is_edited(held: _Held) -> bool:
    """Whether the fields that Anki shows were changed there."""
    cargo = held.cargo
    if cargo is None:
        return False
    faces = tuple(
        text for text, name in zip(held.note.fields, held.note.field_names, strict=True) if name != FIELD
    )
    return digest(faces) != cargo.shown


def _own_decks(held: Iterable[_Held]) -> list[Deck]:
    """The decks whose cards carry themselves."""
    cards: dict[str, dict[str, tuple[int, Card]]] = defaultdict(dict)
    headers: dict[str, Header] = {}
    for each in held:
        if each.cargo is not None:
            deck_id = each.cargo.deck.id
            headers[deck_id] = each.cargo.deck
            cards[deck_id][each.cargo.card.id] = (each.cargo.place, each.cargo.card)
    return [
        Deck(
            id=deck_id,
            title=headers[deck_id].title,
            language=headers[deck_id].language,
            description=headers[deck_id].description,
            path=f"{deck_id}.yaml",
            cards=tuple(card for _, card in sorted(found.values(), key=lambda entry: entry[0])),
        )
        for deck_id, found in cards.items()
    ]


def _deck_records(
    decks: Iterable[Deck], learner: Learner, where: str, left_out: Counter[str]
) -> Iterator[DeckRecord]:
    """The files of decks that aren't here as they are in the package, under the names they have here."""
    here = {deck.id: deck for deck in learner.library.decks}
    for deck in decks:
        known = here.get(deck.id)
        name = deck.path
        if known is not None:
            if _holds(known, deck):
                continue
            if os.path.realpath(os.path.dirname(known.path)) != os.path.realpath(learner.decks):
                left_out["not_own"] += 1
                continue
            name, deck = os.path.basename(known.path), _renewed(known, deck)
        try:
            text = stamped(deck_text(deck))
        except UnwritableDeck as error:
            raise ExchangeFault(where, "decks", f"{error}: mend the card in Anki, or leave it out") from error
        yield DeckRecord(file=name, text=text)


def _renewed(here: Deck, coming: Deck) -> Deck:
    """The deck that comes, with the cards that only the one here has: an import deletes no card."""
    cards = {card.id: card for card in here.cards} | {card.id: card for card in coming.cards}
    return replace(coming, cards=tuple(cards.values()))


def _holds(here: Deck, coming: Deck) -> bool:
    """Whether a deck here has all the cards of one that comes, with the same texts."""
    kept = {card.id for card in coming.cards}
    cards = tuple(card for card in here.cards if card.id in kept)
    some = Deck(here.id, here.title, here.language, here.path, here.description, cards)
    return same_cards(some, coming)


def _records(
    connection: Connection, held: list[_Held], learner: Learner
) -> tuple[
    tuple[ReviewRecord, ...],
    tuple[ChangeRecord, ...],
    tuple[ChangeUndoRecord, ...],
    tuple[SchedulerRecord, ...],
]:
    settings = load_in(connection)
    now = now_for_learner(connection, to_ms(learner.now), learner.zone, settings.rollover_hour)
    calendar = Calendar(learner.zone, settings.rollover_hour, now.day)
    params = plan_in(connection).of_deck(settings.scheduler, None)
    nonces = [each.source.nonce(row.at_ms) for each in held for row in each.rows if is_answer(row)]
    kept = reviews_here(connection, nonces)
    flags = flags_in(connection)
    answers: dict[str, ReviewRecord] = {}
    changes: dict[tuple[str, str], ChangeRecord] = {}
    undos: dict[str, ChangeUndoRecord] = {}
    schedulers = {
        params.fingerprint: SchedulerRecord(fingerprint=params.fingerprint, params=params.to_json())
    }
    for each in held:
        for change in _changes(each, flags.get(each.source.card_id, NONE), calendar):
            changes[change.nonce, change.card_id] = change
        if each.cargo is not None:
            answers.update((review.nonce, review) for review in each.cargo.reviews)
            undos.update((undo.nonce, undo) for undo in each.cargo.change_undos)
            schedulers.update((record.fingerprint, record) for record in each.cargo.schedulers)
        for review in _answers(each, kept, calendar, params):
            answers[review.nonce] = review
    used = {review.scheduler for review in answers.values()}
    for fingerprint in sorted(used - schedulers.keys()):
        schedulers[fingerprint] = _scheduler(connection, fingerprint)
    return (
        tuple(answers.values()),
        tuple(changes.values()),
        tuple(undos.values()),
        tuple(record for name, record in sorted(schedulers.items()) if name in used),
    )


def _scheduler(connection: Connection, fingerprint: str) -> SchedulerRecord:
    """What an answer was scheduled with that an earlier import made here."""
    return _record(scheduler_of(connection, fingerprint) or SchedulerParams())


def _record(params: SchedulerParams) -> SchedulerRecord:
    return SchedulerRecord(fingerprint=params.fingerprint, params=params.to_json())


def _answers(
    held: _Held, kept: Mapping[str, ReviewRecord], calendar: Calendar, params: SchedulerParams
) -> list[ReviewRecord]:
    cargo = held.cargo
    if cargo is None:
        return answers_of(held.source, held.rows, (), kept, calendar, params)
    if not held.rows:
        return []  # nothing was answered in Anki since it went out
    undone = {undo.change_nonce for undo in cargo.change_undos}
    made = [_change(each, each.nonce in undone) for each in cargo.changes if each.kind in OF_SCHEDULE]
    return answers_of(
        held.source,
        held.rows,
        cargo.reviews,
        kept,
        calendar,
        params,
        sorted(steps_of(made), key=lambda step: step.at_ms),
        len(made) + sum(each.undone for each in made),
    )


def _changes(held: _Held, here: Flags, calendar: Calendar) -> Iterator[ChangeRecord]:
    """What was done to the card: the changes it carries, and what Anki shows that isn't so here or there."""
    source, card, cargo = held.source, held.card, held.cargo
    carried = NONE
    if cargo is not None:
        yield from cargo.changes
        undone = {undo.change_nonce for undo in cargo.change_undos}
        carried = folded(_change(record, record.nonce in undone) for record in cargo.changes)
    resets = [row.at_ms for row in held.rows if is_reset(row)]
    if not resets and card.kind == NEW and any(map(is_answer, held.rows)):
        resets = [max(row.at_ms for row in held.rows) + 1]
    done: list[tuple[Kind, str | None]] = []
    if card.queue == SUSPENDED and not (here.suspended or carried.suspended):
        done.append(("suspend", None))
    elif carried.suspended and card.queue != SUSPENDED and here.suspended:
        done.append(("unsuspend", None))
    tags = {tag for tag in held.note.tags if tag.lower() not in OWN_TAGS}
    marked = any(tag.lower() == "marked" for tag in held.note.tags)
    if marked and not (here.marked or carried.marked):
        done.append(("mark", None))
    elif carried.marked and here.marked and not marked:
        done.append(("unmark", None))
    topics = set(cargo.card.topics) if cargo is not None else {tag for tag in tags if topic_of(tag)}
    done += [("tag", tag) for tag in sorted(tags - topics - {*here.tags, *carried.tags}) if is_tag(tag)]
    done += [("untag", tag) for tag in sorted({*carried.tags} & {*here.tags} - tags)]
    made: list[tuple[Kind, str | None, int]] = [("reset", None, at_ms) for at_ms in resets]
    made += [(kind, value, card.changed_s * 1000) for kind, value in done]
    for kind, value, at_ms in made:
        yield ChangeRecord(
            nonce=f"{source.nonce(at_ms)}-{kind}{short_hash(value, 8) if value else ''}",
            card_id=source.card_id,
            kind=kind,
            value=value,
            at_ms=at_ms,
            study_day=calendar.day(at_ms),
            zone=calendar.zone,
        )


def _change(record: ChangeRecord, undone: bool) -> Change:
    fields = {name: getattr(record, name) for name in ChangeRecord.__struct_fields__}
    return Change(**fields, undone=undone)
