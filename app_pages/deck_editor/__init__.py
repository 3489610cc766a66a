"""The field in which decks are written: numbered lines, marked faults, a draft that outlives F5.

What is typed is sent a moment after the last key, never in the midst of composing (Vietnamese and Chinese
input), and kept in the browser until it is saved.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

FRONT = Path(__file__).parent / "front"


def _read(name: str) -> str:
    return (FRONT / name).read_text(encoding="utf-8")


_mount = st.components.v2.component(
    "benchcards.deck_editor",
    html=_read("editor.html"),
    css=_read("editor.css"),
    js=_read("editor.js"),
)


@dataclass(frozen=True, slots=True)
class Draft:
    """What stands in the field. doc: which document it belongs to. line: where the caret is, from 0.

    save: names a wish to save (Ctrl+S), each once; "" where there is none. settled: it was saved, and the
    browser keeps it as a draft no more.
    """

    doc: str
    text: str
    line: int = 0
    save: str = ""
    settled: bool = False

    @classmethod
    def read(cls, said: object) -> Draft | None:
        """The component's message; None where there is none, or it isn't one."""
        if not isinstance(said, Mapping):
            return None
        doc, text, line, save = (said.get(name) for name in ("doc", "text", "line", "save"))
        if not isinstance(doc, str) or not isinstance(text, str):
            return None
        at = int(line) if isinstance(line, (int, float)) and 0 <= line < 1e7 else 0
        return cls(doc, text, at, save if isinstance(save, str) else "", said.get("settled") is True)


def deck_editor(
    *,
    key: str,
    name: str,
    state: str,
    text: str,
    first_line: int,
    saved: bool,
    faults: Sequence[tuple[int, str]],
    words: Mapping[str, str],
    on_draft: Callable[[], None],
) -> None:
    """Mounts the field. What is typed stands in `st.session_state[key]["draft"]`, see `Draft.read`.

    name: the document's; the browser keeps its draft under it. state: another one makes the field take
    `text`, or the draft, where `text` wasn't `saved` from it just now. first_line: the number of its first
    line. faults: line numbers (as shown) with what is wrong.
    """
    data: dict[str, Any] = {
        "key": name,
        "doc": f"{name}@{state}",
        "saved": saved,
        "text": text,
        "first_line": first_line,
        "faults": [{"line": line, "message": message} for line, message in faults],
        "words": dict(words),
    }
    _mount(key=key, data=json.dumps(data, ensure_ascii=False).encode(), on_draft_change=on_draft)
