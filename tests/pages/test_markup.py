"""What card Markdown becomes."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

from app_pages.markup import block, inline, plain


def test_raw_html_is_shown_not_obeyed() -> None:
    assert "<script" not in block("<script>alert(1)</script>\n\na <b onclick='x()'>b</b>")
    assert "&lt;script&gt;" in block("<script>alert(1)</script>")


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/x"]
)
def test_a_link_that_runs_something_is_no_link(address: str) -> None:
    assert "<a" not in inline(f"[here]({address})")


def test_a_link_opens_outside_and_keeps_its_secrets() -> None:
    assert inline("[docs](https://example.org/a?b=1&c=2)") == (
        '<a href="https://example.org/a?b=1&amp;c=2" target="_blank" rel="noopener noreferrer">docs</a>'
    )


def test_an_image_from_elsewhere_is_not_fetched() -> None:
    assert "<img" not in block("![pixel](https://example.org/pixel.png)")


def test_a_formula_becomes_mathml() -> None:
    out = inline(r"$\frac{16\,\text{GB}}{3.35\,\text{TB/s}} \approx 4.8\,\text{ms}$")
    assert out.startswith("<math")
    assert "<mfrac>" in out
    assert 'display="block"' in block("$$\nMBU = \\frac{t_0}{t}\n$$")


def test_a_decimal_comma_has_no_space_after_it() -> None:
    assert "<mn>4</mn><mtext>,</mtext><mn>8</mn>" in inline("$4{,}8$")


@pytest.mark.parametrize("broken", [r"\frac{1}{", r"\left( x", r"x^", r"\begin{matrix} a"])
def test_a_broken_formula_shows_its_source(broken: str) -> None:
    out = inline(f"before ${broken}$ after")
    assert out.startswith("before ")
    assert out.endswith(" after")


@pytest.mark.parametrize(
    "formula",
    [
        r"\text{<img/src=x/onerror=alert(1)>}",
        r"\text{&lt;img/src=x/onerror=alert(1)&gt;}",
        r"\mbox{<svg/onload=alert(1)>}",
        r"\href{javascript:alert(1)}{x}",
        r"\style{position:fixed;inset:0}{x}",
        r"\class{card}{x}",
        r"\unicode{<script>}",
    ],
)
def test_a_formula_can_put_nothing_but_a_formula_into_the_page(formula: str) -> None:
    found: list[tuple[str, dict[str, str | None]]] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.append((tag, dict(attrs)))

    reader = Reader()
    reader.feed(inline(f"${formula}$"))
    reader.close()
    assert {tag for tag, _ in found} <= {"math", "mrow", "mstyle", "mtext", "mi", "mo", "mn"}
    assert not {"href", "style", "class", "onerror"} & {name for _, given in found for name in given}


def test_a_formula_still_says_what_it_compares() -> None:
    assert "<mo>&lt;</mo>" in inline("$a < b$")
    assert "<mtext>R&amp;D</mtext>" in inline(r"$\text{R&D}$")


def test_dollars_of_money_are_no_formula() -> None:
    assert inline("from $5 to $6 an hour") == "from $5 to $6 an hour"
    assert "<math" not in inline("costs 5$ or 6$")


def test_code_is_coloured_and_escaped() -> None:
    out = block("```python\nfor i in range(3):  # <b>\n    x = 'a'\n\n    y = 1\n```")
    assert '<span class="tok-k">for</span>' in out
    assert "&lt;b&gt;" in out
    assert out.count("<pre>") == 1, "a blank line must not end the code"


def test_code_of_an_unknown_language_is_plain() -> None:
    assert block("```nonsense\na < b\n```") == (
        '<pre><code class="language-nonsense">a &lt; b\n</code></pre>\n'
    )


def test_a_table_is_a_table() -> None:
    out = block("| a | b |\n| --- | ---: |\n| 1 | `x` |")
    assert "<table>" in out
    assert "<code>x</code>" in out


def test_a_line_break_between_chinese_characters_leaves_no_space() -> None:
    assert block("显存带宽是\n瓶颈。") == "<p>显存带宽是瓶颈。</p>\n"
    assert block("băng thông\nlà nút thắt") == "<p>băng thông\nlà nút thắt</p>\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**带宽(不是算力)**是瓶颈", "<strong>带宽(不是算力)</strong>是瓶颈"),
        ("这是**重点。**后面继续", "这是<strong>重点。</strong>后面继续"),
        ("用**“图”**一次提交", "用<strong>“图”</strong>一次提交"),
        ("đo **trước khi** sửa", "đo <strong>trước khi</strong> sửa"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("snake_case_name", "snake_case_name"),
    ],
)
def test_emphasis_also_beside_chinese(text: str, shown: str) -> None:
    assert inline(text) == shown


def test_plain_says_the_words_only() -> None:
    assert plain('"Cứ bật `torch.compile` là **xong**"') == '"Cứ bật torch.compile là xong"'


def test_a_picture_beside_the_deck_is_part_of_the_page(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "gap.svg").write_text("<svg/>")
    assert block("![A “gap”](pictures/gap.svg)", tmp_path) == (
        '<p><img src="data:image/svg+xml;base64,PHN2Zy8+" alt="A “gap”"></p>\n'
    )


@pytest.mark.parametrize(
    "address",
    [
        "pictures/absent.svg",
        "pictures/../deck.svg",
        "../deck.svg",
        "/etc/hostname.png",
        "pictures/large.png",
        "pictures/page.html",
        "https://example.org/x.svg",
    ],
)
def test_no_other_picture_is(address: str, tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "deck.svg").write_text("<svg/>")
    (tmp_path / "pictures" / "page.html").write_text("<svg/>")
    (tmp_path / "pictures" / "large.png").write_bytes(b"x" * (1024 * 1024 + 1))
    out = block(f"![words]({address})", tmp_path)
    assert "<img" not in out
    assert "words" in out
