"""The recorded results: readable, spoken for in every language, and as good as they are said to be."""

from __future__ import annotations

import pytest

from engine.measure.results import Result, load_result, recorded, recorded_folder
from tests.labs.word_check import unspoken

FILES = sorted(recorded_folder().glob("*/*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_recorded_result_names_its_device_and_versions_and_has_words(path: object) -> None:
    result = load_result(recorded_folder() / str(path))
    assert result.device["name"]
    assert {"torch", "platform"} <= set(result.environment)
    assert unspoken(result.lab, [*result.metrics, *result.series, *result.findings]) == []


def ladder(model: str) -> Result:
    (result,) = [one for one in recorded("mbu_floor") if one.params["model"] == model]
    return result


def value(result: Result, name: str, **labels: str) -> float:
    metric = result.metric(name, **labels)
    assert metric is not None, (name, labels)
    return metric.value


@pytest.mark.parametrize("model", ["llama-3-8b", "llama-2-7b", "tinyllama-1.1b"])
def test_the_models_the_cards_speak_of_are_recorded(model: str) -> None:
    result = ladder(model)
    compiled = result.metric("ms_per_token", model=model, mode="reduce-overhead")
    eager = result.metric("ms_per_token", model=model, mode="eager")
    assert compiled is not None
    assert eager is not None
    assert compiled.value < eager.value / 3
    launches = result.metric("launches_per_step", mode="reduce-overhead")
    assert launches is not None
    assert launches.value <= 2  # the graph, and the copy of the token that is fed back


@pytest.mark.parametrize("model", ["llama-3-8b", "llama-2-7b", "tinyllama-1.1b"])
def test_every_recorded_rung_counted_and_the_best_is_one_launch(model: str) -> None:
    result = ladder(model)
    modes = [metric.labels["mode"] for metric in result.metrics if metric.name == "ms_per_token"]
    assert modes == ["eager", "static", "reduce-overhead", "best", "int8", "int4"]
    failed = {
        "mode_failed",
        "tokens_differ",
        "graphs_skipped",
        "recompiled",
        "keeps_recording",
        "over_ceiling",
    }
    assert failed & {finding.code for finding in result.findings} == set()
    for mode in ("best", "int8", "int4"):
        assert value(result, "launches_per_step", mode=mode) == 1


def test_the_recorded_ladder_comes_as_near_to_the_floor_as_it_is_said_to() -> None:
    large, tiny = ladder("llama-3-8b"), ladder("tinyllama-1.1b")
    assert value(large, "mbu", mode="best", ceiling="datasheet") >= 80
    assert value(large, "speedup", mode="int8", over="best") >= 1.5
    assert value(tiny, "ms_per_token", mode="best") <= 0.75


def test_the_best_rung_repeats_within_two_percent() -> None:
    repeats = sorted((recorded_folder() / "h200" / "repeats").glob("mbu_floor.llama-3-8b.*.json"))
    runs = [ladder("llama-3-8b"), *map(load_result, repeats)]
    assert len(runs) == 3
    medians = [value(run, "ms_per_token", mode="best") for run in runs]
    assert max(medians) <= 1.02 * min(medians)


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


def gaps(model: str, *, compiled: bool) -> Result:
    settings = {"model": model, "compiled": compiled}
    (result,) = [one for one in recorded("decode_gaps") if one.params == settings]
    return result


@pytest.mark.parametrize(("model", "compiled"), [("auto", False), ("auto", True), ("llama-3-8b", False)])
def test_the_recorded_gaps_close_with_a_graph_and_with_a_batch_and_fill_the_record_table(
    model: str, compiled: bool
) -> None:
    result = gaps(model, compiled=compiled)
    eager = result.metric("ms_per_token", mode="eager", batch=1)
    graph = result.metric("ms_per_token", mode="graph", batch=1)
    busy = result.metric("busy_ratio", mode="eager", batch=1, profiler="off")
    assert eager is not None
    assert graph is not None
    assert busy is not None
    assert graph.value < eager.value / 3
    assert busy.value < 20
    (table,) = [series for series in result.series if series.name == "record"]
    assert {row[0] for row in table.rows} >= {
        "kernels",
        "gpu_time",
        "step",
        "busy",
        "step_32",
        "busy_32",
        "gap",
    }
    assert result.artifacts == ()  # the traces stay where they were recorded


def test_what_the_compiler_adds_to_the_graph_is_recorded() -> None:
    result = gaps("auto", compiled=True)
    assert value(result, "ms_per_token", mode="reduce-overhead") < value(result, "ms_per_token", mode="graph")


def test_the_recorded_graphs_are_one_launch() -> None:
    (result,) = recorded("launch_overhead")
    for mode in ("graph", "fused_graph"):
        launches = result.metric("launches_per_step", mode=mode)
        assert launches is not None
        assert launches.value == 1


def test_the_recorded_utilisation_is_no_hundred_percent_for_a_gpu_that_waits() -> None:
    (result,) = recorded("utilisation")
    says = result.metric("nvml_utilisation", load="eager_recorded")
    busy = result.metric("busy_ratio", load="eager_recorded")
    assert says is not None
    assert busy is not None
    assert says.value < 20
    assert abs(says.value - busy.value) < 15
