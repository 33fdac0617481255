"""Lesson 14: GPTBlock and GPT with the slips that are likely there, each written in full."""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins.gpt import GPTBlock as StandInBlock
from autograder.stand_ins.positional_encoding import RotaryAttention
from tests.variants import disguise
from tests.variants.gpt.blocks import Given as Block
from tests.variants.gpt.blocks import before
from tests.variants.gpt.models import Given as Model

BLOCK, MODEL = "GPTBlock", "GPT"

# GPTBlock ----------------------------------------------------------------------------


@disguise(BLOCK, "attention in post-norm, the rest in pre-norm")
class FirstAfter(Block):
    def forward(self, x: Tensor) -> Any:
        found, weights = self.self_attn(x, x, x, before(x.size(1)))
        x = self.norm1(self.dropout(found) + x)
        return x + self.think(x), weights


@disguise(BLOCK, "normalized before and after")
class Sandwich(Block):
    def forward(self, x: Tensor) -> Any:
        found, weights = self.attend(x)
        x = self.norm1(x + found)
        return x + self.think(x), weights


@disguise(BLOCK, "normalized before and after")
class SandwichTwice(Block):
    def forward(self, x: Tensor) -> Any:
        found, weights = self.attend(x)
        x = self.norm1(x + found)
        return self.norm2(x + self.think(x)), weights


@disguise(BLOCK, "normalized before and after")
class NormAtTheEnd(Block):
    def forward(self, x: Tensor) -> Any:
        x, weights = super().forward(x)
        return self.norm2(x), weights


@disguise(BLOCK, "a norm acts on what is added")
class NormsOfWhatIsMade(Block):
    def forward(self, x: Tensor) -> Any:
        found, weights = self.self_attn(x, x, x, before(x.size(1)))
        x = x + self.norm1(self.dropout(found))
        return x + self.norm2(self.dropout(self.feed_forward(x))), weights


@disguise(BLOCK, "a norm acts on what is added")
class NormOfWhatAttentionMakes(Block):
    def forward(self, x: Tensor) -> Any:
        found, weights = self.self_attn(x, x, x, before(x.size(1)))
        x = x + self.norm1(self.dropout(found))
        return x + self.think(x), weights


