"""The review log as columns of numbers: what statistics and fits are worked out from.

A row of the log is a kilobyte of text, and reading a million of them takes seconds. The numbers in them are
kept in a file of the cache folder, 38 bytes an answer, to which the answers given since are added each time
it is read. The log stays the truth: the file can be thrown away, and is, where it doesn't fit the log.
"""

from __future__ import annotations

import json
import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np
from numpy.lib.format import read_array
from numpy.typing import NDArray
from sqlalchemy import Connection, Text, cast, func, select

from engine.store import Store
from engine.store.tables import reviews, schedulers, undos
from engine.study.collector import collector_paused
from engine.study.numbering import Numbers, day_numbers
from engine.study.schedule import SchedulerParams

FILE = "review-columns"
SCHEMA = 1
"""Of the file: raised when its columns change, and an older one is made anew."""

KINDS = ("new", "learning", "review", "relearning")
_KIND = {kind: place for place, kind in enumerate(KINDS)}
NONE = -1
"""In whole-number columns: there is none. In `stability` it is NaN."""

WORTH = 2000
"""New answers from which the file is written anew: fewer are read from the log sooner than it is written."""

Told = Callable[[int, int], object]
"""Is told how many of how many answers are read."""

_AT_ONCE = 1000
_TOLD = 20
"""Times _AT_ONCE that it is told how far reading is."""

Ints = NDArray[np.integer[Any]]
Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Columns:
    """A value an answer in each, in the order in which they came into the log.

    card: place in `Log.cards`. at: UTC milliseconds. day: study day, in days since 1970-01-01. rating: 1 to
    4. kind: place in KINDS of the phase before. took: milliseconds. interval: minutes of the interval that
    led to the answer. stability: days, before the answer. elapsed: study days since the answer before.
    scheduler: place in `Log.schedulers`.
    """

    id: Ints
    card: Ints
    at: Ints
    day: Ints
    rating: Ints
    kind: Ints
    took: Ints
    interval: Ints
    stability: Floats
    elapsed: Ints
    scheduler: Ints


_TYPES: dict[str, type] = {
    "id": np.int64,
    "card": np.int32,
    "at": np.int64,
    "day": np.int32,
    "rating": np.int8,
    "kind": np.int8,
    "took": np.int32,
    "interval": np.int32,
    "stability": np.float32,
    "elapsed": np.int32,
    "scheduler": np.int16,
}


@dataclass(frozen=True, eq=False)  # two are the same where they are one: what is worked out can be kept
class Log:
    """The answers that count. cards: ids; schedulers: fingerprints; decay: FSRS's 21st parameter of each."""

    columns: Columns
    cards: tuple[str, ...]
    schedulers: tuple[str, ...]
    decay: tuple[float, ...]

    def __len__(self) -> int:
        return len(self.columns.id)

    def where(self, chosen: NDArray[np.bool_]) -> Log:
        """The answers where `chosen` is true."""
        columns = Columns(*(getattr(self.columns, each.name)[chosen] for each in fields(Columns)))
        return replace(self, columns=columns)

    def of_cards(self, ids: Iterable[str]) -> Log:
        """The answers to these cards."""
        wanted = set(ids)
        held = np.fromiter((card in wanted for card in self.cards), bool, len(self.cards))
        return self.where(held[self.columns.card])

    @cached_property
    def first_of_day(self) -> NDArray[np.bool_]:
        """Of the answers to one card on one study day, the first."""
        of = self.columns
        found = np.zeros(len(self), bool)
        card_and_day = (of.card.astype(np.int64) << 32) + of.day
        if np.all(of.at[1:] >= of.at[:-1]):
            found[np.unique(card_and_day, return_index=True)[1]] = True
        else:  # answers of another machine came into the log after later ones
            order = np.argsort(of.at, kind="stable")
            found[order[np.unique(card_and_day[order], return_index=True)[1]]] = True
        return found

    @cached_property
    def predicted(self) -> Floats:
        """The chance that FSRS gave each answer, with the stability and the curve of its time; else NaN."""
        of = self.columns
        decay = np.asarray(self.decay, np.float64)[of.scheduler] if len(self) else np.empty(0)
        elapsed = np.where(of.elapsed >= 0, of.elapsed, np.nan)
        return retrievability(of.stability.astype(np.float64), elapsed, decay)


