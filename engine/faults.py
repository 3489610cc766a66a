"""The one ancestor of every error that is written for the person who reads it."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

Value = str | int | float
_TOLD = frozenset({"EACCES", "EPERM", "ENOENT", "ENOSPC", "EDQUOT", "EIO", "EROFS", "ENAMETOOLONG"})
"""What a system says most often over a file, by its name in errno(3)."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why, as a code with arguments: the interface puts it into words of the reader's language.

    `why` among the arguments is a code of its own, or words of a tool where there is none.
    `command` is a line to type elsewhere.
    """

    code: str
    args: Mapping[str, Value] = field(default_factory=dict)


class BenchcardsError(Exception):
    """What went wrong and what to do about it, in words. Each room derives its own type from it."""

    why: Reason | None = None
    """The same for the interface; None where it has English words only."""

    def because(self, code: str, **args: Value) -> Self:
        """The error, with its reason: `raise SomeError("…").because("no_such_file", name="a.json")`."""
        self.why = Reason(code, args)
        return self


def os_why(error: OSError) -> str:
    """What the system says, as a code where it is one of the usual ones; else its own words."""
    name = errno.errorcode.get(error.errno or 0, "")
    return name if name in _TOLD else error.strerror or str(error)
