"""A card of one kernel in a report of Nsight Compute."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from app_pages.numbers import number
from app_pages.own_files.bars_svg import Bar, bars
from app_pages.own_files.ncu_predict import NEAR, percent_text
from app_pages.own_files.tables import without_condition
from app_pages.own_files.text import code, in_card
from app_pages.timeline.gap_words import short_name
from app_pages.words import phrase
from engine.claims.roofline import Expected
from engine.study.card import Language
from engine.study.own_cards import NewCard, Picture

if TYPE_CHECKING:
    from engine.measure.analyse.jobs import AnalysisState

SHORT_NAME = 60
FIGURES = (
    "memory_percent",
    "compute_percent",
    "dram_percent",
    "achieved_occupancy_percent",
    "l2_hit_percent",
)


def of_kernel(
    state: AnalysisState, kernel: Mapping[str, Any], language: Language, expected: Expected | None = None
) -> NewCard:
    """Asks what bounds the kernel, and whether more occupancy would help. The picture has the pair as bars,
    with marks where the roofline expects them."""
    from app_pages.own_files.ncu import reading  # the page that shows the same sentence

    name = short_name(without_condition(str(kernel.get("name"))))
    shown = []
    for part in FIGURES:
        value = kernel.get(part)
        if isinstance(value, int | float):
            head = part if part.startswith(("achieved", "l2", "dram")) else part.removesuffix("_percent")
            title = phrase(language, f"your_files.ncu.{head}")
            shown.append(f"| {title} | {number(float(value), language, 2)}% |")
    table = "\n".join(["| | |", "|---|---:|", *shown])
    return NewCard(
        title=phrase(language, "your_files.card.ncu.title", kernel=code(name[:SHORT_NAME])),
        language=language,
        prompt=phrase(language, "your_files.card.ncu.prompt", kernel=code(name[:400])) + f"\n\n{table}",
        answer=(
            (phrase(language, "your_files.card.ncu.bound"), in_card(reading(kernel, language))),
            (
                phrase(language, "your_files.card.ncu.occupancy"),
                phrase(language, "your_files.card.ncu.occupancy.text"),
            ),
            (phrase(language, "your_files.ncu.unsaid"), phrase(language, "your_files.ncu.unsaid.text")),
        ),
        section=state.name,
        thing=" ".join(str(kernel.get(part)) for part in ("name", "grid", "block", "duration_s")),
        topics=("nsight-compute", "occupancy", "roofline"),
        picture=_picture(kernel, expected, language),
    )


def _picture(kernel: Mapping[str, Any], expected: Expected | None, language: str) -> Picture | None:
    rows = []
    for part in ("memory", "dram", "compute"):
        value = kernel.get(f"{part}_percent")
        if not isinstance(value, int | float):
            continue
        wanted = getattr(expected, f"{part}_percent", None)
        label = phrase(language, f"your_files.card.ncu.bar.{part}")
        text = percent_text(float(value), language)
        rows.append(Bar(label, value / 100, text, None if wanted is None else wanted / 100))
    if not rows:
        return None
    near = percent_text(NEAR, language)
    alt = "; ".join(f"{row.label}: {row.text}" for row in rows)
    return Picture(bars(rows, line=NEAR / 100, line_label=near), alt)
