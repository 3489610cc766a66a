"""Which call of the program leaves memory behind: what lives at the end, and whose share climbs.

Of each call only blocks count that have grown older than nearly all those that it did release: what is in use
comes and goes with the load, what is forgotten does not. And of the blocks that grew so old, most must never
have been released.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from engine.measure.analyse.replay import Allocation, Replay
from engine.measure.analyse.snapshot import Frame, Stack
from engine.measure.analyse.stacks import own_call, place
from engine.measure.analyse.teeth import WARM_UP, Climb, climb_of, troughs

LEAST_BYTES = 64 * 1024
LEAST_SHARE = 0.005
"""Of the swing of the curve: less is not worth a word."""
TESTED = 32
"""The floors that the test for a climb wants: smaller teeth are taken where the large ones are fewer."""
LEAST_SPREAD = 4
"""In so many teeth at least (after the warm-up) the call must have left something that still lives."""


@dataclass(frozen=True, slots=True)
class AliveStack:
    """What one call of the program has alive at the end. `call` is empty where no stack was recorded."""

    call: str
    frame: Frame | None
    stack: Stack
    bytes: int
    blocks: int


@dataclass(frozen=True, slots=True)
class Leak:
    """The call whose live bytes climb. `bytes` and `blocks`: what it left since the warm-up.

    `block_bytes`: the size it leaves most bytes in. `share_of_growth`: of all that has grown, from 0 to 1.
    """

    call: str
    frame: Frame | None
    stack: Stack
    bytes: int
    blocks: int
    block_bytes: int
    bytes_per_tooth: int
    climb: Climb
    share_of_growth: float


def alive_by_call(played: Replay) -> tuple[AliveStack, ...]:
    """What lives at the end by call, most bytes first."""
    groups: dict[str, list[Allocation]] = defaultdict(list)
    calls = _Calls()
    for allocation in played.allocations:
        if allocation.died is None:
            groups[calls.of(allocation.stack)].append(allocation)
    found = [
        AliveStack(call, calls.frames[call], group[0].stack, sum(a.size for a in group), len(group))
        for call, group in groups.items()
    ]
    return tuple(sorted(found, key=lambda alive: (-alive.bytes, alive.call)))


class _Calls:
    """Names of stacks by the program's own call, each worked out once."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self.frames: dict[str, Frame | None] = {"": None}

    def of(self, stack: Stack) -> str:
        name = self._names.get(id(stack))
        if name is None:
            frame = own_call(stack)
            name = self._names[id(stack)] = place(frame)
            self.frames[name] = frame
        return name


def find_leak(played: Replay, teeth: Sequence[int]) -> Leak | None:
    """The call that leaks most; None if none does. `teeth`: the positions of the curve's floors.

    Blocks without a stack are told apart by their size.
    """
    shown = len(teeth) - int(len(teeth) * WARM_UP)
    teeth = troughs(played.timeline.allocated, repeated=TESTED)
    skipped = int(len(teeth) * WARM_UP)
    if len(teeth) - skipped < LEAST_SPREAD:
        return None
    calls = _Calls()
    groups: dict[tuple[str, int], list[Allocation]] = defaultdict(list)
    for allocation in played.allocations:
        name = calls.of(allocation.stack)
        groups[name, 0 if name else allocation.size].append(allocation)
    curve = played.timeline.allocated
    least = max(LEAST_BYTES, LEAST_SHARE * (max(curve) - min(curve)))
    warm = teeth[skipped] - 1
    leaks = []
    for (name, _), group in groups.items():
        age = _usual_age(group)
        left = [a for a in group if a.died is None and warm < a.born <= len(curve) - 1 - age]
        total = sum(a.size for a in left)
        released_old = sum(a.died is not None and a.died - a.born > age for a in group)
        if total < least or len(left) <= released_old or not _spread(left, teeth, warm, len(curve)):
            continue
        climb = climb_of(_old_at(group, teeth, age))
        if climb is None or not climb.steady:
            continue
        sizes: Counter[int] = Counter()
        for allocation in left:
            sizes[allocation.size] += allocation.size
        leaks.append((total, name, left, sizes.most_common(1)[0][0], climb))
    if not leaks:
        return None
    total, name, left, common, climb = max(leaks, key=lambda leak: leak[0])
    growth = sum(a.size for a in played.allocations if a.died is None and a.born > warm)
    return Leak(
        call=name,
        frame=calls.frames[name],
        stack=left[0].stack,
        bytes=total,
        blocks=len(left),
        block_bytes=common,
        bytes_per_tooth=round(total / shown) if shown else 0,
        climb=climb,
        share_of_growth=round(total / growth, 4),
    )


def _spread(left: list[Allocation], teeth: Sequence[int], warm: int, end: int) -> bool:
    """Whether what was left dates from all over the recording after the warm-up."""
    bins = {bisect_right(teeth, allocation.born) for allocation in left}
    if len(bins) < LEAST_SPREAD:
        return False
    births = sorted((a.born - warm) / (end - warm) for a in left)
    return births[0] < 0.5 < births[-1] and births[len(births) // 4] < 0.6


def _usual_age(group: list[Allocation]) -> int:
    """One and a half times the age, in events, that 99 of 100 released blocks did not reach; or 0."""
    ages = sorted(a.died - a.born for a in group if a.died is not None and a.born >= 0)
    return ages[min(len(ages) - 1, len(ages) * 99 // 100)] * 3 // 2 if ages else 0


def _old_at(group: list[Allocation], teeth: Sequence[int], age: int) -> list[int]:
    """The bytes of the group that live at each floor and are older than `age`."""
    change = [0] * (len(teeth) + 1)
    for allocation in group:
        # the state at position t of the curve is the one after event t - 1
        old = allocation.born + age
        if allocation.died is None or allocation.died > old:
            change[bisect_right(teeth, old)] += allocation.size
            if allocation.died is not None:
                change[bisect_right(teeth, allocation.died)] -= allocation.size
    live, total = [], 0
    for step in change[:-1]:
        total += step
        live.append(total)
    return live
