"""The settings of the daily work, each saved at once; backups; where everything lies."""

from __future__ import annotations

import streamlit as st

from app_pages import context
from app_pages.backups import GENERATION, backups_section
from app_pages.data_place import data_place
from app_pages.exchange import exchange_section
from app_pages.gpu_choice import gpu_choice
from app_pages.in_words import in_words
from app_pages.review_keys import keys_section, leech_section
from app_pages.words import knows, say
from engine.interview import speech_model
from engine.interview.fault import InterviewError
from engine.measure import through, time_limit
from engine.measure.fault import MeasureError
from engine.measure.hardware import environment
from engine.study.settings import LANGUAGES, RANGES, SettingFault, SettingsRefused

FAULTS = "settings.faults"
NUMBERS = (
    ("new_per_day", 1.0),
    ("reviews_per_day", 10.0),
    ("desired_retention", 0.01),
    ("maximum_days", 30.0),
    ("learn_ahead_minutes", 5.0),
    ("rollover_hour", 1.0),
)
TIME_LIMIT = "lab_time_limit"
SPEECH_MODEL = "speech_model"
TIME_LIMIT_RANGE = (("low", str(time_limit.LOW)), ("high", str(time_limit.HIGH)))
THROUGH = ("run_through", "run_through_labs")
STEPS = ("learning_steps", "relearning_steps")


def _key(field: str) -> str:
    """The widget's key. Another generation of keys shows what is kept anew, as after a restore."""
    return f"settings.field.{field}.{st.session_state.get(GENERATION, 0)}"


@in_words
def _save(field: str) -> None:
    """Keeps one setting, or remembers why it can't be kept; the others stay as they are."""
    faults: dict[str, SettingFault] = st.session_state.setdefault(FAULTS, {})
    try:
        context.save_settings({field: st.session_state[_key(field)]})
    except SettingsRefused as refused:
        faults[field] = refused.faults[0]
    else:
        faults.pop(field, None)
        st.toast(say("settings.saved"), icon=":material/check:")


def _fault(field: str) -> None:
    """What is wrong with the value that stands in the field, under it."""
    fault: SettingFault | None = st.session_state.get(FAULTS, {}).get(field)
    if fault is None:
        return
    key = f"settings.fault.{fault.code}"
    text = say(key, **dict(fault.args)) if knows(key) else fault.message
    st.error(f"{text} {say('settings.not_saved')}", icon=":material/error:")


def _number(field: str, step: float) -> None:
    low, high = RANGES[field]
    value = getattr(context.settings(), field)
    whole = isinstance(value, int)
    st.number_input(
        say("settings.range", label=say(f"settings.{field}"), low=f"{low:g}", high=f"{high:g}"),
        value=int(value) if whole else float(value),
        step=int(step) if whole else step,
        format=None if whole else "%.2f",
        help=say(f"settings.{field}.help"),
        key=_key(field),
        on_change=_save,
        args=(field,),
    )
    _fault(field)


def _steps(field: str) -> None:
    st.text_input(
        say(f"settings.{field}"),
        value=getattr(context.settings(), field),
        help=say("settings.steps.help"),
        key=_key(field),
        on_change=_save,
        args=(field,),
    )
    _fault(field)


def _language() -> None:
    field = "interface_language"
    st.segmented_control(
        say(f"settings.{field}"),
        LANGUAGES,
        default=context.settings().interface_language,
        required=True,
        format_func=lambda code: say(f"language.{code}"),
        key=_key(field),
        on_change=_save,
        args=(field,),
    )
    _fault(field)


@in_words
def _save_decks() -> None:
    chosen = set(st.session_state[_key("decks")])
    left_out = [deck.id for deck in context.library().decks if deck.id not in chosen]
    context.save_settings({"decks_left_out": " ".join(left_out)})
    st.toast(say("settings.saved"), icon=":material/check:")


def _decks() -> None:
    """Which decks the daily review takes its cards from."""
    titles = {deck.id: deck.title for deck in context.library().decks}
    left_out = context.settings().decks_left_out.split()
    chosen = st.pills(
        say("settings.decks"),
        list(titles),
        selection_mode="multi",
        default=[deck for deck in titles if deck not in left_out],
        format_func=lambda deck: titles.get(deck, deck),
        help=say("settings.decks.help"),
        key=_key("decks"),
        on_change=_save_decks,
    )
    if titles and not chosen:
        st.warning(say("settings.decks.none"), icon=":material/style:")


