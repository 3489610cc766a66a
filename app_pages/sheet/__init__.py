"""Shows HTML that the pages made themselves, in the app's colours and fonts: tables of evidence, cards.

Two components: `sheet` for a fragment of HTML, `card_sheet` for a card with its answer open, built by the
same script and style as on the review page.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from app_pages.review_card import FRONT

HERE = Path(__file__).parent
STYLES = (HERE / "sheet.css", HERE / "claims.css", HERE / "files.css")


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


_sheet = st.components.v2.component(
    "benchcards.sheet",
    html='<div class="sheet" data-part="sheet"></div>',
    css="".join(map(_text, (*STYLES, FRONT / "curve.css"))),
    js=_text(HERE / "sheet.js"),
)
_card = st.components.v2.component(
    "benchcards.card_sheet",
    html='<div class="bench" data-part="sheet"></div>',
    css=_text(FRONT / "card.css"),
    js="\n".join((_text(FRONT / "face.js"), _text(HERE / "card.js"))),
)


def sheet(html: str, *, key: str) -> None:
    """Shows `html`. Every text in it must have been escaped by whoever made it."""
    _sheet(key=key, data={"html": html})


def card_sheet(face: dict[str, Any], words: dict[str, str], *, key: str) -> None:
    """Shows a card's face (`review_card.faces.render`) with its answer open."""
    _card(key=key, data={"face": face, "words": words})
