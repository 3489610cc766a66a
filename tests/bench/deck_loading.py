"""Loading 2,000 cards, cold and warm, against plain `yaml.safe_load` of the same files.

Run: python -m tests.bench.deck_loading
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import yaml

from engine.study.card import Library
from engine.study.library import load_library
from engine.study.search.index import SearchIndex
from tests.study.decks import GOOD

ROOT = Path(__file__).resolve().parents[2]
DECKS, CARDS_EACH = 10, 200


def write_decks(folder: Path) -> int:
    """Ten decks of 200 cards each, with code, Vietnamese, claims and follow-ups. Returns their bytes."""
    header, _, cards = GOOD.partition("cards:\n")
    card = cards[: cards.index("  - id: second-card")]
    size = 0
    for deck in range(DECKS):
        body = "".join(
            card.replace("first-card", f"card-{deck}-{number}").replace("slow?", f"slow, {number}?")
            for number in range(CARDS_EACH)
        )
        text = header.replace("good-deck", f"deck-{deck}") + "cards:\n" + body
        (folder / f"deck-{deck:02}.yaml").write_text(text, encoding="utf-8")
        size += len(text.encode("utf-8"))
    return size


def median_ms(work: Callable[[], object], repeat: int = 5) -> float:
    work()
    samples = []
    for _ in range(repeat):
        begun = time.perf_counter()
        work()
        samples.append((time.perf_counter() - begun) * 1e3)
    return statistics.median(samples)


def process_ms(code: str, *words: Path, repeat: int = 5) -> float:
    """A fresh interpreter doing `code`, less an empty one: what a start of the app pays, imports included."""

    def run(program: str) -> Callable[[], object]:
        command = [sys.executable, "-c", program, *map(str, words)]
        return lambda: subprocess.run(command, cwd=ROOT, check=True)

    return median_ms(run(code), repeat) - median_ms(run("pass"), repeat)


_LOAD = (
    "import sys\nfrom pathlib import Path\nfrom engine.study.library import load_library\n"
    "load_library([Path(sys.argv[1])], lab_names=None, cache={cache})\n"
)
_PLAIN = (
    "import sys, yaml\nfrom pathlib import Path\n"
    "[yaml.load(p.read_bytes(), yaml.{loader}) for p in Path(sys.argv[1]).glob('*.yaml')]\n"
)


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder, cache = Path(temporary) / "decks", Path(temporary) / "cache"
        folder.mkdir()
        size = write_decks(folder)
        texts = [path.read_bytes() for path in sorted(folder.glob("*.yaml"))]
        print(
            f"{DECKS * CARDS_EACH} cards in {DECKS} decks, {size / 1e6:.1f} MB; median of 5 (baseline: 1)\n"
        )

        def load(kept: Path | None) -> Library:
            return load_library([folder], lab_names=None, cache=kept)

        library = load(cache)
        assert len(library.by_id) == DECKS * CARDS_EACH, library.faults
        baseline = median_ms(lambda: [yaml.safe_load(text) for text in texts], repeat=1)
        rows = [
            ("yaml.safe_load (baseline)", baseline),
            (
                "yaml.load with libyaml's loader",
                median_ms(lambda: [yaml.load(t, yaml.CSafeLoader) for t in texts]),
            ),
            ("load_library, cold (checked, with lines)", median_ms(lambda: load(None))),
            ("load_library, warm", median_ms(lambda: load(cache))),
        ]
        _table("in a running process", rows, baseline)
        plain = process_ms(_PLAIN.format(loader="SafeLoader"), folder, repeat=1)
        rows = [
            ("yaml.safe_load (baseline)", plain),
            ("yaml.load with libyaml's loader", process_ms(_PLAIN.format(loader="CSafeLoader"), folder)),
            ("load_library, cold", process_ms(_LOAD.format(cache="None"), folder)),
            ("load_library, warm", process_ms(_LOAD.format(cache="Path(sys.argv[2])"), folder, cache)),
        ]
        _table("in a fresh process, imports included", rows, plain)
        index = SearchIndex(library)
        print(
            f"search: index of all cards {median_ms(lambda: SearchIndex(library).prepare()):.0f} ms, ", end=""
        )
        print(f"one query of two words {median_ms(lambda: index.find('duong bandwidth')):.1f} ms")


def _table(title: str, rows: list[tuple[str, float]], baseline: float) -> None:
    print(title)
    for name, milliseconds in rows:
        print(f"  {name:<42} {milliseconds:8.0f} ms   {milliseconds / baseline:6.3f} × baseline")
    print()


if __name__ == "__main__":
    main()
