"""Runs `python -m labs` as people do."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from engine.folders import project_folder
from engine.measure.events import Event, from_line

ODD_LABS = Path(__file__).parent / "odd_labs"


def labs(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The finished command, with the odd labs among the labs."""
    with tempfile.TemporaryDirectory() as scratch:  # for the files that labs leave
        return subprocess.run(
            [sys.executable, "-m", "labs", *arguments],
            capture_output=True,
            text=True,
            cwd=project_folder(),
            env={**os.environ, "BENCHCARDS_LABS": str(ODD_LABS), "TMPDIR": scratch, **environment},
            timeout=400,
            check=False,
        )


def events(output: str) -> list[Event]:
    """The events in an output that must hold nothing else."""
    read = [from_line(line) for line in output.splitlines()]
    assert None not in read, output
    return [event for event in read if event is not None]
