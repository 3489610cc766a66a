"""What can be wrong with a file that is to be imported."""

from __future__ import annotations

from engine.study.faults import StudyError


class ExchangeFault(StudyError):
    """`FILE: RECORD: FIELD: what is wrong and the way out`. Nothing was changed.

    where: the file, with the record or line in it.
    """

    def __init__(self, where: str, field: str, message: str) -> None:
        self.where = where
        self.field = field
        self.message = message
        super().__init__(": ".join(part for part in (where, field, message) if part))
