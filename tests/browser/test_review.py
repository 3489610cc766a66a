"""The daily review, in the real app and a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from app_pages.words import phrase
from tests.browser.app import App
from tests.browser.conftest import Open
from tests.browser.decks import write_deck

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(("language", "locale"), [("vi", "vi-VN"), ("zh", "zh-CN")])
def test_a_whole_review_by_keyboard(
    shared_app: App, open_review: Open, deck: str, language: str, locale: str
) -> None:
    cards = write_deck(shared_app.home, deck, language=language)
    review = open_review(shared_app, deck, locale=locale)
    expect(review.page.locator(".reveal")).to_contain_text(phrase(language, "review.card.reveal"))
    expect(review.title).to_have_attribute("lang", language)
    for card, reveal in zip(cards, ("Space", "Enter", "Space", "Enter"), strict=True):
        review.expect_card(card)
        review.press(reveal)
        review.expect_state("answer")
        expect(review.answer).to_be_visible()
        review.press("4")
    review.expect_state("done")
    expect(review.done).to_contain_text(phrase(language, "review.card.done_title"))
    review.expect_confirmed()
    assert [shared_app.ratings(card) for card in cards] == [[4], [4], [4], [4]]
    assert review.errors == []


def test_a_card_shows_all_its_parts(shared_app: App, open_review: Open, deck: str) -> None:
    write_deck(shared_app.home, deck)
    review = open_review(shared_app, deck)
    expect(review.page.locator("article.card .prompt .tok-k").first).to_have_text("for")
    expect(review.answer).to_be_hidden()
    review.press("Space")
    expect(review.answer.locator("math mfrac")).to_be_visible()
    expect(review.answer.locator("table td").first).to_have_text("1")
    for part in (".figures", ".pitfall", ".follow-up", ".source"):
        expect(review.answer.locator(part)).to_be_visible()
    behind = review.answer.locator("details .text")
    expect(behind).to_be_hidden()
    review.answer.locator("summary").click()
    expect(behind).to_be_visible()


def test_the_button_says_the_interval_that_is_given(shared_app: App, open_review: Open, deck: str) -> None:
    (card, *_) = write_deck(shared_app.home, deck)
    review = open_review(shared_app, deck)
    review.press("Space")
    good = review.page.locator('[data-grade="3"]')
    expect(good.locator(".interval")).to_have_text("10 min")
    expect(good).to_have_attribute("aria-label", "Good: comes again in 10 min. Key 3")
    good.click()
    review.expect_confirmed()
    store = shared_app.store()
    from engine.study.desk import Desk

    (given,) = Desk(store).history(card)
    store.close()
    assert given.due_ms - given.reviewed_at_ms == 10 * 60_000
    assert 0 < given.answer_ms < 60_000


@pytest.mark.parametrize("key", ["Numpad1", "Digit1"])
def test_digits_grade_in_the_row_and_on_the_number_pad(
    shared_app: App, open_review: Open, deck: str, key: str
) -> None:
    (card, *_) = write_deck(shared_app.home, deck)
    review = open_review(shared_app, deck)
    review.answer_card(key)
    review.expect_confirmed()
    assert shared_app.ratings(card) == [1]


def test_space_on_a_revealed_card_grades_good(shared_app: App, open_review: Open, deck: str) -> None:
    cards = write_deck(shared_app.home, deck)
    review = open_review(shared_app, deck)
    review.press("Space")
    review.press("Space")  # a bounce of the same key press: too soon to be meant
    review.page.wait_for_timeout(250)
    review.expect_card(cards[0], "answer")
    review.press("Space")
    review.expect_card(cards[1])
    review.expect_confirmed()
    assert shared_app.ratings(cards[0]) == [3]


def test_a_digit_before_the_answer_is_shown_does_nothing(
    shared_app: App, open_review: Open, deck: str
) -> None:
    cards = write_deck(shared_app.home, deck)
    review = open_review(shared_app, deck)
    review.press("3")
    review.expect_card(cards[0])
    assert shared_app.ratings(cards[0]) == []


def test_ten_cards_at_fifty_milliseconds_between_keys(shared_app: App, open_review: Open, deck: str) -> None:
    cards = write_deck(shared_app.home, deck, cards=12)
    review = open_review(shared_app, deck)
    for _ in range(10):
        review.press("Space")
        review.page.wait_for_timeout(50)
        review.press("4")
        review.page.wait_for_timeout(50)
    review.expect_card(cards[10])
    review.expect_confirmed()
    assert [shared_app.ratings(card) for card in cards] == [[4]] * 10 + [[], []]


def test_a_forgotten_card_comes_back_within_the_session(
    shared_app: App, open_review: Open, deck: str
) -> None:
    cards = write_deck(shared_app.home, deck, cards=2)
    review = open_review(shared_app, deck)
    review.answer_card("1")
    review.expect_card(cards[1])
    review.answer_card("4")
    review.expect_card(cards[0])  # nothing else is left, so it comes ahead of its minute
    review.answer_card("4")
    review.expect_confirmed()
    assert shared_app.ratings(cards[0]) == [1, 4]


def test_undo_brings_the_card_back_with_its_answer(shared_app: App, open_review: Open, deck: str) -> None:
    cards = write_deck(shared_app.home, deck)
    review = open_review(shared_app, deck)
    review.answer_card("1")
    review.expect_card(cards[1])
    review.press("u")
    review.expect_card(cards[0], "answer")
    expect(review.note).to_have_text("Taken back: Again on “Question number 1”.")
    review.expect_confirmed()
    assert shared_app.ratings(cards[0]) == []
    review.press("4")
    review.expect_card(cards[1])
    review.expect_confirmed()
    assert shared_app.ratings(cards[0]) == [4]


def test_undo_at_once_and_grading_again_at_once(shared_app: App, open_review: Open, deck: str) -> None:
    cards = write_deck(shared_app.home, deck)
    review = open_review(shared_app, deck)
    for key in ("Space", "1", "u", "2", "u", "3", "Space", "4", "Control+z", "2"):
        review.press(key)
    review.expect_card(cards[2])
    review.expect_confirmed()
    assert [shared_app.ratings(card) for card in cards[:2]] == [[3], [2]]
    expect(review.note).to_be_hidden()


def test_undo_after_the_last_card_and_after_a_reload(app: App, open_review: Open, deck: str) -> None:
    cards = write_deck(app.home, deck, cards=2)
    app.start()
    review = open_review(app, deck)
    review.answer_card("4")
    review.answer_card("4")
    review.expect_state("done")
    review.press("Control+z")
    review.expect_card(cards[1], "answer")
    review.press("4")
    review.expect_state("done")
    review.expect_confirmed()
    review.page.reload()
    review.expect_state("done")
    for card in reversed(cards):
        review.press("u")
        review.expect_card(card, "answer")
    review.press("u")
    expect(review.note).to_have_text("There is no answer to take back.")
    assert [app.ratings(card) for card in cards] == [[], []]


def test_a_double_click_counts_once(shared_app: App, open_review: Open, deck: str) -> None:
    cards = write_deck(shared_app.home, deck)
    review = open_review(shared_app, deck)
    review.page.locator(".reveal").dblclick()
    review.expect_card(cards[0], "answer")
    review.page.wait_for_timeout(250)
    review.page.locator('[data-grade="3"]').dblclick()
    review.expect_card(cards[1])
    review.expect_confirmed()
    assert [shared_app.ratings(card) for card in cards[:2]] == [[3], []]


def test_a_held_key_acts_once(shared_app: App, open_review: Open, deck: str) -> None:
    cards = write_deck(shared_app.home, deck)
    review = open_review(shared_app, deck)
    for _ in range(20):
        review.page.keyboard.down("Space")
    review.page.keyboard.up("Space")
    review.expect_card(cards[0], "answer")
    for _ in range(20):
        review.page.keyboard.down("3")
    review.page.keyboard.up("3")
    review.expect_card(cards[1])
    review.expect_confirmed()
    assert shared_app.ratings(cards[0]) == [3]


def test_keys_of_an_input_method_do_nothing(shared_app: App, open_review: Open, deck: str) -> None:
    cards = write_deck(shared_app.home, deck, language="zh")
    review = open_review(shared_app, deck)
    review.page.evaluate(
        """() => {
            const press = options => document.body.dispatchEvent(
                new KeyboardEvent("keydown", {bubbles: true, composed: true, ...options}));
            press({key: "Enter", code: "Enter", isComposing: true});
            press({key: " ", code: "Space", isComposing: true});
            press({key: "Process", code: "Space", keyCode: 229});
        }"""
    )
    review.expect_card(cards[0])


@pytest.mark.parametrize("inside", ["input", "textarea", "select", "div contenteditable", "shadow input"])
def test_keys_typed_elsewhere_do_nothing(shared_app: App, open_review: Open, deck: str, inside: str) -> None:
    cards = write_deck(shared_app.home, deck)
    review = open_review(shared_app, deck)
    review.page.evaluate(
        """inside => {
            const host = document.createElement("div");
            document.body.append(host);
            const root = inside.startsWith("shadow ") ? host.attachShadow({mode: "open"}) : host;
            const [tag, attribute] = inside.replace("shadow ", "").split(" ");
            const field = document.createElement(tag);
            if (attribute) field.setAttribute(attribute, "");
            root.append(field);
            field.focus();
        }""",
        inside,
    )
    for key in ("Space", "3", "u", "Enter"):
        review.press(key)
    review.expect_card(cards[0])
    assert shared_app.ratings(cards[0]) == []


def test_keys_work_wherever_else_the_focus_is(shared_app: App, open_review: Open, deck: str) -> None:
    cards = write_deck(shared_app.home, deck)
    review = open_review(shared_app, deck)
    review.page.evaluate(
        """() => {
            for (const kind of ["checkbox", "radio", "range"]) {
                const field = document.createElement("input");
                field.type = kind;
                field.id = kind;
                document.body.prepend(field);
            }
        }"""
    )
    for kind, card in zip(("checkbox", "radio", "range"), cards, strict=False):
        review.page.locator(f"#{kind}").evaluate("field => field.focus()")
        review.expect_card(card)
        review.answer_card("4")
    review.expect_card(cards[3])
    review.expect_confirmed()


def test_a_button_reached_by_tab_is_pressed_by_space(shared_app: App, open_review: Open, deck: str) -> None:
    cards = write_deck(shared_app.home, deck)
    review = open_review(shared_app, deck)
    review.title.focus()
    for _ in range(12):
        review.press("Tab")
        if review.page.evaluate("document.activeElement.shadowRoot?.activeElement?.dataset.part") == "reveal":
            break
    review.press("Enter")
    review.expect_card(cards[0], "answer")


def test_reload_shows_the_same_card_in_the_same_state(shared_app: App, open_review: Open, deck: str) -> None:
    cards = write_deck(shared_app.home, deck)
    review = open_review(shared_app, deck)
    review.answer_card("4")
    review.expect_card(cards[1])
    assert f"card={cards[1]}" in review.page.url
    review.press("Space")
    review.expect_card(cards[1], "answer")
    review.page.reload()
    review.expect_card(cards[1], "answer")
    review.press("2")
    review.expect_confirmed()
    assert [shared_app.ratings(card) for card in cards[:2]] == [[4], [2]]


def test_reload_right_after_grading_loses_nothing(shared_app: App, open_review: Open, deck: str) -> None:
    cards = write_deck(shared_app.home, deck)
    review = open_review(shared_app, deck)
    review.answer_card("4")
    review.page.reload()
    review.expect_card(cards[1])
    review.expect_confirmed()
    assert shared_app.ratings(cards[0]) == [4]


def test_leaving_the_page_right_after_grading_loses_nothing(
    shared_app: App, open_review: Open, deck: str
) -> None:
    cards = write_deck(shared_app.home, deck)
    review = open_review(shared_app, deck)
    review.answer_card("4")
    review.page.get_by_role("link", name="Settings").click()
    expect(review.bench).to_have_count(0)
    review.page.get_by_role("link", name="Review").click()
    review.expect_state("question")
    review.expect_confirmed()
    assert shared_app.ratings(cards[0]) == [4]
    review.press("Space")
    review.expect_state("answer")  # one listener, not two: a second would have graded


def test_two_tabs_count_one_showing_once(shared_app: App, open_review: Open, deck: str) -> None:
    cards = write_deck(shared_app.home, deck)
    first = open_review(shared_app, deck)
    second = open_review(shared_app, deck)
    first.answer_card("4")
    first.expect_confirmed()
    second.answer_card("1")
    expect(second.note).to_contain_text("was answered elsewhere in the meantime")
    second.expect_card(cards[1])
    second.expect_confirmed()
    assert shared_app.ratings(cards[0]) == [4]
    # also where the card stays in the queue, and the page hears of it before it is graded
    first.answer_card("3")
    first.expect_confirmed()
    second.press("Space")
    expect(second.bench).to_contain_text(re.compile(r"\b1\s*learning"))
    second.press("1")
    second.expect_card(cards[2])
    second.expect_confirmed()
    expect(second.note).to_contain_text("“Question number 2” was answered elsewhere in the meantime")
    assert shared_app.ratings(cards[1]) == [3]


def test_a_broken_deck_of_ones_own_is_named_and_the_others_work(
    app: App, open_review: Open, deck: str
) -> None:
    cards = write_deck(app.home, deck)
    (app.home / "decks" / "broken.yaml").write_text("deck: {id: broken\n", encoding="utf-8")
    app.start()
    review = open_review(app, deck)
    review.expect_card(cards[0])
    expect(review.page.get_by_text("broken.yaml")).to_be_visible()
    expect(review.page.get_by_role("link", name="See what is wrong")).to_be_visible()


def test_the_reveal_and_the_next_card_are_spoken(shared_app: App, open_review: Open, deck: str) -> None:
    write_deck(shared_app.home, deck)
    review = open_review(shared_app, deck)
    review.press("Space")
    expect(review.live).to_have_text("Answer shown. Points: 2.")
    review.press("4")
    expect(review.live).to_have_text("Next card: Question number 2")


def test_the_question_mark_shows_the_keys(shared_app: App, open_review: Open, deck: str) -> None:
    cards = write_deck(shared_app.home, deck)
    review = open_review(shared_app, deck)
    review.press("?")
    expect(review.page.locator("dialog[open]")).to_contain_text("Take back what was done last")
    review.press("Space")
    expect(review.page.locator("dialog[open]")).to_have_count(0)
    review.expect_card(cards[0])
