# ruff: noqa: E501  # a table reads by its columns
"""The rows of `engine.measure.specs`, as the datasheets print them (GB/s, TFLOPS, MiB and GiB)."""

from __future__ import annotations

from typing import NamedTuple

_V100 = "NVIDIA V100 Tensor Core GPU datasheet, 2020"
_TURING = "NVIDIA Turing GPU Architecture whitepaper WP-09183-001, 2018"
_A100 = "NVIDIA A100 Tensor Core GPU datasheet, June 2021"
_GA102 = "NVIDIA Ampere GA102 GPU Architecture whitepaper v2.1, 2021"
_H100 = "NVIDIA H100 Tensor Core GPU datasheet, 2023"
_H200 = "NVIDIA H200 Tensor Core GPU datasheet, 2024"
_ADA = "NVIDIA Ada GPU Architecture whitepaper v2.1, 2023"
_BLACKWELL = "NVIDIA RTX Blackwell GPU Architecture whitepaper v1.1, 2025"
_MI200 = "AMD Instinct MI200 series data sheet, 2021"


class Row(NamedTuple):
    """A GPU. TFLOPS are dense, with FP32 accumulation; `None`: no such unit, or not in the datasheet."""

    key: str
    name: str
    pattern: str
    memory_gib: int
    sms: int
    l2_mib: float
    gbs: float
    bf16: float | None
    fp16: float
    fp8: float | None
    int8: float | None
    source: str
    # the second source: the chip's own arithmetic
    bus_bits: int
    pin_gbps: float
    tensor_flops: int | None
    boost_mhz: int | None
    note: str = ""


