"""The hardware of a machine, by the driver's answers and by the files of the kernel."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine.folders import project_folder
from engine.measure import gpus_amd, gpus_nvidia
from engine.measure.device import Device
from engine.measure.hardware import environment, this_device, this_machine
from engine.measure.processor import this_processor


class Nvml:
    """NVIDIA's library as it answered on a machine with two H200s, and as it fails elsewhere."""

    NVML_CLOCK_MEM = 2

    class NVMLError(Exception):
        pass

    class NVMLError_LibraryNotFound(NVMLError):
        pass

    class NVMLError_DriverNotLoaded(NVMLError):
        pass

    class NVMLError_LibRmVersionMismatch(NVMLError):
        pass

    class NVMLError_NoPermission(NVMLError):
        pass

    def __init__(self, fails: type[Exception] | None = None, unknown: tuple[str, ...] = ()) -> None:
        self.fails = fails
        self.unknown = unknown

    def __getattr__(self, name: str) -> Any:
        answers: dict[str, Any] = {
            "nvmlInit": None,
            "nvmlShutdown": None,
            "nvmlDeviceGetCount": 2,
            "nvmlSystemGetDriverVersion": b"580.159.04",
            "nvmlDeviceGetName": "NVIDIA H200",
            "nvmlDeviceGetMemoryInfo": SimpleNamespace(total=150_754_820_096),
            "nvmlDeviceGetCudaComputeCapability": (9, 0),
            "nvmlDeviceGetNumGpuCores": 132 * 128,
            "nvmlDeviceGetMigMode": (0, 0),
            "nvmlDeviceGetMemoryBusWidth": 6016,
            "nvmlDeviceGetMaxClockInfo": 3201,
        }

        def call(*args: Any) -> Any:
            if name == "nvmlInit" and self.fails:
                raise self.fails
            if name in self.unknown:
                raise self.NVMLError("Not Supported")
            if name == "nvmlDeviceGetHandleByIndex":
                return args[0]
            if name == "nvmlDeviceGetUUID":
                return f"GPU-{args[0]}a{args[0]}b-77"
            return answers[name]

        return call


def test_an_nvidia_gpu_is_known_by_its_driver() -> None:
    (first, second), reason = gpus_nvidia.find({}, Nvml())
    assert reason is None
    assert first == Device(
        type="cuda",
        name="NVIDIA H200",
        vendor="nvidia",
        memory_bytes=150_754_820_096,
        sm_count=132,
        uuid="GPU-0a0b-77",
        driver="580.159.04",
        bus_width_bits=6016,
        memory_clock_mhz=3201,
        capability="9.0",
    )
    assert (first.key, second.key) == ("nvidia-h200-0a0b77", "nvidia-h200-1a1b77")
    assert first.bus_bandwidth == pytest.approx(4.814e12, rel=1e-3)


def test_what_a_gpu_does_not_answer_is_left_out() -> None:
    unknown = ("nvmlDeviceGetMigMode", "nvmlDeviceGetMemoryBusWidth", "nvmlDeviceGetNumGpuCores")
    (first, _), _ = gpus_nvidia.find({}, Nvml(unknown=unknown))
    assert (first.sm_count, first.bus_width_bits, first.bus_bandwidth, first.mig) == (None, None, None, False)
    assert "sm_count" not in first.as_event()


@pytest.mark.parametrize(
    ("setting", "uuids"),
    [
        ("1", ["GPU-1a1b-77"]),
        ("1,0", ["GPU-1a1b-77", "GPU-0a0b-77"]),
        ("0,9,1", ["GPU-0a0b-77"]),
        ("0,0", ["GPU-0a0b-77"]),
        ("GPU-1a", ["GPU-1a1b-77"]),
        ("GPU-", []),
        ("", []),
        ("-1", []),
        ("none", []),
    ],
)
def test_cuda_visible_devices_is_read_as_cuda_reads_it(setting: str, uuids: list[str]) -> None:
    devices, reason = gpus_nvidia.find({"CUDA_VISIBLE_DEVICES": setting}, Nvml())
    assert [device.uuid for device in devices] == uuids
    assert (reason is None) == bool(uuids)


