"""The lesson's record table: its own reckoning with this GPU's numbers, beside what was measured."""

from __future__ import annotations

from dataclasses import replace

import pytest

from labs.kit.record_table import COLUMNS, Given, Measured, Row, rows

T4 = Given(layers=22, bandwidth=320e9, empty_us=4.0, launch_us=40.0, bytes_read=2_200_000_000)
"""The lesson's own numbers."""
ONE = Measured(kernels=350, busy_ms=8.2, step_ms=14.0, gap_us=20.0)


def table(given: Given = T4, one: Measured = ONE, many: Measured | None = ONE) -> dict[str, Row]:
    found = rows(
        given,
        one,
        many,
        graph_ms=9.0,
        compiled_ms=8.0,
        operator="aten::linear + cudaLaunchKernel",
        versions="T4",
    )
    return {row.item: row for row in found}


def test_with_the_lessons_numbers_it_expects_what_the_lesson_expects() -> None:
    found = table()
    kernels, step, gpu = found["kernels"], found["step"], found["gpu_time"]
    assert (kernels.low, kernels.high) == (313, 401)
    assert isinstance(step.low, float)
    assert isinstance(step.high, float)
    assert 12 <= step.low <= step.high <= 16.1
    assert gpu.low == pytest.approx(6.875 + 313 * 0.004)
    busy = found["busy"]
    assert isinstance(busy.low, float)
    assert 50 <= busy.low <= 65
    assert {row.why for key, row in found.items() if key in {"kernels", "step", "gpu_time"}} == {
        "as_expected"
    }


def test_every_row_has_a_cell_for_each_column() -> None:
    for row in table().values():
        assert len(row.cells()) == len(COLUMNS)


def test_the_ratio_is_to_the_nearer_end_and_one_within_the_range() -> None:
    row = table(one=replace(ONE, kernels=946))["kernels"]
    assert row.ratio == pytest.approx(946 / 401)
    assert row.why == "more_kernels"
    assert table(one=replace(ONE, kernels=350))["kernels"].ratio == 1
    assert table(one=replace(ONE, kernels=156.5))["kernels"].ratio == pytest.approx(0.5)


def test_a_batch_whose_step_stays_is_told_by_who_sets_the_pace() -> None:
    waiting = table(one=replace(ONE, busy_ms=2), many=replace(ONE, busy_ms=3))["step_32"]
    assert waiting.why == "cpu_sets_pace"
    full = replace(ONE, busy_ms=13.9)
    assert table(one=full, many=full)["step_32"].why == "memory_sets_pace"
    assert table(many=replace(ONE, step_ms=40.0, busy_ms=39.0))["step_32"].why == "gpu_sets_pace"


def test_without_batch_32_and_without_a_compiler_their_rows_are_missing() -> None:
    found = list(rows(T4, ONE, None, graph_ms=None, compiled_ms=None, operator="–", versions="T4"))
    assert "step_32" not in {row.item for row in found}
    assert "compiled_step" not in {row.item for row in found}
