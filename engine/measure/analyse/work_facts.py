"""What is to be said of a device's work, apart from its gaps: steps, tables, launches and copies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import compress

import msgspec

from engine.measure.analyse.chrome_trace import GpuEvent
from engine.measure.analyse.copies import Copies, copies_by_direction
from engine.measure.analyse.device_time import DeviceTime, GapTime, Work
from engine.measure.analyse.host_side import HostSide
from engine.measure.analyse.intervals import length, percentile, union
from engine.measure.analyse.kernel_family import COMMUNICATION
from engine.measure.analyse.launch_facts import LaunchFacts, launch_facts
from engine.measure.analyse.nesting import Nesting
from engine.measure.analyse.step_times import StepTime, step_times
from engine.measure.analyse.work_tables import WorkTables, work_tables

_DIRECTION = re.compile(r"\b([HDPA])to([HDPA])\b|(Host|Device|Peer)To(Host|Device|Peer)")


class WorkFacts(msgspec.Struct, frozen=True):
    """The facts about one device's work; times in nanoseconds."""

    steps: tuple[StepTime, ...]
    tables: WorkTables
    launches: LaunchFacts | None
    """None where the file holds no calls."""
    kernel_p50: int
    copies: tuple[Copies, ...]
    pageable: tuple[int, ...]
    """The lengths of copies from or to memory that isn't pinned."""
    busy_without_communication: int
    """-1 where no work exchanges data between GPUs."""


def work_facts(
    time: DeviceTime,
    work: Work,
    host: HostSide,
    ranges: Nesting | Sequence[GpuEvent],
    gaps: GapTime,
    *,
    launches: bool,
) -> WorkFacts:
    """The facts about one device. `ranges`: on the CPU, with the calls that started work; or, where the CPU
    wasn't recorded, on this device. `launches`: there are calls in the file."""
    launching = work.launches(host) if launches else []
    steps = step_times(time, work, host, launching, gaps)
    tables = work_tables(work, host.operators, ranges)
    copies = [event for event in work.events if event.kind == "copy"] if time.copies else []
    return WorkFacts(
        steps=steps,
        tables=tables,
        launches=launch_facts(work, host, launching, steps) if launches else None,
        kernel_p50=_kernel_median(work),
        copies=_by_direction(copies),
        pageable=tuple(copy.end - copy.start for copy in copies if "ageable" in copy.name),
        busy_without_communication=_busy_without_communication(work, tables),
    )


def _by_direction(copies: Sequence[GpuEvent]) -> tuple[Copies, ...]:
    directions = {name: _direction(name) for name in {copy.name for copy in copies}}
    return tuple(copies_by_direction((directions[copy.name], copy) for copy in copies))


def _direction(name: str) -> str:
    """HtoD, DtoH, DtoD, PtoP or other, from a copy's name: "Memcpy HtoD (Pageable -> Device)"."""
    found = _DIRECTION.search(name)
    if found is None:
        return "other"
    source, target = found[1] or found[3][0], found[2] or found[4][0]
    return f"{source}to{target}"


def _kernel_median(work: Work) -> int:
    """The median length of the device's kernels, in nanoseconds."""
    return percentile(sorted(compress(work.lasting, work.kernels)), 0.5)


def _busy_without_communication(work: Work, tables: WorkTables) -> int:
    """The busy time, in nanoseconds, of all work but that which exchanges data between GPUs; -1 where none
    does."""
    names = {row.name for row in tables.kernels if row.family == COMMUNICATION}
    if not names:
        return -1
    return length(union([(event.start, event.end) for event in work.events if event.name not in names]))
