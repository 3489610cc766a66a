"""A command was used wrongly."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from engine.faults import BenchcardsError


class UsageError(BenchcardsError):
    """What was asked for doesn't exist or isn't allowed, and what is."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """ " Did you mean x?" for the nearest known word, or nothing."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f" Did you mean {near[0]}?" if near else ""
