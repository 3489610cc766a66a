"""The language of searches: Anki's conditions over texts, tags, states and the log, with clear faults."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.store import Store, open_store
from engine.study.card import Card, ClaimText, Deck, FollowUp, LabLink, Library, Point, Says, Source
from engine.study.card_changes import Changed, change
from engine.study.change_log import Kind
from engine.study.desk import Desk
from engine.study.schedule import retrievability
from engine.study.search.browse import ORDERS, browse
from engine.study.search.faults import SearchFault
from engine.study.search.parse import parse
from engine.study.settings import load, save
from tests.study.a_learner import Learner

PIECES = 'abđ内 "“”()（）-:：\\*_'


def card(card_id: str, title: str, prompt: str = "Vì sao?") -> Card:
    return Card(
        id=card_id,
        deck="profiling",
        kind="question",
        title=title,
        language="vi",
        prompt=prompt,
        answer=(Point("Điểm", "Nội dung"),),
        source=Source("Tài liệu", "Phần 1"),
    )


CARDS = (
    replace(card("gap", "Khoảng trống GPU", "CPU gọi `aten::linear` mất bao lâu?"), topics=("gpu-timeline",)),
    replace(
        card("mbu", "MBU là gì?", "Đường ống bộ nhớ đọc W_q và 2 * 3"),
        topics=("mbu", "memory::bandwidth"),
        answer=(Point("Băng thông", "Byte chia thời gian, cudaMalloc() không tính"),),
        priority="high",
        labs=(LabLink("mbu_floor"),),
        claims=(ClaimText(id="c", label="Sàn của một bước", says=Says("ms", 4.8)),),
    ),
    replace(
        card("shared", "共享内存", "每个 SM 有多少共享内存？"),
        deck="lesson-zh",
        language="zh",
        kind="term",
        topics=("memory",),
    ),
    replace(
        card("fusion", "Fusion (3 ops)", 'says "ba phép" elementwise'),
        follow_ups=(FollowUp("And on an H100?", "Still memory"),),
        pitfall="quên epilogue",
        lessons=("55",),
    ),
)
LIBRARY = Library(
    decks=(
        Deck("profiling", "Bộ thẻ Profiling", "vi", "p.yaml", cards=(CARDS[0], CARDS[1], CARDS[3])),
        Deck("lesson-zh", "第 55 课", "zh", "z.yaml", cards=(CARDS[2],)),
    ),
    by_id={held.id: held for held in CARDS},
)
DONE: tuple[tuple[str, Kind, str | None], ...] = (
    ("gap", "suspend", None),
    ("gap", "tag", "mine::hard"),
    ("mbu", "mark", None),
    ("fusion", "bury", None),
)


@pytest.fixture(scope="module")
def learner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Learner]:
    """`mbu` good, good; `shared` good, good, again; `gap` easy, eight days before; `fusion` is new."""
    store = open_store(tmp_path_factory.mktemp("search") / "benchcards.db")
    desk = Desk(store)
    desk.sync(LIBRARY)
    at = Learner(desk)
    for card_id, ratings in (("gap", (4,)), ("mbu", (3, 3)), ("shared", (3, 3))):
        for rating in ratings:
            at.answer(desk.item(card_id, at.now, at.zone), rating)
            at.wait(minutes=11)
    at.wait(days=7)
    at.answer(desk.item("shared", at.now, at.zone), 1)
    at.wait(minutes=5)
    for card_id, kind, value in DONE:
        done = change(
            store, [card_id], kind, value=value, now=at.now, zone=at.zone, nonce=f"{card_id}-{kind}"
        )
        assert isinstance(done, Changed)
    save(store, {"leech_lapses": 1})
    yield at
    store.close()


def found(learner: Learner, text: str, order: str = "deck", *, descending: bool = False) -> list[str]:
    return [
        held.id
        for held in browse(
            learner.desk.store,
            LIBRARY,
            text,
            now=learner.now,
            zone=learner.zone,
            order=order,
            descending=descending,
        )
    ]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", "gap mbu shared fusion"),
        ("bo nho", "mbu"),
        ("“băng thông”", "mbu"),
        ('"bo nho doc"', "mbu"),
        ('"doc bo nho"', ""),
        ("内存", "shared"),
        ("gpu or 内存", "gap shared"),
        ("（gpu OR 内存） -title:共享", "gap"),
        ("-mbu -gpu", "shared fusion"),
        ("bo and nho", "mbu"),
        ("aten::linear", "gap"),
        ("w_q", "mbu"),
        ("2 * 3", "mbu"),
        (r"2 \* 3", "mbu"),
        ("cudaMalloc()", "mbu"),
        ("(cudaMalloc() or fusion)", "mbu fusion"),
        ('"says \\"ba phep"', "fusion"),
        ("el*wise", "fusion"),
        ("khoang*bao", ""),  # a wildcard doesn't reach from the title into the prompt
        ("w:gpu", "gap"),
        ("w:gp", ""),
        ("title:mbu", "mbu"),
        ("prompt:mbu", ""),
        ("front:mbu", "mbu"),
        ("back:epilogue", "fusion"),
        ("answer:byte*thoi", "mbu"),
        ("claim:buoc", "mbu"),
        ("pitfall:*", "fusion"),
        ("pitfall:", "gap mbu shared"),
        ("lab:mbu_floor", "mbu"),
        ("lesson:55", "fusion"),
        ("source:tai", "gap mbu shared fusion"),
        ("id:gap", "gap"),
        ("deck:lesson-zh", "shared"),
        ("deck:*profiling", "gap mbu fusion"),
        ("-deck:profiling", "shared"),
        ('deck:"第 55 课"', "shared"),
        ('"deck:bộ thẻ profiling"', "gap mbu fusion"),
        ("tag:memory", "mbu shared"),
        ("tag:mem", ""),
        ("tag:mem*", "mbu shared"),
        ("topic:mbu", "mbu"),
        ("tag:mine", "gap"),
        ("tag:none", "fusion"),
        ("kind:term", "shared"),
        ("note:term", "shared"),
        ("lang:vi", "gap mbu fusion"),
        ("标签：x or lang：zh", "shared"),
        ("priority:high", "mbu"),
        ("is:new", "fusion"),
        ("-is:new", "gap mbu shared"),
        ("is:review", "gap mbu shared"),
        ("is:learn", "shared"),
        ("is:suspended", "gap"),
        ("is:buried", "fusion"),
        ("is:marked", "mbu"),
        ("is:leech", "shared"),
        ("prop:lapses>0", "shared"),
        ("prop:lapses=0", "gap mbu fusion"),
        ("prop:lapses<1", "gap mbu fusion"),
        ("prop:reps>=2", "mbu shared"),
        ("prop:reps!=0", "gap mbu shared"),
        ("prop:ivl>=2 prop:ivl<=3", "mbu"),
        ("prop:due<0", "gap mbu"),
        ("prop:due=0", "shared"),
        ("rated:1", "shared"),
        ("rated:1:1", "shared"),
        ("rated:1:good", ""),
        ("rated:30:4", "gap"),
        ("rated:30:3 -rated:30:1", "mbu"),
        ("introduced:1", ""),
        ("introduced:30", "gap mbu shared"),
        ("(is:review prop:lapses=0) or is:new", "gap mbu fusion"),
        ("is:due or is:leech", "mbu shared"),
    ],
)
def test_a_search_finds_exactly_the_cards_it_means(learner: Learner, text: str, ids: str) -> None:
    assert found(learner, text) == ids.split()


def test_due_means_waiting_now_and_neither_suspended_nor_buried(learner: Learner) -> None:
    later = replace(learner, now=learner.now)
    later.wait(days=60)
    assert found(later, "is:due") == ["mbu", "shared"]
    assert found(later, "prop:due<=0") == ["gap", "mbu", "shared"]


@pytest.mark.parametrize("name", ["s", "d", "r"])
def test_stability_difficulty_and_recall_are_those_that_the_card_shows(learner: Learner, name: str) -> None:
    day = learner.queue().study_day
    params = load(learner.desk.store).scheduler
    for card_id, state in learner.desk.states().items():
        assert state.stability is not None
        assert state.difficulty is not None
        value = {
            "s": state.stability,
            "d": state.difficulty,
            "r": retrievability(state, day, params),
        }[name]
        assert card_id in found(learner, f"prop:{name}={value:.3f}")
        assert card_id not in found(learner, f"prop:{name}!={value:.3f}")
        if name == "d" and not 1.1 < value < 9.9:
            continue
        assert card_id in found(learner, f"prop:{name}>={value - 0.001:.3f}")
        assert card_id in found(learner, f"prop:{name}<={value + 0.001:.3f}")
        assert card_id not in found(learner, f"prop:{name}>{value + 0.002:.3f}")
        assert card_id not in found(learner, f"prop:{name}<{value - 0.002:.3f}")


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ('"open', "open_quote", "Close it"),
        ("(gpu", "open_bracket", "has no )"),
        ("()", "empty_bracket", "Nothing stands"),
        ("gpu or", "no_operand", "either side of or"),
        ("or gpu", "no_operand", "either side of or"),
        ("and gpu", "no_operand", "either side of and"),
        ("gpu and", "no_operand", "either side of and"),
        ("tags:x", "unknown_key", "tag"),
        ("foo:bar", "unknown_key", '"foo:bar"'),
        ("flag:1", "not_here", "flag: is for what"),
        ("is:late", "unknown_choice", "suspended"),
        ("kind:essay", "unknown_choice", "self-test"),
        ("deck:", "no_value", "after deck:"),
        ("deck:nowhere", "unknown_deck", "profiling, lesson-zh"),
        ("prop:ease>2", "bad_property", "ivl"),
        ("prop:ivl>x", "bad_number", "prop:ivl>x"),
        ("prop:due>1.5", "whole_days", "whole days"),
        ("prop:d>0.3", "difficulty_range", "1 to 10"),
        ("rated:0", "bad_days", "from 1 (today)"),
        ("rated:x", "bad_days", "rated:x"),
        ("rated:7:5", "bad_rating", "3 good"),
        ("x" * 2001, "too_long", "2,000"),
        ("(" * 40 + "x" + ")" * 40, "too_deep", "more simply"),
        ("-" * 60 + "x", "too_deep", "more simply"),
    ],
)
def test_what_cannot_be_understood_is_named_with_the_way_out(
    learner: Learner, text: str, code: str, says: str
) -> None:
    with pytest.raises(SearchFault, match=re.escape(says)) as fault:
        found(learner, text)
    assert fault.value.code == code


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from([*PIECES, "or ", "is:", "deck:", "prop:s>1 ", "\x01"])).map("".join))
def test_whatever_is_typed_is_a_search_or_a_fault(text: str) -> None:
    try:
        parse(text)
    except SearchFault as fault:
        assert str(fault)  # noqa: PT017


def test_orders_put_new_cards_last_and_turn_round(learner: Learner) -> None:
    assert found(learner, "", "lapses")[-1] == "fusion"
    assert found(learner, "", "lapses", descending=True) == ["shared", "gap", "mbu", "fusion"]
    assert found(learner, "", "title") == ["fusion", "gap", "mbu", "shared"]
    assert found(learner, "", "due")[0] == "mbu"
    for order in ORDERS:
        assert set(found(learner, "", order)) == {held.id for held in CARDS}


def test_the_title_ranks_first_in_the_best_order(learner: Learner) -> None:
    assert found(learner, "memory or mbu", "best")[0] == "mbu"
    assert found(learner, "noi dung or fusion", "best")[0] == "fusion"


def test_a_card_that_no_deck_has_any_more_is_not_found(tmp_path: Path, learner: Learner) -> None:
    fewer = Library(decks=LIBRARY.decks[:1], by_id={"gap": CARDS[0]})
    store: Store = learner.desk.store
    assert [c.id for c in browse(store, fewer, "-is:new", now=learner.now, zone="UTC")] == ["gap"]
