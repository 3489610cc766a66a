"""The claims of the project's own decks: on their cards, right or corrected, measured where they say so."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from engine.claims.compute import faults, on_card
from engine.claims.evidence import pick
from engine.claims.overview import can_be_checked
from engine.claims.typed_numbers import numbers
from engine.claims.units import converted
from engine.folders import project_folder
from engine.lab_names import lab_names
from engine.measure.events import Metric
from engine.measure.results import recorded
from engine.study.card import Card, ClaimText, Says
from engine.study.library import load_library

LIBRARY = load_library([project_folder() / "cards"], lab_names=lab_names(), cache=None)
CLAIMS = [(card, claim) for card in LIBRARY.by_id.values() for claim in card.claims]
MEASURED = [(card, claim) for card, claim in CLAIMS if claim.measured is not None]
QUOTED = re.compile(r"[「\"]([^」\"]+)[」\"]")


def _names(pair: tuple[Card, ClaimText]) -> str:
    return f"{pair[0].id}.{pair[1].id}"


def _texts(card: Card) -> Iterator[str]:
    yield from (card.prompt, card.pitfall or "", *card.key_figures)
    for point in card.answer:
        yield from (point.heading, point.text)
    for item in card.follow_ups:
        yield from (item.prompt, item.answer)


def _read_aloud(card: Card) -> str:
    """The card's text with its formulas as a reader sees them."""
    text = "\n".join(_texts(card)).replace("{,}", ",").replace(r"\times", "×").replace("\\%", "%")
    text = re.sub(r"\\text\{([^}]*)\}", r"\1", text).replace("\\ ", " ").replace("\\,", " ")
    return re.sub(r"[$*`]", "", text)


def test_no_deck_has_a_fault_and_no_figure_stands_uncorrected() -> None:
    assert [str(fault) for fault in (*LIBRARY.faults, *faults(LIBRARY))] == []


def test_most_claims_have_a_formula() -> None:
    assert sum(claim.formula is not None for _, claim in CLAIMS) >= 120


def test_a_claim_that_nothing_can_check_says_why() -> None:
    unchecked = [(card, claim) for card, claim in CLAIMS if not can_be_checked(claim)]
    assert [_names(pair) for pair in unchecked if not pair[1].why_not] == []
    assert len(unchecked) < len(CLAIMS) / 6


def test_each_formula_gives_the_figure_of_the_card_or_of_its_correction() -> None:
    """The tolerance is the claim's; none hides a mistake behind a wide one."""
    for card, claim in CLAIMS:
        if claim.formula is None:
            continue
        assert claim.tolerance <= 0.1, card.id
        computed = on_card(claim)
        assert computed is not None, _names((card, claim))
        says = claim.says if claim.correction is None else claim.correction.says
        low, high = (says.value or says.low or 0.0, says.value or says.high or 0.0)
        value = converted(computed.value, claim.says.unit, says.unit)
        assert low * (1 - claim.tolerance) <= value <= high * (1 + claim.tolerance), _names((card, claim))


def test_at_least_fifteen_figures_of_the_documents_are_found_wrong_each_with_its_reason() -> None:
    corrected = [(card, claim, claim.correction) for card, claim in CLAIMS if claim.correction is not None]
    different = {(claim.says.value, claim.says.low, claim.says.unit) for _, claim, _ in corrected}
    assert len(different) >= 15
    for card, claim, correction in corrected:
        assert len(correction.reason) > 20, _names((card, claim))


def test_the_figure_of_a_claim_stands_on_its_card() -> None:
    """A few cards give only the direction: their figure stands on another card of the same document."""
    elsewhere = [(card, claim) for card, claim in CLAIMS if not _is_on(card, claim)]
    assert len(CLAIMS) - len(elsewhere) >= 190
    for card, claim in elsewhere:
        same = [other for other in LIBRARY.by_id.values() if other.source.document == card.source.document]
        assert any(_is_on(other, claim) for other in same), _names((card, claim))


def _is_on(card: Card, claim: ClaimText) -> bool:
    text = _read_aloud(card)
    vague = QUOTED.search(claim.label)
    if vague is not None:  # "a few dozen": the label quotes the words
        return vague[1] in text.replace("\n", " ")
    return _stands(claim.says, text, card.language)


def _stands(says: Says, text: str, language: str) -> bool:
    if says.value is None:
        wanted = {says.low, says.high}
        return any(
            {found.low, found.high} == wanted or (found.bound == "at_most" and found.high == says.high)
            for found in numbers(text, language)
        )
    plain = f"{says.value:g}".replace(".", "," if language == "vi" else ".")
    grouped = f"{says.value:,.0f}".replace(",", "." if language == "vi" else ",")
    words = {1: ("một", "一"), 7: ("七",), 2: ("hai", "两")}.get(int(says.value), ())
    return any(
        re.search(rf"(?<![\d.,])0*{re.escape(number)}(?:\.0)?(?!\d|[.,]\d)", text)
        for number in (plain, grouped)
    ) or any(word in text.lower() for word in words)


def test_the_list_of_corrections_names_each_of_them_and_no_other() -> None:
    page = (project_folder() / "docs" / "corrections.md").read_text(encoding="utf-8")
    listed = re.findall(r"`([a-z0-9-]+\.[a-z0-9-]+)`", page)
    assert sorted(listed) == sorted(_names(pair) for pair in CLAIMS if pair[1].correction is not None)


@pytest.mark.parametrize("pair", MEASURED, ids=_names)
def test_the_lab_metric_and_labels_of_a_claim_exist_in_what_the_lab_recorded(
    pair: tuple[Card, ClaimText],
) -> None:
    claim = pair[1]
    assert claim.measured is not None
    found = _recorded(claim)
    assert found
    converted(found[0].value, found[0].unit, claim.says.unit)


def test_at_least_sixty_claims_have_a_recorded_measurement_and_every_lab_has_a_part() -> None:
    measured = [claim.measured for _, claim in MEASURED if claim.measured is not None and _recorded(claim)]
    assert len(measured) >= 60
    assert {by.lab for by in measured} == set(lab_names())


def _recorded(claim: ClaimText) -> list[Metric]:
    if claim.measured is None:
        return []
    wanted = claim.measured
    found = [
        pick(result, wanted) for result in recorded(wanted.lab) if result.device.get("name") == "NVIDIA H200"
    ]
    return [metric for metric in found if metric is not None]
