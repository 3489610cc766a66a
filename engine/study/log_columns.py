"""The review log as columns of numbers: what statistics and fits are worked out from.

A row of the log is a kilobyte of text, and reading a million of them takes seconds. The numbers in them are
kept in a file of the cache folder, 38 bytes an answer, to which the answers given since are added each time
it is read. The log stays the truth: the file can be thrown away, and is, where it doesn't fit the log.
"""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Text, cast, select

from engine.store import Store
from engine.store.tables import reviews, schedulers, undos
from engine.study.schedule import SchedulerParams

FILE = "review-columns.npz"
SCHEMA = 1
"""Of the file: raised when its columns change, and an older one is made anew."""

KINDS = ("new", "learning", "review", "relearning")
NONE = -1
"""In whole-number columns: there is none. In `stability` it is NaN."""

_AT_ONCE = 20_000
_EPOCH = np.datetime64("1970-01-01", "D")

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


@dataclass(frozen=True)
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


def read_log(store: Store, cache: Path | None) -> Log:
    """The log as it is now. cache: the folder of the file; None: every row is read.

    A cache that can't be read or written costs time, never an answer.
    """
    kept = None if cache is None else _load(cache / FILE)
    with store.read() as connection:
        if kept is not None and not _fits(connection, kept):
            kept = None
        known = _Kept() if kept is None else kept
        found = _extended(connection, known)
        taken_back = np.fromiter(connection.execute(select(undos.c.review_id)).scalars(), np.int64)
        params = {row.fingerprint: row.params for row in connection.execute(select(schedulers))}
    if cache is not None and found is not known:
        _save(cache / FILE, found)
    decay = tuple(
        float(params[of]["parameters"][20]) if of in params else SchedulerParams().parameters[20]
        for of in found.schedulers
    )
    columns = found.columns
    log = Log(columns, tuple(found.cards), tuple(found.schedulers), decay)
    return log if not len(taken_back) else log.where(~np.isin(columns.id, taken_back))


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


def _extended(connection: Connection, kept: _Kept) -> _Kept:
    """`kept` with the answers after it; itself where there are none."""
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
        .where(reviews.c.id > (int(kept.columns.id[-1]) if len(kept.columns.id) else 0))
        .order_by(reviews.c.id)
        .execution_options(yield_per=_AT_ONCE)
    )
    cards = {card: place for place, card in enumerate(kept.cards)}
    fingerprints = {of: place for place, of in enumerate(kept.schedulers)}
    parts = [kept.columns]
    nonce = kept.last_nonce
    for rows in connection.execute(query).partitions():
        part = [*zip(*rows, strict=True)]
        parts.append(_columns(part, cards, fingerprints))
        nonce = part[9][-1]
    if len(parts) == 1:
        return kept
    columns = Columns(*(np.concatenate([getattr(part, name) for part in parts]) for name in _TYPES))
    return _Kept(columns, tuple(cards), tuple(fingerprints), nonce)


class _Before(msgspec.Struct, gc=False):
    """What is needed of the state before an answer."""

    interval_minutes: int | None = None
    stability: float | None = None
    last_study_day: str | None = None


_BEFORE = msgspec.json.Decoder(_Before)


def _columns(part: Sequence[Sequence[Any]], cards: dict[str, int], fingerprints: dict[str, int]) -> Columns:
    """Rows of the query, a sequence a column; new cards and schedulers are entered."""
    ids, card_ids, at, day, rating, kind, took, states, scheduler, _ = part
    before = [_BEFORE.decode(state) for state in states]
    days = _days(day)
    elapsed = days - _days([each.last_study_day or "NaT" for each in before])
    return Columns(
        id=np.array(ids, np.int64),
        card=np.array([cards.setdefault(each, len(cards)) for each in card_ids], np.int32),
        at=np.array(at, np.int64),
        day=days.astype(np.int32),
        rating=np.array(rating, np.int8),
        kind=np.array([KINDS.index(each) for each in kind], np.int8),
        took=np.array(took, np.int32),
        interval=np.array(
            [NONE if each.interval_minutes is None else each.interval_minutes for each in before], np.int32
        ),
        stability=np.array(
            [np.nan if each.stability is None else each.stability for each in before], np.float32
        ),
        elapsed=np.where(np.isnan(elapsed), NONE, elapsed).astype(np.int32),
        scheduler=np.array(
            [fingerprints.setdefault(each, len(fingerprints)) for each in scheduler], np.int16
        ),
    )


def _days(days: Sequence[str]) -> Floats:
    """ISO dates as days since 1970; "NaT" gives NaN."""
    dates = np.array(days, "datetime64[D]")
    return np.where(np.isnat(dates), np.nan, (dates - _EPOCH).astype(np.float64))


def _load(file: Path) -> _Kept | None:
    try:
        with np.load(file, allow_pickle=False) as held:
            meta = json.loads(bytes(held["meta"]))
            columns = Columns(*(held[name] for name in _TYPES))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None  # none yet, or a broken one: it is made anew
    good = (
        meta.get("schema") == SCHEMA
        and len({len(getattr(columns, name)) for name in _TYPES}) == 1
        and all(getattr(columns, name).dtype == of for name, of in _TYPES.items())
    )
    return _Kept(columns, meta["cards"], meta["schedulers"], meta["last_nonce"]) if good else None


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
            np.savez(out, meta=text, **{name: getattr(kept.columns, name) for name in _TYPES})
        os.replace(written, file)
    except OSError:
        # without the file the log is read anew each time: slower, and just as right
        if written is not None:
            Path(written).unlink(missing_ok=True)
