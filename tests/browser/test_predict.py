"""A number is predicted from the keyboard before the answer, and never after it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from engine.claims import predictions
from engine.claims.predictions import Prediction
from tests.browser.app import App
from tests.browser.conftest import Open

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

CARDS = """\
deck:
  id: {deck}
  title: Predict
  language: en
  document: Test
cards:
  - id: {deck}-1
    kind: question
    title: How long does a decode step take at least?
    prompt: Llama 3 8B in bf16, batch 1.
    answer:
      - heading: Weights over bandwidth
        text: 16 GB over 3.35 TB/s.
    source: {{section: one}}
    claims:
      - id: floor
        label: Floor of a step
        says: {{value: 4.8, unit: ms, on: h100-sxm}}
        model: llama-3-8b
        tolerance: 10%
        formula: weight_bytes / memory_bandwidth
      - id: weights
        label: Bytes of weights
        says: {{value: 16, unit: GB}}
        model: llama-3-8b
        tolerance: 10%
        formula: weight_bytes
  - id: {deck}-2
    kind: term
    title: Nothing to predict
    prompt: A word.
    answer:
      - heading: A word
        text: And its meaning.
    source: {{section: two}}
"""


def kept(app: App, card: str) -> list[Prediction]:
    store = app.store()
    try:
        return list(predictions.counting(store, card))
    finally:
        store.close()


def test_a_number_is_predicted_before_the_answer_and_never_after(
    shared_app: App, open_review: Open, deck: str
) -> None:
    folder = shared_app.home / "decks"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{deck}.yaml").write_text(CARDS.format(deck=deck), encoding="utf-8")
    card = f"{deck}-1"
    review, other = (open_review(shared_app, deck) for _ in range(2))
    page, box = review.page, review.page.locator(".predict")
    expect(box.get_by_role("button")).to_have_text("Predict a numberP")
    review.press("p")
    field = box.get_by_label("Your prediction")
    expect(field).to_be_focused()
    expect(box.locator(".on")).to_have_text("On H100 SXM5 80 GB")
    # digits, space and letters are text here: nothing is revealed, graded or taken back
    page.keyboard.type("u 12 or 3 ms")
    review.expect_state("question")
    review.press("Enter")
    expect(review.note).to_contain_text("There are several numbers in the prediction")
    expect(box.locator(".made")).to_be_hidden()
    # what was refused comes back into the field, for the number it was meant for
    expect(field).to_have_value("u 12 or 3 ms")
    expect(box.locator("select")).to_have_value("floor")
    field.fill("5,5 ms")
    field.press("Enter")
    expect(box.locator(".made li")).to_have_text("Floor of a step5,5 ms")
    expect(box.locator("select")).to_have_value("weights")
    page.keyboard.type("15 GB")
    review.press("Enter")
    expect(box.locator(".made li")).to_have_count(2)
    review.expect_confirmed()
    assert [(made.claim_id, made.value, made.text) for made in kept(shared_app, card)] == [
        ("floor", 5.5, "5,5 ms"),
        ("weights", 15.0, "15 GB"),
    ]
    # another tab has the question still open while the answer is revealed here
    other.press("p")
    expect(other.page.locator(".predict input")).to_be_focused()
    review.press("Space")
    review.expect_state("answer")
    expect(box).to_be_hidden()
    review.press("p")
    expect(box).to_be_hidden()
    expect(page.get_by_text("You predicted 5.50")).to_contain_text("+23% from the formula")
    other.page.keyboard.type("4.48 ms")
    other.press("Enter")
    expect(other.note).to_contain_text("You saw this card's answer today at")
    other.expect_confirmed()
    assert len(kept(shared_app, card)) == 2
    # the review goes on from the keyboard; a card without claims has nothing to predict
    review.press("3")
    review.expect_card(f"{deck}-2")
    expect(box).to_be_hidden()
    review.press("p")
    review.expect_state("question")
    review.expect_confirmed()
    assert shared_app.ratings(card) == [3]
    assert review.errors == []
    assert other.errors == []
