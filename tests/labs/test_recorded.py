"""The recorded results: readable, spoken for in every language, and as good as they are said to be."""

from __future__ import annotations

import pytest

from engine.measure.results import load_result, recorded, recorded_folder
from tests.labs.word_check import unspoken

FILES = sorted(recorded_folder().glob("*/*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_recorded_result_names_its_device_and_versions_and_has_words(path: object) -> None:
    result = load_result(recorded_folder() / str(path))
    assert result.device["name"]
    assert {"torch", "platform"} <= set(result.environment)
    assert unspoken(result.lab, [*result.metrics, *result.series, *result.findings]) == []


@pytest.mark.parametrize("model", ["llama-3-8b", "tinyllama-1.1b"])
def test_the_models_the_cards_speak_of_are_recorded(model: str) -> None:
    (result,) = [one for one in recorded("mbu_floor") if one.params["model"] == model]
    compiled = result.metric("ms_per_token", model=model, mode="reduce-overhead")
    eager = result.metric("ms_per_token", model=model, mode="eager")
    assert compiled is not None
    assert eager is not None
    assert compiled.value < eager.value / 5
    launches = result.metric("launches_per_step", mode="reduce-overhead")
    assert launches is not None
    assert launches.value <= 2  # the graph, and the copy of the token that is fed back


def test_the_recorded_fused_kernel_reaches_the_copy() -> None:
    (result,) = recorded("fusion")
    share = result.metric("share_of_copy", variant="triton", operands="row", rows=16384)
    speedup = result.metric("speedup", variant="triton", operands="row", rows=16384)
    assert share is not None
    assert speedup is not None
    assert share.value >= 85
    assert speedup.value >= 3
    assert [finding.code for finding in result.findings if finding.code == "over_ceiling"] == []


def test_the_recorded_roofline_agrees_with_independent_measurements() -> None:
    (result,) = recorded("roofline")
    copy = result.metric("copy_bandwidth")
    assert copy is not None
    ways = [metric.value for metric in result.metrics if metric.name == "copy_check"]
    assert len(ways) == 3
    assert abs(copy.value / max(ways) - 1) <= 0.02
    bus, datasheet = result.metric("bus_bandwidth"), result.metric("datasheet_bandwidth")
    assert bus is not None
    assert datasheet is not None
    assert abs(bus.value / datasheet.value - 1) <= 0.05
    assert copy.value < datasheet.value
    batches = [metric.labels["batch"] for metric in result.metrics if metric.labels.get("kernel") == "gemm"]
    assert {1, 4096} <= set(batches)
    assert [finding.code for finding in result.findings if finding.code == "over_roof"] == []


def test_the_recorded_epilogue_lies_on_the_other_side_of_the_ridge_point() -> None:
    for result in recorded("fusion"):
        ridge = result.metric("ridge_point", ceiling="measured")
        apart = result.metric("epilogue_intensity", variant="apart", depth=512)
        fused = result.metric("epilogue_intensity", variant="triton", depth=512)
        assert ridge is not None
        assert apart is not None
        assert fused is not None
        assert apart.value < ridge.value < fused.value
        kernels = {
            metric.labels["variant"]: metric.value
            for metric in result.metrics
            if metric.name == "epilogue_kernels"
        }
        assert kernels == {"apart": 3, "linear": 2, "cublaslt": 1, "triton": 1}


def test_a_run_at_the_default_size_answers_the_claim_on_the_cards_size_too() -> None:
    (result,) = recorded("fusion")
    assert result.params["size"] == "auto"
    assert result.metric("time", variant="compiled", rows=4096, columns=4096) is not None
