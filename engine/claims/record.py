"""The record: for each GPU what was expected, what was measured, how far apart, why, and one's own note."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select

from engine.claims.evidence import EvidenceRow, Origin, Results, evidence, only_on
from engine.claims.hardware_quantities import Hardware, of_device
from engine.claims.verdict import off, target
from engine.measure.events import Finding, Scalar, Series
from engine.measure.results import Result
from engine.store.claim_tables import record_notes
from engine.store.store import Store
from engine.study.card import Library
from engine.study.study_day import to_ms

LESSON_LAB, LESSON_SERIES = "decode_gaps", "record"
"""The lab that fills the lesson's record table, and its series: item, batch, expected_low … why."""
LESSON_CARD = "zh-d11-exercise-record"
"""The card that carries the lesson's table: its claims stand in where that lab wasn't run."""
LONGEST_NOTE = 2000
MOST_FINDINGS = 2
"""Beside one item; the rest of them stand with the lab's whole result."""
CONCLUDING = ("_bound", "slow_kernel")
"""How the codes of findings end that say what sets a step's pace: one such is why enough."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A GPU (or CPU) that something was measured on. `id` is its key in the spec table, else its name."""

    id: str
    hardware: Hardware
    origin: Origin
    """The nearest: measured here before elsewhere before recorded."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An item of the record. expected, measured and ratio are None where there is nothing to give.

    key: names the item for notes. `item`, `batch` and `why` are of the lab's series and in its words; a
    claim has its `row` instead. expected: lowest and highest value, in `unit`; `text`: measured, in words.
    ratio: measured ÷ the nearer end of what was expected, 1 within it. findings: what the lab
    concluded of this item.
    """

    key: str
    lab: str | None
    unit: str
    expected: tuple[float, float] | None
    measured: float | None
    ratio: float | None
    row: EvidenceRow | None = None
    item: str = ""
    batch: Scalar = None
    text: str = ""
    why: str = ""
    findings: tuple[Finding, ...] = ()
    note: str = ""


def machines(results: Results, labs: Iterable[str]) -> tuple[Machine, ...]:
    """Every GPU with a result of one of the labs, those of this machine first."""
    found: dict[str, Machine] = {}
    names = tuple(labs)
    for origin, source in results.by_origin().items():
        for lab in names:
            for result in source(lab):
                hardware = of_device(result.device, result.metrics)
                key = hardware.key or hardware.name
                found.setdefault(key, Machine(key, hardware, origin))
    return tuple(found.values())


def lesson(machine: Machine, library: Library, results: Results, notes: Mapping[str, str]) -> list[Entry]:
    """The lesson's record table on a GPU, as its lab filled it; else the claims of the lesson's card."""
    result = newest(results, machine, LESSON_LAB)
    series = None if result is None else _series(result, LESSON_SERIES)
    if result is not None and series is not None:
        return [_lesson_entry(cells, result, notes) for cells in _rows(series)]
    card = library.by_id.get(LESSON_CARD)
    if card is None:
        return []
    rows = evidence(card, machine.hardware, only_on(results, machine.hardware))
    return [_claim_entry(row, notes) for row in rows if row.fault is None]


def measured_claims(
    machine: Machine, library: Library, results: Results, notes: Mapping[str, str]
) -> list[Entry]:
    """Every claim that was measured on that GPU."""
    there = only_on(results, machine.hardware)
    return [
        _claim_entry(row, notes)
        for card in library.by_id.values()
        for row in evidence(card, machine.hardware, there)
        if row.fault is None and row.measured is not None
    ]


def newest(results: Results, machine: Machine, lab: str, **labels: Scalar) -> Result | None:
    """The newest result of a lab on that GPU, one with a metric of these labels where they are given.

    What was measured here comes before what was imported or recorded.
    """
    there = only_on(results, machine.hardware)
    for source in there.by_origin().values():
        for result in source(lab):
            if not labels or any(_has(metric.labels, labels) for metric in result.metrics):
                return result
    return None


def _has(labels: Mapping[str, Scalar], wanted: Mapping[str, Scalar]) -> bool:
    return all(labels.get(name) == value for name, value in wanted.items())


def _series(result: Result, name: str) -> Series | None:
    return next((series for series in result.series if series.name == name and series.rows), None)


def _rows(series: Series) -> Iterable[dict[str, Scalar]]:
    return (dict(zip(series.columns, row, strict=True)) for row in series.rows)


