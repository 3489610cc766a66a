"""Which model turns recordings into text: a folder or a hub name that the learner sets, or none."""

from __future__ import annotations

import re
from pathlib import Path

from sqlalchemy import delete, insert, select

from engine.folders import at_home
from engine.interview.fault import InterviewError
from engine.store import Store
from engine.store.tables import settings

_KEY = "speech_model"
_HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")
LONGEST = 500


def load(store: Store) -> str | None:
    """The model's folder or name; None where none is set."""
    with store.read() as connection:
        value = connection.execute(
            select(settings.c.value).where(settings.c.key == _KEY)
        ).scalar_one_or_none()
    return value if isinstance(value, str) and value else None


def save(store: Store, name: str) -> None:
    """Keeps the model; "" for none. Raises InterviewError for what is neither a model's folder nor a name."""
    name = name.strip()
    if name and not _is_model(name):
        raise InterviewError(
            f"{name!r} is neither a folder that holds a config.json nor a hub name such as owner/model."
        )
    with store.begin() as connection:
        connection.execute(delete(settings).where(settings.c.key == _KEY))
        if name:
            connection.execute(insert(settings), {"key": _KEY, "value": name})


def _is_model(name: str) -> bool:
    if len(name) > LONGEST:
        return False
    folder = at_home(Path(name))
    if folder.is_dir():
        return (folder / "config.json").is_file()
    return _HUB_NAME.fullmatch(name) is not None and not name.startswith((".", "/"))
