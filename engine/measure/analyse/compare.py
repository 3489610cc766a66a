"""Two analyses of traces side by side: what moved from one to the other (batch 1 and 32, before and after
`torch.compile`).

Works on what `python -m engine analyse --json` prints, so that analyses which were kept can be compared.
Where both have the profiler's steps, times and counts are those of one step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.measure.analyse.errors import UnreadableFile
from engine.measure.analyse.work_tables import ROWS as LISTED
from engine.measure.finding import Finding, Scalar

ROWS = 50
"""How many kernels, operators and families are listed, those first whose time changed most."""
SAME = 0.05
"""Times closer than this are called the same: two runs of one program differ by about so much."""
MORE = 1.2
"""From this ratio on the GPU did clearly more work, and kernels or launches are clearly fewer."""

Device = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """One figure in both traces; None where it isn't known. Times in microseconds."""

    what: str
    before: float | None
    after: float | None

    def to_json(self) -> dict[str, Any]:
        ratio = self.after / self.before if self.before and self.after is not None else None
        return {
            "what": self.what,
            "before": self.before,
            "after": self.after,
            "ratio": None if ratio is None else round(ratio, 6),
        }


@dataclass(frozen=True, slots=True)
class Moved:
    """The time and number of one kernel, operator or family in both; None where a list ended before it."""

    name: str
    before_us: float | None
    after_us: float | None
    before_count: float | None
    after_count: float | None

    @property
    def change_us(self) -> float:
        return (self.after_us or 0.0) - (self.before_us or 0.0)

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "before_us": self.before_us,
            "after_us": self.after_us,
            "before_count": self.before_count,
            "after_count": self.after_count,
            "change_us": round(self.change_us, 3),
        }


