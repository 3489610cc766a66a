"""The evidence under a revealed answer: run the labs, and see claim, prediction and measurement together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from app_pages import context, seen
from app_pages.claims_table import Reader, claims_table
from app_pages.lab_words import LabWords, of
from app_pages.lever_widgets import lever_widgets, settings_text, start_values
from app_pages.numbers import quantity
from app_pages.result_view import findings, origin, result_charts
from app_pages.run_view import ended_badly, live_run
from app_pages.sheet import sheet
from app_pages.words import knows, say
from engine.claims import sightings
from engine.measure import through
from engine.measure.catalogue import LabInfo
from engine.measure.events import Scalar
from engine.measure.fault import MeasureError
from engine.measure.hardware import this_machine
from engine.measure.results import Result
from engine.study.card import Card, LabLink


@st.fragment
def evidence_panel(card: Card, *, at_leisure: bool = True) -> None:
    """All evidence for a card: its lab with a button, the table of its claims, then the lab's result.

    Finds a run under way again after a reload: it looks in the store, not in the session. Further labs
    unfold. Not `at_leisure` (someone may grade at any moment): no charts yet,
    and no torch in the background.
    """
    if not card.labs and not card.claims:
        return
    st.subheader(say("evidence.title"), anchor=False)
    try:
        labs = context.labs()
    except MeasureError as error:
        st.error(str(error), icon=":material/error:")
        labs = {}
    keys = [f"evidence.{card.id}.{place}" for place in range(len(card.labs))]
    if card.labs:
        with st.container(border=True, key=keys[0]):
            _lab(card.labs[0], labs.get(card.labs[0].name), key=keys[0], warm=at_leisure)
    if card.claims:
        _claims(card, {name: of(info, name).title for name, info in labs.items()})
    if card.labs:
        words = of(labs.get(card.labs[0].name), card.labs[0].name)
        if len(card.labs) > 1:
            st.markdown(f"**{words.title}**")
        # the review page's script looks for this key: near it, someone reads on and wants the charts
        with st.container(key="evidence_results"):
            _results(card.labs[0], words, key=keys[0], drawn=at_leisure)
    for link, key in list(zip(card.labs, keys, strict=True))[1:]:
        _folded(link, labs.get(link.name), key=key)


def _folded(link: LabLink, info: LabInfo | None, *, key: str) -> None:
    """A further lab with its results: drawn when they are asked for, and while it runs."""
    words = of(info, link.name)
    runs = info is not None and bool(context.runs().current(info.name))
    unfold = st.expander(
        words.title, expanded=runs, icon=":material/science:", key=f"{key}.unfold", on_change="rerun"
    )
    if unfold.open:
        with unfold:
            with st.container(border=True, key=key):
                _lab(link, info, key=key, warm=True)
            _results(link, words, key=key, drawn=True)


def _lab(link: LabLink, info: LabInfo | None, *, key: str, warm: bool) -> None:
    """What the lab does, and the button that runs it; while it runs, how far it is."""
    words = of(info, link.name)
    if info is None:
        st.markdown(f"**{words.title}**")
        st.warning(say("evidence.no_such_lab", name=link.name), icon=":material/science_off:")
    else:
        st.page_link(
            "app_pages/labs.py",
            label=f"**{words.title}**",
            icon=":material/science:",
            help=say("evidence.to_lab"),
            query_params={"lab": link.name},
        )
        if words.about:
            st.caption(words.about)
        _running(link, info, words, key=key, warm=warm)


def _running(link: LabLink, info: LabInfo, words: LabWords, *, key: str, warm: bool) -> None:
    runs = context.runs()
    under_way = runs.current(info.name)
    if under_way:
        live_run(under_way[0].id, key=key)
        return
    place = through.load(context.store())
    if place is None and not info.can_run:
        cannot_run(info)
        return
    if place is None and warm:
        runs.warm_up()
    start = start_values(info, dict(link.set), gpu=bool(this_machine().gpus))
    with st.container(horizontal=True, vertical_alignment="center"):
        button = st.container(width="content")
        params = start
        if info.levers:
            with st.popover(say("evidence.settings"), icon=":material/tune:", key=f"{key}.settings"):
                params = lever_widgets(info, words, start, key=f"{key}.lever")
    with button:
        st.button(
            say("evidence.run") if place is None else say("evidence.run_through"),
            icon=":material/play_arrow:",
            type="primary",
            key=f"{key}.run",
            on_click=start_run,
            args=(info.name, params),
        )
    if params:
        st.caption(settings_text(params, words))
    if place is not None:
        st.caption(say("evidence.through", command=f"`{place.prefix}`"))
    last = runs.recent(info.name, 1)
    if last and last[0].is_over and last[0].status != "done":
        ended_badly(last[0], key=key)


def start_run(lab: str, params: dict[str, Scalar], device: str = "auto") -> None:
    """Puts a run in line, unless the lab has one under way: a second click or tab starts no second run."""
    runs = context.runs()
    if runs.current(lab):
        return
    wish = device if device in ("cuda", "cpu") else "auto"
    try:
        runs.submit(lab, params, wish)  # type: ignore[arg-type]  # narrowed by the line above
        seen.note([sightings.of_lab(lab)])  # a prediction comes before its run
    except MeasureError as error:
        st.toast(str(error), icon=":material/error:")


def cannot_run(info: LabInfo) -> None:
    """Why the lab can't run on this machine, and what it needs."""
    code = f"run.failure.{info.why_not}"
    text = say(code) if knows(code) else say("run.failure.unsupported")
    needs = ", ".join(info.tools) if info.why_not == "needs_tool" else ""
    st.info(f"{text} {needs}".strip(), icon=":material/block:")


