"""Runs one lab in this process and reports every end of it as an event."""

from __future__ import annotations

import errno
import faulthandler
import importlib
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NoReturn

from engine.measure.events import FAILURE_CODES, Event, Failed, Finished, Log, Progress, Scalar, Started
from engine.measure.hardware import environment, this_machine
from labs.kit.lab import Bench, DeviceType, Lab, LabFailed
from labs.kit.placing import Wanted, choose, needs_gpu, try_gpu
from labs.kit.streams import StreamBroken

_HARD_STOP_S = 10
"""A lab stuck in C code past its time limit can't be told: it is ended this long after."""


class _Cancelled(BaseException):
    pass


class _TimedOut(BaseException):
    pass


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be run. `params` holds a value for every lever."""

    lab: Lab
    params: Mapping[str, Scalar]
    wanted: Wanted
    artifacts: Path


def run_lab(order: Order, emit: Callable[[Event], None]) -> Finished | Failed:
    """Runs the lab; its last event is returned and has been emitted.

    An unexpected error is `crashed`, with the traceback as a log event before it. Raises StreamBroken where
    the events can't be written. SIGTERM and Ctrl+C end it as `cancelled`.
    """
    started = time.monotonic()
    emitted: Finished | Failed
    try:
        with _interruptions(order.lab.time_limit_s):
            device = _place(order, emit)
            order.artifacts.mkdir(parents=True, exist_ok=True)
            order.lab.run(Bench(device=device, params=order.params, emit=emit, artifacts=order.artifacts))
        emitted = Finished(seconds=round(time.monotonic() - started, 3))
    except StreamBroken:
        raise
    except BaseException as error:  # noqa: BLE001  # whatever a lab raises ends the run, told as an event
        emitted = _failure(error, order)
        if emitted.code in ("crashed", "out_of_memory"):
            emit(Log(text="".join(traceback.format_exception(error)).strip()[-20_000:]))
    emit(emitted)
    return emitted


def _place(order: Order, emit: Callable[[Event], None]) -> DeviceType:
    """Says `started`, loads torch, and makes sure that the device works."""
    # NVML and CUDA count GPUs alike only in this order
    os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    lab, machine = order.lab, this_machine()
    device = "cpu" if order.wanted == "cpu" or not machine.gpus else "cuda"
    try:
        device = choose(lab, order.wanted, machine)
    finally:  # a run that can't start says so after `started`, like any other
        _say_started(order, device, emit)
    if not lab.uses_torch:
        return device
    emit(Progress(done=0, total=0, label="loading_torch"))
    torch = importlib.import_module("torch")
    if device == "cpu":
        return device
    emit(Progress(done=0, total=0, label="starting_gpu"))
    reason = try_gpu(torch)
    if reason is None:
        return device
    if order.wanted == "cuda" or "cpu" not in lab.devices:
        raise LabFailed("needs_gpu", needs_gpu(lab, reason))
    emit(Log(text=f"{reason} The lab runs on the CPU."))
    _say_started(order, "cpu", emit)
    return "cpu"


def _say_started(order: Order, device: str, emit: Callable[[Event], None]) -> None:
    machine = this_machine()
    place = machine.gpus[0] if device == "cuda" and machine.gpus else machine.cpu
    emit(
        Started(
            lab=order.lab.name,
            params=dict(order.params),
            environment={**environment(), "device": place.as_event()},
        )
    )


@contextmanager
def _interruptions(time_limit_s: int) -> Iterator[None]:
    """SIGTERM and the time limit reach the lab as exceptions; a crash in C leaves its stack in the log."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    faulthandler.enable(file=2)
    faulthandler.dump_traceback_later(time_limit_s + _HARD_STOP_S, exit=True, file=2)
    earlier = signal.signal(signal.SIGTERM, _cancel)
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _time_out)
        signal.setitimer(signal.ITIMER_REAL, time_limit_s)
    try:
        yield
    finally:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()
        signal.signal(signal.SIGTERM, earlier)


def _cancel(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough: let it clean up
    raise _Cancelled


def _time_out(number: int, frame: FrameType | None) -> NoReturn:
    raise _TimedOut


def _failure(error: BaseException, order: Order) -> Failed:
    if isinstance(error, LabFailed):
        for code in FAILURE_CODES:
            if error.code == code:
                return Failed(code=code, message=error.message)
        return Failed(code="crashed", message=f"{error.message} (with the unknown code {error.code})")
    if isinstance(error, _Cancelled | KeyboardInterrupt):
        return Failed(code="cancelled", message="The run was cancelled.")
    if isinstance(error, _TimedOut):
        limit = order.lab.time_limit_s
        return Failed(
            code="timeout", message=f"{order.lab.name} took longer than its limit of {limit} s and was ended."
        )
    for cause in _chain(error):
        if _is_out_of_memory(cause):
            return Failed(
                code="out_of_memory",
                message=f"Memory ran out: {_line(cause)}. Choose a smaller size or model, or end what else "
                "uses the memory.",
            )
        if isinstance(cause, ModuleNotFoundError) and cause.name:  # a library's own, wrapped, names none
            return Failed(
                code="needs_tool",
                message=f"The Python package {cause.name} is missing: install it into this environment.",
            )
        if isinstance(cause, OSError) and cause.errno == errno.ENOSPC:
            place = cause.filename or order.artifacts
            return Failed(code="crashed", message=f"The disk is full ({place}): free some space.")
        if isinstance(cause, PermissionError):
            return Failed(code="permission", message=f"Not allowed: {_line(cause)}")
    return Failed(
        code="crashed", message=f"The lab stopped on an error: {type(error).__name__}: {_line(error)}"
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what caused it (the compiler wraps an out-of-memory in errors of its own)."""
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield cause
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)


def _is_out_of_memory(error: BaseException) -> bool:
    if isinstance(error, MemoryError):
        return True
    torch_error = getattr(sys.modules.get("torch"), "OutOfMemoryError", None)
    if torch_error is not None and isinstance(error, torch_error):
        return True
    text = str(error)
    # what torch's CPU allocator and cuBLAS say, as plain RuntimeErrors
    signs = ("DefaultCPUAllocator", "CUBLAS_STATUS_ALLOC_FAILED", "CUDA out of memory", "HIP out of memory")
    return isinstance(error, RuntimeError) and any(sign in text for sign in signs)


def _line(error: BaseException) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:500].rstrip(".")
