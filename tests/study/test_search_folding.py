"""Texts folded by the thousand are what each is folded to alone, and their words say what they hold."""

from __future__ import annotations

import re
import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from engine.study.search.folding import END, folded, folded_lines
from engine.study.search.text import FIELD_END, fold
from engine.study.search.words import Words

LETTERS = st.text("ab ă Đ\u0302內存…½\u00a0ＭßΣ-", max_size=12)
FIELDS = st.lists(LETTERS, min_size=1, max_size=4)


def test_every_character_is_folded_as_it_is_alone() -> None:
    every = [chr(code) for code in range(3, sys.maxunicode + 1) if unicodedata.category(chr(code)) != "Cs"]
    wrong = [hex(ord(one)) for one, of in zip(every, folded(every), strict=True) if of != fold(one)]
    assert wrong == []


@given(st.lists(LETTERS, max_size=6))
def test_texts_folded_together_are_what_each_is_folded_to(texts: list[str]) -> None:
    assert folded(texts) == [fold(text) for text in texts]
    assert folded([unicodedata.normalize("NFD", text) for text in texts]) == [fold(text) for text in texts]


@given(
    st.lists(FIELDS, min_size=1, max_size=5),
    st.lists(FIELDS, max_size=3),
    st.text("abd 內.", min_size=1, max_size=4),
    st.sampled_from(([], ["d. 內a" * 3 + " b 內" * 60])),
)
def test_words_in_their_order_say_which_texts_hold_a_piece(
    some: list[list[str]], more: list[list[str]], typed: str, long: list[str]
) -> None:
    piece = re.sub(" +", " ", typed)
    words, texts = Words(end=END, apart=FIELD_END), []
    for each in filter(None, (some, more)):
        line = folded_lines([f" {FIELD_END} ".join(fields) for fields in ([*few, *long] for few in each)])
        texts += line.split(END)
        words.add([*line.split(), END])
    words.close()
    assert words.holding(piece).tolist() == [piece in text for text in texts]
    for field in range(2) if piece.strip() else ():  # a space is in every field, empty or not
        here = [text.split(FIELD_END)[field : field + 1] for text in texts]
        assert words.holding(piece, (field,)).tolist() == [any(piece in text for text in of) for of in here]
    whole = re.compile(rf"(?<!\w){re.escape(piece)}(?!\w)")
    if " " not in piece:
        assert words.matching(whole, piece).tolist() == [whole.search(text) is not None for text in texts]
    filled = [any(each.strip() for each in text.split(FIELD_END)[:1]) for text in texts]
    assert words.filled[:, 0].tolist() == filled
