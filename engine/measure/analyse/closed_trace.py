"""A trace that was cut off, closed behind its last whole event: for programs that read whole files only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from engine.measure.analyse.contents import CHUNK, DAMAGED, Unpacked
from engine.measure.analyse.trace_stream import LONGEST_EVENT

_NEXT_EVENT = re.compile(rb',\s*(?=\{\s*"(?:ph|cat|name|pid|tid|ts|dur)"\s*:)')


def closed(path: Path) -> Iterator[bytes]:
    """The text of the trace at `path`, unpacked, up to its last event that is surely whole, and its end.

    Raises OSError where it can't be opened, UnreadableFile where it is no recording (see `Unpacked`).
    """
    with path.open("rb") as file:
        kept, begun = bytearray(), b""
        try:
            for chunk in Unpacked(file, path):
                begun = begun or chunk.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
                kept += chunk
                # the last event may begin that far before the end
                if len(kept) > LONGEST_EVENT + 4 * CHUNK:
                    yield bytes(kept[:-LONGEST_EVENT])
                    del kept[:-LONGEST_EVENT]
        except DAMAGED:  # the archive is cut off too: what came before that counts
            pass
    *_, last = (0, *(match.start() for match in _NEXT_EVENT.finditer(kept)))
    yield bytes(kept[:last])
    yield b"]" if begun == b"[" else b"]}"
