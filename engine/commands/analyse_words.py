"""Puts an analysis (as `--json` shows it) into English sentences for the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from engine.commands.analyse_trace_words import (
    TRACE_FINDINGS,
    TRACE_WARNINGS,
    comparison_facts,
    trace_facts,
)
from engine.commands.analyse_units import Args, number, percent, size


def sentences(shown: dict[str, Any]) -> list[str]:
    """The sentences about an analysis: facts, then findings, then warnings."""
    said = list(_FACTS[shown["kind"]](shown))
    for finding in shown.get("findings", []):
        said.append(f"- {_finding(finding['code'], finding['args'])}")
    for warning in shown["warnings"]:
        said.append(f"! {_warning(warning['code'], warning['args'])}")
    return said


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
            f"  {number(None if duration is None else duration * 1e6, ' µs', 2)} under ncu (not what it "
            "takes in production); Speed Of Light: memory "
            f"{number(kernel['memory_percent'], ' %')}, compute {number(kernel['compute_percent'], ' %')}; "
            f"DRAM alone {number(kernel['dram_percent'], ' %')}"
        )
        yield (
            f"  occupancy {number(kernel['achieved_occupancy_percent'], ' %')} achieved of "
            f"{number(kernel['theoretical_occupancy_percent'], ' %')} possible; L2 hits "
            f"{number(kernel['l2_hit_percent'], ' %')}; registers a thread "
            f"{number(kernel['registers_per_thread'], digits=0)}"
        )


def _nsys_facts(shown: dict[str, Any]) -> Iterator[str]:
    for device in shown["devices"]:
        yield (
            f"GPU {device['device']}: {percent(device['busy_ratio'])} busy over "
            f"{device['wall_us'] / 1e3:,.3f} ms ({device['kernels']:,} kernels, {device['graphs']:,} graphs "
            f"as blocks{_half(device['kernel_p50_us'])})"
        )
    for report, rows in shown["sums"].items():
        yield f"{report}: {len(rows):,} rows"
        for row in rows[:5]:
            yield f"  {row['total_us'] / 1e3:,.3f} ms in {row['count']:,}: {row['name'][:100]}"


_FACTS: dict[str, Callable[[dict[str, Any]], Iterator[str]]] = {
    "trace": trace_facts,
    "comparison": comparison_facts,
    "memory_snapshot": _memory_facts,
    "ncu": _ncu_facts,
    "nsys": _nsys_facts,
}


def _finding(code: str, args: Args) -> str:
    return _FINDINGS[code](args) if code in _FINDINGS else f"{code} {args}"


def _leak(a: Args) -> str:
    where = a["call"] or f"blocks of {size(a['block_bytes'])} (no stack recorded)"
    return (
        f"leak: {where} has left {size(a['bytes'])} in {a['blocks']:,} blocks that live to the end, "
        f"{size(a['bytes_per_tooth'])} a tooth over {a['teeth']:,} teeth (chance of such a climb: "
        f"{a['p']:.1e}); {percent(a['share_of_growth'])} of what has grown"
    )


def _fragmentation(a: Args) -> str:
    failed = f"a request of {size(a['requested_bytes'])} failed although " if "requested_bytes" in a else ""
    return (
        f"fragmentation: {failed}{size(a['free_bytes'])} were free, in {a['holes']:,} pieces of at most "
        f"{size(a['largest_free_bytes'])} ({a['common_holes']:,} of {size(a['common_hole_bytes'])}); "
        f"{size(a['allocated_bytes'])} allocated of {size(a['reserved_bytes'])} reserved"
    )


def _half(kernel_p50_us: float | None) -> str:
    return "" if kernel_p50_us is None else f"; half of the kernels under {kernel_p50_us:,.1f} µs"


def _gap_text(a: Args) -> str:
    return (
        f"gaps: GPU {a['device']} is {percent(a['busy_ratio'])} busy over {a['wall_ms']:,.3f} ms, "
        f"{a['gaps']:,} gaps of {a['gap_ms']:,.3f} ms in all, the longest {a['longest_ms']:,.3f} ms"
    )


def _cadence_text(a: Args) -> str:
    launch = "" if a["launch_p50_us"] is None else f" against {a['launch_p50_us']:,.1f} µs to launch one"
    if a["kernel_p50_us"] is None:
        return f"{a['graphs']:,} graphs as blocks, the kernels in them aren't in the file{launch}"
    return f"kernels take {a['kernel_p50_us']:,.1f} µs (median){launch}"


def _copies_text(a: Args) -> str:
    sizes = f"{size(a['bytes'])} in all, half under {size(a['median_bytes'])}"
    if not a["bytes"]:
        sizes = "of sizes not in the file"
    return (
        f"copies {a['direction']}: {a['copies']:,}, {sizes}, {percent(a['share_of_busy'])} of the busy time"
    )


_NOTHING = {
    "no_history": "nothing to say: the snapshot holds no history of allocations. Record one with "
    "torch.cuda.memory._record_memory_history().",
    "few_teeth": "nothing to say: {teeth} teeth are too few to tell a leak from a start",
    "flat": "flat: what is allocated was taken once and stays, as a pool of one's own does; what goes on in "
    "it a snapshot can't say",
}

_FINDINGS: dict[str, Callable[[Args], str]] = {
    **TRACE_FINDINGS,
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
        f"{_gap_text(a)}; {percent(a['api_share'])} of it under API calls (most under {a['call']}): the CPU "
        "cannot launch fast enough"
    ),
    "gaps_api_quiet": lambda a: (
        f"{_gap_text(a)}; only {percent(a['api_share'])} of it under API calls: the CPU was doing "
        "something else"
    ),
    "gaps_api_unknown": lambda a: f"{_gap_text(a)}; the file holds no API row to say why",
    "kernel_bound": lambda a: f"cadence: kernel-bound; {_cadence_text(a)}",
    "launch_bound": lambda a: f"cadence: launch-bound; {_cadence_text(a)}: thin kernels, densely launched",
    "host_bound": lambda a: f"cadence: the GPU waits for the host between launches; {_cadence_text(a)}",
    "copies_periodic": lambda a: (
        f"{_copies_text(a)}; in a rhythm: {size(a['period_bytes']) if a['period_bytes'] else 'one'} every "
        f"{a['period_ms']:,.3f} ms"
    ),
    "copies_irregular": lambda a: f"{_copies_text(a)}; without a rhythm",
    "thin_kernels": lambda a: (
        f"thin kernels: {a['kernels']:,} launches, {a['total_ms']:,.3f} ms in all; {_cadence_text(a)}; the "
        f"largest share ({percent(a['top_share'])}) is {a['top'][:100]}"
    ),
    "long_kernels": lambda a: (
        f"long kernels: {a['kernels']:,} launches, {a['total_ms']:,.3f} ms in all; {_cadence_text(a)}; the "
        f"largest share ({percent(a['top_share'])}) is {a['top'][:100]}"
    ),
    "copies_total": lambda a: f"{a['operation']}: {a['copies']:,} in {a['total_ms']:,.3f} ms",
    "api_total": lambda a: (
        f"most API time is in {a['call']}: {a['total_ms']:,.3f} ms in {a['calls']:,} calls"
    ),
}


def _warning(code: str, args: Args) -> str:
    return _WARNINGS[code].format_map(args) if code in _WARNINGS else f"{code} {args}"


_WARNINGS = {
    **TRACE_WARNINGS,
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
