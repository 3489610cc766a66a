"""The process that runs Anki: `python -m engine.study.exchange.apkg.child read|write IN OUT`.

`read` makes a package into JSON (`values.AnkiPackage`), `write` the other way round. A collection is made
for it in a temporary folder and thrown away. Standard error gets one line where it fails; the exit code is 1.
"""

from __future__ import annotations

import contextlib
import logging
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import anki.buildinfo
import anki.collection  # first: its other modules import one another
import msgspec
from anki.cards import Card, FSRSMemoryState
from anki.collection import (
    AddNoteRequest,
    Collection,
    ExportAnkiPackageOptions,
    ImportAnkiPackageOptions,
    ImportAnkiPackageRequest,
)
from anki.consts import CardQueue, CardType
from anki.decks import DeckId
from anki.errors import AnkiException
from anki.models import NotetypeId

from engine.study.exchange.apkg.from_html import picture_names
from engine.study.exchange.apkg.values import (
    LEARNING,
    NEW,
    RELEARNING,
    AnkiCard,
    AnkiNote,
    AnkiPackage,
    AnkiPicture,
    LogRow,
)
from engine.study.pictures import LARGEST

MOST_PICTURES = 256 * 1024**2
"""Bytes of pictures that are taken out of one package."""

LARGEST_FILE = 4 * 1024**3
"""Bytes that unpacking may write into one file: a small package may hold an enormous collection."""

NOTE_TYPE = NotetypeId(1_796_000_000_001)
"""Always the same, so that Anki takes a later package's notes as these notes, changed."""

FAILED = 1


def write(package: AnkiPackage, out: Path, folder: Path) -> None:
    """The package as an `.apkg` file."""
    path = str(folder / "out.anki2")
    collection = Collection(path)
    made = _note_type(collection, package)
    collection.close()
    collection = Collection(path)  # it knows the note type by its own number now
    try:
        collection.set_config("fsrs", True)
        for picture in package.pictures:
            if collection.media.write_data(picture.name, picture.content) != picture.name:
                raise AnkiException(f"the picture {picture.name} was not kept under its name")
        note_type = collection.models.get(made)
        if note_type is None:
            raise AnkiException("the note type was not kept")
        requests = []
        for note in package.notes:
            one = collection.new_note(note_type)
            one.guid, one.fields, one.tags = note.guid, list(note.fields), list(note.tags)
            requests.append(AddNoteRequest(note=one, deck_id=_deck(collection, note.deck)))
        collection.add_notes(requests)
        for request, note in zip(requests, package.notes, strict=True):
            for card, wanted in zip(request.note.cards(), note.cards, strict=True):
                _schedule(collection, card, wanted, package)
                _log(collection, card, wanted.log)
        collection.export_anki_package(
            out_path=str(out),
            options=ExportAnkiPackageOptions(
                with_scheduling=True, with_deck_configs=False, with_media=True, legacy=False
            ),
            limit=None,
        )
    finally:
        collection.close()


def _deck(collection: Collection, name: str) -> DeckId:
    """The deck with that name, made where it is missing."""
    deck = collection.decks.id(name)
    if deck is None:
        raise AnkiException(f"the deck {name} could not be made")
    return deck


def _note_type(collection: Collection, package: AnkiPackage) -> NotetypeId:
    models = collection.models
    note_type = models.new(package.note_type)
    note_type["css"] = package.style
    for number, name in enumerate(package.notes[0].field_names if package.notes else ("Front",)):
        field = models.new_field(name)
        field["id"] = NOTE_TYPE + 100 + number
        models.add_field(note_type, field)
    template = models.new_template("Card 1")
    template["id"] = NOTE_TYPE + 200
    template["qfmt"], template["afmt"] = package.front, package.back
    models.add_template(note_type, template)
    made = models.add_dict(note_type).id
    for table, column in (("notetypes", "id"), ("fields", "ntid"), ("templates", "ntid")):
        sql = f"update {table} set {column} = ? where {column} = ?"  # noqa: S608 - names of this line
        collection.db.execute(sql, NOTE_TYPE, made)  # type: ignore[union-attr]
    return NOTE_TYPE


def _schedule(collection: Collection, card: Card, wanted: AnkiCard, package: AnkiPackage) -> None:
    card.type, card.queue = CardType(wanted.kind), CardQueue(wanted.queue)
    card.ivl, card.reps, card.lapses, card.left = (
        wanted.interval_days,
        wanted.reps,
        wanted.lapses,
        wanted.steps_left,
    )
    if wanted.kind == NEW:
        card.due = wanted.position
    elif wanted.due_days is not None:
        card.due = collection.sched.today + wanted.due_days
    elif wanted.due_ms is not None:
        card.due = wanted.due_ms // 1000
    if wanted.kind != NEW:
        card.factor = 2500
        card.desired_retention, card.decay = wanted.retention, package.decay
    if wanted.stability is not None and wanted.difficulty is not None:
        card.memory_state = FSRSMemoryState(stability=wanted.stability, difficulty=wanted.difficulty)
    if wanted.last_review_ms is not None:
        card.last_review_time = wanted.last_review_ms // 1000
    collection.update_card(card, skip_undo_entry=True)


