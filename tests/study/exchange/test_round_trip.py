"""Out and in again: nothing is lost, nothing comes twice."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import insert

from engine.claims.record import notes, write_note
from engine.store.claim_tables import predictions, record_notes, sightings
from engine.store.schedule_tables import schedule_changes
from engine.store.tables import card_states, reviews, undos
from engine.study import schedule_changes as schedule
from engine.study import settings
from tests.study.decks import GOOD
from tests.study.exchange.machines import Machine, machine, study

SITTINGS = "3413uu2h33d4431ud3333d212"


def with_everything(at: Machine) -> None:
    study(at, SITTINGS)
    settings.save(at.store, {"new_per_day": 7, "desired_retention": 0.87})
    write_note(
        at.store, "h200", "lesson/a/b", 'line one\nline "two", =SUM(A1)', datetime(2026, 12, 1, tzinfo=UTC)
    )
    with at.store.begin() as connection:
        connection.execute(
            insert(predictions),
            {
                "nonce": "p1",
                "made_at_ms": 1_796_000_000_000,
                "study_day": "2026-11-29",
                "card_id": "deck-000",
                "claim_id": "floor",
                "text": "khoảng 4,8 ms",
                "value": 4.8,
                "low": 0.1 + 0.2,
                "high": 1e3,
                "unit": "ms",
                "gpu": "h200",
            },
        )
        connection.execute(
            insert(sightings),
            {"subject": "lab:fusion", "study_day": "2026-12-01", "seen_at_ms": 1_796_100_000_000},
        )
    for kind, deck, value in (
        ("retention", "deck", {"retention": 0.93}),
        ("easy_days", "", {"percent": [100, 100, 100, 100, 100, 50, 0]}),
    ):
        schedule.change(
            at.store,
            kind,  # type: ignore[arg-type]
            value,
            deck=deck,
            now=datetime(2026, 12, 1, tzinfo=UTC),
            zone="Asia/Ho_Chi_Minh",
            nonce=f"schedule-{kind}",
        )
    at.decks.mkdir()
    (at.decks / "tiếng Việt.yaml").write_bytes(GOOD.replace("\n", "\r\n").encode())
    (at.decks / "中文.yml").write_text("deck: {broken", encoding="utf-8")
    (at.decks / "pictures").mkdir()
    (at.decks / "pictures" / "a1.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\xff")


def files(at: Machine) -> list[Path]:
    """Decks and pictures."""
    return [path for path in at.decks.rglob("*") if path.is_file()]


def without(content: bytes, *names: str) -> dict[str, object]:
    body = json.loads(content)
    return {name: value for name, value in body.items() if name not in names}


@pytest.mark.parametrize("format", ["json", "csv"])
def test_an_export_into_an_empty_store_gives_the_same_store(
    here: Machine, tmp_path: Path, format: str
) -> None:
    with_everything(here)
    fresh = machine(tmp_path / "fresh")
    report = fresh.take(here.export(format))
    assert report.reviews.new == len(here.rows(reviews)) > 10
    assert report.undos.new == len(here.rows(undos)) == 3
    for table in (reviews, undos, card_states, predictions, sightings, record_notes, schedule_changes):
        assert fresh.rows(table) == here.rows(table), table.name
    assert settings.load(fresh.store) == settings.load(here.store)
    assert schedule.plan(fresh.store) == schedule.plan(here.store)
    assert {path.name: path.read_bytes() for path in files(fresh)} == {
        path.name: path.read_bytes() for path in files(here)
    }
    assert fresh.export(format) == here.export(format)
    fresh.store.close()


@pytest.mark.parametrize("format", ["json", "csv"])
def test_a_second_import_changes_nothing(here: Machine, there: Machine, format: str) -> None:
    with_everything(here)
    study(there, "33d12")
    content = here.export(format)
    assert there.take(content).changes
    before = there.export()
    again = there.take(content)
    assert not again.changes
    assert (again.reviews.new, again.undos.new, again.predictions.new, again.record_notes.new) == (0, 0, 0, 0)
    assert there.export() == before


def test_ones_own_export_changes_nothing(here: Machine) -> None:
    with_everything(here)
    before = here.export()
    assert not here.take(before).changes
    assert here.export() == before


def test_work_goes_on_after_an_import_and_can_be_taken_back(here: Machine, tmp_path: Path) -> None:
    study(here, SITTINGS)
    fresh = machine(tmp_path / "fresh", first_nonce=500)
    fresh.take(here.export())
    fresh.learner.now = here.learner.now
    before = fresh.states()
    study(fresh, "d3")
    assert fresh.states() != before
    fresh.learner.undo()
    assert fresh.states() == before
    fresh.store.close()


def test_of_two_notes_on_one_item_the_newer_counts_whichever_came_last(here: Machine, there: Machine) -> None:
    write_note(here.store, "h200", "item", "older", datetime(2026, 12, 1, tzinfo=UTC))
    write_note(there.store, "h200", "item", "newer", datetime(2026, 12, 2, tzinfo=UTC))
    there.take(here.export())
    assert notes(there.store, "h200") == {"item": "newer"}


def test_settings_and_decks_that_differ_stay_unless_the_import_replaces(
    here: Machine, there: Machine
) -> None:
    settings.save(here.store, {"new_per_day": 5})
    for at, text in ((here, GOOD), (there, GOOD.replace("Two cards", "2 cards"))):
        at.decks.mkdir()
        (at.decks / "mine.yaml").write_text(text, encoding="utf-8")
    kept = there.take(here.export())
    assert (kept.settings_differ, kept.decks_differ) == (("new_per_day", "learning_steps"), ("mine.yaml",))
    assert not kept.changes
    assert "2 cards" in (there.decks / "mine.yaml").read_text(encoding="utf-8")
    assert there.take(here.export(), replace=True).changes
    assert settings.load(there.store) == settings.load(here.store)
    assert (there.decks / "mine.yaml").read_text(encoding="utf-8") == GOOD


def test_answers_to_cards_that_no_deck_has_are_kept_and_named(here: Machine, there: Machine) -> None:
    study(here, "33")
    content = here.export().replace(b"deck-001", b"gone-001")
    report = there.take(content)
    assert report.unknown_cards == ("gone-001",)
    assert there.states()["gone-001"] == here.states()["deck-001"]
