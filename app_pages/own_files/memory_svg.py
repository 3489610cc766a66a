"""The curve of a memory snapshot as a small SVG for a card: without names, which would tell the answer."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from app_pages.numbers import quantity
from app_pages.words import phrase
from engine.measure.analyse.memory_picture import RESERVED

WIDTH, HEIGHT, LEFT, BELOW, ABOVE = 640, 240, 76, 26, 14
PAPER, INK, FAINT, LINE = "#fbfaf7", "#1f2430", "#6b6f78", "#dedacf"
FILLS = ("#0b6e66", "#c2701c", "#2a5caa", "#8a4f9e", "#b3362b", "#5f6b7a")
"""A card's picture is drawn on paper, whatever the theme."""


def curve(rows: Sequence[Sequence[Any]], language: str) -> str | None:
    """What is allocated over the allocator's events, an area for each call, and a line for what is reserved.

    rows: [at, call, bytes], as an analysis has them. None where they hold no course in time.
    """
    instants = sorted({int(row[0]) for row in rows})
    if len(instants) < 2:
        return None
    levels: dict[str, dict[int, int]] = {}
    for at, call, size in rows:
        levels.setdefault(str(call), {})[int(at)] = int(size)
    reserved = levels.pop(RESERVED, {})
    totals = {at: sum(level.get(at, 0) for level in levels.values()) for at in instants}
    top = max([*totals.values(), *reserved.values(), 1])

    def x(at: int) -> float:
        return LEFT + (WIDTH - LEFT - 8) * (at - instants[0]) / (instants[-1] - instants[0])

    def y(size: int) -> float:
        return HEIGHT - BELOW - (HEIGHT - BELOW - ABOVE) * size / top

    def points(pairs: Sequence[tuple[int, int]]) -> str:
        return " ".join(f"{x(at):.1f},{y(size):.1f}" for at, size in pairs)

    # what is left at the end lies lowest: so a floor can be seen to climb
    order = sorted(levels, key=lambda call: -levels[call].get(instants[-1], 0))
    below = dict.fromkeys(instants, 0)
    shapes = []
    for place, call in enumerate(order):
        above = {at: below[at] + levels[call].get(at, 0) for at in instants}
        edge = [(at, above[at]) for at in instants] + [(at, below[at]) for at in reversed(instants)]
        shapes.append(
            f'<polygon points="{points(edge)}" fill="{FILLS[place % len(FILLS)]}" fill-opacity="0.75"/>'
        )
        below = above
    if reserved:
        line = points([(at, reserved.get(at, 0)) for at in instants])
        shapes.append(
            f'<polyline points="{line}" fill="none" stroke="{INK}" stroke-width="1.5" '
            'stroke-dasharray="5 3"/>'
        )
    marks = "".join(
        f'<line x1="{LEFT}" x2="{WIDTH - 8}" y1="{y(size):.1f}" y2="{y(size):.1f}" stroke="{LINE}"/>'
        f'<text x="{LEFT - 8}" y="{y(size) + 4:.1f}" text-anchor="end">'
        f"{escape(quantity(size, 'B', language))}</text>"
        for size in (0, top // 2, top)
    )
    along = escape(phrase(language, "your_files.memory.column.at"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" font-family="system-ui, sans-serif" font-size="12" fill="{FAINT}">'
        f'<rect width="100%" height="100%" fill="{PAPER}"/>{marks}{"".join(shapes)}'
        f'<text x="{(LEFT + WIDTH) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{along}</text></svg>\n'
    )
