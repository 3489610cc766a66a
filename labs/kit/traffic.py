"""What elementwise work moves and computes, counted on paper: the traffic model that times are set against.

A transfer is one whole tensor read or written once. A row vector adds its own bytes, a scalar none. Every
arithmetic operation counts as one FLOP, and so does one call of erf or tanh, whatever instructions it takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Operands = Literal["row", "scalar"]
Gelu = Literal["erf", "tanh"]


@dataclass(frozen=True, slots=True)
class Operation:
    """An elementwise operation on one tensor: `flop` and extra operands of one value or one row."""

    name: str
    flop: int
    operands: int = 0


MULTIPLY = Operation("multiply", flop=1, operands=1)
ADD = Operation("add", flop=1, operands=1)
GELU: dict[Gelu, Operation] = {
    # x/2 · (1 + erf(x/√2)): one division, erf, one addition, two multiplications
    "erf": Operation("gelu", flop=5),
    # x/2 · (1 + tanh(√(2/π)·(x + 0.044715·x³))): six multiplications, two additions, tanh
    "tanh": Operation("gelu", flop=9),
}


def chain(gelu: Gelu) -> tuple[Operation, ...]:
    """The card's three operations."""
    return MULTIPLY, ADD, GELU[gelu]


@dataclass(frozen=True, slots=True)
class Traffic:
    """What one call moves and computes. `transfers` counts whole tensors."""

    transfers: int
    bytes: int
    flop: int

    @property
    def intensity(self) -> float:
        """FLOP per byte."""
        return self.flop / self.bytes


def separate(
    operations: Sequence[Operation], *, rows: int, columns: int, item_bytes: int, operands: Operands
) -> Traffic:
    """Each operation reads the tensor and writes it back: two transfers an operation."""
    parts = [
        fused([operation], rows=rows, columns=columns, item_bytes=item_bytes, operands=operands)
        for operation in operations
    ]
    return Traffic(
        transfers=sum(part.transfers for part in parts),
        bytes=sum(part.bytes for part in parts),
        flop=sum(part.flop for part in parts),
    )


def fused(
    operations: Sequence[Operation], *, rows: int, columns: int, item_bytes: int, operands: Operands
) -> Traffic:
    """All operations in one kernel: the tensor is read once and written once, each row vector read once."""
    elements = rows * columns
    vectors = sum(operation.operands for operation in operations) if operands == "row" else 0
    return Traffic(
        transfers=2,
        bytes=(2 * elements + vectors * columns) * item_bytes,
        flop=elements * sum(operation.flop for operation in operations),
    )
