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


def cards_for(codes: Iterable[str], library: Library, *, language: str, most: int = 5) -> tuple[Card, ...]:
    """The cards that teach these findings, at most so many: for each code its most telling one first, cards
    in the reader's language before others of the same rank."""
    ranks: dict[str, int] = {}
    for code in codes:
        own = [card.id for card in library.by_id.values() if TOPICS.get(code) in card.topics]
        listed = dict.fromkeys((*CARDS.get(code, ()), *(own if code in TOPICS else ())))
        for rank, card_id in enumerate(each for each in listed if each in library.by_id):
            ranks[card_id] = min(rank, ranks.get(card_id, rank))
    found = [library.by_id[card_id] for card_id in ranks]
    found.sort(key=lambda card: (ranks[card.id], card.language != language))
    return tuple(found[:most])
