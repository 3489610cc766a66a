"""Search finds a card by what a person types, however the text is encoded."""

from __future__ import annotations

import unicodedata

import pytest

from engine.study.card import Card, Library, Point, Source
from engine.study.search import fold, plain_markdown, plain_text
from engine.study.search.index import SearchIndex, search


def card(card_id: str, title: str, prompt: str, *, topics: tuple[str, ...] = ()) -> Card:
    return Card(
        id=card_id,
        deck="deck",
        kind="question",
        title=title,
        language="vi",
        prompt=prompt,
        answer=(Point("Điểm", "Nội dung"),),
        source=Source("Document", "Section"),
        topics=topics,
    )


CARDS = (
    card("floor", "Đường sàn của decode", "Một bước đọc mọi trọng số qua băng thông."),
    card("shared", "共享内存", "每个 SM 有多少共享内存？", topics=("shared-memory",)),
    card("mbu", "MBU là gì?", "Đường ống bộ nhớ: $\\frac{t_{floor}}{t}$, xem `torch.compile`."),
    card("full", "ＭＢＵ 宽度", "decode 的带宽"),
    card("fusion", "Fusion", "Ba phép elementwise trên bf16, đo bằng ncu"),
)
LIBRARY = Library(by_id={c.id: c for c in CARDS})


def ids(query: str) -> list[str]:
    return [found.id for found in search(LIBRARY, query)]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("query", ["đường sàn", "duong san", "ĐƯỜNG SÀN", "Duong Sàn"])
def test_vietnamese_is_found_with_and_without_diacritics_in_either_form(query: str, form: str) -> None:
    assert ids(unicodedata.normalize("NFD" if form == "NFD" else "NFC", query))[0] == "floor"


def test_text_stored_decomposed_is_found() -> None:
    decomposed = card("nfd", unicodedata.normalize("NFD", "Đường băng"), "x")
    assert search(Library(by_id={"nfd": decomposed}), "đường băng") == [decomposed]
    assert search(Library(by_id={"nfd": decomposed}), "duong bang") == [decomposed]


def test_a_chinese_word_is_found_inside_another() -> None:
    assert ids("内存") == ["shared"]
    assert ids("带宽") == ["full"]


def test_full_width_letters_are_plain_letters() -> None:
    assert set(ids("mbu")) == {"mbu", "full"}
    assert set(ids("ｍｂｕ")) == {"mbu", "full"}


def test_all_words_must_be_found() -> None:
    assert ids("fusion ncu") == ["fusion"]
    assert ids("fusion nsys") == []


def test_a_word_in_the_title_ranks_before_one_in_the_text() -> None:
    assert ids("đường") == ["floor", "mbu"]
    assert ids("decode") == ["floor", "full"]


def test_diacritics_as_typed_rank_first() -> None:
    plain, accented = card("plain", "Duong", "x"), card("accented", "Đường", "x")
    library = Library(by_id={"plain": plain, "accented": accented})
    assert search(library, "đường") == [accented, plain]
    assert search(library, "duong") == [plain, accented]


def test_ids_topics_and_code_are_found() -> None:
    assert ids("shared-memory") == ["shared"]
    assert ids("torch.compile") == ["mbu"]
    assert ids("(bf16,") == ["fusion"]


def test_an_empty_query_shows_every_card_in_order() -> None:
    assert ids("  ") == [c.id for c in CARDS]


@pytest.mark.parametrize("query", ["%", "_", "\\", "*", "[", "(", '"', "'", "\x00", "a" * 10_000])
def test_signs_are_searched_for_as_they_are(query: str) -> None:
    assert set(ids(query)) <= {c.id for c in CARDS}


def test_a_new_library_is_searched_anew() -> None:
    assert ids("fusion") == ["fusion"]
    assert search(Library(by_id={"mbu": CARDS[2]}), "fusion") == []
    assert ids("fusion") == ["fusion"]


def test_an_index_can_be_kept_by_the_caller() -> None:
    assert [found.id for found in SearchIndex(LIBRARY).find("ncu")] == ["fusion"]


def test_preparing_many_texts_goes_on_where_it_was_left() -> None:
    many = [card(f"card-{n}", f"Thẻ {n}", "Đường băng" if n % 2 else "Bộ nhớ") for n in range(4100)]
    index = SearchIndex(Library(by_id={each.id: each for each in many}))
    seen: list[tuple[int, int]] = []

    def left(done: int, total: int) -> None:
        seen.append((done, total))
        raise InterruptedError

    with pytest.raises(InterruptedError):
        index.prepare(left)
    assert not index.is_prepared
    index.prepare(lambda done, total: seen.append((done, total)))
    assert seen == [(2000, 4100), (4000, 4100), (4100, 4100)]
    assert len(index.find("duong")) == 2050
    assert [each.id for each in index.find("the 4099 duong")] == ["card-4099"]


def test_folding_keeps_chinese_and_formula_signs() -> None:
    assert fold("  Độ  TRỄ × 2 共享 ") == "do tre × 2 共享"


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ("**MBU** is `floor / time`", "MBU is floor / time"),
        ("```python\nx_1 = 2 * 3 * y\n```", "x_1 = 2 * 3 * y"),
        ("| a | b |\n|---|:--|\n| 1 | 2 |", "a b 1 2"),
        ("# Title\n\n- one\n- two\n1. three", "Title one two three"),
        ("see [the docs](https://example.org/a_b)", "see the docs"),
        ("$$\\frac{\\text{bytes}}{t}$$", "frac bytes t"),
        ("mbu_floor and __init__ stay", "mbu_floor and init stay"),
    ],
)
def test_plain_text_has_no_markup_and_loses_no_word(markdown: str, plain: str) -> None:
    assert plain_markdown(markdown) == plain


def test_the_plain_text_of_a_card_holds_all_it_says() -> None:
    text = plain_text(CARDS[0])
    for part in ("Đường sàn của decode", "Một bước", "Điểm", "Nội dung"):
        assert part in text
