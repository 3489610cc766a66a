"""The times of a chrome trace, from numbers or from the text in the file: exact integer nanoseconds."""

from __future__ import annotations

from decimal import Decimal

import msgspec

LONGEST_NUMBER = 64
"""The most characters of a time that is read as a number."""
LATEST = 1 << 63
"""No time is later, in nanoseconds (the year 2262)."""
SHORT = 19
"""A number of fewer digits is earlier than that."""
MOST_WHOLE = 1 << 52
"""Below this a whole number of microseconds is a time for sure (the year 2112)."""
SURE = float(1 << 49)
"""Below this many nanoseconds (6.5 days) a float64 of microseconds times 1000 is less than 0.13 ns off (half
the last binary digit, 2**-4 ns, for the number and once more for the product): within 0.3 ns of a whole
nanosecond it is the one that the exact number rounds to."""


class Doubtful(Exception):
    """A float64 may not be what stands in the file."""


def span_of(
    ts: float | str | msgspec.Raw | None, dur: float | str | msgspec.Raw | None
) -> tuple[int, int, bool] | None:
    """Start and end in nanoseconds, and whether the start stands there as text; None for what is no time.
    Raises `Doubtful`."""
    quoted = type(ts) is str
    if type(ts) is msgspec.Raw:
        # a large trace has millions of these
        text = bytes(ts)
        start = nanoseconds(text)
        quoted = text[:1] == b'"'
    else:
        start = time_of(ts)
    length: int | None = None
    if type(dur) is float and 0 <= dur < MOST_WHOLE:
        long = dur * 1000
        length = round(long)
        if not (long < SURE and -0.3 < long - length < 0.3):
            raise Doubtful
    else:
        length = time_of(dur)
    if start is None or length is None or length < 0:
        return None
    return start, start + length, quoted


def time_of(microseconds: float | str | bytes | msgspec.Raw | None) -> int | None:
    """Nanoseconds; None for what is no number. Raises `Doubtful`."""
    kind = type(microseconds)
    if kind is bytes:
        return nanoseconds(microseconds)  # type: ignore[arg-type]
    if kind is int:
        exact: int = microseconds * 1000  # type: ignore[assignment, operator]
        return exact if -LATEST < exact < LATEST else None
    if kind is float:
        scaled: float = microseconds * 1000  # type: ignore[assignment, operator]
        if -SURE < scaled < SURE:
            rounded = round(scaled)
            if -0.3 < scaled - rounded < 0.3:
                return rounded
        raise Doubtful
    if isinstance(microseconds, msgspec.Raw):
        return nanoseconds(bytes(microseconds))
    return _unusual(microseconds.encode("ascii", "replace")) if isinstance(microseconds, str) else None


def nanoseconds(text: bytes) -> int | None:
    """Microseconds as they stand in the file, to integer nanoseconds; None where that is no number.

    `ts` and `dur` are microseconds whatever `displayTimeUnit` says; some writers quote them.
    """
    try:
        # as nearly all traces have them: three decimals, or a whole number
        exact = int(text.replace(b".", b"", 1)) if text[-4:-3] == b"." else int(text) * 1000
    except ValueError:
        return _unusual(text)
    return exact if -LATEST < exact < LATEST else None


def _unusual(text: bytes) -> int | None:
    digits = text.strip(b'"')
    if len(digits) > LONGEST_NUMBER:
        return None
    before, point, part = digits.partition(b".")
    if before.lstrip(b"-").isdigit() and len(part) <= 3 and (not point or part.isdigit()):
        value = int(before) * 1000
        fraction = int(part.ljust(3, b"0")) if part else 0
        exact = value - fraction if before.startswith(b"-") else value + fraction
        return exact if abs(exact) < LATEST else None
    try:
        number = Decimal(digits.decode("ascii")) * 1000
    except (ArithmeticError, UnicodeDecodeError):
        # decimal's own errors are arithmetic ones: no number, or one beyond all bounds
        return None
    # 1e999999999 is finite too, and no memory holds its digits
    return int(number.to_integral_value()) if number.is_finite() and abs(number) < LATEST else None


def whole(value: float | str | None) -> int | None:
    """A whole number that may stand there as text or with a point; None where it is none."""
    if isinstance(value, str):
        digits = value.removeprefix("-")
        return int(value) if digits.isascii() and digits.isdigit() and len(digits) < LONGEST_NUMBER else None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value
