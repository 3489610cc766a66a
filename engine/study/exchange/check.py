"""What must hold of a file's records beyond their types, before anything of it is looked up in the store."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta
from typing import TypeVar

from engine.study import schedule_plan
from engine.study.card_state import NEW
from engine.study.deck_bytes import MAX_BYTES
from engine.study.exchange.faults import ExchangeFault
from engine.study.exchange.parsed import WAY_OUT, Parsed
from engine.study.exchange.records import (
    ChangeRecord,
    PracticeRecord,
    ReviewRecord,
    SchedulerRecord,
)
from engine.study.pictures import LARGEST, NAME
from engine.study.placed import Placed
from engine.study.schedule import EVERY_DAY, SchedulerParams, transitions
from engine.study.settings import RANGES, SettingsRefused, checked
from engine.study.study_day import UnknownZone, from_ms, to_ms, zone_of
from engine.study.today import JITTER_MS

Key = TypeVar("Key", str, tuple[str, int], tuple[str, str])

OLDEST_MS = to_ms(datetime(2000, 1, 1, tzinfo=UTC))
AHEAD = timedelta(days=1)
"""How far ahead of this machine's clock another machine's may have been."""

DAYS_ASIDE = 2
"""A study day lies at most this far from the UTC date of its instant: zones, the rollover, a trip between."""


def check(parsed: Parsed, now: datetime) -> None:
    """Raises ExchangeFault for the first record that can't be."""
    latest = to_ms(now + AHEAD)
    _settings(parsed)
    for index, scheduler in enumerate(parsed.export.schedulers):
        _scheduler(parsed, index, scheduler)
    known = {scheduler.fingerprint for scheduler in parsed.export.schedulers}
    nonces: dict[str, int] = {}
    undo_nonces: dict[str, int] = {}
    versions: dict[tuple[str, int], int] = {}
    for index, review in enumerate(parsed.export.reviews):
        _once(parsed, "reviews", index, "nonce", nonces, review.nonce)
        _once(parsed, "reviews", index, "version", versions, (review.card_id, review.version))
        if review.undo is not None:
            _once(parsed, "reviews", index, "undo.nonce", undo_nonces, review.undo.nonce)
        if review.scheduler not in known:
            raise parsed.fault(
                "reviews",
                index,
                "scheduler",
                f"{review.scheduler!r} is none of the file's schedulers: export it anew",
            )
        _review(parsed, index, review, latest)
    _made(parsed, latest)
    _decks(parsed)
    _pictures(parsed)


def _settings(parsed: Parsed) -> None:
    try:
        checked(parsed.export.settings)
    except SettingsRefused as refused:
        fault = refused.faults[0]
        raise ExchangeFault(
            parsed.where, f"settings.{fault.field}", f"{fault.message}: {WAY_OUT}"
        ) from refused


def _scheduler(parsed: Parsed, index: int, record: SchedulerRecord) -> None:
    def fault(message: str) -> ExchangeFault:
        return parsed.fault("schedulers", index, "params", f"{message}: export it anew")

    try:
        params = SchedulerParams.from_json(record.params)
        numbers = [params.desired_retention, *params.parameters]
        if params.easy_days != EVERY_DAY:
            schedule_plan.check("easy_days", {"percent": params.easy_days}, "")
        if not all(math.isfinite(number) for number in numbers):
            raise fault("holds a number that isn't finite")
        if params.to_json() != record.params or params.fingerprint != record.fingerprint:
            raise fault(f"isn't what the fingerprint {record.fingerprint} stands for")
        for name in ("desired_retention", "maximum_days"):
            low, high = RANGES[name]
            if not low <= getattr(params, name) <= high:
                raise fault(f"{name} lies outside {low:g} to {high:g}")
        transitions("check", NEW, "2026-01-01", params)
    except (KeyError, TypeError, ValueError, ArithmeticError, schedule_plan.ScheduleRefused) as error:
        raise fault(f"FSRS can't work with it ({error!r})") from error


