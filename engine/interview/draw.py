"""Which cards are asked: drawn at random, those that need it more often, none twice in an interview."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from random import Random

from engine.interview.setup import Setup
from engine.study.card import Card, Library
from engine.study.card_state import NEW, CardState

DUE, WEAK, PRIORITY, NEVER_ASKED = 3.0, 3.0, 2.0, 2.0
"""How much likelier a card is that is due, weak, of high priority, or was never asked; they multiply."""

HARD_FROM = 7.0
"""The difficulty (1 to 10, by FSRS) from which a card counts as weak."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of the cards: states, study day, which were asked, went badly, or are suspended."""

    states: Mapping[str, CardState] = field(default_factory=dict)
    today: str = ""
    asked: Collection[str] = ()
    went_badly: Collection[str] = ()
    suspended: Collection[str] = ()


def candidates(library: Library, setup: Setup, *, suspended: Collection[str] = ()) -> list[Card]:
    """The cards that the set-up allows, in the order of their decks, without the suspended ones."""
    topics = set(setup.topics)
    return [
        card
        for card in library.by_id.values()
        if (not setup.decks or card.deck in setup.decks)
        and (not setup.languages or card.language in setup.languages)
        and (not topics or topics & set(card.topics))
        and card.id not in suspended
    ]


def draw(library: Library, setup: Setup, standing: Standing, *, seed: str) -> list[Card]:
    """At most `setup.questions` cards, each once. The same seed draws the same ones.

    Weighted without replacement: each card gets the key u^(1/weight) with u uniform in (0, 1), and the
    largest keys win (Efraimidis and Spirakis, Information Processing Letters 97, 2006).
    """
    random = Random(seed)  # noqa: S311  # nobody is to be kept from guessing a question
    fitting = candidates(library, setup, suspended=standing.suspended)
    keyed = [(random.random() ** (1 / weight(card, setup, standing)), card) for card in fitting]
    keyed.sort(key=lambda pair: pair[0], reverse=True)
    return [card for _, card in keyed[: setup.questions]]


def weight(card: Card, setup: Setup, standing: Standing) -> float:
    """How likely the card is against one that nothing speaks for (1)."""
    state = standing.states.get(card.id, NEW)
    found = 1.0
    if setup.due and _is_due(state, standing.today):
        found *= DUE
    if setup.weak and (_is_weak(state) or card.id in standing.went_badly):
        found *= WEAK
    if setup.priority and card.priority == "high":
        found *= PRIORITY
    if setup.never_asked and card.id not in standing.asked:
        found *= NEVER_ASKED
    return found


def _is_due(state: CardState, today: str) -> bool:
    if state.phase in ("learning", "relearning"):
        return True
    return state.phase == "review" and state.due_day is not None and state.due_day <= today


def _is_weak(state: CardState) -> bool:
    return state.lapses > 0 or (state.difficulty or 0.0) >= HARD_FROM
