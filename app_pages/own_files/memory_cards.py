"""A card of a memory snapshot: the curve is the question, the diagnosis and its stack the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from app_pages.analysis_words import said
from app_pages.numbers import quantity
from app_pages.own_files.diagnosis import LEADS, findings
from app_pages.own_files.memory_svg import curve
from app_pages.own_files.text import code, in_card
from app_pages.words import knows, phrase
from engine.study.card import Language
from engine.study.own_cards import NewCard, Picture

if TYPE_CHECKING:
    from engine.measure.analyse.jobs import AnalysisState

TOPICS = {"leak": "memory-leak", "fragmentation": "fragmentation", "out_of_memory": "gpu-memory"}
FRAMES = 8


def of_snapshot(
    state: AnalysisState, analysis: Mapping[str, Any], device: Mapping[str, Any], language: Language
) -> NewCard:
    """Asks whether the curve is healthy, a leak or fragmentation."""
    found = [
        each
        for each in findings(analysis)
        if each.args.get("device") in (None, device.get("device")) and each.code in LEADS
    ]
    verdict = found[0].code if found else "nothing_to_say"
    figures = {
        part: quantity(int(device.get(f"{part}_bytes") or 0), "B", language)
        for part in ("allocated", "reserved", "free")
    }
    answer = [
        (
            phrase(language, "your_files.card.snapshot.verdict"),
            "\n\n".join(in_card(said(each, language)) for each in found)
            or phrase(language, "your_files.card.snapshot.nothing"),
        )
    ]
    stack = device.get("leak_stack")
    if isinstance(stack, list) and stack:
        frames = "\n".join(str(frame).replace("`", "'") for frame in stack[:FRAMES])
        answer.append((phrase(language, "your_files.culprit"), f"```\n{frames}\n```"))
    key = f"your_files.card.snapshot.do.{verdict}"
    if knows(key):
        answer.append((phrase(language, "your_files.card.snapshot.do"), phrase(language, key)))
    svg = curve(device.get("timeline") or (), language)
    prompt = phrase(language, "your_files.card.snapshot.prompt", file=code(state.name), **figures)
    return NewCard(
        title=phrase(language, "your_files.card.snapshot.title", file=code(state.name)),
        language=language,
        prompt=prompt,
        answer=tuple(answer),
        section=f"{state.name}, GPU {device.get('device')}",
        topics=("memory-snapshot", TOPICS.get(verdict, "gpu-memory")),
        picture=None
        if svg is None
        else Picture(svg, phrase(language, "your_files.card.snapshot.alt", **figures)),
    )
