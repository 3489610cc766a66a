"""This machine's devices: what the driver says, what the datasheet promises, what was measured."""

from __future__ import annotations

from datetime import datetime
from html import escape

import streamlit as st

from app_pages import context
from app_pages.numbers import moment, percent, quantity
from app_pages.sheet import sheet
from app_pages.words import say
from engine.measure import ceilings
from engine.measure.ceilings import Ceilings
from engine.measure.device import Device
from engine.measure.fault import MeasureError
from engine.measure.hardware import environment, this_machine
from engine.measure.specs import Spec, disagreement, match

Entries = list[tuple[str, str]]


def device_view() -> None:
    """Every GPU that labs would see, and the CPU."""
    machine = this_machine()
    if machine.why_no_gpu:
        st.info(f"{say('device.no_gpu')} {machine.why_no_gpu}", icon=":material/memory:")
    for device in (*machine.gpus, machine.cpu):
        with st.container(border=True, key=f"device.{device.key}"):
            _device(device)
    versions = " · ".join(f"{name} {value}" for name, value in environment().items())
    st.caption(f"{say('device.versions')}: {versions}")


def _device(device: Device) -> None:
    st.subheader(device.name, anchor=False)
    row = match(device.name, device.memory_bytes, device.sm_count) if device.type == "cuda" else None
    sheet(_list(_driver(device)), key=f"device.{device.key}.driver")
    st.markdown(f"**{say('device.datasheet')}**")
    if row is None:
        st.caption(say("device.no_datasheet_cpu" if device.type == "cpu" else "device.no_datasheet"))
    else:
        sheet(_list(_datasheet(row)), key=f"device.{device.key}.datasheet")
        apart = disagreement(row, device.bus_bandwidth)
        if apart is not None:
            off = percent(apart, context.language(), signed=True)
            st.warning(say("device.disagrees", off=off), icon=":material/rule:")
    st.markdown(f"**{say('device.measured')}**")
    try:
        kept = ceilings.load(context.house().data, device)
    except MeasureError as error:
        st.warning(str(error), icon=":material/error:")
        return
    if kept is None:
        st.caption(say("device.not_measured"))
        return
    sheet(_list(_measured(kept, row)), key=f"device.{device.key}.measured")
    when = datetime.fromisoformat(kept.measured_at) if kept.measured_at else None
    date = "" if when is None else moment(when, context.zone(), context.language())
    versions = " · ".join(f"{name} {version}" for name, version in kept.versions.items())
    st.caption(" · ".join(part for part in (date, versions) if part))


def _driver(device: Device) -> Entries:
    language = context.language()
    cores = "device.cores" if device.type == "cpu" else "device.multiprocessors"
    cache = "device.last_cache" if device.type == "cpu" else "device.l2"
    found: list[tuple[str, str | None]] = [
        ("device.memory", _bytes(device.memory_bytes)),
        (cores, None if device.sm_count is None else str(device.sm_count)),
        (cache, _bytes(device.l2_bytes)),
        ("device.capability", device.capability),
        ("device.driver", device.driver),
        (
            "device.bus",
            None
            if device.bus_bandwidth is None
            else quantity(device.bus_bandwidth / 1e9, "GB/s", language, 4),
        ),
    ]
    return [(say(key), value) for key, value in found if value is not None]


def _datasheet(row: Spec) -> Entries:
    language = context.language()
    entries = [
        (say("device.bandwidth"), quantity(row.bandwidth / 1e9, "GB/s", language, 4)),
        *(
            (say("device.rate", dtype=dtype), quantity(rate / 1e12, "TFLOP/s", language))
            for dtype in ("bf16", "fp16")
            if (rate := row.peak(dtype)) is not None
        ),
        (say("device.l2"), _bytes(row.l2_bytes) or ""),
        (say("device.source"), row.source),
    ]
    return [*entries, *([(say("device.note"), row.note)] if row.note else [])]


def _measured(kept: Ceilings, row: Spec | None) -> Entries:
    language = context.language()
    entries: Entries = []
    for key, rate in (("copy", kept.copy_bandwidth), ("read", kept.read_bandwidth)):
        if rate is not None:
            share = "" if row is None else f" ({percent(rate / row.bandwidth, language)})"
            entries.append((say(f"device.{key}"), quantity(rate / 1e9, "GB/s", language, 4) + share))
    for dtype, rate in kept.matmul_rate.items():
        entries.append((say("device.rate", dtype=dtype), quantity(rate / 1e12, "TFLOP/s", language)))
    return entries


def _bytes(size: int | None) -> str | None:
    """A size in the units that hardware is sold in."""
    if size is None:
        return None
    unit, factor = ("GiB", 1024**3) if size >= 1024**3 else ("MiB", 1024**2)
    return quantity(size / factor, unit, context.language())


def _list(entries: Entries) -> str:
    items = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in entries)
    return f"<dl>{items}</dl>"
