"""Runs every benchmark, or those named: `python -m tests.bench [NAME…]`.

Each prints its own figures as ratios against a baseline of the same run. Quote ratios: machines differ.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BENCHMARKS = tuple(
    sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_"))
)


def main(names: list[str]) -> int:
    """Exit status 0: all ran; 1: one failed; 2: a name is unknown."""
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"There is no benchmark {', '.join(unknown)}. There are: {', '.join(BENCHMARKS)}")
        return 2
    failed = []
    for name in names or BENCHMARKS:
        print(f"\n== {name}", flush=True)
        if subprocess.run([sys.executable, "-m", f"tests.bench.{name}"], check=False).returncode:
            failed.append(name)
    if failed:
        print(f"\nFailed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