@dataclass(frozen=True, slots=True)
class DevicePair:
    """A device of each trace. `per`: step or trace."""

    device: int
    before_device: int
    per: str
    rows: tuple[Row, ...]
    kernels: tuple[Moved, ...]
    operators: tuple[Moved, ...]
    families: tuple[Moved, ...]

    def row(self, what: str) -> Row:
        """The row of that figure. Raises KeyError."""
        for row in self.rows:
            if row.what == what:
                return row
        raise KeyError(what)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What moved. Warnings and findings are codes with arguments."""

    before: str
    after: str
    devices: tuple[DevicePair, ...]
    warnings: tuple[Finding, ...]
    findings: tuple[Finding, ...]

    def to_json(self) -> dict[str, Any]:
        """The contract of `python -m engine analyse FILE --against BEFORE --json`."""
        return {
            "kind": "comparison",
            "before": self.before,
            "after": self.after,
            "devices": [
                {
                    "device": pair.device,
                    "before_device": pair.before_device,
                    "per": pair.per,
                    "rows": [row.to_json() for row in pair.rows],
                    "kernels": [moved.to_json() for moved in pair.kernels],
                    "operators": [moved.to_json() for moved in pair.operators],
                    "families": [moved.to_json() for moved in pair.families],
                }
                for pair in self.devices
            ],
            "warnings": [{"code": w.code, "args": w.args} for w in self.warnings],
            "findings": [{"code": f.code, "args": f.args} for f in self.findings],
        }


def compare(
    before: Mapping[str, Any], after: Mapping[str, Any], *, names: tuple[str, str] = ("before", "after")
) -> Comparison:
    """What moved from one analysis to the other; `names` are those of the files, the earlier first.

    Raises `UnreadableFile` where one of them isn't of a trace, or saw no GPU.
    """
    for analysis, name in zip((before, after), names, strict=True):
        if analysis.get("kind") != "trace":
            raise UnreadableFile(
                f"{name}: this is no trace: two traces can be compared, not other files."
            ).because("compare_no_trace", name=name)
        if not analysis["devices"]:
            raise UnreadableFile(f"{name}: it holds no GPU events, so there is nothing to compare.").because(
                "compare_no_gpu", name=name
            )
    pairs = tuple(_pair(b, a) for b, a in zip(before["devices"], after["devices"], strict=False))
    warnings = []
    if len(before["devices"]) != len(after["devices"]):
        numbers: dict[str, Scalar] = {"before": len(before["devices"]), "after": len(after["devices"])}
        warnings.append(Finding("devices_differ", numbers))
    gpus = [{device.get("name") for device in analysis["devices"]} - {None} for analysis in (before, after)]
    if all(gpus) and gpus[0] != gpus[1]:
        shown = [", ".join(sorted(names_seen)) for names_seen in gpus]
        warnings.append(Finding("gpus_differ", {"before": shown[0], "after": shown[1]}))
    if any(pair.per == "trace" for pair in pairs):
        warnings.append(Finding("compared_whole"))
    return Comparison(*names, pairs, tuple(warnings), tuple(f for pair in pairs for f in _findings(pair)))


def _pair(before: Device, after: Device) -> DevicePair:
    steps = len(before["steps"]), len(after["steps"])
    by_step = all(steps)
    old, new = (
        _figures(device, number if by_step else 1, by_step=by_step)
        for device, number in zip((before, after), steps, strict=True)
    )
    parts = steps if by_step else (1, 1)
    return DevicePair(
        device=after["device"],
        before_device=before["device"],
        per="step" if by_step else "trace",
        rows=tuple(Row(what, value, new[what]) for what, value in old.items()),
        kernels=_moved(before, after, parts, "by_kernel", ("name", "total_us", "count")),
        operators=_moved(before, after, parts, "by_operator", ("name", "self_gpu_us", "calls")),
        families=_moved(before, after, parts, "by_family", ("family", "total_us", "count")),
    )


def _figures(device: Device, parts: int, *, by_step: bool) -> dict[str, float | None]:
    """The figures of one device: of a step, taken over all steps that the trace holds whole, or of it all."""
    launches = device["launches"] or {}
    bound = device["bound"]
    steps = device["steps"]
    # work before the first step belongs to none: the bound's shares are carried over to the steps' time
    wall = sum(step["wall_us"] for step in steps) / parts if by_step else device["wall_us"]
    busy = sum(step["busy_us"] for step in steps) / parts if by_step else device["busy_us"]
    kernels = sum(step["kernels"] for step in steps) / parts if by_step else device["kernels"]
    calls = sum(step["launches"] for step in steps) / parts if by_step else launches.get("calls")
    left = None if bound["graphs_us"] is None else (bound["graphs_us"] - bound["no_gaps_us"]) / parts
    copies = device["copies_by_direction"]
    return {
        "wall_us": wall,
        "busy_us": busy,
        "gap_us": wall - busy,
        "busy_ratio": busy / wall if wall else None,
        "kernels": kernels,
        "launches": calls,
        "graph_launches": _part(launches.get("graph_calls"), parts),
        "kernels_in_graphs": _part(launches.get("kernels_in_graphs"), parts),
        "launch_cost_p50_us": launches.get("cost_p50_us"),
        "kernel_p50_us": device["kernel_p50_us"],
        "gap_p50_us": device["gaps"]["p50_us"],
        "copies": device["copies"] / parts,
        "copy_bytes": sum(group["bytes"] for group in copies) / parts,
        "no_gaps_us": busy,
        "graphs_us": None if left is None else min(wall, busy + left),
    }


def _part(value: float | None, parts: int) -> float | None:
    return None if value is None else value / parts


def _moved(
    before: Device, after: Device, parts: tuple[int, int], table: str, fields: tuple[str, str, str]
) -> tuple[Moved, ...]:
    name_of, time_of, count_of = fields
    sides: list[dict[str, tuple[float, float]]] = []
    for device, number in zip((before, after), parts, strict=True):
        side: dict[str, tuple[float, float]] = {}
        for row in device[table]:
            known = side.get(row[name_of], (0.0, 0.0))
            side[row[name_of]] = (
                known[0] + row[time_of] / number,
                known[1] + row[count_of] / number,
            )
        sides.append(side)
    old, new = sides
    # what is missing from a list that holds every name took no time there; from a cut list it isn't known
    absent = [_absent(device, table) for device in (before, after)]
    rows = []
    for name in dict.fromkeys([*old, *new]):
        b, a = old.get(name, (absent[0], absent[0])), new.get(name, (absent[1], absent[1]))
        rows.append(Moved(name, b[0], a[0], b[1], a[1]))
    rows.sort(key=lambda moved: -abs(moved.change_us))
    return tuple(rows[:ROWS])


def _absent(device: Device, table: str) -> float | None:
    rows: Sequence[object] = device[table]
    whole = {"by_kernel": device["kernel_names"] <= len(rows), "by_operator": len(rows) < LISTED}
    return 0.0 if whole.get(table, True) else None


def _findings(pair: DevicePair) -> Iterator[Finding]:
    wall, busy, gap = pair.row("wall_us"), pair.row("busy_us"), pair.row("gap_us")
    if not wall.before or wall.after is None or busy.before is None or busy.after is None:
        return
    per: dict[str, Scalar] = {"device": pair.device, "per": pair.per}
    yield Finding(
        "compared_time",
        per
        | {
            "before_ms": wall.before / 1e3,
            "after_ms": wall.after / 1e3,
            "speedup": round(wall.before / wall.after, 3) if wall.after else None,
            "busy_before_share": round(busy.before / wall.before, 6),
            "busy_after_share": round(busy.after / wall.after, 6) if wall.after else None,
        },
    )
    same_time = abs(wall.after - wall.before) <= SAME * wall.before
    if same_time and busy.after >= MORE * busy.before:
        # the lesson's sign of overhead: more work in the same time
        yield Finding(
            "same_time_more_work", per | {"before_ms": busy.before / 1e3, "after_ms": busy.after / 1e3}
        )
    elif not same_time:
        change = wall.after - wall.before
        in_gaps = (gap.after or 0.0) - (gap.before or 0.0)
        yield Finding(
            "time_moved_in_gaps" if abs(in_gaps) >= abs(change - in_gaps) else "time_moved_in_kernels",
            per
            | {
                "change_ms": change / 1e3,
                "gap_change_ms": in_gaps / 1e3,
                "busy_change_ms": (change - in_gaps) / 1e3,
            },
        )
    yield from _of_launches(pair, per)
    yield from _of_kernels(pair, per, wall.before)


def _of_launches(pair: DevicePair, per: dict[str, Scalar]) -> Iterator[Finding]:
    launches, graphs = pair.row("launches"), pair.row("graph_launches")
    if launches.before and launches.after and not 1 / MORE < launches.after / launches.before < MORE:
        yield Finding(
            "launches_moved",
            per | {"before": round(launches.before, 1), "after": round(launches.after, 1)},
        )
    if graphs.after and not graphs.before:
        inside = pair.row("kernels_in_graphs").after or 0.0
        yield Finding("graphs_now", per | {"graphs": round(graphs.after, 1), "kernels": round(inside, 1)})


def _of_kernels(pair: DevicePair, per: dict[str, Scalar], wall_us: float) -> Iterator[Finding]:
    for moved in pair.kernels[:1]:
        if abs(moved.change_us) < SAME * wall_us or moved.before_us is None or moved.after_us is None:
            continue
        yield Finding(
            "kernel_new" if not moved.before_us else "kernel_moved" if moved.after_us else "kernel_gone",
            per
            | {
                "kernel": moved.name[:100],
                "before_ms": moved.before_us / 1e3,
                "after_ms": moved.after_us / 1e3,
            },
        )
