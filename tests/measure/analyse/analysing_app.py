"""An app that analyses a file, to be killed: `python -m tests.measure.analyse.analysing_app FOLDER FILE`.

Prints the id of the analysis once it runs, then lives until it is ended or its input closes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from engine.measure.analyse.jobs import Analyses
from tests.measure.waiting import until


def main() -> None:
    folder, file = map(Path, sys.argv[1:])
    analyses = Analyses(folder)
    analysis = analyses.submit(file)
    until(lambda: analyses.state(analysis).label == "exporting")
    print(analysis, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
