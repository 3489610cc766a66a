"""Learning steps as people write them: `1m 10m 1h 1d`."""

from __future__ import annotations

import re
from functools import lru_cache

UNITS = {"m": 1, "h": 60, "d": 24 * 60}
LONGEST_MINUTES = 30 * UNITS["d"]
MOST_STEPS = 10
_STEP = re.compile(r"(\d{1,6})([mhd])?")


@lru_cache(maxsize=64)
def parse_steps(text: str) -> tuple[int, ...]:
    """The steps in minutes; a bare number is minutes, an empty text is no steps.

    Raises ValueError with what is wrong with which step.
    """
    words = text.replace(",", " ").lower().split()
    if len(words) > MOST_STEPS:
        raise ValueError(f"at most {MOST_STEPS} steps, not {len(words)}")
    steps: list[int] = []
    for word in words:
        match = _STEP.fullmatch(word)
        if match is None:
            raise ValueError(f"{word!r} is not a step: write a whole number with m, h or d, such as 10m")
        minutes = int(match[1]) * UNITS[match[2] or "m"]
        if not 1 <= minutes <= LONGEST_MINUTES:
            raise ValueError(f"{word!r} is out of range: a step is 1m to 30d")
        if steps and minutes < steps[-1]:
            raise ValueError(f"{word!r} is shorter than the step before it")
        steps.append(minutes)
    return tuple(steps)


def write_steps(steps: tuple[int, ...]) -> str:
    """The steps as text, each in the largest unit that keeps it whole."""
    return " ".join(_write(minutes) for minutes in steps)


def _write(minutes: int) -> str:
    for unit in ("d", "h"):
        if minutes % UNITS[unit] == 0:
            return f"{minutes // UNITS[unit]}{unit}"
    return f"{minutes}m"
