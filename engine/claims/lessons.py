"""Which cards teach what a diagnosis says: from the code of a finding to cards of the decks.

The readers of traces, snapshots and reports know codes and no cards; the decks know cards and no codes. A
learner's own cards are found by their topics.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.study.card import Card, Library

_GAP = ("zh-d11-selftest-gap", "zh-d11-exercise-find-gap", "zh-d11-term-gap")
_OVERHEAD = (
    "zh-d11-selftest-which-bound",
    "zh-d11-selftest-two-cures",
    "vi-q1-torch-compile",
    "zh-d11-selftest-kernel-count",
    "zh-d11-selftest-faster-gpu",
    "vi-exercise-decode-step",
)
_NSYS = ("vi-q3-nsys-live-server",)
_MEMORY = ("vi-q2-oom-sixth-hour",)
_PROFILER = ("zh-d11-misconception-profiler-overhead", "zh-d11-exercise-busy-ratio")
_GRAPHS = ("zh-d11-term-cuda-graph", "zh-d11-term-reduce-overhead", "zh-d11-exercise-reduce-overhead")

CARDS: Mapping[str, tuple[str, ...]] = {
    # a trace
    "overhead_bound": (*_OVERHEAD, *_GAP, *_GRAPHS),
    "gpu_busy": (
        "zh-d11-selftest-which-bound",
        "zh-d11-term-busy-ratio",
        "zh-d11-misconception-util",
        "zh-d11-misconception-kernel-ranking",
        "vi-q5-elementwise-fusion",
    ),
    "cpu_elsewhere": (
        "zh-d11-misconception-slow-gpu",
        "vi-q3-nsys-live-server",
        *_GAP,
        "zh-d11-selftest-which-bound",
    ),
    "slow_launches": ("zh-d11-term-kernel-launch", *_GAP, *_PROFILER),
    "communication_bound": ("zh-d11-selftest-which-bound", "vi-q3-nsys-live-server"),
    "gaps_unexplained": (*_GAP, "zh-d11-term-flow-arrow"),
    "without_gaps": ("zh-d11-misconception-kernel-ranking", "zh-d11-selftest-which-bound"),
    "graphs_leave": _GRAPHS,
    "in_graphs": _GRAPHS,
    "launch_cost": ("zh-d11-selftest-kernel-count", "zh-d11-term-kernel-launch"),
    "compared_time": (
        "zh-d11-selftest-batch",
        "zh-d11-exercise-batch-sweep",
        "zh-d11-misconception-flat-time",
    ),
    "same_time_more_work": ("zh-d11-selftest-batch", "zh-d11-misconception-flat-time"),
    "graphs_now": _GRAPHS,
    "sync_drains": ("zh-d11-term-stream", "zh-d11-misconception-slow-gpu"),
    "profiler_overhead": _PROFILER,
    "profiler_widens": _PROFILER,
    "stacks_recorded": _PROFILER,
    "no_gpu_events": _PROFILER,
    "lost_records": _PROFILER,
    "launched_before_window": (*_NSYS, "zh-d11-term-flow-arrow"),
    "no_cpu_events": ("zh-d11-term-flow-arrow", *_PROFILER),
    # a memory snapshot
    "leak": _MEMORY,
    "fragmentation": _MEMORY,
    "out_of_memory": _MEMORY,
    "sawtooth": _MEMORY,
    "nothing_to_say": _MEMORY,
    "no_history": _MEMORY,
    "no_stacks": _MEMORY,
    # Nsight Systems
    "gaps_small": _NSYS,
    "gaps_api_busy": (*_NSYS, "zh-d11-selftest-two-cures"),
    "gaps_api_quiet": (*_NSYS, "zh-d11-misconception-slow-gpu"),
    "gaps_api_unknown": _NSYS,
    "kernel_bound": (*_NSYS, "zh-d11-selftest-which-bound"),
    "launch_bound": (*_NSYS, "zh-d11-selftest-kernel-count"),
    "host_bound": (*_NSYS, "zh-d11-misconception-slow-gpu"),
    "copies_periodic": _NSYS,
    "copies_irregular": _NSYS,
    "thin_kernels": (*_NSYS, "zh-d11-misconception-kernel-ranking", "vi-q5-elementwise-fusion"),
    "long_kernels": (*_NSYS, "vi-q4-ncu-occupancy"),
    "graphs_as_blocks": (*_NSYS, "zh-d11-term-cuda-graph"),
    # Nsight Compute: the report itself draws no conclusion
    "speed_of_light": ("vi-q4-ncu-occupancy", "vi-q5-elementwise-fusion", "zh-d11-table-layer"),
    # what a person may ask about one thing in a file
    "gap": (*_GAP, "zh-d11-selftest-two-cures", "zh-d11-misconception-slow-gpu"),
}
"""Ids of cards by finding, the most telling first. A code that isn't here has no card of its own."""

TOPICS: Mapping[str, str] = {
    "overhead_bound": "overhead-bound",
    "gpu_busy": "busy-ratio",
    "leak": "memory-leak",
    "fragmentation": "fragmentation",
    "speed_of_light": "nsight-compute",
    "gap": "gap",
}
"""The topic under which a learner's own cards on it are found."""


def cards_for(codes: Iterable[str], library: Library, *, language: str, most: int = 6) -> tuple[Card, ...]:
    """The cards that teach these findings, at most so many. `codes`: the diagnosis first.

    Cards of the first codes come first, and of one code its most telling ones; of those that rank alike the
    ones in the reader's language. A code adds at most two beyond the first one's, so that none crowds the
    others out.
    """
    ranks: dict[str, int] = {}
    for place, code in enumerate(dict.fromkeys(codes)):
        own = [card.id for card in library.by_id.values() if TOPICS.get(code) in card.topics]
        listed = [each for each in dict.fromkeys((*CARDS.get(code, ()), *own)) if each in library.by_id]
        for rank, card_id in enumerate(listed[: most if place == 0 else 2]):
            ranks.setdefault(card_id, place + rank)
    found = [library.by_id[card_id] for card_id in ranks]
    found.sort(key=lambda card: (ranks[card.id], card.language != language))
    return tuple(found[:most])
