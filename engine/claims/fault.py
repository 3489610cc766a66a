"""The room's one exception."""

from __future__ import annotations

from engine.faults import BenchcardsError
from engine.study.card import Card, ClaimText, Fault


class ClaimsError(BenchcardsError):
    """A claim that can't be worked out. `field` and `message` say what is wrong and what to do.

    `at` puts the claim's place before it; `str()` is then `file:line: field: message`.
    """

    def __init__(self, field: str, message: str, *, file: str = "", line: int = 0) -> None:
        self.field = field
        self.message = message
        self.file = file
        self.line = line
        super().__init__(f"{file}:{line}: {field}: {message}" if file else f"{field}: {message}")

    def at(self, card: Card, claim: ClaimText) -> ClaimsError:
        """The same error with the file and line of the card, and the claim's id in its field."""
        return ClaimsError(
            f"{card.id}.claims.{claim.id}.{self.field}",
            self.message,
            file=card.file,
            line=claim.line or card.line,
        )

    def fault(self) -> Fault:
        """As `engine check` lists it."""
        return Fault(file=self.file, line=self.line, field=self.field, message=self.message)
