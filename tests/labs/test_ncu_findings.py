"""What predictions, reports and sweeps are said to mean: a verdict for each of the card's sentences."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.measure.events import Finding
from labs.kit import ncu_findings, occupancy_findings
from labs.kit.ncu_findings import Machine, Seen
from labs.kit.ncu_report import Report
from labs.kit.occupancy_kernels import Geometry
from labs.kit.occupancy_sweep import Point, SweptName, geometries
from labs.kit.speed_of_light import Roof, elementwise, linear, predict
from labs.kit.timing import summarise
from tests.labs.word_check import unspoken

# NVIDIA H200: datasheet 4.8 TB/s and 989 TFLOP/s; a copy of 4.2 TB/s, a product of 780 TFLOP/s, 2 µs to start
ROOF = Roof(bandwidth=4.2e12, peak_bandwidth=4.8e12, rate=780e12, peak_rate=989e12, start_s=2e-6)
GEMV = linear(rows=14336, columns=4096, batch=1, item_bytes=2)
REPORT = Report(
    kernel="gemv", block="(128, 1, 1)", grid="(3584, 1, 1)", passes=8, duration_s=31.8e-6, wall_s=0.3,
    memory=79.0, dram=78.0, compute=10.0, achieved=14.5, theoretical=18.75, l2_hit=4.5, registers=166,
    sm_hz=1.7e9,
)  # fmt: skip
MACHINE = Machine(roof=ROOF, l2_bytes=60 * 2**20, ncu="2025.3.1.0", sm_mhz=1980)


def seen(report: Report = REPORT, own_us: float = 33.2) -> dict[str, Seen]:
    gemv = Seen("gemv", 1, GEMV, predict(GEMV, ROOF), own_us / 1e3, 1)
    gemv.reports = {"basic": report, "full": replace(report, passes=report.passes and 38)}
    return {"gemv": gemv}


def by_code(report: Report = REPORT, own_us: float = 33.2) -> dict[str, Finding]:
    return {finding.code: finding for finding in ncu_findings.of_reports(seen(report, own_us), MACHINE)}


def test_a_gemv_is_predicted_memory_bound_with_idle_arithmetic() -> None:
    predicted = predict(GEMV, ROOF)
    assert GEMV.intensity == pytest.approx(1, abs=0.01)
    assert predicted.limit == "memory"
    # 117.5 MB at 4.2 TB/s are 28.0 µs, and 2 µs to start: 3.92 TB/s of 4.8
    assert predicted.seconds == pytest.approx(30.0e-6, rel=0.01)
    assert predicted.memory == pytest.approx(81.7, abs=0.3)
    assert predicted.compute == pytest.approx(0.4, abs=0.05)


def test_thousands_of_tokens_make_the_same_weights_compute_bound() -> None:
    predicted = predict(linear(rows=14336, columns=4096, batch=4096, item_bytes=2), ROOF)
    assert predicted.limit == "compute"
    assert predicted.compute == pytest.approx(100 * 780 / 989, rel=0.01)


def test_an_elementwise_operation_has_a_quarter_of_a_flop_a_byte() -> None:
    assert elementwise(elements=1000, item_bytes=2).intensity == 0.25


def test_the_cards_sentences_get_their_verdicts() -> None:
    found = by_code()
    assert found["prediction_held"].args["points"] == pytest.approx(2.7, abs=0.3)
    assert found["passes"].args == {"basic": 8, "full": 38, "version": "2025.3.1.0"}
    assert found["duration_as_outside"].args["ratio"] == 0.96
    assert found["replay_wall"].args["times"] == 9036
    assert {
        "clocks_alone",
        "at_memory_limit",
        "low_occupancy_at_limit",
        "l2_hit_low",
        "memory_is_dram",
    } <= set(found)


@pytest.mark.parametrize(
    ("report", "code"),
    [
        (replace(REPORT, memory=40.0, dram=38.0, l2_hit=80.0), "prediction_off_cache"),
        (replace(REPORT, memory=40.0, dram=38.0), "prediction_off_slow"),
        (replace(REPORT, memory=96.0, dram=70.0), "prediction_off_fast"),
        (replace(REPORT, memory=96.0, dram=70.0), "memory_is_not_dram"),
        (replace(REPORT, memory=40.0), "below_memory_limit"),
        (replace(REPORT, memory=40.0), "low_occupancy_off_limit"),
        (replace(REPORT, achieved=88.0), "occupancy_not_low"),
        (replace(REPORT, l2_hit=90.0), "l2_hit_high"),
        (replace(REPORT, duration_s=99.6e-6), "duration_longer"),
    ],
)
def test_a_report_that_says_otherwise_gets_another_verdict(report: Report, code: str) -> None:
    assert code in by_code(report)


def test_a_set_without_a_metric_says_nothing_of_it() -> None:
    bare = replace(REPORT, memory=None, dram=None, achieved=None, l2_hit=None, passes=None, sm_hz=None)
    assert set(by_code(bare)) <= {"duration_as_outside"}


def points(name: SweptName, bandwidth: dict[int, float], filling: tuple[float, ...]) -> list[Point]:
    """One block on each multiprocessor at each block size, then as many blocks as fit; B/s in GB/s."""
    rates = [*bandwidth.values(), *filling]
    return [
        Point(name, geometry, geometry.threads / 2048, fills, summarise([1e3 / rate], "events"), 10**9)
        for (geometry, fills), rate in zip(geometries(2048), rates, strict=True)
    ]


GEMV_POINTS = points(
    "gemv", {64: 900, 128: 1700, 256: 3000, 512: 4100, 1024: 4150}, (4100, 4120, 4150, 4150, 4140)
)
CHASE_POINTS = points(
    "chase", {64: 100, 128: 200, 256: 400, 512: 800, 1024: 1500}, (2000, 2010, 2000, 2000, 2020)
)


def test_other_block_sizes_buy_a_memory_bound_kernel_nothing() -> None:
    (finding,) = occupancy_findings.of_block_sizes([*GEMV_POINTS, *CHASE_POINTS])
    assert finding.code == "block_size_buys_nothing"
    assert finding.args["percent"] == pytest.approx(1.2, abs=0.1)


def test_occupancy_buys_where_each_thread_has_one_load_in_flight_and_not_where_it_has_enough() -> None:
    gemv, chase = occupancy_findings.of_occupancy([*GEMV_POINTS, *CHASE_POINTS])
    assert (gemv.code, gemv.args["occupancy"], gemv.args["knee"]) == ("occupancy_buys_nothing", 25, 25)
    assert (chase.code, chase.args["times"]) == ("occupancy_buys", 2.52)
    assert chase.args["from_lowest"] == 20.2


@pytest.mark.parametrize("threads", [1024, 1536, 2048])
def test_no_geometry_asks_for_more_than_a_multiprocessor_holds(threads: int) -> None:
    tried = geometries(threads)
    assert max(geometry.threads for geometry, _ in tried) == threads
    assert Geometry(64, 1) in [geometry for geometry, _ in tried]


def test_every_verdict_has_words() -> None:
    cases = seen()
    found = [
        ncu_findings.of_prediction(cases["gemv"], ROOF),
        *by_code().values(),
        *by_code(replace(REPORT, memory=40.0, dram=10.0, l2_hit=80.0)).values(),
        *by_code(replace(REPORT, memory=40.0, dram=10.0, duration_s=1e-3)).values(),
        *by_code(replace(REPORT, memory=99.0, achieved=90.0)).values(),
        ncu_findings.of_batch(cases["gemv"], replace_batch(cases["gemv"], 16, 35.0)),
        ncu_findings.of_batch(cases["gemv"], replace_batch(cases["gemv"], 16, 300.0)),
        *occupancy_findings.of_block_sizes(GEMV_POINTS),
        *occupancy_findings.of_occupancy([*GEMV_POINTS, *CHASE_POINTS]),
    ]
    assert unspoken("ncu_replay", found) == []


def replace_batch(case: Seen, batch: int, own_us: float) -> Seen:
    return Seen("gemm", batch, case.counted, case.predicted, own_us / 1e3, 1)


def test_sixteen_tokens_for_one_reading_are_nearly_sixteen_times_the_rate() -> None:
    gemv = seen()["gemv"]
    finding = ncu_findings.of_batch(gemv, replace_batch(gemv, 16, 35.0))
    assert (finding.code, finding.args["times"]) == ("more_tokens_a_read", 15.2)
