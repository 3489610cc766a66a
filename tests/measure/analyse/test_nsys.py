"""The three readings of Nsight Systems' exports: gaps, cadence, copies."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from engine.measure.analyse.errors import UnreadableFile
from engine.measure.analyse.nsys import NsysAnalysis, analyse_nsys
from engine.measure.analyse.nsys_csv import read_nsys_csv
from engine.measure.analyse.nsys_sqlite import read_nsys_sqlite
from engine.measure.events import Finding
from tests.measure.analyse.nsys_export import LAUNCH, OLD_SCHEMA, Export, decode
from tests.real_files import real_file

GPU_TRACE = (
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),"
    "Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n"
)


def named(analysis: NsysAnalysis) -> dict[str, Finding]:
    return {finding.code: finding for finding in analysis.findings}


def test_dense_thin_launches_are_launch_bound_under_a_busy_api_row(tmp_path: Path) -> None:
    path = decode(30, cost=6000, kernel=2000).write(tmp_path / "a.sqlite")
    found = named(analyse_nsys(path))
    assert found["gaps_api_busy"].args["call"] == "cudaLaunchKernel"
    cadence = found["launch_bound"].args
    assert (cadence["kernels"], cadence["launches"]) == (1200, 1200)
    assert (cadence["kernel_p50_us"], cadence["launch_p50_us"]) == (2.0, 6.0)


def test_launches_in_close_succession_make_a_busy_row_though_python_runs_between_them(tmp_path: Path) -> None:
    export = Export()
    for number in range(400):
        # an eager step as torch's profiler sees it: a launch of 7 µs every 27 µs, kernels of 1.7 µs
        export.call(1_000_000 + 27_000 * number, 7_000, correlationId=number)
        export.kernel(1_007_000 + 27_000 * number, 1_700, correlationId=number)
    found = named(analyse_nsys(export.write(tmp_path / "a.sqlite")))
    assert float(str(found["gaps_api_busy"].args["api_share"])) == 1
    assert "launch_bound" in found


def test_a_host_that_does_something_else_leaves_a_quiet_api_row(tmp_path: Path) -> None:
    path = decode(30, cost=2000, kernel=20_000, quiet=2_000_000).write(tmp_path / "a.sqlite")
    found = named(analyse_nsys(path))
    assert found["gaps_api_quiet"].args["gaps"] == 29
    assert float(str(found["gaps_api_quiet"].args["api_share"])) < 0.01
    assert "host_bound" in found


def test_long_kernels_side_by_side_are_kernel_bound(tmp_path: Path) -> None:
    path = decode(10, cost=5000, kernel=100_000).write(tmp_path / "a.sqlite")
    found = named(analyse_nsys(path))
    assert float(str(found["kernel_bound"].args["busy_ratio"])) > 0.95
    assert "gaps_small" in found


def test_a_copy_every_step_is_in_a_rhythm_and_others_are_not(tmp_path: Path) -> None:
    export = decode(20, cost=6000, kernel=2000)
    for start in (0, 7_000, 900_000, 1_000_000, 6_000_000, 6_100_000):
        export.copy(start, 500, 1 << 20)
    found = named(analyse_nsys(export.write(tmp_path / "a.sqlite")))
    periodic = found["copies_periodic"].args
    assert (periodic["direction"], periodic["copies"], periodic["period_bytes"]) == ("DtoH", 20, 4)
    assert periodic["period_ms"] == pytest.approx((40 * 6000 + 2000 + 1500) / 1e6)
    irregular = found["copies_irregular"].args
    assert (irregular["direction"], irregular["median_bytes"]) == ("HtoD", 1 << 20)


def test_a_graph_recorded_as_one_block_is_work_and_said_to_be_one(tmp_path: Path) -> None:
    path = decode(10, cost=5000, kernel=2500, graph=True).write(tmp_path / "a.sqlite")
    analysis = analyse_nsys(path)
    assert analysis.devices[0].busy_ratio > 0.9
    assert [(w.code, w.args["graphs"]) for w in analysis.warnings] == [("graphs_as_blocks", 10)]


def test_ranges_of_the_program_are_read(tmp_path: Path) -> None:
    capture = read_nsys_sqlite(decode(3, cost=1000, kernel=1000).write(tmp_path / "a.sqlite"))
    assert [r.name for r in capture.ranges] == ["step"] * 3


def test_a_wait_does_not_count_as_a_busy_api_row(tmp_path: Path) -> None:
    export = Export()
    export.kernel(0, 1000)
    export.call(1000, 98_000, "cudaDeviceSynchronize_v3020")
    export.kernel(99_000, 1000)
    assert named(analyse_nsys(export.write(tmp_path / "a.sqlite")))["gaps_api_quiet"].args["api_share"] == 0


def test_devices_are_kept_apart(tmp_path: Path) -> None:
    export = Export()
    export.kernel(0, 100, deviceId=0)
    export.kernel(50, 100, deviceId=1)
    devices = analyse_nsys(export.write(tmp_path / "a.sqlite")).devices
    assert [(d.device, d.wall_ns, d.busy_ns) for d in devices] == [(0, 100, 100), (1, 100, 100)]


def test_an_export_of_an_old_version_lacks_columns_and_tables(tmp_path: Path) -> None:
    export = Export(OLD_SCHEMA)
    export.kernel(0, 100, "a")
    export.kernel(150, 100, "b")
    analysis = analyse_nsys(export.write(tmp_path / "a.sqlite"))
    assert [w.code for w in analysis.warnings] == ["no_api_calls"]
    assert analysis.devices[0].busy_ns == 200


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(start) AS "
        "(SELECT 1 UNION ALL SELECT start + 1 FROM n) SELECT start, start AS 'end' FROM n",
        "CREATE TABLE other (x)",
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end AS (abs(start)), x)",
        "CREATE VIRTUAL TABLE CUPTI_ACTIVITY_KIND_KERNEL USING fts5(start, end)",
    ],
)
def test_a_hostile_database_runs_nothing_of_its_own(tmp_path: Path, sql: str) -> None:
    path = tmp_path / "evil.sqlite"
    with sqlite3.connect(path) as db:
        db.execute(sql)
    db.close()
    if "abs(" in sql:
        assert analyse_nsys(path).devices == ()
        return
    with pytest.raises(UnreadableFile, match=r"evil\.sqlite: .*nsys"):
        analyse_nsys(path)


def test_reading_leaves_the_file_and_its_folder_as_they_were(tmp_path: Path) -> None:
    path = decode(2, cost=1000, kernel=1000).write(tmp_path / "a b#?.sqlite")
    before = path.read_bytes()
    analyse_nsys(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_rows_with_values_of_another_type_are_left_out_and_counted(tmp_path: Path) -> None:
    export = Export()
    export.kernel(0, 100)
    export.script("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET streamId = x'00'")
    export.kernel(200, 100)
    export.script(
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES "
        "('soon', 5, 0, 0, 0, 1, 0, 0), (9, 5, 0, 0, 0, 1, 0, 0)"
    )
    analysis = analyse_nsys(export.write(tmp_path / "a.sqlite"))
    assert analysis.devices[0].busy_ns == 200
    assert [(w.code, w.args) for w in analysis.warnings] == [("unreadable_events", {"events": 2})]


def test_the_real_summary_keeps_commas_inside_names() -> None:
    path = real_file("nsys/rtx5090_decode_cuda_gpu_kern_sum.csv")
    rows = read_nsys_csv(path).sums["cuda_gpu_kern_sum"]
    assert len(rows) == 46
    assert (rows[0].total_ns, rows[0].count, rows[0].median_ns) == (61_602_133, 16_448, 3744.0)
    assert rows[0].name.startswith("std::enable_if<!T7, void>::type internal::gemvx::kernel<int, int, __nv")
    assert rows[0].name.endswith("float>>(T13)")
    analysis = analyse_nsys(path)
    assert [finding.code for finding in analysis.findings] == ["thin_kernels"]
    assert analysis.findings[0].args["kernels"] == sum(row.count for row in rows)
    assert [warning.code for warning in analysis.warnings] == ["only_sums"]


def test_several_tables_with_the_lines_of_the_tool_between_them_are_read(tmp_path: Path) -> None:
    path = tmp_path / "stats.csv"
    path.write_text(
        "Processing [report.sqlite] with [reports/cuda_api_sum.py]... \n\n"
        "Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
        "80.0,8000000,1000,8000.0,7500.0,1,2,3,cudaLaunchKernel\n20.0,2000000,10,1,1,1,1,1,cudaMemcpyAsync\n\n"
        "Processing [report.sqlite] with [reports/cuda_gpu_mem_time_sum.py]... \n\n"
        "Time (%),Total Time (us),Count,Avg (us),Med (us),Min (us),Max (us),StdDev (us),Operation\n"
        "100.0,12.5,4,3.1,3.0,1,2,3,[CUDA memcpy Host-to-Device]\n\n"
        "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
        '100.0,5000000,1000,5000.0,5000.0,1,2,3,"void k<int, float>(T1, T2)"\n',
        encoding="utf-8",
    )
    analysis = analyse_nsys(path)
    assert set(analysis.sums) == {"cuda_api_sum", "cuda_gpu_mem_time_sum", "cuda_gpu_kern_sum"}
    assert analysis.sums["cuda_gpu_mem_time_sum"][0].total_ns == 12_500
    found = named(analysis)
    assert found["thin_kernels"].args["launch_p50_us"] == 7.5
    assert found["api_total"].args["call"] == "cudaLaunchKernel"


def test_a_trace_as_csv_gives_the_same_readings_as_the_database(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    rows = []
    for step in range(8):
        at = step * 1_000_000
        rows.append(f'{at},5000,{step},1,1,1,128,1,1,16,0,0,,,,,NVIDIA H200 (1),1,,7,"k<int, 4>(T1)"')
        rows.append(
            f"{at + 9000},500,{step},,,,,,,,,,0.004,8.0,Device,Pageable,NVIDIA H200 (1),1,,7,"
            "[CUDA memcpy Device-to-Host]"
        )
    path.write_text(GPU_TRACE + "\n".join(rows) + "\n", encoding="utf-8")
    analysis = analyse_nsys(path)
    (device,) = analysis.devices
    assert (device.device, device.kernels, device.busy_ns) == (1, 8, 8 * 5500)
    found = named(analysis)
    assert found["copies_periodic"].args["period_bytes"] == 4000
    assert found["copies_periodic"].args["period_ms"] == 1.0
    assert "gaps_api_unknown" in found


def test_api_calls_as_csv_follow_the_trace_in_one_file(tmp_path: Path) -> None:
    path = tmp_path / "both.csv"
    path.write_text(
        GPU_TRACE
        + "0,1000,1,1,1,1,1,1,1,1,0,0,,,,,GPU (0),1,,7,k\n"
        + "99000,1000,2,1,1,1,1,1,1,1,0,0,,,,,GPU (0),1,,7,k\n\n"
        + "Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name\n"
        + f"2000,90000,{LAUNCH},0,2,5,5,20,python\n",
        encoding="utf-8",
    )
    assert named(analyse_nsys(path))["gaps_api_busy"].args["call"] == "cudaLaunchKernel"


@pytest.mark.parametrize(
    "content",
    ["", "hello", GPU_TRACE, GPU_TRACE + "x,y,z\n", "Time (%),Total Time (ns),Instances,Name\n1,inf,nan,k\n"],
)
def test_a_file_without_a_row_is_refused_in_words(tmp_path: Path, content: str) -> None:
    path = tmp_path / "empty.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UnreadableFile, match=r"empty\.csv"):
        analyse_nsys(path)
