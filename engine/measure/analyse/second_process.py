"""Work done beside this process, in a forked copy of it that sees all that was read and answers with a value.

Only for a process that does nothing else: a command, or the process of an analysis. Where there is no second
processor, or the system doesn't fork safely, nothing is started and the caller does the work itself.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable
from types import TracebackType
from typing import ClassVar, Generic, Self, TypeVar

import msgspec

T = TypeVar("T")
_PIPE = 1024 * 1024
"""Bytes that the second process can hand over at once: what any user may have (pipe(7))."""


def can_help() -> bool:
    """Whether a second process would get a processor of its own."""
    # macOS forks too, but its libraries may fail in the copy (Python's documentation, `multiprocessing`,
    # "Contexts and start methods")
    return sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1


class SecondProcess(Generic[T]):
    """Does `work` while this process goes on; its result, of the type `kind`, comes as MessagePack.

    A context: at its end the second process is gone, or has answered and is ending, which takes a while where
    it had much memory.
    """

    _ending: ClassVar[list[int]] = []

    def __init__(self, work: Callable[[], T], kind: type[T]) -> None:
        """Raises OSError where no process can be started."""
        import fcntl  # not everywhere, as forking isn't

        self._ending[:] = [pid for pid in self._ending if not _has_ended(pid)]
        self._decoder = msgspec.msgpack.Decoder(kind)
        self._answered = False
        reading, writing = os.pipe()
        with contextlib.suppress(OSError):  # so much isn't allowed to us: it comes in more pieces
            fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, _PIPE)
        try:
            self._pid = os.fork()
        except OSError:
            os.close(reading)
            os.close(writing)
            raise
        if self._pid == 0:
            _answer(work, writing)
        os.close(writing)
        self._pipe = os.fdopen(reading, "rb", buffering=0)

    def result(self) -> T | None:
        """Waits for it. None where it failed, for whatever reason: then the caller does the work itself."""
        try:
            answer = self._decoder.decode(self._pipe.read())
        except msgspec.DecodeError:  # it ended in the midst of it
            return None
        self._answered = True
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pipe.close()
        if self._answered:
            if not _has_ended(self._pid):
                self._ending.append(self._pid)
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)


def _has_ended(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:  # another one waited for it
        return True


def _answer(work: Callable[[], T], pipe: int) -> None:
    """What the second process does, to its end: nothing of the first one's is flushed, closed or told."""
    code = 1
    try:
        with os.fdopen(pipe, "wb", buffering=0) as out:
            answer = memoryview(msgspec.msgpack.encode(work()))
            while answer:
                answer = answer[out.write(answer) :]
        code = 0
    except BaseException:  # noqa: BLE001  # the first process does the work again, and says what is wrong with it
        code = 1
    finally:
        os._exit(code)
