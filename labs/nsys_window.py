"""A small decode server under Nsight Systems: the right window, and the three readings of its timeline."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from labs.kit.lab import Bench, Lab, LabFailed, Lever
from labs.kit.steps import Steps

if TYPE_CHECKING:
    from pathlib import Path

    from engine.measure.analyse.nsys_capture import Capture
    from labs.kit.window_findings import Reading

_LIMIT_S = 150
"""Of one start of the server, under a profiler or not."""
_SERVER_OF_WRONG = "graph"
_MODELS = ("llama-3-8b", "tinyllama-1.1b", "small")
"""By size: the largest that fits is taken where the choice is left to the lab."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One start of the server: the capture, the size of its file, and what the server says of itself."""

    capture: Capture
    bytes: int
    told: dict[str, dict[str, float]]


def run(bench: Bench) -> None:
    """Chooses the model and the profiler, then records and reads."""
    steps = Steps(bench, 5)
    steps.next("preparing")
    from engine.measure.analyse.nvidia_tools import nsys_path

    record_and_read(bench, steps, nsys_path(), _model(bench))


def record_and_read(bench: Bench, steps: Steps, nsys: str | None, model: str) -> None:
    """Records the right window and a wrong one, and reads gaps, cadence and copies of each way to serve."""
    from labs.kit.nsys_tool import NsysFailed

    steps.next("recording_window")
    try:
        right = _record(bench, steps, nsys, model, name="window", whole=False)
    except NsysFailed as error:
        bench.finding("nsys_failed", message=str(error))
        nsys = None
        right = _record(bench, steps, nsys, model, name="window", whole=False)
    _say_source(bench, nsys, model)
    steps.next("reading_window")
    readings = read_right(bench, right)
    steps.next("recording_wrong")
    try:
        wrong = _record(bench, steps, nsys, model, name="whole", whole=True)
    except NsysFailed as error:
        raise LabFailed("crashed", str(error)) from error
    steps.next("reading_wrong")
    read_wrong(bench, readings[0], right, wrong, from_nsys=nsys is not None)


def read_right(bench: Bench, right: Recorded) -> list[Reading]:
    """Reports the three readings of each way to serve, the first of which is a graph a step."""
    from labs.kit.window_findings import of_cost, of_next_tool, of_readings

    readings = _read(right)
    for reading in readings:
        _report(bench, reading)
        for finding in of_readings(reading):
            bench.emit(finding)
    bench.emit(of_next_tool(readings[0]))
    for reading in readings[:2]:
        bench.emit(of_cost(reading))
    return readings


def read_wrong(bench: Bench, graph: Reading, right: Recorded, wrong: Recorded, *, from_nsys: bool) -> None:
    """Sets the wrong capture beside the right one, and gives the command lines for one's own server."""
    from labs.kit.window_commands import commands
    from labs.kit.window_findings import of_wrong_window
    from labs.kit.windows import share

    shares = share(right.capture), share(wrong.capture)
    for which, recorded, parts in (("right", right, shares[0]), ("load", wrong, shares[1])):
        bench.metric("capture_size", recorded.bytes / 1e6, "MB", capture=which)
        bench.metric("capture_time", parts.wall / 1e6, "ms", capture=which)
        bench.metric("decode_share", 100 * parts.decode_share, "%", capture=which)
    bench.emit(of_wrong_window(shares[0], right.bytes, shares[1], wrong.bytes))
    _blocks(bench, graph, wrong, from_nsys=from_nsys)
    for finding in commands():
        bench.emit(finding)


def _say_source(bench: Bench, nsys: str | None, model: str) -> None:
    from labs.kit import nsys_tool

    steps = bench.params["steps"]
    if nsys is None:
        bench.finding("source_torch", model=model, steps=steps)
        return
    known = nsys_tool.version(nsys, bench.artifacts / "nsys-version.out")
    bench.finding("source_nsys", version=known, model=model, steps=steps)


def _model(bench: Bench) -> str:
    """The model asked for, or the largest that fits. Raises LabFailed where it doesn't."""
    import torch

    from labs.kit.memory import free_bytes, require
    from labs.kit.models import SHAPES

    if torch.version.hip:
        raise LabFailed("unsupported", "Nsight Systems records NVIDIA's GPUs only; this one is AMD's.")
    torch.cuda.empty_cache()
    asked = str(bench.params["model"])

    def needed(name: str) -> int:
        return int(2 * SHAPES[name].parameters * 1.1) + 10**9

    if asked == "auto":
        fitting = (name for name in _MODELS if needed(name) <= free_bytes("cuda"))
        asked = next(fitting, _MODELS[-1])
    require(
        needed(asked),
        "cuda",
        what=f"The server with {asked}",
        instead="Choose a smaller model (model=small).",
    )
    return asked


