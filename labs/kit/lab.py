"""What a lab is: a name, one to three levers, what it needs, and a function that measures and reports.

A lab is a module `labs/<name>.py` with a constant `LAB: Lab`. Its module imports neither torch nor
transformers at the top: listing the labs must stay quick, and the first progress event must come before
torch is loaded. Its words stand in `labs/words/<name>.json`, in English, Vietnamese and Chinese.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from engine.measure.events import Artifact, Event, Finding, Log, Metric, Progress, Scalar, Series

DeviceType = Literal["cuda", "cpu"]
"""`cuda` is torch's name for NVIDIA and for AMD GPUs (ROCm)."""


@dataclass(frozen=True, slots=True)
class Lever:
    """A parameter the learner may set (`--set name=value`).

    The value is read as the type of `default`. `choices` closes the set; `low` and `high` bound a number.
    """

    name: str
    default: Scalar
    choices: tuple[Scalar, ...] = ()
    low: float | None = None
    high: float | None = None
    on_cpu: tuple[Scalar, ...] = ()
    """Choices that a CPU gets through in time, where not all are. A card that asks for another one runs on a
    machine without a GPU at the default."""


@dataclass(frozen=True, slots=True)
class Lab:
    """A runnable experiment. `run` raises `LabFailed` where it can't show its point."""

    name: str
    run: Callable[[Bench], None]
    levers: tuple[Lever, ...] = ()
    devices: tuple[DeviceType, ...] = ("cuda", "cpu")
    tools: tuple[str, ...] = ()
    """Programs it needs on the PATH, e.g. ("ncu",)."""
    time_limit_s: int = 600
    uses_torch: bool = True
    """False: it needs no torch and starts at once."""


class LabFailed(Exception):
    """The lab can't show its point. `code` is one of `engine.measure.events.FAILURE_CODES`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class Bench:
    """What a running lab holds in its hands: where it runs, how it was set, and whom it tells."""

    device: DeviceType
    params: Mapping[str, Scalar]
    emit: Callable[[Event], None]
    artifacts: Path
    """A folder for the files it leaves."""

    def progress(self, done: float, total: float, label: str) -> None:
        """`label` is a stage code (`stage.<label>` in the lab's words); a total of 0 means: not known yet."""
        self.emit(Progress(done=done, total=total, label=label))

    def metric(
        self,
        name: str,
        value: float,
        unit: str,
        *,
        samples: int | None = None,
        low: float | None = None,
        high: float | None = None,
        **labels: Scalar,
    ) -> None:
        self.emit(
            Metric(name=name, value=value, unit=unit, labels=labels, samples=samples, low=low, high=high)
        )

    def series(
        self, name: str, columns: Sequence[str], rows: Sequence[Sequence[Scalar]], **units: str
    ) -> None:
        self.emit(Series(name=name, columns=list(columns), rows=[list(row) for row in rows], units=units))

    def finding(self, code: str, **args: Scalar) -> None:
        self.emit(Finding(code=code, args=args))

    def artifact(self, name: str, path: Path, media_type: str) -> None:
        self.emit(Artifact(name=name, path=str(path), media_type=media_type))

    def log(self, text: str) -> None:
        self.emit(Log(text=text))
