"""Texts of a file in Markdown: names and paths that must be shown as they are."""

from __future__ import annotations

import re

from app_pages.escaped import escape_markdown

__all__ = ["code", "escape_markdown", "in_card"]

_SIGNS = re.compile(r"[\\`*\[\]$<|~]|(?<![^\W_])_|_(?![^\W_])")
"""What Markdown would take for a mark; `_` within a word is none."""


def in_card(text: str) -> str:
    """Text on one line that a card's Markdown leaves as it is, and a person can still read in the deck."""
    return _SIGNS.sub(lambda found: f"\\{found[0]}", " ".join(text.split()))


def code(text: str) -> str:
    """Text as code within Markdown, on one line."""
    return f"`{' '.join(text.replace('`', chr(39)).split())}`"
