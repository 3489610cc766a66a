"""What Nsight Systems records, whichever export it came from. Times in nanoseconds, sizes in bytes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Work:
    """Something a GPU did. `kind`: kernel, copy, set, or graph (a CUDA graph recorded as one block).

    `direction` of a copy: HtoD, DtoH, DtoD, PtoP or other. `in_graph`: a node of a CUDA graph.
    """

    kind: str
    name: str
    device: int
    stream: str
    start: int
    end: int
    correlation: int | None = None
    bytes: int | None = None
    direction: str | None = None
    in_graph: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A CUDA API call on a CPU thread."""

    name: str
    thread: str
    start: int
    end: int
    correlation: int | None = None

    @property
    def is_launch(self) -> bool:
        return "Launch" in self.name

    @property
    def is_graph_launch(self) -> bool:
        return "GraphLaunch" in self.name

    @property
    def is_wait(self) -> bool:
        return "Synchronize" in self.name or "EventQuery" in self.name


@dataclass(frozen=True, slots=True)
class NvtxRange:
    """A range that the program named."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SumRow:
    """A row of a summary table: a kernel, API call, copy operation or range with its time over all calls.

    None where the table doesn't hold the column.
    """

    name: str
    total_ns: int
    count: int
    median_ns: float | None
    share_percent: float | None


@dataclass(frozen=True, slots=True)
class Capture:
    """What one file holds, events in order of start. `sums`: summary tables by name of their report.

    `calls` is None where the file does not record API calls at all; `skipped`: rows that could not be read.
    """

    work: tuple[Work, ...]
    calls: tuple[Call, ...] | None
    ranges: tuple[NvtxRange, ...]
    sums: dict[str, tuple[SumRow, ...]]
    skipped: int = 0
