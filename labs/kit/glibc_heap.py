"""The C library's allocator as a subject of measurement: glibc's malloc, and what it says of itself."""

from __future__ import annotations

import ctypes
import resource
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from labs.kit.memory_plans import MIB, Step, Take

_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1
_LARGEST_THRESHOLD = 32 * MIB
"""Up to here glibc raises the threshold by itself once pieces with a mapping of their own have been freed
(malloc/malloc.c, DEFAULT_MMAP_THRESHOLD_MAX; mallopt(3)). A server reaches it within minutes."""
_PROBE_STEP = 64 * 1024
_PYTHONS_OWN = 48 * MIB
"""What Python itself may take beside the cap while it keeps its account."""


class _Info(ctypes.Structure):
    """`struct mallinfo2` of malloc.h (glibc 2.33 and later)."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks",
            "keepcost",
        )
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class HeapState:
    """Bytes: in use, taken from the system, free in it."""

    allocated: int
    reserved: int
    free: int


class NoRoom(Exception):
    """malloc returned NULL."""


def why_no_glibc() -> str | None:
    """Why this system's malloc can't be measured; None where it can."""
    try:
        library = ctypes.CDLL(None)
    except (OSError, TypeError) as error:
        return f"the C library can't be loaded ({error})"
    if not hasattr(library, "mallinfo2"):
        return "the C library isn't glibc 2.33 or later"
    return None if Path("/proc/self/statm").exists() else "the size of a process can't be read here"


class Heap:
    """Pieces of memory by key, from malloc, in a process whose address space is capped."""

    def __init__(self, *, cap: int) -> None:
        """Lets this process take `cap` bytes more than it has now, and what Python itself needs.

        Raises OSError where the system doesn't allow it.
        """
        self._library = ctypes.CDLL(None)
        self._library.malloc.restype = ctypes.c_void_p
        self._library.malloc.argtypes = (ctypes.c_size_t,)
        self._library.free.argtypes = (ctypes.c_void_p,)
        self._library.mallinfo2.restype = _Info
        self._library.mallopt(_MMAP_THRESHOLD, _LARGEST_THRESHOLD)
        self._library.mallopt(_TRIM_THRESHOLD, 2**31 - 1)
        self._held: dict[int, int] = {}
        self._limit(_size() + cap + _PYTHONS_OWN)
        self._cap = resource.getrlimit(resource.RLIMIT_AS)[0]
        self._start = self._info()

    def run(self, steps: Iterable[Step]) -> None:
        """Raises NoRoom."""
        for step in steps:
            if isinstance(step, Take):
                self._held[step.key] = self._malloc(step.size)
            else:
                self._library.free(self._held.pop(step.key))

    def address(self, key: int) -> int:
        return self._held[key]

    def give_all(self) -> None:
        for address in self._held.values():
            self._library.free(address)
        self._held.clear()

    def state(self) -> HeapState:
        """Since the start: what Python itself had is not counted."""
        info = self._info()
        return HeapState(
            allocated=info.uordblks + info.hblkhd - self._start.uordblks - self._start.hblkhd,
            reserved=info.arena + info.hblkhd - self._start.arena - self._start.hblkhd,
            free=max(0, info.fordblks - self._start.fordblks),
        )

    def largest(self, *, below: int) -> int:
        """The largest piece that malloc gives without taking more from the system, by trying, to 64 KiB."""
        low, high = 0, below
        self._limit(_size())
        try:
            while high - low > _PROBE_STEP:
                middle = (low + high) // 2
                try:
                    self._library.free(self._malloc(middle))
                    low = middle
                except NoRoom:
                    high = middle
        finally:
            self._limit(self._cap)
        return low

    def _limit(self, size: int) -> None:
        resource.setrlimit(resource.RLIMIT_AS, (size, resource.getrlimit(resource.RLIMIT_AS)[1]))

    def _malloc(self, size: int) -> int:
        address = self._library.malloc(size)
        if not address:
            raise NoRoom(f"{size:,} bytes")
        return int(address)

    def _info(self) -> _Info:
        info: _Info = self._library.mallinfo2()
        return info


def _size() -> int:
    """Bytes of this process's address space."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
