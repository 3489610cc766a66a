"""What a process of `oom_fragmentation` is told to run, and its end with the lab."""

from __future__ import annotations

import json
import os
import sys
import threading
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be run: programs by name, `<pattern>` on tensors or `<pattern>.pool` on pages. Bytes."""

    allocator: str
    programs: tuple[str, ...]
    cap: int
    seed: int
    folder: str

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Order:
        body = json.loads(text)
        return cls(**{**body, "programs": tuple(body["programs"])})


def end_with_parent() -> None:
    """Ends this process at once when its standard input does: the lab is gone, whatever ended it."""
    threading.Thread(target=_wait_for_the_end, daemon=True).start()


def _wait_for_the_end() -> None:
    while os.read(sys.stdin.fileno(), 1024):  # below Python's buffer, whose lock would outlive the thread
        pass
    os._exit(1)
