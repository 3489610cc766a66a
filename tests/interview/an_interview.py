"""What tests of the interview share: cards, and an interview that goes on at a clock the test moves."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.interview.clock import Deed
from engine.interview.draw import Standing
from engine.interview.interviews import Interviews, Step
from engine.interview.question import Draft, Interview, Part, Question
from engine.interview.setup import Setup
from engine.study.card import (
    Card,
    ClaimText,
    Deck,
    FollowUp,
    LabLink,
    Library,
    MeasuredBy,
    Point,
    Priority,
    Says,
    Source,
)

START = 1_800_000_000_000
SETUP = Setup(mode="real", questions=3, seconds=60, thinking=10, follow_ups=True, live=False)


def a_card(number: int, *, priority: Priority = "normal", topics: tuple[str, ...] = ("decode",)) -> Card:
    return Card(
        id=f"card-{number}",
        deck="deck",
        kind="question",
        title=f"Card {number}",
        language="en",
        prompt="Why is a decode step slow?",
        answer=(
            Point("Memory-bound", "Each step streams all **weights** through the memory bus."),
            Point("Roofline", "Its arithmetic intensity lies left of the ridge point."),
        ),
        source=Source("document", "section"),
        priority=priority,
        topics=topics,
        key_figures=("weights of 16 GB, a step of 4.8 ms",),
        follow_ups=(FollowUp("And a larger batch?", "The weights are read once for all sequences."),),
        pitfall="Don't say compute-bound.",
        labs=(LabLink("mbu_floor"),),
        claims=(
            ClaimText("weights", "Weights", Says("GB", value=16), formula="16 * 1", tolerance=0.05),
            ClaimText(
                "step",
                "Time of a step",
                Says("ms", value=4.8),
                formula="1 * 1",
                measured=MeasuredBy("mbu_floor", "ms_per_token"),
            ),
        ),
    )


def library_of(cards: int) -> Library:
    every = tuple(a_card(number) for number in range(cards))
    deck = Deck(id="deck", title="A deck", language="en", path="deck.yaml", cards=every)
    return Library(decks=(deck,), by_id={card.id: card for card in every})


@dataclass
class Candidate:
    """Takes an interview at a clock of its own, in milliseconds."""

    interviews: Interviews
    library: Library
    setup: Setup = SETUP
    id: str = "0123456789abcdef"
    now: int = START
    seq: int = field(default=0)

    def start(self) -> Interview:
        return self.interviews.start(self.id, self.setup, self.library, Standing(), now_ms=self.now)

    def get(self) -> Interview:
        found = self.interviews.get(self.id, self.now)
        assert found is not None
        return found

    def question(self, place: int = 0) -> Question:
        return self.get().questions[place]

    def do(self, deed: Deed, place: int = 0, *, phase: str | None = None, at: int | None = None) -> Interview:
        seen = phase or self.question(place).clock.phase
        step = Step(self.id, place, deed, seen, self.now if at is None else at)  # type: ignore[arg-type]
        found = self.interviews.step(step, self.now)
        assert found is not None
        return found

    def write(self, text: str, place: int = 0, part: Part = "main") -> int:
        self.seq += 1
        return self.interviews.keep_text(self.id, place, part, Draft(text, self.seq))

    def answer(self, text: str, place: int = 0, seconds: int = 20) -> Question:
        """Begins a question, writes, and finishes every part of it."""
        self.do("begin", place)
        while self.question(place).clock.phase != "done":
            self.now += seconds * 500
            phase = self.question(place).clock.phase
            if phase == "answering":
                self.write(text, place)
            self.do("begin" if phase.endswith("ready") else "finish", place)
        return self.question(place)
