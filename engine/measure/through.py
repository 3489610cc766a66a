"""Runs on another machine: a lab started there through a command such as `ssh gpu-box`, events and all.

The command gets `sh -s` and reads what to do from its input, so nothing is quoted twice, whatever stands
between: `ssh gpu-box`, `srun --gres=gpu:1`, `docker exec -i box`. The input stays open as long as the run may
go on. When it closes (the run is cancelled, the app ends, the connection breaks), the other end ends the lab
with all that it started.
"""

from __future__ import annotations

import contextlib
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from engine.measure.fault import MeasureError
from engine.measure.processes import Identity, identity
from engine.store.store import Store
from engine.store.tables import settings

DEFAULT_LABS = "cd benchcards && .venv/bin/python -m labs"
"""How the labs are called on the other machine, as its shell takes it."""
LONGEST = 1000
_KEY = "run_through"

_SCRIPT = """\
{{
exec 3<&0
setsid=$(command -v setsid) || setsid=
$setsid sh -c {command} </dev/null 3<&- &
lab=$!
all=$lab
if [ -n "$setsid" ]; then all=-$lab; fi
end_all() {{
  kill -TERM "$all"
  for second in 1 2 3 4; do
    kill -0 "$all" || return
    sleep 1
  done
  kill -KILL "$all"
}}
{{ read -r _ <&3; end_all; }} >/dev/null 2>&1 &
watch=$!
wait "$lab"
code=$?
kill "$watch" 2>/dev/null
end_all >/dev/null 2>&1
exit "$code"
}}
"""
"""`read` returns when the input closes. The braces have the shell read all of it before it begins. A lab has
a session of its own: what it leaves behind there is ended with it."""


@dataclass(frozen=True, slots=True)
class Through:
    """Where runs are sent. `prefix` is the command in front, `labs` how the labs are called there."""

    prefix: str
    labs: str = DEFAULT_LABS

    def line(self) -> str:
        """As it is kept with a run and shown."""
        return f"{self.prefix} · {self.labs}"

    @property
    def device_key(self) -> str:
        """One run at a time goes each way."""
        return f"through {self.prefix}"[:128]

    @classmethod
    def of_line(cls, line: str) -> Through:
        """What `line` gave."""
        prefix, _, labs = line.partition(" · ")
        return cls(prefix, labs or DEFAULT_LABS)


def load(store: Store) -> Through | None:
    """Where runs are sent; None: they run on this machine."""
    with store.read() as connection:
        return read(connection)


def read(connection: Connection) -> Through | None:
    """The same, within a transaction. What isn't sound counts as none."""
    query = select(settings.c.value).where(settings.c.key == _KEY)
    value = connection.execute(query).scalar_one_or_none()
    if not isinstance(value, dict):
        return None
    prefix, labs = value.get("prefix"), value.get("labs")
    if not (isinstance(prefix, str) and isinstance(labs, str) and prefix and labs):
        return None
    return Through(prefix, labs)


def save(store: Store, prefix: str, labs: str = DEFAULT_LABS) -> Through | None:
    """Keeps where runs are sent; an empty prefix: this machine. Raises MeasureError for what can't be."""
    kept = checked(prefix, labs)
    with store.begin() as connection:
        connection.execute(delete(settings).where(settings.c.key == _KEY))
        if kept is not None:
            value = {"prefix": kept.prefix, "labs": kept.labs}
            connection.execute(insert(settings), {"key": _KEY, "value": value})
    return kept


def checked(prefix: str, labs: str) -> Through | None:
    """A place to send runs to; None for an empty prefix. Raises MeasureError that says what is wrong."""
    prefix, labs = prefix.strip(), labs.strip() or DEFAULT_LABS
    if not prefix:
        return None
    for text in (prefix, labs):
        if len(text) > LONGEST:
            raise MeasureError(f"The command is longer than {LONGEST} characters.")
        if not text.isprintable() or "·" in text:
            raise MeasureError("The command must be one line of plain text.")
    try:
        words = shlex.split(prefix)
    except ValueError as error:
        raise MeasureError(f"The command can't be read: {error}. Mind its quotation marks.") from error
    if not words:
        raise MeasureError("The command names no program.")
    return Through(prefix, labs)


class SentChild:
    """A lab that runs on another machine; here lives the command that leads to it."""

    def __init__(self, through: Through, arguments: Sequence[str], events: Path, log: Path) -> None:
        """Raises OSError where the command can't be started."""
        options: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            options = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        with events.open("ab") as output, log.open("ab") as errors:
            self._process = subprocess.Popen(
                [*shlex.split(through.prefix), "sh", "-s"],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=errors,
                **options,
            )
        pid = self._process.pid
        self.identity = identity(pid) or Identity(pid=pid, started=-1)
        command = " ".join([through.labs, *map(shlex.quote, arguments)])
        with contextlib.suppress(OSError):  # it ended at once: its return code and its log say why
            self._input.write(_SCRIPT.format(command=shlex.quote(command)).encode())
            self._input.flush()

    @property
    def _input(self) -> Any:
        return self._process.stdin

    def poll(self) -> int | None:
        """The return code as `subprocess` counts it, None while it runs."""
        code = self._process.poll()
        if code is not None:
            self.let_go()
        return code

    def let_go(self) -> None:
        """Closes the input: whatever is left at the other end is ended there."""
        with contextlib.suppress(OSError):  # broken: the other end knows already
            self._input.close()
