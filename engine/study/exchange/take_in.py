"""The import: all of a file, or nothing of it, in one transaction."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

import msgspec
from sqlalchemy import Connection, insert, select

from engine.store import Store
from engine.store.change_tables import card_change_undos, card_changes, practice_answers
from engine.store.claim_tables import predictions, record_notes, sightings
from engine.store.notebook_tables import mistakes
from engine.store.schedule_tables import schedule_changes
from engine.store.tables import reviews, undos
from engine.study import card_flags, state_table
from engine.study import settings as study_settings
from engine.study.exchange.check import check
from engine.study.exchange.deck_files import placed
from engine.study.exchange.few import chunks
from engine.study.exchange.parsed import Parsed
from engine.study.exchange.plan import Plan, plan
from engine.study.exchange.report import Report
from engine.study.schedule import SchedulerParams
from engine.study.schedule_plan import plan_in

_ONE_BY_ONE = 200
"""Cards up to which each one's state is made anew alone; above it all are, in one pass over the log."""


def foresee(
    store: Store,
    parsed: Parsed,
    decks: Path,
    *,
    known_cards: Collection[str],
    now: datetime,
    replace: bool = False,
) -> Report:
    """What `take_in` with the same arguments would do; nothing is written. Raises ExchangeFault."""
    check(parsed, now)
    with store.read() as connection:
        return plan(connection, parsed, decks, known_cards, replace=replace).report


def take_in(
    store: Store,
    parsed: Parsed,
    decks: Path,
    *,
    known_cards: Collection[str],
    now: datetime,
    replace: bool = False,
) -> Report:
    """Imports a file's records; what is here already stays as it is, so that a second time changes nothing.

    decks: the folder of the learner's own decks. known_cards: ids of the cards that decks hold here.
    replace: where settings and decks differ, the file's are taken. Raises ExchangeFault, SettingsRefused or
    StoreError, and nothing was changed then.
    """
    check(parsed, now)
    with ExitStack() as folder, store.begin() as connection:
        wanted = plan(connection, parsed, decks, known_cards, replace=replace)
        # outside the transaction: the decks go again also where the disk refuses the commit
        folder.enter_context(placed(decks, wanted.decks, wanted.pictures))
        _write(connection, parsed, wanted)
    return wanted.report


def _write(connection: Connection, parsed: Parsed, wanted: Plan) -> None:
    for scheduler in parsed.export.schedulers:
        study_settings.remember(connection, SchedulerParams.from_json(scheduler.params))
    for chunk in chunks(wanted.reviews):
        connection.execute(insert(reviews), [_row(review, but=("undo",)) for review in chunk])
    for few in chunks(wanted.undos):
        query = select(reviews.c.nonce, reviews.c.id).where(reviews.c.nonce.in_([nonce for nonce, _ in few]))
        ids = {row.nonce: row.id for row in connection.execute(query)}
        connection.execute(insert(undos), [{**_row(undo), "review_id": ids[nonce]} for nonce, undo in few])
    if wanted.settings:
        study_settings.save_in(connection, wanted.settings)
    for table, records in (
        (predictions, wanted.predictions),
        (sightings, wanted.sightings),
        (record_notes, wanted.record_notes),
        (mistakes, wanted.mistakes),
        (card_changes, wanted.changes.changes),
        (card_change_undos, wanted.changes.undos),
        (practice_answers, wanted.changes.practice),
        (schedule_changes, wanted.schedule_changes),
    ):
        for some in chunks(records):
            connection.execute(insert(table), [_row(record) for record in some])
    if wanted.schedule_changes:
        settings = study_settings.load_in(connection)
        for params in plan_in(connection).schedulers(settings.scheduler):
            study_settings.remember(connection, params)
    card_flags.recompute(connection, wanted.changes.flagged)
    if len(wanted.cards) > _ONE_BY_ONE:
        state_table.recompute(connection)
    else:
        for card in sorted(wanted.cards):
            state_table.recompute(connection, card)


def _row(record: msgspec.Struct, but: tuple[str, ...] = ()) -> dict[str, object]:
    body: dict[str, object] = msgspec.to_builtins(record)
    return {name: value for name, value in body.items() if name not in but}
