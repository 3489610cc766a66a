"""Datasheets: each row held against the chip's own arithmetic, and found by what a driver reports."""

from __future__ import annotations

import re

import pytest

from engine.measure.specs import GIB, Spec, disagreement, match, spec, specs


def by_key(row: Spec) -> str:
    return row.key


@pytest.mark.parametrize("row", specs(), ids=by_key)
def test_bandwidth_is_bus_width_times_data_rate(row: Spec) -> None:
    computed = row.bus_bits * row.pin_gbps * 1e9 / 8
    tolerance = (
        0.045 if row.key == "b200" else 0.025
    )  # NVIDIA prints 8 TB/s, the bus gives 7.67: see its note
    assert computed == pytest.approx(row.bandwidth, rel=tolerance)


@pytest.mark.parametrize("row", [row for row in specs() if row.tensor_flops], ids=by_key)
def test_the_rate_is_multiprocessors_times_clock_times_rate_of_one(row: Spec) -> None:
    assert row.tensor_flops is not None
    assert row.boost_mhz is not None
    computed = row.sm_count * row.tensor_flops * row.boost_mhz * 1e6
    assert computed == pytest.approx(row.peak_fp16, rel=0.025)


@pytest.mark.parametrize("row", specs(), ids=by_key)
def test_rates_are_dense_and_in_order(row: Spec) -> None:
    assert row.peak_bf16 is None or row.peak_bf16 <= row.peak_fp16
    for eight_bit in (row.peak_fp8, row.peak_int8):
        assert eight_bit is None or 0.99 <= eight_bit / row.peak_fp16 <= 4.02
    assert row.peak("bf16") == row.peak_bf16
    assert row.peak("fp64") is None
    assert row.source


PUBLISHED = (
    # dense bf16 or fp16, TFLOPS
    (
        "get_peak_flops of torchtitan/tools/utils.py, pytorch/torchtitan 0258167",
        (
            *(
                ("a100-40", 312),
                ("a100-80", 312),
                ("a100-80-pcie", 312),
                ("h100-sxm", 989),
                ("h100-pcie", 756),
            ),
            *(("h100-nvl", 835), ("h200", 989), ("b200", 2250), ("mi300x", 1300), ("mi325x", 1300)),
            *(("mi250x", 191.5), ("l40s", 362)),
        ),
    ),
    (
        "_CUDA_FLOPS of fabric/utilities/throughput.py, Lightning-AI/pytorch-lightning 0810121",
        (("t4", 65), ("v100-16", 125), ("v100-32", 125), ("v100-pcie", 112), ("h100-sxm", 989.5)),
    ),
    ("waredb.com, NVIDIA GeForce RTX 4090, 2026", (("rtx-4090", 165.15),)),
)


@pytest.mark.parametrize(
    ("source", "key", "tflops"), [(source, *row) for source, rows in PUBLISHED for row in rows]
)
def test_the_rate_agrees_with_what_another_project_prints(source: str, key: str, tflops: float) -> None:
    row = spec(key)
    assert row is not None
    assert row.peak_fp16 == pytest.approx(tflops * 1e12, rel=0.01), source


def test_every_row_names_its_datasheet_with_a_year() -> None:
    for row in specs():
        assert re.search(r"\b20(1[7-9]|2[0-6])\b", row.source), row.key


def test_keys_are_unique() -> None:
    assert len({row.key for row in specs()}) == len(specs()) >= 25


@pytest.mark.parametrize(
    ("name", "mib", "sms", "key"),
    [
        ("NVIDIA H200", 143771, 132, "h200"),
        ("NVIDIA H100 80GB HBM3", 81559, 132, "h100-sxm"),
        ("NVIDIA H100 PCIe", 81559, 114, "h100-pcie"),
        ("NVIDIA H100 NVL", 95830, 132, "h100-nvl"),
        ("NVIDIA A100-SXM4-40GB", 40960, 108, "a100-40"),
        ("A100-SXM4-80GB", 81920, 108, "a100-80"),
        ("NVIDIA A100 80GB PCIe", 81920, 108, "a100-80-pcie"),
        ("Tesla T4", 15360, 40, "t4"),
        ("Tesla V100-SXM2-16GB", 16384, 80, "v100-16"),
        ("NVIDIA L4", 23034, 58, "l4"),
        ("NVIDIA A10G", 23028, 80, "a10g"),
        ("NVIDIA GeForce RTX 4090", 24564, 128, "rtx-4090"),
        ("NVIDIA GeForce RTX 5090", 32607, 170, "rtx-5090"),
        ("NVIDIA B200", 183359, 148, "b200"),
        ("NVIDIA GH200 480GB", 97871, 132, "gh200-96"),
        ("AMD Instinct MI300X", 196592, 304, "mi300x"),
        ("AMD Instinct MI250X / MI250", 65520, 110, "mi250x"),
        ("NVIDIA RTX 6000 Ada Generation", 49140, 142, "rtx-6000-ada"),
    ],
)
def test_a_gpu_is_found_by_what_its_driver_says(name: str, mib: int, sms: int, key: str) -> None:
    found = match(name, mib * 1024**2, sms)
    assert found is not None
    assert found.key == key
    assert match(name) == found or found.key.startswith(("v100", "a100"))


@pytest.mark.parametrize(
    ("name", "gib", "sms"),
    [
        ("NVIDIA GeForce RTX 4090 Laptop GPU", 16, 76),
        ("NVIDIA GeForce RTX 4090 D", 24, 114),
        ("NVIDIA GeForce RTX 4080 SUPER", 16, 80),
        ("NVIDIA H100 80GB HBM3", 10, 16),  # a MIG slice keeps the name
        ("NVIDIA H200", 141, 60),
        ("NVIDIA A10G-8Q", 8, 80),
        ("", None, None),
        ("AMD EPYC", None, None),
    ],
)
def test_what_only_resembles_a_row_has_none(name: str, gib: int | None, sms: int | None) -> None:
    assert match(name, gib and gib * GIB, sms) is None


def test_the_drivers_arithmetic_is_told_where_it_disagrees() -> None:
    h200 = spec("h200")
    assert h200 is not None
    assert disagreement(h200, 4.815e12) is None
    assert disagreement(h200, None) is None
    assert disagreement(h200, 3.6e12) == pytest.approx(-0.25)
    assert spec("nothing") is None
