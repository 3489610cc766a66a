"""A page with a timeline alone, its gap in the address, and timelines of any number of events."""

from __future__ import annotations

import shutil
from pathlib import Path

from engine.measure.analyse.chrome_trace import ChromeTrace, CpuEvent, GpuEvent
from engine.measure.analyse.timeline import write_timeline
from tests.browser.app import ROOT, App

SCRIPT = """\
import sys
from pathlib import Path

sys.path.insert(0, {root!r})
import streamlit as st

from app_pages.timeline import timeline

st.set_page_config(layout="wide")


@st.fragment
def part():
    asked = st.query_params.get("gap")
    gap = timeline(Path({path!r}), key="timeline", goto=int(asked) if asked else None)
    if gap is not None:
        st.query_params["gap"] = str(gap)
    st.markdown(f"selected: {{gap}}")


part()
"""
STEP_NS = 50_000
OPERATORS = ("aten::linear", "aten::silu", "aten::mul", "aten::add", "aten::rms_norm", "aten::softmax")


def written_timeline(path: Path, groups: int) -> Path:
    """A timeline of so many operators, launches and kernels: three bars a group, one gap between two groups.

    Every gap lasts 40.75 µs but each hundredth, which is longer by a microsecond for every hundred groups
    before it.
    """
    thread = ("1", "1")
    operators, calls, kernels = [], [], []
    at = 0
    for n in range(groups):
        operators.append(CpuEvent(OPERATORS[n % len(OPERATORS)], thread, at, at + 38_500))
        calls.append(CpuEvent("cudaLaunchKernel", thread, at + 5_000, at + 9_250, n))
        name = f"void kernel_{n % len(OPERATORS)}<float>(int)"
        kernels.append(GpuEvent("kernel", name, 0, "7", at + 12_000, at + 21_250, n))
        at += STEP_NS + ((n // 100 + 1) * 1000 if n % 100 == 99 else 0)
    trace = ChromeTrace(3 * groups, tuple(kernels), tuple(calls), tuple(operators), 0)
    write_timeline(trace, path)
    return path


def timeline_app(home: Path, path: Path) -> App:
    """An app that shows the timeline at `path`, in the project's theme. Not started yet."""
    folder = home / "timeline_app"
    shutil.copytree(ROOT / ".streamlit", folder / ".streamlit")
    script = folder / "app.py"
    script.write_text(SCRIPT.format(root=str(ROOT), path=str(path)), encoding="utf-8")
    return App(home, script)
