"""Measured ceilings, kept for each device."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.measure import ceilings
from engine.measure.ceilings import Ceilings
from engine.measure.device import Device
from engine.measure.fault import MeasureError

H200 = Device(type="cuda", name="NVIDIA H200", vendor="nvidia", uuid="GPU-1234abcd-0000")
OTHER = Device(type="cuda", name="NVIDIA H200", vendor="nvidia", uuid="GPU-9999abcd-0000")


def test_what_was_saved_is_loaded_for_that_device_only(tmp_path: Path) -> None:
    saved = ceilings.save(
        tmp_path, H200, Ceilings(4.18e12, 4.23e12, {"bf16": 7.9e14}, versions={"torch": "2.13.0"})
    )
    assert ceilings.load(tmp_path, H200) == saved
    assert saved.measured_at.endswith("+00:00")
    assert ceilings.load(tmp_path, OTHER) is None
    assert [path.name for path in (tmp_path / "ceilings").iterdir()] == ["nvidia-h200-1234abcd.json"]


def test_a_later_measurement_adds_to_an_earlier_one(tmp_path: Path) -> None:
    ceilings.save(tmp_path, H200, Ceilings(copy_bandwidth=1.0, matmul_rate={"bf16": 2.0}))
    kept = ceilings.save(tmp_path, H200, Ceilings(copy_bandwidth=3.0, matmul_rate={"fp16": 4.0}))
    assert (kept.copy_bandwidth, kept.read_bandwidth) == (3.0, None)
    assert kept.matmul_rate == {"bf16": 2.0, "fp16": 4.0}


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        json.dumps({"copy_bandwidth": "fast"}),
        json.dumps({"copy_bandwidth": 0}),
        json.dumps({"matmul_rate": {"bf16": -1}}),
        json.dumps({"matmul_rate": [1]}),
    ],
)
def test_a_broken_file_is_named_and_replaced_by_the_next_measurement(tmp_path: Path, content: str) -> None:
    path = tmp_path / "ceilings" / f"{H200.key}.json"
    path.parent.mkdir()
    path.write_text(content, encoding="utf-8")
    with pytest.raises(MeasureError, match=path.name):
        ceilings.load(tmp_path, H200)
    ceilings.save(tmp_path, H200, Ceilings(copy_bandwidth=2.0))
    loaded = ceilings.load(tmp_path, H200)
    assert loaded is not None
    assert loaded.copy_bandwidth == 2.0


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "ceilings").write_text("a file where a folder must be", encoding="utf-8")
    with pytest.raises(MeasureError, match="ceilings"):
        ceilings.save(tmp_path, H200, Ceilings(copy_bandwidth=2.0))
