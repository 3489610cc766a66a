"""The catalogues: no language lacks a string, arguments agree, and every key that the pages name is there."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from pathlib import Path
from string import Formatter
from typing import get_args

import pytest

from app_pages import context, words
from app_pages.interview_room.payload import words as interview_words
from app_pages.review_card.payload import words as component_words
from engine.interview.clock import RUNNING, WAITING, Outcome
from engine.interview.marks import BANDS, FIGURE_TICKS, POINT_TICKS

PAGES = Path(words.__file__).parents[1]
LANGUAGES = context.LANGUAGES


def arguments(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def named_keys() -> dict[str, str]:
    """Every key that is written out in a call such as `say("nav.cards")`, with where it stands."""
    found = {}
    for file in (PAGES.parent / "app.py", *sorted(PAGES.rglob("*.py"))):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            place = {"say": 0, "phrase": 1}.get(called)
            if place is None or len(node.args) <= place:
                continue
            key = node.args[place]
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                found[key.value] = f"{file.relative_to(PAGES.parent)}:{node.lineno}"
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_language_lacks_a_string(language: str) -> None:
    assert set(words.catalogue(language)) == set(words.catalogue("en"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_arguments_of_a_string_agree(language: str) -> None:
    english = words.catalogue("en")
    wrong = {
        key: text
        for key, text in words.catalogue(language).items()
        if arguments(text) != arguments(english[key])
    }
    assert wrong == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_string_is_empty_and_no_key_stands_twice(language: str) -> None:
    pairs: list[tuple[str, str]] = []
    for file in sorted(words.FOLDER.glob(f"*{language}.json")):
        pairs += json.loads(file.read_text(encoding="utf-8"), object_pairs_hook=list)
    assert [key for key, text in pairs if not text.strip()] == []
    assert [key for key, count in Counter(key for key, _ in pairs).items() if count > 1] == []


def test_every_key_that_a_page_names_is_there() -> None:
    keys = named_keys()
    assert len(keys) > 20, "the test no longer sees how pages ask for words"
    assert {key: where for key, where in keys.items() if not words.knows(key)} == {}


def test_every_word_that_the_component_names_is_there() -> None:
    front = PAGES / "review_card" / "front"
    text = "".join(file.read_text(encoding="utf-8") for file in sorted(front.iterdir()))
    named = set(re.findall(r'data-(?:word|title)="([^"]+)"', text))
    named |= set(re.findall(r"\bwords\.([a-z_]+)\b", text))
    assert len(named) > 20
    assert named - set(component_words("en")) == set()


def test_every_word_that_the_interviews_component_names_is_there() -> None:
    front = PAGES / "interview_room" / "front"
    text = "".join(file.read_text(encoding="utf-8") for file in sorted(front.iterdir()))
    named = set(re.findall(r'data-(?:word|title)="([^"]+)"', text))
    named |= set(re.findall(r"\bwords\.([a-z_]+)\b", text))
    for prefix, names in {
        "phase.": RUNNING,
        "go.": RUNNING | WAITING | {"paused", "over"},
        "begin_say.": RUNNING,
        "tick.": {*POINT_TICKS, *FIGURE_TICKS},
        "band.": {name for band in BANDS for name in (band, f"{band}.text")},
        "mode.": {"practice", "real"},
        "level.": {"amber", "red"},
        "outcome.": set(get_args(Outcome)),
    }.items():
        named |= {prefix + name for name in names}
    named |= {f"{name}_{part}" for name in {*WAITING, "over"} for part in ("title", "text")}
    assert len(named) > 60
    assert named - set(interview_words("en")) == set()


@pytest.mark.parametrize(
    ("minutes", "en", "vi", "zh"),
    [
        (0.2, "1 min", "1 phút", "1 分钟"),
        (10, "10 min", "10 phút", "10 分钟"),
        (90, "1.5 h", "1.5 giờ", "1.5 小时"),
        (3 * 1440, "3 d", "3 ngày", "3 天"),
        (64 * 1440, "2.1 mo", "2.1 tháng", "2.1 个月"),
        (800 * 1440, "2.2 y", "2.2 năm", "2.2 年"),
    ],
)
def test_an_interval_in_each_language(minutes: float, en: str, vi: str, zh: str) -> None:
    said = [words.interval(language, minutes) for language in ("en", "vi", "zh")]
    assert said == [en, vi, zh]


@pytest.mark.parametrize(
    ("locale", "language"),
    [("vi-VN", "vi"), ("zh-CN", "zh"), ("zh_TW", "zh"), ("en-GB", "en"), ("fr-FR", "en"), (None, "en")],
)
def test_the_browser_chooses_the_language(locale: str | None, language: str) -> None:
    assert context.language_of(locale) == language
