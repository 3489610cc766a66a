"""Running Anki in a process of its own: it may crash, and its collection and memory go with it."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import msgspec

from engine.folders import project_folder
from engine.study.exchange.apkg.values import AnkiPackage
from engine.study.exchange.faults import ExchangeFault
from engine.study.exchange.parsed import LARGEST

TIME_LIMIT_S = 600.0
REQUIREMENTS = "requirements-anki.txt"

START = b"PK\x03\x04"
_COLLECTIONS = ("collection.anki21b", "collection.anki21", "collection.anki2")


def is_package(content: bytes) -> bool:
    """Whether a file's bytes are those of a ZIP file, as every `.apkg` is."""
    return content.startswith(START)


def is_available() -> bool:
    """Whether the official `anki` package is installed here."""
    return importlib.util.find_spec("anki") is not None


def read_package(content: bytes, where: str) -> AnkiPackage:
    """What an `.apkg` holds. Raises ExchangeFault."""
    if len(content) > LARGEST:
        raise ExchangeFault(where, "", f"has more than {LARGEST // 1024**2} MiB: export it without media")
    _check_installed(where)
    with tempfile.TemporaryDirectory() as temporary:
        package, out = Path(temporary) / "in.apkg", Path(temporary) / "in.json"
        package.write_bytes(content)
        _check_zip(package, where)
        _run("read", package, out, where, "can't be read by Anki")
        return msgspec.json.decode(out.read_bytes(), type=AnkiPackage)


def write_package(package: AnkiPackage) -> bytes:
    """The bytes of an `.apkg`. Raises ExchangeFault."""
    _check_installed("export")
    with tempfile.TemporaryDirectory() as temporary:
        source, out = Path(temporary) / "out.json", Path(temporary) / "out.apkg"
        source.write_bytes(msgspec.json.encode(package))
        _run("write", source, out, "export", "can't be written by Anki")
        return out.read_bytes()


def _check_installed(where: str) -> None:
    if not is_available():
        raise ExchangeFault(
            where,
            "",
            "needs the official anki package, which is not installed: "
            f"run `{Path(sys.executable).name} -m pip install -r {REQUIREMENTS}` with the Python of the app",
        )


def _check_zip(package: Path, where: str) -> None:
    way_out = "export it from Anki anew"
    try:
        with zipfile.ZipFile(package) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, NotImplementedError, OSError) as error:
        raise ExchangeFault(where, "", f"is a damaged ZIP file ({error}): {way_out}") from error
    if not any(name in names for name in _COLLECTIONS):
        raise ExchangeFault(where, "", f"is a ZIP file, but no .apkg (it has no collection): {way_out}")


def _run(what: str, source: Path, out: Path, where: str, failed: str) -> None:
    command = [sys.executable, "-m", "engine.study.exchange.apkg.child", what, str(source), str(out)]
    try:
        done = subprocess.run(
            command,
            cwd=project_folder(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIME_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        message = f"{failed}: it took more than {TIME_LIMIT_S / 60:.0f} minutes; split it in Anki"
        raise ExchangeFault(where, "", message) from error
    if done.returncode == 0 and out.exists():
        return
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    reason = said[-1][:300] if said else f"Anki's process ended with {done.returncode}"
    raise ExchangeFault(where, "", f"{failed} ({reason}): export it from Anki anew")
