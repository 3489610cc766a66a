"""A report beside its prediction, as HTML."""

from __future__ import annotations

from datetime import UTC, datetime

from app_pages.finding_list import sentences
from app_pages.lab_words import LabWords
from app_pages.speed_of_light import table
from engine.measure.events import Finding, Metric
from engine.measure.results import Result

WORDS = LabWords(
    "ncu_replay",
    {
        "value.gemv": "GEMV <batch 1>",
        "metric.memory_throughput": "Memory",
        "finding.flag_kill": "{flag}: the server lives on",
    },
    {},
    "en",
)
PREDICTED = (
    Metric("predicted_memory", 81.4, "%", {"kernel": "gemv"}),
    Metric("predicted_compute", 0.4, "%", {"kernel": "gemv"}),
)


def result(*metrics: Metric) -> Result:
    device = {"type": "cuda", "name": "NVIDIA H200"}
    return Result("ncu_replay", device, {}, {}, datetime(2026, 11, 29, tzinfo=UTC), 20, metrics)


def measured(name: str, value: float, metrics: str = "full", unit: str = "%") -> Metric:
    return Metric(name, value, unit, {"kernel": "gemv", "set": metrics})


def test_the_pair_stands_beside_its_prediction_and_dram_apart() -> None:
    html = table(
        result(
            *PREDICTED,
            measured("memory_throughput", 60.0, "basic"),
            measured("memory_throughput", 79.1),
            measured("compute_throughput", 10.2),
            measured("dram_throughput", 77.5),
        ),
        WORDS,
    )
    assert "--predicted:81.4;--measured:79.1" in html
    assert "<b>79%</b>" in html
    assert "predicted 81%" in html
    assert '<td class="number">78%</td>' in html
    assert "60" not in html, "the full set is shown where both were taken"


def test_without_a_report_the_prediction_stands_alone() -> None:
    html = table(result(*PREDICTED), WORDS)
    assert "predicted 81%" in html
    assert "--measured" not in html


def test_a_result_without_predictions_has_no_such_table() -> None:
    assert table(result(Metric("time", 1.0, "ms", {"kernel": "gemv"})), WORDS) == ""


def test_names_are_escaped() -> None:
    assert "GEMV &lt;batch 1&gt;" in table(result(*PREDICTED), WORDS)


def test_a_flag_is_set_as_code_in_its_sentence() -> None:
    html = sentences([Finding("flag_kill", {"flag": "--kill=<none>"})], WORDS)
    assert "<code>--kill=&lt;none&gt;</code>: the server lives on" in html
