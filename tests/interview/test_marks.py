"""Ticks, the band that follows from them, and the rating that it suggests."""

from __future__ import annotations

import pytest

from engine.interview.marks import Band, Mark, Marks, suggested_rating


def marks(points: str, figures: str = "") -> Marks:
    """`c`overed, `p`artly, `m`issed, `-` not ticked; `r`ight, `w`rong, `0` missing."""
    names = {"c": "covered", "p": "partly", "m": "missed", "r": "right", "w": "wrong", "0": "missing"}
    return Marks(
        points=tuple(Mark(names.get(sign)) for sign in points),
        figures=tuple(Mark(names.get(sign)) for sign in figures),
    )


@pytest.mark.parametrize(
    ("points", "figures", "band"),
    [
        ("cccc", "", "strong"),
        ("cccc", "rr", "strong"),
        ("ccccc", "rrrrrrw", "solid"),  # a wrong figure is never strong
        ("cccp", "", "strong"),
        ("ccpm", "", "solid"),
        ("cmmp", "", "patchy"),
        ("mmmm", "", "weak"),
        ("mmmm", "rr", "weak"),
        ("cc", "00", "solid"),
        ("cc", "--", "strong"),  # figures that nobody can check don't count
        ("c-", "", None),
        ("", "", None),
    ],
)
def test_the_band_of_an_answer(points: str, figures: str, band: Band | None) -> None:
    assert marks(points, figures).band == band


def test_a_tick_more_never_lowers_the_band() -> None:
    order = {"weak": 0, "patchy": 1, "solid": 2, "strong": 3}
    for before in ("mmmm", "mmmp", "pppp", "cmmm", "ccmm", "cccm"):
        for place, sign in enumerate(before):
            better = before[:place] + {"m": "p", "p": "c", "c": "c"}[sign] + before[place + 1 :]
            assert order[marks(better).band or ""] >= order[marks(before).band or ""]


@pytest.mark.parametrize(
    ("band", "used_share", "hints", "rating"),
    [
        ("weak", 0.1, 0, 1),
        ("patchy", 0.1, 0, 2),
        ("solid", 0.1, 0, 3),
        ("strong", 0.9, 0, 3),
        ("strong", 0.7, 0, 4),
        ("strong", 0.5, 1, 2),
        ("weak", 0.5, 3, 1),
    ],
)
def test_the_rating_that_is_suggested(band: Band, used_share: float, hints: int, rating: int) -> None:
    assert suggested_rating(band, used_share=used_share, hints=hints) == rating


def test_a_tick_of_the_learners_is_kept_through_the_store_and_new_suggestions() -> None:
    ticked = marks("mm", "0").ticked("point", 1, "partly").ticked("follow_up", 0, "covered")
    kept = Marks.from_json(ticked.to_json())
    assert kept == ticked
    again = kept.suggested(marks("cc", "r"))
    assert [mark.tick for mark in again.points] == ["covered", "partly"]
    assert again.figures[0].tick == "right"
    assert again.follow_up.tick == "covered"


def test_what_the_store_holds_of_another_version_is_not_trusted() -> None:
    odd = Marks.from_json({"points": [{"tick": "splendid"}, {}], "figures": [{"tick": "covered"}]})
    assert [mark.tick for mark in (*odd.points, *odd.figures)] == [None, None, None]
