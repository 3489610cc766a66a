"""Multiplies two matrices with torch."""

from labs.kit.lab import Bench, Lab


def run(bench: Bench) -> None:
    import torch

    bench.progress(0, 1, "multiplying")
    left = torch.ones(512, 512, device=bench.device)
    bench.metric("corner", float((left @ left)[0, 0]), "1", device=bench.device)


LAB = Lab(name="fast_torch", run=run, time_limit_s=120)
