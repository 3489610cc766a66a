"""The card's diagnosis: overhead by gaps, memory by MBU, one slow kernel otherwise."""

from __future__ import annotations

from dataclasses import replace

import pytest

from labs.kit.decode_findings import Decoded, compare, diagnose
from labs.kit.kernels import GpuTime


def gpu(busy_ms: float, wall_ms: float, *, kernels: int = 900, graphs: int = 0) -> GpuTime:
    return GpuTime(
        steps=1,
        kernels=kernels,
        launches=graphs or kernels,
        graph_launches=graphs,
        captures=0,
        busy_ms=busy_ms,
        wall_ms=wall_ms,
        gap_p50_us=20.0,
        gap_p90_us=70.0,
        heaviest=(("void gemv<float, 3>(args)", busy_ms / 2),),
    )


def step(
    mode: str, ms: float, mbu: float, seen: GpuTime | None, weights: str = "bf16", read: int = 1000
) -> Decoded:
    floor = ms * mbu / 100
    return Decoded(mode, ms, floor, 0.9 * floor, seen, weights, read)


@pytest.mark.parametrize(
    ("ms", "mbu", "busy_ms", "code"),
    [
        (30.0, 2.0, 2.0, "overhead_bound"),
        (5.0, 80.0, 4.9, "memory_bound"),
        (5.0, 40.0, 4.9, "slow_kernel"),
        (3.0, 110.0, 2.9, "over_ceiling"),
    ],
)
def test_gaps_and_mbu_decide(ms: float, mbu: float, busy_ms: float, code: str) -> None:
    found = list(diagnose(step("eager", ms, mbu, gpu(busy_ms, ms))))
    assert [finding.code for finding in found] == [code]


def test_the_slow_kernel_is_named_without_its_template_arguments() -> None:
    found = next(iter(diagnose(step("eager", 5.0, 40.0, gpu(4.8, 5.0)))))
    assert (found.args["kernel"], found.args["share"]) == ("gemv", 50.0)


def test_a_profiler_that_widens_the_gaps_is_told() -> None:
    found = [finding.code for finding in diagnose(step("eager", 30.0, 2.0, gpu(2.0, 51.0)))]
    assert found == ["overhead_bound", "profiler_widens_gaps"]


def test_the_busy_ratio_is_of_the_unprofiled_step() -> None:
    assert step("eager", 30.0, 2.0, gpu(3.0, 51.0)).busy_ratio == pytest.approx(0.1)


def test_on_a_cpu_only_the_distance_from_the_floor_is_told() -> None:
    assert [f.code for f in diagnose(step("eager", 60.0, 85.0, None))] == ["cpu_near_floor"]
    assert [f.code for f in diagnose(step("eager", 60.0, 40.0, None))] == ["cpu_off_floor"]


def test_graphs_are_set_against_eager() -> None:
    steps = [
        step("eager", 30.0, 2.0, gpu(2.0, 51.0)),
        step("static", 40.0, 1.5, gpu(2.0, 51.0)),
        step("reduce-overhead", 2.0, 30.0, gpu(1.8, 2.0, kernels=400, graphs=1)),
    ]
    found = {finding.code: finding.args for finding in compare(steps)}
    assert set(found) == {"static_alone_slower", "graphs_cure_overhead"}
    assert found["graphs_cure_overhead"]["times"] == 15.0


def test_hand_written_kernels_are_set_against_the_compilers() -> None:
    eager = step("eager", 30.0, 2.0, gpu(2.0, 51.0))
    compiled = step("reduce-overhead", 5.0, 60.0, gpu(4.8, 5.0, kernels=700, graphs=1))
    for ms, code in ((4.0, "fused_kernels_gain"), (6.0, "fused_kernels_lose")):
        best = step("best", ms, 300 / ms, gpu(ms, ms, kernels=160, graphs=1))
        found = {finding.code: finding.args for finding in compare([eager, compiled, best])}
        assert code in found
        assert (found[code]["kernels"], found[code]["kernels_left"]) == (700, 160)
        assert found[code]["rest"] == pytest.approx(ms - 3.0)


def test_fewer_bits_are_told_with_what_does_not_shrink() -> None:
    eager = step("eager", 30.0, 2.0, gpu(2.0, 51.0))
    best = step("best", 4.0, 90.0, gpu(4.0, 4.0, graphs=1), read=2000)
    for ms, code in ((2.5, "fewer_bits_gain"), (4.5, "fewer_bits_lose")):
        int8 = step("int8", ms, 180 / ms, gpu(ms, ms, graphs=1), "int8", 1000)
        (found,) = [f for f in compare([eager, best, int8]) if f.code.startswith("fewer_bits")]
        assert found.code == code
        assert found.args["fewer"] == 2.0
        assert found.args["floor_before"] == pytest.approx(3.6)
        assert found.args["floor"] == pytest.approx(1.8)
        assert found.args["rest"] == pytest.approx(ms - 1.8)


def test_int8_on_a_cpu_is_set_against_the_fastest_full_step() -> None:
    steps = [step("eager", 60.0, 50.0, None, "fp32", 4000), step("compiled", 50.0, 60.0, None, "fp32", 4000)]
    for ms, code in ((20.0, "cpu_int8_gains"), (70.0, "cpu_int8_loses")):
        (found,) = [
            f for f in compare([*steps, step("int8", ms, 50.0, None, "int8", 1000)]) if "int8" in f.code
        ]
        assert (found.code, found.args["full_ms"], found.args["fewer"]) == (code, 50.0, 4.0)


def test_the_heaviest_kernels_share_is_of_all_kernels_where_they_overlap() -> None:
    overlapping = replace(gpu(4.0, 4.0), heaviest=(("a", 3.0),), kernels_ms=6.0)
    assert next(iter(diagnose(step("best", 4.0, 40.0, overlapping)))).args["share"] == 50.0


def test_without_eager_nothing_is_compared() -> None:
    assert list(compare([step("static", 40.0, 1.5, None)])) == []
