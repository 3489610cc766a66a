"""Stands in for NVIDIA's profilers, which a test can't count on: it hands out a file, or it hangs."""

from __future__ import annotations

import stat
from pathlib import Path


def install(folder: Path, tool: str, script: str) -> Path:
    """Puts an executable shell script of that name into the folder, for the front of the PATH."""
    folder.mkdir(exist_ok=True)
    file = folder / tool
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return file


def hang(folder: Path, pid_file: Path) -> None:
    """An `ncu` that says its process id and never ends."""
    install(folder, "ncu", f"echo $$ > {pid_file}.part && mv {pid_file}.part {pid_file}\nexec sleep 600")


def hands_out(table: Path) -> str:
    """What an `ncu --import` prints."""
    return f"cat {table}"


def copies(export: Path) -> str:
    """An `nsys export` that leaves the file where `--output=` says."""
    return f'for word in "$@"; do case "$word" in --output=*) cp {export} "${{word#--output=}}";; esac; done'
