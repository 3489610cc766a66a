"""How far off the learner's predictions are, in which direction, by topic, over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from urllib.parse import quote

import streamlit as st

from app_pages import context, seen
from app_pages.claims_table import hardware_name
from app_pages.made import compared
from app_pages.markup import plain
from app_pages.numbers import moment, number, percent, quantity, span
from app_pages.sheet import sheet
from app_pages.words import say
from engine.claims.calibration import Compared, Summary, by_topic, by_week, summary
from engine.measure.fault import MeasureError
from engine.study.study_day import from_ms

BIASED = 1.1
"""From this factor on a bias is said to be one."""
SHOWN = 200


def _times(factor: float) -> str:
    return f"{number(factor, context.language(), 2)}×"


def _direction(told: Summary, *, short: bool = False) -> str:
    """Too high, too low, or neither, with the factor: a sentence, or what fits a table's cell on a phone."""
    end = ".short" if short else ""
    if told.bias >= BIASED:
        return say(f"calibration.high{end}", by=_times(told.bias))
    if told.bias <= 1 / BIASED:
        return say(f"calibration.low{end}", by=_times(1 / told.bias))
    return say(f"calibration.even{end}")


def _head(told: Summary) -> None:
    language = context.language()
    with st.container(horizontal=True):
        st.metric(say("calibration.count"), told.count, border=True)
        st.metric(say("calibration.factor"), _times(told.factor), border=True)
        st.metric(say("calibration.close"), percent(told.close, language), border=True)
    st.markdown(f"**{_direction(told)}**")
    st.caption(say("calibration.spread", high=percent(told.high, language), low=percent(told.low, language)))


def _summaries(groups: Mapping[str, Summary], name: str) -> str:
    """A table of summaries as HTML, a row each."""
    heads = (say(f"calibration.{name}"), *(say(f"calibration.{each}") for each in ("count", "factor")))
    head = "".join(
        f'<th scope="col"{" class=number" if place else ""}>{escape(title)}</th>'
        for place, title in enumerate((*heads, say("calibration.close")))
    )
    body = "".join(
        f'<tr><th scope="row">{escape(group)}</th><td class="number">{told.count}</td>'
        f'<td class="number"><b>{_times(told.factor)}</b></td>'
        f'<td class="number">{percent(told.close, context.language())}</td>'
        f"<td>{escape(_direction(told, short=True))}</td></tr>"
        for group, told in groups.items()
    )
    direction = escape(say("calibration.direction"))
    return (
        f'<table><thead><tr>{head}<th scope="col">{direction}</th></tr></thead><tbody>{body}</tbody></table>'
    )


def _all(found: Sequence[Compared]) -> str:
    """Every prediction, the newest first, as HTML."""
    names = ("when", "claim", "typed", "formula", "measured", "off")
    head = "".join(
        f'<th scope="col"{" class=number" if place > 1 else ""}>{escape(say(f"calibration.{name}"))}</th>'
        for place, name in enumerate(names)
    )
    body = "".join(_row(each) for each in reversed(found[-SHOWN:]))
    label = escape(say("calibration.all"))
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _row(each: Compared) -> str:
    made, card, claim = each.prediction, each.evidence.card, each.evidence.claim
    language = context.language()
    when = moment(from_ms(made.made_at_ms), context.zone(), language)
    value = span(made.low, made.high, made.unit, language)
    if made.low == made.high:
        value = quantity(made.value, made.unit, language)
    right = [
        "–" if found is None else quantity(found, made.unit, language)
        for found in (each.formula, each.measured)
    ]
    off = "–" if each.ratio is None else percent(each.ratio - 1, language, signed=True)
    link = f'<a href="cards?card={quote(card.id)}" target="_self">{escape(plain(card.title))}</a>'
    gpu = escape(hardware_name(made.gpu) or made.gpu)
    return (
        f'<tr><td>{escape(when)}</td><td lang="{card.language}">{escape(claim.label or claim.id)}'
        f"<br><small>{link}</small></td>"
        f'<td class="number"><b>{escape(value)}</b><br><small>{gpu}</small></td>'
        f'<td class="number">{escape(right[0])}</td><td class="number">{escape(right[1])}</td>'
        f'<td class="number">{escape(off)}</td></tr>'
    )


def _page() -> None:
    found = compared()
    told = summary(found)
    if told is None:
        st.info(say("calibration.none"), icon=":material/edit_note:")
        return
    _head(told)
    weeks = by_week(found)
    if told.count > 1:
        from app_pages.calibration_chart import over_time  # altair and pandas

        over_time(found, context.language())
    topics = by_topic(found)
    if topics:
        st.subheader(say("calibration.by_topic"), anchor=False)
        sheet(_summaries(topics, "topic"), key="calibration.topics")
    st.subheader(say("calibration.by_week"), anchor=False)
    sheet(_summaries(weeks, "week"), key="calibration.by_week")
    st.subheader(say("calibration.all"), anchor=False)
    sheet(_all(found), key="calibration.all")
    seen.rows(each.evidence for each in found)


st.title(say("calibration.title"), anchor=False)
st.caption(say("calibration.hint"))
try:
    _page()
except MeasureError as error:
    st.error(str(error), icon=":material/error:")