def retrievability(stability: Floats, elapsed: Floats, decay: Floats | float) -> Floats:
    """FSRS-6's forgetting curve: 0.9 after `stability` days. decay: the 21st parameter, above 0."""
    factor = 0.9 ** (-1.0 / np.asarray(decay)) - 1.0
    return np.asarray((1.0 + factor * elapsed / stability) ** (-np.asarray(decay)))


def read_log(store: Store, cache: Path | None, *, worth: int = WORTH, told: Told | None = None) -> Log:
    """The log as it is now. cache: the folder of the file; None: every row is read.

    worth: new answers from which the file is written anew. told: while many are read, how far it is. A cache
    that can't be read or written costs time, never an answer.
    """
    return LogReader(store, cache, worth=worth).read(told)


class LogReader:
    """Reads the log again and again: what was read stays, and the answers given since are added.

    Arguments as those of `read_log`. step: answers after which the file is written: one who doesn't wait for
    the end finds it so far the next time. Safe to share between threads.
    """

    def __init__(self, store: Store, cache: Path | None, *, worth: int = WORTH, step: int = 200_000) -> None:
        self._store, self._worth, self._step = store, worth, step
        self._file = None if cache is None else cache / FILE
        self._kept: _Kept | None = None
        self._in_file = 0
        self._log: tuple[_Kept, Log] | None = None
        self._taken_back: NDArray[np.int64] = np.empty(0, np.int64)
        self._reading = threading.Lock()

    def read(self, told: Told | None = None) -> Log:
        """The log as it is now; the same one where nothing was added."""
        with self._reading:
            if self._kept is None and self._file is not None:
                self._kept = _load(self._file)
                self._in_file = 0 if self._kept is None else len(self._kept.columns.id)
            while True:
                with self._store.read() as connection:
                    if self._kept is None or not _fits(connection, self._kept):
                        self._kept, self._in_file = _Kept(), 0
                    known = self._kept
                    self._kept = _extended(connection, known, self._step, told)
                    is_all = len(self._kept.columns.id) - len(known.columns.id) < self._step
                    log = self._counted(connection, self._kept) if is_all else None
                self._save()
                if log is not None:
                    return log

    def _save(self) -> None:
        """Writes the file, where enough was added."""
        if self._file is None or self._kept is None:
            return
        if len(self._kept.columns.id) - self._in_file >= self._worth:
            _save(self._file, self._kept)
            self._in_file = len(self._kept.columns.id)

    def _counted(self, connection: Connection, found: _Kept) -> Log:
        """The answers that count, with the parameters of their schedulers."""
        gone = connection.execute(select(undos.c.review_id).order_by(undos.c.review_id)).scalars()
        taken_back = np.fromiter(gone, np.int64)
        known = self._log is not None and self._log[0] is found
        if self._log is None or not known or not np.array_equal(taken_back, self._taken_back):
            params = {row.fingerprint: row.params for row in connection.execute(select(schedulers))}
            decay = tuple(
                float(params[of]["parameters"][20]) if of in params else SchedulerParams().parameters[20]
                for of in found.schedulers
            )
            columns = found.columns
            log = Log(columns, tuple(found.cards), tuple(found.schedulers), decay)
            self._log = (found, log.where(~np.isin(columns.id, taken_back)) if len(taken_back) else log)
            self._taken_back = taken_back
        return self._log[1]


@dataclass(slots=True)
class _Kept:
    """What the file holds: every answer up to one, which its nonce names."""

    columns: Columns = Columns(*(np.empty(0, of) for of in _TYPES.values()))
    cards: Sequence[str] = ()
    schedulers: Sequence[str] = ()
    last_nonce: str = ""


def _fits(connection: Connection, kept: _Kept) -> bool:
    """Whether the last answer of the file is in this log: not in one that a backup brought back."""
    if not len(kept.columns.id):
        return True
    of = select(reviews.c.nonce).where(reviews.c.id == int(kept.columns.id[-1]))
    return connection.execute(of).scalar_one_or_none() == kept.last_nonce