@in_words
def _save_time_limit() -> None:
    faults: dict[str, SettingFault] = st.session_state.setdefault(FAULTS, {})
    try:
        time_limit.save(context.store(), st.session_state[_key(TIME_LIMIT)])
    except MeasureError as error:
        faults[TIME_LIMIT] = SettingFault(TIME_LIMIT, "out_of_range", TIME_LIMIT_RANGE, str(error))
    else:
        faults.pop(TIME_LIMIT, None)
        st.toast(say("settings.saved"), icon=":material/check:")


def _time_limit() -> None:
    """How long a lab may run; empty: as long as each lab says."""
    st.subheader(say("settings.labs"), anchor=False)
    st.number_input(
        say("settings.range", label=say("settings.lab_time_limit"), **dict(TIME_LIMIT_RANGE)),
        value=time_limit.load(context.store()),
        step=1,
        placeholder=say("settings.lab_time_limit.none"),
        help=say("settings.lab_time_limit.help"),
        key=_key(TIME_LIMIT),
        on_change=_save_time_limit,
    )
    _fault(TIME_LIMIT)


@in_words
def _save_through(field: str) -> None:
    """Both fields together: the command in front, and how the labs are called there."""
    faults: dict[str, SettingFault] = st.session_state.setdefault(FAULTS, {})
    texts = [str(st.session_state[_key(name)]) for name in THROUGH]
    try:
        through.save(context.store(), *texts)
    except MeasureError as error:
        faults[field] = SettingFault(field, "through", (), str(error))
    else:
        for name in THROUGH:
            faults.pop(name, None)
        st.toast(say("settings.saved"), icon=":material/check:")


def _through() -> None:
    """Where labs run: on this machine, or through a command on another."""
    kept = through.load(context.store()) or through.Through("")
    for field, value in zip(THROUGH, (kept.prefix, kept.labs), strict=True):
        st.text_input(
            say(f"settings.{field}"),
            value=value,
            placeholder=say(f"settings.{field}.example"),
            max_chars=through.LONGEST,
            help=say(f"settings.{field}.help"),
            key=_key(field),
            on_change=_save_through,
            args=(field,),
        )
        _fault(field)


@in_words
def _save_speech_model() -> None:
    faults: dict[str, SettingFault] = st.session_state.setdefault(FAULTS, {})
    try:
        speech_model.save(context.store(), st.session_state[_key(SPEECH_MODEL)] or "")
    except InterviewError as error:
        faults[SPEECH_MODEL] = SettingFault(SPEECH_MODEL, "not_a_model", (), str(error))
    else:
        faults.pop(SPEECH_MODEL, None)
        st.toast(say("settings.saved"), icon=":material/check:")


def _speech_model() -> None:
    """Which model turns an interview's recordings into text; empty: none does."""
    st.subheader(say("settings.speech"), anchor=False)
    st.text_input(
        say("settings.speech_model"),
        value=speech_model.load(context.store()) or "",
        placeholder=say("settings.speech_model.none"),
        help=say("settings.speech_model.help"),
        key=_key(SPEECH_MODEL),
        on_change=_save_speech_model,
    )
    _fault(SPEECH_MODEL)


def _places() -> None:
    st.subheader(say("settings.places"), anchor=False)
    data_place()
    st.markdown(f"{say('settings.own_decks')} `{context.deck_folders()[1]}`")
    st.markdown(f"{say('settings.zone')} `{context.zone()}`")
    st.caption(say("settings.zone.help", hour=context.settings().rollover_hour))
    versions = {"streamlit": st.__version__} | environment()
    st.caption(" · ".join(f"{name} {value}" for name, value in versions.items()))


context.house()
st.title(say("settings.title"), anchor=False)
_language()
st.subheader(say("settings.daily"), anchor=False)
with st.grid(2):
    for name, width in NUMBERS:
        with st.container():
            _number(name, width)
    for name in STEPS:
        with st.container():
            _steps(name)
leech_section()
st.page_link("app_pages/schedule.py", label=say("statistics.to_schedule"), icon=":material/event_upcoming:")
_decks()
keys_section()
_time_limit()
_through()
gpu_choice(key="settings.gpu")
_speech_model()
backups_section()
exchange_section()
_places()
