"""A small decode server, as a program of its own for a profiler to watch: a front, and a worker with the GPU.

The front starts the worker by `spawn`, asks for requests, and waits for tokens; the worker loads a model,
prefills, and decodes in four ways, each in a named range. Only the window is between the profiler's start
and stop: the steps after warm-up. `python -m labs.kit.decode_server --help` lists what it takes.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal

SERVERS = ("graph", "eager", "waiting", "copying")
"""graph: a CUDA graph a step. eager: kernel by kernel. waiting: a graph, then work of the CPU alone.
copying: a graph, and the scores of the whole vocabulary go to the CPU, which chooses the token."""
PROMPT, ROOM = 512, 1024
TRACE = ".trace.json.gz"
"""What the name of the trace of torch's profiler has behind that of the answer file."""
WARM_STEPS = 5
_PATIENCE_S = 120
"""For the worker's end: torch's profiler takes its time to write a trace."""
_WORDS = 20_000
Window = Literal["none", "cuda", "torch"]


@dataclass(frozen=True, slots=True)
class Wish:
    """What the server is to do. `whole`: the profiler runs from the start on, model load included."""

    model: str
    steps: int
    servers: tuple[str, ...]
    window: Window
    whole: bool
    out: str


@dataclass(frozen=True, slots=True)
class Told:
    """What the worker says of itself; times in milliseconds, the median of the steps."""

    load_s: float
    weight_bytes: int
    plain_ms: dict[str, float]
    watched_ms: dict[str, float]


def main(arguments: Sequence[str] | None = None) -> None:
    """The front."""
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--steps", type=int, default=64)
    parser.add_argument("--servers", default=",".join(SERVERS))
    parser.add_argument("--window", choices=("none", "cuda", "torch"), default="none")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--out", required=True)
    chosen = parser.parse_args(arguments)
    wish = Wish(
        model=chosen.model,
        steps=chosen.steps,
        servers=tuple(chosen.servers.split(",")),
        window=chosen.window,
        whole=chosen.whole,
        out=chosen.out,
    )
    # a worker that was forked from a process nsys watches is lost to it: spawn starts a program anew
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    worker = context.Process(target=_work, args=(wish, theirs))
    worker.start()
    theirs.close()
    try:
        for _ in _requests(ours, wish):
            pass
    finally:
        worker.join(_PATIENCE_S)
        if worker.is_alive():
            worker.terminate()
            worker.join()
    if worker.exitcode:
        raise SystemExit(f"The worker ended with {worker.exitcode}.")


def _requests(pipe: Connection, wish: Wish) -> Iterator[int]:
    """Sends the requests one after the other; yields the tokens that come back."""
    for server in wish.servers:
        pipe.send(server)
        while (token := pipe.recv()) is not None:
            yield token
    pipe.send(None)


def _work(wish: Wish, pipe: Connection) -> None:
    """The worker's life: load, warm up, and answer each request once plain and once in the window."""
    import torch

    from labs.kit import tiny_decoder
    from labs.kit.models import SHAPES

    watch = _Watch(torch, wish)
    if wish.whole:
        watch.begin()
    started = time.perf_counter()
    with named("load"):
        decoder = tiny_decoder.load(SHAPES[wish.model], ROOM)
        torch.cuda.synchronize()
    load_s = time.perf_counter() - started
    worker = _Worker(torch, decoder)
    worker.prefill()
    with named("capture"):
        decoder.capture()
        torch.cuda.synchronize()
    plain = {}
    if not wish.whole:
        for server in wish.servers:
            worker.warm(server)
            plain[server] = worker.answer(server, wish.steps)
        watch.begin()
    with named("window"):
        worker.prefill()
        watched = {server: _serve(worker, pipe, wish.steps) for server in wish.servers}
    watch.end()
    told = Told(load_s, decoder.weight_bytes, plain, watched)
    Path(wish.out).write_text(json.dumps(asdict(told)), encoding="utf-8")


