"""Another trace beside the one that is open: what moved between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from app_pages import context
from app_pages.numbers import moment, number, percent, quantity
from app_pages.own_files.diagnosis import codes, findings, sentences
from app_pages.own_files.refusals import told_error
from app_pages.own_files.tables import Cell, name, rows_of, table, time_text, time_us
from app_pages.own_files.text import escape_markdown
from app_pages.sheet import sheet
from app_pages.words import knows, say
from engine.faults import BenchcardsError
from engine.measure.analyse.compare import compare

if TYPE_CHECKING:
    from engine.measure.analyse.jobs import AnalysisState

MOST = 100
"""Traces that are offered."""
FIRST = 15
LESS_IS_BETTER = frozenset(
    {"wall_us", "gap_us", "launches", "launch_cost_p50_us", "gap_p50_us", "no_gaps_us", "graphs_us"}
)
MORE_IS_BETTER = frozenset({"busy_ratio"})
_WHAT = {"kernels": "kernel_count"}
"""The words of a row whose name a table has too."""
NOTABLE = 0.02
"""A change of less than 2 % is nobody's gain: two runs of one program differ by as much."""


def against(state: AnalysisState, *, key: str) -> AnalysisState | None:
    """The choice of an earlier trace; None while none is chosen."""
    others = [
        other
        for other in context.analyses().recent(MOST)
        if other.status == "done" and other.kind == "trace" and other.id != state.id
    ]
    if not others:
        return None
    by_id = {other.id: other for other in others}
    asked = st.query_params.get("against")
    with st.container(key=f"{key}.against"):
        chosen = st.selectbox(
            say("your_files.against"),
            list(by_id),
            index=list(by_id).index(asked) if asked in by_id else None,
            format_func=lambda each: _name(by_id[each]),
            placeholder=say("your_files.against.none"),
            key=f"{key}.against.{asked}",
        )
    if chosen is None:
        st.query_params.pop("against", None)
        return None
    st.query_params["against"] = chosen
    return by_id[chosen]


def _name(state: AnalysisState) -> str:
    return f"{state.name} · {moment(state.asked_at, context.zone(), context.language())}"


def comparison(
    state: AnalysisState, analysis: Mapping[str, Any], other: AnalysisState, *, key: str
) -> list[str]:
    """What moved from `other`, the earlier one, to the trace that is open. Returns the codes of that."""
    try:
        before = context.analyses().result(other.id)
        moved = compare(before, analysis, names=(other.name, state.name)).to_json()
    except BenchcardsError as error:
        st.error(escape_markdown(told_error(error)), icon=":material/error:")
        return []
    language = context.language()
    st.markdown(f"**{escape_markdown(other.name)}** → **{escape_markdown(state.name)}**")
    html = sentences(findings(moved), findings(moved, "warnings"), language)
    if html:
        sheet(html, key=f"{key}.moved")
    for place, device in enumerate(rows_of(moved.get("devices"))):
        _device(device, language, key=f"{key}.moved.{place}")
    return codes(moved)


def _device(device: Mapping[str, Any], language: str, *, key: str) -> None:
    per = say(f"your_files.per.{device.get('per')}")
    st.markdown(f"**GPU {device.get('device')}** · {per}")
    heads = [say(f"your_files.column.{head}") for head in ("what", "earlier", "later", "change")]
    rows = [_row(row, language) for row in rows_of(device.get("rows")) if _told(row)]
    sheet(table(say("your_files.moved"), heads, rows), key=f"{key}.rows")
    for part in ("kernels", "operators", "families"):
        moved = rows_of(device.get(part))[:FIRST]
        if moved:
            st.markdown(f"**{say(f'your_files.moved.{part}')}**")
            sheet(_moved(part, moved, language), key=f"{key}.{part}")


def _told(row: Mapping[str, Any]) -> bool:
    """Graphs that neither trace has are not worth a line."""
    return bool(row.get("before") or row.get("after"))


def _row(row: Mapping[str, Any], language: str) -> tuple[Cell, ...]:
    what = str(row.get("what"))
    cells = [Cell(_value(what, row.get(side), language), number=True) for side in ("before", "after")]
    return (
        Cell(say(f"your_files.moved.{_WHAT.get(what, what)}")),
        *cells,
        _change(what, row.get("ratio"), language),
    )


def _value(what: str, value: object, language: str) -> str:
    if not isinstance(value, int | float):
        return "–"
    if what == "busy_ratio":
        return percent(float(value), language)
    if what.endswith("_us"):
        return time_text(value, language)
    if what.endswith("_bytes"):
        return quantity(float(value), "B", language)
    return number(value, language)


def _change(what: str, ratio: object, language: str) -> Cell:
    """The later value by the earlier one; marked where that is a gain or a loss."""
    if not isinstance(ratio, int | float):
        return Cell("–", number=True)
    mark = ""
    if abs(ratio - 1) >= NOTABLE:
        if what in LESS_IS_BETTER:
            mark = "better" if ratio < 1 else "worse"
        elif what in MORE_IS_BETTER:
            mark = "better" if ratio > 1 else "worse"
    return Cell(quantity(float(ratio), "×", language), number=True, mark=mark)


def _moved(part: str, rows: Sequence[Mapping[str, Any]], language: str) -> str:
    heads = [
        say(f"your_files.column.{head}")
        for head in ("name", "earlier", "later", "difference", "count_change")
    ]
    made = [
        (
            name(_named(part, row)),
            time_us(row.get("before_us"), language),
            time_us(row.get("after_us"), language),
            _signed(row.get("change_us"), language),
            Cell(
                f"{_plain(row.get('before_count'), language)} → {_plain(row.get('after_count'), language)}",
                number=True,
            ),
        )
        for row in rows
    ]
    return table(say(f"your_files.moved.{part}"), heads, made)


def _named(part: str, row: Mapping[str, Any]) -> str:
    given = str(row.get("name") or "–")
    family = f"analysis.family.{given}"
    return say(family) if part == "families" and knows(family) else given


def _signed(value: object, language: str) -> Cell:
    if not isinstance(value, int | float):
        return Cell("–", number=True)
    text = time_text(abs(value), language)
    return Cell(f"{'+' if value > 0 else '−' if value < 0 else ''}{text}", number=True)


def _plain(value: object, language: str) -> str:
    return number(value, language) if isinstance(value, int | float) else "–"
