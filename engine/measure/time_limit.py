"""How long a lab may run: as long as it says itself, or as long as the learner allows."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, select

from engine.measure.fault import MeasureError
from engine.store.store import Store
from engine.store.tables import settings

LOW, HIGH = 1, 24 * 60
"""The range of the setting, in minutes."""
_KEY = "lab_time_limit_minutes"


def load(store: Store) -> int | None:
    """The learner's limit in minutes; None: each lab's own counts."""
    with store.read() as connection:
        return read(connection)


def read(connection: Connection) -> int | None:
    """The same, within a transaction. A value that isn't allowed counts as none."""
    value = connection.execute(select(settings.c.value).where(settings.c.key == _KEY)).scalar_one_or_none()
    return value if isinstance(value, int) and LOW <= value <= HIGH else None


def save(store: Store, minutes: float | None) -> None:
    """Keeps the limit; None: each lab's own counts again. Raises MeasureError for a value out of range."""
    if minutes is not None and not (LOW <= minutes <= HIGH and minutes == int(minutes)):
        raise MeasureError(f"The time limit must be a whole number of minutes from {LOW} to {HIGH}.")
    with store.begin() as connection:
        connection.execute(delete(settings).where(settings.c.key == _KEY))
        if minutes is not None:
            connection.execute(insert(settings), {"key": _KEY, "value": int(minutes)})
