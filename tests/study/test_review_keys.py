"""The keys of the review page: Anki's by default, each changeable, none twice."""

from __future__ import annotations

import pytest

from engine.store import Store
from engine.study import settings
from engine.study.review_keys import DEFAULTS, BadKeys, parse_keys, write_keys
from engine.study.settings import SettingsRefused


def test_without_a_choice_the_keys_are_those_of_anki() -> None:
    keys = parse_keys("")
    assert keys == dict(DEFAULTS)
    assert (keys["bury"], keys["suspend"], keys["mark"], keys["info"]) == ("-", "@", "*", "i")


def test_two_keys_can_change_places_and_only_what_differs_is_kept() -> None:
    keys = {**DEFAULTS, "mark": "i", "info": "*"}
    assert write_keys(keys) == "info:* mark:i"
    assert parse_keys("info:* mark:i") == keys
    assert write_keys(parse_keys("bury:-")) == ""


def test_a_colon_can_be_a_key_and_capitals_are_as_small_letters() -> None:
    assert parse_keys("bury:: mark:K")["bury"] == ":"
    assert parse_keys("bury:: mark:K")["mark"] == "k"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("fly:f", "unknown_action"),
        ("bury:", "not_a_key"),
        ("bury:ab", "not_a_key"),
        ("bury:3", "not_a_key"),
        ("bury:?", "not_a_key"),
        ("bury", "not_a_key"),
        ("bury:u", "key_taken"),
        ("bury:x mark:x", "key_taken"),
    ],
)
def test_keys_that_can_not_be_are_refused(text: str, code: str, store: Store) -> None:
    with pytest.raises(BadKeys) as raised:
        parse_keys(text)
    assert raised.value.code == code
    with pytest.raises(SettingsRefused, match="review_keys"):
        settings.save(store, {"review_keys": text})
    assert settings.load(store).review_keys == ""


@pytest.mark.parametrize("key", ["", " ", "a b"])
def test_an_empty_key_is_none(key: str) -> None:
    with pytest.raises(BadKeys):
        write_keys({**DEFAULTS, "bury": key})
