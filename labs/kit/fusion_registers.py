"""Where the values between the operations lie: in memory, in registers, in shared memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.measure.events import Finding, Scalar
from labs.kit.kernel_resources import Multiprocessor, Resources, known, of_compiled

if TYPE_CHECKING:
    from labs.kit.elementwise import Work
    from labs.kit.fusion_session import Session

_EAGER_TENSORS = 2
"""Between three operations lie two tensors."""


def report_places(session: Session, work: Work, variant: str) -> None:
    """What the variant keeps between its operations, and what its kernel takes of a multiprocessor."""
    labels = session.labels(work, variant=variant)
    tensors = _EAGER_TENSORS if variant == "eager" else 0
    session.report("intermediate_bytes", tensors * work.tensor_bytes, "B", {**labels, "place": "memory"})
    if not known(session.bench.device) or variant == "eager":
        return
    resources = session.variants.resources(work) if variant == "triton" else of_compiled()
    if resources is not None:
        report_resources(session, resources, labels)


def report_resources(session: Session, resources: Resources, labels: dict[str, Scalar]) -> None:
    """The kernel's registers and shared memory, and how much of a multiprocessor's its blocks hold."""
    here = Multiprocessor.here()
    session.report("registers_per_thread", resources.registers, "", labels)
    session.report("spilled_registers", resources.spills, "", labels)
    session.report("threads_per_block", resources.threads, "", labels)
    session.report("shared_memory_per_block", resources.shared_bytes, "B", labels)
    session.report("blocks_per_multiprocessor", resources.blocks_on(here), "", labels)
    session.report("registers_in_use", resources.register_bytes_on(here), "B", labels)


def report_multiprocessor(session: Session) -> None:
    """What there is of each: the card's 256 KB of registers, and shared memory beside it."""
    if not known(session.bench.device):
        return
    here = Multiprocessor.here()
    session.report("register_file", here.register_bytes, "B", {})
    session.report("shared_memory_per_multiprocessor", here.shared_bytes, "B", {})
    session.report("registers_of_gpu", here.register_bytes * here.count, "B", {})


def where_they_lie(work: Work, variant: str, resources: Resources) -> Finding:
    """The intermediates of a fused kernel: in how many registers, while eager's fill memory."""
    here = Multiprocessor.here()
    return Finding(
        "registers_spilled" if resources.spills else "intermediates_in_registers",
        {
            "variant": variant,
            "registers": resources.registers,
            "threads": resources.threads,
            "blocks": resources.blocks_on(here),
            "spills": resources.spills,
            "held_kb": resources.register_bytes_on(here) / 1024,
            "file_kb": here.register_bytes / 1024,
            "shared_b": resources.shared_bytes,
            "shared_kb": here.shared_bytes / 1024,
            "memory_mb": _EAGER_TENSORS * work.tensor_bytes / 1e6,
            "chip_mb": here.register_bytes * here.count / 1e6,
        },
    )


def tile_in_registers(resources: Resources) -> Finding:
    """A matrix product's tile: its sums in registers, its operands in shared memory, read again and again."""
    here = Multiprocessor.here()
    return Finding(
        "tile_in_shared_memory",
        {
            "registers": resources.registers,
            "threads": resources.threads,
            "held_kb": resources.register_bytes_on(here) / 1024,
            "file_kb": here.register_bytes / 1024,
            "shared_used_kb": resources.blocks_on(here) * resources.shared_bytes / 1024,
            "shared_kb": here.shared_bytes / 1024,
        },
    )
