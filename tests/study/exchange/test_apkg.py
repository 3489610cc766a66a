"""Anki's packages, both ways: what goes out comes back equal, what Anki adds comes along, GUIDs stay."""

from __future__ import annotations

import base64
import io
import json
import zipfile
import zlib
from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from pathlib import Path

import pytest
from anki.consts import CARD_TYPE_REV
from anki.scheduler.v3 import CardAnswer, Scheduler

from app_pages.markup import block
from engine.store.change_tables import card_changes
from engine.store.tables import reviews, undos
from engine.study import notebook, rescheduling, schedule_changes
from engine.study.card import Library
from engine.study.card_changes import change, flags
from engine.study.deck_text import same_cards
from engine.study.exchange.apkg import incoming
from engine.study.exchange.apkg.cargo import packed
from engine.study.exchange.apkg.cargo import unpacked as cargo_of
from engine.study.exchange.apkg.outgoing import export
from engine.study.exchange.apkg.process import read_package
from engine.study.exchange.apkg.values import AnkiPackage
from engine.study.exchange.faults import ExchangeFault
from engine.study.exchange.gather import gather
from engine.study.exchange.records import ReviewRecord
from engine.study.exchange.report import Report
from engine.study.exchange.take_in import foresee, take_in
from engine.study.library import load_library
from engine.study.rescheduling import Rescheduled
from tests.study.a_learner import MORNING, Learner
from tests.study.decks import GOOD, written
from tests.study.exchange.anki_desk import anki_at, give, take
from tests.study.exchange.machines import LATER, Machine, machine, study

ZONE = "UTC"
PAST = timedelta(days=200)
"""Anki exports nothing that lies in the future of this machine's clock."""

NOW = MORNING


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Machine]:
    """A machine with a Vietnamese and Chinese deck and a history with answers taken back, marks and tags."""
    made = machine(tmp_path / "here")
    written(made.decks / "mine.yaml", GOOD)
    made.learner.desk.sync(library(made))
    made.learner.wait(days=-PAST.days)
    study(made, "3413uu2h33d4431ud3333d212")
    for number, (card_id, kind, value) in enumerate(
        [("first-card", "suspend", None), ("second-card", "tag", "khó"), ("second-card", "mark", None)]
    ):
        change(
            made.store,
            [card_id],
            kind,  # type: ignore[arg-type]
            value=value,
            now=made.learner.now,
            zone=ZONE,
            nonce=f"did-{number}",
        )
    yield made
    made.store.close()


PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><text>gap</text></svg>'


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Machine]:
    made = machine(tmp_path / "there", first_nonce=100_000)
    made.learner.desk.sync(library(made))
    yield made
    made.store.close()


def library(at: Machine) -> Library:
    return load_library([at.decks], lab_names=None, cache=None)


def out_of(at: Machine) -> bytes:
    return export(at.store, library(at), at.decks, now=NOW, zone=ZONE)


@cache
def unpacked(package: bytes) -> AnkiPackage:
    """Anki's process takes most of a second: once for a package."""
    return read_package(package, "x.apkg")


def into(at: Machine, package: bytes, *, replace: bool = False, dry: bool = False) -> Report:
    decks = library(at)
    learner = incoming.Learner(at.store, decks, at.decks, ZONE, NOW)
    parsed = incoming.parsed_of(unpacked(package), "x.apkg", learner)
    work = foresee if dry else take_in
    report = work(at.store, parsed, at.decks, known_cards=decks.by_id, now=NOW, replace=replace)
    at.learner.desk.sync(library(at))
    return report


