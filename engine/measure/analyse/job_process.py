"""The process that reads one file for `jobs.Analyses`, called with the file and the folder of its analysis.

Speaks the lab events on standard output: what the file is, how far it is, and the last word. Writes what it
found into the folder. Ends with all that it started when its standard input closes: the app has gone.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from engine.faults import Value, os_why
from engine.measure.analyse import job
from engine.measure.analyse.errors import NeedsTool, UnreadableFile
from engine.measure.analyse.recognise import EXPORTS, analyse_file, recognise
from engine.measure.events import Event, Failed, FailureCode, Finding, Finished, Progress, to_line

_NICE = 5
"""The app's own processes come first."""
_OOM_SCORE = "700"
"""Out of 1000: where memory runs out, this process is ended and not the app (proc(5), oom_score_adj)."""


def main(file: Path, folder: Path) -> Event:
    """Reads and analyses the file. Returns the last word."""
    began = time.monotonic()
    kind = recognise(file)
    say(Finding(job.KIND, {"kind": EXPORTS[kind][0] if kind in EXPORTS else kind}))
    shown = _trace(file, folder) if kind == "trace" else analyse_file(file, say).to_json()
    part = folder / f"{job.RESULT}.part"
    # a name may hold what is no valid text: "?" in its place, as on a terminal
    text = json.dumps(shown, ensure_ascii=False, allow_nan=False)
    part.write_text(text, encoding="utf-8", errors="replace")
    os.replace(part, folder / job.RESULT)
    return Finished(time.monotonic() - began)


def _trace(file: Path, folder: Path) -> dict[str, Any]:
    """The analysis of a trace, and beside it what its drawing needs: the file is read once for both."""
    # the readers of the other kinds do without
    from engine.measure.analyse.timeline import write_timeline
    from engine.measure.analyse.trace import analyse
    from engine.measure.analyse.trace_reading import read_chrome_trace

    trace = read_chrome_trace(file, say, helped=True)
    _kept.append(trace)
    say(Progress(0, 0, "analysing"))
    shown = analyse(trace).to_json()
    say(Progress(0, 0, "drawing"))
    write_timeline(trace, folder / job.TIMELINE)
    return shown


_kept: list[object] = []
"""What was read, to the end of the process: giving millions of objects back one by one takes seconds."""


def say(event: Event) -> None:
    sys.stdout.write(to_line(event) + "\n")
    sys.stdout.flush()


def last_word(file: Path, folder: Path) -> Event:
    """The same, whatever happens."""
    try:
        return main(file, folder)
    except NeedsTool as error:
        return _failed("needs_tool", error)
    except UnreadableFile as error:
        return _failed("unsupported", error)
    except MemoryError:
        short = UnreadableFile(f"{file.name}: there is not enough memory to read it.")
        return _failed("out_of_memory", short.because("no_memory", name=file.name))
    except OSError as error:
        place = str(error.filename or folder)
        failed = UnreadableFile(f"{file.name}: {error.strerror} ({place}).")
        return _failed("crashed", failed.because("failed_at", name=file.name, why=os_why(error), place=place))


def _failed(code: FailureCode, error: UnreadableFile) -> Failed:
    """The last word, after the reason for those who word it in another language."""
    if error.why is not None:
        args = {name: _text(value) for name, value in error.why.args.items()}
        say(Finding(job.REFUSED, {**args, "code": error.why.code}))
    return Failed(code, str(_text(str(error))))


def _text(value: Value) -> Value:
    """A name may hold what is no valid text: "?" in its place, as on a terminal."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _step_back() -> None:
    """Leaves the processor and the memory to the app where they are short."""
    if hasattr(os, "nice"):
        os.nice(_NICE)
    with contextlib.suppress(OSError):  # not Linux
        Path("/proc/self/oom_score_adj").write_text(_OOM_SCORE, encoding="ascii")


def _keep_scratch_in(folder: Path) -> None:
    """An export may be large, and this process may be ended: what it leaves goes with the analysis."""
    folder.mkdir(exist_ok=True)
    tempfile.tempdir = str(folder)


def _end_with_the_app() -> None:
    """Waits until standard input closes, then ends this process and what it started."""
    while os.read(sys.stdin.fileno(), 4096):
        pass
    if hasattr(os, "killpg") and os.getpgid(0) == os.getpid():  # else the group is somebody's shell
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":
    _step_back()
    _keep_scratch_in(Path(sys.argv[2]) / job.SCRATCH)
    threading.Thread(target=_end_with_the_app, daemon=True).start()
    # what is read is kept to the end, in millions of objects without a cycle
    gc.disable()
    say(last_word(Path(sys.argv[1]), Path(sys.argv[2])))
    os._exit(0)