def _results(link: LabLink, words: LabWords, *, key: str, drawn: bool) -> None:
    """The nearest result in full, those from farther away folded, each under its own label.

    Not `drawn`: without the charts.
    """
    try:
        sources = context.claim_results()
        results = {kind: _at_settings(link, source) for kind, source in sources.by_origin().items()}
    except MeasureError as error:
        st.warning(str(error), icon=":material/error:")
        return
    found = [(kind, result) for kind, result in results.items() if result is not None]
    for place, (kind, result) in enumerate(found):
        if place == 0:
            st.markdown(origin(result, kind))
            if kind != "recorded":
                _settings_differ(link, result, words)
            _result(result, words, key=f"{key}.{kind}", drawn=drawn)
            continue
        title = say("evidence.compare", device=result.device.get("name", "?"))
        name = f"{key}.other.{kind}"
        other = st.expander(title, icon=":material/compare_arrows:", key=name, on_change="rerun")
        if other.open:
            with other:
                st.markdown(origin(result, kind))
                _result(result, words, key=f"{key}.{kind}", drawn=True)


def _result(result: Result, words: LabWords, *, key: str, drawn: bool) -> None:
    findings(result, words, key=f"{key}.findings")
    if drawn:
        result_charts(result, words, key=key, most=2)


def _at_settings(link: LabLink, source: Callable[[str], Sequence[Result]]) -> Result | None:
    """The newest result at the card's settings, else the newest at any."""
    found = source(link.name)
    wanted = dict(link.set)
    at_settings = (
        result
        for result in found
        if all(str(result.params.get(name)) == value for name, value in wanted.items())
    )
    return next(at_settings, found[0] if found else None)


def _settings_differ(link: LabLink, result: Result, words: LabWords) -> None:
    differing = {
        name: result.params[name]
        for name, value in link.set
        if name in result.params and str(result.params[name]) != value
    }
    if differing:
        st.caption(say("evidence.other_settings", settings=settings_text(differing, words)))


def _claims(card: Card, titles: dict[str, str]) -> None:
    # pint takes a quarter of a second to import: only here
    from app_pages.gpu_choice import gpu_choice
    from app_pages.made import made_by_claim
    from engine.claims.evidence import evidence

    hardware = context.claim_hardware()
    try:
        rows = evidence(card, hardware, context.claim_results())
        made = made_by_claim(card.id)
    except MeasureError as error:
        st.error(str(error), icon=":material/error:")
        return
    seen.rows(rows)
    reader = Reader(context.language(), context.zone(), titles, made)
    st.markdown(f"**{say('evidence.claims')}**")
    sheet(claims_table(rows, reader), key=f"evidence.{card.id}.claims")
    bandwidth = hardware.quantities.get("memory_bandwidth")
    if bandwidth is not None or not any(row.predicted and row.predicted.on_device for row in rows):
        st.caption(_footing(hardware.name, bandwidth, bool(hardware.measured)))
    gpu_choice(key=f"evidence.{card.id}.gpu")


def _footing(device: str, bandwidth: tuple[float, str] | None, measured: bool) -> str:
    """What the predictions stand on."""
    if bandwidth is None:
        return say("evidence.no_ceiling", device=device)
    value = quantity(bandwidth[0] / 1e9, "GB/s", context.language())
    key = "evidence.footing_measured" if measured else "evidence.footing_datasheet"
    return say(key, device=device, bandwidth=value)
