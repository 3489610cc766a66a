"""What `python -m labs list` says: the labs, what each needs, whether it can run here."""

from __future__ import annotations

import shutil
from dataclasses import asdict
from typing import Any

from engine.measure.hardware import this_machine, torch_is_installed
from labs.kit.discovery import Fault, Found, Words, find_labs, words
from labs.kit.lab import Lab
from labs.kit.levers import allowed, shown
from labs.kit.placing import why_no_gpu
from labs.kit.usage import UsageError


def as_json() -> dict[str, Any]:
    """`{"labs": […], "faults": [{"file", "message"}]}` for scripts and for the app's catalogue."""
    found = find_labs()
    labs, faults = [], list(found.faults)
    for lab in found.labs:
        try:
            labs.append(_entry(lab, words(lab.name)))
        except UsageError as error:
            faults.append(Fault(file=lab.name, message=str(error)))
    return {"labs": labs, "faults": [asdict(fault) for fault in faults]}


def as_text(found: Found | None = None) -> str:
    """The same for a person on a terminal."""
    found = found or find_labs()
    lines: list[str] = []
    for lab in found.labs:
        title = words(lab.name).get("en", {}).get("title", "")
        code, reason = why_not(lab)
        lines.append(f"{lab.name}  {title}".rstrip())
        runs = f"runs on {' and '.join(lab.devices)}, {lab.time_limit_s} s at most"
        lines.append(f"    {runs}" if code is None else f"    can't run here: {reason}")
        for lever in lab.levers:
            lines.append(f"    --set {lever.name}={shown(lever.default)}  ({allowed(lever)})")
    lines += [f"{fault.file}: can't be used: {fault.message}" for fault in found.faults]
    return "\n".join(lines) or "There are no labs."


def why_not(lab: Lab) -> tuple[str | None, str]:
    """A failure code and its reason in words where the lab can't run here; None and nothing where it can."""
    for tool in lab.tools:
        if shutil.which(tool) is None:
            return "needs_tool", f"the program {tool} isn't on the PATH"
    if lab.uses_torch and not torch_is_installed():
        return "needs_tool", "the Python package torch is missing"
    if "cpu" not in lab.devices:
        reason = why_no_gpu(lab, this_machine())
        if reason:
            return "needs_gpu", reason
    return None, ""


def _entry(lab: Lab, texts: Words) -> dict[str, Any]:
    code, reason = why_not(lab)
    return {
        "name": lab.name,
        "levers": [asdict(lever) for lever in lab.levers],
        "devices": list(lab.devices),
        "tools": list(lab.tools),
        "time_limit_s": lab.time_limit_s,
        "can_run": code is None,
        "why_not": code,
        "why_not_text": reason,
        "words": texts,
    }
