"""The lines of the notebook as they are listed: the learner's own, and the pitfalls that cards warn of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from engine.study.card import Card, Library
from engine.study.notebook import TIP, Mistake


@dataclass(frozen=True, slots=True)
class Line:
    """A line with its card (None where no deck holds it now) and what it says (Markdown).

    tip: it comes from the card's own pitfall.
    """

    mistake: Mistake
    card: Card | None
    text: str
    tip: bool


def lines(library: Library, kept: Mapping[str, Sequence[Mistake]]) -> list[Line]:
    """Every line: what came back most often first, then the newest; pitfalls never made yet come last."""
    found = [_line(mistake, library) for mistakes in kept.values() for mistake in mistakes]
    made = {line.mistake.card_id for line in found if line.tip}
    for card in library.by_id.values():
        if card.pitfall and card.id not in made:
            found.append(Line(Mistake(TIP, card.id, "", 0, "", "", 0), card, card.pitfall, tip=True))
    return sorted(found, key=_rank)


def of_card(card: Card, kept: Sequence[Mistake]) -> list[Line]:
    """The learner's own lines of one card; its pitfall stands on the card itself."""
    library = Library(by_id={card.id: card})
    return sorted((_line(mistake, library) for mistake in kept), key=_rank)


def by_topic(every: Iterable[Line]) -> list[tuple[str, int, int]]:
    """Topics with how often their mistakes were made and how many lines they have, the worst first."""
    times: Counter[str] = Counter()
    number: Counter[str] = Counter()
    for line in every:
        for topic in line.card.topics if line.card is not None else ():
            times[topic] += line.mistake.times + line.mistake.forgotten
            number[topic] += 1
    return sorted(
        ((topic, times[topic], number[topic]) for topic in number), key=lambda row: (-row[1], row[0])
    )


def without_settled(every: Iterable[Line]) -> list[Line]:
    """The lines that are still open."""
    return [line for line in every if not line.mistake.settled]


def _line(mistake: Mistake, library: Library) -> Line:
    card = library.by_id.get(mistake.card_id)
    tip = mistake.nonce == TIP
    text = (card.pitfall or "" if card is not None else "") if tip else mistake.text
    return Line(mistake if not tip else replace(mistake, text=""), card, text, tip)


def _rank(line: Line) -> tuple[object, ...]:
    mistake = line.mistake
    return (
        mistake.settled,
        -(mistake.times + mistake.forgotten),
        -mistake.first_ms,
        mistake.card_id,
        mistake.nonce,
    )
