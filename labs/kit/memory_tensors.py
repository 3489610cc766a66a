"""Takes and gives memory as tensors. Each purpose has a line of its own, so that a snapshot can name it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch

from labs.kit.memory_plans import Purpose, Step, Take


class Tensors:
    """The tensors that a program holds, of bytes, on the GPU."""

    def __init__(self) -> None:
        self._held: dict[int, torch.Tensor] = {}
        self._history: list[torch.Tensor] = []

    def run(self, steps: Iterable[Step]) -> None:
        """Raises torch.OutOfMemoryError where the allocator gives up."""
        for step in steps:
            if not isinstance(step, Take):
                del self._held[step.key]
            elif step.purpose == "result":
                self.remember_result(step.size)
            else:
                self._held[step.key] = _LINES[step.purpose](step.size)

    def remember_result(self, size: int) -> None:
        """The leak: nothing ever takes a result out of the history again."""
        self._history.append(torch.empty(size, dtype=torch.uint8, device="cuda"))

    def give_all(self) -> None:
        self._held.clear()
        self._history.clear()


def load_weights(size: int) -> torch.Tensor:
    return torch.empty(size, dtype=torch.uint8, device="cuda")


def append_to_kv_cache(size: int) -> torch.Tensor:
    return torch.empty(size, dtype=torch.uint8, device="cuda")


def prefill_activations(size: int) -> torch.Tensor:
    return torch.empty(size, dtype=torch.uint8, device="cuda")


def temporary_memory(size: int) -> torch.Tensor:
    return torch.empty(size, dtype=torch.uint8, device="cuda")


def session_state(size: int) -> torch.Tensor:
    return torch.empty(size, dtype=torch.uint8, device="cuda")


def long_prompt_cache(size: int) -> torch.Tensor:
    return torch.empty(size, dtype=torch.uint8, device="cuda")


def chat_cache(size: int) -> torch.Tensor:
    return torch.empty(size, dtype=torch.uint8, device="cuda")


def serve_large_request(size: int) -> torch.Tensor:
    return torch.empty(size, dtype=torch.uint8, device="cuda")


_LINES: dict[Purpose, Callable[[int], torch.Tensor]] = {
    "weights": load_weights,
    "kv": append_to_kv_cache,
    "prefill": prefill_activations,
    "temporary": temporary_memory,
    "session": session_state,
    "long_prompt": long_prompt_cache,
    "chat": chat_cache,
    "request": serve_large_request,
}
