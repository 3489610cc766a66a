"""What the roofline expects of a kernel in a report: of a matrix product or attention both sides, of other
work its bytes, and without sizes only what the report itself counted. Each says what it can't."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from app_pages import context
from app_pages.gpu_choice import gpu_choice
from app_pages.numbers import number, percent, quantity
from app_pages.words import phrase, say
from engine.claims.hardware_quantities import Hardware
from engine.claims.roofline import (
    ALL_ITEM_BYTES,
    ITEM_BYTES,
    Expected,
    Work,
    attention,
    elementwise,
    expect,
    matmul,
    reduction,
)
from engine.measure.analyse.kernel_family import family_of

SIZES: Mapping[str, tuple[str, ...]] = {
    "matmul": ("m", "n", "k"),
    "attention": ("batch", "heads", "kv_heads", "queries", "keys", "head_dim"),
    "elementwise": ("elements", "reads", "writes"),
    "reduction": ("elements", "results"),
    "report": (),
}
"""The sorts of work, and the sizes that say what one has to do."""
WORK: Mapping[str, Callable[..., Work]] = {
    "matmul": matmul,
    "attention": attention,
    "elementwise": elementwise,
    "reduction": reduction,
}
_SORTS = {
    "matmul": "matmul",
    "attention": "attention",
    "elementwise": "elementwise",
    "indexing": "elementwise",
    "reduction": "reduction",
    "softmax": "reduction",
    "normalisation": "reduction",
}
"""Kernel families by the sort of work that they usually are."""
LARGEST = 10**12
NEAR = 60.0
"""Percent of a peak from which ncu itself calls a kernel bound by it (Nsight Compute, Kernel Profiling Guide,
"Speed Of Light": above 60 % is well used, above 80 % near the limit)."""


def sort_of(name: str) -> str:
    """The sort of work that a kernel's name speaks of; report where it says nothing."""
    return _SORTS.get(family_of("kernel", name), "report")


def prediction(kernel: Mapping[str, Any], *, key: str) -> tuple[Expected | None, str]:
    """The choice of the work and its sizes; what is expected of it, and that in words ("" before)."""
    language = context.language()
    with st.expander(say("your_files.ncu.predict"), icon=":material/target:"):
        sort = st.segmented_control(
            say("your_files.ncu.sort"),
            list(SIZES),
            default=sort_of(str(kernel.get("name"))),
            required=True,
            format_func=lambda each: say(f"your_files.ncu.sort.{each}"),
            key=f"{key}.sort",
        )
        sort = sort or "report"
        st.caption(say(f"your_files.ncu.sort.{sort}.hint"))
        gpu_choice(key=f"{key}.gpu")
        hardware = context.claim_hardware()
        if sort == "report":
            st.markdown(from_report(kernel, hardware, language))
            return None, ""
        work, dtype = _work(sort, key=key)
        if work is None:
            return None, ""
        found = expect(work, hardware, dtype)
        if found is None:
            st.info(say("your_files.ncu.no_datasheet"), icon=":material/help:")
            return None, ""
        return found, " ".join(said(found, work, kernel, language))


def from_report(kernel: Mapping[str, Any], hardware: Hardware, language: str) -> str:
    """What follows from the bytes that the report counted, without knowing what the kernel was to do."""
    moved, seconds = kernel.get("dram_bytes"), kernel.get("duration_s")
    if not isinstance(moved, int | float) or not isinstance(seconds, int | float) or seconds <= 0:
        return phrase(language, "your_files.ncu.report.no_bytes")
    bandwidth = hardware.quantities.get("memory_bandwidth")
    if bandwidth is None:
        return phrase(language, "your_files.ncu.no_datasheet")
    least = moved / bandwidth[0]
    return phrase(
        language,
        "your_files.ncu.report.bytes",
        moved=quantity(float(moved), "B", language),
        least=_time(least, language),
        duration=_time(float(seconds), language),
        share=percent(least / seconds, language),
        gpu=hardware.name,
        bandwidth=quantity(bandwidth[0] / 1e9, "GB/s", language),
    )


def said(expected: Expected, work: Work, kernel: Mapping[str, Any], language: str) -> list[str]:
    """The expectation in sentences, beside what the report measured."""
    key = expected.limit if expected.ridge is not None else "bytes"
    sentences = [
        phrase(
            language,
            f"your_files.ncu.expected.{key}",
            seconds=_time(expected.seconds, language),
            bytes=quantity(float(work.bytes), "B", language),
            ridge="" if expected.ridge is None else quantity(expected.ridge, "FLOP/B", language),
        )
    ]
    moved = kernel.get("dram_bytes")
    if isinstance(moved, int | float) and moved > 0:
        sentences.append(
            phrase(
                language,
                "your_files.ncu.expected.moved",
                moved=quantity(float(moved), "B", language),
                times=quantity(moved / work.bytes, "×", language),
                least=quantity(float(work.bytes), "B", language),
            )
        )
    return sentences


def _work(sort: str, *, key: str) -> tuple[Work | None, str]:
    """The work of the sizes that the reader typed; None until all are there."""
    needed = SIZES[sort]
    types = list(ITEM_BYTES if sort in ("matmul", "attention") else ALL_ITEM_BYTES)
    with st.grid(4):
        sizes = {part: _size(part, key=f"{key}.{sort}.{part}") for part in needed}
        dtype = st.selectbox(say("your_files.ncu.dtype"), types, key=f"{key}.{sort}.dtype")
    causal = sort == "attention" and st.checkbox(say("your_files.ncu.causal"), key=f"{key}.causal")
    if any(size is None for size in sizes.values()):
        return None, dtype
    options = {"causal": True} if causal and (sizes["queries"] or 0) <= (sizes["keys"] or 0) else {}
    return WORK[sort](**sizes, **options, item_bytes=ALL_ITEM_BYTES[dtype]), dtype


def _size(part: str, *, key: str) -> int | None:
    typed = st.number_input(
        say(f"your_files.ncu.size.{part}"), min_value=1, max_value=LARGEST, value=None, step=1, key=key
    )
    return None if typed is None else int(typed)


def _time(seconds: float, language: str) -> str:
    if seconds >= 1e-3:
        return quantity(seconds * 1e3, "ms", language)
    return quantity(seconds * 1e6, "us", language)


def percent_text(value: float, language: str) -> str:
    """A percentage of a report, 0 to 100, with two digits: 9.2%."""
    return f"{number(value, language, 2 if value < 100 else 3)}%"
