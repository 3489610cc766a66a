"""Puts an analysis (as `--json` shows it) into English sentences for the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Args = dict[str, Any]


def sentences(shown: dict[str, Any]) -> list[str]:
    """The sentences about an analysis: facts, then findings, then warnings."""
    said = list(_FACTS[shown["kind"]](shown))
    for finding in shown.get("findings", []):
        said.append(f"- {_finding(finding['code'], finding['args'])}")
    for warning in shown["warnings"]:
        said.append(f"! {_warning(warning['code'], warning['args'])}")
    return said


def size(count: float | None) -> str:
    """Bytes in the unit that a person would use."""
    if count is None:
        return "?"
    for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if abs(count) >= scale:
            return f"{count / scale:,.2f} {unit}"
    return f"{count:,.0f} B"


def _percent(share: float | None) -> str:
    return "?" if share is None else f"{100 * share:.1f} %"


def _number(value: float | None, unit: str = "", digits: int = 1) -> str:
    return "not in the file" if value is None else f"{value:,.{digits}f}{unit}"


def _trace_facts(shown: dict[str, Any]) -> Iterator[str]:
    for device in shown["devices"]:
        gaps = device["gaps"]
        yield (
            f"GPU {device['device']}: {_percent(device['busy_ratio'])} busy over "
            f"{device['wall_us'] / 1e3:,.3f} ms ({device['kernels']:,} kernels, "
            f"{device['copies']:,} copies, {device['sets']:,} sets on {device['streams']} streams)"
        )
        if gaps["count"]:
            yield (
                f"  {gaps['count']:,} gaps, {gaps['total_us'] / 1e3:,.3f} ms in all; half are under "
                f"{gaps['p50_us']:,.1f} µs, nine of ten under {gaps['p90_us']:,.1f} µs"
            )
        for gap in gaps["longest"][:5]:
            above = " → ".join(filter(None, (gap["cpu_op"], gap["runtime_call"]))) or "no launch recorded"
            yield f"  gap of {gap['duration_us']:,.1f} µs at {gap['start_us']:,.1f} µs, ended by {above}"


def _memory_facts(shown: dict[str, Any]) -> Iterator[str]:
    for device in shown["devices"]:
        recorded = device["recorded"]
        yield (
            f"GPU {device['device']}: {size(device['allocated_bytes'])} allocated of "
            f"{size(device['reserved_bytes'])} reserved in {device['segments']:,} segments; "
            f"{size(device['free_bytes'])} free, the largest piece {size(device['largest_free_bytes'])}, "
            f"{size(device['stranded_bytes'])} of it beside live blocks"
        )
        if recorded["allocs"] or recorded["frees"]:
            yield (
                f"  recorded: {recorded['allocs']:,} allocations, {recorded['frees']:,} releases; from "
                f"{size(recorded['baseline_bytes'])} up to {size(recorded['peak_bytes'])} "
                f"(+{size(recorded['peak_over_baseline_bytes'])}), at the end "
                f"{size(recorded['end_bytes'])}"
            )
        for alive in device["alive"][:5]:
            where = alive["call"] or "no stack recorded"
            yield f"  alive at the end: {size(alive['bytes'])} in {alive['blocks']:,} blocks from {where}"


def _ncu_facts(shown: dict[str, Any]) -> Iterator[str]:
    for kernel in shown["kernels"]:
        duration = kernel["duration_s"]
        yield f"{kernel['name']}: grid {kernel['grid']}, block {kernel['block']}"
        yield (
            f"  {_number(None if duration is None else duration * 1e6, ' µs', 2)} under ncu (not what it "
            "takes in production); Speed Of Light: memory "
            f"{_number(kernel['memory_percent'], ' %')}, compute {_number(kernel['compute_percent'], ' %')}; "
            f"DRAM alone {_number(kernel['dram_percent'], ' %')}"
        )
        yield (
            f"  occupancy {_number(kernel['achieved_occupancy_percent'], ' %')} achieved of "
            f"{_number(kernel['theoretical_occupancy_percent'], ' %')} possible; L2 hits "
            f"{_number(kernel['l2_hit_percent'], ' %')}; registers a thread "
            f"{_number(kernel['registers_per_thread'], digits=0)}"
        )


def _nsys_facts(shown: dict[str, Any]) -> Iterator[str]:
    for device in shown["devices"]:
        yield (
            f"GPU {device['device']}: {_percent(device['busy_ratio'])} busy over "
            f"{device['wall_us'] / 1e3:,.3f} ms ({device['kernels']:,} kernels, {device['graphs']:,} graphs "
            f"as blocks; half of the kernels under {device['kernel_p50_us']:,.1f} µs)"
        )
    for report, rows in shown["sums"].items():
        yield f"{report}: {len(rows):,} rows"
        for row in rows[:5]:
            yield f"  {row['total_us'] / 1e3:,.3f} ms in {row['count']:,}: {row['name'][:100]}"


_FACTS: dict[str, Callable[[dict[str, Any]], Iterator[str]]] = {
    "trace": _trace_facts,
    "memory_snapshot": _memory_facts,
    "ncu": _ncu_facts,
    "nsys": _nsys_facts,
}


def _finding(code: str, args: Args) -> str:
    return _FINDINGS[code](args) if code in _FINDINGS else f"{code} {args}"


def _overhead_bound(a: Args) -> str:
    under = f"; {_percent(a['share'])} of the gap time waits for {a['cpu_op']}" if "cpu_op" in a else ""
    return (
        f"overhead-bound: GPU {a['device']} is {_percent(a['busy_ratio'])} busy over "
        f"{a['wall_ms']:,.3f} ms{under}. CUDA graphs, or fewer and larger kernels, shrink the gaps."
    )


def _leak(a: Args) -> str:
    where = a["call"] or f"blocks of {size(a['block_bytes'])} (no stack recorded)"
    return (
        f"leak: {where} has left {size(a['bytes'])} in {a['blocks']:,} blocks that live to the end, "
        f"{size(a['bytes_per_tooth'])} a tooth over {a['teeth']:,} teeth (chance of such a climb: "
        f"{a['p']:.1e}); {_percent(a['share_of_growth'])} of what has grown"
    )


def _fragmentation(a: Args) -> str:
    failed = f"a request of {size(a['requested_bytes'])} failed although " if "requested_bytes" in a else ""
    return (
        f"fragmentation: {failed}{size(a['free_bytes'])} were free, in {a['holes']:,} pieces of at most "
        f"{size(a['largest_free_bytes'])} ({a['common_holes']:,} of {size(a['common_hole_bytes'])}); "
        f"{size(a['allocated_bytes'])} allocated of {size(a['reserved_bytes'])} reserved"
    )


def _gap_text(a: Args) -> str:
    return (
        f"gaps: GPU {a['device']} is {_percent(a['busy_ratio'])} busy over {a['wall_ms']:,.3f} ms, "
        f"{a['gaps']:,} gaps of {a['gap_ms']:,.3f} ms in all, the longest {a['longest_ms']:,.3f} ms"
    )


def _cadence_text(a: Args) -> str:
    launch = "" if a["launch_p50_us"] is None else f" against {a['launch_p50_us']:,.1f} µs to launch one"
    return f"kernels take {a['kernel_p50_us']:,.1f} µs (median){launch}"


def _copies_text(a: Args) -> str:
    return (
        f"copies {a['direction']}: {a['copies']:,}, {size(a['bytes'])} in all, half under "
        f"{size(a['median_bytes'])}, {_percent(a['share_of_busy'])} of the busy time"
    )


_NOTHING = {
    "no_history": "nothing to say: the snapshot holds no history of allocations. Record one with "
    "torch.cuda.memory._record_memory_history().",
    "few_teeth": "nothing to say: {teeth} teeth are too few to tell a leak from a start",
    "flat": "flat: what is allocated was taken once and stays, as a pool of one's own does; what goes on in "
    "it a snapshot can't say",
}

_FINDINGS: dict[str, Callable[[Args], str]] = {
    "overhead_bound": _overhead_bound,
    "gpu_busy": lambda a: (
        f"GPU {a['device']} is {_percent(a['busy_ratio'])} busy over {a['wall_ms']:,.3f} ms: its kernels are "
        "what takes the time, not the launches."
    ),
    "leak": _leak,
    "fragmentation": _fragmentation,
    "out_of_memory": lambda a: (
        f"out of memory without fragmentation: {size(a['requested_bytes'])} asked for, "
        f"{size(a['allocated_bytes'])} allocated, only {size(a['free_bytes'])} free in what was reserved"
    ),
    "sawtooth": lambda a: (
        f"healthy sawtooth: {a['teeth']:,} teeth between a floor of {size(a['floor_bytes'])} and a peak of "
        f"{size(a['peak_bytes'])}; the floor does not climb"
    ),
    "nothing_to_say": lambda a: _NOTHING[a["why"]].format_map(a),
    "gaps_small": lambda a: f"{_gap_text(a)}: the GPU has work nearly all the time",
    "gaps_api_busy": lambda a: (
        f"{_gap_text(a)}; {_percent(a['api_share'])} of it under API calls (most under {a['call']}): the CPU "
        "cannot launch fast enough"
    ),
    "gaps_api_quiet": lambda a: (
        f"{_gap_text(a)}; only {_percent(a['api_share'])} of it under API calls: the CPU was doing "
        "something else"
    ),
    "gaps_api_unknown": lambda a: f"{_gap_text(a)}; the file holds no API row to say why",
    "kernel_bound": lambda a: f"cadence: kernel-bound; {_cadence_text(a)}",
    "launch_bound": lambda a: f"cadence: launch-bound; {_cadence_text(a)}: thin kernels, densely launched",
    "host_bound": lambda a: f"cadence: the GPU waits for the host between launches; {_cadence_text(a)}",
    "copies_periodic": lambda a: (
        f"{_copies_text(a)}; in a rhythm: {size(a['period_bytes'])} every {a['period_ms']:,.3f} ms"
    ),
    "copies_irregular": lambda a: f"{_copies_text(a)}; without a rhythm",
    "thin_kernels": lambda a: (
        f"thin kernels: {a['kernels']:,} launches, {a['total_ms']:,.3f} ms in all; {_cadence_text(a)}; the "
        f"largest share ({_percent(a['top_share'])}) is {a['top'][:100]}"
    ),
    "long_kernels": lambda a: (
        f"long kernels: {a['kernels']:,} launches, {a['total_ms']:,.3f} ms in all; {_cadence_text(a)}; the "
        f"largest share ({_percent(a['top_share'])}) is {a['top'][:100]}"
    ),
    "copies_total": lambda a: f"{a['operation']}: {a['copies']:,} in {a['total_ms']:,.3f} ms",
    "api_total": lambda a: (
        f"most API time is in {a['call']}: {a['total_ms']:,.3f} ms in {a['calls']:,} calls"
    ),
}


def _warning(code: str, args: Args) -> str:
    return _WARNINGS[code].format_map(args) if code in _WARNINGS else f"{code} {args}"


_WARNINGS = {
    "no_gpu_events": "the file holds no GPU events ({launches} launches): that is not an idle GPU but a "
    "recording without one. Profile with CUDA activity on.",
    "lost_records": "{missing} of {launches} launches have no kernel record: records were lost; gaps there "
    "are not idle time.",
    "launched_before_window": "{events} of {of} GPU events belong to launches from before the recording.",
    "no_cpu_events": "the file holds no CPU events: what the GPU waited for can't be named.",
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
    "no_history": "GPU {device}: no events were recorded; only the state at the end is known.",
    "no_stacks": "GPU {device}: no stacks were recorded: calls can't be named. Record with stacks='python'.",
    "unmatched_frees": "GPU {device}: {frees} releases speak of blocks that nothing else in the file knows.",
    "empty_snapshot": "the snapshot holds neither segments nor events: nothing had been allocated.",
    "no_api_calls": "API calls were not recorded: record with --trace=cuda.",
    "only_sums": "the file holds sums only, no order in time: gaps and rhythm need the SQLite export or "
    "cuda_gpu_trace.",
    "graphs_as_blocks": "GPU {device}: {graphs} CUDA graphs are recorded as one block each; "
    "--cuda-graph-trace=node shows the kernels in them.",
}
