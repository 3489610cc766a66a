"""The GPU that predictions are for: this machine's own, or one that the learner picks ("as if on")."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, delete, insert, select

from engine.claims.fault import ClaimsError
from engine.claims.hardware_quantities import Hardware, of_key
from engine.claims.sources import this_hardware
from engine.measure.specs import spec, specs
from engine.store.store import Store
from engine.store.tables import settings

FIRST = (
    *("t4", "a10", "l4", "a100-40", "a100-80", "h100-sxm", "h100-pcie", "h100-nvl", "h200", "b200"),
    *("rtx-3090", "rtx-4090", "rtx-5090", "mi300x"),
)
"""What learners meet most: these stand first in a list."""
_KEY = "as_if_gpu"


def choices() -> tuple[str, ...]:
    """Every GPU of the spec table by its key, the usual ones first."""
    return (*FIRST, *(row.key for row in specs() if row.key not in FIRST))


def load(store: Store) -> str | None:
    """The key of the GPU picked; None: this machine."""
    with store.read() as connection:
        return read(connection)


def read(connection: Connection) -> str | None:
    """The same, within a transaction. A GPU that the table doesn't have (any more) counts as none."""
    query = select(settings.c.value).where(settings.c.key == _KEY)
    value = connection.execute(query).scalar_one_or_none()
    return value if isinstance(value, str) and spec(value) is not None else None


def save(store: Store, key: str | None) -> None:
    """Keeps the choice; None: this machine again. Raises ClaimsError for a GPU the table doesn't have."""
    if key is not None and spec(key) is None:
        raise ClaimsError("gpu", f"there is no {key!r} in the table; the GPUs are {', '.join(choices())}")
    with store.begin() as connection:
        connection.execute(delete(settings).where(settings.c.key == _KEY))
        if key is not None:
            connection.execute(insert(settings), {"key": _KEY, "value": key})


def hardware(store: Store, data: Path) -> Hardware:
    """What predictions are for now: the GPU picked, by its datasheet, else this machine's device."""
    key = load(store)
    picked = None if key is None else of_key(key)
    return picked or this_hardware(data)
