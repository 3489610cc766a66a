"""A warm parent: it has imported torch and forks a lab when asked, so that the lab starts at once.

Started by `engine.measure.warm` with one end of a socket pair. It never opens a GPU context (a child forked
from one couldn't use the GPU) and ends when the other end is closed: with the app, whatever ended it. The
labs it forked lead sessions of their own and live on.

A request is a line `{"id", "arguments": […], "events": path, "log": path}`; the answers are
`{"ready": true}`, `{"id", "pid"}` once it runs, and `{"id", "returncode"}` (as `subprocess` counts it).
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import selectors
import signal
import socket
import sys
import traceback
from typing import Any, NoReturn

# What labs import: loaded here, it is there when a lab starts. What is missing fails in the lab, with words.
_MODULES = (
    "torch",
    "transformers",
    "transformers.models.llama.modeling_llama",
    "transformers.cache_utils",
    "labs.__main__",
)


def main() -> None:
    """`python -m labs.worker DESCRIPTOR`: serves until the socket is closed."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    # without it torch asks the CUDA driver whether there is a GPU, and its forks can't use one
    os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"
    _load()
    Server(channel).serve()


def _load() -> None:
    for name in _MODULES:
        try:
            importlib.import_module(name)
        except ImportError as error:
            sys.stderr.write(f"{name}: {error}\n")
    from engine.measure.hardware import environment, this_machine

    this_machine()
    environment()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        sys.exit("The warm parent holds a GPU context: labs are started without it.")
    gc.collect()
    gc.freeze()


class Server:
    """One thread that waits for requests and for the ends of its children."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._rest = b""
        self._runs: dict[int, str] = {}
        self._woken, self._bell = socket.socketpair()

    def serve(self) -> None:
        self._bell.setblocking(False)
        self._woken.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(self._bell.fileno(), warn_on_full_buffer=False)
        waiting = selectors.DefaultSelector()
        waiting.register(self._channel, selectors.EVENT_READ)
        waiting.register(self._woken, selectors.EVENT_READ)
        try:
            self._say(ready=True)
            while True:
                for key, _ in waiting.select():
                    if key.fileobj is self._woken:
                        self._woken.recv(4096)
                        self._reap()
                    elif not self._read():
                        return
        except OSError:  # the app is gone: so is the reason to be here
            return

    def _read(self) -> bool:
        """Serves what has come; False where the other end is closed."""
        data = self._channel.recv(65536)
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._start(json.loads(line))
        return bool(data)

    def _start(self, request: dict[str, Any]) -> None:
        try:
            pid = os.fork()
        except OSError as error:
            self._say(id=request["id"], error=error.strerror or "fork failed")
            return
        if pid == 0:
            self._become(request)
        self._runs[pid] = request["id"]
        self._say(id=request["id"], pid=pid)

    def _become(self, request: dict[str, Any]) -> NoReturn:
        """The child's life. Never returns into the parent's loop."""
        code = 1
        try:
            os.setsid()
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGCHLD, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            for end in (self._channel, self._woken, self._bell):
                end.close()
            _redirect(request["events"], request["log"])
            from labs.__main__ import main as labs_main

            code = labs_main(request["arguments"])
        except BaseException as error:  # noqa: BLE001  # the child must end here, whatever it met
            if isinstance(error, SystemExit):
                code = error.code if isinstance(error.code, int) else 1
            else:
                traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def _reap(self) -> None:
        for pid in list(self._runs):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                self._say(id=self._runs.pop(pid), returncode=os.waitstatus_to_exitcode(status))

    def _say(self, **answer: object) -> None:
        self._channel.sendall(json.dumps(answer).encode() + b"\n")


def _redirect(events: str, log: str) -> None:
    """Standard input from nowhere, output to the files of the run."""
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)
    for descriptor, path in ((1, events), (2, log)):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(file, descriptor)
        os.close(file)


if __name__ == "__main__":
    main()
