"""Out of memory with memory free: a healthy server, a leak, and fragmentation under three kinds of memory."""

from __future__ import annotations

from labs.kit.lab import Bench, Lab, Lever


def run(bench: Bench) -> None:
    """On a GPU PyTorch's allocator in processes of their own; on a CPU the C library's malloc."""
    if bench.device == "cpu":
        from labs.kit.malloc_session import run_malloc

        run_malloc(bench)
        return
    from labs.kit.memory_session import run_allocators

    run_allocators(bench)


LAB = Lab(
    name="oom_fragmentation",
    run=run,
    levers=(
        Lever("cap_gib", 8, choices=(2, 4, 8, 16)),
        Lever("seed", 0, low=0, high=1_000_000),
    ),
    time_limit_s=300,
)
