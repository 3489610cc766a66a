"""`python -m labs` by its contract."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engine.folders import project_folder
from engine.measure.events import Artifact, Failed, Finding, Finished, Log, Metric, Progress, Series, Started
from engine.measure.results import load_result
from tests.labs.helpers import ODD_LABS, events, labs


def test_list_names_every_lab_with_its_levers_and_what_they_take() -> None:
    answer = labs("list")
    assert answer.returncode == 0
    assert "counts  Counting" in answer.stdout
    assert "--set steps=3  (a whole number from 1 to 1000)" in answer.stdout
    assert "--set mode=fast  (one of fast, slow)" in answer.stdout


def test_list_as_json_says_what_each_lab_needs_and_whether_it_can_run() -> None:
    body = json.loads(labs("list", "--json").stdout)
    by_name = {lab["name"]: lab for lab in body["labs"]}
    assert body["faults"] == []
    assert by_name["counts"]["can_run"]
    assert by_name["counts"]["levers"][0] == {
        "name": "steps", "default": 3, "choices": [], "low": 1, "high": 1000, "on_cpu": [],
    }  # fmt: skip
    assert by_name["counts"]["words"]["vi"]["title"] == "Đếm"
    assert by_name["counts"]["words"]["zh"]["stage.loading_torch"] == "正在加载 torch"


def test_list_says_why_a_lab_cannot_run_here() -> None:
    body = json.loads(labs("list", "--json", CUDA_VISIBLE_DEVICES="").stdout)
    lab = next(lab for lab in body["labs"] if lab["name"] == "needs_gpu")
    assert (lab["can_run"], lab["why_not"]) == (False, "needs_gpu")
    assert lab["why_not_text"]


def test_list_does_not_import_torch() -> None:
    script = "import sys; from labs.__main__ import main; main(['list']); sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", script], cwd=project_folder(), check=True, capture_output=True)


def test_a_broken_lab_is_named_with_its_line_and_hides_no_other(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text("x = 1\nLAB = unknown\n", encoding="utf-8")
    (tmp_path / "no_lab.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "torn.py").write_text("def run(:\n", encoding="utf-8")
    body = json.loads(labs("list", "--json", BENCHCARDS_LABS=f"{tmp_path}{os.pathsep}{ODD_LABS}").stdout)
    faults = {Path(fault["file"]).name: fault["message"] for fault in body["faults"]}
    assert set(faults) == {"wrong.py", "no_lab.py", "torn.py"}
    assert "wrong.py:2: NameError" in faults["wrong.py"]
    assert "torn.py:1: SyntaxError" in faults["torn.py"]
    assert "LAB" in faults["no_lab.py"]
    assert "counts" in {lab["name"] for lab in body["labs"]}


def test_events_on_standard_output_are_events_only() -> None:
    answer = labs("run", "counts", "--events")
    assert answer.returncode == 0
    kinds = [type(event) for event in events(answer.stdout)]
    assert kinds == [
        Started,
        *(Progress, Series) * 3,
        *(Log, Metric, Finding, Artifact, Finished),
    ]
    assert "printed by the lab" in answer.stderr
    assert "warned by the lab" in answer.stderr


def test_started_comes_first_and_names_lab_settings_versions_and_device() -> None:
    started = events(labs("run", "counts", "--events", "--set", "steps=2").stdout)[0]
    assert isinstance(started, Started)
    assert started.lab == "counts"
    assert started.params == {"steps": 2, "mode": "fast", "share": 0.5, "exact": False}
    assert started.environment["device"]["type"] == "cpu"
    assert started.environment["device"]["memory_bytes"] > 0
    assert {"python", "platform", "torch"} <= set(started.environment)


def test_a_run_ends_with_a_table_and_writes_its_result(tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    answer = labs("run", "counts", "--out", str(out))
    assert answer.returncode == 0
    assert "Time of a step  eager    1.500  ms  1.250–1.750" in answer.stdout
    assert "→ It counted 3 steps." in answer.stdout
    assert "Counting steps" in answer.stderr
    result = load_result(out)
    assert result.lab == "counts"
    assert result.metric("time", variant="eager") == Metric(
        name="time", value=1.5, unit="ms", labels={"variant": "eager"}, samples=3, low=1.25, high=1.75
    )
    assert result.series[0].rows == [[0, 0], [1, 1], [2, 4]]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "count"], "Did you mean counts?"),
        (["run", "nothing_like_it_at_all"], "There is no lab"),
        (["run", "counts", "--set", "stepps=3"], "Did you mean steps?"),
        (["run", "counts", "--set", "steps=0"], "steps=0: must be a whole number from 1 to 1000."),
        (["run", "counts", "--set", "steps=2.5"], "steps=2.5: must be a whole number from 1 to 1000."),
        (["run", "counts", "--set", "share=nan"], "share=nan: must be a number from 0 to 1."),
        (["run", "counts", "--set", "mode=fst"], "must be one of fast, slow. Did you mean fast?"),
        (["run", "counts", "--set", "exact=perhaps"], "exact=perhaps: must be yes or no."),
        (["run", "counts", "--set", "steps"], "write it as name=value"),
        (["run", "counts", "--set", "steps=1", "--set", "steps=2"], "set twice"),
        (["run", "counts", "--out", "/no/such/folder/x.json"], "doesn't exist"),
        (["run", "counts", "--device", "tpu"], "invalid choice"),
        ([], "required"),
    ],
)
def test_wrong_usage_says_what_is_right(arguments: list[str], says: str) -> None:
    answer = labs(*arguments)
    assert answer.returncode == 2
    assert says in answer.stderr
    assert "Traceback" not in answer.stderr


def test_wrong_usage_is_an_event_too_for_those_who_read_events() -> None:
    answer = labs("run", "counts", "--events", "--set", "steps=0")
    assert answer.returncode == 2
    [failed] = events(answer.stdout)
    assert isinstance(failed, Failed)
    assert failed.code == "unsupported"


@pytest.mark.parametrize(
    ("lab", "code", "says"),
    [
        ("raises", "crashed", "ZeroDivisionError: no step took any time"),
        ("gives_up", "unsupported", "The graph was skipped"),
        ("hungry", "out_of_memory", "Memory ran out"),
        ("overruns", "timeout", "limit of 1 s"),
        ("not_finite", "crashed", "ValueError"),
        ("disk_full", "crashed", "The disk is full"),
        ("half_library", "crashed", "Could not import module 'LlamaConfig'"),
    ],
)
def test_a_lab_that_fails_says_why_and_shows_no_traceback(lab: str, code: str, says: str) -> None:
    answer = labs("run", lab)
    assert answer.returncode == 1
    assert f"{lab} failed ({code})" in answer.stderr
    assert says in answer.stderr
    assert "Traceback" not in answer.stdout + answer.stderr


def test_the_traceback_is_in_the_log_of_the_events() -> None:
    *_, log, failed = events(labs("run", "raises", "--events").stdout)
    assert isinstance(log, Log)
    assert "Traceback" in log.text
    assert isinstance(failed, Failed)
    assert "\n" not in failed.message


def test_asking_for_a_gpu_that_is_not_there_says_what_to_do() -> None:
    answer = labs("run", "fast_torch", "--device", "cuda", "--events", CUDA_VISIBLE_DEVICES="")
    started, failed = events(answer.stdout)
    assert answer.returncode == 1
    assert isinstance(started, Started)
    assert isinstance(failed, Failed)
    assert failed.code == "needs_gpu"
    assert "--device cpu" in failed.message


def test_a_lab_for_gpus_only_says_so_where_there_is_none() -> None:
    answer = labs("run", "needs_gpu", CUDA_VISIBLE_DEVICES="")
    assert answer.returncode == 1
    assert "needs_gpu" in answer.stderr


def test_a_lab_for_cpus_only_refuses_a_gpu() -> None:
    answer = labs("run", "counts", "--device", "cuda")
    assert answer.returncode == 1
    assert "unsupported" in answer.stderr


def test_loading_torch_is_the_first_progress() -> None:
    seen = events(labs("run", "fast_torch", "--device", "cpu", "--events").stdout)
    assert isinstance(seen[0], Started)
    assert seen[1] == Progress(done=0, total=0, label="loading_torch")
    assert seen[-2] == Metric(name="corner", value=512.0, unit="1", labels={"device": "cpu"})


def hear_ctrl_c() -> None:
    """As on a terminal: whoever starts the tests in the background makes their children ignore SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_sigterm_cancel_the_run_and_let_it_clean_up(
    tmp_path: Path, number: signal.Signals
) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "labs", "run", "hangs", "--events", "--artifacts", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=project_folder(),
        env={**os.environ, "BENCHCARDS_LABS": str(ODD_LABS)},
        preexec_fn=hear_ctrl_c,
    ) as process:
        assert process.stdout
        while "waiting" not in process.stdout.readline():
            pass
        process.send_signal(number)
        rest, errors = process.communicate(timeout=60)
    assert events(rest) == [Failed(code="cancelled", message="The run was cancelled.")]
    assert process.returncode == 1
    assert "Traceback" not in errors
    assert (tmp_path / "cleaned-up").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_under_the_events_is_said_on_standard_error() -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        answer = subprocess.run(
            [sys.executable, "-m", "labs", "run", "counts", "--events"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=project_folder(),
            env={**os.environ, "BENCHCARDS_LABS": str(ODD_LABS)},
            check=False,
        )
    assert answer.returncode == 1
    assert "No space left on device" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_own_labs_come_after_ours_and_are_found_in_several_folders(tmp_path: Path) -> None:
    for folder, title in (("first", "one"), ("second", "two")):
        (tmp_path / folder).mkdir()
        source = (ODD_LABS / "counts.py").read_text(encoding="utf-8")
        (tmp_path / folder / "counts.py").write_text(
            source.replace("1.5", "1.0" if title == "one" else "2.0")
        )
    folders = os.pathsep.join(str(tmp_path / folder) for folder in ("first", "second"))
    seen = events(labs("run", "counts", "--events", BENCHCARDS_LABS=folders).stdout)
    assert [event.value for event in seen if isinstance(event, Metric)] == [1.0]
