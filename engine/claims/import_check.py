"""Whether a result from elsewhere can be: its lab, device, times and units, and its values."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from datetime import UTC, datetime, timedelta

from engine.claims.evidence import pick
from engine.claims.fault import ClaimsError
from engine.claims.units import converted
from engine.measure.events import Metric
from engine.measure.fault import MeasureError
from engine.measure.results import Result
from engine.measure.specs import Spec, match
from engine.study.card import ClaimText

OLDEST = datetime(2020, 1, 1, tzinfo=UTC)
LONGEST_S = 7 * 24 * 3600.0
MOST_METRICS, MOST_ROWS = 5000, 200_000
CEILING_SLACK = 1.10
"""A measured ceiling may stand this far above the datasheet's: boost clocks, a rounded datasheet."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_MEMORY = (64 * 1024**2, 16 * 1024**4)
_UNITS = (
    # a unit that others of its kind are given in, and the highest value that makes sense in it
    ("s", LONGEST_S),
    ("B", 1e18),
    ("B/s", 1e15),
    ("FLOP/s", 1e19),
)
_LONGEST_UNIT = 24
"""Characters. Labs may report units that no claim is about (°C, W): those are taken as they are."""
_SHARES = frozenset({"mbu", "busy_ratio", "share_of_copy", "share_of_datasheet", "agreement"})
"""Metrics in percent of a whole, which can't be far above 100."""
_HIGHEST_SHARE = 125.0


def check(
    result: Result,
    where: str,
    *,
    labs: Collection[str],
    claims: Iterable[ClaimText],
    now: datetime,
) -> None:
    """Raises MeasureError for the first thing that can't be, as `where: field: what is wrong`."""
    if result.lab not in labs:
        raise MeasureError(
            f"{where}: lab: there is no lab {result.lab!r} here, only {', '.join(sorted(labs))}"
        )
    row = _device(result, where)
    _times(result, where, now)
    if not result.metrics:
        raise MeasureError(f"{where}: metrics: holds no measurement")
    if len(result.metrics) > MOST_METRICS:
        raise MeasureError(
            f"{where}: metrics: holds {len(result.metrics)}; more than {MOST_METRICS} can't be"
        )
    for place, metric in enumerate(result.metrics):
        _metric(metric, f"{where}: metrics[{place}]", row)
    for place, series in enumerate(result.series):
        if len(series.rows) > MOST_ROWS:
            raise MeasureError(f"{where}: series[{place}]: has more than {MOST_ROWS} rows")
    _fits_claims(result, where, claims)


def _device(result: Result, where: str) -> Spec | None:
    """The datasheet of the result's GPU, where there is one."""
    device = result.device
    name = device.get("name")
    if device.get("type") not in ("cuda", "cpu"):
        raise MeasureError(f"{where}: device.type: is {device.get('type')!r}, must be cuda or cpu")
    if not isinstance(name, str) or not name.strip() or len(name) > 128 or not name.isprintable():
        raise MeasureError(f"{where}: device.name: must name the device, in at most 128 characters")
    memory = device.get("memory_bytes")
    low, high = _MEMORY
    if memory is not None and not (_is_count(memory) and low <= memory <= high):
        raise MeasureError(f"{where}: device.memory_bytes: {memory!r} isn't the memory of a device, in bytes")
    cores = device.get("sm_count")
    if cores is not None and not (_is_count(cores) and 1 <= cores <= 4096):
        raise MeasureError(f"{where}: device.sm_count: {cores!r} isn't a count of multiprocessors")
    if device["type"] == "cpu" or device.get("mig"):
        return None
    return match(name, memory, cores)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _times(result: Result, where: str, now: datetime) -> None:
    if result.started_at < OLDEST:
        raise MeasureError(f"{where}: started_at: {result.started_at.isoformat()} is before there were labs")
    if result.started_at > now + timedelta(days=1):
        raise MeasureError(f"{where}: started_at: {result.started_at.isoformat()} lies in the future")
    if not 0 < result.seconds <= LONGEST_S:
        raise MeasureError(f"{where}: seconds: {result.seconds:g} isn't the length of a run")


def _metric(metric: Metric, where: str, row: Spec | None) -> None:
    if not _NAME.fullmatch(metric.name):
        raise MeasureError(f"{where}: name: {metric.name[:80]!r} isn't a metric's name")
    for bound, value in (("value", metric.value), ("low", metric.low), ("high", metric.high)):
        if value is not None:
            _possible(metric, value, f"{where} ({metric.name}): {bound}")
    if metric.low is not None and metric.high is not None and metric.low > metric.high:
        raise MeasureError(f"{where} ({metric.name}): low: {metric.low:g} is above its high, {metric.high:g}")
    _below_datasheet(metric, where, row)


def _possible(metric: Metric, value: float, where: str) -> None:
    """Raises where the value can't be one of its unit."""
    if len(metric.unit) > _LONGEST_UNIT or not metric.unit.isprintable():
        raise MeasureError(f"{where}: unit: {metric.unit[:40]!r} isn't a unit")
    for base, highest in _UNITS:
        try:
            found = converted(value, metric.unit, base)
        except ClaimsError:  # of another kind, or a unit that no claim is about
            continue
        if not 0 <= found <= highest:
            raise MeasureError(f"{where}: {value:g} {metric.unit} can't be measured")
    if metric.name in _SHARES and not 0 <= value <= _HIGHEST_SHARE:
        raise MeasureError(f"{where}: {value:g} {metric.unit} isn't a share of a whole")


def _below_datasheet(metric: Metric, where: str, row: Spec | None) -> None:
    """A ceiling above what the hardware can do was measured wrongly, or on another GPU."""
    if row is None or metric.name not in ("copy_bandwidth", "read_bandwidth", "matmul_rate"):
        return
    if metric.name == "matmul_rate":
        highest, base = row.peak(str(metric.labels.get("dtype"))), "FLOP/s"
    else:
        highest, base = row.bandwidth, "B/s"
    try:
        found = converted(metric.value, metric.unit, base)
    except ClaimsError as error:
        raise MeasureError(f"{where} ({metric.name}): unit: {error.message}") from error
    if highest is not None and found > CEILING_SLACK * highest:
        raise MeasureError(
            f"{where} ({metric.name}): value: {metric.value:g} {metric.unit} is more than the datasheet of "
            f"{row.name} allows"
        )


def _fits_claims(result: Result, where: str, claims: Iterable[ClaimText]) -> None:
    """A claim that the result measures must be able to take its unit."""
    for claim in claims:
        if claim.measured is None or claim.measured.lab != result.lab:
            continue
        metric = pick(result, claim.measured)
        if metric is None:
            continue
        try:
            converted(metric.value, metric.unit, claim.says.unit)
        except ClaimsError as error:
            place = result.metrics.index(metric)
            raise MeasureError(
                f"{where}: metrics[{place}] ({metric.name}): unit: {error.message} (asked by {claim.id})"
            ) from error
