"""Changing a value in a deck's text leaves every other character where it was."""

from __future__ import annotations

import copy
import difflib
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.study.deck_emit import fields
from engine.study.deck_patch import append, put
from engine.study.deck_spans import spots
from tests.study.decks import GOOD

CARDS = Path(__file__).parents[2] / "cards"
DECKS = {path.name: path.read_text(encoding="utf-8") for path in sorted(CARDS.glob("*.yaml"))}

COMMENTED = """\
# the head
deck: {id: d, title: D, language: en}

cards:
  # why this card is here
  - id: one
    kind: question   # slip
    title: 'It''s one'
    topics: [a, b]   # two
    prompt: |
      First line

        indented

    # between prompt and answer
    answer:
      - heading: "Quoted: yes"   # kept
        text: plain
      # before the second point
      - heading: Second
        text: >-
          folded text
          on two lines

  # the second card
  - id: two
    kind: term
    title: Two
    prompt: What?
    answer:
      - {heading: Flow, text: It is}
# the end
"""


def changed(value: Any, *, of: str = COMMENTED, at: tuple[str | int, ...]) -> list[tuple[str, str]]:
    """The lines that `put` took out and put in."""
    before, after = of.split("\n"), put(of, at, value).split("\n")
    return [(line[0], line[2:]) for line in difflib.ndiff(before, after) if line[:2] in ("- ", "+ ")]


def card(index: int = 0, **fields: Any) -> dict[str, Any]:
    value: dict[str, Any] = spots(COMMENTED).at(("cards", index)).plain()
    return value | fields


def test_a_value_put_as_it_is_changes_nothing() -> None:
    for text in (COMMENTED, GOOD, *DECKS.values()):
        assert put(text, (), spots(text).plain()) == text


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("title", "It's two", [("-", "    title: 'It''s one'"), ("+", "    title: 'It''s two'")]),
        ("kind", "term", [("-", "    kind: question   # slip"), ("+", "    kind: term   # slip")]),
        ("topics", ["a", "c"], [("-", "    topics: [a, b]   # two"), ("+", "    topics: [a, c]   # two")]),
        ("prompt", "First line\n\n  more", [("-", "        indented"), ("+", "        more")]),
        ("pitfall", "none: yet", [("+", '    pitfall: "none: yet"')]),
    ],
)  # fmt: skip
def test_one_field_changes_its_own_line(field: str, value: Any, expected: list[tuple[str, str]]) -> None:
    assert changed(card(**{field: value}), at=("cards", 0)) == expected


def test_a_point_changes_within_its_comments_and_keeps_its_quotes() -> None:
    points = card()["answer"]
    points[0]["heading"] = "Quoted: no"
    points[1]["text"] = "folded text on three lines"
    assert changed(card(answer=points), at=("cards", 0)) == [
        ("-", '      - heading: "Quoted: yes"   # kept'),
        ("+", '      - heading: "Quoted: no"   # kept'),
        ("+", "          folded text on three lines"),
        ("-", "          folded text"),
        ("-", "          on two lines"),
    ]


def test_points_are_put_in_taken_out_and_moved_without_touching_their_neighbours() -> None:
    first, second = card()["answer"]
    more = {"heading": "Third", "text": "a\n\nb"}
    assert changed(card(answer=[first, second, more]), at=("cards", 0)) == [
        ("+", "      - heading: Third"),
        ("+", "        text: |"),
        ("+", "          a"),
        ("+", ""),
        ("+", "          b"),
    ]
    assert changed(card(answer=[second]), at=("cards", 0)) == [
        ("-", '      - heading: "Quoted: yes"   # kept'),
        ("-", "        text: plain"),
    ]
    swapped = put(COMMENTED, ("cards", 0), card(answer=[second, first]))
    assert spots(swapped).at(("cards", 0, "answer", 0, "heading")).plain() == "Second"
    assert swapped.startswith(COMMENTED[: COMMENTED.index("    answer:")])
    assert swapped.endswith(COMMENTED[COMMENTED.index("  # the second card") :])


