"""Settings are checked before they are kept, and a refusal says field and range."""

from __future__ import annotations

import pytest

from engine.store import Store
from engine.store.tables import settings as table
from engine.study.settings import RANGES, SettingsRefused, StudySettings, checked, load, save
from engine.study.steps import parse_steps, write_steps


def test_without_settings_the_defaults_hold(store: Store) -> None:
    assert load(store) == StudySettings()
    assert checked({name: getattr(StudySettings(), name) for name in RANGES}) == StudySettings()


def test_settings_are_kept(store: Store) -> None:
    changed = save(store, {"new_per_day": "35", "desired_retention": "0,85", "learning_steps": "1M, 90m 1d"})
    assert (changed.new_per_day, changed.desired_retention) == (35, 0.85)
    assert changed.learning_steps == "1m 90m 1d"
    assert load(store) == changed
    assert save(store, {"rollover_hour": 0}).new_per_day == 35
    assert save(store, StudySettings()) == StudySettings()


def test_decks_left_out_are_kept_as_a_set_of_ids(store: Store) -> None:
    assert save(store, {"decks_left_out": " b-2  a-1 b-2 "}).decks_left_out == "a-1 b-2"
    assert save(store, {"decks_left_out": ""}).decks_left_out == ""
    with pytest.raises(SettingsRefused, match="'A' is no id of a deck"):
        save(store, {"decks_left_out": "A deck"})


@pytest.mark.parametrize("field", RANGES)
def test_both_ends_of_each_range_are_allowed_and_nothing_beyond(store: Store, field: str) -> None:
    low, high = RANGES[field]
    for end in (low, high):
        assert getattr(save(store, {field: end}), field) == end
    for value in (low - 0.01, high + 0.01, "nan", "inf", "-inf"):
        with pytest.raises(SettingsRefused) as raised:
            save(store, {field: value})
        (fault,) = raised.value.faults
        assert fault.field == field
        assert str(fault).startswith(f"{field}: ")
        assert f"from {low:g} to {high:g}" in str(fault)


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("desired_retention", 1.5, "out_of_range"),
        ("desired_retention", "high", "not_a_number"),
        ("new_per_day", "", "not_a_number"),
        ("new_per_day", None, "not_a_number"),
        ("new_per_day", True, "not_a_number"),
        ("new_per_day", 2.5, "not_whole"),
        ("rollover_hour", -1, "out_of_range"),
        ("learning_steps", "10", None),
        ("learning_steps", "", None),
        ("learning_steps", "1m 10x", "bad_steps"),
        ("learning_steps", "0m", "bad_steps"),
        ("learning_steps", "1.5h", "bad_steps"),
        ("learning_steps", "-5m", "bad_steps"),
        ("learning_steps", "31d", "bad_steps"),
        ("learning_steps", "10m 1m", "bad_steps"),
        ("learning_steps", "1m " * 11, "bad_steps"),
        ("relearning_steps", "soon", "bad_steps"),
        ("interface_language", "fr", "bad_choice"),
        ("colour", "red", "unknown_field"),
    ],
)
def test_each_value_is_checked(store: Store, field: str, value: object, code: str | None) -> None:
    if code is None:
        save(store, {field: value})
        return
    with pytest.raises(SettingsRefused) as raised:
        save(store, {field: value})
    assert [(fault.field, fault.code) for fault in raised.value.faults] == [(field, code)]
    assert load(store) == StudySettings()


def test_all_faults_are_said_at_once_and_nothing_is_kept(store: Store) -> None:
    with pytest.raises(SettingsRefused, match=r"new_per_day(.|\n)*rollover_hour"):
        save(store, {"new_per_day": -1, "rollover_hour": 13, "reviews_per_day": 5})
    assert load(store) == StudySettings()


def test_a_kept_value_that_is_not_allowed_any_more_gives_way_to_its_default(store: Store) -> None:
    with store.begin() as connection:
        connection.execute(table.insert(), [{"key": "rollover_hour", "value": 23}])
        connection.execute(table.insert(), [{"key": "new_per_day", "value": 7}])
    assert load(store) == StudySettings(new_per_day=7)


def test_steps_are_read_and_written_in_the_largest_whole_unit() -> None:
    assert parse_steps("1m 10m 1h 1d") == (1, 10, 60, 1440)
    assert write_steps((1, 10, 60, 90, 1440, 2880)) == "1m 10m 1h 90m 1d 2d"
    assert parse_steps("30") == (30,)
