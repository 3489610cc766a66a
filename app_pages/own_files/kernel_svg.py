"""The kernels that take most of the GPU's time as a small SVG for a card, the one asked about marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from app_pages.numbers import percent

WIDTH, ROW, LEFT, MOST = 640, 26, 12, 8
PAPER, INK, FAINT, MARK, OTHER = "#fbfaf7", "#1f2430", "#6b6f78", "#c2701c", "#b9c9c6"
NAME_SIGNS = 58


def ranking(kernels: Sequence[Mapping[str, Any]], marked: str, label: str, language: str) -> str:
    """Bars by share of the GPU time. Only the kernel `marked` (its whole name) is labelled."""
    shown = list(kernels[:MOST])
    if marked not in {str(row.get("name")) for row in shown}:
        shown = shown[: MOST - 1] + [row for row in kernels if str(row.get("name")) == marked][:1]
    top = max([float(row.get("share") or 0) for row in shown] + [1e-9])
    bars = []
    for place, row in enumerate(shown):
        own = str(row.get("name")) == marked
        share = float(row.get("share") or 0)
        y = 8 + ROW * place
        length = max(2.0, (WIDTH - LEFT - 70) * share / top)
        bars.append(
            f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{ROW - 6}" rx="3" '
            f'fill="{MARK if own else OTHER}" fill-opacity="{0.55 if own else 1}"/>'
        )
        text = label[:NAME_SIGNS] if own else ""
        bars.append(f'<text x="{LEFT + 6}" y="{y + 14.5}" fill="{INK}">{escape(text)}</text>')
        bars.append(
            f'<text x="{WIDTH - 8}" y="{y + 14.5}" text-anchor="end" fill="{INK if own else FAINT}" '
            f'font-weight="{700 if own else 400}">{escape(percent(share, language))}</text>'
        )
    height = 16 + ROW * len(shown)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" font-family="system-ui, sans-serif" font-size="12">'
        f'<rect width="100%" height="100%" fill="{PAPER}"/>{"".join(bars)}</svg>\n'
    )
