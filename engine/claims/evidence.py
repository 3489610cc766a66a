"""The three columns of a claim: what the card says, what the formula gives, what was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal

from engine.claims.compute import Computed, compute, on_card
from engine.claims.fault import ClaimsError
from engine.claims.hardware_quantities import Hardware, of_device
from engine.claims.units import converted
from engine.claims.verdict import Verdict, follows, judge
from engine.measure.events import Finding, Metric, Scalar
from engine.measure.results import Result
from engine.study.card import Card, ClaimText, MeasuredBy

NO_LAB = Verdict("not_measured", "no_lab")
Origin = Literal["here", "elsewhere", "recorded"]
"""Measured on this machine; imported from, or run on, another one of the learner's; shipped with the app."""


def _nowhere(_lab: str) -> Sequence[Result]:
    return ()


@dataclass(frozen=True, slots=True)
class Results:
    """Where measurements come from: for a lab's name its results, newest first."""

    here: Callable[[str], Sequence[Result]]
    """On this machine."""
    recorded: Callable[[str], Sequence[Result]]
    """On other machines, shipped with the project."""
    elsewhere: Callable[[str], Sequence[Result]] = _nowhere
    """On other machines of the learner: imported, or run there through a command."""

    def by_origin(self) -> dict[Origin, Callable[[str], Sequence[Result]]]:
        """The three, the nearest first."""
        return {"here": self.here, "elsewhere": self.elsewhere, "recorded": self.recorded}


@dataclass(frozen=True, slots=True)
class Measured:
    """A measurement of a claim, in the claim's unit, with what the formula predicts for its device."""

    value: float
    unit: str
    low: float | None
    high: float | None
    samples: int | None
    labels: Mapping[str, Scalar]
    lab: str
    device: str
    device_type: str
    environment: Mapping[str, Any]
    started_at: datetime
    origin: Origin
    hardware: Hardware
    """The device that was measured, with the ceilings measured beside it."""
    predicted: Computed | None
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    """What the lab concluded from the run."""

    @property
    def recorded(self) -> bool:
        """Shipped with the app: neither this machine nor another one of the learner's."""
        return self.origin == "recorded"

    def is_on(self, hardware: Hardware) -> bool:
        """Whether it was measured on that GPU."""
        return _is_same(self.hardware, hardware)


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """A claim with everything known about it. Values are in the unit of `claim.says`.

    computed: the formula on the card's hardware; follows: whether that gives what the card says.
    predicted: the formula on the hardware asked for. here, elsewhere, recorded: measurements, never mixed.
    fault: why the claim can't be worked out; then all else is empty.
    """

    card: Card
    claim: ClaimText
    hardware: Hardware
    computed: Computed | None = None
    follows: bool | None = None
    predicted: Computed | None = None
    here: Measured | None = None
    elsewhere: Measured | None = None
    recorded: Measured | None = None
    verdict: Verdict = NO_LAB
    fault: ClaimsError | None = None

    @property
    def measured(self) -> Measured | None:
        """The one on the hardware asked for, else the one on this machine, else one from elsewhere."""
        found = self.measurements
        return next((each for each in found if each.is_on(self.hardware)), found[0] if found else None)

    @property
    def measurements(self) -> tuple[Measured, ...]:
        """All there are: here, elsewhere, recorded."""
        return tuple(each for each in (self.here, self.elsewhere, self.recorded) if each is not None)


def evidence(card: Card, hardware: Hardware, results: Results) -> tuple[EvidenceRow, ...]:
    """A row for each claim of the card. A claim that is wrong gives a row with its fault."""
    return tuple(row(card, claim, hardware, results) for claim in card.claims)


def row(card: Card, claim: ClaimText, hardware: Hardware, results: Results) -> EvidenceRow:
    """The evidence for one claim, on `hardware`."""
    try:
        computed = _on_card(claim)
        predicted = compute(claim, hardware)
        here, anything_here = _newest(claim, results.here, "here", prefer=hardware)
        elsewhere, _ = _newest(claim, results.elsewhere, "elsewhere", prefer=hardware)
        recorded, _ = _newest(claim, results.recorded, "recorded", prefer=hardware)
    except ClaimsError as error:
        return EvidenceRow(card, claim, hardware, fault=error.at(card, claim))
    found = EvidenceRow(
        card=card,
        claim=claim,
        hardware=hardware,
        computed=computed,
        follows=None if computed is None else follows(computed.value, claim.says, claim.tolerance),
        predicted=predicted or _by_what_was_measured(here, hardware),
        here=here,
        elsewhere=elsewhere,
        recorded=recorded,
    )
    best = found.measured
    return replace(found, verdict=_not_measured(claim, anything_here) if best is None else best.verdict)


@lru_cache(maxsize=4096)
def _on_card(claim: ClaimText) -> Computed | None:
    """Depends on the claim and the table of GPUs alone: worked out once."""
    return on_card(claim)


