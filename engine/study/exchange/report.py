"""What an import does, or would do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tally:
    """Of one kind of record: how many are new here, and how many were here already."""

    new: int = 0
    known: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """What the import of a file does.

    card_changes: of single cards, and what took changes back.
    merged: cards that got answers from the file beside those that this machine alone has; their states are
    worked out anew from both. renumbered: answers whose version was taken here. settings_taken,
    settings_differ: names; what differs stays as it is here, unless the import replaces. decks_new,
    decks_same, decks_differ: file names, likewise. decks_renewed: files that an earlier import wrote and
    nobody edited. left_out: what can't come along, counted (`parsed.Parsed`). replaced: what differs was
    taken from the file. unknown_cards: ids of cards answered in the file that no deck has, here or in the
    file: their answers are kept.
    """

    reviews: Tally = Tally()
    undos: Tally = Tally()
    predictions: Tally = Tally()
    sightings: Tally = Tally()
    record_notes: Tally = Tally()
    pictures: Tally = Tally()
    mistakes: Tally = Tally()
    card_changes: Tally = Tally()
    practice_answers: Tally = Tally()
    schedule_changes: Tally = Tally()
    merged: int = 0
    renumbered: int = 0
    settings_taken: tuple[str, ...] = ()
    settings_differ: tuple[str, ...] = ()
    decks_new: tuple[str, ...] = ()
    decks_same: tuple[str, ...] = ()
    decks_differ: tuple[str, ...] = ()
    decks_renewed: tuple[str, ...] = ()
    left_out: tuple[tuple[str, int], ...] = ()
    replaced: bool = False
    unknown_cards: tuple[str, ...] = ()

    @property
    def changes(self) -> bool:
        """Whether anything of the file isn't here yet."""
        tallies = (
            *(self.reviews, self.undos, self.predictions, self.sightings, self.record_notes),
            *(self.mistakes, self.card_changes, self.practice_answers, self.schedule_changes),
            self.pictures,
        )
        differs = self.replaced and (self.settings_differ or self.decks_differ)
        return bool(
            any(t.new for t in tallies)
            or self.settings_taken
            or self.decks_new
            or self.decks_renewed
            or differs
        )
