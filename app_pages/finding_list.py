"""Conclusions as a list; those that carry a command line stand by themselves, ready to copy.

A finding with an argument `command` is such a line; one with a `flag` says what a part is for.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from app_pages.lab_words import LabWords
from app_pages.sheet import sheet
from app_pages.words import say
from engine.measure.events import Finding


def finding_list(findings: Sequence[Finding], words: LabWords, *, key: str) -> None:
    """The sentences, then the first command line, then the others with their flags on demand."""
    commands = [finding for finding in findings if "command" in finding.args]
    flags = [finding for finding in findings if "flag" in finding.args]
    plain = [finding for finding in findings if finding not in commands and finding not in flags]
    if plain:
        sheet(sentences(plain, words), key=key)
    if commands:
        _command(commands[0], words)
    if commands[1:] or flags:
        with st.expander(say("labs.more_commands"), icon=":material/terminal:"):
            for command in commands[1:]:
                _command(command, words)
            if flags:
                sheet(sentences(flags, words), key=f"{key}.flags")


def sentences(findings: Sequence[Finding], words: LabWords) -> str:
    """The findings in words, as HTML."""
    items = "".join(f"<li>{_sentence(finding, words)}</li>" for finding in findings)
    return f'<ul class="findings" lang="{words.language}">{items}</ul>'


def _sentence(finding: Finding, words: LabWords) -> str:
    text, flag = escape(words.finding(finding)), finding.args.get("flag")
    if not isinstance(flag, str):
        return text
    return text.replace(escape(flag), f"<code>{escape(flag)}</code>", 1)


def _command(finding: Finding, words: LabWords) -> None:
    st.caption(words.finding(finding))
    st.code(str(finding.args["command"]), language="bash", wrap_lines=True)