def test_a_card_comes_at_the_end_after_a_blank_line() -> None:
    new = card(1, id="three", title="Three")
    text = append(COMMENTED, ("cards",), new)
    assert spots(text).at(("cards", 2)).plain() == new
    assert text.replace(text[text.index("\n\n  - id: three") : text.index("\n# the end")], "") == COMMENTED


def test_a_field_that_stands_on_the_line_of_the_dash_can_go() -> None:
    text = put(COMMENTED, ("cards", 0, "answer", 1), {"text": "alone"})
    assert spots(text).at(("cards", 0, "answer")).plain()[1] == {"text": "alone"}
    assert "# before the second point" in text


ODD = (
    *(
        "no",
        "1:10",
        "- a",
        "a: b",
        "a #b",
        "#",
        "*x*",
        "&a",
        "!!int",
        "  two",
        "x\n\n\ny",
        "\ttab",
        "…",
        "---",
    ),
    *(
        "'",
        '"',
        "\\",
        "{a}",
        "[",
        "key:",
        "|",
        "> quote",
        "%",
        "@",
        "`code`",
        "~",
        "\n",
        "a\n  b\n c",
        "a\n  \nb",
        "  \n a\n\t\n",
        "😀 é",
    ),
)
"""Texts that YAML would take for something else."""

TEXTS = st.one_of(
    st.text(
        st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")) | st.sampled_from("\n\t"),
        max_size=40,
    ),
    st.sampled_from(ODD),
)
VALUES = st.recursive(
    TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["text", "heading", "set", "labs", "topics"]), inner, max_size=3)
    ),
    max_leaves=6,
)


def trimmed(value: Any) -> Any:
    if isinstance(value, str):
        return re.sub(r"^[^\S\n]+$", "", value, flags=re.MULTILINE).rstrip().lstrip("\n")
    if isinstance(value, dict):
        return {name: trimmed(each) for name, each in value.items()}
    return [trimmed(each) for each in value]


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(["a", "set", "labs", "topics"]), VALUES, min_size=1))
def test_what_is_written_reads_back_as_it_was(value: dict[str, Any]) -> None:
    assert trimmed(spots(fields(value, 0)).plain()) == trimmed(value)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_card_of_any_deck_takes_any_change_and_the_rest_of_the_file_stays(data: st.DataObject) -> None:
    text = DECKS[data.draw(st.sampled_from(sorted(DECKS)))]
    root = spots(text)
    cards = root.at(("cards",)).items
    index = data.draw(st.integers(0, len(cards) - 1))
    value = copy.deepcopy(cards[index].plain())
    for _ in range(data.draw(st.integers(1, 3))):
        name = data.draw(st.sampled_from([*value, "pitfall", "key_figures", "follow_ups", "labs"]))
        if name == "answer":
            points = value["answer"]
            at = data.draw(st.integers(0, len(points) - 1))
            how = data.draw(st.sampled_from(["change", "insert", "remove", "swap"]))
            point = {"heading": data.draw(TEXTS), "text": data.draw(TEXTS)}
            if how == "change":
                points[at] = point
            elif how == "insert":
                points.insert(at, point)
            elif how == "remove" and len(points) > 1:
                del points[at]
            else:
                points[0], points[at] = points[at], points[0]
        elif name != "id" and data.draw(st.booleans()):
            value[name] = data.draw(VALUES)
        elif name not in ("id", "answer"):
            value.pop(name, None)
    after = put(text, ("cards", index), value)
    assert trimmed(spots(after).at(("cards", index)).plain()) == trimmed(value)
    begin = text.rindex("\n", 0, cards[index].start)
    assert after[:begin] == text[:begin]
    assert after.endswith(text[cards[index].end :].split("\n", 1)[-1])
