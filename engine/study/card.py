"""A card as the rest of the app sees it: plain values, checked before they get here."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

Language = Literal["vi", "zh", "en"]
Kind = Literal["question", "self-test", "misconception", "term", "table", "exercise"]
Priority = Literal["high", "normal"]


@dataclass(frozen=True, slots=True)
class Point:
    """One point of an answer. Heading and text are Markdown; together the points are the rubric."""

    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class FollowUp:
    """The question an interviewer asks next, with its answer (Markdown)."""

    prompt: str
    answer: str


@dataclass(frozen=True, slots=True)
class LabLink:
    """A lab that shows this card's point, with the levers to set (`--set key=value`)."""

    name: str
    set: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """Where the card comes from: the document's title and the section in it."""

    document: str
    section: str


@dataclass(frozen=True, slots=True)
class Says:
    """What a card states: one value, or a range; `unit` is a pint unit ("" for a plain number).

    `on` names the hardware the card speaks of (a key of the GPU spec table) or is None.
    """

    unit: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    on: str | None = None


@dataclass(frozen=True, slots=True)
class MeasuredBy:
    """The metric that measures a claim: lab, metric name, and the labels that pick the variant."""

    lab: str
    metric: str
    labels: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Correction:
    """The right figure where the card's document gives one that doesn't follow from its own inputs.

    `reason` says why, in the card's language. The card's text keeps what the document says.
    """

    says: Says
    reason: str


@dataclass(frozen=True, slots=True)
class ClaimText:
    """A numeric statement of a card, as data. `engine.claims` gives it its meaning.

    id: unique within the card. label: what it is, in the card's language.
    formula: arithmetic over named quantities, e.g. "weight_bytes / memory_bandwidth".
    model: the model shape whose quantities the formula uses (a key of the model table).
    quantities: further named quantities as text: with a unit, e.g. {"measured_step": "25 ms"}, or as a
    formula over others, e.g. {"cpu_step": "kernels * launch_cost"}; those of the deck that the claim needs
    are among them.
    tolerance: relative, 0.05 = 5 %. why_not: why it can be neither computed nor measured.
    correction: the right figure, where what the card says is wrong. line: where the claim stands in the file.
    """

    id: str
    label: str
    says: Says
    formula: str | None = None
    model: str | None = None
    quantities: tuple[tuple[str, str], ...] = ()
    tolerance: float = 0.05
    measured: MeasuredBy | None = None
    why_not: str | None = None
    correction: Correction | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class Card:
    """One flashcard. `id` is stable for ever: the review history hangs on it, not on the text.

    `file` and `line` say where it stands, for messages and for editing. `follows`: id of the card of its deck
    whose question it follows up; the two come on different days.
    """

    id: str
    deck: str
    kind: Kind
    title: str
    language: Language
    prompt: str
    answer: tuple[Point, ...]
    source: Source
    priority: Priority = "normal"
    lessons: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    key_figures: tuple[str, ...] = ()
    follow_ups: tuple[FollowUp, ...] = ()
    pitfall: str | None = None
    labs: tuple[LabLink, ...] = ()
    claims: tuple[ClaimText, ...] = ()
    file: str = ""
    line: int = 0
    follows: str | None = None


def placeless(card: Card) -> Card:
    """The card without the file and lines it stands at, which are others on every machine."""
    claims = tuple(replace(claim, line=0) for claim in card.claims)
    return replace(card, file="", line=0, claims=claims)


@dataclass(frozen=True, slots=True)
class Deck:
    """A deck: one YAML file. `language` is its cards' language unless a card says otherwise."""

    id: str
    title: str
    language: Language
    path: str
    description: str = ""
    cards: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a deck, as `file:line: field: message`."""

    file: str
    line: int
    field: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.field}: {self.message}"


@dataclass(frozen=True, slots=True)
class Library:
    """All decks that could be read, and the faults of those that could not.

    `faults` is keyed by the deck file; a deck with faults is not in `decks`. `replaced`: pairs of files, the
    project's and the learner's own copy that is used in its place.
    """

    decks: tuple[Deck, ...] = ()
    faults: tuple[Fault, ...] = ()
    by_id: dict[str, Card] = field(default_factory=dict)
    replaced: tuple[tuple[str, str], ...] = ()