def _serve(worker: _Worker, pipe: Connection, steps: int) -> float:
    server = pipe.recv()
    worker.warm(server)
    median = worker.answer(server, steps, pipe.send)
    pipe.send(None)
    return median


class _Worker:
    """Answers requests on the decoder it holds."""

    def __init__(self, torch: Any, decoder: Any) -> None:
        self._torch = torch
        self._decoder = decoder
        self._token = torch.empty(1, dtype=torch.int64, pin_memory=True)
        self._scores = torch.empty_like(decoder.logits, device="cpu").pin_memory()
        self._ways = {
            "graph": self._graph,
            "eager": self._eager,
            "waiting": self._waiting,
            "copying": self._copying,
        }
        self._words = [f"word{number}" for number in range(_WORDS)]

    def prefill(self) -> None:
        torch = self._torch
        prompt = torch.randint(0, self._decoder.shape.vocabulary, (PROMPT,), pin_memory=True)
        with named("prefill"):
            self._decoder.prefill(prompt.cuda(non_blocking=True))
            torch.cuda.synchronize()

    def warm(self, server: str) -> None:
        """A few steps whose time doesn't count."""
        self._decoder.position.fill_(PROMPT)
        for _ in range(WARM_STEPS):
            self._ways[server]()

    def answer(self, server: str, steps: int, send: Callable[[int], None] | None = None) -> float:
        """Decodes `steps` tokens in the server's way; the median time of a step in milliseconds."""
        step, times = self._ways[server], []
        self._decoder.position.fill_(PROMPT)
        self._torch.cuda.synchronize()
        with named(f"decode:{server}"):
            for _ in range(steps):
                started = time.perf_counter()
                with named("step"):
                    token = step()
                times.append(time.perf_counter() - started)
                if send is not None:
                    send(token)
        return sorted(times)[len(times) // 2] * 1e3

    def _graph(self) -> int:
        self._decoder.replay()
        return self._fetch()

    def _eager(self) -> int:
        self._decoder.step()
        return self._fetch()

    def _waiting(self) -> int:
        self._decoder.replay()
        token = self._fetch()
        # stands for what servers do between steps: scheduling, turning tokens into text
        text = " ".join(word.upper() for word in self._words)
        return token if text else 0

    def _copying(self) -> int:
        self._decoder.replay()
        self._scores.copy_(self._decoder.logits, non_blocking=True)
        self._torch.cuda.current_stream().synchronize()
        self._token.copy_(self._scores.argmax(-1))
        self._decoder.token.copy_(self._token, non_blocking=True)
        return int(self._token[0])

    def _fetch(self) -> int:
        """The token, on its way to the client."""
        self._token.copy_(self._decoder.token, non_blocking=True)
        self._torch.cuda.current_stream().synchronize()
        return int(self._token[0])


@contextmanager
def named(name: str) -> Iterator[None]:
    """A range of that name, for nsys (NVTX) and for torch's profiler."""
    import torch

    with torch.profiler.record_function(name), torch.cuda.nvtx.range(name):
        yield


class _Watch:
    """The profiler's window: nsys is told by the CUDA profiler's start and stop, torch's runs in here."""

    def __init__(self, torch: Any, wish: Wish) -> None:
        self._torch = torch
        self._wish = wish
        self._profiler: Any = None

    def begin(self) -> None:
        torch = self._torch
        if self._wish.window == "cuda":
            torch.cuda.synchronize()
            torch.cuda.profiler.start()
        elif self._wish.window == "torch":
            activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
            self._profiler = torch.profiler.profile(activities=activities, acc_events=True)
            self._profiler.__enter__()

    def end(self) -> None:
        torch = self._torch
        torch.cuda.synchronize()
        if self._wish.window == "cuda":
            torch.cuda.profiler.stop()
        elif self._profiler is not None:
            self._profiler.__exit__(None, None, None)
            self._profiler.export_chrome_trace(f"{self._wish.out}{TRACE}")


if __name__ == "__main__":
    main()
