"""Uses a library that can't load a part of itself, and says so as transformers does: naming no package."""

from labs.kit.lab import Bench, Lab


def run(bench: Bench) -> None:
    raise ModuleNotFoundError("Could not import module 'LlamaConfig'. Are its requirements met?")


LAB = Lab(name="half_library", run=run, devices=("cpu",), uses_torch=False, time_limit_s=60)
