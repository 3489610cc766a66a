"""Windows of a capture: cut by named ranges, read for gaps, cadence and copies, right beside wrong."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest
import torch

from engine.measure.analyse.nsys_sqlite import read_nsys_sqlite
from engine.measure.analyse.trace_reading import read_chrome_trace
from engine.measure.events import Finding
from labs.kit import nsys_tool, window_findings
from labs.kit.nsys_tool import NsysFailed
from labs.kit.torch_window import read_torch_window
from labs.kit.window_findings import Reading
from labs.kit.windows import count, share, within
from tests.labs.word_check import unspoken
from tests.measure.analyse.nsys_export import Export, decode
from tests.real_files import real_file

STEPS = 20
LONG = 10**12
FAKE_NSYS = """#!{python}
import shutil, subprocess, sys
command, *rest = sys.argv[1:]
options = dict(word.split("=", 1) for word in rest if word.startswith("--") and "=" in word)
if command == "profile":
    target = rest[[word.startswith("--") for word in rest].index(False):]
    assert "--cuda-graph-trace=node" in rest and "--kill=none" in rest, rest
    code = subprocess.run(target).returncode
    if code == 0:
        open(options["--output"] + ".nsys-rep", "wb").write(b"report" * 100)
    sys.exit(code)
assert command == "export" and options["--type"] == "sqlite", rest
shutil.copy({export!r}, options["--output"])
"""


def reading(export: Export, tmp_path: Path, server: str = "graph") -> Reading:
    export.named_range(0, LONG, f"decode:{server}")
    capture = read_nsys_sqlite(export.write(tmp_path / f"{server}.sqlite"))
    cut = within(capture, f"decode:{server}")
    found = window_findings.read(cut, server, steps=count(cut, "step"), plain_ms=1.0, watched_ms=1.25)
    assert found is not None
    return found


def codes(of: Reading) -> list[str]:
    return [finding.code for finding in window_findings.of_readings(of)]


def test_a_graph_a_step_leaves_the_gpu_no_gaps_and_the_memory_rows_quiet(tmp_path: Path) -> None:
    found = reading(decode(STEPS, cost=5_000, kernel=20_000, graph=True), tmp_path)
    assert codes(found) == ["gaps_small", "kernel_bound", "copies_quiet"]
    assert (found.steps, found.launches, found.graph_launches) == (STEPS, STEPS, STEPS)


def test_launching_slower_than_the_kernels_run_is_launch_bound_under_a_busy_api_row(tmp_path: Path) -> None:
    found = reading(decode(STEPS, cost=8_000, kernel=2_000), tmp_path, "eager")
    assert codes(found) == ["gaps_api_busy", "launch_bound"]
    assert found.device.kernels / found.steps == 40


def test_work_of_the_cpu_between_steps_is_a_gap_under_a_quiet_api_row(tmp_path: Path) -> None:
    found = reading(decode(STEPS, cost=5_000, kernel=2_000, graph=True, quiet=400_000), tmp_path, "waiting")
    assert codes(found) == ["gaps_api_quiet"]
    assert "host_bound" in found.findings


def test_scores_that_go_to_the_host_each_step_are_wide_copies_in_a_rhythm(tmp_path: Path) -> None:
    export = decode(STEPS, cost=5_000, kernel=20_000, graph=True)
    for number in range(STEPS):
        export.copy(1_100_000 + 800_000 * number, 9_000, 256_512, kind=2)
    findings = {f.code: f for f in window_findings.of_readings(reading(export, tmp_path, "copying"))}
    wide = findings["copies_wide"].args
    assert wide["direction"] == "DtoH"
    assert wide["period_ms"] == pytest.approx(0.8, rel=0.1)


def test_what_began_before_the_range_is_cut_off(tmp_path: Path) -> None:
    export = Export()
    export.kernel(1_000, 500)
    export.kernel(11_000, 500)
    export.call(900, 50)
    export.call(10_900, 50)
    export.named_range(10_000, 5_000, "decode:graph")
    export.named_range(0, 5_000, "load")
    capture = read_nsys_sqlite(export.write(tmp_path / "cut.sqlite"))
    cut = within(capture, "decode:graph")
    assert ([work.start for work in cut.work], [call.start for call in cut.calls or ()]) == (
        [11_000],
        [10_900],
    )
    parts = share(capture)
    assert (parts.wall, parts.load, parts.decode) == (15_000, 5_000, 5_000)


def test_a_window_without_work_of_the_gpu_gives_no_reading(tmp_path: Path) -> None:
    export = Export()
    export.call(1_000, 10)
    export.named_range(0, LONG, "decode:graph")
    capture = read_nsys_sqlite(export.write(tmp_path / "blind.sqlite"))
    assert (
        window_findings.read(within(capture, "decode:graph"), "graph", steps=1, plain_ms=1, watched_ms=1)
        is None
    )


def test_ncu_is_next_only_where_one_kernel_takes_a_busy_gpu(tmp_path: Path) -> None:
    busy = reading(decode(STEPS, cost=1_000, kernel=50_000), tmp_path, "eager")
    idle = reading(decode(STEPS, cost=9_000, kernel=1_000), tmp_path, "waiting")
    assert window_findings.of_next_tool(busy).code == "open_ncu"
    assert window_findings.of_next_tool(idle).code == "no_ncu_yet"


def test_every_sentence_of_a_reading_has_words(tmp_path: Path) -> None:
    right = reading(decode(STEPS, cost=5_000, kernel=20_000, graph=True), tmp_path)
    eager = reading(decode(STEPS, cost=8_000, kernel=2_000), tmp_path, "eager")
    quiet = reading(decode(STEPS, cost=5_000, kernel=2_000, graph=True, quiet=400_000), tmp_path, "waiting")
    parts = share(read_nsys_sqlite(tmp_path / "eager.sqlite"))
    seen: list[Finding] = [window_findings.of_wrong_window(parts, 10, parts, 20)]
    for one in (right, eager, quiet):
        seen += [
            *window_findings.of_readings(one),
            window_findings.of_cost(one),
            window_findings.of_next_tool(one),
        ]
    assert unspoken("nsys_window", seen) == []


@pytest.mark.parametrize("name", ["nccl_data.json.gz", "trace_diff_test.json.gz"])
def test_torchs_window_holds_the_same_work_and_calls_as_the_trace(name: str) -> None:
    path = real_file(f"traces/{name}")
    capture, trace = read_torch_window(path), read_chrome_trace(path)
    zero = trace.origin_ns
    assert [(w.start - zero, w.end - zero) for w in capture.work] == [(e.start, e.end) for e in trace.gpu]
    assert [(c.start - zero, c.name) for c in capture.calls or ()] == [(c.start, c.name) for c in trace.calls]
    copies = [work for work in capture.work if work.kind == "copy"]
    assert all(copy.bytes for copy in copies)
    assert {copy.direction for copy in copies} <= {"HtoD", "DtoH", "DtoD"}


def test_kernels_of_a_graph_are_marked_as_such(tmp_path: Path) -> None:
    def kernel(at: float, node: int) -> dict[str, object]:
        args = {"device": 0, "stream": 7, "correlation": 3, "graph id": 1, "graph node id": node}
        return {
            "ph": "X",
            "cat": "kernel",
            "name": "gemv",
            "pid": 0,
            "tid": 7,
            "ts": at,
            "dur": 2.5,
            "args": args,
        }

    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"traceEvents": [kernel(10.5, 0), kernel(20.25, 17)]}))
    assert [(w.start, w.in_graph) for w in read_torch_window(path).work] == [(10_500, False), (20_250, True)]


def test_ranges_that_torch_names_are_kept(tmp_path: Path) -> None:
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
        for _ in range(3):
            with torch.profiler.record_function("step"):
                torch.ones(4).sum()
    profiler.export_chrome_trace(str(tmp_path / "trace.json"))
    capture = read_torch_window(tmp_path / "trace.json")
    assert count(capture, "step") == 3
    assert capture.work == ()


def fake_nsys(tmp_path: Path) -> str:
    """A stand-in for the external program: it runs the target and exports what we wrote by nsys' schema."""
    export = decode(STEPS, cost=5_000, kernel=20_000).write(tmp_path / "prepared.sqlite")
    script = tmp_path / "nsys"
    script.write_text(FAKE_NSYS.format(python=sys.executable, export=str(export)))
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return str(script)


def test_nsys_is_run_with_the_right_window_and_its_export_is_read(tmp_path: Path) -> None:
    code = f"import json; open({str(tmp_path / 'said')!r}, 'w').write(json.dumps(1))"
    run = nsys_tool.profile(
        fake_nsys(tmp_path), nsys_tool.RIGHT, [sys.executable, "-c", code],
        folder=tmp_path, name="window", limit_s=60,
    )  # fmt: skip
    assert json.loads((tmp_path / "said").read_text()) == 1
    assert run.bytes == 600
    assert sum(work.kind == "kernel" for work in run.capture.work) == 40 * STEPS


def test_where_nsys_writes_no_report_its_last_word_is_told(tmp_path: Path) -> None:
    code = "import sys; print('CUDA driver version is insufficient'); sys.exit(1)"
    with pytest.raises(NsysFailed, match="driver version is insufficient"):
        nsys_tool.profile(
            fake_nsys(tmp_path), nsys_tool.RIGHT, [sys.executable, "-c", code],
            folder=tmp_path, name="window", limit_s=60,
        )  # fmt: skip
