"""Anki's HTML becomes Markdown that says the same, and a card's Markdown becomes HTML that Anki draws."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.study.card import FollowUp
from engine.study.exchange.apkg.from_html import markdown_of
from engine.study.exchange.apkg.to_html import back, front
from engine.study.notes.html_text import as_markdown
from tests.study.a_learner import a_card


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("a<br>b<div>c</div>d", "a\nb\nc\nd"),
        ("<p>one</p><p>two</p>", "one\n\ntwo"),
        ("<b>bold</b> and <i>slanted</i>", "**bold** and *slanted*"),
        ("a &lt; b &amp;&nbsp;c", "a < b & c"),
        ("2 * 3 costs $5", r"2 \* 3 costs \$5"),
        (r"\(a_1 &lt; b\) and \[x^2\]", "$a_1 < b$ and $$x^2$$"),
        ("[latex]x[/latex] [$]y[/$] [$$]z[/$$]", "$x$ $y$ $$z$$"),
        ("<code>a*b</code>", "`a*b`"),
        ("<pre>x\n  y*z</pre>", "```\nx\n  y*z\n```"),
        ("<ol><li>one</li><li>two</li></ol>", "1. one\n2. two"),
        ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n   - b\n- c"),
        (
            "<table><tr><th>a<th>b</tr><tr><td>1|2<td>3<br>4</tr></table>",
            "| a | b |\n| --- | --- |\n| 1\\|2 | 3 4 |",
        ),
        ("<script>alert(1)</script><style>b{}</style>seen", "seen"),
        ("<h2>Title</h2>text", "## Title\n\ntext"),
    ],
)
def test_html_as_markdown(html: str, markdown: str) -> None:
    assert markdown_of(html).text == markdown


def test_pictures_and_sounds_are_named_and_counted() -> None:
    found = markdown_of('<img src="a/b.png"> [sound:c.mp3]')
    assert (found.text, found.media) == ("[picture: b.png] [sound: c.mp3]", 2)


def test_pictures_that_came_along_are_shown() -> None:
    pictures = {"a b.png": "pictures/anki-1.png"}
    found = markdown_of("<table><tr><td><img src='a%20b.png' alt=' x | y '></td></tr></table>", pictures)
    assert (found.text, found.media) == ("| ![x y](pictures/anki-1.png) |\n| --- |", 0)
    assert markdown_of("<code><img src='a b.png'></code>", pictures).media == 1


def test_a_cards_pictures_are_named_as_anki_has_them_and_no_other_is_shown() -> None:
    card = replace(a_card("one"), prompt='![a "b"](pictures/x.png) ![c](https://example.org/y.png)')
    html = front(card, {"x.png": "benchcards-1.png"})
    assert '<img src="benchcards-1.png" alt="a &quot;b&quot;">' in html
    assert "c (<code>https://example.org/y.png</code>)" in html
    assert "<img" not in front(card)


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("<>/abtdrulpie \"'=&;\n*`$[]()\\"), max_size=60))
def test_any_html_is_read(html: str) -> None:
    markdown_of(html)


@pytest.mark.parametrize("sign", ["\\(", "\\[", "[latex]", "[$]", "[$$]", "[sound:", "<!--", "\\(x[latex]"])
def test_a_note_of_signs_that_only_begin_is_read_in_one_go(sign: str) -> None:
    """Each one looked for its end in all that follows: a note of a megabyte took hours."""
    assert markdown_of(sign * 100_000).media == 0
    assert as_markdown(sign * 10_000)[1] == 0


def test_the_nearest_sign_begins_a_formula() -> None:
    assert markdown_of("2 \\( and \\(x_1\\)").text.endswith("and $x_1$")
    assert markdown_of("a<!-- \\(b\\) -->c<!-- rest").text == "ac"


def test_a_card_as_anki_shows_it() -> None:
    card = replace(
        a_card("one"),
        title="`MBU` **now**",
        prompt="| a |\n|---|\n| $\\frac{1}{2} < 1$ |\n\n```python\nx = 1\n```\n<script>",
        key_figures=("16 GB",),
        follow_ups=(FollowUp("And?", "$$y$$"),),
        pitfall="None",
        language="zh",
    )
    assert "<code>MBU</code> <strong>now</strong>" in front(card)
    assert r"<td>\(\frac{1}{2} &lt; 1\)</td>" in front(card)
    assert "&lt;script&gt;" in front(card)
    for part in ("关键数字", "16 GB", "追问", r"\[y\]", "易错点", "document · section"):
        assert part in back(card)
