"""The two events that a reader of files reports too, apart from the others: a process that lives for half a
second doesn't wait for those of labs."""

from __future__ import annotations

from dataclasses import dataclass, field

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` steps; `label` is what is being done now."""

    done: float
    total: float
    label: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A conclusion as a code with arguments; the interface puts it into words."""

    code: str
    args: dict[str, Scalar] = field(default_factory=dict)
