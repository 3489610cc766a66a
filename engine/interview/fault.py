"""What can go wrong in a mock interview, in words for the person."""

from __future__ import annotations

from engine.faults import BenchcardsError


class InterviewError(BenchcardsError):
    """The interview cannot go on as asked; the message says why and what to do."""
