"""Takes events one by one out of the text of a trace that doesn't decode as a whole: mends them where that is
safe, and counts what it mended and what it had to drop."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

from engine.measure.analyse.damage import Damage
from engine.measure.analyse.errors import UnreadableFile
from engine.measure.analyse.json_repair import repairs
from engine.measure.analyse.trace_events import NOT_JSON, Event, event_in

MOST_DAMAGED = 200_000
MOST_DAMAGED_BYTES = 128 * 1024 * 1024
"""Above these the file as a whole is not to be trusted, and mending it would take minutes."""
SURELY_WHOLE = 256 * 1024
"""An event that doesn't decode is called damaged only if so much of the file behind its start is there."""
ENDS_TRIED = 16
"""Closing brackets tried for the end of one event: those of objects within it come first."""

_END = re.compile(rb"\}(?=\s*[,\]])")
_AFTER_DAMAGE = re.compile(
    rb'\}\s*(?:,\s*(?=\{\s*"(?:ph|cat|name|pid|tid|ts|dur|args|id|bp|s)"\s*:)|(?=\]\s*(?:,\s*"|\}?\s*\Z)))'
)
_BETWEEN = re.compile(rb"[\s,]*")


class OneByOne:
    """Of one file. `refuse` makes the error for what is no trace, from a reason and the place in the text."""

    def __init__(self, damage: Damage, refuse: Callable[[str, int], UnreadableFile]) -> None:
        self._damage = damage
        self._refuse = refuse
        self._damaged_bytes = 0

    def events(self, text: bytes, line: int, *, ended: bool) -> tuple[list[Event], int, bool]:
        """The events in the text, where what follows them begins, and whether their list ends there.

        `line`: of the text's first byte. `ended`: the file ends with the text; else its last event may not be
        whole. Raises `UnreadableFile` where too much is damaged.
        """
        at, events = 0, list[Event]()
        while True:
            at = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]
            if at >= len(text):
                return events, at, False
            if text.startswith(b"]", at):
                return events, at + 1, True
            read = _sound(text, at) or self._damaged(text, at, line, ended=ended)
            if read is None:
                return events, at, False
            event, at = read
            if event is not None:
                events.append(event)

    def _damaged(self, text: bytes, at: int, line: int, *, ended: bool) -> tuple[Event | None, int] | None:
        """The event mended, or None in its place; None instead of both where its end isn't there yet."""
        after = _AFTER_DAMAGE.search(text, at)
        if after is None or (not ended and len(text) - at < SURELY_WHOLE):
            return None
        end = after.start() + 1
        self._damaged_bytes += end - at
        event = self._mended(text[at:end], line + text.count(b"\n", 0, at))
        damage = self._damage
        number = damage.mended + damage.numbers + damage.dropped
        if number > MOST_DAMAGED or self._damaged_bytes > MOST_DAMAGED_BYTES:
            raise self._refuse(f"too much of it is damaged, {number:,} events up to here", at)
        return event, end

    def _mended(self, text: bytes, line: int) -> Event | None:
        damage = self._damage
        for mended in repairs(text):
            try:
                event = event_in(mended.content)
            except NOT_JSON:
                continue
            if mended.text:
                damage.mended += 1
                damage.mended_line = damage.mended_line or line
            if mended.numbers:
                damage.numbers += 1
                damage.numbers_line = damage.numbers_line or line
            return event
        damage.dropped += 1
        damage.dropped_line = damage.dropped_line or line
        return None


def _sound(text: bytes, at: int) -> tuple[Event, int] | None:
    for end in itertools.islice(_END.finditer(text, at), ENDS_TRIED):
        try:
            return event_in(text[at : end.end()]), end.end()
        except NOT_JSON:
            continue
    return None
