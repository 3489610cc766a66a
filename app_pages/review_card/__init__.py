"""The component that shows cards: reveals and grades on the client, confirmed by the server.

`front/` holds its parts in plain JavaScript; Streamlit takes a component of an app as one text, so they are
put together here, `main.js` last.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

FRONT = Path(__file__).parent / "front"
STYLES = ("card", "predict", "actions", "notebook", "curve")
SCRIPTS = (
    "stopwatch",
    "outbox",
    "line",
    "queue",
    "keys",
    "face",
    "predict",
    "actions",
    "notebook",
    "screen",
    "review",
    "main",
)


def _read(name: str) -> str:
    return (FRONT / name).read_text(encoding="utf-8")


_mount = st.components.v2.component(
    "benchcards.review_card",
    html=_read("card.html"),
    css="".join(_read(f"{name}.css") for name in STYLES),
    js="\n".join(_read(f"{name}.js") for name in SCRIPTS),
)


def review_card(*, key: str, data: dict[str, Any], on_talk: Callable[[], None]) -> None:
    """Mounts the component. What it says stands in `st.session_state[key]["talk"]`, see `Talk.read`.

    The data goes as bytes: Streamlit looks through anything else for tables, and imports pandas to do so.
    """
    _mount(key=key, data=json.dumps(data, ensure_ascii=False).encode(), on_talk_change=on_talk)
