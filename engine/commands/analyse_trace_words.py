"""Puts what a trace shows, and what moved between two, into English sentences for the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from engine.commands.analyse_units import Args, number, percent, speedup

_SHOWN = 5
"""Rows of each table that the terminal shows; `--json` has more."""


def trace_facts(shown: dict[str, Any]) -> Iterator[str]:
    """The facts of an analysis of a trace, device by device."""
    for device in shown["devices"]:
        gaps = device["gaps"]
        name = f" ({device['name']})" if device["name"] else ""
        yield (
            f"GPU {device['device']}{name}: {percent(device['busy_ratio'])} busy over "
            f"{device['wall_us'] / 1e3:,.3f} ms ({device['kernels']:,} kernels, "
            f"{device['copies']:,} copies, {device['sets']:,} sets on {device['streams']} streams)"
        )
        yield from _gap_facts(gaps)
        yield from _tables(device)


def _gap_facts(gaps: Args) -> Iterator[str]:
    if gaps["count"]:
        yield (
            f"  {gaps['count']:,} gaps, {gaps['total_us'] / 1e3:,.3f} ms in all; half are under "
            f"{gaps['p50_us']:,.1f} µs, nine of ten under {gaps['p90_us']:,.1f} µs"
        )
    cpu, total = gaps["cpu"], gaps["total_us"]
    if cpu and total:
        yield (
            f"  the CPU in the gaps: {percent(cpu['launching_us'] / total)} in CUDA calls, "
            f"{percent(cpu['operators_us'] / total)} in operators, "
            f"{percent(cpu['between_us'] / total)} between them, "
            f"{percent(cpu['computing_us'] / total)} in work of its own, "
            f"{percent(cpu['waiting_us'] / total)} waiting for the GPU, "
            f"{percent(cpu['elsewhere_us'] / total)} elsewhere"
        )
    for pair in gaps["waited_for"][:_SHOWN]:
        yield f"  {percent(pair['share'])} of the gap time ({pair['count']:,} gaps) waits for {_above(pair)}"
    for row in gaps["under"][:_SHOWN]:
        launching = "" if row["launches"] else ", which launches nothing"
        yield f"  {percent(row['share'])} of the gap time the CPU is in {row['name'][:60]}{launching}"
    for gap in gaps["longest"][:_SHOWN]:
        yield f"  gap of {gap['duration_us']:,.1f} µs at {gap['start_us']:,.1f} µs, ended by {_above(gap)}"


def _above(gap: Args) -> str:
    return " → ".join(filter(None, (gap["cpu_op"], gap["runtime_call"]))) or "no launch recorded"


def _tables(device: Args) -> Iterator[str]:
    for row in device["by_kernel"][:_SHOWN]:
        yield (
            f"  {percent(row['share'])} of the work: {row['count']:,} of {row['p50_us']:,.1f} µs (median), "
            f"{row['family']}: {row['name'][:90]}"
        )
    for row in device["by_operator"][:_SHOWN]:
        if row["gpu_us"]:
            yield (
                f"  under {row['name'][:60]}: {row['gpu_us'] / 1e3:,.3f} ms of work in {row['kernels']:,} "
                "kernels, "
                f"{row['self_cpu_us'] / 1e3:,.3f} ms of its own on the CPU, {row['calls']:,} calls"
            )
    for row in device["by_range"][:_SHOWN]:
        yield (
            f"  range {row['name'][:60]}: {row['count']:,} times, {row['span_us'] / 1e3:,.3f} ms on the GPU "
            "from "
            "first to last work"
        )
    for step in device["steps"][:_SHOWN]:
        yield (
            f"  {step['name'][:60]}: {step['wall_us'] / 1e3:,.3f} ms, {percent(step['busy_ratio'])} busy, "
            f"{step['kernels']:,} kernels, {step['launches']:,} launches"
        )


_UNITS = {"_us": (1e-3, " ms"), "busy_ratio": (1e2, " %"), "copy_bytes": (2**-20, " MiB")}


def comparison_facts(shown: dict[str, Any]) -> Iterator[str]:
    """The figures of two traces side by side, then the kernels that changed most."""
    yield f"before: {shown['before']}; after: {shown['after']}"
    for pair in shown["devices"]:
        yield f"GPU {pair['device']}, per {pair['per']}:"
        for row in pair["rows"]:
            scale, unit = next((how for end, how in _UNITS.items() if row["what"].endswith(end)), (1.0, ""))
            before, after = (
                number(None if row[side] is None else row[side] * scale, unit, 3)
                for side in ("before", "after")
            )
            yield f"  {row['what'].removesuffix('_us'):20} {before:>16} → {after:>16}"
        for moved in pair["kernels"][:_SHOWN]:
            yield f"  {moved['change_us'] / 1e3:+,.3f} ms: {moved['name'][:90]}"


def _overhead_bound(a: Args) -> str:
    under = ""
    if "cpu_op" in a:
        above = " → ".join(filter(None, (a["cpu_op"], a.get("call"))))
        under = f"; {percent(a['share'])} of the gap time waits for {above}"
    cure = "CUDA graphs, or fewer and larger kernels, shrink the gaps."
    return f"overhead-bound: {_busy(a)}{under}. {cure}{_sure(a)}"


def _gpu_busy(a: Args) -> str:
    most = (
        f" {percent(a['family_share'])} of the work is of the kind {a['family']}, the largest share "
        f"({percent(a['kernel_share'])}) {a['kernel']}."
        if "family" in a
        else ""
    )
    return f"{_busy(a)}: its kernels are what takes the time, not the launches.{most}{_sure(a)}"


def _busy(a: Args) -> str:
    return f"GPU {a['device']} is {percent(a['busy_ratio'])} busy over {a['wall_ms']:,.3f} ms"


def _sure(a: Args) -> str:
    return f" Confidence: {a['confidence']}." if "confidence" in a else ""


def _cpu_elsewhere(a: Args) -> str:
    doing = f"above all {a['doing']}" if "doing" in a else "data, a request, or Python of its own"
    return (
        f"not launches: {_busy(a)}; in {percent(a['share'])} of the gap time the CPU did what launches "
        f"nothing ({doing}; longest gap {a['longest_ms']:,.3f} ms). CUDA graphs don't help there.{_sure(a)}"
    )


def _held_up(a: Args) -> str:
    of = f"{a['launches']:,} launches of up to {a['longest_ms']:,.3f} ms"
    return f"{percent(a['share'])} of the gap time lies in {of}"


def _slow_launches(a: Args) -> str:
    return (
        f"few slow launches: {_busy(a)}; {_held_up(a)}: a first launch loads its kernel's code. Warm "
        f"up before recording; CUDA graphs don't help there.{_sure(a)}"
    )


def _launch_cost(a: Args) -> str:
    step = (
        f"{a['per_step']:,.1f} launches and {a['kernels_per_step']:,.1f} kernels a step ({a['steps']:,} "
        "steps)"
        if "per_step" in a
        else f"{a['launches']:,} launches for {a['kernels']:,} kernels"
    )
    return (
        f"{step}; a launch takes the CPU {number(a['launch_p50_us'], ' µs')}, a kernel the GPU "
        f"{number(a['kernel_p50_us'], ' µs')} (medians)"
    )


def _moved(a: Args) -> str:
    return (
        f"the time changed by {a['change_ms']:+,.3f} ms: {a['gap_change_ms']:+,.3f} in gaps, "
        f"{a['busy_change_ms']:+,.3f} in the GPU's work"
    )


TRACE_FINDINGS: dict[str, Callable[[Args], str]] = {
    "overhead_bound": _overhead_bound,
    "gpu_busy": _gpu_busy,
    "cpu_elsewhere": _cpu_elsewhere,
    "slow_launches": _slow_launches,
    "launches_held_up": lambda a: f"{_held_up(a)}, which load code at a first use: warm up before recording",
    "gaps_unexplained": lambda a: (
        f"{_busy(a)}; what it waited for isn't in the file: record the CPU too.{_sure(a)}"
    ),
    "communication_bound": lambda a: (
        f"{_busy(a)}, but for {percent(a['share'])} of that it only exchanges data with other GPUs: see "
        "whether one "
        f"comes late, and whether the exchange can run beside other work.{_sure(a)}"
    ),
    "without_gaps": lambda a: (
        f"without any gap {a['left_ms']:,.3f} of {a['wall_ms']:,.3f} ms would be left "
        f"({speedup(a['speedup'])}); then "
        f"the kernels set the pace, above all {a['family']} work ({percent(a['share'])} of the work)"
    ),
    "graphs_leave": lambda a: (
        f"CUDA graphs in place of {a['launches']:,} single launches would leave {a['left_ms']:,.3f} ms at "
        "best "
        f"({speedup(a['speedup'])})"
    ),
    "launch_cost": _launch_cost,
    "in_graphs": lambda a: (
        f"{a['kernels']:,} of {a['of']:,} kernels came by {a['launches']:,} launches of a CUDA graph"
    ),
    "sync_drains": lambda a: (
        f"{percent(a['share'])} of the gap time ({a['gap_ms']:,.3f} ms) begins while the CPU waits for the "
        "GPU "
        f"({a['syncs']:,} such calls): look for .item(), .cpu(), a printed tensor, torch.cuda.synchronize()"
    ),
    "uneven_steps": lambda a: (
        f"of {a['steps']:,} steps the slowest, {a['step']}, takes {a['slowest_ms']:,.3f} ms, the median "
        f"{a['median_ms']:,.3f} ms"
    ),
    "pageable_copies": lambda a: (
        f"{a['copies']:,} of {a['of']:,} copies go to or from memory that isn't pinned ({a['total_ms']:,.3f} "
        "ms): "
        "pin_memory() and non_blocking=True let them run beside kernels"
    ),
    "compared_time": lambda a: (
        f"GPU {a['device']}, per {a['per']}: {a['before_ms']:,.3f} ms before, {a['after_ms']:,.3f} ms after "
        f"({speedup(a['speedup'])}); busy {percent(a['busy_before_share'])} before, "
        f"{percent(a['busy_after_share'])} after"
    ),
    "same_time_more_work": lambda a: (
        f"the GPU worked {a['before_ms']:,.3f} ms before and {a['after_ms']:,.3f} ms after in the same time: "
        "the work "
        "filled gaps and cost nothing. The CPU's launches set the pace: overhead-bound."
    ),
    "time_moved_in_gaps": lambda a: f"{_moved(a)}: it was the waiting that changed",
    "time_moved_in_kernels": lambda a: f"{_moved(a)}: it was the kernels that changed",
    "launches_moved": lambda a: f"launches: {a['before']:,.1f} before, {a['after']:,.1f} after",
    "graphs_now": lambda a: (
        f"CUDA graphs are new: {a['graphs']:,.1f} launches bring {a['kernels']:,.1f} kernels"
    ),
    "kernel_moved": lambda a: (
        f"changed most: {a['kernel']}, {a['before_ms']:,.3f} ms before, {a['after_ms']:,.3f} ms after"
    ),
    "kernel_new": lambda a: f"changed most: {a['kernel']} is new, {a['after_ms']:,.3f} ms",
    "kernel_gone": lambda a: f"changed most: {a['kernel']} is gone, {a['before_ms']:,.3f} ms before",
}

TRACE_WARNINGS = {
    "no_gpu_events": "the file holds no GPU events ({launches} launches): that is not an idle GPU but a "
    "recording without one. Profile with CUDA activity on.",
    "lost_records": "{missing} of {launches} launches have no kernel record: records were lost; gaps there "
    "are not idle time.",
    "launched_before_window": "{events} of {of} GPU events belong to launches from before the recording.",
    "no_cpu_events": "the file holds no CPU events: what the GPU waited for can't be named.",
    "profiler_overhead": "the profiler's own work took {total_ms:,.3f} ms of the CPU's time in {events} "
    "pieces; "
    "{gap_ms:,.3f} ms of it lie in gaps.",
    "profiler_widens": "the profiler widens gaps: time a step without it before you believe their share.",
    "stacks_recorded": "Python's calls were recorded too (with_stack=True): without it the gaps are "
    "narrower.",
    "few_events": "GPU {device} has only {events} events in this file: too few to conclude much from.",
    "near_the_line": "GPU {device} is {busy_ratio:.1%} busy, close to the line at {line_share:.0%}: without "
    "the "
    "profiler the verdict may be the other one.",
    "unreadable_events": "{events} events have no time that can be read and were left out.",
    "mended_events": "{events} events were damaged (backslashes or quotes without escape, control "
    "characters, bytes that are no UTF-8; the first in line {line}) and were repaired.",
    "no_number": "{events} events have inf or nan in place of a number (the first in line {line}): read as "
    "no value.",
    "dropped_events": "{events} events are damaged beyond repair (the first in line {line}) and were left "
    "out.",
    "broken_end": "the file can't be read from line {line} on (cut off, or damaged): what was read are the "
    "{events} events before it.",
    "text_times": "{events} events have their time as text in place of a number: read as the number.",
    "work_without_args": "{events} GPU events say nothing of device, stream and launch: device and stream "
    "are taken from their row, the launch stays unknown.",
    "devices_differ": "the traces hold {before} and {after} GPUs: paired in order, one without a partner is "
    "left "
    "out.",
    "gpus_differ": "the traces come from different GPUs: {before} before, {after} after.",
    "compared_whole": "not both traces hold the profiler's steps: compared as a whole, so that times and "
    "counts "
    "depend on how long each recorded.",
}
