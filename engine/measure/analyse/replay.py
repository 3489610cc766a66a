"""Plays a snapshot's events of one device back: what was allocated when, in bytes, exactly.

A recording seldom begins with an empty device. What was allocated before it (the baseline) follows from the
end: from the segments' blocks there, undo event by event. Sizes are those that the events carry (what was
asked for, in torch 2.1 and later); blocks that no event speaks of count with their requested size.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from engine.measure.analyse.snapshot import ALLOCATED, Block, Segment, Stack, TraceEvent

GRANULE = 512
"""The allocator rounds each block up to a multiple of this many bytes
(c10/cuda/CUDACachingAllocator.h, kMinBlockSize)."""


@dataclass(frozen=True, slots=True)
class Allocation:
    """A block from its allocation to its release.

    `born`: index of the event, -1 before the recording. `died`: index, None where it lives at the end.
    """

    address: int
    size: int
    born: int
    died: int | None
    stack: Stack


@dataclass(frozen=True, slots=True)
class Timeline:
    """Bytes after each event. `allocated[0]` and `reserved[0]` are the state before the first event.

    `times_us` is None where the events carry no time.
    """

    allocated: tuple[int, ...]
    reserved: tuple[int, ...]
    times_us: tuple[int, ...] | None

    @property
    def baseline(self) -> int:
        """Bytes allocated before the recording began."""
        return self.allocated[0]

    @property
    def peak(self) -> int:
        return max(self.allocated)

    @property
    def end(self) -> int:
        return self.allocated[-1]


@dataclass(frozen=True, slots=True)
class Replay:
    """The life of every block of a device, in order of birth, and what they add up to."""

    allocations: tuple[Allocation, ...]
    timeline: Timeline
    unmatched: int
    """Releases of blocks that neither an event nor the segments at the end know."""


def replay(segments: Iterable[Segment], events: tuple[TraceEvent, ...]) -> Replay:
    """Play the `events` of a device that ended with `segments`."""
    segments = tuple(segments)
    releasing = _releasing(events)
    before = _alive_before(segments, events, releasing)
    born_before = {
        address: Allocation(address, size, -1, None, stack) for address, (size, stack) in before.items()
    }
    allocations: list[Allocation] = list(born_before.values())
    alive = {allocation.address: n for n, allocation in enumerate(allocations)}
    total = sum(allocation.size for allocation in allocations)
    held = sum(segment.size for segment in segments) - sum(_reserved_change(event) for event in events)
    allocated, reserved = [total], [held]
    unmatched = 0
    for index, event in enumerate(events):
        if event.action == "alloc":
            alive[event.address] = len(allocations)
            allocations.append(Allocation(event.address, event.size, index, None, event.stack))
            total += event.size
        elif event.action in releasing:
            position = alive.pop(event.address, None)
            if position is not None:
                born = allocations[position]
                total -= born.size
                allocations[position] = Allocation(born.address, born.size, born.born, index, born.stack)
            elif event.action == "free_requested":
                unmatched += 1
        held += _reserved_change(event)
        allocated.append(total)
        reserved.append(held)
    times = tuple(event.time_us for event in events if event.time_us is not None)
    complete = bool(times) and len(times) == len(events)
    timeline = Timeline(tuple(allocated), tuple(reserved), times if complete else None)
    return Replay(tuple(allocations), timeline, unmatched)


def _releasing(events: tuple[TraceEvent, ...]) -> frozenset[str]:
    """The actions by which a block stops counting as allocated.

    The program's own release counts (free_requested), as in torch.cuda.memory_allocated(). Where a recording
    holds none, the allocator's (free_completed) does.
    """
    requested = any(event.action == "free_requested" for event in events)
    return frozenset({"free_requested"} if requested else {"free_completed"})


def _alive_before(
    segments: tuple[Segment, ...], events: tuple[TraceEvent, ...], releasing: frozenset[str]
) -> dict[int, tuple[int, Stack]]:
    """Address to size and stack of the blocks that were allocated before the first event."""
    alive = {
        block.address: (block.requested or block.size, block.stack)
        for segment in segments
        for block in segment.blocks
        if block.state == ALLOCATED
    }
    for event in reversed(events):
        if event.action == "alloc":
            alive.pop(event.address, None)
        elif event.action in releasing:
            # the stack of a release says who released, not who allocated
            alive[event.address] = (event.size, ())
    return alive


def _reserved_change(event: TraceEvent) -> int:
    if event.action in ("segment_alloc", "segment_map"):
        return event.size
    if event.action in ("segment_free", "segment_unmap"):
        return -event.size
    return 0


@dataclass(frozen=True, slots=True)
class Hole:
    """Free bytes between (or beside) allocated blocks of a segment; `whole` where the segment is empty."""

    address: int
    size: int
    whole: bool
    small: bool
    """In a segment for blocks of up to 1 MiB: a larger request can't use it by design."""
    movable: int = 0
    """Bytes of whole pages of an expandable segment: they can be mapped elsewhere, so they are not stuck."""

    @property
    def pinned(self) -> int:
        """Bytes that stay where they are as long as their neighbours live."""
        return self.size - self.movable


