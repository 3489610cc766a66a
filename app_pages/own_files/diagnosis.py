"""What an analysis concludes, as sentences: the diagnosis large, what supports it below, caveats apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from app_pages.analysis_words import said
from app_pages.own_files.tables import rows_of
from app_pages.sheet import sheet
from engine.measure.events import Finding

LEADS = frozenset(
    {
        *("overhead_bound", "slow_launches", "cpu_elsewhere", "gpu_busy", "communication_bound"),
        "gaps_unexplained",
        "no_gpu_events",
        *("leak", "fragmentation", "out_of_memory", "sawtooth", "nothing_to_say", "empty_snapshot"),
        "compared_time",
        *("kernel_bound", "launch_bound", "host_bound", "thin_kernels", "long_kernels"),
    }
)
"""The codes that are a diagnosis; whatever else an analysis finds supports it."""


def findings(analysis: Mapping[str, Any], part: str = "findings") -> list[Finding]:
    """The findings, or the warnings, of an analysis."""
    return [
        Finding(str(each.get("code")), each["args"])
        for each in rows_of(analysis.get(part))
        if isinstance(each.get("args"), dict)
    ]


def codes(analysis: Mapping[str, Any]) -> list[str]:
    """Every code of the analysis, the diagnosis first."""
    found = [each.code for part in ("findings", "warnings") for each in findings(analysis, part)]
    return sorted(dict.fromkeys(found), key=lambda code: code not in LEADS)


def diagnosis(analysis: Mapping[str, Any], language: str, *, key: str) -> None:
    """The sentences of an analysis; nothing where it has none."""
    html = sentences(findings(analysis), findings(analysis, "warnings"), language)
    if html:
        sheet(html, key=f"{key}.diagnosis")


def sentences(found: Sequence[Finding], warned: Sequence[Finding], language: str) -> str:
    """The diagnosis as HTML. A warning that is the whole truth (no GPU events) leads as well."""
    leads = [each for each in (*found, *warned) if each.code in LEADS]
    rest = [each for each in found if each not in leads]
    caveats = [each for each in warned if each not in leads]
    parts = [f'<p class="lead">{escape(said(each, language))}</p>' for each in leads]
    if rest:
        parts.append(f'<ul class="findings">{_items(rest, language)}</ul>')
    if caveats:
        parts.append(f'<ul class="caveats">{_items(caveats, language)}</ul>')
    return f'<div lang="{language}">{"".join(parts)}</div>' if parts else ""


def _items(found: Sequence[Finding], language: str) -> str:
    return "".join(f"<li>{escape(said(each, language))}</li>" for each in found)
