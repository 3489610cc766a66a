"""A backlog as one types it."""

from __future__ import annotations

import numpy as np
import pytest

from engine.study.backlog import MOST, BacklogRefused, read, suppose
from engine.study.schedule import SchedulerParams
from engine.study.workload import Cards, Work, backlog


def cards(*due: int, new: int = 0) -> Cards:
    number = len(due)
    return Cards(
        stability=np.full(number, 20.0),
        difficulty=np.full(number, 5.0),
        due=np.array(due, np.int64),
        since=np.full(number, 10, np.int64),
        new=new,
    )


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("", None),
        ("  ", None),
        ("120", 120),
        (" 007 ", 7),
        ("1.200", 1200),
        ("1,200", 1200),
        ("12 000", 12_000),
        ("12\u00a0000", 12_000),
        ("１２０", 120),
        ("100000", MOST),
    ],
)
def test_a_number_is_read_as_it_is_written_anywhere(text: str, number: int | None) -> None:
    assert read(text) == number


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("many", "not_a_number"),
        ("12.5", "not_a_number"),
        ("1,20", "not_a_number"),
        ("1.200,5", "not_a_number"),
        ("1e3", "not_a_number"),
        ("²", "not_a_number"),
        ("0", "too_few"),
        ("-3", "too_few"),
        ("−3", "too_few"),
        ("100001", "too_many"),
        ("9" * 5000, "too_many"),
    ],
)
def test_what_is_no_number_of_cards_is_refused(text: str, code: str) -> None:
    with pytest.raises(BacklogRefused) as refused:
        read(text)
    assert refused.value.code == code


def test_exactly_so_many_cards_wait_whatever_number_it_is() -> None:
    mine = cards(-5, -2, 0, 0, 1, 3, 3, 3, 9, 30)
    for number in range(1, 35):
        found = suppose(mine, number)
        assert int((found.cards.due <= 0).sum()) == number
        assert len(found.cards) == found.times * len(mine)
    assert suppose(mine, 4).days == 0
    assert suppose(mine, 6).days == 3
    assert suppose(mine, 10).days == 30
    assert suppose(mine, 11).times == 2


def test_no_card_is_no_backlog() -> None:
    with pytest.raises(BacklogRefused, match="No card was answered"):
        suppose(cards(new=5), 3)


def test_a_larger_backlog_costs_more_minutes_more_days_and_more_forgotten() -> None:
    mine = cards(*range(300))
    work = Work(SchedulerParams(), days=90, reviews_per_day=20, new_per_day=0)
    small, large = (backlog(suppose(mine, number).cards, work) for number in (20, 200))
    assert (small.cards, large.cards) == (20, 200)
    assert large.minutes > 5 * small.minutes
    assert large.forgotten > small.forgotten
    assert small.clear_after is not None
    assert large.clear_after is None or large.clear_after > small.clear_after
