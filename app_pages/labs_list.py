"""The lists of the labs page: labs with their levers, the runs, the recorded results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import streamlit as st

from app_pages import context
from app_pages.evidence import cannot_run, start_run
from app_pages.lab_predict import predict_first
from app_pages.lab_words import LabWords, of
from app_pages.lever_widgets import lever_widgets, settings_text, start_values
from app_pages.numbers import clock, moment
from app_pages.result_view import whole_result
from app_pages.run_view import ended_badly, live_run
from app_pages.scroll_to import scroll_to
from app_pages.words import say
from engine.measure import through
from engine.measure.catalogue import LabInfo, full_catalogue
from engine.measure.hardware import this_machine
from engine.measure.live import elapsed_s
from engine.measure.results import Result, recorded
from engine.measure.runs import Run

SHOWN_RUNS = 200


def under_way() -> None:
    """What runs now, and what waits behind it: one run at a time on each device."""
    current = context.runs().current()
    for run in current:
        with st.container(border=True, key=f"labs.current.{run.id}"):
            st.markdown(f"**{of(context.labs().get(run.lab), run.lab).title}**")
            live_run(run.id, key=f"labs.current.{run.id}")
    if len(current) > 1:
        st.caption(say("labs.one_at_a_time"))


def labs_list(named: str | None = None) -> None:
    """Every lab with what it is about, what it needs, its levers and a button; in view the one `named`."""
    full = full_catalogue()
    if not full.labs:
        st.info(say("labs.none"), icon=":material/science:")
    if named is not None and named not in {info.name for info in full.labs}:
        st.info(say("labs.unknown_lab", name=named), icon=":material/search_off:")
    for info in full.labs:
        with st.container(border=True, key=f"labs.{info.name}"):
            _lab(info)
    if named is not None:
        scroll_to(f"labs.{named}")
    for file, message in full.faults:
        st.error(f"**{file}**: {message}", icon=":material/report:")


def _lab(info: LabInfo) -> None:
    words = of(info, info.name)
    st.subheader(words.title, anchor=False)
    if words.about:
        st.markdown(words.about)
    st.caption(needs_text(info))
    place = through.load(context.store())
    if place is None and not info.can_run:
        cannot_run(info)
        return
    runs = context.runs()
    if place is None:
        runs.warm_up()
    params = start_values(info, {}, gpu=True)
    if info.levers:
        with st.grid(3):
            params = lever_widgets(info, words, params, key=f"labs.lever.{info.name}")
    busy = bool(runs.current(info.name))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        device = _device_choice(info) if place is None else "auto"
        st.button(
            say("labs.run") if place is None else say("evidence.run_through"),
            icon=":material/play_arrow:",
            type="primary",
            disabled=busy,
            key=f"labs.run.{info.name}",
            on_click=start_run,
            args=(info.name, params, device),
        )
        predict_first(info.name)
        st.code(f"python -m labs run {info.name}", language="bash", width="content")
    if place is not None:
        st.caption(say("evidence.through", command=f"`{place.prefix}`"))
    if not busy:
        _last_run(info.name)


def _last_run(lab: str) -> None:
    """How the lab's last run ended: why it gave no result, or the way to the one it gave."""
    last = context.runs().recent(lab, 1)
    if not last or not last[0].is_over:
        return
    if last[0].status != "done":
        ended_badly(last[0], key=f"labs.last.{lab}")
        return
    st.button(
        say("labs.last_result"),
        icon=":material/query_stats:",
        type="tertiary",
        key=f"labs.last.{lab}",
        on_click=_open,
        args=(last[0].id,),
    )


def _open(run_id: str) -> None:
    st.query_params["run"] = run_id


def _device_choice(info: LabInfo) -> str:
    """Where it runs, where there is a choice."""
    if not this_machine().gpus or len(info.devices) < 2:
        return "auto"
    chosen = st.segmented_control(
        say("labs.device"),
        ("cuda", "cpu"),
        default="cuda",
        required=True,
        format_func=lambda name: "GPU" if name == "cuda" else "CPU",
        label_visibility="collapsed",
        key=f"labs.device.{info.name}",
    )
    return str(chosen)


def needs_text(info: LabInfo) -> str:
    """What a lab needs, on one line."""
    places = " / ".join({"cuda": "GPU", "cpu": "CPU"}.get(name, name) for name in info.devices)
    parts = [
        say("labs.runs_on", places=places),
        *([say("labs.tools", tools=", ".join(info.tools))] if info.tools else []),
        say("labs.limit", time=clock(info.time_limit_s)),
    ]
    return " · ".join(parts)


def runs_table() -> None:
    """Every run; choosing one opens it."""
    found = context.runs().recent(limit=SHOWN_RUNS)
    if not found:
        st.info(say("labs.no_runs"), icon=":material/history:")
        return
    names = ("status", "lab", "when", "took", "settings", "device")
    widths = (110, 200, 140, 70, 260, 220)
    event = st.dataframe(
        [_run_row(run) for run in found],
        column_config={
            name: st.column_config.TextColumn(say(f"labs.column.{name}"), width=width)
            for name, width in zip(names, widths, strict=True)
        },
        hide_index=True,
        height=min(560, 38 + 35 * len(found)),
        on_select="rerun",
        selection_mode="single-cell",
        alt=say("labs.tab.runs"),
        key=f"labs.runs.{st.session_state.get('labs.opened', 0)}",
    )
    chosen = event.selection.cells
    if chosen and chosen[0][0] < len(found):
        st.session_state["labs.opened"] = st.session_state.get("labs.opened", 0) + 1
        st.query_params["run"] = found[chosen[0][0]].id
        st.rerun()


def _run_row(run: Run) -> dict[str, str]:
    words = of(context.labs().get(run.lab), run.lab)
    queued = datetime.fromtimestamp(run.queued_at_ms / 1000, UTC)
    return {
        "status": say(f"run.status.{run.status}"),
        "lab": words.title,
        "when": moment(queued, context.zone(), words.language),
        "took": clock(elapsed_s(run)) if run.started_at_ms is not None else "",
        "settings": settings_text(run.params, words),
        "device": run.device_key,
    }


def recorded_results(words: Mapping[str, LabWords]) -> None:
    """What was recorded on other GPUs, one result at a time."""
    results = [result for name in words for result in recorded(name)]
    if not results:
        st.info(say("labs.no_recorded"), icon=":material/inventory_2:")
        return
    st.caption(say("labs.recorded_hint"))
    chosen = st.selectbox(
        say("labs.recorded_choose"),
        range(len(results)),
        format_func=lambda place: _recorded_name(results[place], results, words),
        key="labs.recorded",
    )
    result = results[chosen]
    whole_result(result, words[result.lab], "recorded", key=f"labs.recorded.{chosen}")


def _recorded_name(result: Result, among: Sequence[Result], words: Mapping[str, LabWords]) -> str:
    """GPU and lab, and the settings by which it differs from other results of the lab."""
    others = [other for other in among if other.lab == result.lab]
    own = {
        name: value
        for name, value in result.params.items()
        if any(other.params.get(name) != value for other in others)
    }
    parts = [str(result.device.get("name", "?")), words[result.lab].title]
    return " · ".join([*parts, settings_text(own, words[result.lab])] if own else parts)