def _log(collection: Collection, card: Card, rows: Iterable[LogRow]) -> None:
    """Rows of the future (the clock was wrong) stay out: Anki exports no collection that holds one."""
    now_ms = time.time() * 1000
    values = [[row.at_ms, card.id, -1, *msgspec.to_builtins(row)[1:]] for row in rows if row.at_ms <= now_ms]
    if values:
        collection.db.executemany("insert into revlog values (?,?,?,?,?,?,?,?,?)", values)  # type: ignore[union-attr]


def read(package: Path, folder: Path) -> AnkiPackage:
    """What an `.apkg` file holds."""
    collection = Collection(str(folder / "in.anki2"))
    try:
        collection.import_anki_package(
            ImportAnkiPackageRequest(
                package_path=str(package),
                options=ImportAnkiPackageOptions(with_scheduling=True, with_deck_configs=True),
            )
        )
        logs: dict[int, list[LogRow]] = defaultdict(list)
        for row in collection.db.all(  # type: ignore[union-attr]
            "select cid, id, ease, ivl, lastIvl, factor, time, type from revlog order by id"
        ):
            logs[row[0]].append(LogRow(*row[1:]))
        notes = tuple(
            _note(collection, int(note_id), logs)
            for note_id in collection.db.list("select id from notes order by id")  # type: ignore[union-attr]
        )
        pictures = tuple(_pictures(Path(collection.media.dir()), notes))
        return AnkiPackage(notes=notes, pictures=pictures, anki=anki.buildinfo.version)
    finally:
        collection.close()


def _pictures(media: Path, notes: Iterable[AnkiNote]) -> Iterator[AnkiPicture]:
    """The pictures that the notes show, each once, up to `MOST_PICTURES` bytes of them."""
    texts = (text for note in notes for text in (*note.fields, *_drawn(note)))
    left = MOST_PICTURES
    for name in dict.fromkeys(name for text in texts for name in picture_names(text)):
        file = media / name
        # a plain name alone: nothing outside the folder of media is ever read
        if Path(name).name != name or file.is_symlink() or not file.is_file():
            continue
        size = file.stat().st_size
        if size <= LARGEST and size <= left:
            left -= size
            yield AnkiPicture(name, file.read_bytes())


def _drawn(note: AnkiNote) -> Iterator[str]:
    for card in note.cards:
        yield from (card.front, card.back)


def _note(collection: Collection, note_id: int, logs: dict[int, list[LogRow]]) -> AnkiNote:
    note = collection.get_note(note_id)  # type: ignore[arg-type]  # NoteId is an int
    cards = note.cards()
    return AnkiNote(
        guid=note.guid,
        deck=collection.decks.name(cards[0].odid or cards[0].did) if cards else "",
        fields=tuple(note.fields),
        field_names=tuple(note.keys()),
        tags=tuple(note.tags),
        cards=tuple(_card(collection, card, tuple(logs[card.id])) for card in cards),
    )


def _card(collection: Collection, card: Card, log: tuple[LogRow, ...]) -> AnkiCard:
    memory = card.memory_state
    due = card.odue or card.due
    # seconds since 1970 are larger than any day's number
    timed = card.type in (LEARNING, RELEARNING) and due > 1_000_000_000
    output = card.render_output()
    return AnkiCard(
        ordinal=card.ord,
        kind=int(card.type),
        queue=int(card.queue),
        due_days=None if card.type == NEW or timed else due - collection.sched.today,
        due_ms=due * 1000 if timed else None,
        position=due if card.type == NEW else 0,
        interval_days=card.ivl,
        reps=card.reps,
        lapses=card.lapses,
        steps_left=card.left,
        stability=memory.stability if memory is not None else None,
        difficulty=memory.difficulty if memory is not None else None,
        last_review_ms=None if card.last_review_time is None else card.last_review_time * 1000,
        log=log,
        changed_s=card.mod,
        front=output.question_text,
        back=output.answer_text,
    )


def main(words: list[str]) -> int:
    """0: done; 1: it could not be, and standard error has the reason in one line."""
    what, source, out = words[0], Path(words[1]), Path(words[2])
    _limit()
    logging.disable(logging.CRITICAL)  # Anki reports how long its calls took
    with tempfile.TemporaryDirectory(dir=out.parent) as temporary:
        try:
            if what == "read":
                out.write_bytes(msgspec.json.encode(read(source, Path(temporary))))
            else:
                write(msgspec.json.decode(source.read_bytes(), type=AnkiPackage), out, Path(temporary))
        except (AnkiException, OSError) as error:
            sys.stderr.write(f"{' '.join(str(error).split()) or type(error).__name__}\n")
            return FAILED
    return 0


def _limit() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # Windows has no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
