"""The plans of `oom_fragmentation`: what they take is given back, and fits under the cap as they say."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from labs.kit import memory_plans as plans
from labs.kit.memory_plans import GIB, KV_PER_TOKEN, MIB, SLACK, Give, Step, Take
from labs.kit.page_pool import PAGE, PagePool, PoolFull

CAPS = [2 * GIB, 4 * GIB, 8 * GIB, 16 * GIB]


def played(steps: Iterable[Step]) -> tuple[int, dict[int, Take]]:
    """The most bytes alive at once, and what is alive at the end. Every key is taken before it is given."""
    alive: dict[int, Take] = {}
    total = most = 0
    for step in steps:
        if isinstance(step, Take):
            assert step.key not in alive
            assert step.size > 0
            alive[step.key] = step
            total += step.size
            most = max(most, total)
        else:
            total -= alive.pop(step.key).size
    return most, alive


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("at_once", [1, 5])
def test_a_healthy_server_keeps_its_weights_alone(seed: int, at_once: int) -> None:
    _, alive = played(plans.server(seed, requests=20, tokens=(50, 300), at_once=at_once))
    assert [take.purpose for take in alive.values()] == ["weights"]


@pytest.mark.parametrize("seed", range(4))
def test_a_leaking_server_keeps_one_result_of_each_request(seed: int) -> None:
    _, alive = played(plans.server(seed, requests=20, tokens=(50, 300), kept=1.0))
    kept = [take for take in alive.values() if take.purpose == "result"]
    assert len(kept) == 20
    assert len({take.size for take in kept}) == 1


def test_a_requests_cache_grows_by_the_same_bytes_a_token() -> None:
    steps = plans.server(1, requests=1, tokens=(200, 200))
    sizes = [step.size for step in steps if isinstance(step, Take) and step.purpose == "kv"]
    assert sizes == [KV_PER_TOKEN] * 200


@pytest.mark.parametrize("cap", CAPS)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("plan", [plans.small_survivors, plans.large_survivors])
def test_what_survives_is_at_most_half_of_the_cap_and_leaves_room_for_the_request(
    plan: object, seed: int, cap: int
) -> None:
    most, alive = played(plan(seed, cap=cap))  # type: ignore[operator]
    left = sum(take.size for take in alive.values())
    assert most <= cap - SLACK
    assert left <= cap / 2
    assert plans.request_bytes(cap) < cap - left
    # what was never taken would serve the request without any fragmentation
    assert plans.request_bytes(cap) > cap - most


@pytest.mark.parametrize("cap", CAPS)
@pytest.mark.parametrize("plan", [plans.small_survivors, plans.large_survivors])
def test_pages_serve_the_request_that_has_no_room_in_one_piece(plan: object, cap: int) -> None:
    pool = PagePool((cap - SLACK) // PAGE, None)
    pool.run(plan(0, cap=cap))  # type: ignore[operator]
    request = plans.request_bytes(cap)
    assert pool.longest_free_run() < request < pool.free_bytes
    pool.run([Take(-1, "request", request)])
    assert len(pool.pages_of(-1)) == request // PAGE


def test_a_pool_gives_distinct_pages_that_hold_their_data() -> None:
    pool = PagePool(12, "cpu")
    pool.run([Take(1, "kv", 3 * PAGE), Take(2, "kv", 2 * PAGE), Take(3, "chat", 3 * PAGE), Give(2)])
    pool.run([Take(4, "request", 5 * PAGE)])
    pages = [page for key in (1, 3, 4) for page in pool.pages_of(key)]
    assert len(set(pages)) == len(pages) == 11
    assert sorted(pool.pages_of(4)) != list(range(min(pool.pages_of(4)), max(pool.pages_of(4)) + 1))
    assert pool.holds_data(4)
    assert pool.holds_data(1)


def test_a_pool_counts_what_part_empty_pages_cost_and_says_when_it_is_full() -> None:
    pool = PagePool(4, None)
    pool.run([Take(1, "session", PAGE + 1), Take(2, "session", 100)])
    assert pool.taken_bytes == 3 * PAGE
    assert pool.wasted_bytes == 2 * PAGE - 101
    with pytest.raises(PoolFull):
        pool.run([Take(3, "session", 2 * MIB)])
    assert pool.free_bytes == PAGE
