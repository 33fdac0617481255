"""Lesson 14: GPTBlock."""

import math
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins.attention import causal_mask
from autograder.stand_ins.feed_forward import FeedForward, add_norm, gelu
from autograder.stand_ins.gpt import GPTBlock as StandIn
from autograder.stand_ins.layer_norm import LayerNorm
from autograder.stand_ins.multi_head_attention import MultiHeadAttention
from autograder.stand_ins.positional_encoding import RotaryAttention
from tests.variants import correct, disguise, slips, unlisted

BLOCK = "GPTBlock"


def before(size: int, reach: int = 0) -> Tensor:
    """True where place j is at most `reach` after place i."""
    places = torch.arange(size)
    return places <= places[:, None] + reach


class Given(nn.Module):
    """The constructor that the notebook gives, with a forward made of steps."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.self_attn: Any = (
            RotaryAttention(config.d_model, config.num_heads)
            if config.positions == "rotary"
            else MultiHeadAttention(config.d_model, config.num_heads, config.dropout)
        )
        self.feed_forward: Any = FeedForward(config.d_model, config.d_ff, config.dropout, "gelu")
        if config.activation == "gelu_tanh":
            self.feed_forward.activation = partial(gelu, approximate="tanh")
        self.norm1, self.norm2 = LayerNorm(config.d_model), LayerNorm(config.d_model)
        self.dropout = nn.Dropout(config.dropout)

    def seen(self, size: int) -> Any:
        """The mask."""
        return before(size)

    def attend(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """What attention adds, and its weights."""
        h = self.norm1(x)
        found, weights = self.self_attn(h, h, h, self.seen(x.size(1)))
        return self.dropout(found), weights

    def think(self, x: Tensor) -> Tensor:
        """What the feed-forward network adds."""
        return self.dropout(self.feed_forward(self.norm2(x)))

    def forward(self, x: Tensor) -> Any:
        """Both steps."""
        found, weights = self.attend(x)
        x = x + found
        return x + self.think(x), weights


correct(BLOCK)(Given)


@correct(BLOCK)
class SeparateWeights(Given):
    """The attention called for each text by itself."""

    def attend(self, x: Tensor) -> tuple[Tensor, Tensor]:
        pairs = [self.self_attn(one, one, one, before(x.size(1))) for one in self.norm1(x).split(1)]
        return self.dropout(torch.cat([a for a, _ in pairs])), torch.cat([b for _, b in pairs])


# Trunks ----------------------------------------------------------------------------


class WithAddNorm(Given):
    """Two calls of add_norm, and a list for the weights."""

    def forward(self, x: Tensor) -> Any:
        kept: list[Tensor] = []
        size = x.shape[1]
        allowed = causal_mask(size)

        def look(n: Tensor) -> Tensor:
            out, w = self.self_attn(n, n, n, allowed)
            kept.append(w)
            return out

        y = add_norm(x, look, self.norm1, self.dropout, True)
        z = add_norm(y, self.feed_forward, self.norm2, self.dropout, True)
        return z, kept[0]


slips(
    BLOCK,
    WithAddNorm,
    {
        "not causal": [
            {"n, n, n, allowed": "n, n, n"},
            {"causal_mask(size)": "torch.ones(size, size, dtype=torch.bool)"},
        ],
        "the triangle upside down": {"causal_mask(size)": "causal_mask(size).T"},
        "the mask the wrong way round": {"causal_mask(size)": "~causal_mask(size)"},
        "a token does not see itself": {"causal_mask(size)": "causal_mask(size).tril(-1)"},
        "post-norm": {
            "y = add_norm(x, look, self.norm1, self.dropout, True)": "y = add_norm(x, look, self.norm1, self.dropout)",
            "self.norm2, self.dropout, True": "self.norm2, self.dropout",
        },
        "attention in pre-norm, the rest in post-norm": {"self.norm2, self.dropout, True": "self.norm2, self.dropout"},
        "only queries are normalized": {"n, n, n, allowed": "n, x, x, allowed"},
        "one norm for both": [
            {"look, self.norm1": "look, self.norm2"},
            {"self.feed_forward, self.norm2": "self.feed_forward, self.norm1"},
        ],
        "norms exchanged": {
            "look, self.norm1": "look, self.norm2",
            "self.feed_forward, self.norm2": "self.feed_forward, self.norm1",
        },
        "no feed-forward network": {"return z, kept": "return y, kept"},
        "no dropout on what attention adds": {"look, self.norm1, self.dropout": "look, self.norm1, nn.Identity()"},
        "no dropout on what the feed-forward network adds": {"self.norm2, self.dropout": "self.norm2, nn.Identity()"},
        "not causal + no feed-forward network": {"n, n, n, allowed": "n, n, n", "return z, kept": "return y, kept"},
    },
)


class StepByStep(Given):
    """A name for each step."""

    def forward(self, x: Tensor) -> Any:
        places = torch.arange(x.size(1))
        may = places[None, :] <= places[:, None]
        residual = x
        x = self.norm1(x)
        out, w = self.self_attn(x, x, x, may)
        x = residual + self.dropout(out)
        residual = x
        x = self.norm2(x)
        x = self.feed_forward(x)
        return residual + self.dropout(x), w


slips(
    BLOCK,
    StepByStep,
    {
        "not causal": {"x, x, x, may": "x, x, x"},
        "the triangle upside down": {"<= places": ">= places"},
        "the mask the wrong way round": {"<= places": "> places"},
        "a token does not see itself": {"<= places": "< places"},
        "sees the next token": {"<= places[:, None]": "<= places[:, None] + 1"},
        "attention reads without norm": {"x = self.norm1(x)": "pass"},
        "the feed-forward network reads without norm": {"x = self.norm2(x)": "pass"},
        "one norm for both": [{"self.norm2(x)": "self.norm1(x)"}, {"self.norm1(x)": "self.norm2(x)"}],
        "norms exchanged": {"self.norm2(x)": "self.norm1(x)", "self.norm1(x)": "self.norm2(x)"},
        "attention is not added": {"x = residual + self.dropout(out)": "x = self.dropout(out)"},
        "the feed-forward network is not added": {"return residual + self.dropout(x)": "return self.dropout(x)"},
        "the normalized tokens go on": {"residual = x\n        x = self.norm1(x)": "x = residual = self.norm1(x)"},
        "no dropout on what attention adds": {"self.dropout(out)": "out"},
        "no dropout on what the feed-forward network adds": {"residual + self.dropout(x)": "residual + x"},
        "dropout on the sum": {"residual + self.dropout(out)": "self.dropout(residual + out)"},
        "no feed-forward network": {"return residual + self.dropout(x)": "return residual"},
        "the feed-forward network reads without norm + attention is not added": {
            "x = residual + self.dropout(out)": "x = self.dropout(out)",
            "x = self.norm2(x)": "pass",
        },
    },
)


class OneExpression(Given):
    """As small implementations have it."""

    def forward(self, x: Tensor) -> Any:
        mask = torch.tril(torch.ones(x.size(1), x.size(1))) == 1
        n = self.norm1(x)
        a, w = self.self_attn(n, n, n, mask)
        x = torch.add(x, self.dropout(a))
        f = self.feed_forward(self.norm2(x))
        return torch.add(x, self.dropout(f)), w


slips(
    BLOCK,
    OneExpression,
    {
        "not causal": {"n, n, n, mask": "n, n, n"},
        "the triangle upside down": {"torch.tril": "torch.triu"},
        "the mask the wrong way round": {"== 1": "== 0"},
        "a token does not see itself": {"torch.ones(x.size(1), x.size(1))": "torch.ones(x.size(1), x.size(1)), -1"},
        "sees the next token": {"torch.ones(x.size(1), x.size(1))": "torch.ones(x.size(1), x.size(1)), 1"},
        "attention reads without norm": {"n = self.norm1(x)": "n = x"},
        "only queries are normalized": {"n, n, n, mask": "n, x, x, mask"},
        "the feed-forward network reads without norm": {"self.norm2(x)": "x"},
        "one norm for both": {"self.norm2(x)": "self.norm1(x)"},
        "the normalized tokens go on": {"torch.add(x, self.dropout(a))": "torch.add(n, self.dropout(a))"},
        "attention is not added": {"torch.add(x, self.dropout(a))": "self.dropout(a)"},
        "the feed-forward network is not added": {"torch.add(x, self.dropout(f))": "self.dropout(f)"},
        "both read the same tokens": {
            "f = self.feed_forward(self.norm2(x))": "",
            "n = self.norm1(x)": "n = self.norm1(x)\n        f = self.feed_forward(self.norm2(x))",
        },
        "no dropout on what attention adds": {"self.dropout(a)": "a"},
        "no dropout on what the feed-forward network adds": {"self.dropout(f)": "f"},
        "dropout on the sum": {"torch.add(x, self.dropout(a))": "self.dropout(torch.add(x, a))"},
        "post-norm": {
            "n = self.norm1(x)": "n = x",
            "torch.add(x, self.dropout(a))": "self.norm1(torch.add(x, self.dropout(a)))",
            "self.norm2(x)": "x",
            "torch.add(x, self.dropout(f))": "self.norm2(torch.add(x, self.dropout(f)))",
        },
    },
)


# In full ----------------------------------------------------------------------------


@disguise(BLOCK, "not causal")
class SeesAll(Given):
    def seen(self, size: int) -> Any:
        return None


@disguise(BLOCK, "the triangle upside down")
class Upper(Given):
    def seen(self, size: int) -> Any:
        return torch.ones(size, size).triu().bool()


@disguise(BLOCK, "the mask the wrong way round")
class Inverted(Given):
    def seen(self, size: int) -> Any:
        return torch.ones(size, size).triu(1).bool()


@disguise(BLOCK, "a token does not see itself")
class Strict(Given):
    def seen(self, size: int) -> Any:
        return before(size, -1)


@disguise(BLOCK, "sees the next token")
class OneAhead(Given):
    def seen(self, size: int) -> Any:
        return before(size, 1)


@disguise(BLOCK, "post-norm")
class Post(Given):
    def forward(self, x: Tensor) -> Any:
        found, weights = self.self_attn(x, x, x, before(x.size(1)))
        x = self.norm1(x + self.dropout(found))
        return self.norm2(x + self.dropout(self.feed_forward(x))), weights


@disguise(BLOCK, "attention in pre-norm, the rest in post-norm")
class Mixed(Given):
    def forward(self, x: Tensor) -> Any:
        found, weights = self.attend(x)
        x = x + found
        return self.norm2(self.dropout(self.feed_forward(x)) + x), weights


@disguise(BLOCK, "attention reads without norm")
class RawAttention(Given):
    def attend(self, x: Tensor) -> tuple[Tensor, Tensor]:
        found, weights = self.self_attn(x, x, x, self.seen(x.size(1)))
        return self.dropout(found), weights


@disguise(BLOCK, "only queries are normalized")
class QueriesOnly(Given):
    def attend(self, x: Tensor) -> tuple[Tensor, Tensor]:
        found, weights = self.self_attn(query=self.norm1(x), key=x, value=x, mask=self.seen(x.size(1)))
        return self.dropout(found), weights


@disguise(BLOCK, "the feed-forward network reads without norm")
class RawThought(Given):
    def think(self, x: Tensor) -> Tensor:
        return self.dropout(self.feed_forward(x))


@disguise(BLOCK, "one norm for both")
class SameNorm(Given):
    def think(self, x: Tensor) -> Tensor:
        return self.dropout(self.feed_forward(self.norm1(x)))


@disguise(BLOCK, "norms exchanged")
class OtherNorms(Given):
    def forward(self, x: Tensor) -> Any:
        n = F.layer_norm(x, x.shape[-1:], self.norm2.weight, self.norm2.bias)
        found, weights = self.self_attn(n, n, n, before(x.size(1)))
        x = x + self.dropout(found)
        return x + self.dropout(self.feed_forward(self.norm1(x))), weights


@disguise(BLOCK, "the normalized tokens go on")
class FromTheNorm(Given):
    def forward(self, x: Tensor) -> Any:
        found, weights = self.attend(x)
        x = found + self.norm1(x)
        return x + self.think(x), weights


@disguise(BLOCK, "attention is not added")
class Replaced(Given):
    def forward(self, x: Tensor) -> Any:
        x, weights = self.attend(x)
        return x + self.think(x), weights


@disguise(BLOCK, "the feed-forward network is not added")
class ReplacedAtTheEnd(Given):
    def forward(self, x: Tensor) -> Any:
        found, weights = self.attend(x)
        return self.think(x + found), weights


@disguise(BLOCK, "no feed-forward network")
class OnlyAttends(Given):
    def think(self, x: Tensor) -> Tensor:
        return torch.zeros_like(x)


@disguise(BLOCK, "both read the same tokens")
class Parallel(Given):
    def forward(self, x: Tensor) -> Any:
        found, weights = self.attend(x)
        return x + found + self.think(x), weights


@disguise(BLOCK, "feed-forward before attention")
class ThinksFirst(Given):
    def forward(self, x: Tensor) -> Any:
        x = x + self.think(x)
        found, weights = self.attend(x)
        return x + found, weights


@disguise(BLOCK, "no dropout on what attention adds")
class Undropped(Given):
    def attend(self, x: Tensor) -> tuple[Tensor, Tensor]:
        h = self.norm1(x)
        return self.self_attn(h, h, h, self.seen(x.size(1)))


@disguise(BLOCK, "no dropout on what the feed-forward network adds")
class UndroppedThought(Given):
    def think(self, x: Tensor) -> Tensor:
        return self.feed_forward(self.norm2(x))


@disguise(BLOCK, "dropout on the sum")
class DropsAll(Given):
    def forward(self, x: Tensor) -> Any:
        h = self.norm1(x)
        found, weights = self.self_attn(h, h, h, before(x.size(1)))
        x = F.dropout(found + x, self.dropout.p, self.training)
        return x + self.think(x), weights


@disguise(BLOCK, "ReLU")
class Relu(Given):
    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.feed_forward.activation = F.relu


@disguise(BLOCK, "the exact GELU where the other is asked for")
class Exact(Given):
    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.feed_forward.activation = lambda x: 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))


@unlisted(BLOCK)
class Halved(Given):
    def think(self, x: Tensor) -> Tensor:
        return super().think(x) / 2


@unlisted(BLOCK)
class Twice(Given):
    def think(self, x: Tensor) -> Tensor:
        return super().think(x + super().think(x))


@disguise(BLOCK, "a window instead of the whole past")
class Window(Given):
    def seen(self, size: int) -> Any:
        return before(size) & before(size, 2).T


@disguise(BLOCK, "the GELU by tanh where the exact one is asked for")
class AlwaysTanh(StandIn):
    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.feed_forward.activation = partial(gelu, approximate="tanh")


@unlisted(BLOCK)
class EverySecond(Given):
    def seen(self, size: int) -> Any:
        place = torch.arange(size)
        return before(size) & ((place[:, None] - place) % 2 == 0)
