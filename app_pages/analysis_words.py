"""What the readers of traces, snapshots and profiler reports conclude, in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping

from app_pages.numbers import joined, number, percent, quantity
from app_pages.words import knows, phrase
from engine.measure.events import Finding, Scalar

_PERCENT = ("busy_ratio", "share_of_growth", "share_of_busy")
_WORDED = ("family", "confidence")
"""Arguments that hold a code."""
_UNITS = {"_ms": "ms", "_us": "us"}
_NAMES_SHOWN = 100
"""Characters of a kernel's name: some go on for thousands."""


def said(finding: Finding, language: str) -> str:
    """The finding or warning as a sentence; one without words as its code with its arguments."""
    key = key_of(finding)
    shown = {name: _shown(name, value, language) for name, value in finding.args.items()}
    if not knows(key):
        return " ".join([finding.code, *(f"{name}={value}" for name, value in shown.items())])
    text = phrase(language, key, **shown)
    # an analysis of an earlier version doesn't say how sure it is
    return f"{text}{'' if language == 'zh' else ' '}{shown['confidence']}" if "confidence" in shown else text


def key_of(finding: Finding) -> str:
    """The key of its words; several codes are worded by what the file could tell."""
    key, args = f"analysis.{finding.code}", finding.args
    variant = {
        "fragmentation": "failed" if "requested_bytes" in args else "",
        "leak": "" if args.get("call") else "no_stack",
        "overhead_bound": "under" if "call" in args else "named" if "cpu_op" in args else "",
        "cpu_elsewhere": "doing" if "doing" in args else "",
        "gpu_busy": "named" if "family" in args else "",
        "launch_cost": "steps" if "per_step" in args else "",
        "compared_time": str(args.get("per")),
        "nothing_to_say": str(args.get("why")),
    }.get(finding.code, "")
    return f"{key}.{variant}" if variant else key


def findings_of(analysis: Mapping[str, object]) -> list[Finding]:
    """The findings, then the warnings, of an analysis as `python -m engine analyse --json` writes it."""
    found = []
    for part in ("findings", "warnings"):
        entries = analysis.get(part)
        for entry in entries if isinstance(entries, list) else []:
            if isinstance(entry, dict) and isinstance(entry.get("args"), dict):
                found.append(Finding(str(entry.get("code")), entry["args"]))
    return found


def _shown(name: str, value: Scalar, language: str) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):
        worded = f"analysis.{name}.{value}"
        return phrase(language, worded) if name in _WORDED and knows(worded) else value[:_NAMES_SHOWN]
    if name.endswith("bytes") or name == "bytes_per_tooth":
        return quantity(float(value), "B", language)
    if name in _PERCENT or name.endswith("share"):
        return percent(float(value), language)
    if name == "speedup":
        return joined(number(float(value), language), "×")
    if name == "p":
        return f"{float(value):.0e}"
    for ending, unit in _UNITS.items():
        if name.endswith(ending):
            return quantity(float(value), unit, language)
    return joined(f"{value}" if isinstance(value, bool) else number(value, language), "")