def _by_what_was_measured(here: Measured | None, hardware: Hardware) -> Computed | None:
    """The prediction that the ceilings within a result of this very device allow, where none are kept."""
    return here.predicted if here is not None and here.device == hardware.name else None


def _not_measured(claim: ClaimText, anything_here: bool) -> Verdict:
    if claim.measured is None:
        if claim.why_not is not None:
            return Verdict("not_measured", "why_not", (("text", claim.why_not),))
        return NO_LAB
    args: tuple[tuple[str, Scalar], ...] = (
        ("lab", claim.measured.lab),
        ("metric", claim.measured.metric),
        ("labels", ", ".join(f"{name}={value}" for name, value in claim.measured.labels)),
    )
    return Verdict("not_measured", "not_in_results" if anything_here else "never_run", args)


def _newest(
    claim: ClaimText,
    source: Callable[[str], Sequence[Result]],
    origin: Origin,
    *,
    prefer: Hardware,
) -> tuple[Measured | None, bool]:
    """The newest measurement of the claim, one on the preferred device before others; is there any result?"""
    if claim.measured is None:
        return None, False
    found = source(claim.measured.lab)
    for result in sorted(found, key=lambda result: not _is_on(result, prefer)):
        metric = pick(result, claim.measured)
        if metric is not None:
            return _measured(claim, result, metric, origin), True
    return None, bool(found)


def pick(result: Result, wanted: MeasuredBy) -> Metric | None:
    """The metric of a result that measures a claim; None where no metric has its name and labels.

    Where several do, the one whose other labels are those the run was set to, then the one named first. On a
    device without a datasheet (a CPU) the measured ceiling takes the place of the datasheet's.
    """
    named = [metric for metric in result.metrics if metric.name == wanted.metric]
    labels = dict(wanted.labels)
    fitting = [metric for metric in named if _fits(metric, labels)]
    without_datasheet = not any(metric.labels.get("ceiling") == "datasheet" for metric in named)
    if not fitting and labels.get("ceiling") == "datasheet" and without_datasheet:
        fitting = [metric for metric in named if _fits(metric, labels | {"ceiling": "measured"})]
    if not fitting:
        return None
    params = result.params
    return max(
        fitting,
        key=lambda metric: sum(
            name in params and _as_text(params[name]) == _as_text(value)
            for name, value in metric.labels.items()
        ),
    )


def _fits(metric: Metric, labels: Mapping[str, str]) -> bool:
    return all(
        name in metric.labels and _as_text(metric.labels[name]) == value for name, value in labels.items()
    )


def _as_text(label: Scalar) -> str:
    """A label as decks write it: numbers plainly, true and false in lower case."""
    if isinstance(label, bool):
        return str(label).lower()
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    return str(label)


def _measured(claim: ClaimText, result: Result, metric: Metric, origin: Origin) -> Measured:
    unit = claim.says.unit

    def here(value: float) -> float:
        return converted(value, metric.unit, unit)

    hardware = of_device(result.device, result.metrics)
    predicted = compute(claim, hardware)
    value = here(metric.value)
    return Measured(
        value=value,
        unit=unit,
        low=None if metric.low is None else here(metric.low),
        high=None if metric.high is None else here(metric.high),
        samples=metric.samples,
        labels=metric.labels,
        lab=result.lab,
        device=hardware.name,
        device_type=str(result.device.get("type", "")),
        environment=result.environment,
        started_at=result.started_at,
        origin=origin,
        hardware=hardware,
        predicted=predicted,
        findings=result.findings,
        verdict=judge(
            value,
            claim.says,
            tolerance=claim.tolerance,
            same_hardware=claim.says.on is None or claim.says.on == hardware.key,
            predicted=None if predicted is None else predicted.value,
            device=hardware.name,
            ceiling="datasheet" if predicted is None else predicted.ceiling,
        ),
    )


def only_on(results: Results, hardware: Hardware) -> Results:
    """The same results, but only those measured on that GPU."""

    def narrowed(source: Callable[[str], Sequence[Result]]) -> Callable[[str], Sequence[Result]]:
        def on_it(lab: str) -> Sequence[Result]:
            return [result for result in source(lab) if _is_on(result, hardware)]

        return on_it

    return Results(
        here=narrowed(results.here),
        recorded=narrowed(results.recorded),
        elsewhere=narrowed(results.elsewhere),
    )


def _is_on(result: Result, hardware: Hardware) -> bool:
    return _is_same(of_device(result.device), hardware)


def _is_same(one: Hardware, other: Hardware) -> bool:
    """The same kind of GPU, or the same device where the spec table has no row for it."""
    return one.key == other.key if other.key else one.name == other.name


def tally(rows: Iterable[EvidenceRow]) -> dict[str, int]:
    """How many rows have each outcome."""
    counts: dict[str, int] = {}
    for found in rows:
        counts[found.verdict.outcome] = counts.get(found.verdict.outcome, 0) + 1
    return counts
