"""Cannot show its point."""

from labs.kit.lab import Bench, Lab, LabFailed


def run(bench: Bench) -> None:
    raise LabFailed("unsupported", "The graph was skipped, so there is nothing to compare.")


LAB = Lab(name="gives_up", run=run, devices=("cpu",), uses_torch=False, time_limit_s=60)
