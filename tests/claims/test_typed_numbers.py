"""Numbers as people type them, in three languages."""

from __future__ import annotations

import random
import unicodedata
from pathlib import Path
from typing import Literal

import pytest

from engine.claims.typed_numbers import TypedNumberError, numbers, predicted
from engine.claims.units import unit

NOTATIONS = [
    line.split("|")
    for line in Path(__file__).with_name("typed_notations.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


def test_the_table_holds_more_than_two_hundred_notations_of_three_languages() -> None:
    languages = [row[0] for row in NOTATIONS]
    assert len(NOTATIONS) >= 200
    assert min(languages.count(language) for language in ("en", "vi", "zh")) >= 60
    assert len({(row[0], row[1]) for row in NOTATIONS}) == len(NOTATIONS)


@pytest.mark.parametrize(
    ("language", "typed", "low", "high", "name", "also"), NOTATIONS, ids=lambda text: text
)
def test_a_notation_is_read(language: str, typed: str, low: str, high: str, name: str, also: str) -> None:
    found = predicted(typed, language)
    assert [found.low, found.high] == pytest.approx([float(low), float(high)])
    assert found.unit == name
    unit(found.unit)  # the units' own registry knows it
    said = {
        word
        for word, holds in (
            ("approx", found.approx),
            ("either", found.either),
            ("from_to", found.from_to),
            (found.bound, bool(found.bound)),
        )
        if holds
    }
    assert said == set(also.split())


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "vi",
            "16 GB ÷ 3,35 TB/s ≈ 4,8 ms, MBU 4,8 ÷ 25 ≈ 19%; từ 25,5 lên 107 token/s, 17% lên 72%.",
            [
                *[(16, "GB"), (3.35, "TB/s"), (4.8, "ms"), (4.8, ""), (25, ""), (19, "percent")],
                *[(25.5, ""), (107, "token/s"), (17, "percent"), (72, "percent")],
            ],
        ),
        ("en", "Llama 3 8B on one H100 in bf16, int8 at 157 tok/s on Day 11", [(157, "token/s")]),
        ("en", "transformers 5.17.0 and torch 2.11, RTX 4090, A100 80GB", [(80, "GB")]),
        ("zh", "Day 11 里 TinyLlama-1.1B 的 350 个 × 40 µs ≈ 14 ms", [(350, ""), (40, "us"), (14, "ms")]),
        ("zh", "第 6 小时，60 GB；一个 kernel，第一步，两倍", [(60, "GB"), (2, "×")]),
        ("vi", "giờ thứ 6, một kernel, Bài 57: bốn tensor 4096 × 4096", [(4096, ""), (4096, "")]),
        ("en", "one op reads it and one writes it: 6 transfers become 2", [(6, ""), (2, "")]),
        ("en", "1. the floor is 4.8 ms\n2) MBU 19 %", [(4.8, "ms"), (19, "percent")]),
        ("en", r"$989\ \text{TFLOPS} \div 3{,}35$", [(989, ""), (3.35, "")]),
    ],
)
def test_numbers_are_found_in_a_sentence_and_names_are_passed_over(
    language: str, text: str, expected: list[tuple[float, str]]
) -> None:
    assert [(found.value, found.unit) for found in numbers(text, language)] == expected


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_span_is_of_the_text_as_typed_however_its_accents_are_composed(form: Literal["NFC", "NFD"]) -> None:
    text = unicodedata.normalize(form, "Dưới trần đo được, khoảng năm mili giây, tức ５ ms.")
    spelt, digits = numbers(text, "vi")
    assert unicodedata.normalize("NFC", text[spelt.start : spelt.end]) == "năm mili giây"
    assert text[digits.start : digits.end] == "５ ms"


@pytest.mark.parametrize(
    ("language", "text", "value"),
    [
        ("en", "2.048 s", 2.048),
        ("en", "2,048 tokens", 2048),
        ("vi", "2.048 token", 2048),
        ("vi", "2,048 s", 2.048),
        ("vi", "2.048 s", 2048),
        ("zh", "2.048 s", 2.048),
    ],
)
def test_a_separator_that_says_nothing_is_read_as_the_language_does(
    language: str, text: str, value: float
) -> None:
    found = predicted(text, language)
    assert (found.value, found.either) == (value, True)


def test_a_clear_number_of_the_same_text_outvotes_the_language() -> None:
    assert [found.value for found in numbers("4.8 ms at 2.039 TB/s", "vi")] == [4.8, 2.039]
    assert [found.value for found in numbers("4,8 ms, 2,039 TB/s", "en")] == [4.8, 2.039]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty"),
        ("  ", "empty"),
        ("no idea", "no_number"),
        ("H100", "no_number"),
        ("5.17.0", "no_number"),
        ("2026-11-29", "no_number"),
        ("5 ms, maybe 6 ms", "several_numbers"),
        ("1e999", "too_large"),
        ("9^99999999", "several_numbers"),
    ],
)
def test_what_is_no_single_number_says_why(text: str, code: str) -> None:
    with pytest.raises(TypedNumberError) as caught:
        predicted(text, "en")
    assert caught.value.code == code


def test_no_text_is_too_odd_to_read() -> None:
    parts = [
        *"0123456789.,-~ ×xeE^µmsKB/%万千百三十成±²'_\u0301\u00a0",
        "分之",
        "百分之",
        "lần",
        " to ",
        "từ ",
        "到",
        "k",
        "hai",
    ]
    chance = random.Random(11)
    for _ in range(4000):
        text = "".join(chance.choices(parts, k=chance.randint(1, 14)))
        for language in ("en", "vi", "zh"):
            place = 0
            for found in numbers(text, language):
                assert place <= found.start < found.end <= len(text), text
                assert found.low <= found.high, text
                unit(found.unit)
                place = found.end
