"""How many blocks fit on a multiprocessor, against what the driver answered on an H200."""

from __future__ import annotations

import pytest

from labs.kit.kernel_resources import Multiprocessor, Resources

H200 = Multiprocessor(registers=65536, shared_bytes=233472, threads=2048, count=132)


@pytest.mark.parametrize(
    ("registers", "threads", "blocks"),
    # cuOccupancyMaxActiveBlocksPerMultiprocessor of the fused kernel in several tilings, driver 580.159
    [(40, 128, 12), (32, 128, 16), (28, 128, 16), (32, 256, 8)],
)
def test_registers_and_threads_limit_the_blocks_as_the_driver_says(
    registers: int, threads: int, blocks: int
) -> None:
    assert Resources(registers, 0, threads, 0).blocks_on(H200) == blocks


def test_shared_memory_limits_them_too() -> None:
    assert Resources(104, 0, 256, 98304).blocks_on(H200) == 2
    assert Resources(104, 0, 256, 98304).register_bytes_on(H200) == 2 * 256 * 104 * 4


def test_a_multiprocessor_has_the_cards_256_kb_of_registers() -> None:
    assert H200.register_bytes == 256 * 1024
