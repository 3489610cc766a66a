"""Results of other machines that the learner brought in: checked, and kept apart from this one's."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import delete, insert, select

from engine.claims.import_check import check
from engine.measure.fault import MeasureError
from engine.measure.results import Result, from_json, to_json
from engine.store.claim_tables import imported_results as table
from engine.store.store import Store
from engine.study.card import ClaimText

LARGEST = 16 * 1024 * 1024
"""Bytes of a result file; the largest recorded one has a hundredth of it."""


@dataclass(frozen=True, slots=True)
class Imported:
    """A result from elsewhere. `already`: it was here before, and nothing was stored."""

    id: str
    file_name: str
    imported_at: datetime
    result: Result
    already: bool = False


def read_file(
    content: bytes, where: str, *, labs: Collection[str], claims: Iterable[ClaimText], now: datetime
) -> Result:
    """The result in a file's bytes, checked. `labs`: the names that there are; `claims`: those of all decks.

    Raises MeasureError with `where` and the field that is wrong. The files that a lab left beside its result
    are on the other machine: they aren't part of it.
    """
    if len(content) > LARGEST:
        raise MeasureError(f"{where}: is larger than {LARGEST // 1024**2} MiB: that is no result file")
    try:
        body = json.loads(content.decode("utf-8-sig"), parse_constant=_refuse, object_pairs_hook=_once)
    except UnicodeDecodeError as error:
        raise MeasureError(f"{where}: isn't UTF-8 text") from error
    except (ValueError, RecursionError) as error:
        raise MeasureError(f"{where}: isn't JSON: {error}") from error
    result = replace(from_json(body, where), artifacts=())
    check(result, where, labs=labs, claims=claims, now=now)
    return result


def keep(store: Store, result: Result, file_name: str, now: datetime) -> Imported:
    """Stores a checked result; the same one a second time changes nothing."""
    body = to_json(result)
    key = hashlib.blake2b(body.encode(), digest_size=16).hexdigest()
    with store.begin() as connection:
        known = connection.execute(select(table).where(table.c.id == key)).one_or_none()
        if known is not None:
            return _imported(known._mapping, already=True)
        values = {
            "id": key,
            "lab": result.lab,
            "started_at_ms": _ms(result.started_at),
            "imported_at_ms": _ms(now),
            "file_name": file_name,
            "body": body,
        }
        connection.execute(insert(table), values)
    return _imported(values)


def of_lab(store: Store, lab: str | None = None) -> tuple[Imported, ...]:
    """What was imported of a lab, or of all, the newest measurement first."""
    query = select(table).order_by(table.c.started_at_ms.desc(), table.c.id)
    if lab is not None:
        query = query.where(table.c.lab == lab)
    with store.read() as connection:
        rows = connection.execute(query).all()
    return tuple(_imported(row._mapping) for row in rows)


def forget(store: Store, key: str) -> None:
    """Removes an imported result."""
    with store.begin() as connection:
        connection.execute(delete(table).where(table.c.id == key))


def _imported(row: Any, *, already: bool = False) -> Imported:
    return Imported(
        id=row["id"],
        file_name=row["file_name"],
        imported_at=datetime.fromtimestamp(row["imported_at_ms"] / 1000, UTC),
        result=from_json(json.loads(row["body"]), row["file_name"]),
        already=already,
    )


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} isn't a number of JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    body = dict(pairs)
    if len(body) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"an object has the field {twice!r} twice")
    return body
