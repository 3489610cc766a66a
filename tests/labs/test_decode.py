"""The decode loop: every mode gives eager's tokens, nothing is compiled anew, a full cache is refused."""

from __future__ import annotations

import pytest
import torch

from labs.kit.compiling import compiled_so_far, forget_compiled
from labs.kit.decode import EAGER, STATIC, Decoder, Mode, agreement, random_prompt, reference, run
from labs.kit.decode_timing import NotAsMeant, first_token, time_loop, warm_up
from labs.kit.lab import LabFailed
from tests.labs.test_models import tiny

CAPACITY = 40


def decoder(mode: Mode, batch: int = 1) -> Decoder:
    torch.manual_seed(0)
    model = tiny()
    return Decoder(model, random_prompt(model, batch=batch, tokens=8), mode, CAPACITY)


@pytest.mark.parametrize("batch", [1, 3])
def test_a_static_cache_gives_the_tokens_of_a_growing_one(batch: int) -> None:
    agrees = agreement(decoder(STATIC, batch), reference(decoder(EAGER, batch), 12))
    assert agrees.holds
    assert (agrees.same, agrees.tokens, agrees.ties) == (12 * batch, 12 * batch, 0)


def test_the_loop_decodes_what_transformers_generates() -> None:
    own = decoder(EAGER)
    token, tokens = own.prefill(), []
    for _ in range(10):
        tokens.append(int(token))
        token, _ = own.step(token)
    prompt = random_prompt(own._model, batch=1, tokens=8)
    generated = own._model.generate(prompt, max_new_tokens=10, do_sample=False, eos_token_id=None)
    assert generated[0, 8:].tolist() == tokens


def test_nothing_is_compiled_while_steps_are_timed() -> None:
    static = decoder(STATIC)
    warm_up(static)
    before = compiled_so_far()
    loop = time_loop(static, "cpu", 20)
    assert compiled_so_far() == before
    assert len(loop.steps_ms) == 20
    assert min(loop.steps_ms) > 0


def test_a_step_that_is_compiled_while_it_is_timed_is_no_result() -> None:
    # a compiler backend that compiles nothing, so that only the recompilation counts
    changing = decoder(STATIC)
    compiled = torch.compile(lambda x: x + 1, backend="eager", dynamic=False)
    step = changing.step
    sizes = iter(range(1, 100))

    def recompiling(token: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        compiled(torch.zeros(next(sizes)))
        return step(token)

    changing.step = recompiling  # type: ignore[method-assign]
    with pytest.raises(NotAsMeant) as caught:
        time_loop(changing, "cpu", 4)
    assert caught.value.code == "recompiled"
    forget_compiled()


def test_a_model_with_other_weights_does_not_agree() -> None:
    expected = reference(decoder(EAGER), 12)
    other = decoder(STATIC)
    with torch.no_grad():
        other._model.model.layers[0].mlp.down_proj.weight.mul_(3)
    agrees = agreement(other, expected)
    assert not agrees.holds
    assert agrees.logit_error > agrees.tolerance


@pytest.mark.parametrize("mode", [EAGER, STATIC])
def test_a_full_cache_is_refused_before_the_step(mode: Mode) -> None:
    full = decoder(mode)
    token = run(full, full.prefill(), CAPACITY - 8)
    with pytest.raises(LabFailed, match="is full"):
        full.step(token)


def test_a_prompt_as_long_as_the_cache_is_refused() -> None:
    model = tiny()
    with pytest.raises(LabFailed, match="no room"):
        Decoder(model, random_prompt(model, batch=1, tokens=8), STATIC, 8)


def test_starting_over_forgets_the_earlier_tokens() -> None:
    static = decoder(STATIC)
    first = run(static, static.prefill(), 6)
    again = run(static, static.prefill(), 6)
    assert torch.equal(first, again)


def test_the_first_token_is_timed_over_several_prefills() -> None:
    timing = first_token(decoder(EAGER), "cpu", 3)
    assert timing.samples == 3
    assert timing.median_ms > 0