@disguise(BLOCK, "normalized twice")
class TwiceBeforeAttention(Block):
    def attend(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return super().attend(self.norm1(x))


@disguise(BLOCK, "normalized twice")
class TwiceBeforeThinking(Block):
    def think(self, x: Tensor) -> Tensor:
        return super().think(self.norm2(x))


@disguise(BLOCK, "attention has no effect")
class ReadsInVain(Block):
    def forward(self, x: Tensor) -> Any:
        _, weights = self.attend(x)
        return x + self.think(x), weights


@disguise(BLOCK, "another sum around the block")
class AroundItAll(Block):
    def forward(self, x: Tensor) -> Any:
        made, weights = super().forward(x)
        return made + x, weights


@disguise(BLOCK, "everything is hidden")
class NothingOpen(Block):
    def seen(self, size: int) -> Any:
        return torch.full((size, size), False)


@disguise(BLOCK, "not two results")
class TokensAlone(Block):
    def forward(self, x: Tensor) -> Any:
        return super().forward(x)[0]


@disguise(BLOCK, "not two results")
class TheOtherWayRound(Block):
    def forward(self, x: Tensor) -> Any:
        return super().forward(x)[::-1]


@disguise(BLOCK, "a fill of -10000")
class FilledByHand(Block):
    """With an attention of its own, where positions are learned."""

    def attend(self, x: Tensor) -> tuple[Tensor, Tensor]:
        own = self.self_attn
        if isinstance(own, RotaryAttention):
            return super().attend(x)
        batch, size, width = x.shape
        heads = own.num_heads
        h = self.norm1(x)
        q, k, v = (
            part(h).view(batch, size, heads, width // heads).transpose(1, 2)
            for part in (own.q_proj, own.k_proj, own.v_proj)
        )
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(width // heads)
        scores = torch.where(before(size), scores, torch.full_like(scores, -1e4))
        weights = F.softmax(scores, dim=-1)
        made = F.dropout(weights, self.dropout.p, self.training) @ v
        return self.dropout(own.out_proj(made.transpose(1, 2).reshape(batch, size, width))), weights


@disguise(BLOCK, "both read the same tokens")
class OneNormSideBySide(Block):
    def forward(self, x: Tensor) -> Any:
        found, weights = self.attend(x)
        thought = self.dropout(self.feed_forward(self.norm2(self.norm1(x))))
        return x + found + thought, weights


@disguise(BLOCK, "feed-forward before attention")
class ThinksFirst(Block):
    def forward(self, x: Tensor) -> Any:
        x = x + self.dropout(self.feed_forward(self.norm1(x)))
        h = self.norm2(x)
        found, weights = self.self_attn(h, h, h, before(x.size(1)))
        return x + self.dropout(found), weights


@disguise(BLOCK, "the normalized tokens go on")
class ReplacedByNorms(Block):
    def forward(self, x: Tensor) -> Any:
        x = self.norm1(x)
        found, weights = self.self_attn(x, x, x, before(x.size(1)))
        x = self.norm2(x + self.dropout(found))
        return x + self.dropout(self.feed_forward(x)), weights


# GPT ----------------------------------------------------------------------------


@disguise(MODEL, "multiplied by √d_model")
class ScaledSum(Model):
    def start(self, ids: Tensor) -> Tensor:
        return super().start(ids) * self.config.d_model**0.5


@disguise(MODEL, "logits multiplied by √d_model")
class ScaledUp(Model):
    def score(self, x: Tensor) -> Tensor:
        return super().score(x).mul(math.sqrt(x.size(-1)))


@disguise(MODEL, "positions are not simply added")
class Times(Model):
    def place(self, ids: Tensor) -> Any:
        return 1 if self.position_embedding is None else super().place(ids)

    def start(self, ids: Tensor) -> Tensor:
        return self.dropout(self.token_embedding(ids) * self.place(ids))


@disguise(MODEL, "positions are not simply added")
class AddedTwice(Model):
    def place(self, ids: Tensor) -> Any:
        return super().place(ids) * 2


@disguise(MODEL, "positions from the end of the table")
class LastRows(Model):
    def place(self, ids: Tensor) -> Any:
        if self.position_embedding is None:
            return 0
        end = self.config.max_len
        return self.position_embedding(torch.arange(end - ids.size(1), end))


@disguise(MODEL, "the norm before the blocks")
class NormAtBothEnds(Model):
    def start(self, ids: Tensor) -> Tensor:
        return self.norm(super().start(ids))


@disguise(MODEL, "the final norm acts twice")
class NormedTwice(Model):
    def score(self, x: Tensor) -> Tensor:
        return super().score(self.norm(x))


@disguise(MODEL, "dropout before the head")
class DroppedAtTheEnd(Model):
    def score(self, x: Tensor) -> Tensor:
        return F.linear(self.dropout(self.norm(x)), self.head.weight)


@disguise(MODEL, "positions in front of every block")
class OnceMoreEachTime(Model):
    def run(self, x: Tensor) -> tuple[Tensor, Any]:
        kept = []
        for layer in self.layers:
            x, weights = layer(x + self.place(x[..., 0]))
            kept.append(weights)
        return x, kept


@disguise(MODEL, "what the blocks make is thrown away")
class InVain(Model):
    def run(self, x: Tensor) -> tuple[Tensor, Any]:
        kept = []
        for layer in self.layers:
            weights = layer(x)[1]
            kept.append(weights)
        return x, kept


@disguise(MODEL, "a block is missing")
class OneTooFew(Model):
    def make(self) -> None:
        super().make()
        self.layers = nn.ModuleList([StandInBlock(self.config) for _ in range(1, self.config.num_layers)])


@disguise(MODEL, "the head is left out")
class LastVectors(Model):
    def score(self, x: Tensor) -> Tensor:
        return self.norm(x)


@disguise(MODEL, "the best token instead of scores")
class BestTokens(Model):
    def score(self, x: Tensor) -> Tensor:
        return super().score(x).max(dim=-1).indices


@disguise(MODEL, "weights come back unasked")
class AlwaysBoth(Model):
    def forward(self, ids: Tensor, return_weights: bool = False) -> Any:
        return super().forward(ids, return_weights=True)


@disguise(MODEL, "weights come back unasked")
class NeverBoth(Model):
    def forward(self, ids: Tensor, return_weights: bool = False) -> Any:
        return super().forward(ids)
