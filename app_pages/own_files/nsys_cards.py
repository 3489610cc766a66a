"""A card of a capture of Nsight Systems: its figures ask, its three readings answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from app_pages.analysis_words import said
from app_pages.numbers import number, percent
from app_pages.own_files.bars_svg import Bar, bars
from app_pages.own_files.diagnosis import findings
from app_pages.own_files.kernel_svg import ranking
from app_pages.own_files.readings import READINGS
from app_pages.own_files.tables import rows_of, time_text, without_condition
from app_pages.own_files.text import code, in_card
from app_pages.timeline.gap_words import short_name
from app_pages.words import knows, phrase
from engine.measure.events import Finding
from engine.study.card import Language
from engine.study.own_cards import NewCard, Picture

if TYPE_CHECKING:
    from engine.measure.analyse.jobs import AnalysisState

KERNELS = "cuda_gpu_kern_sum"


def of_capture(state: AnalysisState, analysis: Mapping[str, Any], language: Language) -> NewCard:
    """Asks for the three readings of the first device; of the sums where the file has no order in time."""
    found = findings(analysis)
    devices = rows_of(analysis.get("devices"))
    device = devices[0] if devices else None
    told = [each for each in found if device is None or each.args.get("device") in (None, device["device"])]
    figures, picture = _of_device(device, told, language) if device else _of_sums(analysis, language)
    table = "\n".join(["| | |", "|---|---:|", *(f"| {head} | {value} |" for head, value in figures)])
    return NewCard(
        title=phrase(language, "your_files.card.nsys.title", file=code(state.name)),
        language=language,
        prompt=phrase(language, "your_files.card.nsys.prompt", file=code(state.name)) + f"\n\n{table}",
        answer=(*_readings(told, language), *_next(told, language)),
        section=f"{state.name}, GPU {device['device']}" if device else state.name,
        topics=("nsight-systems", "gap", "kernel-launch"),
        picture=picture,
    )


def _readings(found: list[Finding], language: str) -> tuple[tuple[str, str], ...]:
    answer = []
    for reading, of in READINGS.items():
        texts = [in_card(said(each, language)) for each in found if each.code in of]
        missing = phrase(language, "your_files.reading.none")
        answer.append((phrase(language, f"your_files.reading.{reading}"), "\n\n".join(texts) or missing))
    return tuple(answer)


def _next(found: list[Finding], language: str) -> tuple[tuple[str, str], ...]:
    """What to do, by what the cadence says."""
    for each in found:
        key = f"your_files.card.nsys.do.{each.code}"
        if each.code in READINGS["cadence"] and knows(key):
            return ((phrase(language, "your_files.card.snapshot.do"), phrase(language, key)),)
    return ()


def _of_device(
    device: Mapping[str, Any], found: list[Finding], language: str
) -> tuple[list[tuple[str, str]], Picture]:
    gaps, wall = device["gaps"], float(device["wall_us"]) or 1.0
    busy, under = float(device["busy_us"]), gaps.get("api_us")
    launch = next((each.args["launch_p50_us"] for each in found if each.args.get("launch_p50_us")), None)
    entries = [
        ("busy", f"{percent(busy / wall, language)} ({time_text(wall, language)})"),
        ("gaps", f"{number(int(gaps['count']), language)} × {time_text(gaps['p50_us'], language)}"),
        ("kernel_p50", time_text(device["kernel_p50_us"], language) if device["kernels"] else "–"),
        ("launch_cost", time_text(launch, language)),
    ]
    figures = [(phrase(language, f"your_files.figure.{name}"), value) for name, value in entries]
    parts = [
        ("busy", busy),
        ("gaps_api", under),
        ("gaps_quiet", None if under is None else wall - busy - under),
    ]
    if under is None:
        parts = [("busy", busy), ("gaps", wall - busy)]
    rows = [
        Bar(phrase(language, f"your_files.card.nsys.part.{name}"), us / wall, percent(us / wall, language))
        for name, us in parts
        if isinstance(us, int | float)
    ]
    alt = "; ".join(f"{row.label}: {row.text}" for row in rows)
    return figures, Picture(bars(rows), alt)


def _of_sums(analysis: Mapping[str, Any], language: str) -> tuple[list[tuple[str, str]], Picture | None]:
    sums = analysis.get("sums")
    rows = rows_of(sums.get(KERNELS)) if isinstance(sums, dict) else []
    total = sum(float(row.get("total_us") or 0) for row in rows)
    count = sum(int(row.get("count") or 0) for row in rows)
    figures = [
        (phrase(language, "your_files.column.kernels"), number(count, language)),
        (phrase(language, "your_files.column.total"), time_text(total, language)),
    ]
    if not rows or not total:
        return figures, None
    first = str(rows[0].get("name"))
    figures.append((phrase(language, "your_files.column.p50"), time_text(rows[0].get("p50_us"), language)))
    label = short_name(without_condition(first))
    shares = [{"name": row.get("name"), "share": float(row.get("total_us") or 0) / total} for row in rows]
    first_share = float(rows[0].get("total_us") or 0) / total
    alt = phrase(language, "your_files.card.kernel.alt", share=percent(first_share, language))
    return figures, Picture(ranking(shares, first, label, language), alt)
