"""The keys of the review page in the settings, and what happens to a leech."""

from __future__ import annotations

import streamlit as st

from app_pages import context
from app_pages.backups import GENERATION
from app_pages.in_words import in_words
from app_pages.words import say
from engine.study.review_keys import DEFAULTS, BadKeys, parse_keys, write_keys
from engine.study.settings import LEECH_ACTIONS, RANGES, SettingsRefused

FAULT = "settings.keys.fault"


def _key(name: str) -> str:
    return f"settings.keys.{name}.{st.session_state.get(GENERATION, 0)}"


@in_words
def _save_keys() -> None:
    """All keys together: one may become free by another's change."""
    keys = {action: str(st.session_state[_key(action)] or "").strip().lower() for action in DEFAULTS}
    try:
        context.save_settings({"review_keys": write_keys(keys)})
    except BadKeys as bad:
        st.session_state[FAULT] = say(
            f"settings.keys.fault.{bad.code}", action=say(f"settings.keys.{bad.action}"), key=bad.key
        )
    else:
        st.session_state.pop(FAULT, None)
        st.toast(say("settings.saved"), icon=":material/check:")


@in_words
def _reset_keys() -> None:
    context.save_settings({"review_keys": ""})
    st.session_state.pop(FAULT, None)
    for action, key in DEFAULTS.items():
        st.session_state[_key(action)] = key


def keys_section() -> None:
    """One field a key; what is wrong with them below."""
    st.subheader(say("settings.keys"), anchor=False)
    st.caption(say("settings.keys.help"))
    now = parse_keys(context.settings().review_keys)
    with st.grid(4):
        for action, key in now.items():
            with st.container():
                st.text_input(
                    say(f"settings.keys.{action}"),
                    value=key,
                    max_chars=1,
                    key=_key(action),
                    on_change=_save_keys,
                )
    fault = st.session_state.get(FAULT)
    if fault is not None:
        st.error(f"{fault} {say('settings.not_saved')}", icon=":material/error:")
    if now != dict(DEFAULTS) or fault is not None:
        st.button(
            say("settings.keys.reset"),
            on_click=_reset_keys,
            icon=":material/restart_alt:",
            key=_key("defaults"),
        )


@in_words
def _save_leech(field: str) -> None:
    try:
        context.save_settings({field: st.session_state[_key(field)]})
    except SettingsRefused as refused:
        st.toast(f"{refused} {say('settings.not_saved')}", icon=":material/error:")
    else:
        st.toast(say("settings.saved"), icon=":material/check:")


def leech_section() -> None:
    """After how many lapses a card is a leech, and whether it is suspended then."""
    low, high = RANGES["leech_lapses"]
    with st.grid(2):
        with st.container():
            st.number_input(
                say(
                    "settings.range",
                    label=say("settings.leech_lapses"),
                    low=f"{low:g}",
                    high=f"{high:g}",
                ),
                value=context.settings().leech_lapses,
                min_value=int(low),
                max_value=int(high),
                step=1,
                help=say("settings.leech_lapses.help"),
                key=_key("leech_lapses"),
                on_change=_save_leech,
                args=("leech_lapses",),
            )
        with st.container():
            st.segmented_control(
                say("settings.leech_action"),
                LEECH_ACTIONS,
                default=context.settings().leech_action,
                required=True,
                format_func=lambda code: say(f"settings.leech_action.{code}"),
                key=_key("leech_action"),
                on_change=_save_leech,
                args=("leech_action",),
            )
