"""The real app as a process, with a data folder of its own and decks made for the tests."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from engine.store import FILE_NAME, Store, open_store
from engine.study.desk import Desk

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class App:
    """`streamlit run` on 127.0.0.1. Killed and started again, it comes back on the same port."""

    def __init__(self, home: Path, script: Path = ROOT / "serve.py", labs: Path | None = None) -> None:
        self.home = home
        self.labs = labs
        self.script = script
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def spawn(self) -> None:
        """Starts the server and does not wait for it."""
        command = [sys.executable, "-m", "streamlit", "run", str(self.script)]
        options = ["--server.headless", "true", "--server.port", str(self.port)]
        log = (self.home / "server.log").open("ab")
        environment = {**os.environ, "BENCHCARDS_HOME": str(self.home)}
        if self.labs is not None:
            environment["BENCHCARDS_LABS"] = str(self.labs)
        with log:
            self.process = subprocess.Popen(
                [*command, *options], cwd=self.script.parent, env=environment, stdout=log, stderr=log
            )

    def start(self) -> None:
        self.spawn()
        self.wait_until_healthy()

    def wait_until_healthy(self) -> None:
        ends = time.monotonic() + START_SECONDS
        while not self.is_healthy():
            assert self.process is not None
            assert self.process.poll() is None, f"the app ended: {self.log()}"
            assert time.monotonic() < ends, f"the app did not come up: {self.log()}"
            time.sleep(0.02)

    def is_healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}_stcore/health", timeout=2) as answer:  # noqa: S310
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def kill(self) -> None:
        """SIGKILL: no chance to tidy up."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process = None

    def log(self) -> str:
        return (self.home / "server.log").read_text(encoding="utf-8", errors="replace")

    def store(self) -> Store:
        """The app's database, opened beside it."""
        return open_store(self.home / FILE_NAME)

    def ratings(self, card_id: str) -> list[int]:
        """The ratings of a card that count, oldest first."""
        store = self.store()
        try:
            return [review.rating for review in Desk(store).history(card_id) if not review.undone]
        finally:
            store.close()
