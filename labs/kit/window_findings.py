"""The three readings of each way to serve, the wrong capture beside the right one, and when to open ncu."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.measure.analyse.copies import Copies
from engine.measure.analyse.nsys import DeviceReadings, analyse
from engine.measure.analyse.nsys_capture import Capture
from engine.measure.events import Finding, Scalar
from labs.kit.windows import Share

_GAPS = ("gaps_small", "gaps_api_busy", "gaps_api_quiet", "gaps_api_unknown")
_CADENCES = ("kernel_bound", "launch_bound", "host_bound")
_SAID = {"eager": ("gaps", "cadence"), "waiting": ("gaps",), "copying": ("copies",)}
"""Which readings are put into words where not all three are: those that a way to serve is there to show."""
WIDE_BYTES = 16 * 1024
"""From this size on a copy is called wide: a token is 8 bytes."""
ONE_KERNEL = 0.3
"""From this share of the busy time on, one kernel by name takes it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to serve within the window: what the reader says, and the step's time with and without it."""

    server: str
    steps: int
    device: DeviceReadings
    launches: int
    graph_launches: int
    findings: Mapping[str, Mapping[str, Scalar]]
    plain_ms: float
    watched_ms: float
    heaviest: tuple[str, float]
    """The kernel with most time, and its share of all kernels' time, from 0 to 1."""


def read(capture: Capture, server: str, *, steps: int, plain_ms: float, watched_ms: float) -> Reading | None:
    """The readings of a capture that was cut to one way to serve; None where it holds no work of a GPU."""
    analysis = analyse(capture)
    if not analysis.devices:
        return None
    launches = [call for call in capture.calls or () if call.is_launch]
    return Reading(
        server=server,
        steps=steps,
        device=analysis.devices[0],
        launches=len(launches),
        graph_launches=sum(call.is_graph_launch for call in launches),
        findings={finding.code: finding.args for finding in analysis.findings},
        plain_ms=plain_ms,
        watched_ms=watched_ms,
        heaviest=_heaviest(capture),
    )


def _heaviest(capture: Capture) -> tuple[str, float]:
    by_name: Counter[str] = Counter()
    for work in capture.work:
        if work.kind == "kernel":
            by_name[work.name] += work.end - work.start
    ((name, time),) = by_name.most_common(1) or [("", 0)]
    total = sum(by_name.values())
    return name, time / total if total else 0.0


def of_readings(reading: Reading) -> Iterator[Finding]:
    """Gaps, cadence, copies, each as a sentence about this way to serve."""
    said = _SAID.get(reading.server, ("gaps", "cadence", "copies"))
    for name, codes in (("gaps", _GAPS), ("cadence", _CADENCES)):
        for code in codes:
            if name in said and code in reading.findings:
                yield Finding(code, {"server": reading.server, **_per_step(reading, reading.findings[code])})
    if "copies" in said:
        yield _copies(reading)


def _per_step(reading: Reading, args: Mapping[str, Scalar]) -> dict[str, Scalar]:
    gap_ms = sum(end - start for start, end in reading.device.gaps) / 1e6
    share = args.get("api_share")
    return {
        "busy": 100 * reading.device.busy_ratio,
        "gap_ms": gap_ms / reading.steps,
        "step_ms": reading.watched_ms,
        "api": None if share is None else 100 * float(share),
        "call": args.get("call"),
        "kernels": round(reading.device.kernels / reading.steps),
        "launches": round(reading.launches / reading.steps, 1),
        "kernel_us": reading.device.kernel_median_ns / 1e3,
        "launch_us": args.get("launch_p50_us"),
        "interval_us": args.get("launch_interval_p50_us"),
    }


def _copies(reading: Reading) -> Finding:
    """The widest copy between host and device that keeps a rhythm, or that there is none but the token's."""
    between = [copies for copies in reading.device.copies if copies.direction in ("HtoD", "DtoH")]
    wide = [copies for copies in between if largest_period(copies) >= WIDE_BYTES]
    args: dict[str, Scalar] = {
        "server": reading.server,
        "copies": round(sum(copies.count for copies in between) / reading.steps, 1),
        "bytes": round(sum(copies.bytes for copies in between) / reading.steps),
    }
    if not wide:
        return Finding("copies_quiet", args)
    one = max(wide, key=largest_period)
    return Finding(
        "copies_wide",
        args
        | {
            "direction": one.direction,
            "kb": one.bytes / reading.steps / 1e3,
            "us": one.time_ns / reading.steps / 1e3,
            "period_ms": None if one.period_ns is None else one.period_ns / 1e6,
        },
    )


def largest_period(copies: Copies) -> int:
    """The size in bytes of the copies that count: those that keep a rhythm, else half are larger."""
    return copies.period_bytes if copies.period_bytes is not None else copies.median_bytes


def of_next_tool(reading: Reading) -> Finding:
    """Whether this window is a case for Nsight Compute: busy from edge to edge, and one kernel takes it."""
    name, share = reading.heaviest
    busy = "kernel_bound" in reading.findings
    return Finding(
        "open_ncu" if busy and share >= ONE_KERNEL else "no_ncu_yet",
        {
            "server": reading.server,
            "kernel": name[:80],
            "share": 100 * share,
            "busy": 100 * reading.device.busy_ratio,
        },
    )


def of_cost(reading: Reading) -> Finding:
    """What the profiler adds to a step."""
    return Finding(
        "profiler_costs",
        {
            "server": reading.server,
            "plain_ms": reading.plain_ms,
            "watched_ms": reading.watched_ms,
            "percent": round(100 * (reading.watched_ms / reading.plain_ms - 1)),
        },
    )


def of_wrong_window(right: Share, right_bytes: int, wrong: Share, wrong_bytes: int) -> Finding:
    """What a capture from the start on is filled with."""
    return Finding(
        "load_included",
        {
            "decode_share": 100 * wrong.decode_share,
            "right_share": 100 * right.decode_share,
            "wall_s": wrong.wall / 1e9,
            "load_s": wrong.load / 1e9,
            "mb": wrong_bytes / 1e6,
            "right_mb": right_bytes / 1e6,
        },
    )
