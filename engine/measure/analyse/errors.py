"""What a reader says about a file it can't use."""

from __future__ import annotations

from engine.faults import BenchcardsError


class UnreadableFile(BenchcardsError):
    """The file is not what it should be. The message names the file, what is wrong and the way out."""


class NeedsTool(UnreadableFile):
    """The file can be read only with a program that isn't installed here. The message names it."""
