"""What was wrong with the text of a trace."""

from __future__ import annotations

import msgspec


class Damage(msgspec.Struct):
    """Events that were damaged, and the line where the first of each kind stands (from 1)."""

    mended: int = 0
    mended_line: int = 0
    numbers: int = 0
    numbers_line: int = 0
    dropped: int = 0
    dropped_line: int = 0
    broken_end_line: int = 0
    """From here on nothing could be read: the file was cut off, or its archive is damaged. 0: it was not."""
