"""Copies of a large buffer by ways that know nothing of each other, timed by the host's clock: the check on
the copy that every lab is set against, which is torch's and timed by the device."""

from __future__ import annotations

import ctypes
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import torch

from labs.kit.ceilings import large_bytes, noise
from labs.kit.driver import Driver
from labs.kit.lab import DeviceType
from labs.kit.timing import undisturbed
from labs.kit.triton_here import why_no_triton

Copy = Callable[[torch.Tensor, torch.Tensor], object]
"""Copies the second tensor into the first, without waiting for the end on a GPU."""

_WARM_UP, _SAMPLES = 4, 7
_SAMPLE_S = 0.02
_GRAIN = 8192
"""A multiple of this many bytes is copied: what the Triton kernel takes at a time."""


@contextmanager
def independent_ways(device: DeviceType) -> Iterator[Mapping[str, Copy]]:
    """The ways that this device has, by name.

    On a GPU: torch's copy_, a Triton kernel, and the driver's own copy without torch. On a CPU: torch's
    copy_, and NumPy's copy and the C library's memmove, each in as many threads as torch uses.
    """
    if device == "cuda":
        yield _on_gpu()
        return
    threads = torch.get_num_threads()
    with ThreadPoolExecutor(threads) as pool:
        yield _on_cpu(pool, threads)


def measure_way(copy: Copy, device: DeviceType, size: int | None = None, pairs: int = 2) -> float:
    """B/s, read plus written, of copying `size` bytes (what no cache holds); the median of seven samples.

    A sample is a run of copies of about 20 ms between two synchronisations. Raises AssertionError where the
    target isn't the source afterwards.
    """
    size = (large_bytes(device) if size is None else size) // _GRAIN * _GRAIN
    buffers = [(noise(device, size).zero_(), noise(device, size)) for _ in range(pairs)]
    with undisturbed():
        for number in range(_WARM_UP):
            copy(*buffers[number % pairs])
        _wait(device)
        calls = max(pairs, round(_SAMPLE_S / max(_seconds(copy, buffers, device, pairs) / pairs, 1e-6)))
        seconds = statistics.median(_seconds(copy, buffers, device, calls) for _ in range(_SAMPLES))
    for target, source in buffers:
        if not torch.equal(target, source):
            raise AssertionError("a copy that differs from its source")
    return float(2 * buffers[0][0].nbytes * calls / seconds)


def _seconds(
    copy: Copy, buffers: list[tuple[torch.Tensor, torch.Tensor]], device: DeviceType, calls: int
) -> float:
    start = time.perf_counter()
    for number in range(calls):
        copy(*buffers[number % len(buffers)])
    _wait(device)
    return time.perf_counter() - start


def _wait(device: DeviceType) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


def _on_gpu() -> dict[str, Copy]:
    ways: dict[str, Copy] = {"torch": lambda target, source: target.copy_(source)}
    if why_no_triton() is None:
        from labs.kit.sweep_triton import copy

        ways["triton"] = lambda target, source: copy(source, target)
    driver = Driver.open()
    if driver is not None:
        ways["driver"] = driver.copy
    return ways


def _on_cpu(pool: ThreadPoolExecutor, threads: int) -> dict[str, Copy]:
    import numpy

    def in_threads(part: Callable[[torch.Tensor, torch.Tensor], object]) -> Copy:
        def copy(target: torch.Tensor, source: torch.Tensor) -> None:
            for _ in pool.map(part, target.chunk(threads), source.chunk(threads)):
                pass

        return copy

    return {
        "torch": lambda target, source: target.copy_(source),
        "numpy": in_threads(lambda target, source: numpy.copyto(target.numpy(), source.numpy())),
        "memmove": in_threads(
            lambda target, source: ctypes.memmove(target.data_ptr(), source.data_ptr(), source.nbytes)
        ),
    }
