"""How many pages of memory a call makes the system map."""

from __future__ import annotations

from collections.abc import Callable


def faults_of(call: Callable[[], object]) -> int | None:
    """Minor page faults of this process during one call; None where the system doesn't count them."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    call()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    call()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
