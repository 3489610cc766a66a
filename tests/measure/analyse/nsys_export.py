"""A small SQLite export as Nsight Systems writes it, by the schema of its documentation."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

SCHEMA = """
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER PRIMARY KEY, name TEXT, label TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (
    start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
    greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
    demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER,
    cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL,
    gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL,
    staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL,
    localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL, gridId INTEGER NOT NULL,
    sharedMemoryExecuted INTEGER, graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (
    start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER,
    correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (
    start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
    greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
    bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, deprecatedSrcId INTEGER, srcKind INTEGER,
    dstKind INTEGER, srcDeviceId INTEGER, srcContextId INTEGER, dstDeviceId INTEGER, dstContextId INTEGER,
    migrationCause INTEGER, graphNodeId INTEGER, virtualAddress INTEGER, copyCount INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (
    start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
    greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
    value INTEGER NOT NULL, bytes INTEGER NOT NULL, graphNodeId INTEGER, memKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (
    start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
    greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
    graphId INTEGER NOT NULL, graphExecId INTEGER NOT NULL);
CREATE TABLE NVTX_EVENTS (
    start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, category INTEGER,
    color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER,
    uint64Value INTEGER, int64Value INTEGER, doubleValue REAL, jsonTextId INTEGER);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.20.1');
INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (1, 'CUDA_MEMCPY_KIND_HTOD', 'Host-to-Device');
"""
OLD_SCHEMA = """
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (
    start INT NOT NULL, end INT NOT NULL, deviceId INT NOT NULL, contextId INT NOT NULL,
    streamId INT NOT NULL, correlationId INT, shortName INT NOT NULL);
"""
LAUNCH = "cudaLaunchKernel_v7000"
GRAPH_LAUNCH = "cudaGraphLaunch_v10000"
WAIT = "cudaStreamSynchronize_v3020"


class Export:
    """Collects rows and writes them to a file. Columns that aren't named get 0."""

    def __init__(self, schema: str = SCHEMA) -> None:
        self._db = sqlite3.connect(":memory:")
        self._db.executescript(schema)
        self._names: dict[str, int] = {}

    def kernel(self, start: int, length: int, name: str = "gemv", **more: int | None) -> None:
        named = self._name(name)
        self._insert("KERNEL", start, length, {"demangledName": named, "shortName": named, **more})

    def call(self, start: int, length: int, name: str = LAUNCH, **more: int | None) -> None:
        self._insert("RUNTIME", start, length, {"nameId": self._name(name), **more})

    def copy(self, start: int, length: int, size: int, kind: int = 1) -> None:
        self._insert("MEMCPY", start, length, {"bytes": size, "copyKind": kind})

    def graph(self, start: int, length: int) -> None:
        self._insert("GRAPH_TRACE", start, length, {"graphId": 9})

    def named_range(self, start: int, length: int, text: str) -> None:
        self._db.execute(
            "INSERT INTO NVTX_EVENTS (start, end, eventType, text) VALUES (?, ?, 59, ?)",
            (start, start + length, text),
        )

    def write(self, path: Path) -> Path:
        self._db.commit()
        path.unlink(missing_ok=True)
        with closing(sqlite3.connect(path)) as file:
            self._db.backup(file)
        return path

    def script(self, sql: str) -> None:
        self._db.executescript(sql)

    def _name(self, text: str) -> int:
        if text not in self._names:
            self._names[text] = len(self._names) + 1
            self._db.execute("INSERT INTO StringIds VALUES (?, ?)", (self._names[text], text))
        return self._names[text]

    def _insert(self, kind: str, start: int, length: int, values: dict[str, int | None]) -> None:
        table = f"CUPTI_ACTIVITY_KIND_{kind}"
        info = self._db.execute(f"PRAGMA table_info({table})").fetchall()
        row: dict[str, int | None] = {
            column: (0 if required else None) for _, column, _, required, *_ in info
        }
        row |= {"start": start, "end": start + length}
        row |= {column: value for column, value in values.items() if column in row}
        marks = ", ".join("?" for _ in row)
        self._db.execute(
            f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})",  # noqa: S608 (names of the schema)
            list(row.values()),
        )


def decode(steps: int, *, cost: int, kernel: int, quiet: int = 0, graph: bool = False) -> Export:
    """A decode server: `steps` of 40 kernels (or one graph) and a copy of the token back to the host.

    Times in nanoseconds: `cost` of a launch, `kernel` a kernel, `quiet` of CPU time without calls per step.
    """
    export = Export()
    now = 1_000_000
    for _ in range(steps):
        begin = now
        now += quiet
        if graph:
            export.call(now, cost, GRAPH_LAUNCH)
            export.graph(now + cost, 40 * kernel)
            done = now + cost + 40 * kernel
        else:
            done = now
            for number in range(40):
                export.call(now, cost, LAUNCH, correlationId=number)
                now += cost
                done = max(done, now)
                export.kernel(done, kernel, correlationId=number)
                done += kernel
        export.copy(done, 1000, 4, kind=2)
        export.call(now, done + 1500 - now, WAIT)
        now = done + 1500
        export.named_range(begin, now - begin, "step")
    return export
