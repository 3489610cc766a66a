"""Which part of a model a kernel belongs to: every module marks its own range in the trace."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from engine.measure.analyse.chrome_trace import ChromeTrace, CpuEvent

_MARK = "part:"
OUTSIDE = "sampling"
"""What no module does: choosing the next token and keeping it."""


@dataclass(frozen=True, slots=True)
class KernelTime:
    """A kernel by name. Times in nanoseconds, all steps together; `parts` by time, longest first."""

    name: str
    count: int
    ns: int
    parts: tuple[tuple[str, int], ...]


@contextmanager
def marked_parts(model: Any) -> Iterator[None]:
    """While it lasts every module of the model is a named range for the profiler."""
    open_ranges: list[Any] = []

    def enter(name: str) -> Any:
        def hook(module: Any, args: Any) -> None:
            mark = torch.profiler.record_function(_MARK + name)
            mark.__enter__()
            open_ranges.append(mark)

        return hook

    def leave(module: Any, args: Any, output: Any) -> None:
        open_ranges.pop().__exit__(None, None, None)

    handles = []
    for path, module in model.named_modules():
        handles.append(module.register_forward_pre_hook(enter(part_name(path))))
        handles.append(module.register_forward_hook(leave))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def part_name(path: str) -> str:
    """A module's place in a model without the number of its layer: `model.layers.3.mlp.up_proj` is
    `mlp.up_proj`, a layer itself `layer`."""
    steps = path.split(".")
    if "layers" in steps:
        return ".".join(steps[steps.index("layers") + 2 :]) or "layer"
    return steps[-1] or "model"


def kernels_by_part(trace: ChromeTrace) -> list[KernelTime]:
    """The kernels of a trace that was recorded with `marked_parts`, longest time first."""
    part_of = _parts_of_calls(trace)
    time: dict[str, Counter[str]] = defaultdict(Counter)
    counts: Counter[str] = Counter()
    for event in trace.gpu:
        if event.kind == "kernel":
            time[event.name][part_of.get(event.correlation, OUTSIDE)] += event.end - event.start
            counts[event.name] += 1
    found = [
        KernelTime(name, counts[name], sum(parts.values()), tuple(parts.most_common()))
        for name, parts in time.items()
    ]
    return sorted(found, key=lambda kernel: -kernel.ns)


def time_by_part(trace: ChromeTrace) -> list[tuple[str, int, int]]:
    """Part, kernels and nanoseconds on the GPU, longest first, all steps together."""
    part_of = _parts_of_calls(trace)
    time: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for event in trace.gpu:
        part = part_of.get(event.correlation, OUTSIDE)
        time[part] += event.end - event.start
        counts[part] += event.kind == "kernel"
    return [(part, counts[part], ns) for part, ns in time.most_common()]


def _parts_of_calls(trace: ChromeTrace) -> dict[int | None, str]:
    """The innermost part around each runtime call, by the call's correlation."""
    marks: dict[tuple[str, str], list[CpuEvent]] = defaultdict(list)
    for mark in trace.ranges:
        if mark.name.startswith(_MARK):
            marks[mark.thread].append(mark)
    found: dict[int | None, str] = {}
    around: dict[tuple[str, str], list[CpuEvent]] = defaultdict(list)
    places: Counter[tuple[str, str]] = Counter()
    for call in trace.calls:  # both are in order of start, an outer range before its inner ones
        own, stack = marks[call.thread], around[call.thread]
        while places[call.thread] < len(own) and own[places[call.thread]].start <= call.start:
            stack.append(own[places[call.thread]])
            places[call.thread] += 1
        while stack and stack[-1].end <= call.start:
            stack.pop()
        if stack and call.correlation is not None:
            found[call.correlation] = stack[-1].name.removeprefix(_MARK)
    return found