# fmt: off
# Columns: key, name, pattern, GiB, multiprocessors, L2 MiB, GB/s, bf16, fp16, fp8, int8, source,
#          bus bits, Gbit/s a pin, FLOP a multiprocessor and clock, boost MHz
ROWS: tuple[Row, ...] = (
    # --- Volta, Turing -------------------------------------------------------------------------------------
    Row("v100-16", "Tesla V100 SXM2 16 GB", r"V100-SXM2(-16GB)?", 16, 80, 6, 900, None, 125, None, None, _V100,
        4096, 1.752, 1024, 1530),
    Row("v100-32", "Tesla V100 SXM2 32 GB", r"V100-SXM[23]-32GB", 32, 80, 6, 900, None, 125, None, None, _V100,
        4096, 1.752, 1024, 1530),
    Row("v100-pcie", "Tesla V100 PCIe 16 GB", r"V100-PCIE-16GB", 16, 80, 6, 900, None, 112, None, None, _V100,
        4096, 1.752, 1024, 1380),
    Row("t4", "Tesla T4", r"T4", 16, 40, 4, 320, None, 65, None, 130,
        "NVIDIA T4 Tensor Core GPU datasheet, 2019", 256, 10.0, 1024, 1590,
        "No bf16 matrix unit: torch computes it without tensor cores. At 70 W it seldom holds its boost clock."),
    Row("rtx-2080-ti", "GeForce RTX 2080 Ti", r"GeForce RTX 2080 Ti", 11, 68, 5.5, 616, None, 53.8, None, 215.2,
        _TURING, 352, 14.0, 512, 1545),
    # --- Ampere --------------------------------------------------------------------------------------------
    Row("a100-40", "A100 40 GB (SXM4 and PCIe)", r"A100-(SXM4|PCIE)-40GB", 40, 108, 40, 1555, 312, 312, None, 624,
        _A100, 5120, 2.430, 2048, 1410),
    Row("a100-80", "A100 SXM4 80 GB", r"A100-SXM4-80GB", 80, 108, 40, 2039, 312, 312, None, 624,
        _A100, 5120, 3.186, 2048, 1410),
    Row("a100-80-pcie", "A100 PCIe 80 GB", r"A100 80GB PCIe|A100-PCIE-80GB", 80, 108, 40, 1935, 312, 312, None,
        624, _A100, 5120, 3.024, 2048, 1410),
    Row("a10", "A10", r"A10", 24, 72, 6, 600, 125, 125, None, 250,
        "NVIDIA A10 Tensor Core GPU datasheet, 2021", 384, 12.5, 1024, 1695),
    Row("a10g", "A10G", r"A10G", 24, 80, 6, 600, 70, 70, None, 140,
        "NVIDIA A10G datasheet, 2021 (AWS G5 instances)", 384, 12.5, 512, 1710),
    Row("a40", "A40", r"A40", 48, 84, 6, 696, 149.7, 149.7, None, 299.3,
        "NVIDIA A40 GPU datasheet, 2022", 384, 14.5, 1024, 1740),
    Row("rtx-a6000", "RTX A6000", r"RTX A6000", 48, 84, 6, 768, 154.8, 154.8, None, 309.7,
        "NVIDIA RTX A6000 datasheet, 2021 (309.7 TFLOPS with sparsity); " + _GA102,
        384, 16.0, 1024, 1800),
    Row("rtx-3090", "GeForce RTX 3090", r"GeForce RTX 3090", 24, 82, 6, 936, 71, 71, None, 284,
        _GA102, 384, 19.5, 512, 1695),
    # --- Ada -----------------------------------------------------------------------------------------------
    Row("l4", "L4", r"L4", 24, 58, 48, 300, 121, 121, 242.5, 242.5,
        "NVIDIA L4 Tensor Core GPU datasheet, 2023", 192, 12.5, 1024, 2040,
        "At 72 W it seldom holds its boost clock."),
    Row("l40", "L40", r"L40", 48, 142, 96, 864, 181.05, 181.05, 362, 362,
        "NVIDIA L40 GPU datasheet, 2023", 384, 18.0, 512, 2490),
    Row("l40s", "L40S", r"L40S", 48, 142, 96, 864, 362.05, 362.05, 733, 733,
        "NVIDIA L40S GPU datasheet, 2023", 384, 18.0, 1024, 2520),
    Row("rtx-6000-ada", "RTX 6000 Ada Generation", r"RTX 6000 Ada Generation", 48, 142, 96, 960, 364.2, 364.2,
        728.5, 728.5, "NVIDIA RTX 6000 Ada Generation datasheet, 2023 (1,457 TFLOPS FP8 with sparsity)",
        384, 20.0, 1024, 2505),
    Row("rtx-4080", "GeForce RTX 4080", r"GeForce RTX 4080", 16, 76, 64, 716.8, 97.5, 97.5, 194.9, 389.9,
        _ADA, 256, 22.4, 512, 2505),
    Row("rtx-4090", "GeForce RTX 4090", r"GeForce RTX 4090", 24, 128, 72, 1008, 165.2, 165.2, 330.3, 660.6,
        _ADA, 384, 21.0, 512, 2520),
    # --- Hopper --------------------------------------------------------------------------------------------
    Row("h100-sxm", "H100 SXM5 80 GB", r"H100 80GB HBM3|H100 SXM5 80GB", 80, 132, 50, 3350, 989.4, 989.4, 1978.9,
        1978.9, _H100, 5120, 5.238, 4096, 1830),
    Row("h100-pcie", "H100 PCIe 80 GB", r"H100 PCIe|H100 80GB HBM2e", 80, 114, 50, 2000, 756, 756, 1513, 1513,
        _H100, 5120, 3.186, 4096, 1620,
        "The datasheet rounds to 2 TB/s; memory clock × bus width gives 2,039 GB/s."),
    Row("h100-nvl", "H100 NVL 94 GB", r"H100 NVL", 94, 132, 60, 3900, 835.5, 835.5, 1670.5, 1670.5,
        "NVIDIA H100 Tensor Core GPU datasheet, 2024", 6016, 5.238, None, None,
        "Its 400 W keep it below what its clock would give."),
    Row("h200", "H200 SXM 141 GB", r"H200", 141, 132, 60, 4800, 989, 989, 1979, 1979,
        _H200, 6016, 6.402, 4096, 1830),
    Row("h200-nvl", "H200 NVL 141 GB", r"H200 NVL", 141, 132, 60, 4800, 835.5, 835.5, 1670.5, 1670.5,
        _H200, 6016, 6.402, None, None, "Its 600 W keep it below what its clock would give."),
    Row("gh200-96", "GH200 96 GB HBM3", r"GH200 (120|480)GB", 96, 132, 60, 4000, 989.4, 989.4, 1978.9, 1978.9,
        "NVIDIA GH200 Grace Hopper Superchip datasheet, 2024 (\"up to\" 4 TB/s)", 6144, 5.238, 4096, 1830),
    # --- Blackwell -----------------------------------------------------------------------------------------
    Row("b200", "B200 180 GB", r"B200", 180, 148, 126.5, 8000, 2250, 2250, 4500, 4500,
        "NVIDIA DGX B200 datasheet, 2024 (64 TB/s and 72 PFLOPS FP8 for eight GPUs, half of it dense)",
        7680, 7.992, 8192, 1860,
        "Newer drivers report a bus of 7,680 bits: 7.67 TB/s (pytorch/ao#4002). NVIDIA prints 8."),
    Row("rtx-5080", "GeForce RTX 5080", r"GeForce RTX 5080", 16, 84, 64, 960, 112.6, 112.6, 225.1, 450.2,
        _BLACKWELL, 256, 30.0, 512, 2617),
    Row("rtx-5090", "GeForce RTX 5090", r"GeForce RTX 5090", 32, 170, 96, 1792, 209.5, 209.5, 419, 838,
        _BLACKWELL, 512, 28.0, 512, 2407),
    # --- AMD -----------------------------------------------------------------------------------------------
    Row("mi100", "Instinct MI100", r"Instinct MI100", 32, 120, 8, 1228.8, 92.3, 184.6, None, 184.6,
        "AMD Instinct MI100 data sheet, 2020", 4096, 2.4, 1024, 1502),
    Row("mi210", "Instinct MI210", r"Instinct MI210", 64, 104, 8, 1638.4, 181.0, 181.0, None, 181.0,
        _MI200, 4096, 3.2, 1024, 1700),
    Row("mi250x", "Instinct MI250X (one of two dies)", r"Instinct MI250X( / MI250)?", 64, 110, 8, 1638.4, 191.5,
        191.5, None, 191.5, _MI200, 4096, 3.2, 1024, 1700,
        "ROCm shows each die as a GPU of its own; the data sheet's figures are for both."),
    Row("mi300x", "Instinct MI300X", r"Instinct MI300X( OAM)?", 192, 304, 256, 5300, 1307.4, 1307.4, 2614.9, 2614.9,
        "AMD Instinct MI300X data sheet, 2023", 8192, 5.2, 2048, 2100,
        "256 MiB Infinity Cache behind 8 × 4 MiB of L2."),
    Row("mi325x", "Instinct MI325X", r"Instinct MI325X( OAM)?", 256, 304, 256, 6000, 1307.4, 1307.4, 2614.9, 2614.9,
        "AMD Instinct MI325X data sheet, 2024", 8192, 6.0, 2048, 2100,
        "256 MiB Infinity Cache behind 8 × 4 MiB of L2."),
    Row("rx-7900-xtx", "Radeon RX 7900 XTX", r"Radeon RX 7900 XTX", 24, 96, 96, 960, 122.8, 122.8, None, 122.8,
        "AMD Radeon RX 7900 XTX product page, 2022", 384, 20.0, 512, 2500),
)
# fmt: on
