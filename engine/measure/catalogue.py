"""The labs, as the app knows them: asked of `python -m labs list --json`, never imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.folders import project_folder
from engine.measure.events import Scalar
from engine.measure.fault import MeasureError
from engine.measure.warm import labs_environment

_PATIENCE_S = 60


@dataclass(frozen=True, slots=True)
class LeverInfo:
    """A parameter that may be set. `choices` closes the set; `low` and `high` bound a number.

    on_cpu: the choices that a CPU gets through in time; empty where all are.
    """

    name: str
    default: Scalar
    choices: tuple[Scalar, ...]
    low: float | None
    high: float | None
    on_cpu: tuple[Scalar, ...] = ()


@dataclass(frozen=True, slots=True)
class LabInfo:
    """A lab. `why_not` is a failure code where it can't run here, `why_not_text` the reason (English)."""

    name: str
    levers: tuple[LeverInfo, ...]
    devices: tuple[str, ...]
    tools: tuple[str, ...]
    time_limit_s: float
    can_run: bool
    why_not: str | None
    why_not_text: str
    words: Mapping[str, Mapping[str, str]]

    def word(self, language: str, key: str) -> str | None:
        """The text for a key, in English where the language lacks it; None where neither has it."""
        return self.words.get(language, {}).get(key) or self.words.get("en", {}).get(key)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """`faults` are the labs that can't be used: (file, message)."""

    labs: tuple[LabInfo, ...]
    faults: tuple[tuple[str, str], ...]


_lock = threading.Lock()
_known: tuple[object, Catalogue] | None = None


def catalogue() -> tuple[LabInfo, ...]:
    """Every lab that can be used, in order of name. Raises MeasureError where the labs can't be asked."""
    return full_catalogue().labs


def lab(name: str) -> LabInfo | None:
    """The lab of that name."""
    return next((info for info in catalogue() if info.name == name), None)


def full_catalogue() -> Catalogue:
    """The labs and the faulty ones; asked again when a file of theirs changes."""
    global _known
    with _lock:
        state = _state()
        if _known is None or _known[0] != state:
            _known = (state, _ask())
        return _known[1]


def _state() -> object:
    """Changes when a lab, its words or the labs' kit change, or the settings that they depend on."""
    labs = project_folder() / "labs"
    own = [Path(part) for part in os.environ.get("BENCHCARDS_LABS", "").split(os.pathsep) if part]
    files: list[tuple[str, int]] = []
    for folder in (labs, labs / "words", labs / "kit", *own, *(each / "words" for each in own)):
        for path in (*folder.glob("*.py"), *folder.glob("*.json")):
            files.append((str(path), path.stat().st_mtime_ns))
    return sorted(files), os.environ.get("CUDA_VISIBLE_DEVICES"), os.environ.get("PATH")


def _ask() -> Catalogue:
    try:
        answer = subprocess.run(
            [sys.executable, "-m", "labs", "list", "--json"],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            cwd=project_folder(),
            env=labs_environment(),
            timeout=_PATIENCE_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise MeasureError(
            f"The labs can't be listed: `python -m labs list` took longer than {_PATIENCE_S} s."
        ) from error
    except OSError as error:
        raise MeasureError(f"The labs can't be listed: {error.strerror}.") from error
    if answer.returncode != 0:
        said = answer.stderr.decode(errors="replace").strip().splitlines()
        raise MeasureError(f"The labs can't be listed: {said[-1] if said else 'no reason was given'}")
    try:
        body = json.loads(answer.stdout)
        return Catalogue(
            labs=tuple(_info(entry) for entry in body["labs"]),
            faults=tuple((fault["file"], fault["message"]) for fault in body["faults"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise MeasureError("The labs can't be listed: `python -m labs list --json` is not JSON.") from error


def _info(entry: Mapping[str, Any]) -> LabInfo:
    return LabInfo(
        name=entry["name"],
        levers=tuple(
            LeverInfo(
                name=lever["name"],
                default=lever["default"],
                choices=tuple(lever["choices"]),
                low=lever["low"],
                high=lever["high"],
                on_cpu=tuple(lever["on_cpu"]),
            )
            for lever in entry["levers"]
        ),
        devices=tuple(entry["devices"]),
        tools=tuple(entry["tools"]),
        time_limit_s=entry["time_limit_s"],
        can_run=entry["can_run"],
        why_not=entry["why_not"],
        why_not_text=entry["why_not_text"],
        words=entry["words"],
    )
