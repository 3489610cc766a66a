"""Text of others within Streamlit's Markdown."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from app_pages.escaped import escape_markdown


@pytest.mark.parametrize(
    "text",
    [
        "![x](https://example.org/x.png)",
        "<img src=x>",
        "**b** _i_ `c`",
        "[a](b)",
        "# head",
        "1. one",
        "| a |",
    ],
)
def test_what_markdown_would_take_for_a_mark_is_shown_as_it_was_typed(text: str) -> None:
    (paragraph,) = MarkdownIt("commonmark").enable("table").parseInline(escape_markdown(text))
    shown = "".join(token.content for token in paragraph.children or ())
    assert shown == text
    assert {token.type for token in paragraph.children or ()} <= {"text", "text_special"}


@pytest.mark.parametrize("text", [":red[x]", ":material/home:", "$x$", "~~x~~", "^[note]"])
def test_no_directive_emoji_or_formula_of_streamlits_is_left(text: str) -> None:
    shown = escape_markdown(text)
    assert all(shown[at - 1] == "\\" for at, sign in enumerate(shown) if sign in ":$~^")
