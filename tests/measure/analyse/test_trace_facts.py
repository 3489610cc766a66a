"""What an analysis says of a trace beyond busy and gaps, on small traces whose answers can be counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.measure.analyse.kernel_family import family_of
from engine.measure.analyse.trace import analyse_trace
from engine.measure.analyse.trace_reading import read_chrome_trace
from tests.measure.analyse.trace_writer import BACKWARD, Trace, decode


def shown_of(folder: Path, trace: Trace) -> dict[str, Any]:
    return analyse_trace(trace.write(folder / "trace.json")).to_json()


def device_of(folder: Path, trace: Trace) -> dict[str, Any]:
    (device,) = shown_of(folder, trace)["devices"]
    found: dict[str, Any] = device
    return found


def test_the_time_in_gaps_is_divided_by_what_the_cpu_did(tmp_path: Path) -> None:
    trace = (
        Trace()
        .op("aten::linear", 0, 20).launch(5, 10, 1).work(10, 30, 1)
        # 30-40 waits, 40-45 Python, 45-55 an operator, 55-60 a launch; then 500 µs of something else
        .call("cudaStreamSynchronize", 20, 40, 2)
        .op("aten::add", 45, 60).launch(55, 60, 3).work(60, 100, 3)
        .op("aten::mul", 600, 610).launch(603, 608, 4).work(608, 620, 4)
    )  # fmt: skip
    gaps = device_of(tmp_path, trace)["gaps"]
    assert gaps["total_us"] == 30 + 508
    # the second gap: 600-603 and 603-608; before it nothing within 100 µs of an operator
    assert gaps["cpu"] == {
        "launching_us": 5 + 5,
        "operators_us": 10 + 3,
        "between_us": 15.0,
        "computing_us": 0.0,
        "waiting_us": 0.0,
        "elsewhere_us": 500.0,
    }
    assert sum(gaps["cpu"].values()) == gaps["total_us"]
    assert gaps["drained_us"] == 30


def test_waiting_within_an_operator_is_waiting(tmp_path: Path) -> None:
    trace = (
        Trace()
        .op("aten::add", 0, 20).launch(5, 10, 1).work(10, 30, 1)
        .op("aten::item", 200, 900).call("cudaStreamSynchronize", 210, 890, 2)
        .op("aten::mul", 2000, 2020).launch(2005, 2010, 3).work(2010, 2030, 3)
    )  # fmt: skip
    cpu = device_of(tmp_path, trace)["gaps"]["cpu"]
    assert cpu["operators_us"] == 10 + 10 + 5
    assert cpu["waiting_us"] == 680


def test_a_long_operator_that_launches_nothing_is_work_of_the_cpus_own(tmp_path: Path) -> None:
    trace = (
        Trace()
        .op("aten::add", 0, 20).launch(5, 10, 1).work(10, 30, 1)
        .op("aten::unflatten_dense_tensors", 30, 1030).op("aten::view", 1030, 1040)
        .op("aten::copy_", 1040, 1060).launch(1045, 1050, 2).work(1050, 1070, 2)
    )  # fmt: skip
    gaps = device_of(tmp_path, trace)["gaps"]
    assert (gaps["cpu"]["computing_us"], gaps["cpu"]["operators_us"]) == (1000, 10 + 5)
    assert gaps["longest"][0]["cpu_op"] == "aten::copy_"
    assert gaps["longest"][0]["cpu_during"] == "aten::unflatten_dense_tensors"
    assert [(row["name"], row["total_us"], row["launches"]) for row in gaps["under"]] == [
        ("aten::unflatten_dense_tensors", 1000.0, False),
        ("aten::view", 10.0, False),
        ("aten::copy_", 10.0, True),
    ]


def test_loading_data_is_work_of_the_cpus_own_whatever_operators_it_calls(tmp_path: Path) -> None:
    trace = Trace().launch(0, 5, 1).work(5, 10, 1).range("enumerate(DataLoader)#_Iter.__next__", 10, 510)
    for n in range(10):
        trace.op("aten::empty", 20 + 45 * n, 30 + 45 * n)
    gaps = device_of(tmp_path, trace.launch(510, 515, 2).work(515, 520, 2))["gaps"]
    assert (gaps["cpu"]["computing_us"], gaps["cpu"]["operators_us"]) == (500, 0)
    assert gaps["under"][0]["name"] == "enumerate(DataLoader)#_Iter.__next__"


def test_another_threads_operator_counts_while_one_waits(tmp_path: Path) -> None:
    trace = (
        Trace()
        .launch(5, 10, 1).work(10, 30, 1)
        .call("cudaDeviceSynchronize", 30, 90, 2)
        .op("aten::mm", 40, 80, tid=BACKWARD).launch(85, 90, 3, tid=BACKWARD).work(90, 95, 3)
    )  # fmt: skip
    cpu = device_of(tmp_path, trace)["gaps"]["cpu"]
    assert (cpu["operators_us"], cpu["launching_us"]) == (40, 5)


def test_gap_time_is_summed_by_operator_and_call(tmp_path: Path) -> None:
    waited = device_of(tmp_path, decode(2, kernels=5))["gaps"]["waited_for"]
    assert waited == [
        {
            "cpu_op": "aten::linear",
            "runtime_call": "cudaLaunchKernel",
            "count": 9,
            "total_us": 72.0,
            "share": 1.0,
        }
    ]


def test_the_longest_gap_names_the_work_around_it_and_the_innermost_operator(tmp_path: Path) -> None:
    trace = (
        Trace()
        .op("aten::linear", 0, 20).op("aten::addmm", 2, 18).launch(5, 10, 1).work(10, 15, 1, "first")
        .op("aten::linear", 50, 80).op("aten::addmm", 55, 75).launch(60, 65, 2).work(66, 70, 2, "second")
    )  # fmt: skip
    (gap,) = device_of(tmp_path, trace)["gaps"]["longest"]
    assert (gap["cpu_op"], gap["inner_op"]) == ("aten::linear", "aten::addmm")
    assert (gap["kernel_before"], gap["kernel_after"]) == ("first", "second")


def test_steps_tile_the_gpus_time_and_take_what_was_launched_in_them(tmp_path: Path) -> None:
    trace = (
        Trace()
        .step(4, 0, 100).launch(10, 15, 1).launch(20, 25, 2).work(20, 60, 1).work(60, 130, 2)
        # the second step's work begins after the first one's, which runs into the second step
        .step(5, 100, 200).launch(110, 115, 3).work(140, 180, 3)
    )  # fmt: skip
    steps = device_of(tmp_path, trace)["steps"]
    assert steps == [
        {
            "name": "ProfilerStep#4", "start_us": 0.0, "wall_us": 120.0, "busy_us": 110.0,
            "busy_ratio": 0.916667, "cpu_us": 100.0, "kernels": 2, "launches": 2,
        },
        {
            "name": "ProfilerStep#5", "start_us": 120.0, "wall_us": 40.0, "busy_us": 40.0,
            "busy_ratio": 1.0, "cpu_us": 100.0, "kernels": 1, "launches": 1,
        },
    ]  # fmt: skip


def test_a_launch_of_the_backward_thread_belongs_to_the_step_it_happens_in(tmp_path: Path) -> None:
    trace = (
        Trace()
        .step(0, 0, 100)
        .launch(10, 15, 1)
        .work(20, 30, 1)
        .launch(50, 55, 2, tid=BACKWARD)
        .work(60, 70, 2)
    )
    (step,) = device_of(tmp_path, trace)["steps"]
    assert (step["kernels"], step["launches"], step["busy_us"], step["wall_us"]) == (2, 2, 20, 50)


def test_steps_named_like_operators_are_steps_all_the_same(tmp_path: Path) -> None:
    trace = Trace().cpu("Operator", "ProfilerStep#1", 0, 100).op("aten::add", 5, 30).launch(10, 15, 1)
    device = device_of(tmp_path, trace.work(20, 30, 1))
    assert [step["name"] for step in device["steps"]] == ["ProfilerStep#1"]
    assert [row["name"] for row in device["by_operator"]] == ["aten::add"]


def test_work_is_summed_by_kernel_and_family(tmp_path: Path) -> None:
    trace = (
        Trace()
        .work(0, 10, 1, "ampere_bf16_s16816gemm").work(10, 40, 2, "ampere_bf16_s16816gemm")
        .work(40, 50, 3, "vectorized_elementwise_kernel")
        .work(50, 60, 4, "Memcpy HtoD (Pinned -> Device)", cat="gpu_memcpy", bytes=4096)
    )  # fmt: skip
    device = device_of(tmp_path, trace)
    assert device["by_kernel"][0] == {
        "name": "ampere_bf16_s16816gemm", "kind": "kernel", "family": "matmul", "count": 2,
        "total_us": 40.0, "share": 0.666667, "p50_us": 10.0, "longest_us": 30.0,
    }  # fmt: skip
    assert device["kernel_names"] == 3
    assert {row["family"]: row["total_us"] for row in device["by_family"]} == {
        "matmul": 40.0,
        "elementwise": 10.0,
        "copy": 10.0,
    }


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<int>>", "elementwise"),
        ("void at::native::(anonymous namespace)::softmax_warp_forward<float, float>", "softmax"),
        ("void at::native::vectorized_layer_norm_kernel<float, float>", "normalisation"),
        ("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>", "reduction"),
        ("void cublasLt::splitKreduce_kernel<32, 16, int>", "matmul"),
        ("nvjet_hsh_64x8_64x16_4x1_v_bz_TNT", "matmul"),
        ("Cijk_Ailk_Bljk_HHS_BH_MT128x128x16", "matmul"),
        ("void pytorch_flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits>", "attention"),
        ("void vllm::paged_attention_v2_kernel<__nv_bfloat16>", "attention"),
        ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "communication"),
        ("triton_poi_fused_add_silu_0", "elementwise"),
        ("triton_red_fused_mean_pow_rsqrt_2", "reduction"),
        ("void at::native::index_elementwise_kernel<128, 4>", "indexing"),
        ("my_own_thing", "other"),
    ],
)
def test_a_kernels_name_tells_its_family(name: str, family: str) -> None:
    assert family_of("kernel", name) == family


def test_an_operators_work_counts_under_it_once_and_its_own_time_without_inner_ones(tmp_path: Path) -> None:
    trace = (
        Trace()
        .op("aten::linear", 0, 100).op("aten::addmm", 10, 90).launch(20, 30, 1).work(40, 60, 1)
        # a call of itself within itself
        .op("aten::to", 200, 300).op("aten::to", 210, 290).launch(220, 230, 2).work(240, 250, 2)
        .op("aten::view", 310, 315)
    )  # fmt: skip
    rows = {row["name"]: row for row in device_of(tmp_path, trace)["by_operator"]}
    assert rows["aten::linear"] == {
        "name": "aten::linear", "calls": 1, "kernels": 1, "gpu_us": 20.0, "self_gpu_us": 0.0,
        "self_cpu_us": 20.0,
    }  # fmt: skip
    assert (rows["aten::addmm"]["self_gpu_us"], rows["aten::addmm"]["self_cpu_us"]) == (20, 80)
    assert (rows["aten::to"]["calls"], rows["aten::to"]["gpu_us"], rows["aten::to"]["self_cpu_us"]) == (
        2,
        10,
        100,
    )
    assert (rows["aten::view"]["gpu_us"], rows["aten::view"]["self_cpu_us"]) == (0, 5)


def test_work_is_summed_by_the_ranges_that_the_program_named(tmp_path: Path) -> None:
    trace = (
        Trace()
        .range("layer", 0, 100).range("mlp", 10, 50).launch(20, 25, 1).work(30, 50, 1)
        .launch(60, 65, 2).work(70, 80, 2)
        .range("layer", 200, 300).launch(210, 215, 3).work(220, 230, 3)
    )  # fmt: skip
    rows = {row["name"]: row for row in device_of(tmp_path, trace)["by_range"]}
    assert rows["layer"] == {
        "name": "layer", "count": 2, "kernels": 3, "gpu_us": 40.0, "cpu_us": 200.0, "span_us": 50.0 + 10.0,
    }  # fmt: skip
    assert (rows["mlp"]["kernels"], rows["mlp"]["span_us"]) == (1, 20)


def test_without_the_cpu_the_ranges_on_the_gpus_rows_are_told(tmp_path: Path) -> None:
    trace = Trace().work(0, 10, 1).work(0, 30, 0, "mlp", cat="gpu_user_annotation")
    device = device_of(tmp_path, trace.work(20, 30, 2))
    assert [(row["name"], row["count"], row["span_us"]) for row in device["by_range"]] == [("mlp", 1, 30)]
    assert device["kernels"] == 2


def test_launches_are_counted_a_step_and_what_one_costs(tmp_path: Path) -> None:
    device = device_of(tmp_path, decode(4, kernels=10, launch=10))
    launches = device["launches"]
    assert (launches["calls"], launches["steps"], launches["launches_per_step"]) == (40, 4, 10)
    assert (launches["cost_p50_us"], launches["interval_p50_us"]) == (3, 10)
    assert (launches["graph_calls"], launches["kernels_in_graphs"]) == (0, 0)
    assert device["kernel_p50_us"] == 2


def test_kernels_that_came_by_a_graph_are_told_from_others(tmp_path: Path) -> None:
    shown = shown_of(tmp_path, decode(4, kernels=10, graph=True))
    launches = shown["devices"][0]["launches"]
    assert (launches["calls"], launches["graph_calls"], launches["kernels_in_graphs"]) == (4, 4, 40)
    assert launches["kernels_per_step"] == 10
    assert {f["code"]: f["args"] for f in shown["findings"]}["in_graphs"] == {
        "device": 0,
        "kernels": 40,
        "of": 40,
        "launches": 4,
    }


def test_copies_are_told_by_direction_and_rhythm(tmp_path: Path) -> None:
    trace = Trace()
    for n in range(8):
        trace.work(100 * n, 100 * n + 5, n, "Memcpy HtoD (Pageable -> Device)", cat="gpu_memcpy", bytes=512)
    trace.work(950, 990, 99, "Memcpy DtoH (Device -> Pinned)", cat="gpu_memcpy", bytes=2048)
    shown = shown_of(tmp_path, trace)
    assert shown["devices"][0]["copies_by_direction"] == [
        {
            "direction": "HtoD", "count": 8, "bytes": 4096, "median_bytes": 512, "time_us": 40.0,
            "period_us": 100.0, "period_bytes": 512,
        },
        {
            "direction": "DtoH", "count": 1, "bytes": 2048, "median_bytes": 2048, "time_us": 40.0,
            "period_us": None, "period_bytes": None,
        },
    ]  # fmt: skip
    findings = {finding["code"]: finding["args"] for finding in shown["findings"]}
    assert findings["copies_periodic"]["direction"] == "HtoD"
    assert findings["pageable_copies"] == {"device": 0, "copies": 8, "of": 9, "total_ms": 0.04}


def test_the_bound_is_what_remains_when_gaps_vanish(tmp_path: Path) -> None:
    trace = decode(3, kernels=10, launch=10, kernel=2)
    # 2 ms in which the CPU does something else
    trace.op("aten::linear", 2300, 2310).launch(2305, 2308, 99).work(2308, 2310, 99)
    device = device_of(tmp_path, trace)
    bound = device["bound"]
    assert bound["no_gaps_us"] == device["busy_us"] == 31 * 2
    assert bound["graphs_us"] == bound["no_gaps_us"] + device["gaps"]["cpu"]["elsewhere_us"]
    assert bound["no_gaps_speedup"] == round(device["wall_us"] / 62, 3)


def test_the_gpus_name_and_its_own_clock_are_kept(tmp_path: Path) -> None:
    device = device_of(tmp_path, decode(1))
    assert device["name"] == "NVIDIA H200"
    assert device["start_ns"] == 8000


def test_overheads_and_pythons_calls_are_known_of(tmp_path: Path) -> None:
    trace = decode(3).cpu("overhead", "Activity Buffer Request", 12, 16).cpu("python_function", "f", 0, 100)
    read = read_chrome_trace(trace.write(tmp_path / "t.json"))
    assert [event.name for event in read.overheads] == ["Activity Buffer Request"]
    assert read.stacks
    warnings = {w["code"]: w["args"] for w in analyse_trace(tmp_path / "t.json").to_json()["warnings"]}
    assert warnings["profiler_overhead"] == {"events": 1, "total_ms": 0.004, "gap_ms": 0.004}
    assert "stacks_recorded" in warnings