def edit(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def log(at: Machine) -> list[dict[str, object]]:
    names = {"id"}
    of_decks = set(library(at).by_id)
    return [
        {key: value for key, value in row.items() if key not in names}
        for row in at.rows(reviews)
        if row["card_id"] in of_decks
    ]


def test_what_goes_out_comes_in_equal_with_history_and_a_second_time_changes_nothing(
    here: Machine, there: Machine
) -> None:
    package = out_of(here)
    foreseen = into(there, package, dry=True)
    assert not there.decks.exists()
    assert not there.rows(reviews)
    report = into(there, package)
    assert report == foreseen
    assert report.decks_new == ("good-deck.yaml",)
    [deck] = library(there).decks
    [original] = library(here).decks
    assert same_cards(deck, original)
    by_nonce = {row["nonce"]: row for row in log(here)}
    assert by_nonce
    assert {row["nonce"]: row for row in log(there)} == by_nonce
    assert len(there.rows(undos)) == sum(review.undo is not None for review in _exported(there)) > 0
    states = here.states()
    assert there.states() == {card: states[card] for card in deck_cards(there) if card in states}
    for card in deck_cards(there):
        assert flags(there.store).get(card) == flags(here.store).get(card)
    assert not into(there, package).changes
    assert not into(here, package).changes


def test_pictures_notebook_and_days_that_cards_were_put_on_come_back_equal(
    here: Machine, there: Machine, tmp_path: Path
) -> None:
    folder = here.decks / "pictures"
    folder.mkdir()
    (folder / "gap.svg").write_bytes(SVG)
    (folder / "x.png").write_bytes(PNG)
    (folder / "unused.png").write_bytes(PNG + b"x")
    shows = (
        "Why is it slow? ![A gap](pictures/gap.svg) ![gone](pictures/gone.png) ![up](pictures/../mine.yaml)"
    )
    edit(here.decks / "mine.yaml", "Why is it slow?", shows)
    edit(here.decks / "mine.yaml", "什么是 MBU？", "什么是 MBU？ ![x](pictures/x.png)")
    how = {"now": here.learner.now, "zone": ZONE}
    notebook.write(here.store, "first-card", "note", nonce="line", text="nhầm GB với GiB", **how)  # type: ignore[arg-type]
    notebook.write(here.store, "first-card", "again", nonce="twice", about="line", **how)  # type: ignore[arg-type]
    study(here, "ddddddd")
    how["now"] = here.learner.now
    wanted = {"retention": 0.75}
    schedule_changes.change(here.store, "retention", wanted, deck="good-deck", nonce="r", **how)  # type: ignore[arg-type]
    moved = rescheduling.reschedule(here.store, None, nonce="move", **how)  # type: ignore[arg-type]
    assert isinstance(moved, Rescheduled)
    package = out_of(here)
    report = into(there, package)
    assert (report.pictures.new, report.mistakes.new) == (2, 2)
    assert (there.decks / "pictures" / "gap.svg").read_bytes() == SVG
    assert (there.decks / "pictures" / "x.png").read_bytes() == PNG
    assert sorted(file.name for file in (there.decks / "pictures").iterdir()) == ["gap.svg", "x.png"]
    assert shows in library(there).by_id["first-card"].prompt
    states = here.states()
    assert there.states() == {card: states[card] for card in deck_cards(there) if card in states}
    assert notebook.entries(there.store, ["first-card"]) == notebook.entries(here.store, ["first-card"])
    assert not into(there, package).changes
    assert not into(here, package).changes
    with anki_at(tmp_path / "anki") as anki:
        take(anki, package, tmp_path / "anki")
        [card_id] = anki.find_cards("MBU deck:Benchcards::*")
        assert '<img src="benchcards-' in anki.get_card(card_id).question()
        assert len(anki.media.check().missing) == 0
        back = give(anki, tmp_path / "anki")
    assert not into(here, back).changes


def _exported(at: Machine) -> tuple[ReviewRecord, ...]:
    return gather(at.store, at.decks, LATER).export.reviews


def deck_cards(at: Machine) -> list[str]:
    return list(library(at).by_id)


def test_a_package_renews_a_deck_that_nobody_edited_and_leaves_one_that_was(
    here: Machine, there: Machine
) -> None:
    into(there, out_of(here))
    mine = here.decks / "mine.yaml"
    mine.write_text(
        mine.read_text(encoding="utf-8").replace("Why is it slow?", "Vì sao chậm?"), encoding="utf-8"
    )
    changed = out_of(here)
    assert into(there, changed).decks_renewed == ("good-deck.yaml",)
    assert "Vì sao chậm?" in library(there).by_id["first-card"].prompt
    edit(there.decks / "good-deck.yaml", "MBU", "M.B.U.")
    report = into(there, changed)
    assert report.decks_differ == ("good-deck.yaml",)
    assert library(there).by_id["second-card"].title == "M.B.U."
    into(there, changed, replace=True)
    assert library(there).by_id["second-card"].title == "MBU"


def test_anki_shows_the_cards_with_their_schedule_and_takes_a_later_package_as_the_same_notes(
    here: Machine, tmp_path: Path
) -> None:
    folder = tmp_path / "anki"
    with anki_at(folder) as anki:
        taken = take(anki, out_of(here), folder)
        assert len(taken.new) == 2
        [card_id] = anki.find_cards("MBU deck:Benchcards::*")
        card = anki.get_card(card_id)
        state = here.states()["second-card"]
        assert card.note().guid == "benchcards:second-card"
        assert {"marked", "khó"} <= set(card.note().tags)
        assert (card.reps, card.lapses) == (state.reps, state.lapses)
        assert card.memory_state is not None
        assert card.memory_state.stability == pytest.approx(state.stability, rel=1e-4)
        counted = [row for row in here.learner.desk.history("second-card") if not row.undone]
        assert anki.db is not None
        assert anki.db.scalar("select count() from revlog where cid = ?", card_id) == len(counted)
        [suspended] = anki.find_cards("is:suspended")
        front = anki.get_card(suspended).question()
        assert "<code" in front
        assert "Why is it slow?" in front
        mine = here.decks / "mine.yaml"
        mine.write_text(
            mine.read_text(encoding="utf-8").replace("什么是 MBU？", "MBU 是什么？"), encoding="utf-8"
        )
        anki.db.execute("update notes set mod = mod - 60")  # a minute passes
        again = take(anki, out_of(here), folder)
        assert (len(again.new), len(again.updated)) == (0, 2)
        assert len(anki.find_notes("")) == 2
        assert "MBU 是什么？" in anki.get_card(card_id).question()


def test_what_was_done_in_anki_comes_back(here: Machine, tmp_path: Path) -> None:
    folder = tmp_path / "anki"
    before = len(log(here))
    with anki_at(folder) as anki:
        anki.set_config("fsrs", True)
        take(anki, out_of(here), folder)
        [card_id] = anki.find_cards("MBU deck:Benchcards::*")
        card = anki.get_card(card_id)
        card.start_timer()
        assert isinstance(anki.sched, Scheduler)
        states = anki._backend.get_scheduling_states(card_id)
        anki.sched.answer_card(anki.sched.build_answer(card=card, states=states, rating=CardAnswer.GOOD))
        anki.sched.unsuspend_cards(anki.find_cards("is:suspended"))
        note = anki.get_card(card_id).note()
        note.tags = ["từ-anki"]
        anki.update_note(note)
        stability = anki.get_card(card_id).memory_state
        back = give(anki, folder)
    report = into(here, back)
    assert report.reviews.new == 1
    assert len(log(here)) == before + 1
    newest = here.learner.desk.history("second-card")[-1]
    assert newest.rating == 3
    assert stability is not None
    assert here.states()["second-card"].stability == pytest.approx(stability.stability, rel=1e-3)
    now = flags(here.store)
    assert "first-card" not in now or not now["first-card"].suspended
    assert now["second-card"].tags == ("từ-anki",)
    assert not now["second-card"].marked
    assert not into(here, back).changes


NOTES: tuple[tuple[str, str, str, list[str]], ...] = (
    (
        "Basic",
        r"Băng thông của <b>H100</b>: \(B = \frac{N}{t}\)?",
        "3,35 TB/s<br>HBM3",
        ["bộ-nhớ", "hbm"],
    ),
    ("Basic (and reversed card)", "warp", "32 线程", []),
    ("Cloze", "Một {{c1::SM}} có {{c2::128}} lõi FP32", "", ["marked"]),
    (
        "Basic",
        '<img src="x.png">Đây là gì?',
        "<pre>x = 1\n\ny = a*b*c</pre><ul><li>một</li><li>hai</li></ul>",
        [],
    ),
)


def with_pictures(folder: Path) -> bytes:
    """A package whose notes show pictures of several kinds, one in a folder of its own, one that is none."""
    with anki_at(folder) as anki:
        deck = anki.decks.id("Pictures")
        note_type = anki.models.by_name("Basic")
        assert deck is not None
        assert note_type is not None
        for name, content in (
            ("ảnh một.png", PNG),
            ("draw.svg", SVG),
            ("liar.png", b"<html>no picture</html>"),
            ("large.png", PNG + b"0" * 1024 * 1024),
        ):
            assert anki.media.write_data(name, content) == name
        for front, back in (
            ('<img src="ảnh một.png">Đây là gì?', '<b>gap</b> <img alt="a ] b" src=draw.svg>'),
            ("<img src='ảnh%20một.png'>", '<pre><img src="draw.svg"></pre>'),
            ('<img src="liar.png">x', '<img src="large.png"><img src="../../collection.anki2">y'),
        ):
            note = anki.new_note(note_type)
            note.fields[:2] = [front, back]
            anki.add_note(note, deck)
        return give(anki, folder)


def test_somebody_elses_pictures_come_along_and_what_is_none_is_counted(
    there: Machine, tmp_path: Path
) -> None:
    package = with_pictures(tmp_path / "anki")
    report = into(there, package)
    first, second, third = library(there).decks[0].cards
    names = sorted(file.name for file in (there.decks / "pictures").iterdir())
    png, svg = (next(name for name in names if name.endswith(end)) for end in (".png", ".svg"))
    assert len(names) == 2
    assert (there.decks / "pictures" / png).read_bytes() == PNG
    assert first.prompt == f"![ảnh một](pictures/{png})Đây là gì?"
    assert first.title == "Đây là gì?"
    assert first.answer[0].text == f"**gap** ![a b](pictures/{svg})"
    assert second.prompt == f"![ảnh một](pictures/{png})"
    assert "[picture: draw.svg]" in second.answer[0].text
    assert third.answer[0].text == "[picture: large.png][picture: collection.anki2]y"
    assert dict(report.left_out) == {"pictures": 4}
    html = block(first.prompt, there.decks)
    assert 'src="data:image/png;base64,' in html
    assert not into(there, package).changes


def foreign(folder: Path) -> bytes:
    """A package of somebody's own: a card in review, a reversed pair, a cloze, a picture, formulas, code."""
    with anki_at(folder) as anki:
        anki.set_config("fsrs", True)
        deck = anki.decks.id("CUDA::Bộ nhớ")
        assert deck is not None
        for kind, front, back, tags in NOTES:
            note_type = anki.models.by_name(kind)
            assert note_type is not None
            note = anki.new_note(note_type)
            note.fields[:2] = [front, back]
            note.tags = tags
            anki.add_note(note, deck)
        [card_id] = anki.find_cards("HBM3")
        card = anki.get_card(card_id)
        card.type = card.queue = CARD_TYPE_REV  # type: ignore[assignment]
        card.ivl, card.reps, card.lapses, card.due = 40, 3, 1, anki.sched.today + 12
        anki.update_card(card)
        now_ms = round(MORNING.timestamp() * 1000) - 86_400_000
        day = 86_400_000
        assert anki.db is not None
        anki.db.executemany(
            "insert into revlog values (?,?,?,?,?,?,?,?,?)",
            [
                [now_ms - 70 * day, card_id, -1, 3, -600, -60, 0, 5000, 0],
                [now_ms - 69 * day, card_id, -1, 3, 15, -600, 0, 5000, 0],
                [now_ms - 29 * day, card_id, -1, 1, -600, 15, 0, 7000, 1],
                [now_ms - 28 * day, card_id, -1, 4, 40, -600, 0, 5000, 2],
                [now_ms - 20 * day, card_id, -1, 0, 40, 40, 0, 0, 4],
            ],
        )
        warp = anki.find_cards("warp")
        anki.sched.suspend_cards(warp[:1])
        return give(anki, folder)


def test_somebody_elses_deck_becomes_a_deck_of_ones_own(there: Machine, tmp_path: Path) -> None:
    package = foreign(tmp_path / "anki")
    report = into(there, package)
    decks = library(there)
    assert not decks.faults
    [deck] = decks.decks
    assert (deck.title, deck.language, len(deck.cards)) == ("CUDA::Bộ nhớ", "zh", 6)
    assert dict(report.left_out) == {"pictures": 1}
    by_title = {card.title: card for card in deck.cards}
    memory = next(card for card in deck.cards if "H100" in card.title)
    assert memory.prompt == r"Băng thông của **H100**: $B = \frac{N}{t}$?"
    assert memory.answer[0].text == "3,35 TB/s\nHBM3"
    assert memory.topics == ("hbm",)
    assert by_title["warp"].answer[0].text == "32 线程"
    assert any("128" in card.answer[0].text for card in deck.cards if "lõi" in card.prompt)
    picture = next(card for card in deck.cards if "x.png" in card.prompt)
    assert "```\nx = 1\n\ny = a*b*c\n```" in picture.answer[0].text
    assert "- một\n- hai" in picture.answer[0].text
    state = there.states()[memory.id]
    assert (state.phase, state.lapses, state.reps) == ("review", 1, 4)
    assert state.due_day == (NOW + timedelta(days=12)).date().isoformat()
    assert [row.rating for row in there.learner.desk.history(memory.id)] == [3, 3, 1, 4]
    assert [row.state_after.phase for row in there.learner.desk.history(memory.id)] == [
        *("learning", "review", "relearning", "review")
    ]
    now = flags(there.store)
    assert now[memory.id].tags == ("bộ-nhớ",)
    assert sum(flag.suspended for flag in now.values()) == 1
    assert sum(flag.marked for flag in now.values()) == 2  # both cards of the cloze
    assert not into(there, package).changes
    there.learner.desk.recompute_all()
    assert there.states()[memory.id] == state


def test_a_foreign_deck_goes_on_here_after_the_import(there: Machine, tmp_path: Path) -> None:
    package = foreign(tmp_path / "anki")
    into(there, package)
    learner = Learner(there.learner.desk, now=NOW + timedelta(days=12), nonces=there.learner.nonces)
    [due] = [item for item in learner.queue(50).items if item.phase == "review"]
    learner.answer(due, 3)
    states = there.states()
    assert not into(there, package).changes
    assert there.states() == states


def test_a_damaged_collection_and_a_cut_one_are_refused(here: Machine, there: Machine) -> None:
    package = out_of(here)
    for broken in (b"PK\x03\x04 and no more", package[: len(package) // 2]):
        with pytest.raises(ExchangeFault, match=r"x\.apkg: is a damaged ZIP file"):
            into(there, broken)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("collection.anki21b", b"no collection")
    with pytest.raises(ExchangeFault, match=r"x\.apkg: can't be read by Anki \(.+\): export"):
        into(there, packed.getvalue())
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("notes.txt", "hello")
    with pytest.raises(ExchangeFault, match=r"no \.apkg"):
        into(there, other.getvalue())
    assert not there.decks.exists()
    assert not there.rows(card_changes)


def test_a_field_that_was_tampered_with_is_no_cargo(here: Machine) -> None:
    package = unpacked(out_of(here))
    text = package.notes[0].fields[-1]
    cargo = cargo_of(text)
    assert cargo is not None
    assert cargo_of(packed(cargo)) == cargo
    body = json.loads(zlib.decompress(base64.b64decode(text)))
    tampered: tuple[dict[str, object], ...] = (
        {"deck": {"id": "x"}},
        {"schema": 2},
        {"logged": []},
        {"card": {**body["card"], "id": "another"}},
        {"card": {**body["card"], "prompt": 7}},
    )
    for fields in tampered:
        assert cargo_of(_field(json.dumps(body | fields).encode())) is None
    bomb = _field(b" " * 200_000_000)
    for broken in ("", "no base64 !", text[:-8], bomb):
        assert cargo_of(broken) is None


def _field(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content)).decode()
