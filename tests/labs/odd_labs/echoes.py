"""Takes any text and says it again."""

from labs.kit.lab import Bench, Lab, Lever


def run(bench: Bench) -> None:
    bench.metric("length", len(str(bench.params["word"])), "1")


LAB = Lab(
    name="echoes",
    run=run,
    levers=(Lever("word", ""),),
    devices=("cpu",),
    uses_torch=False,
    time_limit_s=60,
)