def _extended(connection: Connection, kept: _Kept, most: int, told: Told | None) -> _Kept:
    """`kept` with the answers after it, so many at the most; itself where there are none."""
    newest = int(kept.columns.id[-1]) if len(kept.columns.id) else 0
    last = connection.execute(select(func.max(reviews.c.id))).scalar_one()
    if last in (None, newest):
        return kept
    query = (
        select(
            reviews.c.id,
            reviews.c.card_id,
            reviews.c.reviewed_at_ms,
            reviews.c.study_day,
            reviews.c.rating,
            reviews.c.kind,
            reviews.c.answer_ms,
            cast(reviews.c.state_before, Text),  # as it lies there: SQLite takes JSON apart more slowly
            reviews.c.scheduler,
            reviews.c.nonce,
        )
        .where(reviews.c.id > newest)
        .order_by(reviews.c.id)
        .limit(most)
    )
    cards = Numbers(zip(kept.cards, range(len(kept.cards)), strict=True))
    fingerprints = Numbers(zip(kept.schedulers, range(len(kept.schedulers)), strict=True))
    parts = [kept.columns]
    nonce = kept.last_nonce
    found = connection.execute(query)
    with collector_paused():
        while found.cursor is not None and (rows := found.cursor.fetchmany(_AT_ONCE)):
            part = [*zip(*rows, strict=True)]  # the driver's own rows: no value needs to be made into another
            parts.append(_columns(part, cards, fingerprints))
            nonce = part[9][-1]
            done = sum(len(each.id) for each in parts)
            if told is not None and (len(parts) % _TOLD == 0 or done - len(kept.columns.id) == most):
                told(done, max(done, len(kept.columns.id) + last - newest))
    found.close()
    columns = Columns(*(np.concatenate([getattr(part, name) for part in parts]) for name in _TYPES))
    return _Kept(columns, tuple(cards), tuple(fingerprints), nonce)


class _Before(msgspec.Struct, gc=False):
    """What is needed of the state before an answer."""

    interval_minutes: int | None = None
    stability: float | None = None
    last_study_day: str | None = None


_BEFORE = msgspec.json.Decoder(list[_Before])


def _columns(part: Sequence[Sequence[Any]], cards: Numbers, fingerprints: Numbers) -> Columns:
    """Rows of the query, a sequence a column; new cards and schedulers are entered."""
    ids, card_ids, at, day, rating, kind, took, states, scheduler, _ = part
    before = _BEFORE.decode(f"[{','.join(states)}]")
    days = np.fromiter(map(day_numbers.__getitem__, day), np.int32, len(ids))
    last_days = [each.last_study_day for each in before]
    last = np.array([NONE if each is None else day_numbers[each] for each in last_days], np.int32)
    interval = [NONE if each.interval_minutes is None else each.interval_minutes for each in before]
    stability = [np.nan if each.stability is None else each.stability for each in before]
    return Columns(
        id=np.array(ids, np.int64),
        card=np.fromiter(map(cards.__getitem__, card_ids), np.int32, len(ids)),
        at=np.array(at, np.int64),
        day=days,
        rating=np.array(rating, np.int8),
        kind=np.fromiter(map(_KIND.__getitem__, kind), np.int8, len(ids)),
        took=np.array(took, np.int32),
        interval=np.array(interval, np.int32),
        stability=np.array(stability, np.float32),
        elapsed=np.where(last == NONE, NONE, days - last).astype(np.int32),
        scheduler=np.fromiter(map(fingerprints.__getitem__, scheduler), np.int16, len(ids)),
    )


def _load(file: Path) -> _Kept | None:
    try:
        with file.open("rb") as held:
            meta = json.loads(bytes(_read(held)))
            columns = Columns(*(_read(held) for _ in _TYPES))
    except (OSError, ValueError, TypeError, EOFError):
        return None  # none yet, or a broken one: it is made anew
    good = (
        isinstance(meta, dict)
        and meta.get("schema") == SCHEMA
        and len({len(getattr(columns, name)) for name in _TYPES}) == 1
        and all(getattr(columns, name).dtype == of for name, of in _TYPES.items())
    )
    return _Kept(columns, meta["cards"], meta["schedulers"], meta["last_nonce"]) if good else None


def _read(file: IO[bytes]) -> NDArray[Any]:
    """The next array of a file. Raises ValueError, EOFError or OSError where there is none."""
    return np.asarray(read_array(file, allow_pickle=False))


def _save(file: Path, kept: _Kept) -> None:
    """Puts the file in place of the one before, whole or not at all."""
    meta = {
        "schema": SCHEMA,
        "cards": list(kept.cards),
        "schedulers": list(kept.schedulers),
        "last_nonce": kept.last_nonce,
    }
    text = np.frombuffer(json.dumps(meta).encode(), np.uint8)
    written: str | None = None
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, suffix=".new", delete=False) as out:
            written = out.name
            for each in (text, *(getattr(kept.columns, name) for name in _TYPES)):
                np.save(out, each, allow_pickle=False)
        os.replace(written, file)
    except OSError:
        # without the file the log is read anew each time: slower, and just as right
        if written is not None:
            Path(written).unlink(missing_ok=True)
