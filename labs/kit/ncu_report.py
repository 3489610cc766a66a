"""What a report says of each case: the kernels of an ncu run matched with what was launched."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from engine.measure.analyse.ncu import NcuKernel
from labs.kit.ncu_tool import NcuFailed, NcuRun


@dataclass(frozen=True, slots=True)
class Report:
    """One kernel's values. Percentages from 0 to 100, times in seconds; None where the set lacks them."""

    kernel: str
    block: str
    grid: str
    passes: int | None
    duration_s: float | None
    wall_s: float | None
    """What the launch took by the host's clock, all passes and the restoring of memory included."""
    memory: float | None
    dram: float | None
    compute: float | None
    achieved: float | None
    theoretical: float | None
    l2_hit: float | None
    registers: float | None
    sm_hz: float | None


def by_case(run: NcuRun, launched: Mapping[str, int]) -> dict[str, Report]:
    """The report of each case's longest kernel; `launched` is how many kernels each launches, in order.

    Raises NcuFailed where the report holds another number of kernels.
    """
    kernels = sorted(run.report.kernels, key=lambda kernel: kernel.id)
    wanted = sum(launched.values())
    if len(kernels) != wanted:
        raise NcuFailed("failed", f"the report holds {len(kernels)} kernels, {wanted} were launched.")
    walls = _walls(run.output)
    found, at = {}, 0
    for case, count in launched.items():
        own = kernels[at : at + count]
        at += count
        longest = max(own, key=lambda kernel: kernel.duration_s or 0.0)
        found[case] = _report(longest, run.passes.get(longest.id), walls.get(case))
    return found


def _report(kernel: NcuKernel, passes: int | None, wall_s: float | None) -> Report:
    return Report(
        kernel=kernel.name,
        block=kernel.block,
        grid=kernel.grid,
        passes=passes,
        duration_s=kernel.duration_s,
        wall_s=wall_s,
        memory=kernel.memory_percent,
        dram=kernel.dram_percent,
        compute=kernel.compute_percent,
        achieved=kernel.achieved_occupancy,
        theoretical=kernel.theoretical_occupancy,
        l2_hit=kernel.l2_hit_rate,
        registers=kernel.registers_per_thread,
        sm_hz=kernel.sm_clock_hz,
    )


def _walls(output: str) -> dict[str, float]:
    """Seconds by case, from the lines of `labs.kit.ncu_cases`."""
    found = {}
    for line in output.splitlines():
        if line.startswith('{"case"'):
            body = json.loads(line)
            found[str(body["case"])] = float(body["wall_s"])
    return found
