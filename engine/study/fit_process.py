"""A fit in a process of its own: it takes a core for seconds, and a page must not wait for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec

from engine.folders import project_folder
from engine.study.faults import StudyError
from engine.study.fit import Fit, NotEnough

LONGEST_SECONDS = 300


def fit_in_process(data: Path) -> Fit | NotEnough:
    """What `python -m engine fit` says of the log in the data folder. Raises StudyError where it fails."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "engine", "fit", "--json"],
            cwd=project_folder(),
            env={**os.environ, "BENCHCARDS_HOME": str(data)},
            capture_output=True,
            encoding="utf-8",
            timeout=LONGEST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise StudyError(f"The fit took more than {LONGEST_SECONDS} s and was ended. Try again.") from error
    try:
        body = json.loads(done.stdout)
        if "fit" in body:
            return msgspec.convert(body["fit"], Fit)
        return msgspec.convert(body["not_enough"], NotEnough)
    except (ValueError, KeyError) as error:  # msgspec's own fault is a ValueError
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise StudyError(f"The fit failed: {last}. `python -m engine fit` says more.") from error
