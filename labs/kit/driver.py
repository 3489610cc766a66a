"""The CUDA driver's own copy, called without torch."""

from __future__ import annotations

import ctypes
import sys
from dataclasses import dataclass
from typing import Any

import torch


class DriverFailed(Exception):
    """The driver answered with an error; the message is its name for it."""


@dataclass(frozen=True, slots=True)
class Driver:
    """The driver's library, used in torch's own context."""

    library: Any

    @classmethod
    def open(cls) -> Driver | None:
        """None where there is no CUDA driver (AMD, a machine without a GPU)."""
        if torch.version.hip or not torch.cuda.is_available():
            return None
        try:
            library = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
        except OSError:  # torch found its driver another way; the copy by hand is left out
            return None
        return cls(library)

    def copy(self, target: torch.Tensor, source: torch.Tensor) -> None:
        """Enqueues cuMemcpyDtoDAsync of all of `source` on the current stream. Raises DriverFailed."""
        self._check(
            self.library.cuMemcpyDtoDAsync_v2(
                ctypes.c_uint64(target.data_ptr()),
                ctypes.c_uint64(source.data_ptr()),
                ctypes.c_size_t(source.nbytes),
                ctypes.c_void_p(torch.cuda.current_stream().cuda_stream),
            )
        )

    def _check(self, code: int) -> None:
        if code == 0:
            return
        name = ctypes.c_char_p()
        self.library.cuGetErrorName(ctypes.c_int(code), ctypes.byref(name))
        raise DriverFailed((name.value or b"CUDA error %d" % code).decode())
