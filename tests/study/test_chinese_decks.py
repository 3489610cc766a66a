"""The Chinese decks of the lesson on gaps: complete, loadable, well set, and right where they show code."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.folders import project_folder
from engine.lab_names import lab_names
from engine.study.card import Card
from engine.study.library import load_library

DECKS = sorted((project_folder() / "cards").glob("day11-*.zh.yaml"))
LIBRARY = load_library(DECKS, lab_names=lab_names(), cache=None)
CARDS = sorted(LIBRARY.by_id.values(), key=lambda card: card.id)


def _texts(card: Card) -> Iterator[str]:
    """Every text of the card that a learner reads, without code blocks and formulas."""
    texts = [card.title, card.prompt, card.pitfall or "", *card.key_figures]
    texts += [text for point in card.answer for text in (point.heading, point.text)]
    texts += [text for item in card.follow_ups for text in (item.prompt, item.answer)]
    texts += [claim.label for claim in card.claims]
    for text in texts:
        yield re.sub(r"```.*?```|\$[^$]+\$", "", text, flags=re.DOTALL)


def _code(card_id: str) -> str:
    found = [
        re.search(r"```python\n(.*?)```", point.text, re.DOTALL) for point in LIBRARY.by_id[card_id].answer
    ]
    return next(match.group(1) for match in found if match)


def test_decks_have_no_faults() -> None:
    assert [str(fault) for fault in LIBRARY.faults] == []


def test_lesson_is_there_in_full() -> None:
    assert Counter(card.kind for card in CARDS) == {
        "self-test": 6,
        "misconception": 6,
        "term": 12,
        "table": 1,
        "exercise": 5,
    }
    assert {card.language for card in CARDS} == {"zh"}


def test_layer_table_has_its_fourteen_rows() -> None:
    table = LIBRARY.by_id["zh-d11-table-layer"].answer[0].text
    assert re.findall(r"^\| (\d+) \|", table, re.MULTILINE) == [str(row) for row in range(1, 15)]


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_punctuation_between_chinese_characters_is_full_width(card: Card) -> None:
    half_width = re.compile(r"[一-鿿][,.;:!?()]|[,.;:!?()][一-鿿]")
    assert [match for text in _texts(card) for match in half_width.findall(text)] == []


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_a_space_parts_chinese_and_latin(card: Card) -> None:
    touching = re.compile(r"[一-鿿][A-Za-z0-9`]|[A-Za-z0-9`%][一-鿿]")
    assert [match for text in _texts(card) for match in touching.findall(text)] == []


def test_code_shown_for_the_busy_ratio_counts_overlaps_once(tmp_path: Path) -> None:
    busy_ratio = _busy_ratio_as_shown()
    spans = [("kernel", 0, 10), ("kernel", 5, 3), ("gpu_memcpy", 8, 7), ("kernel", 20, 10), ("cpu_op", 0, 90)]
    trace = tmp_path / "trace.json"
    events = [{"ph": "X", "cat": cat, "ts": start, "dur": length} for cat, start, length in spans]
    trace.write_text(json.dumps({"traceEvents": events}), encoding="utf-8")
    assert busy_ratio(str(trace)) == pytest.approx(25 / 30)


def test_code_shown_for_the_busy_ratio_refuses_a_trace_without_gpu_events(tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    trace.write_text('{"traceEvents": []}', encoding="utf-8")
    with pytest.raises(ValueError, match="GPU"):
        _busy_ratio_as_shown()(str(trace))


def _busy_ratio_as_shown() -> Callable[[str], float]:
    names: dict[str, Any] = {}
    exec(_code("zh-d11-exercise-busy-ratio"), names)  # noqa: S102 - the card's own code, as a learner runs it
    shown: Callable[[str], float] = names["busy_ratio"]
    return shown


@pytest.mark.parametrize("card_id", ["zh-d11-exercise-batch-sweep", "zh-d11-exercise-reduce-overhead"])
def test_code_that_needs_a_gpu_at_least_compiles(card_id: str) -> None:
    compile(_code(card_id), card_id, "exec")
