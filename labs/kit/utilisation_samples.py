"""What the driver calls utilisation, sampled over seconds (NVML), as nvidia-smi shows it."""

from __future__ import annotations

import importlib
import threading
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import torch

PERIOD_S = 0.2
"""NVML's own sampling period lies between 1/6 s and 1 s by product (NVML API reference,
nvmlUtilization_t); asking more often gives the same answer again."""


class NoUtilisation(Exception):
    """NVML doesn't say how used the GPU is; the text says why."""


@dataclass(slots=True)
class UtilisationWatch:
    """Reads the utilisation of torch's current GPU while the block lasts, in a thread of its own."""

    percent: list[int] = field(default_factory=list)
    fault: str | None = None
    _nvml: Any = None
    _handle: Any = None
    _end: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    @classmethod
    def open(cls) -> UtilisationWatch:
        """Raises NoUtilisation where there is no driver, no package, a MIG slice or another vendor's GPU."""
        if torch.version.hip:
            raise NoUtilisation("An AMD GPU has no NVML: this is about NVIDIA's number.")
        try:
            nvml = importlib.import_module("pynvml")
        except ImportError as error:
            raise NoUtilisation("The package nvidia-ml-py is missing: install requirements.txt.") from error
        try:
            nvml.nvmlInit()
            uuid = str(torch.cuda.get_device_properties(torch.cuda.current_device()).uuid)
            handle = nvml.nvmlDeviceGetHandleByUUID(uuid if uuid.startswith("GPU-") else f"GPU-{uuid}")
            nvml.nvmlDeviceGetUtilizationRates(handle)
        except nvml.NVMLError as error:
            raise NoUtilisation(
                f"The driver doesn't say how used this GPU is ({error}): a MIG slice or a virtual GPU has no "
                "such number. Run it on a whole GPU."
            ) from error
        return cls(_nvml=nvml, _handle=handle)

    def __enter__(self) -> UtilisationWatch:
        self.percent.clear()
        self._end.clear()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end.set()
        if self._thread:
            self._thread.join()
        if kind is None and not self.percent:
            raise NoUtilisation(f"The driver stopped saying how used the GPU is ({self.fault}).")

    def _sample(self) -> None:
        nvml = self._nvml
        while not self._end.wait(PERIOD_S):
            try:
                self.percent.append(int(nvml.nvmlDeviceGetUtilizationRates(self._handle).gpu))
            except nvml.NVMLError as error:  # told when the block ends: a thread can't raise for its maker
                self.fault = str(error)