def _record(bench: Bench, steps: Steps, nsys: str | None, model: str, *, name: str, whole: bool) -> Recorded:
    """Starts the server under nsys, or under torch's profiler where nsys is missing. Raises NsysFailed."""
    from engine.measure.analyse.errors import UnreadableFile
    from labs.kit import nsys_tool
    from labs.kit.children import TookTooLong, module_command
    from labs.kit.decode_server import TRACE
    from labs.kit.torch_window import read_torch_window

    said = bench.artifacts / f"{name}.json"
    target = module_command(
        "labs.kit.decode_server", model,
        "--steps", str(bench.params["steps"]), "--out", str(said),
        *(["--whole", "--servers", _SERVER_OF_WRONG] if whole else []),
    )  # fmt: skip
    target += ["--window", "cuda" if nsys else "torch"]
    try:
        if nsys:
            flags = nsys_tool.WRONG if whole else nsys_tool.RIGHT
            done = nsys_tool.profile(nsys, flags, target, folder=bench.artifacts, name=name, limit_s=_LIMIT_S)
            bench.artifact(done.report.name, done.report, "application/octet-stream")
            told = _told(said)
            if not whole:  # what is under nsys is slower outside the window too
                steps.next("timing_plain")
                _run_server(bench, [*target[:-1], "none"], f"{name}.out")
                told["plain"] = _told(said)["plain"]
            return Recorded(done.capture, done.bytes, told)
        _run_server(bench, target, f"{name}.out")
        trace = said.with_name(f"{said.name}{TRACE}")
        capture = read_torch_window(trace)
        bench.artifact(trace.name, trace, "application/gzip")
        return Recorded(capture, trace.stat().st_size, _told(said))
    except TookTooLong as error:
        raise LabFailed("timeout", str(error)) from error
    except UnreadableFile as error:
        raise LabFailed("crashed", str(error)) from error


def _run_server(bench: Bench, target: list[str], output: str) -> None:
    from labs.kit.children import run_child

    ended = run_child(target, output=bench.artifacts / output, limit_s=_LIMIT_S)
    if ended.returncode:
        bench.log(ended.output)
        raise LabFailed("crashed", f"The server ended with {ended.returncode}: {_last(ended.output)}")


def _told(path: Path) -> dict[str, dict[str, float]]:
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise LabFailed("crashed", "The server ended before it had answered all requests.") from error
    return {"plain": body["plain_ms"], "watched": body["watched_ms"]}


def _last(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "it said nothing."


def _read(recorded: Recorded) -> list[Reading]:
    """The readings of each way to serve. Raises LabFailed where the capture holds no work of the GPU."""
    from labs.kit.window_findings import read
    from labs.kit.windows import count, within

    found = []
    for server, watched in recorded.told["watched"].items():
        cut = within(recorded.capture, f"decode:{server}")
        steps = count(cut, "step")
        reading = read(
            cut, server, steps=max(1, steps), plain_ms=recorded.told["plain"][server], watched_ms=watched
        )
        if reading is None or not steps:
            raise LabFailed(
                "unsupported",
                "The capture holds no work of the GPU within the server's ranges: the profiler has no access "
                "to the GPU here. That is a blind window, not an idle GPU.",
            )
        found.append(reading)
    return found


def _report(bench: Bench, reading: Reading) -> None:
    server, steps, device = reading.server, reading.steps, reading.device
    bench.metric("ms_per_token", reading.plain_ms, "ms", server=server, profiler="off")
    bench.metric("ms_per_token", reading.watched_ms, "ms", server=server, profiler="on")
    bench.metric("busy_ratio", 100 * device.busy_ratio, "%", server=server)
    gap_ns = sum(end - start for start, end in device.gaps)
    bench.metric("gap_time", gap_ns / 1e6 / steps, "ms", server=server)
    if device.api_in_gaps_ns is not None and gap_ns:
        bench.metric("gap_api_share", 100 * device.api_in_gaps_ns / gap_ns, "%", server=server)
    bench.metric("kernels_per_step", device.kernels / steps, "", server=server)
    bench.metric("launches_per_step", reading.launches / steps, "", server=server)
    bench.metric("graph_launches_per_step", reading.graph_launches / steps, "", server=server)
    bench.metric("kernel_p50", device.kernel_median_ns / 1e3, "us", server=server)
    for args in reading.findings.values():
        for name, key in (("launch_p50", "launch_p50_us"), ("launch_interval", "launch_interval_p50_us")):
            value = args.get(key)
            if isinstance(value, int | float):
                bench.metric(name, value, "us", server=server)
    for copies in device.copies:
        if copies.direction not in ("HtoD", "DtoH"):
            continue
        way = copies.direction
        bench.metric("copies_per_step", copies.count / steps, "", server=server, direction=way)
        bench.metric("copy_size", copies.median_bytes, "B", server=server, direction=way)
        if copies.period_ns is not None:
            bench.metric("copy_period", copies.period_ns / 1e6, "ms", server=server, direction=way)


def _blocks(bench: Bench, right: Reading, wrong: Recorded, *, from_nsys: bool) -> None:
    """What the GPU's row shows of a step when a graph is recorded as one block."""
    from labs.kit.windows import count, within

    bench.metric("rows_per_step", right.device.kernels / right.steps, "", capture="right")
    if not from_nsys:
        bench.finding("blocks_need_nsys", kernels=round(right.device.kernels / right.steps))
        return
    cut = within(wrong.capture, f"decode:{_SERVER_OF_WRONG}")
    blocks = sum(work.kind == "graph" for work in cut.work) / max(1, count(cut, "step"))
    bench.metric("rows_per_step", blocks, "", capture="load")
    bench.finding(
        "graph_as_block", blocks=round(blocks, 1), kernels=round(right.device.kernels / right.steps)
    )


LAB = Lab(
    name="nsys_window",
    run=run,
    levers=(
        Lever("model", "auto", choices=("auto", "small", "tinyllama-1.1b", "llama-3-8b")),
        Lever("steps", 16, low=8, high=128),
    ),
    devices=("cuda",),
    time_limit_s=600,
)