def _review(parsed: Parsed, index: int, review: ReviewRecord, latest: int) -> None:
    def fault(field: str, message: str) -> ExchangeFault:
        return parsed.fault("reviews", index, field, f"{message}: {WAY_OUT}")

    _instant(parsed, "reviews", index, "reviewed_at_ms", review.reviewed_at_ms, latest)
    _instant(parsed, "reviews", index, "shown_at_ms", review.shown_at_ms, latest)
    if review.shown_at_ms > review.reviewed_at_ms + JITTER_MS:
        raise fault("shown_at_ms", "lies after the answer")
    for name in ("study_day", "shown_day"):
        _day(parsed, "reviews", index, name, getattr(review, name))
    aside = date.fromisoformat(review.study_day) - from_ms(review.reviewed_at_ms).date()
    if abs(aside) > timedelta(days=DAYS_ASIDE):
        raise fault("study_day", f"{review.study_day} isn't the day of its instant")
    try:
        zone_of(review.zone)
    except UnknownZone as error:
        raise fault("zone", str(error).rstrip(".")) from error
    before, after = review.state_before, review.state_after
    for name, state in (("state_before", before), ("state_after", after)):
        for field in ("due_day", "last_study_day"):
            if getattr(state, field) is not None:
                _day(parsed, "reviews", index, f"{name}.{field}", getattr(state, field))
    if review.kind != before.phase:
        raise fault("kind", f"is {review.kind}, but the card was {before.phase} before (state_before.phase)")
    if list(review.shown) != sorted(review.shown):
        raise fault("shown", "a better rating never comes back sooner")
    if after.phase == "new" or after.reps != before.reps + 1:
        raise fault("state_after", "isn't the state after one more answer (phase, reps)")
    if after.stability is None or after.difficulty is None or after.due_ms is None:
        raise fault("state_after", "an answered card has a stability, a difficulty and an instant it is due")
    if after.last_review_ms != review.reviewed_at_ms:
        raise fault("state_after.last_review_ms", "isn't the instant of the answer (reviewed_at_ms)")
    undo = review.undo
    if undo is not None and not review.reviewed_at_ms <= undo.undone_at_ms <= latest:
        raise fault("undo.undone_at_ms", "isn't an instant after the answer and before now")


def _made(parsed: Parsed, latest: int) -> None:
    """Predictions, what was seen, notes."""
    export = parsed.export
    nonces: dict[str, int] = {}
    for index, made in enumerate(export.predictions):
        _once(parsed, "predictions", index, "nonce", nonces, made.nonce)
        _instant(parsed, "predictions", index, "made_at_ms", made.made_at_ms, latest)
        _day(parsed, "predictions", index, "study_day", made.study_day)
        if not all(math.isfinite(number) for number in (made.low, made.value, made.high)):
            raise parsed.fault("predictions", index, "value", f"isn't finite: {WAY_OUT}")
        if not made.low <= made.value <= made.high:
            raise parsed.fault("predictions", index, "value", f"lies outside low and high: {WAY_OUT}")
    for index, seen in enumerate(export.sightings):
        _instant(parsed, "sightings", index, "seen_at_ms", seen.seen_at_ms, latest)
        _day(parsed, "sightings", index, "study_day", seen.study_day)
    written: dict[str, int] = {}
    for index, mistake in enumerate(export.mistakes):
        _once(parsed, "mistakes", index, "nonce", written, mistake.nonce)
        _instant(parsed, "mistakes", index, "at_ms", mistake.at_ms, latest)
        _day(parsed, "mistakes", index, "study_day", mistake.study_day)
        if (mistake.kind == "note") == bool(mistake.about):
            raise parsed.fault("mistakes", index, "about", f"only a note is about no other line: {WAY_OUT}")
    _changes(parsed, latest)
    for index, note in enumerate(export.record_notes):
        _instant(parsed, "record_notes", index, "written_at_ms", note.written_at_ms, latest)
    _schedule_changes(parsed, latest)


def _schedule_changes(parsed: Parsed, latest: int) -> None:
    nonces: dict[str, int] = {}
    for index, change in enumerate(parsed.export.schedule_changes):
        _once(parsed, "schedule_changes", index, "nonce", nonces, change.nonce)
        _instant(parsed, "schedule_changes", index, "made_at_ms", change.made_at_ms, latest)
        _day(parsed, "schedule_changes", index, "study_day", change.study_day)
        try:
            schedule_plan.check(change.kind, change.value, change.deck)
        except schedule_plan.ScheduleRefused as refused:
            message = str(refused).rstrip(".")
            raise parsed.fault("schedule_changes", index, "value", f"{message}; {WAY_OUT}") from refused


