"""The component that asks and reviews: countdown, notes, ticks; it keeps what is typed until it is on disk.

`front/` holds its parts in plain JavaScript, put together here with those of the review card that both use
(`el`, `html`, `fill`, the keys' helpers, the style of a card); `main.js` comes last.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from app_pages.review_card import FRONT as CARD_FRONT

FRONT = Path(__file__).parent / "front"
SHARED = ("stopwatch", "keys", "face")
SCRIPTS = (
    "server_clock",
    "drafts",
    "post",
    "room_keys",
    "recorder",
    "field_guard",
    "ask_screen",
    "asking",
    "marking",
    "room",
    "main",
)


def _read(folder: Path, name: str) -> str:
    return (folder / name).read_text(encoding="utf-8")


_mount = st.components.v2.component(
    "benchcards.interview_room",
    html=_read(FRONT, "room.html"),
    css=_read(CARD_FRONT, "card.css") + _read(FRONT, "room.css"),
    js="\n".join(
        [
            *(_read(CARD_FRONT, f"{name}.js") for name in SHARED),
            *(_read(FRONT, f"{name}.js") for name in SCRIPTS),
        ]
    ),
)


def interview_room(*, key: str, data: dict[str, Any], on_talk: Callable[[], None]) -> None:
    """Mounts the component. What it says stands in `st.session_state[key]["talk"]`, see `Talk.read`."""
    _mount(key=key, data=json.dumps(data, ensure_ascii=False).encode(), on_talk_change=on_talk)
