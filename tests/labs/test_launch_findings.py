"""What the ways to launch a step, and NVML beside the busy ratio, are said to mean."""

from __future__ import annotations

import pytest

from labs.kit.kernels import GpuTime
from labs.kit.launch_cost import LaunchCost
from labs.kit.launch_findings import of_cost, of_ways
from labs.kit.loads import Seconds
from labs.kit.timing import Timing
from labs.kit.utilisation_findings import conclude
from labs.kit.ways import Way


def timing(ms: float) -> Timing:
    return Timing(ms, ms, ms, 7, "host")


def gpu(busy_ms: float, launches: int, kernels: int) -> GpuTime:
    return GpuTime(
        steps=1, kernels=kernels, launches=launches, graph_launches=1, captures=0, busy_ms=busy_ms,
        wall_ms=busy_ms, gap_p50_us=1.0, gap_p90_us=2.0, heaviest=(),
    )  # fmt: skip


EAGER = Way("eager", 1, timing(30.0), 29.0, gpu(2.0, 946, 946))


def test_each_cure_is_set_against_eager_at_batch_1() -> None:
    ways = [
        EAGER,
        Way("graph", 1, timing(3.0), 0.1, gpu(2.9, 1, 1100)),
        Way("fused", 1, timing(29.0), 28.0, gpu(2.0, 400, 400)),
        Way("eager", 32, timing(33.0), 31.0, gpu(3.0, 946, 946)),
    ]
    found = {finding.code: finding.args for finding in of_ways(ways)}
    assert set(found) == {"graph_cures", "fused_changes_little", "batch_uses_gaps"}
    assert found["graph_cures"]["times"] == pytest.approx(10)
    assert found["graph_cures"]["launches_left"] == 1
    assert found["batch_uses_gaps"]["times"] == pytest.approx(32 * 30 / 33)


def test_a_larger_batch_that_takes_less_time_says_that_the_cpu_changed_its_pace() -> None:
    ways = [EAGER, Way("eager", 32, timing(16.0), 15.0, gpu(3.0, 946, 946))]
    found = {finding.code: finding.args for finding in of_ways(ways)}
    assert set(found) == {"pace_changed", "batch_uses_gaps"}
    assert found["pace_changed"]["times"] == pytest.approx(30 / 16)


def test_a_gpu_that_does_not_wait_has_no_overhead_to_cure() -> None:
    busy = Way("eager", 1, timing(30.0), 10.0, gpu(29.5, 946, 946))
    slow = Way("eager", 32, timing(600.0), 10.0, gpu(599.0, 946, 946))
    assert [finding.code for finding in of_ways([busy, slow])] == ["no_overhead_here", "batch_costs"]


def test_without_eager_nothing_is_compared() -> None:
    assert list(of_ways([Way("graph", 1, timing(3.0), 0.1, gpu(2.9, 1, 900))])) == []


def test_a_launch_is_parted_into_driver_dispatcher_python_and_the_model() -> None:
    cost = LaunchCost(
        operator=timing(0.005),
        unlaunched=timing(0.002),
        module=timing(0.007),
        linear=timing(0.010),
        driver=timing(0.003),
        ctypes=timing(0.001),
    )
    (found,) = of_cost(cost, total_us=30.0)
    assert found.args == pytest.approx(
        {"driver": 2.0, "dispatcher": 3.0, "python": 2.0, "bare": 7.0, "total": 30.0, "model": 23.0}
    )


def test_without_the_driver_a_launch_is_what_an_empty_tensor_spares() -> None:
    cost = LaunchCost(timing(0.005), timing(0.002), timing(0.007), timing(0.010))
    assert cost.driver_us == pytest.approx(3.0)
    assert cost.dispatcher_us == pytest.approx(2.0)


def seconds(percent: int, busy: float | None, calls: int = 100) -> Seconds:
    return Seconds(4.0, calls, (percent,) * 9, None if busy is None else 4.0 * busy)


@pytest.mark.parametrize(
    ("percent", "busy", "code"),
    [(100, 0.05, "full_and_idle"), (60, 0.05, "says_more_than_busy"), (100, 0.98, "says_what_is_busy")],
)
def test_nvml_is_set_against_the_same_seconds(percent: int, busy: float, code: str) -> None:
    assert [f.code for f in conclude({"eager_recorded": seconds(percent, busy)})] == [code]


def test_a_graph_shows_that_nvml_hardly_tells_the_two_apart() -> None:
    seen = {
        "idle": seconds(0, None),
        "eager_recorded": seconds(100, 0.05),
        "graph": seconds(100, 0.95, calls=1000),
        "trickle": seconds(20, 0.0002),
    }
    found = {finding.code: finding.args for finding in conclude(seen)}
    assert set(found) == {"full_and_idle", "same_number_other_work", "trickle"}
    assert found["same_number_other_work"]["busy_graph"] == pytest.approx(95)


@pytest.mark.parametrize(("percent", "code"), [(100, "half_busy_hidden"), (52, "half_busy_seen")])
def test_a_gpu_that_is_half_busy_shows_whether_nvml_sees_short_gaps(percent: int, code: str) -> None:
    (found,) = conclude({"half_25us": seconds(percent, 0.5), "half_250us": seconds(50, 0.5)})
    assert (found.code, found.args["gaps"]) == (code, "25, 250")
