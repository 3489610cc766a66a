"""The roofline lab, run as people run it, on the CPU; and its parts on small sizes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from engine.measure.events import Finding, Finished, Metric, Progress, Series
from labs.kit.copies import independent_ways, measure_way
from labs.kit.matrix_rates import measure_rate
from labs.kit.models import Shape
from labs.kit.roofline_kernels import BATCHES, Kernel, Setting, attentions, elementwise, products
from labs.kit.sweeps import ACCESSES, Sweeper
from tests.labs.helpers import events, labs
from tests.labs.word_check import unspoken

SMALL = Shape(1, 64, 128, 8, 2, 100, 10000.0, 1e-5, 64)


def setting(dtype: str = "fp32") -> Setting:
    return Setting(device="cpu", dtype=dtype, shape=SMALL, context=32, cache_bytes=2**14)


def test_the_roofline_measures_both_ceilings_and_places_kernels_below(tmp_path: Path) -> None:
    done = labs(
        "run", "roofline", "--device", "cpu", "--events", "--set", "context=512", "--set", "dtype=fp32",
        BENCHCARDS_HOME=str(tmp_path),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = events(done.stdout)
    assert isinstance(seen[-1], Finished)
    last = {
        (event.name, *sorted(map(str, event.labels.values()))): event.value
        for event in seen
        if isinstance(event, Metric)
    }
    # the ridge point is where the two ceilings that were reported meet
    ridge = last["ridge_point", "fp32", "measured"]
    assert ridge == pytest.approx(last["matmul_rate", "fp32"] * 1e3 / last["copy_bandwidth",])
    ways = {key[1] for key in last if key[0] == "copy_check"}
    assert ways == {"torch", "numpy", "memmove"}
    assert last["copy_bandwidth",] >= 0.98 * max(last["copy_check", way] for way in ways)
    series = [event for event in seen if isinstance(event, Series)]
    assert {event.name for event in series} == {"bandwidth_by_size", "matrix_rate", "roofline"}
    kernels = {row[2] for event in series if event.name == "roofline" for row in event.rows}
    assert kernels == {"gemm", "attention", "multiply", "residual_add", "gelu"}
    accesses = {row[1] for event in series if event.name == "bandwidth_by_size" for row in event.rows}
    assert accesses == {"read", "write", "copy"}
    (kept,) = (tmp_path / "ceilings").glob("*.json")
    body = json.loads(kept.read_text(encoding="utf-8"))
    assert body["copy_bandwidth"] == last["copy_bandwidth",] * 1e9
    assert body["matmul_rate"]["fp32"] == pytest.approx(last["matmul_rate", "fp32"] * 1e12)
    progress = [event for event in seen if isinstance(event, Progress) and event.total]
    assert all(event.done < event.total for event in progress)
    codes = {event.code for event in seen if isinstance(event, Finding)}
    assert {"ridge_measured", "ridge_elsewhere", "elementwise_far_from_ridge", "cpu_ceilings"} <= codes
    assert unspoken("roofline", seen) == []


def test_every_independent_way_copies_all_of_it() -> None:
    with independent_ways("cpu") as ways:
        for way, copy in ways.items():
            assert measure_way(copy, "cpu", size=3 * 2**20) > 0, way


def test_a_copy_that_leaves_the_end_out_is_no_measurement() -> None:
    def all_but_the_last(target: torch.Tensor, source: torch.Tensor) -> None:
        target[:-1].copy_(source[:-1])

    with pytest.raises(AssertionError, match="differs"):
        measure_way(all_but_the_last, "cpu", size=2**16)


@pytest.mark.parametrize("access", ACCESSES)
def test_a_working_set_is_swept_in_each_way(access: str) -> None:
    assert Sweeper.on("cpu").measure(access, 2**18, budget_s=0.01) > 0  # type: ignore[arg-type]


def test_a_matrix_rate_leaves_torch_as_it_was_set() -> None:
    before = torch.backends.cuda.matmul.allow_tf32
    assert measure_rate("fp32", 64, "cpu", budget_s=0.01) > 0
    assert torch.backends.cuda.matmul.allow_tf32 == before


def by_batch(kernels: list[Kernel]) -> dict[int | None, Kernel]:
    return {kernel.batch: kernel for kernel in kernels}


def test_a_products_intensity_is_about_its_batch_until_activations_count() -> None:
    found = by_batch(list(products(setting("bf16"))))
    assert tuple(found) == BATCHES
    weights, activations = 64 * 128 * 2, (64 + 128) * 2
    assert found[1].flop == 2 * 64 * 128
    assert found[1].bytes == weights + activations
    assert found[1].intensity == pytest.approx(1, rel=0.05)
    assert found[4096].bytes == weights + 4096 * activations
    result = found[8].calls[0]()
    assert isinstance(result, torch.Tensor)
    assert result.shape == (8, 128)


def test_decode_attention_keeps_its_intensity_at_every_batch() -> None:
    found = list(attentions(setting("bf16"), (1, 8)))
    # two FLOP for each of q·k and p·v, over keys and values of 2 bytes that 8 / 2 heads share
    assert [round(kernel.intensity, 1) for kernel in found] == [3.6, 3.6]  # of 4: the query counts, too
    result = found[1].calls[0]()
    assert isinstance(result, torch.Tensor)
    assert result.shape == (8, 8, 1, 8)


def test_elementwise_kernels_do_a_fraction_of_a_flop_a_byte() -> None:
    found = {kernel.name: kernel for kernel in elementwise(setting(), None)}
    assert found["multiply"].intensity == 1 / 8
    assert found["residual_add"].intensity == 1 / 12
    assert found["gelu"].intensity == 5 / 8
    for kernel in found.values():
        kernel.calls[0]()
