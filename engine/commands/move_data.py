"""`python -m engine move-data FOLDER`: the data folder at another place, on another drive if you like."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.data_move import move_data
from engine.folders import MOVED, data_folder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="empty, or not there yet")


def run(arguments: argparse.Namespace) -> int:
    """0: moved; 1: it could not be, and everything is as it was."""
    wanted: Path = arguments.folder
    moved = move_data(data_folder(), wanted if wanted.is_absolute() else Path.cwd() / wanted)
    print(f"moved to {moved.new} ({moved.size / 1e6:.1f} MB)")
    print(f"{moved.old} still holds the old files. Delete them when you like, but keep {MOVED} there:")
    print("it leads to the new folder.")
    return 0
