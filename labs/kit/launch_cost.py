"""What one launch costs the CPU, from the driver's call up to a module of Python, with an empty kernel."""

from __future__ import annotations

import ctypes
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch

from labs.kit.lab import DeviceType
from labs.kit.timing import Timing, summarise, undisturbed

_CALLS = 300
"""Launches between two waits: fewer than a stream's queue holds (1024), or the queue would be timed."""
_ROUNDS, _WARM_UP = 25, 3
_PTX = """.version 6.3
.target {target}
.address_size 64
.visible .entry empty() {{ ret; }}
"""
_TARGETS = ("sm_75", "sm_50")


def cpu_times(calls: Mapping[str, Callable[[], object]], device: DeviceType) -> dict[str, Timing]:
    """CPU time of one call of each, never waiting for the GPU in between, without the loop around it.

    They take turns, so that a CPU that changes its pace changes it for all.
    """
    samples: dict[str, list[float]] = {name: [] for name in calls}
    with undisturbed():
        for turn in range(_ROUNDS + _WARM_UP):
            for name, call in calls.items():
                _wait(device)
                start = time.perf_counter()
                for _ in range(_CALLS):
                    call()
                spent = time.perf_counter() - start
                start = time.perf_counter()
                for _ in range(_CALLS):
                    pass
                spent -= time.perf_counter() - start
                if turn >= _WARM_UP:
                    samples[name].append(spent * 1e3 / _CALLS)
    _wait(device)
    return {name: summarise(found, "host") for name, found in samples.items()}


class NoDriver(Exception):
    """The driver can't be called past torch; the text says why."""


@dataclass(frozen=True, slots=True)
class EmptyKernel:
    """An empty kernel in torch's context, and its bare launch through the driver."""

    launch: Callable[[], object]
    nothing: Callable[[], object]
    """A call of a C function with the same arguments that does nothing: what ctypes itself costs."""


def empty_kernel() -> EmptyKernel:
    """Loads an empty kernel by the driver. Raises NoDriver."""
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        driver = ctypes.CDLL(name)
        c_library = ctypes.CDLL("msvcrt.dll" if sys.platform == "win32" else None)
    except OSError as error:
        raise NoDriver(f"{name}: {error}") from error
    torch.cuda.current_stream().synchronize()  # makes torch's context the current one
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    codes = []
    for target in _TARGETS:
        code = driver.cuModuleLoadData(ctypes.byref(module), _PTX.format(target=target).encode() + b"\0")
        codes.append(code)
        if code == 0:
            break
    if codes[-1] != 0:
        raise NoDriver(f"cuModuleLoadData: {codes}")
    code = driver.cuModuleGetFunction(ctypes.byref(function), module, b"empty")
    if code != 0:
        raise NoDriver(f"cuModuleGetFunction: {code}")
    handle = ctypes.c_void_p
    kinds = (handle, *(ctypes.c_uint,) * 7, handle, handle, handle)
    given = (
        function,
        *(ctypes.c_uint(1),) * 6,
        ctypes.c_uint(0),
        handle(torch.cuda.current_stream().cuda_stream),
        handle(None),
        handle(None),
    )
    launch, nothing = driver.cuLaunchKernel, c_library.abs
    launch.argtypes = nothing.argtypes = kinds
    code = launch(*given)
    torch.cuda.synchronize()
    if code != 0:
        raise NoDriver(f"cuLaunchKernel: {code}")
    return EmptyKernel(lambda: launch(*given), lambda: nothing(*given))


@dataclass(frozen=True, slots=True)
class LaunchCost:
    """Microseconds of CPU time of one launch, and what they are made of.

    `operator` is an elementwise operator on one element called from Python, `unlaunched` the same on an empty
    tensor (everything but the launch), `module` a `torch.nn` module around it. `driver` is None without a
    GPU or where the driver can't be called past torch; then `call` stands for it: operator less unlaunched.
    """

    operator: Timing
    unlaunched: Timing
    module: Timing
    linear: Timing
    driver: Timing | None = None
    ctypes: Timing | None = None
    why_no_driver: str = ""

    @property
    def driver_us(self) -> float:
        """The launch itself."""
        if self.driver is None or self.ctypes is None:
            return max(0.0, self.operator.median_ms - self.unlaunched.median_ms) * 1e3
        return max(0.0, self.driver.median_ms - self.ctypes.median_ms) * 1e3

    @property
    def dispatcher_us(self) -> float:
        """Finding the kernel, checking shapes, making the output."""
        return max(0.0, self.operator.median_ms * 1e3 - self.driver_us)

    @property
    def python_us(self) -> float:
        """The interpreter's way through a module's call."""
        return max(0.0, self.module.median_ms - self.operator.median_ms) * 1e3


def launch_cost(device: DeviceType, dtype: torch.dtype) -> LaunchCost:
    """Measures it. On a CPU the operator runs at once: what is timed is the call, there is no launch."""
    one = torch.rand(1, device=device, dtype=dtype)
    none = torch.empty(0, device=device, dtype=dtype)
    row = torch.rand(1, 1, 64, device=device, dtype=dtype)
    module = torch.nn.Tanh()
    linear = torch.nn.Linear(64, 64, bias=False, device=device, dtype=dtype)
    calls: dict[str, Callable[[], object]] = {
        "operator": lambda: torch.tanh(one),
        "unlaunched": lambda: torch.tanh(none),
        "module": lambda: module(one),
        "linear": lambda: linear(row),
    }
    why_not = ""
    if device == "cuda" and not torch.version.hip:
        try:
            kernel = empty_kernel()
            calls |= {"driver": kernel.launch, "ctypes": kernel.nothing}
        except NoDriver as fault:
            why_not = str(fault)
    with torch.no_grad():
        times = cpu_times(calls, device)
    return LaunchCost(**times, why_no_driver=why_not)


@dataclass(frozen=True, slots=True)
class GraphCost:
    """A CUDA graph of `nodes` small kernels. CPU microseconds of one replay, GPU microseconds a kernel."""

    nodes: int
    replay_us: float
    gpu_us_per_kernel: float


def graph_cost(nodes: int = 500) -> GraphCost:
    """The same operator in a CUDA graph: one launch for all, and how closely the GPU runs them."""
    one = torch.rand(1, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(nodes):
            one.neg_()
    graph.replay()
    torch.cuda.synchronize()
    cpu, gpu = [], []
    with undisturbed():
        for _ in range(_ROUNDS):
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            before = time.perf_counter()
            graph.replay()
            cpu.append((time.perf_counter() - before) * 1e6)
            end.record()
            end.synchronize()
            gpu.append(float(start.elapsed_time(end)) * 1e3 / nodes)
    graph.reset()
    return GraphCost(nodes, statistics.median(cpu), statistics.median(gpu))


def _wait(device: DeviceType) -> None:
    if device == "cuda":
        torch.cuda.synchronize()
