"""Why fusing gains what it gains is read off the numbers."""

from __future__ import annotations

from labs.kit.ceilings import Limits
from labs.kit.fusion_findings import Case, Took, across_sizes, explain, over_ceiling, still_memory_bound

COPY = 4e12
LIMITS = Limits(
    copy=COPY,
    read=4.1e12,
    datasheet=4.8e12,
    matmul=7e14,
    peak=9.89e14,
    dtype="bf16",
    cache_bytes=60_000_000,
    source="",
)
TENSOR = 500_000_000
ROUND_TRIP_MS = 2 * TENSOR / COPY * 1e3


def took(ms: float, transfers: int = 2, tensor: int = TENSOR) -> Took:
    return Took(ms=ms, bandwidth=transfers * tensor / (ms / 1e3), issue_ms=0.01)


def case(eager: float, fused: float, *, operations: dict[str, Took] | None = None) -> Case:
    return Case(
        side=16384,
        operands="row",
        tensor_bytes=TENSOR,
        variants={"eager": took(eager, 6), "triton": took(fused)},
        operations=operations or {},
    )


def codes(*arguments: object) -> list[str]:
    return [finding.code for finding in explain(*arguments)]  # type: ignore[arg-type]


def test_three_times_is_called_as_modelled() -> None:
    found = codes(case(3 * ROUND_TRIP_MS, ROUND_TRIP_MS), LIMITS, {})
    assert found == ["speedup_as_model", "fused_near_copy"]


def test_slow_separate_operations_explain_more_than_three_times() -> None:
    operations = {
        "multiply": took(2.5 * ROUND_TRIP_MS),
        "add": took(ROUND_TRIP_MS),
        "gelu": took(ROUND_TRIP_MS),
    }
    found = list(explain(case(4.5 * ROUND_TRIP_MS, ROUND_TRIP_MS, operations=operations), LIMITS, {}))
    assert [finding.code for finding in found] == ["speedup_above_model", "slow_multiply", "fused_near_copy"]
    assert found[1].args["share"] == 40.0


def test_gelus_instructions_are_blamed_only_when_leaving_them_out_helps() -> None:
    slow = case(3 * ROUND_TRIP_MS, 1.5 * ROUND_TRIP_MS)
    assert "gelu_limits_fused" in codes(slow, LIMITS, {"without_gelu": took(ROUND_TRIP_MS)})
    assert "fused_below_copy" in codes(slow, LIMITS, {"without_gelu": took(1.5 * ROUND_TRIP_MS)})
    assert codes(slow, LIMITS, {})[0] == "speedup_below_model"


def test_without_a_fused_variant_nothing_is_concluded() -> None:
    alone = Case(side=16384, operands="row", tensor_bytes=TENSOR, variants={"eager": took(1.0, 6)})
    assert codes(alone, LIMITS, {}) == []


def test_more_than_the_ceiling_is_called_a_fault_unless_the_cache_can_explain_it() -> None:
    fast = case(3 * ROUND_TRIP_MS, 0.9 * ROUND_TRIP_MS)
    assert [finding.code for finding in over_ceiling(fast, LIMITS)] == ["over_ceiling"]
    small = Case(
        side=1024, operands="row", tensor_bytes=2_000_000, variants={"triton": took(1e-4, 2, 2_000_000)}
    )
    assert list(over_ceiling(small, LIMITS)) == []


def test_small_sizes_show_the_cache_and_the_launches() -> None:
    small_bytes = 2 * 2048**2
    trip = 2 * small_bytes / COPY * 1e3
    small = Case(
        side=2048,
        operands="row",
        tensor_bytes=small_bytes,
        variants={
            "eager": Took(ms=1.5 * trip, bandwidth=2 * COPY, issue_ms=0.05),
            "triton": Took(ms=2 * trip, bandwidth=COPY / 2, issue_ms=0.02),
        },
    )
    found = {
        finding.code: finding.args
        for finding in across_sizes([case(3 * ROUND_TRIP_MS, ROUND_TRIP_MS), small], LIMITS)
    }
    assert found["cache_holds_intermediates"]["times"] == 2.0
    assert found["too_short_to_fill"]["share"] == 50.0
    assert found["launch_bound_up_to"]["side"] == 2048


def test_the_ridge_point_decides_what_limits() -> None:
    assert still_memory_bound(1.75, LIMITS, "erf", 7).code == "still_memory_bound"
    assert still_memory_bound(300.0, LIMITS, "erf", 7).code == "compute_bound"
    assert still_memory_bound(1.75, LIMITS, "erf", 7).args["ridge"] == 206.0
