"""Lesson 14's reference, held to computations that share nothing with it."""

import math
from itertools import product
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder import registry
from autograder.checks.gpt.loading import sizes, theirs
from autograder.probing.draws import Draw
from solutions.gpt import (
    GPT,
    GPTConfig,
    bits_per_byte,
    generate,
    induction_score,
    init_gpt_,
    load_gpt2,
    next_token_loss,
    token_windows,
)


def some_gpt(**other: Any) -> GPT:
    torch.manual_seed(0)
    usual: dict[str, Any] = {"vocab_size": 17, "d_model": 16, "num_heads": 4, "num_layers": 2, "d_ff": 24}
    config = GPTConfig(**usual | {"dropout": 0.0, "max_len": 9} | other)
    model = GPT(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return model


@pytest.mark.parametrize(("length", "seq_len"), list(product((9, 10, 11, 12, 30), (1, 3, 8))))
def test_windows_read_every_token_but_the_last_few_in_order(length: int, seq_len: int) -> None:
    inputs, targets = token_windows(torch.arange(length), seq_len)
    used = inputs.numel()
    assert inputs.flatten().tolist() == list(range(used))
    assert targets.flatten().tolist() == list(range(1, used + 1))
    assert used <= length - 1 < used + seq_len


def torchs(model: GPT) -> nn.TransformerEncoder:
    """PyTorch's encoder with the weights of a GPT's blocks."""
    c = model.config
    layer = nn.TransformerEncoderLayer(c.d_model, c.num_heads, c.d_ff, 0.0, "gelu", batch_first=True, norm_first=True)
    stack = nn.TransformerEncoder(layer, c.num_layers, nn.LayerNorm(c.d_model), enable_nested_tensor=False)
    ours, found = model.state_dict(), {}
    for name in stack.state_dict():
        kind = name.rsplit(".", 1)[-1].removeprefix("in_proj_")
        if "in_proj" in name:
            home = name.split("in_proj")[0]
            found[name] = torch.cat([ours[f"{home}{part}_proj.{kind}"] for part in "qkv"])
        else:
            found[name] = ours[name if "linear" not in name else name.replace("linear", "feed_forward.linear")]
    stack.load_state_dict(found)
    return stack.eval()


@torch.no_grad()
def test_the_model_is_pytorchs_encoder_with_a_causal_mask_between_two_tables() -> None:
    model, ids = some_gpt(), torch.randint(17, (3, 7))
    x = model.token_embedding.weight[ids] + model.position_embedding.weight[:7]
    expected = torchs(model)(x, mask=torch.ones(7, 7).triu(1).bool()) @ model.token_embedding.weight.T
    assert (model(ids) - expected).abs().max() < 1e-4


def gpt2(entries: dict[str, Tensor], ids: Tensor, heads: int) -> Tensor:
    """A GPT-2, straight from its entries."""
    e = {name.removeprefix("transformer."): value for name, value in entries.items()}
    d, causal = e["wte.weight"].size(1), torch.ones(len(ids), len(ids)).tril().bool()

    def norm(x: Tensor, name: str) -> Tensor:
        return F.layer_norm(x, (d,), e[f"{name}.weight"], e[f"{name}.bias"])

    def conv(x: Tensor, name: str) -> Tensor:
        return x @ e[f"{name}.weight"] + e[f"{name}.bias"]

    x = e["wte.weight"][ids] + e["wpe.weight"][: len(ids)]
    for i in range(sum(name.endswith("ln_1.weight") for name in e)):
        q, k, v = conv(norm(x, f"h.{i}.ln_1"), f"h.{i}.attn.c_attn").split(d, dim=-1)
        q, k, v = (one.view(len(ids), heads, -1).transpose(0, 1) for one in (q, k, v))
        scores = (q @ k.mT / math.sqrt(d // heads)).masked_fill(~causal, -torch.inf)
        found = (scores.softmax(-1) @ v).transpose(0, 1).reshape(len(ids), d)
        x = x + conv(found, f"h.{i}.attn.c_proj")
        inner = F.gelu(conv(norm(x, f"h.{i}.ln_2"), f"h.{i}.mlp.c_fc"), approximate="tanh")
        x = x + conv(inner, f"h.{i}.mlp.c_proj")
    return norm(x, "ln_f") @ e["wte.weight"].T


@torch.no_grad()
def test_a_loaded_gpt2_computes_what_its_entries_say() -> None:
    entries, model = theirs(Draw(1, "gpt2"), sizes()), GPT(sizes()).eval()
    load_gpt2(model, entries)
    ids = torch.tensor([3, 1, 4, 1, 5])
    expected = gpt2(entries, ids, model.config.num_heads)
    assert (model(ids[None])[0] - expected).abs().max() < 1e-4 * expected.abs().max()


def test_loading_says_in_one_message_what_is_missing_unknown_and_misshapen() -> None:
    entries = theirs(Draw(1, "gpt2"), sizes())
    entries["transformer.ln_f.more"] = entries.pop("transformer.ln_f.bias")
    entries["transformer.wte.weight"] = entries["transformer.wte.weight"][:-1]
    with pytest.raises(RuntimeError) as caught:
        load_gpt2(GPT(sizes()), entries)
    assert all(name in str(caught.value) for name in ("norm.bias", "norm.more", "token_embedding.weight"))


def test_the_loss_is_that_of_each_row_by_itself() -> None:
    logits, ids = torch.randn(3, 6, 9), torch.randint(9, (3, 6))
    losses = [-logits[b, t].log_softmax(0)[ids[b, t + 1]] for b in range(3) for t in range(5) if ids[b, t + 1] != 4]
    assert torch.isclose(next_token_loss(logits, ids, 4), torch.stack(losses).mean())


@pytest.mark.parametrize("positions", ["learned", "rotary"])
def test_a_new_model_guesses(positions: str) -> None:
    model = some_gpt(positions=positions, vocab_size=300, d_model=32)
    init_gpt_(model)
    ids = torch.randint(300, (8, 9))
    assert next_token_loss(model(ids), ids).item() == pytest.approx(math.log(300), abs=0.1)


def test_whoever_knows_nothing_of_bytes_needs_eight_bits_for_each() -> None:
    text = "Ünïcödé, and plain letters"
    nats = torch.full((len(text.encode()),), math.log(256))
    assert bits_per_byte(nats, text) == pytest.approx(8)


@torch.no_grad()
def test_greedy_writing_agrees_with_one_pass_over_what_was_written() -> None:
    model = some_gpt(positions="rotary", max_len=20)
    written = generate(model, torch.randint(17, (4, 3)), 15, top_k=1)
    assert written.shape == (4, 18)
    assert torch.equal(model(written)[:, 2:-1].argmax(-1), written[:, 3:])


def test_a_perfect_induction_head_scores_one() -> None:
    period, size = 3, 10
    weights = torch.eye(size).repeat(2, 4, 1, 1)
    for query in range(period, size):
        weights[:, 1, query] = F.one_hot(torch.tensor(query - period + 1), size).float()
    score = induction_score(weights, period)
    assert score[1] == 1 and (score[[0, 2, 3]] == 0).all()


def test_the_first_numbers_can_be_told_apart_on_many_draws() -> None:
    exercise = registry.exercise("init_gpt_")
    for seed in range(5):
        torch.manual_seed(seed)
        for probe in exercise.probes[:3]:
            found = probe.compute(init_gpt_, Draw(seed, probe.name))
            assert not [name for name, told in found.items() if "another" in str(told)]
            assert found["drawn uniformly"] == [] and found["around 0"] is True
