"""The JSON Schema beside the decks: up to date, and of one mind with the loader."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from engine.study.deck_schema import json_schema, schema_path
from tests.study.decks import GOOD, changed

ROOT = Path(__file__).resolve().parents[2]
DECKS = sorted((ROOT / "cards").glob("*.y*ml"))


class EditorLoader(yaml.SafeLoader):
    """YAML 1.2 as editors read it: `55` is a number and `true` a boolean, but `on` and `1:10` are text."""


EditorLoader.yaml_implicit_resolvers = {}
for tag, pattern, first in (
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("int", r"^[-+]?[0-9]+$", "-+0123456789"),
    ("float", r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$", "-+.0123456789"),
):
    EditorLoader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), list(first))


def complaints(text: str) -> list[str]:
    """What an editor underlines in a deck."""
    checker = jsonschema.Draft7Validator(json.loads(schema_path().read_text(encoding="utf-8")))
    value = yaml.load(text, EditorLoader)  # noqa: S506 (it derives from SafeLoader)
    return [f"{error.json_path}: {error.message}" for error in checker.iter_errors(value)]


def test_the_committed_schema_is_up_to_date() -> None:
    assert schema_path().read_text(encoding="utf-8") == json_schema(), (
        "run: python -m engine.study.deck_schema"
    )


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft7Validator.check_schema(json.loads(json_schema()))


def test_an_editor_has_nothing_against_the_good_deck() -> None:
    assert complaints(GOOD) == []


@pytest.mark.parametrize("path", DECKS, ids=[path.name for path in DECKS])
def test_an_editor_has_nothing_against_a_committed_deck(path: Path) -> None:
    assert complaints(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", DECKS, ids=[path.name for path in DECKS])
def test_a_committed_deck_names_the_schema_for_editors(path: Path) -> None:
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    assert first == "# yaml-language-server: $schema=deck.schema.json"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("kind: term", "kynd: term"),
        ("kind: term", "kind: trem"),
        ("    title: MBU\n", ""),
        ("title: MBU", "title: [MBU]"),
        ("topics: [mbu,", "topics: [M B U,"),
        ("      - fusion\n", "      - Fusion!\n"),
        ("value: 4.8", "low: 4.8"),
        ("value: 4.8", "value: four"),
        ("{section: Q1}", "{}"),
    ],
)
def test_an_editor_underlines_what_the_loader_refuses(old: str, new: str) -> None:
    assert complaints(changed(old, new))


def _fields(node: Any, path: str = "") -> list[tuple[str, dict[str, Any]]]:
    found: list[tuple[str, dict[str, Any]]] = []
    if isinstance(node, dict):
        properties = node.get("properties")
        if isinstance(properties, dict):
            found += [(f"{path}.{name}", value) for name, value in properties.items()]
        for key, value in node.items():
            found += _fields(value, f"{path}/{key}")
    return found


def test_an_editor_can_explain_every_field() -> None:
    schema = json.loads(json_schema())
    silent = [name for name, value in _fields(schema) if "description" not in value and "$ref" not in value]
    assert silent == []
    assert all(
        "description" in definition or "anyOf" in definition for definition in schema["$defs"].values()
    )