@pytest.mark.parametrize(
    ("fails", "says"),
    [
        (Nvml.NVMLError_LibraryNotFound, "No NVIDIA driver is installed"),
        (Nvml.NVMLError_DriverNotLoaded, "not loaded"),
        (Nvml.NVMLError_LibRmVersionMismatch, "restart this machine"),
        (Nvml.NVMLError_NoPermission, "may not use the GPU"),
        (Nvml.NVMLError, "nvidia-smi"),
    ],
)
def test_a_driver_that_fails_is_a_reason(fails: type[Exception], says: str) -> None:
    devices, reason = gpus_nvidia.find({}, Nvml(fails))
    assert devices == ()
    assert reason is not None
    assert says in reason


def test_a_driver_that_breaks_between_questions_is_a_reason() -> None:
    devices, reason = gpus_nvidia.find({}, Nvml(unknown=("nvmlDeviceGetName",)))
    assert devices == ()
    assert reason is not None
    assert "nvidia-smi" in reason


def amd_files(root: Path) -> None:
    """The files of a machine with one MI300X: node 0 is the CPU."""
    nodes = root / "class/kfd/kfd/topology/nodes"
    for number, properties in enumerate(
        [
            "cpu_cores_count 96\nsimd_count 0\nsimd_per_cu 0\n",
            "simd_count 1216\nsimd_per_cu 4\ndevice_id 29857\ndrm_render_minor 128\n"
            "gfx_target_version 90402\nunique_id 4660\nvendor_id 4098\n",
        ]
    ):
        (nodes / str(number)).mkdir(parents=True)
        (nodes / str(number) / "properties").write_text(properties)
    bank = nodes / "1" / "mem_banks" / "0"
    bank.mkdir(parents=True)
    (bank / "properties").write_text(
        "heap_type 1\nsize_in_bytes 206141652992\nwidth 8192\nmem_clk_max 1300\n"
    )
    cache = nodes / "1" / "caches" / "0"
    cache.mkdir(parents=True)
    (cache / "properties").write_text("level 2\nsize 4096\n")


def test_an_amd_gpu_is_known_by_the_files_of_the_kernel(tmp_path: Path) -> None:
    amd_files(tmp_path)
    (device,), reason = gpus_amd.find({}, tmp_path)
    assert reason is None
    assert (device.name, device.vendor, device.type) == ("AMD Instinct MI300X", "amd", "cuda")
    assert (device.sm_count, device.memory_bytes, device.capability) == (304, 206141652992, "gfx942")
    assert device.l2_bytes == 4 * 1024**2
    assert device.key == "amd-instinct-mi300x-00000000"


def test_an_amd_gpu_can_be_hidden(tmp_path: Path) -> None:
    amd_files(tmp_path)
    devices, reason = gpus_amd.find({"HIP_VISIBLE_DEVICES": ""}, tmp_path)
    assert devices == ()
    assert reason is not None
    assert "HIP_VISIBLE_DEVICES" in reason
    assert len(gpus_amd.find({"HIP_VISIBLE_DEVICES": "0"}, tmp_path)[0]) == 1


def test_a_machine_without_amd_files_has_no_amd_gpu_and_no_reason_to_tell(tmp_path: Path) -> None:
    assert gpus_amd.find({}, tmp_path) == ((), None)


def test_a_processor_is_known_by_the_files_of_the_kernel(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/cpuinfo").write_text("processor : 0\nmodel name\t: AMD  EPYC 9654\n")
    for number, (level, kind, size) in enumerate(
        [(1, "Data", "32K"), (1, "Instruction", "32K"), (2, "Unified", "1024K"), (3, "Unified", "32M")]
    ):
        cache = tmp_path / f"sys/devices/system/cpu/cpu0/cache/index{number}"
        cache.mkdir(parents=True)
        (cache / "level").write_text(f"{level}\n")
        (cache / "type").write_text(f"{kind}\n")
        (cache / "size").write_text(f"{size}\n")
    cpu = this_processor(tmp_path)
    assert (cpu.name, cpu.l2_bytes, cpu.type) == ("AMD EPYC 9654", 32 * 1024**2, "cpu")
    assert cpu.memory_bytes
    assert cpu.sm_count


def test_a_processor_without_files_still_has_a_name(tmp_path: Path) -> None:
    assert this_processor(tmp_path).name


def test_this_machine_is_known_whatever_it_has() -> None:
    machine = this_machine()
    assert (machine.why_no_gpu is None) == bool(machine.gpus)
    assert this_device() == (machine.gpus[0] if machine.gpus else machine.cpu)
    assert {"python", "platform", "torch"} <= set(environment())


def test_the_hardware_is_known_without_torch() -> None:
    script = (
        "import sys; from engine.measure.hardware import environment, this_device; "
        "this_device(); environment(); sys.exit('torch' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], cwd=project_folder(), check=True)
