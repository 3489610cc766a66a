"""Numbers in three languages."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app_pages import numbers


@pytest.mark.parametrize(
    ("value", "unit", "en", "vi"),
    [
        (3.13, "ms", "3.13\u00a0ms", "3,13\u00a0ms"),
        (4.7761, "ms", "4.78\u00a0ms", "4,78\u00a0ms"),
        (12.0, "ms", "12\u00a0ms", "12\u00a0ms"),
        (946, "", "946", "946"),
        (1234.5, "GB/s", "1,234\u00a0GB/s", "1.234\u00a0GB/s"),
        (4180.2, "GB/s", "4,180\u00a0GB/s", "4.180\u00a0GB/s"),
        (19.1044, "percent", "19.1%", "19,1%"),
        (0.25, "us", "0.25\u00a0µs", "0,25\u00a0µs"),
        (0.2504, "us", "0.25\u00a0µs", "0,25\u00a0µs"),
        (15_009_849_344, "B", "15.0\u00a0GB", "15,0\u00a0GB"),
        (3.0, "×", "3×", "3×"),
        (0.0, "ms", "0\u00a0ms", "0\u00a0ms"),
        (-2.5, "ms", "-2.50\u00a0ms", "-2,50\u00a0ms"),
        (1e-9, "s", "1.00e-09\u00a0s", "1,00e-09\u00a0s"),
        (float("nan"), "ms", "–\u00a0ms", "–\u00a0ms"),
    ],
)
def test_a_quantity_has_the_signs_of_its_language(value: float, unit: str, en: str, vi: str) -> None:
    assert numbers.quantity(value, unit, "en") == en
    assert numbers.quantity(value, unit, "zh") == en
    assert numbers.quantity(value, unit, "vi") == vi


def test_a_range_names_its_unit_once() -> None:
    assert numbers.span(12, 16, "ms", "vi") == "12–16\u00a0ms"
    assert numbers.span(300, 400, "", "en") == "300–400"
    assert numbers.span(1.5e9, 2.5e9, "B", "en") == "1.50–2.50\u00a0GB"


def test_a_share_is_shown_as_percent_with_its_direction() -> None:
    assert numbers.percent(0.031, "en", signed=True) == "+3.1%"
    assert numbers.percent(-0.365, "vi", signed=True) == "−36%"
    assert numbers.percent(1.365, "en", signed=True) == "+136%"
    assert numbers.percent(0.05, "en") == "5%"
    assert numbers.percent(-0.00001, "en", signed=True) == "0%"


@pytest.mark.parametrize(
    ("seconds", "text"), [(7.9, "0:07"), (750, "12:30"), (3723, "1:02:03"), (-3, "0:00")]
)
def test_a_duration_reads_like_a_stopwatch(seconds: float, text: str) -> None:
    assert numbers.clock(seconds) == text


def test_a_date_is_that_of_the_readers_zone() -> None:
    when = datetime(2026, 11, 29, 20, 5, tzinfo=UTC)
    assert numbers.day(when, "Asia/Ho_Chi_Minh", "vi") == "30/11/2026"
    assert numbers.day(when, "Asia/Shanghai", "zh") == "2026年11月30日"
    assert numbers.moment(when, "Europe/Berlin", "en") == "29 Nov 2026 21:05"
