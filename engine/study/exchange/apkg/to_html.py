"""A card as the HTML that Anki shows: Markdown with tables, code, and formulas for Anki's MathJax."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from engine.study.card import Card
from engine.study.pictures import ADDRESS

FRONT = "{{Front}}"
BACK = '{{FrontSide}}<hr id="answer">{{Back}}'
STYLE = """\
.card { font: 18px/1.5 system-ui, sans-serif; max-width: 44em; margin: 0 auto; padding: 0 1em; }
.title { font-size: 1.15em; font-weight: 600; margin: 0 0 .6em; }
.point { font-weight: 600; margin: 1em 0 .2em; }
pre { overflow-x: auto; padding: .6em .8em; border: 1px solid #8884; border-radius: 6px; }
img { max-width: 100%; }
table { border-collapse: collapse; } th, td { border: 1px solid #8886; padding: .2em .6em; }
.source { opacity: .7; font-size: .85em; margin-top: 1.5em; }
"""
HEADINGS = {
    "vi": ("Số cần nhớ", "Hỏi tiếp", "Dễ sai"),
    "zh": ("关键数字", "追问", "易错点"),
    "en": ("Key figures", "Follow-ups", "Pitfall"),
}


Pictures = Mapping[str, str]
"""By the name of a picture beside the deck, what Anki's folder of media calls it."""
NO_PICTURES: Pictures = MappingProxyType({})


def front(card: Card, pictures: Pictures = NO_PICTURES) -> str:
    """Title and prompt."""
    return f'<div class="title">{_inline(card.title)}</div>{_block(card.prompt, pictures)}'


def back(card: Card, pictures: Pictures = NO_PICTURES) -> str:
    """The answer, point by point, with all that a card shows below it, and where it comes from."""
    figures, follow_ups, pitfall = HEADINGS[card.language]
    parts = [
        f'<div class="point">{_inline(point.heading)}</div>{_block(point.text, pictures)}'
        for point in card.answer
    ]
    if card.key_figures:
        items = "".join(f"<li>{_inline(figure)}</li>" for figure in card.key_figures)
        parts.append(f'<div class="point">{figures}</div><ul>{items}</ul>')
    if card.follow_ups:
        asked = "".join(
            f"<dt>{_inline(each.prompt, pictures)}</dt><dd>{_block(each.answer, pictures)}</dd>"
            for each in card.follow_ups
        )
        parts.append(f'<div class="point">{follow_ups}</div><dl>{asked}</dl>')
    if card.pitfall:
        parts.append(f'<div class="point">{pitfall}</div>{_block(card.pitfall, pictures)}')
    source = " · ".join(text for text in (card.source.document, card.source.section) if text)
    parts.append(f'<div class="source">{html.escape(source)}</div>')
    return "".join(parts)


def _block(text: str, pictures: Pictures) -> str:
    return str(_markdown().render(text, {"pictures": pictures})).strip()


def _inline(text: str, pictures: Pictures = NO_PICTURES) -> str:
    return str(_markdown().renderInline(text.strip(), {"pictures": pictures}))


@cache
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False})
    markdown.enable(["table", "strikethrough"]).disable(["html_block", "html_inline"])
    markdown.use(
        dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False, double_inline=True
    )
    markdown.add_render_rule("image", _image)
    markdown.add_render_rule("math_inline", _in_line)
    markdown.add_render_rule("math_inline_double", _on_its_own)
    markdown.add_render_rule("math_block", _on_its_own)
    return markdown


def _image(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """A picture that goes along; of any other its words and its address."""
    said, address = html.escape(tokens[index].content), str(tokens[index].attrGet("src") or "")
    known = ADDRESS.fullmatch(address)
    name = None if known is None else env["pictures"].get(known[1])
    if name is None:
        return f"{said} (<code>{html.escape(address)}</code>)"
    return f'<img src="{html.escape(name)}" alt="{said}">'


def _in_line(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return rf"\({html.escape(tokens[index].content.strip(), quote=False)}\)"


def _on_its_own(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return rf"\[{html.escape(tokens[index].content.strip(), quote=False)}\]"
