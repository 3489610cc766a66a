"""Lines of a run's output: events where they are strictly one, log text otherwise."""

from __future__ import annotations

import json
import math
import random

import pytest

from engine.measure.events import (
    FAILURE_CODES,
    MAX_LINE,
    Artifact,
    Event,
    Failed,
    Finding,
    Finished,
    Log,
    Metric,
    Progress,
    Series,
    Started,
    from_line,
    to_line,
)

ONE_OF_EACH: tuple[Event, ...] = (
    Started(
        lab="fusion", params={"rows": 3, "mode": None}, environment={"device": {"name": "H200"}, "n": [1]}
    ),
    Progress(done=1, total=2.5, label="warming_up"),
    Metric(name="time", value=4.95, unit="ms", labels={"batch": 1, "graph": True}),
    Metric(name="time", value=-1e-300, unit="", samples=3, low=0.0, high=1.0),
    Series(name="steps", columns=["a", "b"], rows=[[1, None], ["x", 2.5]], units={"a": "ms"}),
    Series(name="empty", columns=[], rows=[]),
    Finding(code="overhead_bound", args={"share": 0.5}),
    Artifact(name="trace", path="/data/trace.json", media_type="application/json"),
    Log(text="Đường 内存 \u2028 \x00 \n two lines"),
    Finished(seconds=0.0),
    Failed(code="crashed", message="why"),
)


@pytest.mark.parametrize("event", ONE_OF_EACH, ids=lambda event: type(event).__name__)
def test_an_event_is_one_line_and_comes_back_as_it_was(event: Event) -> None:
    line = to_line(event)
    assert "\n" not in line
    assert from_line(line) == event
    assert from_line(f"  {line}\r\n") == event


@pytest.mark.parametrize("code", FAILURE_CODES)
def test_every_failure_code_is_read(code: str) -> None:
    assert from_line(json.dumps({"type": "failed", "code": code, "message": ""})) is not None


def test_fields_of_a_later_version_are_ignored() -> None:
    assert from_line('{"type": "finished", "seconds": 1, "joules": 3}') == Finished(seconds=1)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "plain words",
        "[]",
        "3",
        "null",
        "{}",
        "{",
        '{"type": "metric"',
        '{"type": 3}',
        '{"type": null}',
        '{"type": ["metric"]}',
        '{"type": "surprise", "x": 1}',
        '{"type": "finished"}',
        '{"type": "finished", "seconds": "1"}',
        '{"type": "finished", "seconds": true}',
        '{"type": "finished", "seconds": -1}',
        '{"type": "finished", "seconds": NaN}',
        '{"type": "finished", "seconds": Infinity}',
        '{"type": "finished", "seconds": 1e999}',
        '{"type": "finished", "seconds": ' + "9" * 400 + "}",
        '{"type": "finished", "seconds": ' + "9" * 5000 + "}",
        '{"type": "log", "text": 3}',
        '{"type": "log", "text": "\\ud800"}',
        '{"type": "progress", "done": 1, "total": 2}',
        '{"type": "progress", "done": -1, "total": 2, "label": "x"}',
        '{"type": "metric", "name": "x", "value": null, "unit": "ms"}',
        '{"type": "metric", "name": "x", "value": 1, "unit": "ms", "labels": []}',
        '{"type": "metric", "name": "x", "value": 1, "unit": "ms", "labels": {"a": [1]}}',
        '{"type": "metric", "name": "x", "value": 1, "unit": "ms", "labels": {"a": 1e999}}',
        '{"type": "metric", "name": "x", "value": 1, "unit": "ms", "samples": 0}',
        '{"type": "metric", "name": "x", "value": 1, "unit": "ms", "samples": 1.5}',
        '{"type": "metric", "name": "x", "value": 1, "unit": "ms", "samples": true}',
        '{"type": "metric", "name": "x", "value": 1, "unit": "ms", "low": "0"}',
        '{"type": "series", "name": "x", "columns": ["a"], "rows": [[1, 2]]}',
        '{"type": "series", "name": "x", "columns": ["a"], "rows": [[[1]]]}',
        '{"type": "series", "name": "x", "columns": "a", "rows": []}',
        '{"type": "series", "name": "x", "columns": [1], "rows": []}',
        '{"type": "series", "name": "x", "columns": ["a"], "rows": {}}',
        '{"type": "series", "name": "x", "columns": ["a"], "rows": [], "units": {"a": 1}}',
        '{"type": "failed", "code": "bored", "message": "x"}',
        '{"type": "failed", "code": ["crashed"], "message": "x"}',
        '{"type": "started", "lab": "x", "params": {"a": {}}, "environment": {}}',
        '{"type": "started", "lab": "x", "params": {}, "environment": ' + '{"a":' * 20 + "1" + "}" * 21,
        '{"a":' * 100_000,
        "[" * 100_000,
        '{"type": "log", "text": "' + "x" * 1_000_000 + '"}',
    ],
    ids=lambda line: line[:60],
)
def test_a_line_that_is_not_strictly_an_event_is_log_text(line: str) -> None:
    assert from_line(line) is None


def test_no_line_whatever_raises() -> None:
    """Real events with characters deleted, doubled, swapped and replaced, and pure noise."""
    chance = random.Random(7)
    alphabet = '{}[]",:\\ntrue019.eE-+ \x00\ud800Đ内"'
    for _ in range(20_000):
        text = list(to_line(chance.choice(ONE_OF_EACH)))
        for _ in range(chance.randint(1, 4)):
            place = chance.randrange(len(text))
            text[place] = chance.choice(["", text[place] * 2, chance.choice(alphabet)])
        noise = "".join(chance.choice(alphabet) for _ in range(chance.randint(0, 40)))
        for line in ("".join(text), noise, "".join(text)[: chance.randrange(len(text))]):
            event = from_line(line)
            if event is not None:  # what is read can be written, and reads the same
                assert from_line(to_line(event)) == event


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_cannot_be_sent(value: float) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        to_line(Metric(name="x", value=value, unit="ms"))


def test_an_event_too_long_to_be_read_cannot_be_sent() -> None:
    with pytest.raises(ValueError, match="too long"):
        to_line(Log(text="x" * MAX_LINE))
    with pytest.raises(ValueError, match="Unicode"):
        to_line(Log(text="\ud800"))
