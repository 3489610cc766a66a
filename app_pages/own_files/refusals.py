"""Why a file can't be used, in the reader's language, with the line to type where there is one."""

from __future__ import annotations

import streamlit as st

from app_pages import context
from app_pages.numbers import number, quantity
from app_pages.own_files.text import escape_markdown
from app_pages.words import knows, phrase, say
from engine.faults import BenchcardsError, Reason, Value, os_why


def told(message: str, reason: Reason | None, language: str) -> str:
    """The reason in words; `message`, which is English, where there is none or it has no words."""
    key = f"refusal.{reason.code}" if reason else ""
    if reason is None or not knows(key):
        return message
    shown = {name: _shown(name, value, language) for name, value in reason.args.items()}
    return phrase(language, key, **shown)


def told_error(error: BenchcardsError | OSError) -> str:
    """The same of what was raised, in the language of the person who is looking at the page."""
    language = context.language()
    if isinstance(error, OSError):
        args: dict[str, Value] = {"name": str(error.filename or "–"), "why": os_why(error)}
        return told(str(error), Reason("cannot_read", args), language)
    return told(str(error), error.why, language)


def refused(message: str, reason: Reason | None) -> None:
    """Says that a file can't be used, and why."""
    text = told(message, reason, context.language())
    st.error(f"**{say('your_files.refused')}**\n\n{escape_markdown(text)}", icon=":material/error:")
    command = str(reason.args.get("command", "")) if reason else ""
    if command:
        st.code(command, language=None, wrap_lines=True)


def _shown(name: str, value: Value, language: str) -> str:
    if isinstance(value, str):
        worded = f"refusal.why.{value}"
        return phrase(language, worded) if name == "why" and knows(worded) else value
    return quantity(value, "B", language) if name.endswith("bytes") else number(value, language)
