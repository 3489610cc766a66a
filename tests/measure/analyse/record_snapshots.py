"""Records snapshots of programs whose illness is known, on a GPU.

`python -m tests.measure.analyse.record_snapshots FOLDER`; the file names say what must be found:
`<program>.<finding>.pickle.gz`. A tool, not a test: a few of its files are the fixtures in `snapshots/`.
"""

from __future__ import annotations

import gc
import gzip
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from engine.folders import project_folder
from labs.kit import memory_plans as plans
from labs.kit.memory_plans import GIB, MIB, Step, Take

SETTINGS = ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF")
EXPANDABLE = "expandable_segments:True"


@dataclass(frozen=True, slots=True)
class Program:
    """A plan under a cap, and the large request that comes last (0: none). Bytes."""

    name: str
    finding: str
    plan: Callable[[], Iterable[Step]]
    cap: int = 8 * GIB
    request: int = 0


def programs(*, expandable: bool) -> list[Program]:
    """The programs of one allocator, of varied sizes and seeds."""
    found = []
    for seed in (6, 7) if expandable else range(5):
        pages = partial(plans.server, seed, block=2 * MIB, weights=(64 + 100 * seed) * MIB)
        longest = 300 + 150 * seed
        busy = {"requests": 40, "tokens": (150, 700), "at_once": 2 + seed}
        found += [
            Program(
                f"server-{seed}", "sawtooth", partial(pages, requests=14 + 5 * seed, tokens=(80, longest))
            ),
            Program(f"batching-{seed}", "sawtooth", partial(pages, **busy)),
            Program(
                f"leak-{seed}", "leak", partial(pages, requests=14 + 5 * seed, tokens=(80, longest), kept=1.0)
            ),
            Program(f"leak-at-times-{seed}", "leak", partial(pages, requests=50, tokens=(80, 500), kept=0.4)),
            Program(f"batching-leak-{seed}", "leak", partial(pages, **busy, kept=0.7)),
        ]
        cap = (2 + seed) * GIB // 2
        small = partial(plans.small_survivors, seed, cap=cap)
        found.append(Program(f"small-survivors-{seed}", "fragmentation", small, cap, cap // 16))
        if seed % 2:
            found.append(Program(f"in-pieces-{seed}", "fragmentation", small, cap))
        large = partial(plans.large_survivors, seed, cap=4 * cap)
        # under expandable segments its pages move, and the request is served
        finding = "nothing_to_say" if expandable else "fragmentation"
        found.append(Program(f"large-survivors-{seed}", finding, large, 4 * cap, cap // 4))
    return found


def record(folder: Path, *, expandable: bool) -> None:
    """Runs the programs in this process, whose allocator is set already."""
    import torch

    from labs.kit.memory_tensors import Tensors

    total = torch.cuda.get_device_properties(0).total_memory
    for program in programs(expandable=expandable):
        torch.cuda.set_per_process_memory_fraction(program.cap / total)
        torch.cuda.memory._record_memory_history("all", context="all", stacks="python", max_entries=200_000)
        tensors = Tensors()
        tensors.run(program.plan())
        served = True
        if program.request:
            try:
                tensors.run([Take(-1, "request", program.request)])
            except torch.OutOfMemoryError:
                served = False
        name = f"{'expandable-' if expandable else ''}{program.name}.{program.finding}.pickle.gz"
        with gzip.open(folder / name, "wb", compresslevel=9) as file:
            pickle.dump(_anywhere(torch.cuda.memory._snapshot()), file)
        torch.cuda.memory._record_memory_history(None)
        tensors.give_all()
        gc.collect()
        torch.cuda.empty_cache()
        print(name, "request", program.request // MIB, "MiB", "served" if served else "failed", flush=True)


def _anywhere(snapshot: dict[str, Any]) -> dict[str, Any]:
    """The snapshot with the project's own calls only, named by their path in it."""
    project = f"{project_folder()}{os.sep}"
    blocks = [block for segment in snapshot["segments"] for block in segment["blocks"]]
    events = [event for trace in snapshot["device_traces"] for event in trace]
    renamed: dict[int, dict[str, Any]] = {}
    for holder in (*snapshot["segments"], *blocks, *events):
        frames = []
        for frame in holder.get("frames", []):
            if frame["filename"].startswith(project):
                short = {**frame, "filename": frame["filename"].removeprefix(project)}
                frames.append(renamed.setdefault(id(frame), short))
        holder["frames"] = frames
    return snapshot


def main(folder: Path) -> None:
    """Records under both allocators, each in a process of its own."""
    if len(sys.argv) > 2:
        record(folder, expandable=sys.argv[2] == "expandable")
        return
    folder.mkdir(parents=True, exist_ok=True)
    plain = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    for kind, settings in (("default", {}), ("expandable", dict.fromkeys(SETTINGS, EXPANDABLE))):
        command = [sys.executable, "-m", __spec__.name, str(folder), kind]
        subprocess.run(command, env={**plain, **settings}, check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