SMALL_SEGMENT = 2 * 1024 * 1024
"""The size of a segment for blocks of up to 1 MiB (CUDACachingAllocator.h, kSmallBuffer)."""


UNSPLIT = 1024 * 1024
"""A rest up to this size stays with its block in a segment for large ones (kSmallSize)."""


PAGES = {"small": 2 * 1024 * 1024, "large": 20 * 1024 * 1024}
"""The pages in which expandable segments are mapped (kSmallBuffer and kLargeBuffer)."""


def holes_at_end(segments: Iterable[Segment]) -> list[Hole]:
    """The free blocks of the segments."""
    found = []
    for segment in segments:
        whole = not any(_is_active(block) for block in segment.blocks)
        found += [
            Hole(block.address, block.size, whole, segment.kind == "small", _movable(segment, block))
            for block in segment.blocks
            if not _is_active(block)
        ]
    return found


def _movable(segment: Segment, block: Block) -> int:
    """Bytes of the whole pages in a free block; mapped ranges begin at a page."""
    if not segment.expandable:
        return 0
    page = PAGES[segment.kind]
    first = -(-(block.address - segment.address) // page)
    end = (block.address + block.size - segment.address) // page
    return max(0, end - first) * page


def _is_active(block: Block) -> bool:
    return block.state.startswith("active")


def holes_after(
    played: Replay, segments: tuple[Segment, ...], events: tuple[TraceEvent, ...], index: int
) -> list[Hole]:
    """The free bytes between blocks after event `index`, from the addresses of what lived then."""
    ranges = _ranges_after(segments, events, index)
    blocks = sorted(
        (a.address, a.size)
        for a in played.allocations
        if a.born <= index and (a.died is None or a.died > index)
    )
    starts = [address for address, _ in blocks]
    found = []
    for start, size, small in ranges:
        inside = blocks[bisect_left(starts, start) : bisect_right(starts, start + size - 1)]
        at = start
        least = 0 if small else UNSPLIT
        for address, length in inside:
            if address - at > least:
                found.append(Hole(at, address - at, False, small))
            at = max(at, address + -(-length // GRANULE) * GRANULE)
        if start + size - at > least:
            found.append(Hole(at, start + size - at, not inside, small))
    return found


def _ranges_after(
    segments: tuple[Segment, ...], events: tuple[TraceEvent, ...], index: int
) -> list[tuple[int, int, bool]]:
    """Address, size and whether it is for small blocks, of the memory reserved after event `index`."""
    small = {s.address for s in segments if s.kind == "small"}
    fixed: dict[int, int] = {s.address: s.size for s in segments if not s.expandable}
    mapped: dict[int, int] = {s.address: s.size for s in segments if s.expandable}
    for event in reversed(events[index + 1 :]):
        if event.action == "segment_alloc":
            fixed.pop(event.address, None)
        elif event.action == "segment_free":
            fixed[event.address] = event.size
        elif event.action == "segment_map":
            _cut(mapped, event.address, event.size)
        elif event.action == "segment_unmap":
            mapped[event.address] = event.size
    ranges = [(start, size, start in small or size <= SMALL_SEGMENT) for start, size in fixed.items()]
    joined: list[tuple[int, int]] = []
    for start, size in sorted(mapped.items()):
        if joined and start == sum(joined[-1]):
            joined[-1] = (joined[-1][0], joined[-1][1] + size)
        else:
            joined.append((start, size))
    return sorted(ranges + [(start, size, start in small) for start, size in joined])


def _cut(mapped: dict[int, int], start: int, size: int) -> None:
    """Take the range from `start` out of the mapped ones."""
    end = start + size
    for address, length in list(mapped.items()):
        if address < end and start < address + length:
            del mapped[address]
            if address < start:
                mapped[address] = start - address
            if end < address + length:
                mapped[end] = address + length - end
