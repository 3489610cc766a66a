"""A gap's story in sentences: what it is, what the CPU did meanwhile, two ways to shrink it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app_pages.numbers import joined, number, percent
from app_pages.words import phrase
from engine.measure.analyse.gap_story import GapStory
from engine.measure.analyse.timeline_build import LONGEST_NAME

_UNITS = (("s", 1e9), ("ms", 1e6), ("µs", 1e3))
_FUNCTOR = re.compile(r"(\w+Functor\w*|\w+_kernel_cuda)")
_SHORTEST_OUTSIDE = 0.02
"""Of the gap: less time outside of operators and calls isn't worth a word."""
_LEAST_SHARE = 0.001
"""A smaller share would be rounded to nothing."""
_LIST = {"en": ", ", "vi": ", ", "zh": "，"}


@dataclass(frozen=True, slots=True)
class GapWords:
    """What to say of a gap. `cpu` are sentences, the most telling first."""

    title: str
    what: str
    cpu: tuple[str, ...]
    ways: tuple[str, str]


def duration(ns: int, language: str) -> str:
    """A length of time with three digits in the unit that reads best: 408 µs, 62.3 ms."""
    for sign, size in _UNITS:
        # 999.6 µs would be rounded to 1000: it reads better as 1.00 ms
        if abs(ns) >= 0.9995 * size:
            return joined(number(ns / size, language), sign)
    return joined(number(ns, language), "ns")


def short_name(name: str) -> str:
    """A kernel's name without its namespaces, template arguments and parameters; others as they are.

    `void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, …>(int, …)` becomes
    `vectorized_elementwise_kernel ⟨AddFunctor⟩`: the functor tells such kernels apart.
    """
    signature = name.startswith("void ") or name.endswith((")", ">")) or len(name) >= LONGEST_NAME
    if not signature or name.startswith(("Memcpy", "Memset")):
        return name
    plain = name.removeprefix("void ").replace("(anonymous namespace)::", "")
    head = re.split(r"[<(]", plain, maxsplit=1)[0].strip()
    short = head.rsplit("::", 1)[-1] or head
    functor = _FUNCTOR.search(plain, len(head))
    return f"{short} ⟨{functor[1]}⟩" if functor and "elementwise" in short else short or name


def gap_words(story: GapStory, language: str) -> GapWords:
    """The sentences of a gap in that language."""
    args = _args(story, language)
    title = phrase(
        language,
        "timeline.gap.title",
        rank=story.rank,
        duration=args["duration"],
        share=_share(story.share, language),
        device=story.device,
    )
    what = phrase(language, f"timeline.gap.what.{story.reason}", **args)
    ways = tuple(phrase(language, f"timeline.gap.way{n}.{story.reason}") for n in (1, 2))
    return GapWords(title, what, tuple(_meanwhile(story, args, language)), (ways[0], ways[1]))


def _share(share: float, language: str) -> str:
    return f"<\xa0{percent(_LEAST_SHARE, language)}" if share < _LEAST_SHARE else percent(share, language)


def _args(story: GapStory, language: str) -> dict[str, str]:
    late = story.launch_ns or 0
    args = {
        "duration": duration(story.duration_ns, language),
        "late": duration(max(0, late), language),
        "early": duration(max(0, -late), language),
        "outside": duration(story.outside_ns, language),
        "loading": duration(sum(done.ns for done in story.did if "DataLoader" in done.name), language),
        "call": story.call or "",
        "call_for": duration(story.call_ns or 0, language),
        "thread": story.thread[1] if story.thread else "",
        "before": short_name(story.before or "?"),
        "after": short_name(story.after or "?"),
    }
    for name, done in (("waited", story.waited), ("held_up", story.held_up), ("worked", story.worked)):
        args[name] = done.name if done else ""
        args[f"{name}_for"] = duration(done.ns if done else 0, language)
    return args


def _meanwhile(story: GapStory, args: dict[str, str], language: str) -> list[str]:
    said = []
    if story.call is not None:
        done = [f"{short_name(each.name)} {duration(each.ns, language)}" for each in story.did]
        if not story.did and story.launching_ns:
            time = duration(story.launching_ns, language)
            done.append(phrase(language, "timeline.gap.cpu.launching", time=time))
        if story.outside_ns > _SHORTEST_OUTSIDE * story.duration_ns:
            time = duration(story.outside_ns, language)
            done.append(phrase(language, "timeline.gap.cpu.outside", time=time))
        if done and story.reason not in ("queued", "graph"):
            said.append(phrase(language, "timeline.gap.cpu.did", done=_LIST[language].join(done)))
        when = "late" if (story.launch_ns or 0) >= 0 else "early"
        said.append(phrase(language, f"timeline.gap.cpu.launch_{when}", **args))
        if story.operators:
            inside = " → ".join(dict.fromkeys(short_name(name) for name in story.operators))
            said.append(phrase(language, "timeline.gap.cpu.operators", operators=inside))
        if story.range is not None:
            said.append(phrase(language, "timeline.gap.cpu.range", range=story.range))
    if story.before is not None and story.after is not None:
        said.append(phrase(language, "timeline.gap.cpu.between", **args))
    return said
