"""Notes become cards once: a second time changes nothing, a changed note changes its card alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.study.card import Card, Library
from engine.study.library import load_library, own_decks_folder
from engine.study.notes.bring_in import NotesReport, parse_notes, plan_notes, write_notes
from engine.study.notes.html_text import as_markdown
from engine.study.notes.note import NotesFault

MARKDOWN = """\
---
deck: my-notes
document: Lecture 7
---
# Ghi chú của tôi

Not a card: nothing stands above it.

## Sàn của một bước decode là gì?
Topics: MBU, Bộ nhớ
Với Llama 3 8B trên H100.

### Byte ÷ băng thông
Mọi trọng số được đọc một lần.

```python
# not a heading

x = 1
```

### Con số chính
- 16 GB ÷ 3,35 TB/s = 4,8 ms
- MBU = sàn ÷ đo

### Lỗi hay mắc
Quên embedding.

## What is MBU? {#mbu-card}
Floor over measured time.

## 共享内存是什么？
先想再看。
---
片上的存储。
"""

ANKI = """\
#separator:tab
#html:true
#guid column:1
#tags column:4
a1B2\tWhat is <b>MBU</b>?\t"<div>Floor ÷ time</div><ul><li>bytes</li><li>""bandwidth""</li></ul>"\tgpu mbu
c3D4\tCode&nbsp;?\t"<pre>if a:\n\n    b</pre><img src=""x.png"">"\t
"""


class Home:
    """A learner's folder of decks beside the project's, which is empty."""

    def __init__(self, folder: Path) -> None:
        self.own = own_decks_folder(folder)

    @property
    def library(self) -> Library:
        return load_library([self.own], lab_names=None, cache=None, own=self.own)

    def bring(
        self, text: str, name: str = "my notes.md", *, dry: bool = False, deck: str | None = None
    ) -> NotesReport:
        notes = parse_notes(text.encode("utf-8"), name)
        plan = plan_notes(notes, name, own=self.own, library=self.library, lab_names=None, deck=deck)
        if not dry:
            write_notes(plan, self.library, lab_names=None)
        return plan.report

    def cards(self) -> list[Card]:
        assert not self.library.faults
        return list(self.library.by_id.values())


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_markdown_becomes_cards_with_points_figures_and_pitfall(home: Home) -> None:
    report = home.bring(MARKDOWN)
    assert (len(report.new), report.makes_deck, report.deck) == (3, True, "my-notes")
    floor, mbu, shared = home.cards()
    assert floor.title == "Sàn của một bước decode là gì?"
    assert floor.prompt == "Với Llama 3 8B trên H100."
    assert [point.heading for point in floor.answer] == ["Byte ÷ băng thông"]
    assert floor.answer[0].text.endswith("```python\n# not a heading\n\nx = 1\n```")
    assert floor.key_figures == ("16 GB ÷ 3,35 TB/s = 4,8 ms", "MBU = sàn ÷ đo")
    assert floor.pitfall == "Quên embedding."
    assert (floor.topics, floor.source.document) == (("mbu", "bo-nho"), "Lecture 7")
    assert (mbu.id, mbu.prompt, mbu.answer[0].text) == (
        "mbu-card",
        "What is MBU?",
        "Floor over measured time.",
    )
    assert (shared.prompt, shared.answer[0].text) == ("先想再看。", "片上的存储。")
    assert (home.library.decks[0].title, home.library.decks[0].language) == ("Ghi chú của tôi", "vi")


def test_a_second_time_changes_nothing_and_a_dry_run_writes_nothing(home: Home) -> None:
    assert home.bring(MARKDOWN, dry=True).changes
    assert not home.own.exists()
    home.bring(MARKDOWN)
    before = (home.own / "my-notes.yaml").read_bytes()
    report = home.bring(MARKDOWN)
    assert (report.changes, len(report.same)) == (False, 3)
    assert (home.own / "my-notes.yaml").read_bytes() == before


def test_spaces_on_blank_lines_change_no_card_and_keep_none_from_changing(home: Home) -> None:
    """Notes with an indented blank line, as editors leave them, ended in a traceback the second time."""
    text = "## Vòng lặp\n```python\nfor i in x:\n    a(i)\n    \n    b(i)\n```\n   \nHết.\n"
    home.bring(text)
    assert not home.bring(text).changes
    assert home.bring(text.replace("Hết", "Xong")).changed == ("Vòng lặp",)
    (card,) = home.library.by_id.values()
    assert card.answer[0].text.splitlines() == [
        *("```python", "for i in x:", "    a(i)", "", "    b(i)", "```", "", "Xong.")
    ]


def test_a_mended_title_or_answer_keeps_the_cards_id_and_what_was_added_to_it(home: Home) -> None:
    home.bring(MARKDOWN)
    path = home.own / "my-notes.yaml"
    path.write_text(path.read_text(encoding="utf-8") + "    labs: [fusion]  # mine\n", encoding="utf-8")
    ids = [card.id for card in home.cards()]
    mended = MARKDOWN.replace("共享内存是什么？", "共享内存（shared memory）是什么？").replace(
        "Floor over", "The floor over"
    )
    report = home.bring(mended)
    assert (len(report.new), len(report.changed), len(report.same)) == (0, 2, 1)
    assert [card.id for card in home.cards()] == ids
    assert home.cards()[2].title == "共享内存（shared memory）是什么？"
    assert home.cards()[1].answer[0].text.startswith("The floor")
    assert path.read_text(encoding="utf-8").endswith("    labs: [fusion]  # mine\n")


def test_ankis_plain_text_becomes_cards_known_by_their_guid(home: Home) -> None:
    report = home.bring(ANKI, "export.txt", deck="from-anki")
    assert report.left_out == ("pictures and sounds: 1",)
    mbu, code = home.cards()
    assert (mbu.id, mbu.prompt, mbu.topics) == ("a1b2", "What is **MBU**?", ("gpu", "mbu"))
    assert mbu.answer[0].text == 'Floor ÷ time\n\n- bytes\n- "bandwidth"'
    assert code.answer[0].text == "```\nif a:\n\n    b\n```"
    changed = ANKI.replace("What is <b>MBU</b>?", "MBU: what is it?")
    assert home.bring(changed, "export.txt", deck="from-anki").changed == ("MBU: what is it?",)
    assert home.cards()[0].id == "a1b2"


@pytest.mark.parametrize(
    "text",
    [
        "front\tback\nQ1\tA1\nQ2\tA2\n",
        "Q1\tA1\n\nQ2\tA2\ttag",
        "背面\t正面\nA1\tQ1\nA2\tQ2",
        "\ufeffQ1\tA1\r\nQ2\tA2\r\n",
    ],
)
def test_a_plain_table_is_read_with_or_without_names_of_columns(home: Home, text: str) -> None:
    home.bring(text, "two.tsv")
    assert [(card.prompt, card.answer[0].text) for card in home.cards()] == [("Q1", "A1"), ("Q2", "A2")]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("n.md", "no card here", "n.md:1: holds no card"),
        ("n.md", "# T\n\n## Q\n\n## R\nanswer\n", "n.md:3: “Q” has no answer"),
        ("n.md", "---\ndeck: x\nauthor: me\n---\n## Q\nA", "n.md:3: isn't known here"),
        ("n.md", "---\nlanguage: fr\n---\n## Q\nA", "must be vi, zh or en"),
        ("n.md", "---\ndeck: x\n", "a head that never ends"),
        ("n.md", f"## Q\nA\n\n## {'x' * 500}\nB", "n.md:4: title: is longer than the 400"),
        ("n.tsv", "Q1\tA1\nQ2\n", "n.tsv:2: has no back"),
        ("n.tsv", 'Q1\t"A1\nQ2\tA2', "isn't a table of notes"),
        ("n.tsv", "", "holds no note"),
    ],
)  # fmt: skip
def test_what_no_card_can_be_made_of_is_told_by_its_line_and_nothing_is_written(
    home: Home, name: str, text: str, message: str
) -> None:
    with pytest.raises(NotesFault) as fault:
        home.bring(text, name)
    assert message in str(fault.value)
    assert not home.own.exists()


def test_bytes_that_are_no_text_are_told(home: Home) -> None:
    with pytest.raises(NotesFault, match="isn't UTF-8 text"):
        parse_notes("Vũ".encode("utf-16"), "n.md")
    with pytest.raises(NotesFault, match="isn't UTF-8 text"):
        parse_notes("## Vũ\nđ".encode("cp1258", "replace") + b"\xff", "n.md")


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("a<br>b", "a\nb"),
        ("<p>a</p><p>b</p>", "a\n\nb"),
        ("<ol><li>a<li>b</ol>", "1. a\n2. b"),
        ("<i>a</i> &lt;b&gt; &amp;amp;", "*a* <b> &amp;"),
        ("<script>alert(1)</script>x[sound:a.mp3]", "x"),
        ("<code>a_b</code>", "`a_b`"),
    ],
)
def test_html_becomes_markdown(html: str, expected: str) -> None:
    assert as_markdown(html)[0] == expected
