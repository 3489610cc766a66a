"""Text of decks, files and people within Streamlit's Markdown, which has pictures, directives and emoji."""

from __future__ import annotations

_SIGNS = frozenset("\\`*_{}[]()#+-.!|<>$~:^")


def escape_markdown(text: str) -> str:
    """Text that Streamlit's Markdown shows as it was typed: it fetches no picture and makes no link."""
    return "".join(f"\\{sign}" if sign in _SIGNS else sign for sign in text)
