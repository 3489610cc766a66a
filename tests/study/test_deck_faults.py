"""Every fault names its line, its field and the way out."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.study.card import Fault
from engine.study.library import load_library
from tests.study.decks import GOOD, LABS, changed, line_of, written


def faults_of(tmp_path: Path, text: str | bytes) -> list[Fault]:
    """The faults of a deck file; it must have been refused."""
    written(tmp_path / "deck.yaml", text)
    library = load_library([tmp_path], lab_names=LABS, cache=None)
    assert library.faults
    assert not library.decks
    assert {fault.file for fault in library.faults} == {str(tmp_path / "deck.yaml")}
    return list(library.faults)


def the_fault(tmp_path: Path, text: str | bytes) -> Fault:
    faults = faults_of(tmp_path, text)
    assert len(faults) == 1, "\n".join(map(str, faults))
    return faults[0]


def test_the_good_deck_has_no_fault(tmp_path: Path) -> None:
    written(tmp_path / "deck.yaml", GOOD)
    library = load_library([tmp_path], lab_names=LABS, cache=None)
    assert library.faults == ()
    assert len(library.by_id) == 2


# old passage, new passage, the passage on whose line the fault must stand, field, part of the message
SHAPE = [
    ("kind: term", "kynd: term", "kynd", "cards[1].kynd", "did you mean `kind`?"),
    ("    kind: term\n", "", "- id: second", "cards[1].kind", "is missing: add `kind:`"),
    ("  language: vi\n", "", "deck:", "deck.language", "is missing"),
    ("kind: term", "kind: trem", "kind: trem", "cards[1].kind", "did you mean term?"),
    ("title: MBU", "title: [MBU]", "title: [MBU]", "cards[1].title", "must be text, but a list"),
    ("title: MBU", "title: {a: b}", "title: {a: b}", "cards[1].title", "must be text, but a group of fields"),
    ("title: MBU", "title:", "title:\n", "cards[1].title", "is empty"),
    ("text: bytes over bandwidth", 'text: " "', 'text: " "', "cards[0].answer[1].text", "is empty"),
    ("- 16 GB", "-", "-\n    follow", "cards[0].key_figures[0]", "is empty"),
    ("topics: [mbu, torch-compile]", "topics: mbu", "topics: mbu", "cards[0].topics", "must be a list"),
    ("topics: [mbu,", "topics: [MBU,", "topics: [MBU", "cards[0].topics[0]", "lowercase letters"),
    ("topics: [mbu,", "topics: [mbu, mbu,", "topics: [mbu", "cards[0].topics[1]", "twice"),
    ("id: second-card", "id: Second_card", "id: Second", "cards[1].id", '"Second_card" is not'),
    (
        "id: second-card",
        "id: first-card",
        "id: first-card\n    kind: term",
        "cards[1].id",
        "the card on line 8",
    ),
    ("source: {section: Q1}", "source: Q1", "source: Q1", "cards[0].source", 'the text "Q1" stands here'),
    ("source: {section: Q1}", "source: {}", "source: {}", "cards[0].source.section", "is missing"),
    ("      - fusion\n", "      - fusoin\n", "- fusoin", "cards[0].labs[0]", "did you mean fusion?"),
    (
        "name: mbu_floor",
        "name: mbu_flor",
        "name: mbu_flor",
        "cards[0].labs[1].name",
        "did you mean mbu_floor",
    ),
    (
        "lab: mbu_floor",
        "lab: nothing",
        "lab: nothing",
        "cards[0].claims[0].measured.lab",
        "fusion, mbu_floor",
    ),
    ("value: 4.8", "value: four", "value: four", "cards[0].claims[0].says.value", "must be a number"),
    ("value: 4.8", 'value: "4,8"', 'value: "4,8"', "cards[0].claims[0].says.value", "decimal point"),
    (
        "value: 4.8",
        "value: 4,8",
        "value: 4,8",
        "cards[0].claims[0].says.8",
        "write 4.5 for a number, not 4,5",
    ),
    ("value: 4.8", "value: 1e999", "value: 1e999", "cards[0].claims[0].says.value", "too large"),
    ("value: 4.8", "low: 4.8", "low: 4.8", "cards[0].claims[0].says", "either `value`, or `low` and `high`"),
    ("value: 4.8", "value: 4, low: 1, high: 2", "value: 4, low", "cards[0].claims[0].says", "either `value`"),
    ("value: 4.8", "low: 5, high: 1e0", "low: 5", "cards[0].claims[0].says", "not below its `high`"),
    (", unit: ms", "", "says:", "cards[0].claims[0].says.unit", "is missing"),
    ("tolerance: 5%", "tolerance: 500%", "tolerance", "cards[0].claims[0].tolerance", "at most 100 %"),
    ("on: h100-sxm", "on: H100 SXM", "on: H100", "cards[0].claims[0].says.on", "`h100-sxm`"),
    ("weight_bytes / m", "weight_bytes % m", "formula:", "cards[0].claims[0].formula", "+ - * /"),
    ("measured_step: 25", "Step: 25", "Step: 25", "cards[0].claims[0].quantities.Step", "its name must be"),
    ("title: MBU", "title: MBU\n    title: Again", "title: Again", "cards[1].title", "first on line 49"),
    ("title: MBU", "title: &t MBU", "&t", "cards[1].title", "anchors (&t)"),
    ("title: MBU", "title: *t", "*t", "cards[1].title", "aliases (*t)"),
    ("title: MBU", "title: !!int 5", "!!int", "cards[1].title", "YAML tags (!!int)"),
    ("title: MBU", "title: !python/name:os.system x", "!python", "cards[1].title", "YAML tags"),
    ("title: MBU", "title: MBU\n    <<: {kind: term}", "<<", "cards[1].<<", "merge keys"),
    ("title: MBU", "title: MBU\n    ? [a]\n    : b", "? [a]", "cards[1]", "must be plain text"),
    ("title: MBU", 'title: "M\\0U"', 'title: "M', "cards[1].title", "control character U+0000"),
    ("title: MBU", "title: M\u2028BU", "title: M", "cards[1].title", "invisible character U+2028"),
    ("title: MBU", "title: M\x07BU", "title: M\x07", "cards[1].title", "invisible character U+0007"),
]


@pytest.mark.parametrize(
    ("old", "new", "at", "field", "message"), SHAPE, ids=[case[3] + "-" + case[4] for case in SHAPE]
)
def test_a_slip_is_reported_once_at_its_line_and_field(
    tmp_path: Path, old: str, new: str, at: str, field: str, message: str
) -> None:
    text = changed(old, new)
    fault = the_fault(tmp_path, text)
    assert (fault.line, fault.field) == (line_of(text, at), field)
    assert message in fault.message


SYNTAX = [
    ("title: MBU", "title: MBU: what", "title: MBU", "cards[1].title", "in quotes"),
    ("title: MBU", 'title: "MBU', 'title: "MBU', "cards[1].title", "never closed"),
    ("title: MBU", "title: @MBU", "title: @", "cards[1].title", "begins with @"),
    ("title: MBU", "title: `MBU`", "title: `", "cards[1].title", "begins with `"),
    ("title: MBU", 'title: "\\q"', 'title: "\\q', "cards[1].title", "backslash"),
    ("title: MBU", "title: [a, b", "title: [a", "cards[1].title", "without a matching ]"),
    ("title: MBU", "title: > MBU", "title: >", "cards[1].title", "on the next line"),
    ("    title: MBU", "\ttitle: MBU", "\ttitle", "cards[1].title", "indented with a tab"),
    ("      Why is it", "\tWhy is it", "\tWhy", "cards[0].prompt", "indented with a tab"),
    (
        "    title: MBU",
        "    title: - MBU",
        "    title: - MBU",
        "cards[1].title",
        "on the next line with '- '",
    ),
    ("    title: MBU", "    title MBU", "    title MBU", "cards[1]", "no ': ' after"),
    ("    title: MBU", "      title: MBU", "      title: MBU", "cards[1].title", "indentation"),
    ("  title: Good deck", '  title: "Good deck', '  title: "Good', "deck.title", "never closed"),
]


@pytest.mark.parametrize(("old", "new", "at", "field", "message"), SYNTAX, ids=[case[1] for case in SYNTAX])
def test_a_mistake_in_yaml_is_explained_where_it_stands(
    tmp_path: Path, old: str, new: str, at: str, field: str, message: str
) -> None:
    text = _last(old, new)
    matches = [fault for fault in faults_of(tmp_path, text) if fault.line == line_of(text, at)]
    assert [(fault.field, message in fault.message) for fault in matches] == [(field, True)], matches


def _last(old: str, new: str) -> str:
    """The good deck with the last of the passages replaced."""
    head, found, tail = GOOD.rpartition(old)
    assert found
    return head + new + tail


def test_all_faults_of_a_file_are_reported_also_behind_a_mistake_in_yaml(tmp_path: Path) -> None:
    text = (
        changed("title: MBU", "title: MBU: what")
        .replace("priority: high", "priority: hihg")
        .replace("      - heading: Bytes\n        text: |", "      - heading: Bytes\n        txt: |")
        .replace("language: vi", "language: fr")
    )
    found = {(fault.line, fault.field) for fault in faults_of(tmp_path, text)}
    assert found == {
        (4, "deck.language"),
        (11, "cards[0].priority"),
        (line_of(text, "txt:"), "cards[0].answer[0].txt"),
        (line_of(text, "title: MBU"), "cards[1].title"),
    }


def test_each_card_with_a_mistake_in_yaml_is_reported(tmp_path: Path) -> None:
    text = changed("title: MBU", 'title: "MBU').replace("pitfall: Forgetting", "pitfall: %Forgetting")
    faults = faults_of(tmp_path, text)
    assert [(f.line, f.field) for f in faults] == [
        (line_of(text, "pitfall"), "cards[0].pitfall"),
        (line_of(text, 'title: "MBU'), "cards[1].title"),
    ]


def test_an_open_quote_does_not_blame_the_next_card(tmp_path: Path) -> None:
    text = changed("pitfall: Forgetting", 'pitfall: "Forgetting').replace("title: MBU", 'title: "MBU"')
    fault = the_fault(tmp_path, text)
    assert (fault.line, fault.field) == (line_of(text, "pitfall"), "cards[0].pitfall")


def test_a_claim_that_nothing_can_check_is_refused(tmp_path: Path) -> None:
    head, _, tail = GOOD.partition("        formula:")
    text = head + tail.partition("labels: {ceiling: datasheet}}\n")[2]
    fault = the_fault(tmp_path, text)
    assert (fault.line, fault.field) == (line_of(text, "- id: floor"), "cards[0].claims[0]")
    assert "why_not" in fault.message


def test_two_claims_of_a_card_with_one_id_are_refused(tmp_path: Path) -> None:
    claim = "      - id: floor\n        label: L\n        says: {value: 1, unit: s}\n        why_not: x\n"
    text = changed("  - id: second-card", claim + "  - id: second-card")
    fault = the_fault(tmp_path, text)
    assert (fault.line, fault.field) == (line_of(text, claim), "cards[0].claims[1].id")
    assert f"line {line_of(text, '- id: floor')}" in fault.message


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_lines_are_counted_alike_whatever_ends_them(tmp_path: Path, ending: str) -> None:
    text = changed("kind: term", "kynd: term")
    fault = the_fault(tmp_path, text.replace("\n", ending))
    assert fault.line == line_of(text, "kynd")


WHOLE = [
    (b"", "is empty"),
    (b"# only a comment\n", "is empty"),
    (b"\n\n", "is empty"),
    (b"hello", "must begin with `deck:`"),
    (b"- a\n- b\n", "must begin with `deck:`"),
    (GOOD.encode("utf-16"), "UTF-16"),
    (b"\xef\xbb\xbf" + GOOD.encode(), "byte order mark"),
    (b"a: b\n" * 2_000_000, "split it into several decks"),
]


@pytest.mark.parametrize(("raw", "message"), WHOLE, ids=[case[1] for case in WHOLE])
def test_a_file_that_is_no_deck_at_all_says_so(tmp_path: Path, raw: bytes, message: str) -> None:
    fault = the_fault(tmp_path, raw)
    assert (fault.line, fault.field) == (1, "file")
    assert message in fault.message


def test_bytes_that_are_not_utf8_are_reported_with_line_offset_and_field(tmp_path: Path) -> None:
    raw = GOOD.encode().replace(b"title: MBU", b"title: M\xe9BU").replace(b"Another", b"Anoth\xffer")
    faults = faults_of(tmp_path, raw)
    assert [(f.line, f.field) for f in faults] == [
        (line_of(GOOD, "title: MBU"), "cards[1].title"),
        (line_of(GOOD, "Another"), "cards[1].source"),
    ]
    offset = raw.index(b"M\xe9BU") + 1
    assert f"byte 0xe9 (offset {offset})" in faults[0].message


def test_a_second_document_is_refused_at_its_line(tmp_path: Path) -> None:
    text = GOOD + "---\n" + GOOD
    fault = the_fault(tmp_path, text)
    assert (fault.line, fault.field) == (line_of(text, "---"), "file")


def test_aliases_cannot_blow_a_deck_up(tmp_path: Path) -> None:
    lines = ['a0: &a0 ["x"]'] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    messages = " ".join(fault.message for fault in faults_of(tmp_path, "\n".join(lines)))
    assert "anchors (&a0)" in messages
    assert "aliases (*a28)" in messages


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? "])
def test_absurd_depth_is_refused(tmp_path: Path, opening: str) -> None:
    faults = faults_of(tmp_path, "cards: \n " + opening * 100_000)
    assert len(faults) == 1
    assert faults[0].line == 2


def test_absurdly_many_values_are_refused(tmp_path: Path) -> None:
    faults = faults_of(tmp_path, "cards:\n" + "- a\n" * 610_000)
    assert any("too many values" in fault.message for fault in faults)


def test_a_file_full_of_faults_is_cut_short_and_says_so(tmp_path: Path) -> None:
    faults = faults_of(tmp_path, GOOD + "    labs: [" + ", ".join(["No"] * 3_000) + "]\n")
    assert len(faults) < 1_000
    assert "more faults" in faults[-1].message


def test_a_message_never_shows_python_or_yaml_words(tmp_path: Path) -> None:
    for old, new, *_ in SHAPE + SYNTAX:
        for fault in faults_of(tmp_path, _last(old, new)):
            for word in ("Traceback", "pydantic", "<class", "str_type", "mapping values", "NoneType", "dict"):
                assert word not in fault.message


def test_mistakes_in_a_large_deck_are_told_up_to_a_bound(tmp_path: Path) -> None:
    head, _, cards = GOOD.partition("cards:\n")
    broken = cards.replace("title: MBU", "title: MBU: x").replace("title: Sàn", "title: %Sàn")
    faults = faults_of(tmp_path, head + "cards:\n" + broken * 1_000)
    assert len(faults) >= 10
    assert {fault.field.rpartition(".")[2] for fault in faults} == {"title"}
