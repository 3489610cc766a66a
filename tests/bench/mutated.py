"""500 mutated files of each kind through `python -m engine analyse` and through what the app does with a file
(which writes a trace's timeline too): no traceback, no hang, no code run, and both say the same.

Run: python -m tests.bench.mutated [FILES A KIND]
The files of a kind are read one after the other in one process; one that takes longer than 10 s is a hang:
the process is ended and the next file gets a new one. Exit code 1 where anything was wrong.
"""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

from engine.__main__ import main as engine
from engine.measure.analyse.job import RESULT, TIMELINE
from engine.measure.analyse.job_process import last_word
from engine.measure.analyse.recognise import recognise
from engine.measure.events import Event, Finished
from tests.measure.analyse.mutations import armed_pickles, mutated, replaced
from tests.measure.analyse.samples import KINDS, trace

FILES = 500
LIMIT_S = 10.0
Maker = Callable[[Path], tuple[str, list[bytes]]]


def outcome(path: Path, *, as_json: bool) -> str:
    """answered, refused, or what is wrong; the same by the command and by the app."""
    said = _of_the_command(path, as_json=as_json)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        try:
            word = last_word(path, Path(folder))
        except BaseException as error:  # noqa: BLE001 (whatever comes through would be a traceback)
            return f"TRACEBACK IN THE APP {type(error).__name__}: {error}"
        whole = all((Path(folder) / name).exists() for name in left_by(word, path))
    if said not in ("answered", "refused") or (isinstance(word, Finished) and whole) == (said == "answered"):
        return said
    return f"WRONG the command {said}, the app said {word}"


def left_by(word: Event, path: Path) -> list[str]:
    """The files that an analysis which went well leaves."""
    if not isinstance(word, Finished):
        return []
    return [RESULT, TIMELINE] if recognise(path) == "trace" else [RESULT]


def _of_the_command(path: Path, *, as_json: bool) -> str:
    out, err = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = engine(["analyse", str(path), *(["--json"] if as_json else [])])
    except BaseException as error:  # noqa: BLE001 (whatever comes through would be a traceback)
        return f"TRACEBACK {type(error).__name__}: {error}"
    if code == 0 and out.getvalue() and not err.getvalue():
        return "answered"
    if code == 1 and err.getvalue().startswith(f"{path.name}: ") and not out.getvalue():
        return "refused"
    return f"WRONG exit code {code}: {err.getvalue()[:200]!r}"


def read_all(pipe: Connection, name: str, contents: list[bytes], begin: int) -> None:
    """Analyse the files from number `begin` on and tell each outcome."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        for number in range(begin, len(contents)):
            path.write_bytes(contents[number])
            pipe.send(outcome(path, as_json=number % 2 == 1))


def watched(name: str, contents: list[bytes]) -> tuple[Counter[str], float]:
    """The outcomes, and the longest that a file took in seconds."""
    found: Counter[str] = Counter()
    longest, done = 0.0, 0
    while done < len(contents):
        here, there = multiprocessing.Pipe(duplex=False)
        child = multiprocessing.Process(target=read_all, args=(there, name, contents, done))
        child.start()
        there.close()
        while done < len(contents):
            begun = time.perf_counter()
            if not here.poll(LIMIT_S):
                found[f"HANG file {done}"] += 1
                done += 1
                child.kill()
                break
            try:
                found[here.recv()] += 1
            except EOFError:
                found[f"CRASH file {done}"] += 1
                done += 1
                break
            longest = max(longest, time.perf_counter() - begun)
            done += 1
        child.join()
    return found, longest


def makers(files: int, marker: Path) -> dict[str, Maker]:
    """What makes the files of each kind."""

    def of_sample(kind: str) -> Maker:
        def make(folder: Path) -> tuple[str, list[bytes]]:
            name, _, content = KINDS[kind]
            whole, rng = content(folder), random.Random(f"{kind} bench")
            return name, [mutated(whole, rng) for _ in range(files)]

        return make

    def strange(_: Path) -> tuple[str, list[bytes]]:
        rng = random.Random("strange values")
        return "trace.json", [replaced(trace(), rng) for _ in range(files)]

    def armed(_: Path) -> tuple[str, list[bytes]]:
        rng = random.Random("armed")
        pickles = armed_pickles(marker, rng)
        more = [mutated(rng.choice(pickles), rng) for _ in range(files - len(pickles))]
        return "snapshot.pickle", pickles + more

    return {kind: of_sample(kind) for kind in KINDS} | {
        "trace, strange values": strange,
        "snapshot with code in it": armed,
    }


def main(files: int) -> int:
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        marker = Path(folder) / "code-ran"
        for kind, make in makers(files, marker).items():
            found, longest = watched(*make(Path(folder)))
            good = found.pop("answered", 0), found.pop("refused", 0)
            print(f"{kind:26} {good[0]:4} answered, {good[1]:4} refused, longest {longest:.2f} s", flush=True)
            for what, times in found.items():
                print(f"    {times} x {what}")
            wrong += found.total()
        if marker.exists():
            wrong += 1
            print("    CODE RAN out of a pickle")
    print(f"{wrong} wrong" if wrong else "no traceback, no hang, no code run")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1]) if len(sys.argv) > 1 else FILES))
