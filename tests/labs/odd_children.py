"""Children that misbehave, for tests of `labs.kit.event_child`: `python -m tests.labs.odd_children HOW`."""

from __future__ import annotations

import os
import signal
import sys
import time

from engine.measure.events import Metric, to_line
from labs.kit.memory_order import end_with_parent


def main(how: str) -> None:
    """`speaks`, `fails`, `killed`, `stubborn`: says its number first."""
    end_with_parent()
    if how == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print(to_line(Metric("pid", os.getpid(), "")), flush=True)
    print("not an event", flush=True)
    if how == "fails":
        raise SystemExit("the allocator was not there")
    if how == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if how != "speaks":
        time.sleep(600)
    print(to_line(Metric("setting", float("ODD_SETTING" in os.environ), "")), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
