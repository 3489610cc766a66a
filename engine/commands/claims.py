"""`python -m engine claims [--gpu NAME] [--json]`: what every claim becomes, and what was measured."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from engine.claims import as_if
from engine.claims.evidence import EvidenceRow, Measured, evidence, only_on
from engine.claims.hardware_quantities import Hardware, of_key
from engine.claims.overview import DeckOverview, overview, shown
from engine.claims.sources import all_results, chosen_hardware, kept_results
from engine.commands.check import default_library
from engine.folders import data_folder
from engine.measure.specs import match, specs
from engine.store import FILE_NAME, open_store
from engine.study.card import Correction

_FROM = {"here": "", "elsewhere": " (elsewhere)", "recorded": " (recorded)"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--gpu", metavar="NAME", help="predict for this GPU, as in t4 or h100-sxm (default: the one set)"
    )
    parser.add_argument("--json", action="store_true", help="write one JSON object instead of a table")


def run(arguments: argparse.Namespace) -> int:
    """0: done; 1: a deck or a claim is wrong, or a result can't be read; 2: a GPU that isn't known."""
    asked = None if arguments.gpu is None else _gpu(arguments.gpu)
    if arguments.gpu is not None and asked is None:
        keys = ", ".join(row.key for row in specs())
        print(f"there is no GPU {arguments.gpu!r} in the table; the GPUs are {keys}", file=sys.stderr)
        return 2
    library = default_library(lab_names=None)
    data = data_folder()
    store = open_store(data / FILE_NAME)
    try:
        results = all_results(store, kept_results(store, data))
        hardware = asked or chosen_hardware(as_if.load(store), data)
        if asked is not None:
            results = only_on(results, asked)
        rows = [row for card in library.by_id.values() for row in evidence(card, hardware, results)]
    finally:
        store.close()
    sound = [row for row in rows if row.fault is None]
    decks = overview(library, sound)
    print(_as_json(hardware, sound, decks) if arguments.json else _as_table(hardware, sound, decks))
    faults = [*library.faults, *(row.fault for row in rows if row.fault is not None)]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def _gpu(name: str) -> Hardware | None:
    """The GPU of the table with that key, or that a driver calls so."""
    found = of_key(name.lower())
    if found is not None:
        return found
    row = match(name)
    return None if row is None else of_key(row.key)


def _as_json(hardware: Hardware, rows: list[EvidenceRow], decks: tuple[DeckOverview, ...]) -> str:
    body = {
        "gpu": hardware.key or hardware.name,
        "claims": [as_json(row) for row in rows],
        "decks": [asdict(deck) for deck in decks],
    }
    return json.dumps(body, ensure_ascii=False, allow_nan=False, indent=1)


def as_json(row: EvidenceRow) -> dict[str, Any]:
    """One claim as the contract has it."""
    says = {name: value for name, value in asdict(row.claim.says).items() if value is not None}
    return {
        "card": row.card.id,
        "claim": row.claim.id,
        "says": {"value": None, "on": None, **says},
        "formula": row.claim.formula,
        "computed": None if row.computed is None else row.computed.value,
        "follows": row.follows,
        "predicted": None if row.predicted is None else row.predicted.value,
        "measured": None if row.measured is None else _measured(row.measured),
        "verdict": row.verdict.outcome,
        "reason": {"code": row.verdict.reason, "args": dict(row.verdict.args)},
        "correction": None if row.claim.correction is None else _correction(row.claim.correction),
        "why_not": row.claim.why_not,
    }


def _correction(correction: Correction) -> dict[str, Any]:
    right = asdict(correction.says)
    return {name: right[name] for name in ("value", "low", "high", "unit")} | {"reason": correction.reason}


def _measured(measured: Measured) -> dict[str, Any]:
    return {
        "value": measured.value,
        "low": measured.low,
        "high": measured.high,
        "unit": measured.unit,
        "device": measured.device,
        "at": measured.started_at.isoformat(),
        "origin": measured.origin,
        "recorded": measured.recorded,
    }


def _as_table(hardware: Hardware, rows: list[EvidenceRow], decks: tuple[DeckOverview, ...]) -> str:
    """The claims by card, in columns, and what can't be checked, by deck."""
    head = ("claim", "says", "on", "computed", "here", "measured", "verdict")
    lines = [f"predicted for {hardware.name}"]
    card = ""
    body = [head, *(_cells(row) for row in rows)]
    widths = [max(len(cells[column]) for cells in body) for column in range(len(head))]
    for cells, row in zip(body, [None, *rows], strict=True):
        if row is not None and row.card.id != card:
            card = row.card.id
            lines += ["", card]
        text = "  ".join(
            cell.ljust(width) if column in (0, 2, 6) else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        lines.append(f"  {text}".rstrip())
    return "\n".join((*lines, *_summary(decks)))


def _summary(decks: tuple[DeckOverview, ...]) -> Iterator[str]:
    columns = ("claims", "formula", "corrected", "lab", "measured")
    yield "\nby deck"
    yield f"  {'':30}" + "".join(f"{column:>11}" for column in columns)
    for deck in decks:
        counts = (deck.claims, deck.with_formula, len(deck.corrected), deck.with_lab, deck.measured)
        yield f"  {deck.deck:30}" + "".join(f"{count:>11}" for count in counts)
    for heading, listed in (
        ("the document's figure is wrong (after it the right one)", [deck.corrected for deck in decks]),
        ("can't be checked", [deck.unchecked for deck in decks]),
    ):
        yield f"\n{heading}"
        yield from (
            f"  {claim.card}.{claim.claim}: {claim.says}: {claim.why}" for group in listed for claim in group
        )


def _cells(row: EvidenceRow) -> tuple[str, ...]:
    unit = row.claim.says.unit
    measured = row.measured
    return (
        row.claim.id,
        shown(row.claim.says),
        row.claim.says.on or "",
        "" if row.computed is None else f"{row.computed.value:.4g}{_mark(row)}",
        "" if row.predicted is None else f"{row.predicted.value:.4g} {unit}".strip(),
        "" if measured is None else f"{measured.value:.4g}{_FROM[measured.origin]}",
        f"{row.verdict.outcome.replace('_', ' ')}: {row.verdict.reason}",
    )


def _mark(row: EvidenceRow) -> str:
    """A star where the card carries the correction, an exclamation mark where it doesn't."""
    if row.follows:
        return ""
    return " !" if row.claim.correction is None else " *"
