"""Programs that labs start: their output is kept, and none of their processes outlives them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from engine.folders import project_folder
from labs.kit.children import TookTooLong, run_child

GRANDCHILD = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
print(child.pid, flush=True)
time.sleep(float(sys.argv[1]))
"""


def gone(pid: int) -> bool:
    """Whether the process has ended, waiting for the system to notice."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.05)
    return False


def test_both_streams_and_the_exit_code_are_kept(tmp_path: Path) -> None:
    code = "import sys; print('out'); sys.stdout.flush(); print('err', file=sys.stderr); sys.exit(3)"
    ended = run_child([sys.executable, "-c", code], output=tmp_path / "said", limit_s=30)
    assert ended.returncode == 3
    assert ended.output.split() == ["out", "err"]


def test_a_child_finds_our_modules(tmp_path: Path) -> None:
    code = "import labs.kit.lab, os; print(os.environ['WORD'])"
    ended = run_child(
        [sys.executable, "-c", code], output=tmp_path / "said", limit_s=30, environment={"WORD": "spawn"}
    )
    assert (ended.returncode, ended.output.strip()) == (0, "spawn")


def test_past_its_limit_a_child_and_what_it_started_elsewhere_are_ended(tmp_path: Path) -> None:
    with pytest.raises(TookTooLong) as failed:
        run_child([sys.executable, "-c", GRANDCHILD, "60"], output=tmp_path / "said", limit_s=1.5)
    assert gone(int(failed.value.output.split()[0]))


def test_what_a_child_leaves_running_is_ended_with_it(tmp_path: Path) -> None:
    ended = run_child([sys.executable, "-c", GRANDCHILD, "1"], output=tmp_path / "said", limit_s=30)
    assert gone(int(ended.output.split()[0]))


def test_a_cancelled_lab_takes_its_child_and_grandchild_with_it(tmp_path: Path) -> None:
    lab = (
        "import signal, sys\n"
        "from pathlib import Path\n"
        "from labs.kit.children import run_child\n"
        "signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(7))\n"
        f"run_child([sys.executable, '-c', {GRANDCHILD!r}, '60'], output=Path(sys.argv[1]), limit_s=60)\n"
    )
    said = tmp_path / "said"
    process = subprocess.Popen(
        [sys.executable, "-c", lab, str(said)], cwd=project_folder(), env=dict(os.environ)
    )
    until = time.monotonic() + 30
    while not (said.exists() and said.read_text().strip()) and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.5)  # the lab looks four times a second for what its child has started
    process.terminate()
    assert process.wait(20) == 7
    assert gone(int(said.read_text().split()[0]))
