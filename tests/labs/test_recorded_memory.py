"""The recorded result of `oom_fragmentation`: what the card says is shown, and by which pattern."""

from __future__ import annotations

import pytest

from engine.measure.results import Result, recorded


@pytest.fixture(scope="module")
def result() -> Result:
    (only,) = recorded("oom_fragmentation")
    return only


def value(result: Result, name: str, pattern: str, allocator: str) -> float:
    metric = result.metric(name, pattern=pattern, allocator=allocator)
    assert metric is not None, (name, pattern, allocator)
    return metric.value


@pytest.mark.parametrize("pattern", ["small_survivors", "large_survivors"])
def test_memory_runs_out_with_at_most_half_of_the_cap_allocated(result: Result, pattern: str) -> None:
    assert value(result, "served", pattern, "default") == 0
    assert value(result, "allocated_share", pattern, "default") <= 50
    request = value(result, "request", pattern, "default")
    assert value(result, "largest_free_block", pattern, "default") < request
    assert request < value(result, "free_total", pattern, "default")


@pytest.mark.parametrize(
    ("pattern", "expandable", "cure"),
    [("small_survivors", 0, "only_the_pool_cures"), ("large_survivors", 1, "expandable_cures")],
)
def test_one_pattern_is_cured_by_expandable_segments_and_one_only_by_the_pool(
    result: Result, pattern: str, expandable: int, cure: str
) -> None:
    assert value(result, "served", pattern, "expandable") == expandable
    assert value(result, "served", pattern, "pool") == 1
    found = [finding for finding in result.findings if finding.code == cure]
    assert [finding.args["pattern"] for finding in found] == [pattern]


def test_each_snapshot_was_told_for_what_it_is_and_the_leak_by_its_line(result: Result) -> None:
    codes = [finding.code for finding in result.findings]
    assert {"healthy", "leak_named", "fails_in_pieces", "served_by"} <= set(codes)
    assert not {"snapshot_disagrees", "leak_misnamed", "nothing_cures"} & set(codes)
    leak = next(finding for finding in result.findings if finding.code == "leak_named")
    assert str(leak.args["call"]).endswith("remember_result")
    assert value(result, "floor_climb", "sawtooth", "default") == 0
    assert value(result, "floor_climb", "leak", "default") > 0


def test_a_token_takes_what_the_card_says(result: Result) -> None:
    assert value(result, "kv_per_token", "sawtooth", "default") == 128 * 1024
    assert value(result, "kv_per_request", "sawtooth", "default") == 2000 * 128 * 1024


def test_the_pictures_of_every_program_are_kept(result: Result) -> None:
    drawn = {(row[1], row[2]) for series in result.series for row in series.rows}
    survivors = {
        (f"{size}_survivors", by) for size in ("small", "large") for by in ("default", "expandable", "pool")
    }
    assert drawn == {("sawtooth", "default"), ("leak", "default"), *survivors}
