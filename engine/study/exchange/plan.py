"""What of a file is new here: looked up in the store, nothing written."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import msgspec
from sqlalchemy import Connection, select

from engine.store.claim_tables import predictions, record_notes, sightings
from engine.store.notebook_tables import mistakes
from engine.store.schedule_tables import schedule_changes
from engine.store.tables import reviews, settings, undos
from engine.study import change_log
from engine.study import settings as study_settings
from engine.study.deck_bytes import read_bytes
from engine.study.deck_stamp import is_untouched
from engine.study.exchange.few import chunks
from engine.study.exchange.gather import review_of
from engine.study.exchange.parsed import Parsed
from engine.study.exchange.pictures import new_here
from engine.study.exchange.plan_changes import ChangesPlan, plan_changes
from engine.study.exchange.records import (
    DeckRecord,
    MistakeRecord,
    NoteRecord,
    PictureRecord,
    PredictionRecord,
    ReviewRecord,
    ScheduleChangeRecord,
    SightingRecord,
    UndoRecord,
)
from engine.study.exchange.report import Report, Tally


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be written. Reviews have the versions that they get here; `undos` go by a review's nonce."""

    reviews: tuple[ReviewRecord, ...]
    undos: tuple[tuple[str, UndoRecord], ...]
    predictions: tuple[PredictionRecord, ...]
    sightings: tuple[SightingRecord, ...]
    record_notes: tuple[NoteRecord, ...]
    mistakes: tuple[MistakeRecord, ...]
    changes: ChangesPlan
    schedule_changes: tuple[ScheduleChangeRecord, ...]
    settings: dict[str, int | float | str]
    decks: tuple[DeckRecord, ...]
    pictures: tuple[PictureRecord, ...]
    cards: frozenset[str]
    """Ids of the cards whose state is to be worked out anew."""
    report: Report


@dataclass(slots=True)
class _Here:
    """The answers that a card has here: their versions; answers and changes of its schedule with what
    took them back."""

    versions: set[int]
    given: int = 0


def plan(
    connection: Connection, parsed: Parsed, folder: Path, known_cards: Collection[str], *, replace: bool
) -> Plan:
    """What the import of `parsed` writes. Raises ExchangeFault where it contradicts what is here."""
    export = parsed.export
    kept = reviews_here(connection, [review.nonce for review in export.reviews])
    new, taken_back, known_undos = _compare(parsed, kept, _undos_here(connection, export.reviews))
    changes = plan_changes(connection, parsed)
    cards = frozenset(review.card_id for review in new) | {card for card, _, _ in taken_back}
    here = _cards_here(connection, cards)
    in_file = Counter(review.card_id for review in export.reviews)
    numbered = _numbered(new, Counter(card for card, _, _ in taken_back) + changes.steps, here)
    with_new = {review.card_id for review in new}
    known_here = Counter(review.card_id for review in kept.values())
    merged = sum(len(here[card].versions) > known_here[card] for card in with_new if card in here)
    new_predictions = _new_predictions(connection, parsed)
    new_sightings = _new_sightings(connection, export.sightings)
    new_notes = _new_notes(connection, export.record_notes)
    new_changes = _new_changes(connection, export.schedule_changes)
    new_mistakes = _new_mistakes(connection, parsed)
    taken, differ = _settings(connection, parsed)
    decks, names = _decks(folder, export.decks)
    new_pictures = new_here(folder, export.pictures)
    of_decks = {card for deck in (*decks["new"], *decks["renewed"]) for card in _card_ids(deck)}
    report = Report(
        reviews=Tally(len(new), len(export.reviews) - len(new)),
        undos=Tally(len(taken_back), known_undos),
        predictions=Tally(len(new_predictions), len(export.predictions) - len(new_predictions)),
        sightings=Tally(len(new_sightings), len(export.sightings) - len(new_sightings)),
        record_notes=Tally(len(new_notes), len(export.record_notes) - len(new_notes)),
        pictures=Tally(len(new_pictures), len(export.pictures) - len(new_pictures)),
        mistakes=Tally(len(new_mistakes), len(export.mistakes) - len(new_mistakes)),
        card_changes=Tally(
            len(changes.changes) + len(changes.undos),
            len(export.card_changes)
            + len(export.card_change_undos)
            - len(changes.changes)
            - len(changes.undos),
        ),
        practice_answers=Tally(len(changes.practice), len(export.practice_answers) - len(changes.practice)),
        schedule_changes=Tally(len(new_changes), len(export.schedule_changes) - len(new_changes)),
        merged=merged,
        renumbered=sum(one.version != other.version for one, other in zip(numbered, new, strict=True)),
        settings_taken=tuple(taken),
        settings_differ=tuple(differ),
        decks_new=names["new"],
        decks_same=names["same"],
        decks_differ=names["differ"],
        decks_renewed=names["renewed"],
        left_out=tuple(parsed.left_out.items()),
        replaced=replace,
        unknown_cards=tuple(sorted(set(in_file) - set(known_cards) - of_decks)),
    )
    return Plan(
        reviews=numbered,
        undos=tuple((nonce, undo) for _, nonce, undo in taken_back),
        predictions=new_predictions,
        sightings=new_sightings,
        record_notes=new_notes,
        mistakes=new_mistakes,
        changes=changes,
        schedule_changes=new_changes,
        settings={**taken, **(differ if replace else {})},
        decks=(*decks["new"], *decks["renewed"], *(decks["differ"] if replace else ())),
        pictures=new_pictures,
        cards=cards | changes.steps.keys(),
        report=report,
    )


