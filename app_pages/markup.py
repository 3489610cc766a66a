"""Card Markdown to HTML that is safe to show: no raw HTML, no images from elsewhere, harmless links.

CommonMark with tables, `$…$` and `$$…$$` as MathML, and fenced code coloured by Pygments (classes `tok-…`).
A picture is shown where it lies in the folder `pictures/` beside the deck (`engine.study.pictures`); it comes
as part of the HTML.
Two things differ for Chinese: a line break between two Chinese characters leaves no space, and `**…。**`
is emphasis also where a character follows at once.
"""

from __future__ import annotations

import html
import re
import unicodedata
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import tostring

from latex2mathml.converter import convert_to_element
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from engine.study import pictures

DECIMAL_COMMA = re.compile(r"(\d)\{,\}(\d)")


NOT_OF_A_FORMULA = frozenset({"href", "style", "class", "id"})
r"""Attributes that `\href`, `\style`, `\class` and the like would put into the page."""


def block(text: str, folder: Path | None = None) -> str:
    """Markdown of one or more paragraphs as HTML. `folder`: where the deck lies, for its pictures."""
    return str(_markdown().render(text, {"folder": folder}))


def deck_folder(file: str) -> Path | None:
    """Where the pictures of a card lie, by the deck file that it stands in; None where that isn't known."""
    return Path(file).parent if file else None


def inline(text: str) -> str:
    """Markdown of one line as HTML without a paragraph around it."""
    return str(_markdown().renderInline(text.strip()))


def plain(text: str) -> str:
    """What one line of Markdown says, without any mark: for titles that are spoken or written elsewhere."""
    tokens = _markdown().parseInline(text.strip())
    children = tokens[0].children or []
    return "".join(" " if token.type == "softbreak" else token.content for token in children).strip()


@cache
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False, "highlight": _code})
    markdown.enable(["table", "strikethrough"]).disable(["html_block", "html_inline"])
    markdown.use(
        dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False, double_inline=True
    )
    markdown.inline.ruler.at("emphasis", _emphasis)
    markdown.core.ruler.push("cjk_breaks", _join_lines)
    markdown.add_render_rule("link_open", _link)
    markdown.add_render_rule("image", _image)
    markdown.add_render_rule("math_inline", _math_inline)
    markdown.add_render_rule("math_inline_double", _math_block)
    markdown.add_render_rule("math_block", _math_block)
    return markdown


def _formula(source: str, *, display: bool) -> str:
    decimal = DECIMAL_COMMA.sub(r"\1\\text{,}\2", source.strip())  # `4{,}8`: without the space of a list
    try:
        return _mathml(decimal, display="block" if display else "inline")
    except Exception:  # noqa: BLE001 - the converter raises many types for a broken formula
        return f'<code class="formula">{html.escape(source.strip())}</code>'


def _mathml(source: str, *, display: str) -> str:
    r"""The formula as MathML that holds nothing but a formula.

    The converter's own text lets `\text{<img/src=x/onerror=…>}` through as a tag: it writes entities into its
    tree and takes the tree's escapes away at the end. Here the entities become signs and the escapes stay.
    """
    tree = convert_to_element(source, display=display)
    for part in tree.iter():
        part.text = html.unescape(part.text or "")
        for name in NOT_OF_A_FORMULA & part.attrib.keys():
            del part.attrib[name]
        for name, value in part.attrib.items():
            part.set(name, html.unescape(value))
    return tostring(tree, encoding="unicode", short_empty_elements=False)


def _math_inline(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return _formula(tokens[index].content, display=False)


def _math_block(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return _formula(tokens[index].content, display=True)


def _code(source: str, language: str, attributes: str) -> str:
    try:
        lexer = get_lexer_by_name(language) if language else None
    except ClassNotFound:
        lexer = None
    if lexer is None:
        return ""  # markdown-it escapes it
    return str(highlight(source, lexer, HtmlFormatter(nowrap=True, classprefix="tok-")))


def _link(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    token.attrSet("target", "_blank")
    token.attrSet("rel", "noopener noreferrer")
    return renderer.renderToken(tokens, index, options, env)


def _image(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """A picture of the deck's own as part of the page; of any other only its words and its address."""
    token = tokens[index]
    said, address = html.escape(token.content), str(token.attrGet("src") or "")
    found = _picture(env.get("folder"), address)
    if found is None:
        return f"{said} (<code>{html.escape(address)}</code>)"
    kind, content = found
    return f'<img src="data:{kind};base64,{b64encode(content).decode()}" alt="{said}">'


def _picture(folder: Path | None, address: str) -> tuple[str, bytes] | None:
    """Media type and bytes of a deck's picture; None where there is none of that name, or it is too large."""
    name = pictures.ADDRESS.fullmatch(address)
    content = None if folder is None or name is None else pictures.read(folder, name[1])
    return None if name is None or content is None else (pictures.type_of(name[1]), content)


def _is_chinese(character: str) -> bool:
    """Chinese characters, their punctuation and full-width forms."""
    return bool(character) and unicodedata.east_asian_width(character) in "WF"


def _join_lines(state: StateCore) -> None:
    """Drops the line break between two Chinese characters: a browser would draw a space."""
    for token in state.tokens:
        children = token.children or []
        for before, at, after in zip(children, children[1:], children[2:], strict=False):
            if at.type != "softbreak" or before.type != "text" or after.type != "text":
                continue
            if _is_chinese(before.content[-1:]) and _is_chinese(after.content[:1]):
                at.type, at.tag, at.content = "text", "", ""


def _emphasis(state: StateInline, silent: bool) -> bool:
    """The `*` and `_` of CommonMark, with Chinese neighbours counted as blanks beside a mark.

    CommonMark lets `**…。**` end only before a blank or punctuation, and Chinese has neither.
    """
    start = state.pos
    marker = state.src[start]
    if silent or marker not in "_*":
        return False
    scanned = state.scanDelims(start, marker == "*")
    can_open, can_close = scanned.can_open, scanned.can_close
    if marker == "*":
        before = state.src[start - 1 : start]
        after = state.src[start + scanned.length : start + scanned.length + 1]
        if _is_chinese(before) or _is_chinese(after):
            can_open = bool(after) and not after.isspace()
            can_close = bool(before) and not before.isspace()
    for _ in range(scanned.length):
        token = state.push("text", "", 0)
        token.content = marker
        state.delimiters.append(
            Delimiter(
                marker=ord(marker),
                length=scanned.length,
                token=len(state.tokens) - 1,
                end=-1,
                open=can_open,
                close=can_close,
            )
        )
    state.pos += scanned.length
    return True
