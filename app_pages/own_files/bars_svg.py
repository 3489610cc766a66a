"""A few labelled bars against a whole as a small SVG for a card: on paper, whatever the theme."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, ROW, LABEL, RIGHT = 640, 34, 196, 64
PAPER, INK, FAINT, LINE, FILL, SHADE = "#fbfaf7", "#1f2430", "#6b6f78", "#c8c3b6", "#0b6e66", "#ebe7dd"


@dataclass(frozen=True, slots=True)
class Bar:
    """`share` of the whole, 0 to 1; `text` stands at its end; `wanted` is a mark where it was expected."""

    label: str
    share: float
    text: str
    wanted: float | None = None


def bars(rows: Sequence[Bar], *, line: float | None = None, line_label: str = "") -> str:
    """A bar a row. `line`: a share that all rows are read against, with its label below."""
    span = WIDTH - LABEL - RIGHT
    below = 26 if line is not None else 6
    height = 10 + ROW * len(rows) + below
    parts = []
    for place, row in enumerate(rows):
        y = 10 + ROW * place
        length = span * min(max(row.share, 0.0), 1.0)
        parts.append(
            f'<text x="{LABEL - 10}" y="{y + 16}" text-anchor="end" fill="{INK}">{escape(row.label)}</text>'
            f'<rect x="{LABEL}" y="{y}" width="{span}" height="{ROW - 10}" rx="3" fill="{SHADE}"/>'
            f'<rect x="{LABEL}" y="{y}" width="{length:.1f}" height="{ROW - 10}" rx="3" fill="{FILL}"/>'
            f'<text x="{WIDTH - 8}" y="{y + 16}" text-anchor="end" fill="{INK}" font-weight="700">'
            f"{escape(row.text)}</text>"
        )
        if row.wanted is not None:
            x = LABEL + span * min(max(row.wanted, 0.0), 1.0)
            parts.append(
                f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y - 4}" y2="{y + ROW - 6}" stroke="{INK}" '
                'stroke-width="2"/>'
            )
    if line is not None:
        x = LABEL + span * line
        bottom = 10 + ROW * len(rows)
        parts.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="4" y2="{bottom}" stroke="{LINE}" stroke-dasharray="4 3"/>'
            f'<text x="{x:.1f}" y="{bottom + 14}" text-anchor="middle" fill="{FAINT}">'
            f"{escape(line_label)}</text>"
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" font-family="system-ui, sans-serif" font-size="13">'
        f'<rect width="100%" height="100%" fill="{PAPER}"/>{"".join(parts)}</svg>\n'
    )
