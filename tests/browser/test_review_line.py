"""Grades that are confirmed without a run of the page's script: quick, guarded, and never the only way."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import Route, expect

from app_pages.review_line import ADDRESS
from tests.browser.app import App
from tests.browser.conftest import Open
from tests.browser.decks import write_deck

pytestmark = pytest.mark.browser
EVIDENCE = "() => document.querySelector('[data-evidence-of]')?.dataset.evidenceOf ?? null"


def post(app: App, body: bytes, **headers: str) -> int:
    """The status of a message to the line."""
    sent = {"Content-Type": "application/json", **headers}
    request = urllib.request.Request(f"{app.url}{ADDRESS[1:]}", data=body, headers=sent)  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b'{"session": "unknown"}', {}, 404),
        (b'{"session": "unknown"}', {"Host": "evil.example"}, 403),
        (b'{"session": "unknown"}', {"Content-Type": "text/plain"}, 415),
        (b"{", {}, 400),
        (b"\xff\xfe", {}, 400),
        (b"[]", {}, 400),
        (b'{"session": 7}', {}, 400),
        (b"[" * 200_000, {}, 400),
        (b" " * ((1 << 20) + 1), {}, 413),
    ],
)
def test_a_message_of_nobody_is_refused(
    shared_app: App, body: bytes, headers: dict[str, str], status: int
) -> None:
    assert post(shared_app, body, **headers) == status


def test_grades_go_by_the_line_and_the_evidence_is_always_that_of_the_card_in_view(
    app: App, open_review: Open
) -> None:
    app.start()
    review = open_review(app, "gpu-profiling-vi")
    page, evidence = review.page, review.page.locator(".st-key-evidence")
    sent: list[dict[str, object]] = []
    page.on(
        "request", lambda each: sent.append(json.loads(each.post_data or "")) if ADDRESS in each.url else None
    )
    cards = []
    for _ in range(3):
        cards.append(review.card)
        review.press("Space")
        expect(evidence).to_be_visible()
        assert page.evaluate(EVIDENCE) == review.card
        review.press("3")
        expect(evidence).to_be_hidden()
        review.expect_confirmed()
    assert [op["card_id"] for message in sent for op in message["ops"]] == cards  # type: ignore[attr-defined]
    review.press("u")
    review.expect_card(cards[2], "answer")
    expect(evidence).to_be_visible()
    assert page.evaluate(EVIDENCE) == cards[2]
    assert [app.ratings(card) for card in cards] == [[3], [3], []]
    assert review.errors == []


def test_where_the_line_is_cut_answers_go_by_the_page(shared_app: App, open_review: Open, deck: str) -> None:
    cards = write_deck(shared_app.home, deck, cards=6)
    review = open_review(shared_app, deck)
    cut: list[str] = []

    def abort(route: Route) -> None:
        cut.append(route.request.url)
        route.abort()

    review.page.route(f"**{ADDRESS}", abort)
    review.answer_card("3")
    review.expect_confirmed()
    review.page.unroute(f"**{ADDRESS}")
    review.page.route(f"**{ADDRESS}", lambda route: route.fulfill(status=503))
    review.answer_card("4")
    review.expect_confirmed()
    review.page.unroute(f"**{ADDRESS}")
    review.answer_card("2")
    review.expect_confirmed()
    assert cut
    assert [shared_app.ratings(card) for card in cards[:4]] == [[3], [4], [2], []]
    assert review.errors == []