def reviews_here(connection: Connection, nonces: Sequence[str]) -> dict[str, ReviewRecord]:
    """The answers that are here under the nonces, with what took them back."""
    query = select(reviews, undos.c.nonce.label("undo_nonce"), undos.c.undone_at_ms).outerjoin(
        undos, undos.c.review_id == reviews.c.id
    )
    found: dict[str, ReviewRecord] = {}
    for chunk in chunks(nonces):
        for row in connection.execute(query.where(reviews.c.nonce.in_(chunk))).mappings():
            found[row["nonce"]] = review_of(row)
    return found


def _undos_here(connection: Connection, of: Sequence[ReviewRecord]) -> dict[str, str]:
    """Of the file's undo nonces those that are here, with the nonce of the answer they took back."""
    query = select(undos.c.nonce, reviews.c.nonce.label("review")).join(
        reviews, reviews.c.id == undos.c.review_id
    )
    found: dict[str, str] = {}
    for chunk in chunks(review.undo.nonce for review in of if review.undo is not None):
        found.update(
            (row.nonce, row.review) for row in connection.execute(query.where(undos.c.nonce.in_(chunk)))
        )
    return found


def _compare(
    parsed: Parsed, kept: dict[str, ReviewRecord], undone: dict[str, str]
) -> tuple[list[ReviewRecord], list[tuple[str, str, UndoRecord]], int]:
    """New answers; new undos as (card, the answer's nonce, undo); how many undos were here already.

    An answer taken back here and there stays taken back by what did it here.
    """
    new: list[ReviewRecord] = []
    taken_back: list[tuple[str, str, UndoRecord]] = []
    known_undos = 0
    for index, review in enumerate(parsed.export.reviews):
        here = kept.get(review.nonce)
        if here is None:
            new.append(review)
        else:
            # an answer may have another version on every machine
            for name in ReviewRecord.__struct_fields__:
                if name not in ("version", "undo") and getattr(here, name) != getattr(review, name):
                    raise parsed.fault(
                        "reviews",
                        index,
                        name,
                        f"the answer {review.nonce} is here already with another value: one of the two was "
                        "changed by hand; export the file anew",
                    )
        if review.undo is None:
            continue
        if here is not None and here.undo is not None:
            known_undos += 1
            continue
        if undone.get(review.undo.nonce, review.nonce) != review.nonce:
            raise parsed.fault(
                "reviews",
                index,
                "undo.nonce",
                f"{review.undo.nonce} took back another answer here: export the file anew",
            )
        taken_back.append((review.card_id, review.nonce, review.undo))
    # in the order in which they were made: of one instant, the last answer was taken back first
    taken_back.reverse()
    taken_back.sort(key=lambda each: each[2].undone_at_ms)
    return new, taken_back, known_undos


def _cards_here(connection: Connection, cards: Collection[str]) -> dict[str, _Here]:
    query = select(reviews.c.card_id, reviews.c.version, undos.c.id.is_not(None).label("undone")).outerjoin(
        undos, undos.c.review_id == reviews.c.id
    )
    found: dict[str, _Here] = {}
    for chunk in chunks(cards):
        for row in connection.execute(query.where(reviews.c.card_id.in_(chunk))):
            here = found.setdefault(row.card_id, _Here(set()))
            here.versions.add(row.version)
            here.given += 2 if row.undone else 1
    for card, made in change_log.of_schedule(connection, cards).items():
        here = found.setdefault(card, _Here(set()))
        here.given += len(made) + sum(change.undone for change in made)
    return found


def _numbered(
    new: Sequence[ReviewRecord], steps_of: Counter[str], here: dict[str, _Here]
) -> tuple[ReviewRecord, ...]:
    """The new answers with versions that are free here, in the order given.

    They keep their own where all of a card's are free and lie below the card's next version; otherwise they
    follow on the card's next version here, in order of their instants. What is here is never renumbered.
    steps_of: by how much else each card's version rises.
    """
    of_card: dict[str, list[ReviewRecord]] = defaultdict(list)
    for review in new:
        of_card[review.card_id].append(review)
    version: dict[str, int] = {}
    for card, answers in of_card.items():
        at = here.get(card, _Here(set()))
        own = {review.version for review in answers}
        next_version = at.given + len(answers) + steps_of[card]
        if not own & at.versions and max(own) < next_version:
            continue
        ordered = sorted(answers, key=lambda each: (each.reviewed_at_ms, each.state_before.reps, each.nonce))
        version.update((review.nonce, at.given + place) for place, review in enumerate(ordered))
    return tuple(
        msgspec.structs.replace(review, version=version[review.nonce]) if review.nonce in version else review
        for review in new
    )


