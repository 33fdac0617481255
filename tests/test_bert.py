"""Lesson 15's reference, held to computations that share nothing with it."""

import math
import random
from itertools import product
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from solutions.bert import (
    BERT,
    BertConfig,
    BertEmbedding,
    MaskedLanguageHead,
    mask_tokens,
    masked_loss,
    next_sentences,
    pack_pair,
)

CLS, SEP = 101, 102


def some_bert(**other: Any) -> BERT:
    torch.manual_seed(0)
    usual: dict[str, Any] = {"vocab_size": 17, "d_model": 16, "num_heads": 4, "num_layers": 3, "d_ff": 24}
    model = BERT(BertConfig(**usual | {"dropout": 0.0, "max_len": 9} | other)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return model


def some_ids(*lengths: int) -> Tensor:
    """Rows of these lengths, padded with 0."""
    torch.manual_seed(1)
    ids = torch.randint(1, 17, (len(lengths), max(lengths)))
    return ids * (torch.arange(max(lengths)) < torch.tensor(lengths)[:, None])


@pytest.mark.parametrize(("first", "second", "room"), list(product((0, 1, 4, 7), (0, 2, 5), (0, 1, 3, 6, 20))))
def test_a_pair_keeps_what_fits_and_the_longer_text_loses_most(first: int, second: int, room: int) -> None:
    a, b = list(range(200, 200 + first)), list(range(300, 300 + second))
    ids, segments = pack_pair(a, b, CLS, SEP, room + 3)
    end = ids.index(SEP)
    kept, behind = ids[1:end], ids[end + 1 : -1]
    assert ids[0] == CLS and ids[-1] == SEP and ids.count(SEP) == 2
    assert segments == [0] * (end + 1) + [1] * (len(behind) + 1)
    assert kept == a[: len(kept)] and behind == b[: len(behind)]
    assert len(kept) + len(behind) == min(room, first + second)
    if len(kept) < first:  # it was the longer one, so it has not fallen below the other by more than a tie allows
        assert len(kept) >= len(behind)
    if len(behind) < second:
        assert len(behind) >= len(kept) - 1


def test_the_shares_of_what_befalls_tokens_are_those_of_the_paper() -> None:
    torch.manual_seed(0)
    ids = torch.randint(10, 1000, (200, 500))
    draws = [torch.rand(ids.shape) for _ in range(2)]
    inputs, labels = mask_tokens(ids, ids > 9, 4, *draws, torch.randint(1000, 2000, ids.shape))
    asked = labels != -100
    shares = {
        "asked": (asked, 0.15),
        "[MASK]": (inputs == 4, 0.12),
        "another": (inputs >= 1000, 0.015),
        "itself": (asked & (inputs == ids), 0.015),
    }
    for where, share in shares.values():
        error = math.sqrt(share * (1 - share) / ids.numel())
        assert abs(where.double().mean().item() - share) < 5 * error
    assert torch.equal(labels[asked], ids[asked])
    assert torch.equal(inputs[~asked], ids[~asked])


def torchs(model: BERT) -> nn.TransformerEncoder:
    """PyTorch's encoder with the weights of a BERT's layers."""
    c = model.config
    layer = nn.TransformerEncoderLayer(c.d_model, c.num_heads, c.d_ff, 0.0, "gelu", batch_first=True)
    stack = nn.TransformerEncoder(layer, c.num_layers, enable_nested_tensor=False).eval()
    ours, found = model.state_dict(), {}
    for name in stack.state_dict():
        kind = name.rsplit(".", 1)[-1].removeprefix("in_proj_")
        if "in_proj" in name:
            home = name.split("in_proj")[0]
            found[name] = torch.cat([ours[f"{home}{part}_proj.{kind}"] for part in "qkv"])
        else:
            found[name] = ours[name.replace("linear", "feed_forward.linear")]
    stack.load_state_dict(found)
    return stack


@torch.no_grad()
def test_bert_equals_torchs_encoder_with_its_weights() -> None:
    model, ids = some_bert(), some_ids(7, 4, 6)
    segments = (torch.arange(7) > 2).long().expand(3, -1)
    real = ids != 0
    tables = model.embedding
    x = tables.token_embedding(ids) + tables.segment_embedding(segments) + tables.position_embedding.weight[:7]
    x = F.layer_norm(x, (16,), tables.norm.weight, tables.norm.bias)
    expected = x
    for layer in torchs(model).layers:  # one by one: the stack's fast path zeroes padding
        expected = nn.TransformerEncoderLayer.forward(layer, expected, src_key_padding_mask=~real)
    hidden, pooled = model(ids, segments)
    assert torch.allclose(hidden[real], expected[real], atol=1e-5)
    assert torch.allclose(pooled, (expected[:, 0] @ model.pooler.weight.T + model.pooler.bias).tanh(), atol=1e-5)


@torch.no_grad()
@pytest.mark.parametrize("positions", ["learned", "rotary"])
def test_padding_and_other_rows_change_nothing(positions: str) -> None:
    model, ids = some_bert(positions=positions), some_ids(7, 4)
    hidden, pooled = model(ids)
    alone, summary = model(ids[1:, :4])
    assert torch.allclose(hidden[1, :4], alone[0], atol=1e-5)
    assert torch.allclose(pooled[1], summary[0], atol=1e-5)


@torch.no_grad()
def test_every_token_reads_both_ways() -> None:
    model, ids = some_bert(num_layers=1), some_ids(6)
    before = model(ids)[0]
    for place in range(6):
        other = ids.clone()
        other[0, place] = ids[0, place] % 16 + 1
        moved = (model(other)[0] - before).abs().amax(-1)[0] > 1e-6
        assert moved.all()


@torch.no_grad()
def test_the_embedding_has_a_mean_and_a_variance_of_its_own_only_after_the_norm() -> None:
    module = BertEmbedding(BertConfig(17, d_model=16, dropout=0.0, max_len=9))
    x = module(some_ids(5, 5))
    assert torch.allclose(x.mean(-1), torch.zeros(2, 5), atol=1e-5)
    assert torch.allclose(x.var(-1, correction=0), torch.ones(2, 5), atol=1e-3)


def test_the_head_and_the_table_are_one_parameter() -> None:
    model = some_bert()
    head = MaskedLanguageHead(model.config, model.embedding.token_embedding)
    hidden, _ = model(some_ids(5, 3))
    logits = head(hidden)
    assert logits.shape == (2, 5, 17)
    both = nn.ModuleList([model, head])
    assert sum(one is head.output.weight for one in both.parameters()) == 1
    x = F.gelu(F.linear(hidden, head.transform.weight, head.transform.bias))
    x = F.layer_norm(x, (16,), head.norm.weight, head.norm.bias)
    assert torch.allclose(logits, x @ model.embedding.token_embedding.weight.T + head.output.bias, atol=1e-5)


def test_the_loss_is_torchs_where_something_is_asked_and_else_0() -> None:
    torch.manual_seed(0)
    logits = torch.randn(4, 6, 9, requires_grad=True)
    labels = torch.randint(0, 9, (4, 6)).masked_fill(torch.rand(4, 6) < 0.7, -100)
    assert torch.allclose(masked_loss(logits, labels), F.cross_entropy(logits.mT, labels))
    nothing = masked_loss(logits, torch.full((4, 6), -100))
    nothing.backward()
    assert nothing == 0 and logits.grad is not None and not logits.grad.any()


def test_half_of_the_neighbours_stay_and_no_other_comes_from_the_same_document() -> None:
    random.seed(0)
    documents = [[f"{number}.{place}" for place in range(random.randint(1, 9))] for number in range(500)]
    draws = iter(random.random, None)
    pairs = next_sentences(documents, draws)  # type: ignore[arg-type]
    assert len(pairs) == sum(len(one) - 1 for one in documents)
    share = sum(is_next for *_, is_next in pairs) / len(pairs)
    assert abs(share - 0.5) < 5 * 0.5 / math.sqrt(len(pairs))
    for first, second, is_next in pairs:
        (document, place), (other, behind) = (map(int, one.split(".")) for one in (first, second))
        assert (other, behind) == (document, place + 1) if is_next else other != document
