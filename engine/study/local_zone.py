"""The time zone of this machine, for commands: a page asks the browser."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path
from zoneinfo import available_timezones

ZONEINFO = "zoneinfo"


def local_zone() -> str:
    """The IANA name of this machine's zone; where it doesn't tell, a fixed one with the offset of now."""
    named = os.environ.get("TZ", "").removeprefix(":")
    known = available_timezones()
    if named in known:
        return named
    link = os.path.realpath("/etc/localtime")
    _, found, name = link.partition(f"{os.sep}{ZONEINFO}{os.sep}")
    if found and name in known:
        return name
    written = Path("/etc/timezone")
    if written.is_file():
        name = written.read_text(encoding="utf-8", errors="replace").strip()
        if name in known:
            return name
    offset = datetime.now().astimezone().utcoffset()
    hours = 0 if offset is None else round(offset.total_seconds() / 3600)
    # the signs of these names are turned round (POSIX)
    return "UTC" if hours == 0 else f"Etc/GMT{-hours:+d}"