def _new_predictions(connection: Connection, parsed: Parsed) -> tuple[PredictionRecord, ...]:
    names = PredictionRecord.__struct_fields__
    here: dict[str, PredictionRecord] = {}
    for chunk in chunks(made.nonce for made in parsed.export.predictions):
        query = select(predictions).where(predictions.c.nonce.in_(chunk))
        for row in connection.execute(query).mappings():
            here[row["nonce"]] = PredictionRecord(**{name: row[name] for name in names})
    for index, made in enumerate(parsed.export.predictions):
        if here.get(made.nonce, made) != made:
            raise parsed.fault(
                "predictions",
                index,
                "nonce",
                f"the prediction {made.nonce} is here already with other values: export the file anew",
            )
    return tuple(made for made in parsed.export.predictions if made.nonce not in here)


def _new_sightings(connection: Connection, seen: Sequence[SightingRecord]) -> tuple[SightingRecord, ...]:
    here = {
        (row.subject, row.study_day)
        for chunk in chunks({each.subject for each in seen})
        for row in connection.execute(select(sightings).where(sightings.c.subject.in_(chunk)))
    }
    first = {(each.subject, each.study_day): each for each in reversed(seen)}
    return tuple(each for key, each in reversed(first.items()) if key not in here)


def _new_notes(connection: Connection, notes: Sequence[NoteRecord]) -> tuple[NoteRecord, ...]:
    names = NoteRecord.__struct_fields__
    here = {
        tuple(row[name] for name in names)
        for chunk in chunks({note.item for note in notes})
        for row in connection.execute(select(record_notes).where(record_notes.c.item.in_(chunk))).mappings()
    }
    once = dict.fromkeys(notes)
    return tuple(note for note in once if tuple(getattr(note, name) for name in names) not in here)


def _new_changes(
    connection: Connection, changes: Sequence[ScheduleChangeRecord]
) -> tuple[ScheduleChangeRecord, ...]:
    here = {
        nonce
        for chunk in chunks(change.nonce for change in changes)
        for nonce in connection.execute(
            select(schedule_changes.c.nonce).where(schedule_changes.c.nonce.in_(chunk))
        ).scalars()
    }
    return tuple(change for change in changes if change.nonce not in here)


def _new_mistakes(connection: Connection, parsed: Parsed) -> tuple[MistakeRecord, ...]:
    names = MistakeRecord.__struct_fields__
    here: dict[str, MistakeRecord] = {}
    for chunk in chunks(row.nonce for row in parsed.export.mistakes):
        query = select(mistakes).where(mistakes.c.nonce.in_(chunk))
        for row in connection.execute(query).mappings():
            here[row["nonce"]] = MistakeRecord(**{name: row[name] for name in names})
    for index, made in enumerate(parsed.export.mistakes):
        if here.get(made.nonce, made) != made:
            raise parsed.fault(
                "mistakes",
                index,
                "nonce",
                f"the line {made.nonce} is here already with other values: export the file anew",
            )
    return tuple(made for made in parsed.export.mistakes if made.nonce not in here)


def _settings(
    connection: Connection, parsed: Parsed
) -> tuple[dict[str, int | float | str], dict[str, int | float | str]]:
    """What is taken because nothing was set here yet, and what is set otherwise here."""
    wanted = parsed.export.settings
    own = {field.name for field in fields(study_settings.StudySettings)}
    kept = set(connection.execute(select(settings.c.key)).scalars()) & own
    now = asdict(study_settings.load_in(connection))
    differ = {name: value for name, value in wanted.items() if now[name] != value}
    return ({}, differ) if kept else (differ, {})


def _decks(
    folder: Path, decks: Sequence[DeckRecord]
) -> tuple[dict[str, tuple[DeckRecord, ...]], dict[str, tuple[str, ...]]]:
    """The decks by what the folder holds under their names: `new`, `same`, `differ`, or `renewed` where both
    are an import's and nobody edited the one here.
    """
    sorts: dict[str, list[DeckRecord]] = {"new": [], "same": [], "differ": [], "renewed": []}
    for deck in decks:
        path = folder / deck.file
        if not os.path.lexists(path):
            sorts["new"].append(deck)
        else:
            # what can't be read has another content as far as anyone can tell, and stays
            raw = read_bytes(path)
            coming = deck.text.encode("utf-8")
            ours = isinstance(raw, bytes) and is_untouched(raw) and is_untouched(coming)
            sorts["same" if raw == coming else "renewed" if ours else "differ"].append(deck)
    return (
        {sort: tuple(found) for sort, found in sorts.items()},
        {sort: tuple(deck.file for deck in found) for sort, found in sorts.items()},
    )


def _card_ids(deck: DeckRecord) -> list[str]:
    """The ids of the cards in a deck's text; of a broken one what can be told."""
    from engine.study.deck_parse import parse_deck  # PyYAML and pydantic take long to import

    return [mention.name for mention in parse_deck(deck.text.encode("utf-8"), deck.file).card_ids]
