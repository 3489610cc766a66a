"""Finds in a stack the call that a person would look at: the innermost of their own code."""

from __future__ import annotations

import re

from engine.measure.analyse.snapshot import Frame, Stack

_INSTALLED = re.compile(r"[/\\](?:site-packages|dist-packages)[/\\]")
_STANDARD = re.compile(r"[/\\]lib[/\\]python\d[^/\\]*[/\\]|^<frozen|^<string>$", re.IGNORECASE)
_TORCH = re.compile(r"[/\\]torch[/\\](?!.*[/\\]examples[/\\])")
_UNWINDING = re.compile(
    r"^(torch::unwind|torch::CapturedTraceback|torch::cuda::|c10::|at::|\?\?$|_?Py|_start$|__libc)"
)


def own_call(stack: Stack) -> Frame | None:
    """The innermost Python call outside libraries; failing that outside torch; failing that any.

    Of a stack with C++ calls only: the first one that isn't the allocator's or the unwinder's. None where no
    stack was recorded.
    """
    python = [frame for frame in stack if frame.file.endswith((".py", ".ipynb")) or _cell(frame)]
    outside = [f for f in python if not _STANDARD.search(f.file)]
    own = [f for f in outside if not _INSTALLED.search(f.file) and not _TORCH.search(f.file)]
    library = [f for f in outside if not _TORCH.search(f.file)]
    native = [f for f in stack if f not in python and not _UNWINDING.match(f.function)]
    for choice in (own, library, python, native, stack):
        if choice:
            return choice[0]
    return None


def _cell(frame: Frame) -> bool:
    """Whether the call stands in a notebook's cell."""
    return frame.file.startswith(("<ipython-input", "<cell"))


def place(frame: Frame | None) -> str:
    """`model.py:39 forward`, with the last folder of the path; empty where there is no call."""
    if frame is None:
        return ""
    parts = re.split(r"[/\\]", frame.file)
    return f"{'/'.join(parts[-2:])}:{frame.line} {frame.function}"
