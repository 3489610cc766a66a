"""Results: the fold of a run's events, and the result file."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.measure.events import Artifact, Event, Finding, Finished, Log, Metric, Progress, Series, Started
from engine.measure.fault import MeasureError
from engine.measure.results import Result, fold, load_result, recorded, save_result, to_json

WHEN = datetime(2026, 11, 29, 16, 0, 0, tzinfo=UTC)
STARTED = Started(
    lab="fusion", params={"rows": 2}, environment={"torch": "2.13.0", "device": {"name": "H200"}}
)


def result_of(*events: Event) -> Result:
    result = fold([STARTED, *events, Finished(seconds=1.5)], WHEN)
    assert result is not None
    return result


def test_device_and_environment_are_apart_in_the_result() -> None:
    result = result_of(Progress(0, 1, "x"), Log("x"))
    assert result.device == {"name": "H200"}
    assert result.environment == {"torch": "2.13.0"}
    assert result.seconds == 1.5


def test_a_run_that_did_not_finish_or_start_has_no_result() -> None:
    assert fold([STARTED, Metric("time", 1.0, "ms")], WHEN) is None
    assert fold([Finished(seconds=1)], WHEN) is None


def test_the_last_started_counts() -> None:
    """A lab that falls back to the CPU says `started` again."""
    events: list[Event] = [STARTED, Started("fusion", {}, {"device": {"name": "CPU"}}), Finished(1)]
    result = fold(events, WHEN)
    assert result is not None
    assert result.device == {"name": "CPU"}


def test_a_metric_measured_again_replaces_the_earlier_one_in_its_place() -> None:
    result = result_of(
        Metric("time", 1.0, "ms", {"variant": "eager", "rows": 1}),
        Metric("time", 2.0, "ms", {"variant": "compiled"}),
        Metric("time", 3.0, "ms", {"rows": 1, "variant": "eager"}),
    )
    assert [metric.value for metric in result.metrics] == [3.0, 2.0]
    found = result.metric("time", variant="eager")
    assert found is not None
    assert found.value == 3.0
    assert result.metric("time", variant="triton") is None


def test_a_series_grows_and_one_with_other_columns_replaces_it() -> None:
    first = Series("steps", ["a"], [[1]])
    result = result_of(first, Series("steps", ["a"], [[2], [3]]), Series("other", ["a"], [[9]]))
    assert [(series.name, series.rows) for series in result.series] == [
        ("steps", [[1], [2], [3]]),
        ("other", [[9]]),
    ]
    assert first.rows == [[1]]
    [replaced] = result_of(first, Series("steps", ["b"], [[7]])).series
    assert (replaced.columns, replaced.rows) == (["b"], [[7]])


def test_an_equal_finding_counts_once() -> None:
    result = result_of(Finding("leak", {"n": 1}), Finding("leak", {"n": 1}), Finding("leak", {"n": 2}))
    assert [finding.args["n"] for finding in result.findings] == [1, 2]


def full() -> Result:
    return result_of(
        Metric("time", 1.0, "ms", {"batch": 1, "mode": None}, samples=5, low=0.5, high=2.0),
        Series("steps", ["a", "b"], [[1, "x"], [2, None]], {"a": "ms"}),
        Finding("leak", {"n": 1}),
        Artifact("trace", "/x/trace.json", "application/json"),
    )


def test_a_result_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "new" / "result.json"
    save_result(path, full())
    assert load_result(path) == full()
    assert [file.name for file in path.parent.iterdir()] == ["result.json"]


def test_the_file_has_the_fields_of_the_contract() -> None:
    body = json.loads(to_json(full()))
    assert list(body) == [
        *("lab", "schema", "device", "environment", "params", "started_at", "seconds"),
        *("metrics", "series", "findings", "artifacts"),
    ]
    assert body["schema"] == 1
    assert body["started_at"] == "2026-11-29T16:00:00+00:00"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"schema": 2}, "schema"),
        ({"schema": None}, "schema"),
        ({"lab": 3}, "lab"),
        ({"device": "H200"}, "device"),
        ({"seconds": "1"}, "seconds"),
        ({"started_at": "yesterday"}, "started_at"),
        ({"started_at": "2026-11-29T16:00:00"}, "time zone"),
        ({"metrics": {}}, "metrics"),
        ({"metrics": [{"name": "time", "value": 1, "unit": "ms"}, {"name": "time"}]}, r"metrics\[1\]"),
        ({"series": [3]}, r"series\[0\]"),
        ({"findings": [{"code": 1}]}, r"findings\[0\]"),
    ],
)
def test_a_wrong_file_is_named_with_its_field(tmp_path: Path, change: dict[str, Any], field: str) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps({**json.loads(to_json(full())), **change}), encoding="utf-8")
    with pytest.raises(MeasureError, match=rf"wrong\.json: .*{field}"):
        load_result(path)


@pytest.mark.parametrize("field", ["lab", "params", "environment", "device", "seconds", "started_at"])
def test_a_missing_field_is_named(tmp_path: Path, field: str) -> None:
    body = json.loads(to_json(full()))
    del body[field]
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(body), encoding="utf-8")
    with pytest.raises(MeasureError, match=field):
        load_result(path)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b'{"a":' * 50_000])
def test_what_is_no_result_file_is_refused_with_its_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "wrong.json"
    path.write_bytes(content)
    with pytest.raises(MeasureError, match=r"wrong\.json"):
        load_result(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(MeasureError, match=r"nothing\.json"):
        load_result(tmp_path / "nothing.json")


def test_recorded_results_come_newest_first(tmp_path: Path) -> None:
    for gpu, day in (("h200", 3), ("t4", 20), ("a100", 11)):
        result = fold([STARTED, Finished(1)], WHEN.replace(day=day))
        assert result is not None
        save_result(tmp_path / gpu / "fusion.json", result)
    save_result(tmp_path / "h200" / "mbu_floor.json", full())
    save_result(tmp_path / "h200" / "mbu_floor.tinyllama-1.1b.json", full())
    assert [result.started_at.day for result in recorded("fusion", tmp_path)] == [20, 11, 3]
    assert len(recorded("mbu_floor", tmp_path)) == 2
    assert recorded("nothing", tmp_path) == ()


def test_every_recorded_result_of_the_project_can_be_read() -> None:
    from engine.measure.results import recorded_folder

    for path in recorded_folder().glob("*/*.json"):
        assert load_result(path).lab == path.name.partition(".")[0]
