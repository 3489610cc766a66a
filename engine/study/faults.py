"""What can go wrong in the study room, in words for the person."""

from __future__ import annotations

from engine.faults import BenchcardsError


class StudyError(BenchcardsError):
    """The daily work cannot go on; the message says why and what to do."""
