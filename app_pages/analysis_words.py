"""What the readers of traces, snapshots and profiler reports conclude, in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping

from app_pages.numbers import joined, number, percent, quantity
from app_pages.own_files.tables import name as short_kernel
from app_pages.words import knows, phrase
from engine.measure.events import Finding, Scalar

_PERCENT = ("busy_ratio", "share_of_growth", "share_of_busy")
_WORDED = ("family", "confidence")
"""Arguments that hold a code."""
_MICROSECONDS = {"_ms": 1e3, "_us": 1.0}
_CADENCE = ("kernel_bound", "launch_bound", "host_bound", "thin_kernels", "long_kernels")
"""Findings on the lengths of kernels: beside them stands what a launch takes, where that is known."""
_MS_FROM_US, _SECONDS_FROM_US = 100.0, 1e7
_TINY = 1e-3
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_KERNELS = ("kernel", "top")
_NAMES_SHOWN = 100
"""Characters of a kernel's name: some go on for thousands."""


def said(finding: Finding, language: str) -> str:
    """The finding or warning as a sentence; one without words as its code with its arguments."""
    key = key_of(finding)
    shown = {name: _shown(name, value, language) for name, value in finding.args.items()}
    if finding.code in _CADENCE:
        known = finding.args.get("launch_p50_us") is not None
        part = "analysis.cadence.launch" if known else "analysis.cadence.no_launch"
        shown["launch"] = phrase(language, part, **({"time": shown["launch_p50_us"]} if known else {}))
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
        "copies_periodic": "" if args.get("bytes") else "no_bytes",
        "copies_irregular": "" if args.get("bytes") else "no_bytes",
        "kernel_bound": "graphs" if _only_graphs(args) else "",
        "host_bound": "graphs" if _only_graphs(args) else "",
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
        if name in _WORDED and knows(worded):
            return phrase(language, worded)
        return short_kernel(value).text if name in _KERNELS else value[:_NAMES_SHOWN]
    if name.endswith("bytes") or name == "bytes_per_tooth":
        return quantity(float(value), "B", language)
    if name in _PERCENT or name.endswith("share"):
        return percent(float(value), language)
    if name == "speedup":
        return joined(number(float(value), language), "×")
    if name == "p":
        return _power(float(value), language)
    for ending, factor in _MICROSECONDS.items():
        if name.endswith(ending):
            return _time(float(value) * factor, language)
    return joined(f"{value}" if isinstance(value, bool) else number(value, language), "")


def _only_graphs(args: Mapping[str, Scalar]) -> bool:
    """Whether the work came by CUDA graphs that were recorded as one block each."""
    return args.get("kernels") == 0 and bool(args.get("graphs"))


def _time(us: float, language: str) -> str:
    """Below 0.1 ms in microseconds, from ten seconds on in seconds: as one would say it."""
    if us >= _SECONDS_FROM_US:
        return quantity(us / 1e6, "s", language)
    if us >= _MS_FROM_US or us == 0:
        return quantity(us / 1e3, "ms", language)
    return quantity(us, "us", language)


def _power(chance: float, language: str) -> str:
    """A small chance: 0.03, or 8 × 10⁻¹⁰ where it is tiny."""
    if chance >= _TINY or chance <= 0:
        return number(chance, language, 1)
    digit, exponent = f"{chance:.0e}".split("e")
    return f"{digit}\xa0×\xa010{str(int(exponent)).translate(_RAISED)}"
