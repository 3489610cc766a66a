"""Which files cards may show."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.study.pictures import LARGEST, NAME, kind_of, names_of, read, type_of
from tests.study.a_learner import a_card


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n...", "png"),
        (b"\xff\xd8\xff\xe0", "jpg"),
        (b"GIF89a", "gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "webp"),
        (b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- a -->\n<svg xmlns='x'></svg>", "svg"),
        (b"<svg></svg>", "svg"),
        (b"<html><svg></svg></html>", None),
        (b"<svgx>", None),
        (b"RIFF\x00\x00\x00\x00WAVE", None),
        (b"", None),
    ],
)
def test_a_picture_is_told_by_its_bytes(content: bytes, kind: str | None) -> None:
    assert kind_of(content) == kind


@pytest.mark.parametrize(
    "name", ["../x.png", "a/b.png", ".x.png", "x.html", "x.png ", "x y.png", "x.PNG", ""]
)
def test_a_name_that_leaves_the_folder_or_is_no_picture_is_none(tmp_path: Path, name: str) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "x.png").write_bytes(b"x")
    assert not NAME.fullmatch(name)
    assert read(tmp_path, name) is None


def test_a_picture_is_read_up_to_its_largest_size(tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    (folder / "x.webp").write_bytes(b"1" * LARGEST)
    (folder / "y.webp").write_bytes(b"1" * (LARGEST + 1))
    assert len(read(tmp_path, "x.webp") or b"") == LARGEST
    assert read(tmp_path, "y.webp") is None
    assert read(tmp_path, "absent.webp") is None
    assert type_of("x.webp") == "image/webp"


def test_a_cards_pictures_are_found_wherever_it_shows_them() -> None:
    card = replace(
        a_card("one"),
        prompt="![a](pictures/a.png) ![b](elsewhere/b.png) [c](pictures/c.png)",
        pitfall="![a](pictures/a.png)![d](pictures/d.svg)",
    )
    assert names_of(card) == ("a.png", "d.svg")
