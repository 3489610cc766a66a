"""`python -m engine analyse`: recognised by content, told with evidence, never a traceback."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine.__main__ import main
from engine.measure.analyse import contents
from engine.measure.analyse.contents import read_contents
from engine.measure.analyse.errors import UnreadableFile
from engine.measure.analyse.nvidia_tools import ncu_path, nsys_path
from engine.measure.analyse.recognise import recognise
from tests.measure.analyse.samples import KINDS, trace
from tests.real_files import real_file

ROOT = Path(__file__).resolve().parents[3]


def called(*words: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of the command, run in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["analyse", *words])
    return code, out.getvalue(), err.getvalue()


def made(folder: Path, kind: str) -> Path:
    name, _, content = KINDS[kind]
    path = folder / name
    path.write_bytes(content(folder))
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_is_recognised_by_its_content_whatever_its_name(tmp_path: Path, kind: str) -> None:
    plain = made(tmp_path, kind).rename(tmp_path / "upload.bin")
    assert recognise(plain) == KINDS[kind][1]
    code, out, err = called(str(plain), "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["kind"] == KINDS[kind][1]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_told_in_sentences(tmp_path: Path, kind: str) -> None:
    code, out, err = called(str(made(tmp_path, kind)))
    assert (code, err) == (0, "")
    assert len(out.splitlines()) >= 3


def test_a_trace_keeps_the_contract(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_bytes(trace())
    shown = json.loads(called(str(path), "--json")[1])
    assert set(shown) == {"kind", "devices", "warnings", "findings"}
    (device,) = shown["devices"]
    assert set(device) == {
        "device", "name", "start_ns", "kernels", "copies", "sets", "streams", "wall_us", "busy_us",
        "busy_ratio", "launch_recorded", "gaps", "steps", "by_kernel", "kernel_names", "by_family",
        "by_operator", "by_range", "launches", "kernel_p50_us", "copies_by_direction", "bound", "verdict",
    }  # fmt: skip
    assert set(device["launch_recorded"]) == {"events", "wall_us", "busy_us"}
    assert set(device["gaps"]) == {
        "count", "total_us", "p50_us", "p90_us", "drained_us", "longest", "waited_for", "under", "cpu",
    }  # fmt: skip
    assert set(device["gaps"]["longest"][0]) == {
        "start_us", "duration_us", "cpu_op", "inner_op", "runtime_call", "cpu_during", "kernel_before",
        "kernel_after",
    }  # fmt: skip


def test_the_sentence_about_a_trace_carries_its_evidence(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_bytes(trace())
    out = called(str(path))[1]
    assert "overhead-bound: GPU 0 is 18.8 % busy over 0.959 ms" in out
    assert "100.0 % of the gap time waits for aten::linear → cudaLaunchKernel" in out
    assert "aten::linear → cudaLaunchKernel" in out


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("traces/nccl_data.json.gz", "a profiler's trace"),
        ("memory/cs336_medium_1024_inference.pickle", "a PyTorch memory snapshot"),
        ("ncu/b200_cublaslt_app_output_then_csv.log", "a report of Nsight Compute"),
        ("ncu/rtx5090_kernel_0001_details.csv", "a report of Nsight Compute"),
        ("nsys/rtx5090_decode_cuda_gpu_kern_sum.csv", "a capture of Nsight Systems"),
    ],
)
def test_real_files_are_told_in_sentences(name: str, first: str) -> None:
    code, out, _ = called(str(real_file(name)))
    assert code == 0
    assert out.splitlines()[0].endswith(first)


def test_a_report_with_an_error_only_says_what_the_tool_said() -> None:
    code, out, err = called(str(real_file("ncu/only_an_error_message.csv")))
    assert (code, out) == (1, "")
    assert "did not match any section" in err


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.json", b"", "the file is empty"),
        ("blank.json", b" \n ", "the file is empty"),
        ("words.txt", b"once upon a time\n", "none of the files that can be read"),
        ("image.png", b"\x89PNG\r\n\x1a\n" + bytes(100), "none of the files that can be read"),
        ("weights.pt", b"PK\x03\x04" + bytes(100), "torch.save"),
        ("broken.json.gz", b"\x1f\x8b\x08\x00garbage" * 9, "it can't be read"),
        ("deep.json", b'{"traceEvents": ' + b"[" * 200_000, "not a chrome trace"),
        ("latin.csv", b"\xff\xfe\xff" * 10, "none of the files"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_words(
    tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    code, out, err = called(str(path))
    assert (code, out) == (1, "")
    assert err.startswith(f"{name}: ")
    assert words in err


@pytest.mark.skipif(ncu_path() is not None or nsys_path() is not None, reason="the tools are installed here")
@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("r.ncu-rep", b"NVR\0\1\2", "ncu --import r.ncu-rep --csv"),
        ("r.nsys-rep", b"\1\2\3", "nsys export --type sqlite r.nsys-rep"),
        ("r.qdrep", b"\1\2\3", "nsys export --type sqlite r.qdrep"),
    ],
)
def test_a_tools_own_report_says_what_to_type_where_the_tool_is(
    tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    code, out, err = called(str(path))
    assert (code, out) == (1, "")
    assert err.startswith(f"{name}: ")
    assert words in err


def test_wrong_usage_is_exit_code_2(tmp_path: Path) -> None:
    assert called(str(tmp_path / "absent.json"))[0] == 2
    code, _, err = called(str(tmp_path))
    assert code == 1
    assert "folder" in err


def test_the_command_runs_as_a_process_of_its_own(tmp_path: Path) -> None:
    path = made(tmp_path, "trace")
    words = [sys.executable, "-m", "engine", "analyse", str(path), "--json"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["kind"] == "trace"


def test_a_zip_bomb_is_stopped_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = tmp_path / "bomb.json.gz"
    with gzip.open(bomb, "wb") as file:
        file.write(b'{"traceEvents": [')
        for _ in range(90):
            file.write(b" " * 1024 * 1024)
    code, _, err = called(str(bomb))
    assert code == 1
    assert "unfold" in err
    monkeypatch.setattr(contents, "LARGEST_RATIO", 10**6)
    with pytest.raises(UnreadableFile, match=r"0\.1 GB"):
        read_contents(bomb, largest=10**8 // 2 + 10**7)
