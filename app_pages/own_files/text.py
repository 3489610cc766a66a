"""Texts of a file in Markdown: names and paths that must be shown as they are."""

from __future__ import annotations


def escape_markdown(text: str) -> str:
    """Text that Markdown leaves as it is."""
    return "".join(f"\\{sign}" if sign in "\\`*_[]$:#<>~" else sign for sign in text)


def code(text: str) -> str:
    """Text as code within Markdown, on one line."""
    return f"`{' '.join(text.replace('`', chr(39)).split())}`"
