"""A file that can't be is refused with its record and field, and nothing of it is taken."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError

from engine.study.exchange.faults import ExchangeFault
from tests.study.decks import GOOD
from tests.study.exchange.machines import Machine, study

Body = dict[str, Any]


def changed(content: bytes, change: Callable[[Body], object]) -> bytes:
    body = json.loads(content)
    change(body)
    return json.dumps(body).encode()


def refused(at: Machine, content: bytes) -> str:
    before = at.export()
    with pytest.raises(ExchangeFault) as raised:
        at.take(content)
    assert at.export() == before
    return str(raised.value)


def of_review(field: str, value: object) -> Callable[[Body], object]:
    return lambda body: body["reviews"][1].update({field: value})


def in_state(field: str, value: object) -> Callable[[Body], object]:
    return lambda body: body["reviews"][1]["state_after"].update({field: value})


CASES: list[tuple[Callable[[Body], object], str]] = [
    (lambda body: body.update(schema=2), "export: schema: is 2, and this version reads 1"),
    (lambda body: body.update(benchcards="other"), 'export: benchcards: must be "export"'),
    (lambda body: body.update(more=1), "export: object contains unknown field `more`"),
    (of_review("rating", 5), "export: reviews[1]: rating: expected `int` <= 4"),
    (of_review("rating", "3"), "export: reviews[1]: rating: expected `int`, got `str`"),
    (of_review("extra", 1), "export: reviews[1]: object contains unknown field `extra`"),
    (lambda body: body["reviews"][1].pop("zone"), "reviews[1]: object missing required field `zone`"),
    (of_review("zone", "Mars/Olympus"), "reviews[1]: zone: 'Mars/Olympus' is not a known time zone"),
    (of_review("nonce", "answer-0"), "reviews[1]: nonce: 'answer-0' stands at reviews[0] already"),
    (of_review("reviewed_at_ms", 1), "reviews[1]: reviewed_at_ms: 1970-01-01 is before"),
    (of_review("reviewed_at_ms", 4_000_000_000_000), "reviews[1]: reviewed_at_ms: lies in the future"),
    (of_review("study_day", "2026-02-30"), "reviews[1]: study_day: '2026-02-30' is no date"),
    (of_review("study_day", "2026-10-01"), "reviews[1]: study_day: 2026-10-01 isn't the day"),
    (of_review("kind", "review"), "reviews[1]: kind: is review, but the card was new before"),
    (of_review("shown", [5, 4, 3, 2]), "reviews[1]: shown: a better rating never comes back sooner"),
    (of_review("scheduler", "unknown"), "reviews[1]: scheduler: 'unknown' is none of the file's"),
    (
        lambda body: body.update(
            schedule_changes=[
                {
                    "nonce": "one",
                    "kind": "retention",
                    "deck": "deck",
                    "value": {"retention": 1.5},
                    "made_at_ms": 1_796_000_000_000,
                    "study_day": "2026-11-29",
                    "zone": "UTC",
                }
            ]
        ),
        "schedule_changes[0]: value: The desired retention is 1.5: it must lie between 0.7 and 0.99",
    ),
    (in_state("stability", -1), "reviews[1]: state_after.stability: expected `float` > 0"),
    (in_state("reps", 9), "reviews[1]: state_after: isn't the state after one more answer"),
    (in_state("last_review_ms", 5), "reviews[1]: state_after.last_review_ms: isn't the instant"),
    (
        of_review("undo", {"nonce": "u", "undone_at_ms": 5}),
        "reviews[1]: undo.undone_at_ms: isn't an instant after the answer",
    ),
    (
        lambda body: body["schedulers"][0]["params"].update(desired_retention=0.8),
        "schedulers[0]: params: isn't",
    ),
    (lambda body: body["schedulers"][0].update(params={}), "schedulers[0]: params: FSRS can't work with it"),
    (
        lambda body: body["settings"].update(new_per_day=-1),
        "export: settings.new_per_day: -1 is out of range",
    ),
    (
        lambda body: body["decks"].append({"file": "../x.yaml", "text": ""}),
        "decks[0]: file: '../x.yaml' isn't",
    ),
    (
        lambda body: body["pictures"].append({"file": "../x.svg", "content": ""}),
        "pictures[0]: file: '../x.svg' isn't",
    ),
]


def test_a_wrong_value_is_named_with_its_record_and_field(here: Machine, there: Machine) -> None:
    study(here, "33h1")
    study(there, "1")
    content = here.export()
    for change, says in CASES:
        message = refused(there, changed(content, change))
        assert says in message
        assert re.search("mend it|anew|rename it|one version|this is no file", message), message


def test_what_is_no_number_of_json_is_refused(here: Machine) -> None:
    study(here, "33")
    content = here.export()
    for wrong in (b"NaN", b"Infinity", b"1e999"):
        broken = re.sub(rb'"stability":[\d.]+', b'"stability":' + wrong, content, count=1)
        assert refused(here, broken).startswith("export: ")


def test_a_file_that_ends_in_the_middle_is_refused(here: Machine, there: Machine) -> None:
    study(here, "3312")
    content = here.export()
    assert "ends in the middle" in refused(there, content[: len(content) // 2])
    rows = here.export("csv").splitlines(keepends=True)
    assert "reviews: holds 3 of 4" in refused(there, b"".join(row for row in rows if b"answer-2" not in row))
    cut = b"".join(rows)[: -len(rows[-1]) // 2]
    assert "export: line" in refused(there, cut)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"\x00\x01", "is neither the JSON nor the CSV"),
        (b"{]", "isn't JSON"),
        (b'{"benchcards": "export", "schema": 1, "x": "\xff"}', "export: "),
        (b"record,nonce\r\n", "line 1: card_id: is missing"),
        (b"[" * 100_000, "is neither the JSON nor the CSV"),
        (b'{"benchcards": ' + b"[" * 200_000, "export: "),
    ],
)
def test_another_kind_of_file_is_refused(here: Machine, content: bytes, says: str) -> None:
    assert says in refused(here, content)


def test_a_wrong_cell_of_a_csv_is_named_with_its_line(here: Machine, there: Machine) -> None:
    study(here, "33")
    lines = here.export("csv").split(b"\r\n")
    at = next(index for index, line in enumerate(lines) if b"answer-1" in line)
    lines[at] = lines[at].replace(b",new,3,", b",new,three,")
    assert f"export: line {at + 1}: rating: expected `int`" in refused(there, b"\r\n".join(lines))


def test_an_answer_changed_by_hand_is_refused_where_it_is_known(here: Machine) -> None:
    study(here, "31")
    message = refused(here, changed(here.export(), of_review("answer_ms", 1)))
    assert "reviews[1]: answer_ms: the answer answer-1 is here already with another value" in message


def test_an_import_that_fails_in_the_middle_leaves_store_and_decks_as_they_were(
    here: Machine, there: Machine
) -> None:
    study(here, "3312")
    here.decks.mkdir()
    (here.decks / "mine.yaml").write_text(GOOD, encoding="utf-8")
    there.decks.mkdir()
    (there.decks / "mine.yaml").write_text("mine", encoding="utf-8")
    with there.store.begin() as connection:
        connection.exec_driver_sql(
            "CREATE TRIGGER fails BEFORE INSERT ON card_states WHEN NEW.card_id = 'deck-003' "
            "BEGIN SELECT RAISE(ABORT, 'no'); END"
        )
    before = there.export()
    with pytest.raises(IntegrityError):
        there.take(here.export(), replace=True)
    assert there.export() == before
    assert [path.name for path in there.decks.iterdir()] == ["mine.yaml"]


def test_a_folder_that_cannot_be_written_is_named_and_nothing_is_taken(here: Machine, there: Machine) -> None:
    study(here, "3")
    here.decks.mkdir()
    (here.decks / "mine.yaml").write_text(GOOD, encoding="utf-8")
    there.decks.write_text("a file where the folder should be", encoding="utf-8")
    assert "can't be written" in refused(there, here.export())
