"""Cards of a trace: a gap, marked and explained, and a kernel with what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app_pages.numbers import number, percent
from app_pages.own_files.kernel_svg import ranking
from app_pages.own_files.tables import rows_of, time_text, without_condition
from app_pages.own_files.text import code, in_card
from app_pages.timeline.gap_picture import gap_picture
from app_pages.timeline.gap_words import duration, gap_words, short_name
from app_pages.timeline.payload import open_timeline
from app_pages.words import knows, phrase
from engine.measure.analyse.gap_story import GapStory
from engine.study.card import Language
from engine.study.own_cards import NewCard, Picture

if TYPE_CHECKING:
    from engine.measure.analyse.jobs import AnalysisState

SHORT_NAME = 60


def of_gap(
    state: AnalysisState, device: Mapping[str, Any], path: Path, story: GapStory, language: Language
) -> NewCard:
    """Asks what a gap is and for two ways to shrink it: the picture without words asks, the one with words
    answers. `path`: the timeline of the trace."""
    opened = open_timeline(path)
    told = gap_words(story, language)
    length = duration(story.duration_ns, language)
    args = {
        "file": code(state.name),
        "device": story.device,
        "duration": length,
        "start": duration(story.start_ns, language),
        "rank": story.rank,
        "ratio": percent(float(device.get("busy_ratio") or 0), language),
        "wall": time_text(device.get("wall_us"), language),
    }
    under = story.operators[0] if story.operators else story.call
    title = phrase(
        language,
        "your_files.card.gap.title.under" if under else "your_files.card.gap.title",
        duration=length,
        under=code((under or "")[:SHORT_NAME]),
    )
    svg = gap_picture(opened, story.gap, language)
    return NewCard(
        title=title,
        language=language,
        prompt=phrase(language, "your_files.card.gap.prompt", **args),
        answer=(
            (phrase(language, "your_files.card.gap.what"), in_card(told.what)),
            (
                phrase(language, "your_files.card.gap.cpu"),
                "\n".join(f"- {in_card(each)}" for each in told.cpu),
            ),
            (
                phrase(language, "your_files.card.gap.ways"),
                "\n".join(f"{place}. {in_card(way)}" for place, way in enumerate(told.ways, 1)),
            ),
        ),
        section=f"{state.name}, GPU {story.device}, {story.start_ns} ns",
        topics=("gap", *(["overhead-bound"] if story.reason == "overhead" else [])),
        key_figures=(
            phrase(
                language,
                "your_files.card.gap.figure",
                duration=length,
                share=percent(story.share, language),
                device=story.device,
            ),
        ),
        answer_picture=Picture(
            svg, phrase(language, "timeline.picture.alt", title=told.title, what=told.what)
        ),
    )


def of_kernel(
    state: AnalysisState, device: Mapping[str, Any], kernel: Mapping[str, Any], language: Language
) -> NewCard:
    """Asks what a kernel does, what bounds it, and what to measure next."""
    whole = str(kernel.get("name"))
    short = short_name(without_condition(whole))
    args = {
        "file": code(state.name),
        "kernel": code(short[:400]),
        "name": code(whole[:1000]),
        "share": percent(float(kernel.get("share") or 0), language),
        "total": time_text(kernel.get("total_us"), language),
        "count": number(int(kernel.get("count") or 0), language),
        "p50": time_text(kernel.get("p50_us"), language),
        "longest": time_text(kernel.get("longest_us"), language),
    }
    family = f"analysis.family.{kernel.get('family')}"
    facts = phrase(language, "your_files.card.kernel.facts", **args)
    if knows(family):
        facts += ("" if language == "zh" else " ") + phrase(
            language, "your_files.card.kernel.family", family=phrase(language, family)
        )
    kernels = rows_of(device.get("by_kernel"))
    svg = ranking(kernels, whole, short, language)
    return NewCard(
        title=phrase(language, "your_files.card.kernel.title", kernel=code(short[:SHORT_NAME])),
        language=language,
        prompt=phrase(language, "your_files.card.kernel.prompt", **args),
        answer=(
            (phrase(language, "your_files.card.kernel.facts.heading"), facts),
            (phrase(language, "your_files.card.kernel.bound.heading"), _bound(device, kernel, language)),
            (
                phrase(language, "your_files.card.kernel.next.heading"),
                phrase(language, "your_files.card.kernel.next") + f"\n\n```\n{_command(whole)}\n```",
            ),
        ),
        section=state.name,
        thing=whole,
        topics=("kernel-launch", "profiler"),
        key_figures=(f"{args['count']} × {args['p50']} · {args['share']}",),
        picture=Picture(svg, phrase(language, "your_files.card.kernel.alt", share=args["share"])),
    )


def _bound(device: Mapping[str, Any], kernel: Mapping[str, Any], language: str) -> str:
    """Whether it is shorter than what launching it costs: then its own speed doesn't matter."""
    launches = device.get("launches")
    costs = launches if isinstance(launches, dict) else {}
    interval = costs.get("interval_p50_us") or costs.get("cost_p50_us")
    length = kernel.get("p50_us")
    if not isinstance(interval, int | float) or not isinstance(length, int | float):
        return phrase(language, "your_files.card.kernel.bound.unknown")
    key = "launch" if length < interval else "kernel"
    return phrase(
        language,
        f"your_files.card.kernel.bound.{key}",
        p50=time_text(length, language),
        interval=time_text(interval, language),
    )


def _command(kernel: str) -> str:
    """The line that takes a report of this kernel: its name as far as a pattern needs it."""
    plain = "".join(
        sign if sign.isalnum() or sign == "_" else " " for sign in kernel.partition("<")[0]
    ).split()
    pattern = plain[-1] if plain else "."
    return f"ncu --set full --clock-control none --target-processes all -k regex:{pattern} -c 1 python …"
