"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path


def write_whole(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Puts a file in place of the one before: whoever reads it sees the old or the new one.

    Its folder must be there. A file that is replaced keeps its rights. durable: on disk when this returns,
    which takes some milliseconds. Raises OSError, and nothing was changed then.
    """
    draft = path.with_name(f".writing-{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        if path.exists():
            os.chmod(draft, stat.S_IMODE(path.stat().st_mode))
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
