"""A result from another machine: taken in under its own GPU, or refused by the place that is wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.claims import imported
from engine.claims.evidence import Results, row
from engine.claims.hardware_quantities import of_key
from engine.claims.sources import all_results
from engine.lab_names import lab_names
from engine.measure.fault import MeasureError
from engine.measure.results import Result, recorded_folder
from engine.store import FILE_NAME, Store, open_store
from tests.claims.test_evidence import FLOOR, card

ROOT = Path(__file__).resolve().parents[2]
NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
Body = dict[str, Any]


def a_result() -> Body:
    """A result of a Colab T4, as its file holds it."""
    return {
        "lab": "mbu_floor",
        "schema": 1,
        "device": {"type": "cuda", "name": "Tesla T4", "memory_bytes": 15_828_320_256, "sm_count": 40},
        "environment": {"torch": "2.9.0+cu126", "driver": "550.54.15"},
        "params": {"model": "llama-3-8b"},
        "started_at": "2026-11-30T09:00:00+00:00",
        "seconds": 55.0,
        "metrics": [
            {"name": "copy_bandwidth", "value": 241.0, "unit": "GB/s", "labels": {}},
            {
                "name": "floor",
                "value": 47.1,
                "unit": "ms",
                "labels": {"model": "llama-3-8b", "ceiling": "datasheet"},
                "low": 47.0,
                "high": 47.2,
            },
        ],
        "series": [],
        "findings": [{"code": "memory_bound", "args": {}}],
        "artifacts": [{"name": "trace", "path": "trace.json", "media_type": "application/json"}],
    }


def read(body: object, **options: Any) -> Result:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    given = {"labs": {"mbu_floor", "fusion"}, "claims": [FLOOR], "now": NOW, **options}
    return imported.read_file(content, "t4.json", **given)


def test_an_imported_result_stands_beside_ours_under_its_own_gpu(store: Store) -> None:
    kept = imported.keep(store, read(a_result()), "t4.json", NOW)
    assert kept.result.artifacts == ()  # they are on the other machine
    t4 = of_key("t4")
    assert t4 is not None
    found = row(card(FLOOR), FLOOR, t4, all_results(store, lambda lab: ()))
    assert found.here is None
    assert found.elsewhere is not None
    assert (found.elsewhere.device, found.elsewhere.origin) == ("Tesla T4", "elsewhere")
    assert found.measured is found.elsewhere
    # 15.01 GB over the 320 GB/s of a T4, not over the card's 3.35 TB/s
    assert found.verdict.reason == "as_predicted"
    assert found.predicted is not None
    assert found.predicted.value == pytest.approx(46.906, rel=1e-4)


def test_the_same_file_twice_is_one_result_and_a_forgotten_one_is_gone(store: Store) -> None:
    first = imported.keep(store, read(a_result()), "t4.json", NOW)
    again = imported.keep(store, read(a_result()), "copy of t4.json", NOW)
    assert (first.already, again.already, again.file_name) == (False, True, "t4.json")
    assert len(imported.of_lab(store)) == 1
    imported.forget(store, first.id)
    assert imported.of_lab(store, "mbu_floor") == ()


def nan(body: Body) -> bytes:
    return json.dumps(body).replace("241.0", "NaN").encode()


def twice(body: Body) -> bytes:
    return json.dumps(body).replace('"schema": 1', '"schema": 1, "schema": 1').encode()


def put(**at: object) -> Callable[[Body], object]:
    """Changes fields; `a__b` is the field b of a, numbers are places in lists."""

    def change(body: Body) -> object:
        for path, value in at.items():
            *steps, last = [int(part) if part.isdigit() else part for part in path.split("__")]
            holder: Any = body
            for step in steps:
                holder = holder[step]
            holder[last] = value
        return body

    return change


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (put(schema=2), "t4.json: schema: 2 isn't known"),
        (put(lab="mining"), "t4.json: lab: there is no lab 'mining'"),
        (put(device__type="tpu"), "device.type"),
        (put(device__name=" "), "device.name"),
        (put(device__memory_bytes=16), "device.memory_bytes"),
        (put(device__memory_bytes="16 GB"), "device.memory_bytes"),
        (put(device__sm_count=0), "device.sm_count"),
        (put(started_at="2031-01-01T00:00:00+00:00"), "started_at: 2031.* in the future"),
        (put(started_at="1970-01-01T00:00:00+00:00"), "started_at"),
        (put(started_at="yesterday"), "started_at"),
        (put(seconds=0), "seconds"),
        (put(seconds=10**9), "seconds"),
        (put(metrics=[]), "metrics: holds no measurement"),
        (put(metrics={}), "metrics: must be a list"),
        (put(metrics__1__name="floor; drop"), r"metrics\[1\]: name"),
        (put(metrics__1__value=-47.1), r"metrics\[1\] \(floor\): value: -47.1 ms can't be measured"),
        (put(metrics__1__value=1e13), r"metrics\[1\] \(floor\): value"),
        (put(metrics__1__low=48.0, metrics__1__high=47.0), r"metrics\[1\] \(floor\): low"),
        (put(metrics__1__unit="parsec"), r"metrics\[1\] \(floor\): unit: .*'parsec'.*asked by floor"),
        (put(metrics__1__unit="x" * 25), r"metrics\[1\] \(floor\): value: unit: 'xxx"),
        (put(metrics__1__unit="GB"), r"metrics\[1\] \(floor\): unit: .*asked by floor"),
        (put(metrics__0__value=2410.0), r"metrics\[0\] \(copy_bandwidth\): value: 2410 GB/s is more than"),
        (put(metrics__0__name="mbu", metrics__0__unit="%"), r"metrics\[0\] \(mbu\): .*share"),
        (nan, "isn't JSON: NaN"),
        (twice, "isn't JSON: an object has the field 'schema' twice"),
        (lambda body: b"\xff\xfe", "isn't UTF-8"),
        (lambda body: b"[" * 100_000, "isn't JSON"),
        (lambda body: [], "isn't a result file"),
        (lambda body: b"x" * (imported.LARGEST + 1), "larger than 16 MiB"),
    ],
)
def test_what_cannot_be_a_result_is_refused_by_its_place(
    change: Callable[[Body], object], place: str
) -> None:
    with pytest.raises(MeasureError, match=place) as raised:
        read(change(a_result()))
    assert str(raised.value).startswith("t4.json: ")


@pytest.mark.parametrize("path", sorted(recorded_folder().glob("*/*.json")), ids=lambda path: path.stem)
def test_every_recorded_result_could_be_imported(path: Path) -> None:
    result = imported.read_file(path.read_bytes(), path.name, labs=lab_names(), claims=(), now=NOW)
    assert result.metrics


def test_the_command_takes_good_files_and_stores_nothing_of_a_bad_one(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(a_result()), encoding="utf-8")
    bad.write_text(json.dumps({**a_result(), "schema": 7}), encoding="utf-8")
    home = tmp_path / "home"
    done = subprocess.run(
        [sys.executable, "-m", "engine", "import-result", str(bad), str(good), str(tmp_path / "none.json")],
        cwd=ROOT,
        env={**os.environ, "BENCHCARDS_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert f"{bad}: schema: 7" in done.stderr
    assert "none.json: can't be read" in done.stderr
    assert "Traceback" not in done.stderr
    assert "mbu_floor on Tesla T4, 2026-11-30 09:00 UTC" in done.stdout
    store = open_store(home / FILE_NAME)
    (kept,) = imported.of_lab(store)
    store.close()
    assert kept.file_name == "good.json"


def test_results_know_nothing_from_elsewhere_unless_told() -> None:
    assert Results(lambda lab: (), lambda lab: ()).elsewhere("fusion") == ()
