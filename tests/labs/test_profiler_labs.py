"""The profiler labs on a machine without a GPU, and what they bring along for it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

import pytest

from engine.folders import project_folder
from engine.measure.hardware import this_machine
from labs.kit.window_commands import FLAGS, commands
from tests.labs.helpers import events, labs
from tests.labs.word_check import unspoken

LABS = ("ncu_replay", "nsys_window")


@pytest.mark.skipif(bool(this_machine().gpus), reason="there is a GPU: the labs would run")
@pytest.mark.parametrize("lab", LABS)
def test_without_a_gpu_the_lab_says_what_it_needs(lab: str) -> None:
    done = labs("run", lab, "--events")
    assert done.returncode == 1
    assert "needs_gpu" in done.stdout
    assert "run it on a machine that has one" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert unspoken(lab, events(done.stdout)) == []


def test_listing_the_labs_loads_no_torch() -> None:
    code = "import labs.ncu_replay, labs.nsys_window, sys; print('torch' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, check=True, cwd=project_folder(), env=dict(os.environ),
    )  # fmt: skip
    assert done.stdout.strip() == "False"


def test_every_command_to_copy_is_one_that_a_shell_takes_and_has_words() -> None:
    found = list(commands())
    assert unspoken("nsys_window", found) == []
    for finding in found:
        if "command" in finding.args:
            text = str(finding.args["command"])
            subprocess.run(["bash", "-n", "-c", text], check=True)
            assert shlex.split(text.replace("\\\n", " "))


def test_every_flag_of_the_card_stands_in_a_command_and_is_explained() -> None:
    said = " ".join(str(finding.args.get("command", "")) for finding in commands())
    for _, flag in FLAGS:
        assert flag in said, flag
    for flag in (
        "--delay=180 --duration=120", "--kill=none", "--cuda-graph-trace=node", "--trace=cuda,nvtx,osrt",
        "VLLM_WORKER_MULTIPROC_METHOD=spawn",
    ):  # fmt: skip
        assert flag in [flag for _, flag in FLAGS]
