"""A result: where and with what it was measured, its conclusions, charts and numbers."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import TYPE_CHECKING

import streamlit as st

from app_pages import context, seen
from app_pages.finding_list import finding_list
from app_pages.lab_words import LabWords
from app_pages.lever_widgets import settings_text
from app_pages.numbers import day, moment, quantity, span
from app_pages.series_table import series_tables
from app_pages.sheet import sheet
from app_pages.speed_of_light import speed_of_light
from app_pages.words import say
from engine.claims import sightings
from engine.measure.events import Metric, Scalar
from engine.measure.results import Result

if TYPE_CHECKING:
    from engine.claims.evidence import Origin  # imports pint

VERSIONS = ("torch", "transformers", "triton", "driver", "cuda", "hip")


_SAID: dict[Origin, str] = {
    "here": "evidence.measured_here",
    "elsewhere": "evidence.elsewhere",
    "recorded": "evidence.recorded",
}


def origin(result: Result, kind: Origin) -> str:
    """Where a result comes from, on one line of Markdown; one from elsewhere looks unlike one of here."""
    name = str(result.device.get("name", "?"))
    versions = [f"{part} {result.environment[part]}" for part in VERSIONS if part in result.environment]
    when = day(result.started_at, context.zone(), context.language())
    badge = f":{'green' if kind == 'here' else 'gray'}-badge[{say(_SAID[kind])}]"
    return f"{badge} **{_plain(name)}** · {when} · :small[{_plain(' · '.join(versions))}]"


def findings(result: Result, words: LabWords, *, key: str) -> None:
    """What follows, in words."""
    if not result.findings:
        return
    finding_list(result.findings, words, key=key)


def result_charts(result: Result, words: LabWords, *, key: str, most: int = 6) -> None:
    """A report beside its prediction, the variants as bars, then each series as lines; of a snapshot of
    memory its pictures."""
    from app_pages import charts, memory_pictures, memory_request  # they import altair and pandas

    speed_of_light(result, words, key=f"{key}.speed_of_light")

    def variants() -> charts.Drawn | None:
        return memory_request.request_chart(result, words) or charts.variants(result, words)

    drawn = charts.once(result, "variants", words, variants)
    if drawn is not None:
        seen.charts(result.lab, drawn.shows, ())
        charts.show(drawn, key=f"{key}.variants")
    memory_pictures.memory_pictures(result, words, key=f"{key}.memory")
    pictured = [series for series in result.series if memory_pictures.is_picture(series)]
    seen.charts(result.lab, (), pictured)
    plain = [series for series in result.series if series not in pictured]
    for place, series in enumerate(charts.in_order(plain)[:most]):
        build = partial(charts.series_chart, series, result.metrics, words)
        lines = charts.once(result, f"series {series.name} {place}", words, build)
        if lines is not None:
            seen.charts(result.lab, lines.shows, [series])
            charts.show(lines, key=f"{key}.series.{place}")
    seen.charts(result.lab, (), series_tables(plain, words, key=key, most=most))


def whole_result(result: Result, words: LabWords, kind: Origin, *, key: str) -> None:
    """Everything a result holds."""
    st.markdown(origin(result, kind))
    when = moment(result.started_at, context.zone(), words.language)
    st.caption(" · ".join(part for part in (when, settings_text(result.params, words)) if part))
    findings(result, words, key=f"{key}.findings")
    result_charts(result, words, key=key)
    seen.note([sightings.of_lab(result.lab)])
    if result.metrics:
        st.markdown(f"**{say('labs.metrics')}**")
        sheet(metrics_table(result.metrics, words), key=f"{key}.metrics")


def metrics_table(metrics: tuple[Metric, ...], words: LabWords) -> str:
    """Every metric with its labels and spread, as HTML, those of one name together."""
    groups: dict[str, list[Metric]] = {}
    for metric in metrics:
        groups.setdefault(metric.name, []).append(metric)
    head = "".join(f'<th scope="col">{escape(say(title))}</th>' for title in ("labs.metric", "labs.variant"))
    for title in ("labs.value", "labs.spread"):
        head += f'<th scope="col" class="number">{escape(say(title))}</th>'
    body = "".join(f"<tbody>{_group(name, group, words)}</tbody>" for name, group in groups.items())
    label = escape(say("labs.metrics"))
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">'
        f'<table class="metrics"><thead><tr>{head}</tr></thead>{body}</table></div>'
    )


def _group(name: str, metrics: list[Metric], words: LabWords) -> str:
    named = f'<th scope="rowgroup" rowspan="{len(metrics)}">{escape(words.metric(name))}</th>'
    return "".join(
        f"<tr>{'' if place else named}{_cells(metric, words)}</tr>" for place, metric in enumerate(metrics)
    )


def _cells(metric: Metric, words: LabWords) -> str:
    variant = escape(" · ".join(_label(name, value, words) for name, value in metric.labels.items()))
    value = escape(quantity(metric.value, metric.unit, words.language))
    spread = ""
    if metric.low is not None and metric.high is not None:
        spread = escape(span(metric.low, metric.high, metric.unit, words.language))
    return f'<td>{variant}</td><td class="number"><b>{value}</b></td><td class="number">{spread}</td>'


def _label(name: str, value: Scalar, words: LabWords) -> str:
    """A label's value; a bare number says what it counts."""
    return words.value(value) if isinstance(value, str) else f"{words.label(name)} {words.value(value)}"


def _plain(text: str) -> str:
    """Text that Markdown leaves as it is."""
    return "".join(f"\\{sign}" if sign in "\\`*_[]$:#<>~" else sign for sign in text)
