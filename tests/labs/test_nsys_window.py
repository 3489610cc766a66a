"""The lab nsys_window from recording to findings. A stand-in for nsys exports what we wrote by its schema."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from engine.measure.events import Event, Finding, Metric
from labs.kit import nsys_tool
from labs.kit.lab import Bench, LabFailed
from labs.kit.steps import Steps
from labs.nsys_window import Recorded, read_right, read_wrong, record_and_read
from tests.labs.word_check import unspoken
from tests.measure.analyse.nsys_export import GRAPH_LAUNCH, Export

STEPS = 12
SERVERS = ("graph", "eager", "waiting", "copying")
FAKE_NSYS = """#!{python}
import shutil, sys
options = dict(word.split("=", 1) for word in sys.argv if word.startswith("--") and "=" in word)
if sys.argv[1] == "profile":
    open(options["--output"] + ".nsys-rep", "wb").write(b"r" * 1000)
else:
    name = "whole" if "whole" in options["--output"] else "window"
    shutil.copy({folder!r} + "/" + name + ".prepared", options["--output"])
"""


def graph_steps(export: Export, now: int, *, nodes: bool, pause: int = 0, copied: int = 8) -> int:
    """Steps that are a graph each, as nodes or as one block, and a copy to the host; the time afterwards."""
    for _ in range(STEPS):
        export.named_range(now, 2_100_000, "step")
        export.call(now, 50_000, GRAPH_LAUNCH)
        if nodes:
            for number in range(40):
                export.kernel(now + 50_000 + 50_000 * number, 50_000, graphNodeId=number + 1)
        else:
            export.graph(now + 50_000, 2_000_000)
        export.copy(now + 2_050_000, 3_000, copied, kind=2)
        now += 2_100_000 + pause
    return now


def eager_steps(export: Export, now: int) -> int:
    """Steps of forty thin kernels, launched one by one."""
    for _ in range(STEPS):
        export.named_range(now, 1_200_000, "step")
        for number in range(40):
            export.call(now + 30_000 * number, 8_000)
            export.kernel(now + 30_000 * number + 8_000, 2_000)
        now += 1_200_000
    return now


def captures(folder: Path) -> None:
    """The right window with its four ways to serve, and a whole run with graphs as blocks."""
    right, now = Export(), 1_000_000
    for server in SERVERS:
        start = now
        if server == "eager":
            now = eager_steps(right, now)
        else:
            pause = 3_000_000 if server == "waiting" else 0
            copied = 256_512 if server == "copying" else 8
            now = graph_steps(right, now, nodes=True, pause=pause, copied=copied)
        right.named_range(start, now - start, f"decode:{server}")
    right.write(folder / "window.prepared")
    whole = Export()
    whole.named_range(0, 900_000_000, "load")
    whole.copy(1_000, 800_000_000, 2 * 10**9)
    end = graph_steps(whole, 1_000_000_000, nodes=False)
    whole.named_range(1_000_000_000, end - 1_000_000_000, "decode:graph")
    whole.write(folder / "whole.prepared")


def bench(folder: Path) -> tuple[Bench, list[Event]]:
    events: list[Event] = []
    return Bench("cuda", {"model": "small", "steps": STEPS}, events.append, folder), events


def executable(path: Path, text: str) -> str:
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def recorded(tmp_path: Path, name: str, flags: tuple[str, ...]) -> Recorded:
    """A run under the stand-in, with times as the server would tell them."""
    text = FAKE_NSYS.format(python=sys.executable, folder=str(tmp_path))
    nsys = executable(tmp_path / "nsys", text)
    run = nsys_tool.profile(nsys, flags, ["true"], folder=tmp_path, name=name, limit_s=60)
    times = dict.fromkeys(SERVERS, 2.0)
    return Recorded(run.capture, run.bytes, {"plain": times, "watched": times})


def test_the_three_readings_of_a_capture_and_the_wrong_one_beside_it(tmp_path: Path) -> None:
    captures(tmp_path)
    held, events = bench(tmp_path)
    right = recorded(tmp_path, "window", nsys_tool.RIGHT)
    readings = read_right(held, right)
    read_wrong(held, readings[0], right, recorded(tmp_path, "whole", nsys_tool.WRONG), from_nsys=True)
    said = {(f.code, f.args.get("server")) for f in events if isinstance(f, Finding)}
    assert {
        ("kernel_bound", "graph"), ("copies_quiet", "graph"), ("gaps_api_busy", "eager"),
        ("launch_bound", "eager"), ("gaps_api_quiet", "waiting"), ("copies_wide", "copying"),
        ("load_included", None), ("graph_as_block", None), ("command_by_time", None), ("flag_spawn", None),
    } <= said  # fmt: skip
    value = {(m.name, *m.labels.values()): m.value for m in events if isinstance(m, Metric)}
    assert value["launches_per_step", "graph"] == 1
    assert value["kernels_per_step", "eager"] == 40
    assert value["rows_per_step", "right"] == 40
    assert value["rows_per_step", "load"] == 1
    assert value["decode_share", "load"] < 5
    assert unspoken("nsys_window", events) == []


def test_a_capture_without_work_of_the_gpu_is_a_blind_window_not_an_idle_gpu(tmp_path: Path) -> None:
    export = Export()
    export.call(1_000, 10)
    export.named_range(0, 10_000, "decode:graph")
    export.write(tmp_path / "window.prepared")
    held, _ = bench(tmp_path)
    with pytest.raises(LabFailed, match="blind window"):
        read_right(held, recorded(tmp_path, "window", nsys_tool.RIGHT))


def test_where_nsys_gives_no_capture_that_is_said_before_the_other_profiler_is_tried(tmp_path: Path) -> None:
    nsys = executable(tmp_path / "nsys", "#!/bin/sh\necho 'Unable to start the agent'\nexit 1\n")
    held, events = bench(tmp_path)
    with pytest.raises(LabFailed) as failed:  # the server itself needs a GPU
        record_and_read(held, Steps(held, 5), nsys, "small")
    (finding,) = [event for event in events if isinstance(event, Finding)]
    assert finding.code == "nsys_failed"
    assert "Unable to start the agent" in str(finding.args["message"])
    assert failed.value.code == "crashed"
    assert "Traceback" not in failed.value.message
    assert unspoken("nsys_window", events) == []
