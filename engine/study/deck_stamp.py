"""A line on top of a deck file that an import wrote: it tells whether anyone edited the file since."""

from __future__ import annotations

import hashlib
import re

_STAMP = re.compile(rb"\A# Written by an import \(of the lines below: sha256 ([0-9a-f]{64})\)\.[^\n]*\n")


def stamped(text: str) -> str:
    """The deck's text under a line that tells later whether anyone changed it."""
    digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
    head = f"# Written by an import (of the lines below: sha256 {digest})."
    return f"{head} An import renews it as long as you don't edit it.\n{text}"


def is_untouched(raw: bytes) -> bool:
    """Whether a deck file is as an import wrote it."""
    found = _STAMP.match(raw)
    return found is not None and hashlib.sha256(raw[found.end() :]).hexdigest().encode() == found.group(1)
