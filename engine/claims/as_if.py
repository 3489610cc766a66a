"""The GPU that predictions are for: this machine's own, or one that the learner picks ("as if on")."""

from __future__ import annotations

from functools import cache

from sqlalchemy import Connection, delete, insert, select

from engine.claims.fault import ClaimsError
from engine.measure.specs import match, spec, specs
from engine.store.store import Store
from engine.store.tables import settings
from engine.study.card import ClaimText

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


@cache
def here() -> str | None:
    """The key of this machine's GPU, None where it has none that the spec table knows."""
    from engine.measure.hardware import this_device  # asks the driver: the first page is drawn before that

    device = this_device()
    if device.type != "cuda" or device.mig:
        return None
    row = match(device.name, device.memory_bytes, device.sm_count)
    return None if row is None else row.key


def target(picked: str | None, claim: ClaimText) -> str:
    """The GPU that a prediction of a claim is for: the one picked, this machine's, the card's, this device.

    A key of the spec table, else the device's name.
    """
    from engine.measure.hardware import this_device  # as above

    return picked or here() or claim.says.on or this_device().name
