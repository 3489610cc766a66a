"""Graphs say in words and in a table what they draw, and let no text become markup."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from app_pages.graphs import Series, Table, bars, curve, heat
from app_pages.graphs.curve import Dot
from app_pages.graphs.figure import Tick, rounded_top
from app_pages.statistics_view import calibration_curve
from engine.study.statistics import Bin, Calibration

NUMBER = "{:.0f}".format


def parsed(html: str) -> ElementTree.Element:
    """The HTML as XML: it holds only what both read alike."""
    return ElementTree.fromstring(f"<div>{html}</div>")  # noqa: S314  # it is our own


def drawn(*values: float, names: tuple[str, ...] = ()) -> ElementTree.Element:
    return parsed(
        bars(
            title="T <b>",
            places=names or tuple(f"day {place}" for place in range(len(values))),
            series=[
                Series("one", values),
                Series("two & more", tuple(2 * each for each in values), "second"),
            ],
            said="in words",
            number=NUMBER,
            heads=("day", "one", "two"),
            summary="Numbers",
        )
    )


def test_bars_stand_on_each_other_in_proportion() -> None:
    figure = drawn(10, 0, 20)
    heights = {
        tone: [float(rect.get("height", 0)) for rect in figure.iter("rect") if rect.get("class") == tone]
        for tone in ("main", "second")
    }
    assert heights["main"] == pytest.approx([0.1, 0.2])
    assert heights["second"] == pytest.approx([0.2, 0.4])
    tops = [float(rect.get("y", 0)) for rect in figure.iter("rect") if rect.get("class") == "second"]
    assert tops == pytest.approx([0.7, 0.4])


def test_a_graph_is_named_and_told_in_words_and_numbers() -> None:
    figure = drawn(10, 0, 20)
    svg = next(figure.iter("svg"))
    assert (svg.get("role"), svg.get("aria-label")) == ("img", "in words")
    rows = [[cell.text for cell in row] for row in figure.iter("tr")]
    assert rows == [["day", "one", "two"], ["day 0", "10", "20"], ["day 2", "20", "40"]]
    assert next(title.text for title in figure.iter("title")) == "day 0: one 10, two & more 20"
    caption = next(figure.iter("figcaption"))
    assert caption.text == "T <b>"


def test_nothing_to_draw_is_drawn_without_a_division_by_zero() -> None:
    figure = drawn(0, 0)
    assert not [rect for rect in figure.iter("rect") if rect.get("class") != "column"]
    assert not list(figure.iter("table"))


def test_many_bars_have_few_names_along_the_axis() -> None:
    figure = drawn(*range(1, 91))
    along = next(each for each in figure.iter("div") if each.get("class") == "along")
    assert [span.text for span in along] == ["day 0", "day 22", "day 44", "day 67", "day 89"]


@pytest.mark.parametrize(("largest", "top"), [(0, 1), (0.3, 0.5), (1, 1), (7, 10), (11, 20), (210, 500)])
def test_an_axis_ends_at_a_round_number(largest: float, top: float) -> None:
    assert rounded_top(largest) == pytest.approx(top)


def test_a_curve_has_its_dots_and_their_words() -> None:
    figure = parsed(
        curve(
            title="C",
            lines=[(Series("line", (0.0, 1.0)), (0.0, 1.0))],
            dots=[Dot(0.5, 0.25, 8, "half <way>")],
            up=[Tick(1.0, "100 %")],
            along=[Tick(0.0, "0")],
            said="said",
            table=Table("Numbers", ("x", "y"), (("1", "2"),)),
        )
    )
    assert next(figure.iter("polyline")).get("points") == "0.0000,1.0000 1.0000,0.0000"
    dot = next(figure.iter("path"))
    assert dot.get("d") == "M0.5000 0.7500h0"
    assert dot[0].text == "half <way>"


def test_a_year_has_a_square_a_day_and_ends_today() -> None:
    figure = parsed(
        heat(
            title="Y",
            counts={"2026-11-30": 5, "2026-11-29": 1, "2024-01-01": 99},
            today="2026-11-30",
            weekdays=["Mon"] * 7,
            month=["M"] * 12,
            told={"2026-11-30": "30 Nov: 5"},
            said="said",
            less="less",
            more="more",
        )
    )
    days = next(each for each in figure.iter("div") if each.get("class") == "days")
    squares = list(days)
    assert len(squares) == 52 * 7 + 1  # 30 November 2026 is a Monday
    assert (squares[-1].get("class"), squares[-1].get("title")) == ("l4", "30 Nov: 5")
    assert squares[-2].get("class") == "l1"
    assert {square.get("class") for square in squares[:-2]} == {"l0"}


@pytest.mark.parametrize(
    ("lowest", "along"),
    [
        (0.83, "80% 90% 100%"),
        (0.55, "50% 60% 70% 80% 90% 100%"),
        (0.34, "20% 40% 60% 80% 100%"),
        (0.0, "0% 20% 40% 60% 80% 100%"),
    ],
)
def test_calibration_stands_on_round_numbers(lowest: float, along: str) -> None:
    found = Calibration(bins=(Bin(0.9, lowest, 10),), reviews=10, log_loss=0.3, error=0.1)
    html = calibration_curve("title", found, "en", "said")
    below = html.split('class="along"')[1].split("</div>")[0]
    assert re.findall(r">([0-9]+%)<", below) == along.split()
