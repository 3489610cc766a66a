"""The decode server's model, on the CPU: a step computes what the whole sequence at once computes."""

from __future__ import annotations

import torch

from labs.kit.models import Shape
from labs.kit.tiny_decoder import load

SHAPE = Shape(2, 64, 96, 4, 2, 50, 10000.0, 1e-5, 64)


def test_decoding_step_by_step_gives_what_prefilling_all_at_once_gives() -> None:
    stepped, whole = load(SHAPE, 32, "cpu"), load(SHAPE, 32, "cpu")
    tokens = torch.tensor([3, 1, 4, 1, 5, 9, 2, 6])
    stepped.prefill(tokens[:5])
    for token in tokens[5:]:
        stepped.token.fill_(int(token))
        stepped.step()
    whole.prefill(tokens)
    assert int(stepped.position) == int(whole.position) == 8
    # sums in bf16 in another order
    torch.testing.assert_close(stepped.logits, whole.logits, rtol=0.05, atol=0.01)
    assert float(whole.logits.abs().max()) > 0.05


def test_each_weight_has_memory_of_its_own_and_is_counted() -> None:
    decoder = load(SHAPE, 32, "cpu")
    layer = 64 * 64 + 64 * (64 + 2 * 32) + 64 * 2 * 96 + 96 * 64
    assert decoder.weight_bytes == 2 * (2 * layer + 50 * 64)
