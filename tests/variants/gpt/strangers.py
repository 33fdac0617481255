"""Lesson 14 as strangers wrote it: with their own layers, and the slips that they made."""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins.gpt import GPT as StandIn
from autograder.stand_ins.gpt import GPTBlock as Block
from autograder.stand_ins.gpt import GPTConfig
from solutions.feed_forward import FeedForward
from solutions.layer_norm import LayerNorm
from tests.variants import correct, disguise


def paired(ids: Tensor, seq_len: int) -> tuple[Tensor, Tensor]:
    if not 1 <= seq_len < len(ids):
        raise ValueError("no window and a token after it")
    pairs = ids.unfold(0, seq_len + 1, seq_len)
    return pairs[:, :-1], pairs[:, 1:]


@disguise("token_windows", "one target for a window")
def last_target(ids: Tensor, seq_len: int) -> tuple[Tensor, Tensor]:
    inputs, targets = paired(ids, seq_len)
    return inputs, targets[:, seq_len - 1]


def questions(logits: Tensor, ids: Tensor, ignore_id: int | None) -> tuple[Tensor, Tensor]:
    if ids.size(1) < 2:
        raise ValueError("nothing is asked")
    asked = ids[:, 1:].reshape(-1)
    kept = torch.ones_like(asked, dtype=torch.bool) if ignore_id is None else asked.ne(ignore_id)
    return logits[:, :-1].reshape(-1, logits.size(-1))[kept], asked[kept]


@disguise("next_token_loss", "the logarithm of a softmax")
def two_steps(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    scores, asked = questions(logits, ids, ignore_id)
    likely = scores.softmax(-1).gather(1, asked[:, None]).squeeze(1)
    return -torch.log(likely).sum() / max(len(asked), 1)


@disguise("next_token_loss", "smoothed labels")
def smoothed(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    scores, asked = questions(logits, ids, ignore_id)
    logs = scores.log_softmax(-1)
    losses = -0.9 * logs.gather(1, asked[:, None]).squeeze(1) - 0.1 * logs.mean(-1)
    return losses.sum() / max(len(asked), 1)


@disguise("next_token_loss", "reshaped where dimensions are exchanged")
def viewed(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    questions(logits, ids, ignore_id)
    targets = ids[:, 1:]
    if ignore_id is not None:
        targets = targets.masked_fill(targets == ignore_id, -100)
    scores = logits[:, :-1].reshape(len(ids), logits.size(-1), -1)
    if (targets == -100).all():
        return scores.sum() * 0
    return F.cross_entropy(scores, targets, ignore_index=-100)


@disguise("induction_score", "how often the key is the likeliest")
def share_of_hits(weights: Tensor, period: int) -> Tensor:
    if not 1 <= period < weights.size(-1):
        raise ValueError("no second period")
    best = weights.argmax(-1)
    hits = [best[:, :, t] == t - period + 1 for t in range(period, weights.size(-1))]
    return torch.stack(hits).to(weights.dtype).mean(dim=(0, 1))


class Dropping(Block):
    """The block, with what each step reads, and what it adds, left to others."""

    def read(self, x: Tensor) -> Tensor:
        return x

    def add(self, x: Tensor) -> Tensor:
        return x

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        h = self.read(self.norm1(x))
        found, weights = self.self_attn(h, h, h, torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril())
        x = x + self.add(found)
        return x + self.add(self.feed_forward(self.read(self.norm2(x)))), weights


@disguise("GPTBlock", "dropout on what is read")
class ReadsLess(Dropping):
    def read(self, x: Tensor) -> Tensor:
        return self.dropout(x)


@disguise("GPTBlock", "dropout in evaluation too")
class AlwaysDrops(Dropping):
    def add(self, x: Tensor) -> Tensor:
        return F.dropout(x, p=self.dropout.p)


@disguise("GPT", "layers in a plain list")
class Listed(StandIn):
    def __init__(self, config: GPTConfig) -> None:
        super().__init__(config)
        blocks = list(self.layers)
        del self.layers
        self.layers = blocks


# init_gpt_: `LayerNorm` is the author's own class here, as it is in a notebook, and not the stand-in.


@correct("init_gpt_")
@torch.no_grad()
def by_own_classes(model: Any) -> None:
    for part in model.modules():
        if isinstance(part, nn.Linear | nn.Embedding):
            part.weight.normal_(std=0.02)
        if isinstance(part, nn.Linear) and part.bias is not None:
            part.bias.zero_()
        if isinstance(part, LayerNorm):
            part.weight.fill_(1)
            part.bias.zero_()
    for part in model.layers:
        part.self_attn.out_proj.weight.mul_(1 / math.sqrt(2 * len(model.layers)))
    for part in model.modules():
        if isinstance(part, FeedForward):
            part.linear2.weight.mul_(1 / math.sqrt(2 * len(model.layers)))


@disguise("init_gpt_", "positions with a spread of their own")
@torch.no_grad()
def openai_positions(model: Any) -> None:
    by_own_classes(model)
    if model.position_embedding is not None:
        model.position_embedding.weight.normal_(0, 0.01)