def _changes(parsed: Parsed, latest: int) -> None:
    """Changes of cards, what took them back, answers outside the schedule."""
    export = parsed.export
    places: dict[tuple[str, str], int] = {}
    first: dict[str, ChangeRecord] = {}
    for index, change in enumerate(export.card_changes):
        _once(parsed, "card_changes", index, "nonce", places, (change.nonce, change.card_id))
        _placed(parsed, "card_changes", index, change, latest)
        known = first.setdefault(change.nonce, change)
        moves = change.kind == "reschedule"  # each card to a day of its own
        for name in ("kind", *(() if moves else ("value",)), "at_ms", "study_day", "zone"):
            if getattr(change, name) != getattr(known, name):
                message = f"isn't that of the other cards changed with it ({change.nonce}): {WAY_OUT}"
                raise parsed.fault("card_changes", index, name, message)
        if (change.value is not None) != (moves or change.kind in ("tag", "untag", "leech")):
            raise parsed.fault("card_changes", index, "value", f"doesn't go with {change.kind}: {WAY_OUT}")
        if moves:
            _placed_at(parsed, index, change)
    undo_nonces: dict[str, int] = {}
    undone: dict[str, int] = {}
    for index, undo in enumerate(export.card_change_undos):
        _once(parsed, "card_change_undos", index, "nonce", undo_nonces, undo.nonce)
        _once(parsed, "card_change_undos", index, "change_nonce", undone, undo.change_nonce)
        _instant(parsed, "card_change_undos", index, "undone_at_ms", undo.undone_at_ms, latest)
        if undo.change_nonce not in first:
            message = f"{undo.change_nonce!r} is none of the file's changes: {WAY_OUT}"
            raise parsed.fault("card_change_undos", index, "change_nonce", message)
    nonces: dict[str, int] = {}
    for index, answer in enumerate(export.practice_answers):
        _once(parsed, "practice_answers", index, "nonce", nonces, answer.nonce)
        _placed(parsed, "practice_answers", index, answer, latest)
        if (answer.rating == 0) != (answer.takes_back is not None):
            raise parsed.fault("practice_answers", index, "rating", f"0 takes an answer back: {WAY_OUT}")


def _placed_at(parsed: Parsed, index: int, change: ChangeRecord) -> None:
    try:
        Placed.read(change.value)
    except ValueError as error:
        raise parsed.fault("card_changes", index, "value", f"{error}: {WAY_OUT}") from error


def _placed(
    parsed: Parsed, kind: str, index: int, record: ChangeRecord | PracticeRecord, latest: int
) -> None:
    _instant(parsed, kind, index, "at_ms", record.at_ms, latest)
    _day(parsed, kind, index, "study_day", record.study_day)
    try:
        zone_of(record.zone)
    except UnknownZone as error:
        raise parsed.fault(kind, index, "zone", f"{str(error).rstrip('.')}: {WAY_OUT}") from error


def _decks(parsed: Parsed) -> None:
    names: dict[str, int] = {}
    for index, deck in enumerate(parsed.export.decks):
        name = deck.file
        plain = name.isprintable() and not set(name) & set('/\\:*?"<>|') and not name.startswith(".")
        if not plain or not name.lower().endswith((".yaml", ".yml")):
            raise parsed.fault(
                "decks", index, "file", f"{name!r} isn't the plain name of a .yaml file: rename it there"
            )
        # two names that differ in case only are one file on macOS and Windows
        _once(parsed, "decks", index, "file", names, name.casefold())
        if len(deck.text.encode("utf-8")) > MAX_BYTES:
            raise parsed.fault("decks", index, "text", f"is larger than {MAX_BYTES // 1024**2} MiB: split it")


def _pictures(parsed: Parsed) -> None:
    names: dict[str, int] = {}
    for index, picture in enumerate(parsed.export.pictures):
        if not NAME.fullmatch(picture.file):
            raise parsed.fault(
                "pictures", index, "file", f"{picture.file!r} isn't the plain name of a picture: {WAY_OUT}"
            )
        _once(parsed, "pictures", index, "file", names, picture.file.casefold())
        if len(picture.content) > LARGEST:
            raise parsed.fault("pictures", index, "content", f"is larger than 1 MiB: {WAY_OUT}")


def _once(parsed: Parsed, kind: str, index: int, field: str, seen: dict[Key, int], key: Key) -> None:
    if key in seen:
        other = parsed.place(kind, seen[key]).removeprefix(f"{parsed.where}: ")
        raise parsed.fault(kind, index, field, f"{key!r} stands at {other} already: {WAY_OUT}")
    seen[key] = index


def _instant(parsed: Parsed, kind: str, index: int, field: str, instant: int, latest: int) -> None:
    if instant < OLDEST_MS:
        message = f"{from_ms(instant):%Y-%m-%d} is before there were such cards"
    elif instant > latest:
        message = "lies in the future: check the clocks of both machines"
    else:
        return
    raise parsed.fault(kind, index, field, f"{message}; {WAY_OUT}")


def _day(parsed: Parsed, kind: str, index: int, field: str, day: str) -> None:
    try:
        date.fromisoformat(day)
    except ValueError as error:
        raise parsed.fault(kind, index, field, f"{day!r} is no date: {WAY_OUT}") from error
