"""Lesson 14: GPTBlock and GPT with what a stranger who counts has brought to light, each written in full."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.stand_ins.multi_head_attention import MultiHeadAttention
from tests.variants import disguise
from tests.variants.gpt.blocks import Given as Block
from tests.variants.gpt.models import Given as Model

BLOCK, MODEL = "GPTBlock", "GPT"

# GPTBlock ----------------------------------------------------------------------------


@disguise(BLOCK, "the feed-forward network runs twice")
class ThinksTwice(Block):
    def forward(self, x: Tensor) -> Any:
        found, weights = self.attend(x)
        x = x + found
        for _ in range(2):
            x = x + self.think(x)
        return x, weights


@disguise(BLOCK, "other weights come back")
class KeysFirst(Block):
    def forward(self, x: Tensor) -> Any:
        x, weights = super().forward(x)
        return x, weights.mT


@disguise(BLOCK, "never rotary")
class NeverTurned(Block):
    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.self_attn = MultiHeadAttention(config.d_model, config.num_heads, config.dropout)


# GPT ----------------------------------------------------------------------------


@disguise(MODEL, "dropped out twice")
class DropsTwice(Model):
    def start(self, ids: Tensor) -> Tensor:
        return self.dropout(super().start(ids))


@disguise(MODEL, "dropout in the wrong mode")
class DropsAlways(Model):
    def start(self, ids: Tensor) -> Tensor:
        return F.dropout(self.token_embedding(ids) + self.place(ids), self.config.dropout)


@disguise(MODEL, "positions are added at the end")
class PlacesLast(Model):
    def forward(self, ids: Tensor, return_weights: bool = False) -> Any:
        if ids.size(1) > self.config.max_len or ids.max() >= self.config.vocab_size:
            raise ValueError("too long, or unknown")
        x, kept = self.run(self.dropout(self.token_embedding(ids)))
        x = self.score(x + self.place(ids))
        return (x, kept) if return_weights else x


@disguise(MODEL, "the table learns at one end only")
class OneEnd(Model):
    def score(self, x: Tensor) -> Tensor:
        return self.norm(x) @ self.head.weight.data.T


@disguise(MODEL, "the table learns at one end only")
class OtherEnd(Model):
    def start(self, ids: Tensor) -> Tensor:
        return self.dropout(self.token_embedding.weight.data[ids] + self.place(ids))


@disguise(MODEL, "what should be refused is let pass")
class CutsOff(Model):
    def forward(self, ids: Tensor, return_weights: bool = False) -> Any:
        return super().forward(ids[:, : self.config.max_len], return_weights)


@disguise(MODEL, "what should be refused is let pass")
class TakesTheLastId(Model):
    def forward(self, ids: Tensor, return_weights: bool = False) -> Any:
        return super().forward(torch.clamp(ids, max=self.config.vocab_size - 1), return_weights)


@disguise(MODEL, "too much is refused")
class OneFewer(Model):
    def forward(self, ids: Tensor, return_weights: bool = False) -> Any:
        if ids.size(1) + 1 > self.config.max_len:
            raise ValueError("too long")
        return super().forward(ids, return_weights)
