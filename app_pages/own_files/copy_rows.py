"""Copies by direction as rows of a table: of a trace and of a capture alike."""

from __future__ import annotations

from app_pages.own_files.tables import Cell, count, name, plain_number, rows_of, size, time_us

COPY_COLUMNS = ("direction", "count", "bytes", "median_bytes", "gpu_time", "rate", "period")


def copy_rows(copies: object, language: str) -> list[tuple[Cell, ...]]:
    """A row a direction; sizes and rate are a dash where the file holds no sizes (bytes are 0)."""
    made: list[tuple[Cell, ...]] = []
    for row in rows_of(copies):
        moved, took = row.get("bytes") or None, row.get("time_us")
        rate = moved / took / 1e3 if moved and isinstance(took, int | float) and took > 0 else None
        made.append(
            (
                name(row.get("direction")),
                count(row.get("count"), language),
                size(moved, language),
                size(row.get("median_bytes") if moved else None, language),
                time_us(took, language),
                plain_number(rate, "GB/s", language),
                time_us(row.get("period_us"), language),
            )
        )
    return made
