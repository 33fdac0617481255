"""Lesson 14's `load_gpt2`, held to the GPT-2 whose names and shapes it reads, with random weights."""

from types import ModuleType
from typing import Any

import pytest
import torch

import solutions.gpt
from autograder.stand_ins import gpt as stand_in

SIZES: dict[str, Any] = {"vocab_size": 61, "max_len": 20, "d_model": 24, "num_heads": 4, "num_layers": 3, "d_ff": 40}


@pytest.fixture(scope="module")
def theirs() -> Any:
    """A tiny GPT-2 of transformers; every number of it is drawn, so that nothing is left at 0 or 1."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        from transformers import GPT2Config, GPT2LMHeadModel

        names = {"max_len": "n_positions", "d_model": "n_embd", "num_heads": "n_head", "num_layers": "n_layer"}
        given = {names.get(name, name): size for name, size in SIZES.items() if name != "d_ff"}
        model = GPT2LMHeadModel(GPT2Config(**given, n_inner=SIZES["d_ff"], bos_token_id=0, eos_token_id=0)).eval()
    torch.manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return model


@pytest.mark.parametrize("module", [solutions.gpt, stand_in], ids=["reference", "stand-in"])
@pytest.mark.parametrize("headless", [False, True])
def test_a_gpt2_of_transformers_computes_the_same_in_ours(theirs: Any, module: ModuleType, headless: bool) -> None:
    ours = module.GPT(module.GPTConfig(**SIZES, dropout=0.0, activation="gelu_tanh")).eval()
    entries = (theirs.transformer if headless else theirs).state_dict()
    solutions.gpt.load_gpt2(ours, entries)
    ids = torch.randint(SIZES["vocab_size"], (3, SIZES["max_len"]), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        expected = theirs(ids).logits
        assert expected.abs().mean() > 1  # not all alike
        assert torch.allclose(ours(ids), expected, rtol=0, atol=1e-4)
        assert torch.allclose(ours(ids[:, :7]), theirs(ids[:, :7]).logits, rtol=0, atol=1e-4)
    assert ours.head.weight is ours.token_embedding.weight


def test_it_also_has_our_parameters_and_no_more(theirs: Any) -> None:
    ours = solutions.gpt.GPT(solutions.gpt.GPTConfig(**SIZES, activation="gelu_tanh"))
    assert sum(one.numel() for one in ours.parameters()) == sum(one.numel() for one in theirs.parameters())
