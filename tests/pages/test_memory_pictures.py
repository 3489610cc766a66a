"""The pictures of memory: which series they take, and what they say to those who don't see them."""

from __future__ import annotations

from datetime import UTC, datetime

import altair as alt

from app_pages.lab_words import LabWords
from app_pages.memory_pictures import begins_at, is_picture, segment_map, timeline
from app_pages.memory_request import request_chart
from engine.measure.events import Metric, Scalar, Series
from engine.measure.results import Result
from labs.kit.memory_account import Account, pool_map
from labs.kit.memory_plans import GIB, MIB, SLACK, Give, Take
from labs.kit.page_pool import PAGE, PagePool
from labs.kit.pictures import map_series, timeline_series

WORDS = LabWords(
    "oom_fragmentation",
    {"series.timeline": "Allocated theo thời gian", "value.taken.kv": "KV cache"},
    {"series.segment_map": "Where the blocks lie"},
    "vi",
)
SCALE = alt.Scale(domain=["KV cache", "free"], range=["#0b6e66", "#dedacf"])
CAP = 2 * GIB


def rows(series: Series) -> list[dict[str, Scalar]]:
    return [dict(zip(series.columns, row, strict=True)) for row in series.rows]


def pool_with_a_hole() -> tuple[PagePool, Account]:
    pool = PagePool((CAP - SLACK) // PAGE, None)
    account = Account(pool)
    account.run([Take(n, "kv", 4 * MIB) for n in range(40)])
    account.run([Give(n) for n in range(0, 40, 2)])
    return pool, account


def test_the_labs_series_are_taken_and_others_are_not() -> None:
    pool, account = pool_with_a_hole()
    assert is_picture(account.timeline("small_survivors", "pool", reserved=CAP))
    assert is_picture(pool_map(pool, "small_survivors", cap=CAP))
    assert is_picture(timeline_series([]))
    assert is_picture(map_series([]))
    assert not is_picture(Series("timeline", ["step", "time"], [[1, 2.0]]))


def test_a_timeline_says_where_it_begins_its_peak_and_its_end() -> None:
    _, account = pool_with_a_hole()
    levels = rows(account.timeline("small_survivors", "pool", reserved=CAP))
    drawn = timeline(levels, WORDS, SCALE)
    assert drawn.title == "Allocated theo thời gian"
    said = "It begins at 0\u00a0B, its peak is 168\u00a0MB, and it ends at 83,9\u00a0MB."
    assert drawn.alt == f"Allocated theo thời gian. {said}"


def test_a_map_says_how_much_is_free_and_the_largest_piece() -> None:
    pool, _ = pool_with_a_hole()
    pieces = rows(pool_map(pool, "small_survivors", cap=CAP))
    first_lines = [row for row in pieces if int(str(row["line"])) < 8]
    drawn = segment_map(first_lines, WORDS, SCALE)
    assert drawn.alt == (
        "Where the blocks lie. Lines: 8. Free pieces: 20, 83,9\u00a0MB in all, the largest 4,19\u00a0MB."
    )


def test_the_axis_is_cut_below_a_floor_that_leaves_no_room_for_teeth() -> None:
    pool = PagePool((CAP - SLACK) // PAGE, None)
    account = Account(pool)
    account.run([Take(0, "weights", 512 * MIB)])
    for number in range(1, 20):
        account.run([Take(number, "kv", 20 * MIB), Give(number)])
    begin = begins_at(rows(account.timeline("sawtooth", "pool")))
    assert 500 * MIB < begin < 512 * MIB
    _, level = pool_with_a_hole()
    assert begins_at(rows(level.timeline("small_survivors", "pool"))) == 0


def asked(allocator: str, *, largest: int, served: int) -> list[Metric]:
    labels: dict[str, Scalar] = {"pattern": "small_survivors", "allocator": allocator}
    amounts = {"free_total": 5_600_000_000, "largest_free_block": largest, "request": 537_000_000}
    metrics = [Metric(name, value, "B", dict(labels)) for name, value in amounts.items()]
    return [*metrics, Metric("served", served, "", dict(labels))]


def result(*metrics: Metric) -> Result:
    return Result("oom_fragmentation", {}, {}, {}, datetime(2026, 11, 29, tzinfo=UTC), 1, metrics)


def test_a_request_is_shown_beside_what_is_free_in_one_piece() -> None:
    metrics = [*asked("default", largest=7_340_032, served=0), *asked("pool", largest=7_340_032, served=1)]
    drawn = request_chart(result(*metrics), WORDS)
    assert drawn is not None
    amounts = "(537\u00a0MB asked for, 5,60\u00a0GB free, 7,34\u00a0MB in one piece)"
    assert drawn.alt == (
        f"When the large request comes. small_survivors · default: fails {amounts}; "
        f"small_survivors · pool: served {amounts}"
    )


def test_a_result_without_such_a_request_has_no_such_chart() -> None:
    assert request_chart(result(Metric("request", 5, "B", {"pattern": "x"})), WORDS) is None