def _lesson_entry(cells: Mapping[str, Scalar], result: Result, notes: Mapping[str, str]) -> Entry:
    item, batch = str(cells.get("item", "")), cells.get("batch")
    low, high = cells.get("expected_low"), cells.get("expected_high")
    measured = cells.get("measured")
    key = f"lesson/{item}" + (f"/{batch}" if batch is not None else "")
    return Entry(
        key=key,
        lab=result.lab,
        unit=str(cells.get("unit") or ""),
        expected=None if not (_is_number(low) and _is_number(high)) else (_number(low), _number(high)),
        measured=_number(measured) if _is_number(measured) else None,
        ratio=_number(cells["ratio"]) if _is_number(cells.get("ratio")) else None,
        item=item,
        batch=batch,
        text="" if _is_number(measured) or measured is None else str(measured),
        why=str(cells.get("why") or ""),
        note=notes.get(key, ""),
    )


def _claim_entry(row: EvidenceRow, notes: Mapping[str, str]) -> Entry:
    """Expected is the formula on that GPU, else what the card says where it speaks of it or of no GPU."""
    claim, measured = row.claim, row.measured
    key = f"{row.card.id}/{claim.id}"
    expected: tuple[float, float] | None = None
    if row.predicted is not None:
        expected = (row.predicted.value, row.predicted.value)
    elif claim.says.on in (None, row.hardware.key):
        expected = target(claim.says)
    ratio = None
    if expected is not None and measured is not None:
        aside = off(measured.value, *expected)
        ratio = None if expected[1] == 0 else 1 + aside
    return Entry(
        key=key,
        lab=None if claim.measured is None else claim.measured.lab,
        unit=claim.says.unit,
        expected=expected,
        measured=None if measured is None else measured.value,
        ratio=ratio,
        row=row,
        findings=()
        if measured is None or claim.measured is None
        else concerning(measured.findings, dict(claim.measured.labels)),
        note=notes.get(key, ""),
    )


def concerning(findings: Sequence[Finding], labels: Mapping[str, str]) -> tuple[Finding, ...]:
    """The findings that speak of one measured value: they name a label of it, and none otherwise than it.

    A lab concludes a good deal about every variant of a run; beside one of them only its own belongs, and of
    those the one that says what sets the pace, else the ones that name most of its labels.
    """
    chosen = []
    for finding in findings:
        named = [name for name in labels if name in finding.args]
        if named and all(str(finding.args[name]) == str(labels[name]) for name in named):
            chosen.append((len(named), finding))
    concluding = [finding for _, finding in chosen if finding.code.endswith(CONCLUDING)]
    if concluding:
        return tuple(concluding[:1])
    nearest = sorted(chosen, key=lambda each: -each[0])
    return tuple(finding for _, finding in nearest[:MOST_FINDINGS])


def _is_number(value: Scalar) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value: Any) -> float:
    return float(value)


# --- side by side ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pair:
    """An item on two GPUs; either side may lack it."""

    left: Entry | None
    right: Entry | None

    @property
    def any(self) -> Entry:
        found = self.left or self.right
        if found is None:
            raise ValueError("a pair has at least one side")
        return found

    @property
    def ratio(self) -> float | None:
        """Right ÷ left, of what was measured."""
        if self.left is None or self.right is None or not self.left.measured or self.right.measured is None:
            return None
        return self.right.measured / self.left.measured


def side_by_side(left: Sequence[Entry], right: Sequence[Entry]) -> list[Pair]:
    """The items of both in the order of the first, those of the second alone at the end."""
    others = {entry.key: entry for entry in right}
    pairs = [Pair(entry, others.pop(entry.key, None)) for entry in left]
    return [*pairs, *(Pair(None, entry) for entry in others.values())]


# --- one's own notes -------------------------------------------------------------------------------------


def notes(store: Store, gpu: str) -> dict[str, str]:
    """One's own notes on a GPU's items, by their key; the newest of each counts, an empty one is none."""
    query = select(record_notes.c.item, record_notes.c.text).where(record_notes.c.gpu == gpu)
    with store.read() as connection:
        rows = connection.execute(query.order_by(record_notes.c.written_at_ms, record_notes.c.id)).all()
    return {key: text for key, text in {row.item: row.text for row in rows}.items() if text}


def write_note(store: Store, gpu: str, item: str, text: str, now: datetime) -> None:
    """Keeps a note. Earlier ones stay in the log."""
    values = {
        "gpu": gpu[:128],
        "item": item[:300],
        "text": text.strip()[:LONGEST_NOTE],
        "written_at_ms": to_ms(now),
    }
    with store.begin() as connection:
        connection.execute(insert(record_notes), values)
