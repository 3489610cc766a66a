"""`python -m engine fit [--apply | --defaults] [--json]`: FSRS's parameters fitted to one's own answers."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from datetime import UTC, datetime
from uuid import uuid4

from engine.folders import data_folder
from engine.store import FILE_NAME, Store, open_store
from engine.study import schedule_changes
from engine.study.fit import Fit, NotEnough, fit
from engine.study.local_zone import local_zone
from engine.study.log_columns import read_log
from engine.study.settings import load
from engine.study.steps import parse_steps


def add_arguments(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--apply", action="store_true", help="use the parameters from now on, where they foretold better"
    )
    which.add_argument("--defaults", action="store_true", help="go back to FSRS's own parameters")
    parser.add_argument("--json", action="store_true", help="write one JSON object instead of lines")


def run(arguments: argparse.Namespace) -> int:
    """0: fitted, or back at the defaults; 1: too few reviews, or `--apply` without a better fit."""
    data = data_folder()
    store = open_store(data / FILE_NAME)
    try:
        if arguments.defaults:
            _change(store, {})
            print(json.dumps({"applied": True}) if arguments.json else "FSRS's own parameters are in use")
            return 0
        found = fit(
            read_log(store, data / "cache"),
            schedule_changes.plan(store).parameters,
            relearning_steps=len(parse_steps(load(store).relearning_steps)),
        )
        applied = arguments.apply and isinstance(found, Fit) and found.verdict == "better"
        if applied and isinstance(found, Fit):
            _change(store, found.to_change())
    finally:
        store.close()
    if arguments.json:
        name = "fit" if isinstance(found, Fit) else "not_enough"
        print(json.dumps({name: asdict(found), "applied": applied}, ensure_ascii=False))
    else:
        for line in lines(found, applied=applied):
            print(line)
    return 0 if isinstance(found, Fit) and (applied or not arguments.apply) else 1


def lines(found: Fit | NotEnough, *, applied: bool) -> list[str]:
    """The outcome as it stands on a terminal."""
    if isinstance(found, NotEnough):
        said = f"not enough reviews: {found.reviews} of the {found.needed} that a fit takes"
        left_out = f"left out: {found.left_out} answers to cards whose beginning isn't in the log"
        return [said, left_out] if found.left_out else [said]
    return [
        f"fitted to {found.fitted} reviews, tried on the {found.held_back} since {found.from_day}",
        f"log loss, lower is better: fitted {found.own.log_loss:.4f}, in use {found.in_use.log_loss:.4f}, "
        f"FSRS's own {found.default.log_loss:.4f}",
        f"gain over those in use: {found.gain:.4f} ± {found.gain_error:.4f}: {found.verdict}",
        "parameters: " + ", ".join(f"{number:g}" for number in found.parameters),
        "in use from now on" if applied else "not in use: --apply takes them where they foretell better",
    ]


def _change(store: Store, value: dict[str, object]) -> None:
    now, zone = datetime.now(UTC), local_zone()
    schedule_changes.change(store, "parameters", value, now=now, zone=zone, nonce=uuid4().hex)
