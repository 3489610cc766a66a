"""What the learner can set, each value checked before it is kept."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from functools import lru_cache

from sqlalchemy import Connection, Text, bindparam, cast, delete, insert, select

from engine.store import Store
from engine.store.tables import schedulers
from engine.store.tables import settings as table
from engine.study.faults import StudyError
from engine.study.review_keys import BadKeys, parse_keys, write_keys
from engine.study.schedule import LONGEST_DAYS, SchedulerParams
from engine.study.schedule_plan import plan_in
from engine.study.steps import parse_steps, write_steps

LANGUAGES = ("auto", "en", "vi", "zh")
LEECH_ACTIONS = ("tell", "suspend")
_DECK_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class StudySettings:
    """The settings of the daily work. Steps are text such as `1m 10m 1h 1d`.

    learn_ahead_minutes: when nothing else is left, learning cards due within these minutes come at once.
    interface_language: `auto` follows the browser.
    decks_left_out: ids of decks that the daily review leaves out, separated by spaces.
    leech_lapses: times a card is forgotten until it counts as a leech; 0: never. leech_action: `tell`, or
    `suspend` it as well. review_keys: the keys that differ from the defaults (`engine.study.review_keys`).
    """

    new_per_day: int = 20
    reviews_per_day: int = 200
    learning_steps: str = "1m 10m"
    relearning_steps: str = "10m"
    desired_retention: float = 0.9
    maximum_days: int = LONGEST_DAYS
    learn_ahead_minutes: int = 20
    rollover_hour: int = 4
    interface_language: str = "auto"
    decks_left_out: str = ""
    leech_lapses: int = 8
    leech_action: str = "tell"
    review_keys: str = ""

    @property
    def scheduler(self) -> SchedulerParams:
        """The part that the schedule depends on; `schedule_plan` adds what was fitted or set by deck."""
        return SchedulerParams(
            desired_retention=self.desired_retention,
            learning_steps=parse_steps(self.learning_steps),
            relearning_steps=parse_steps(self.relearning_steps),
            maximum_days=self.maximum_days,
        )


@dataclass(frozen=True, slots=True)
class SettingFault:
    """One value that cannot be kept: the field, a code and arguments for the reader's language.

    Codes: `out_of_range` {low, high}, `not_whole` {low, high}, `not_a_number` {low, high}, `bad_steps`
    {detail}, `bad_choice` {choices}, `bad_deck_id` {id}, `bad_keys` {detail}, `unknown_field`. `str()` is the
    message in English.
    """

    field: str
    code: str
    args: tuple[tuple[str, str], ...]
    message: str

    def __str__(self) -> str:
        return f"{self.field}: {self.message}"


class SettingsRefused(StudyError):
    """Values that cannot be kept; nothing was changed."""

    def __init__(self, faults: tuple[SettingFault, ...]) -> None:
        self.faults = faults
        super().__init__("\n".join(str(fault) for fault in faults))


Checked = int | float | str
RANGES: dict[str, tuple[float, float]] = {
    "new_per_day": (0, 9999),
    "reviews_per_day": (0, 9999),
    "desired_retention": (0.7, 0.99),
    "maximum_days": (1, LONGEST_DAYS),
    "learn_ahead_minutes": (0, 720),
    "rollover_hour": (0, 12),
    "leech_lapses": (0, 99),
}
"""Lowest and highest value of each number, both allowed."""


def checked(values: Mapping[str, object]) -> StudySettings:
    """Settings from values as they come from a form or a file; what is missing keeps its default.

    Raises SettingsRefused with every fault there is.
    """
    good: dict[str, Checked] = {}
    faults: list[SettingFault] = []
    for name, value in values.items():
        check = _CHECKS.get(name)
        outcome = (
            SettingFault(name, "unknown_field", (), "there is no such setting")
            if check is None
            else check(name, value)
        )
        if isinstance(outcome, SettingFault):
            faults.append(outcome)
        else:
            good[name] = outcome
    if faults:
        raise SettingsRefused(tuple(faults))
    return StudySettings(**good)  # type: ignore[arg-type]  # each field was checked under its name


def load(store: Store) -> StudySettings:
    """The settings kept in the store."""
    with store.read() as connection:
        return load_in(connection)


def load_in(connection: Connection) -> StudySettings:
    """The settings, within a transaction.

    A value that an older version kept and that is not allowed any more gives way to its default.
    """
    return _understood(tuple((key, value) for key, value in connection.execute(_KEPT) if key in _CHECKS))


_KEPT = select(table.c.key, cast(table.c.value, Text)).order_by(table.c.key)


@lru_cache(maxsize=64)  # each answer and each queue asks, and the settings hardly ever change
def _understood(written: tuple[tuple[str, str], ...]) -> StudySettings:
    """Settings from the rows kept: names and JSON texts."""
    kept = {name: json.loads(value) for name, value in written}
    return checked(
        {
            name: value
            for name, value in kept.items()
            if not isinstance(_CHECKS[name](name, value), SettingFault)
        }
    )


def save(store: Store, values: StudySettings | Mapping[str, object]) -> StudySettings:
    """Checks and keeps settings; a mapping changes the fields it names. Returns what is kept.

    Raises SettingsRefused. Cards shown before the change keep the intervals that were shown.
    """
    with store.begin() as connection:
        return save_in(connection, values)


def save_in(connection: Connection, values: StudySettings | Mapping[str, object]) -> StudySettings:
    """`save` within a writing transaction."""
    changes = asdict(values) if isinstance(values, StudySettings) else dict(values)
    before = load_in(connection)
    now = checked({**asdict(before), **changes})
    plan = plan_in(connection)
    for params in (*plan.schedulers(before.scheduler), *plan.schedulers(now.scheduler)):
        remember(connection, params)
    names = [field.name for field in fields(StudySettings)]
    connection.execute(delete(table).where(table.c.key.in_(names)))
    connection.execute(insert(table), [{"key": name, "value": getattr(now, name)} for name in names])
    return now


_KNOWN = select(schedulers.c.fingerprint).where(schedulers.c.fingerprint == bindparam("fingerprint"))


def remember(connection: Connection, params: SchedulerParams) -> None:
    """Keeps what a scheduler was set to, under its fingerprint."""
    if connection.execute(_KNOWN, {"fingerprint": params.fingerprint}).first() is None:
        row = {"fingerprint": params.fingerprint, "params": params.to_json()}
        connection.execute(insert(schedulers), row)


def scheduler_of(connection: Connection, fingerprint: str) -> SchedulerParams | None:
    """What the scheduler with this fingerprint was set to, or None where it was never in use here."""
    kept = connection.execute(
        select(schedulers.c.params).where(schedulers.c.fingerprint == fingerprint)
    ).scalar_one_or_none()
    return None if kept is None else SchedulerParams.from_json(kept)


def _number(name: str, value: object, *, whole: bool) -> Checked | SettingFault:
    low, high = RANGES[name]
    args = (("low", f"{low:g}"), ("high", f"{high:g}"))
    of = f"{'a whole number' if whole else 'a number'} from {low:g} to {high:g}"
    try:
        number = float(str(value).strip().replace(",", "."))
    except ValueError:
        return SettingFault(name, "not_a_number", args, f"{value!r} is not {of}")
    if not low <= number <= high:  # also refuses NaN
        return SettingFault(name, "out_of_range", args, f"{value} is out of range: it must be {of}")
    if whole and number != int(number):
        return SettingFault(name, "not_whole", args, f"{value} is not {of}")
    return int(number) if whole else number


def _whole(name: str, value: object) -> Checked | SettingFault:
    return _number(name, value, whole=True)


def _real(name: str, value: object) -> Checked | SettingFault:
    return _number(name, value, whole=False)


def _steps(name: str, value: object) -> Checked | SettingFault:
    try:
        return write_steps(parse_steps(str(value)))
    except ValueError as error:
        hint = f"{error}. Write up to 10 steps of 1m to 30d, such as 1m 10m 1h 1d, none shorter than the last"
        return SettingFault(name, "bad_steps", (("detail", str(error)),), hint)


def _deck_ids(name: str, value: object) -> Checked | SettingFault:
    ids = str(value).split()
    wrong = next((text for text in ids if not _DECK_ID.fullmatch(text)), None)
    if wrong is not None:
        return SettingFault(name, "bad_deck_id", (("id", wrong),), f"{wrong!r} is no id of a deck")
    return " ".join(sorted(set(ids)))


def _choice(of: tuple[str, ...]) -> Callable[[str, object], Checked | SettingFault]:
    def check(name: str, value: object) -> Checked | SettingFault:
        if isinstance(value, str) and value in of:
            return value
        choices = ", ".join(of)
        return SettingFault(name, "bad_choice", (("choices", choices),), f"{value!r} is not one of {choices}")

    return check


def _keys(name: str, value: object) -> Checked | SettingFault:
    try:
        return write_keys(parse_keys(str(value)))
    except BadKeys as error:
        return SettingFault(name, "bad_keys", (("detail", str(error)),), str(error))


_CHECKS: dict[str, Callable[[str, object], Checked | SettingFault]] = {
    "new_per_day": _whole,
    "reviews_per_day": _whole,
    "learning_steps": _steps,
    "relearning_steps": _steps,
    "desired_retention": _real,
    "maximum_days": _whole,
    "learn_ahead_minutes": _whole,
    "rollover_hour": _whole,
    "interface_language": _choice(LANGUAGES),
    "decks_left_out": _deck_ids,
    "leech_lapses": _whole,
    "leech_action": _choice(LEECH_ACTIONS),
    "review_keys": _keys,
}
