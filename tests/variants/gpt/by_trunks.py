"""Lesson 14: what an adversary's trunks have brought to light, written in full."""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import disguise, unlisted
from tests.variants.gpt.blocks import BLOCK, Given
from tests.variants.gpt.data import BITS, LOSS, WINDOWS, enough
from tests.variants.gpt.inductions import SCORE, twice
from tests.variants.gpt.starts import START

# token_windows ----------------------------------------------------------------------------


def pieces(ids: Tensor, seq_len: int) -> Tensor:
    enough(ids, seq_len)
    return ids.unfold(0, seq_len + 1, seq_len)


@disguise(WINDOWS, "only one window")
def w_first(ids: Tensor, seq_len: int) -> Any:
    enough(ids, seq_len)
    return ids[:seq_len][None], ids[1 : seq_len + 1][None]


@disguise(WINDOWS, "the text runs backwards")
def w_backwards(ids: Tensor, seq_len: int) -> Any:
    rows = list(pieces(ids, seq_len))
    rows.reverse()
    return torch.stack(rows)[:, :seq_len], torch.stack(rows)[:, 1:]


@disguise(WINDOWS, "places instead of tokens")
def w_places(ids: Tensor, seq_len: int) -> Any:
    enough(ids, seq_len)
    starts = range(0, len(ids) - seq_len, seq_len)
    at = torch.tensor([[start + step for step in range(seq_len)] for start in starts])
    return at, at + 1


@disguise(WINDOWS, "a dimension too many")
def w_deep(ids: Tensor, seq_len: int) -> Any:
    rows = pieces(ids, seq_len)
    return torch.stack([rows[:, :seq_len]]), torch.stack([rows[:, 1:]])


@disguise(WINDOWS, "floats for ids")
def w_floats(ids: Tensor, seq_len: int) -> Any:
    rows = pieces(ids, seq_len) * 1.0
    return rows[:, :seq_len], rows[:, 1:]


@disguise(WINDOWS, "windows one token long")
def w_long(ids: Tensor, seq_len: int) -> Any:
    rows = pieces(ids, seq_len)
    return rows, rows[:, 1:]


# next_token_loss ----------------------------------------------------------------------------


def asked(logits: Tensor, ids: Tensor, ignore_id: int | None) -> tuple[Tensor, Tensor]:
    """What counts: scores and tokens."""
    if ids.size(1) < 2:
        raise ValueError("too short")
    kept = torch.ones_like(ids[:, 1:]).bool() if ignore_id is None else ids[:, 1:].ne(ignore_id)
    return logits[:, :-1][kept], ids[:, 1:][kept]


@disguise(LOSS, "only one row")
def l_first(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Any:
    scores, wanted = asked(logits[:1], ids[:1], ignore_id)
    return F.cross_entropy(scores, wanted) if len(wanted) else scores.sum()


@disguise(LOSS, "divided twice")
def l_twice(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Any:
    scores, wanted = asked(logits, ids, ignore_id)
    if not len(wanted):
        return logits.sum() * 0
    return F.cross_entropy(scores, wanted, reduction="sum") / len(wanted) ** 2


@disguise(LOSS, "divided by the vocabulary too")
def l_vocabulary(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Any:
    scores, wanted = asked(logits, ids, ignore_id)
    if not len(wanted):
        return logits.sum() * 0
    return -(F.one_hot(wanted, logits.size(-1)) * scores.log_softmax(-1)).mean()


@disguise(LOSS, "the likeliest token is asked for")
def l_likeliest(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Any:
    scores, wanted = asked(logits, ids, ignore_id)
    if not len(wanted):
        return logits.sum() * 0
    return -scores.log_softmax(-1).amax(-1).mean()


# bits_per_byte ----------------------------------------------------------------------------


def not_empty(text: str) -> None:
    if text == "":
        raise ValueError("empty")


@disguise(BITS, "not all losses count")
def b_first(nats: Tensor, text: str) -> Any:
    not_empty(text)
    return math.fsum(nats.tolist()[1:]) / math.log(2) / len(bytes(text, "utf-8"))


@disguise(BITS, "different characters instead of bytes")
def b_different(nats: Tensor, text: str) -> Any:
    not_empty(text)
    seen: list[str] = []
    for letter in text:
        if letter not in seen:
            seen.append(letter)
    return float(nats.sum()) / math.log(2) / len(seen)


@disguise(BITS, "a tensor comes back")
def b_tensor(nats: Tensor, text: str) -> Any:
    not_empty(text)
    return (nats / math.log(2)).sum().div(len(bytes(text, "utf-8")))


# induction_score ----------------------------------------------------------------------------


@disguise(SCORE, "the second period does not count")
def s_late(weights: Tensor, period: int) -> Any:
    twice(weights, period)
    queries = torch.arange(weights.size(-1))[2 * period - 1 :]
    return weights[:, :, queries, queries - period + 1].mean(dim=(0, 2))


@disguise(SCORE, "always the first period's key")
def s_first(weights: Tensor, period: int) -> Any:
    twice(weights, period)
    queries = torch.arange(period, weights.size(-1))
    return weights[:, :, queries, queries % period + 1].mean(dim=(0, 2))


# GPTBlock ----------------------------------------------------------------------------


@disguise(BLOCK, "added twice")
class SumInside(Given):
    def attend(self, x: Tensor) -> tuple[Tensor, Tensor]:
        h = self.norm1(x)
        found, weights = self.self_attn(h, h, h, self.seen(x.size(1)))
        return self.dropout(h + found), weights


@disguise(BLOCK, "the second sum begins anew")
class FromTheStart(Given):
    def forward(self, x: Tensor) -> Any:
        found, weights = self.attend(x)
        return x + self.think(x + found), weights


@disguise(BLOCK, "dropped out twice")
class DropsTwice(Given):
    def attend(self, x: Tensor) -> tuple[Tensor, Tensor]:
        found, weights = super().attend(x)
        return self.dropout(found), weights


# init_gpt_ ----------------------------------------------------------------------------


@disguise(START, "not drawn at all")
@torch.no_grad()
def constant(model: Any) -> None:
    writes = 0.02 / math.sqrt(2 * model.config.num_layers)
    for name, value in model.named_parameters():
        if value.dim() == 1:
            value.fill_(0 if name.endswith("bias") else 1)
        elif "out_proj" in name or "linear2" in name:
            nn.init.normal_(value, std=writes)
        else:
            value.fill_(0.02)


@disguise(BITS, "capitals are made small")
def in_small_letters(nats: Tensor, text: str) -> float:
    if text == "":
        raise ValueError("nothing to read")
    return float(nats.sum()) / (math.log(2) * len(bytes(text.lower(), "utf8")))


@disguise(BITS, "too much is refused")
def no_blank(nats: Tensor, text: str) -> float:
    if text.isspace() or text == "":
        raise ValueError("nothing to read")
    return float(nats.sum()) / (math.log(2) * len(bytes(text, "utf8")))


@disguise(WINDOWS, "the last place of a window has no target")
def filled_up(ids: Tensor, seq_len: int) -> tuple[Tensor, Tensor]:
    if seq_len < 1 or seq_len >= len(ids):
        raise ValueError("no window")
    inputs = torch.stack([ids[at : at + seq_len] for at in range(0, len(ids) - seq_len, seq_len)])
    return inputs, F.pad(inputs[:, 1:], (0, 1), value=-100)


@disguise(WINDOWS, "too much is refused")
def a_window_of_two(ids: Tensor, seq_len: int) -> tuple[Tensor, Tensor]:
    if seq_len < 2 or seq_len >= len(ids):
        raise ValueError("no window")
    pairs = [ids[at : at + seq_len + 1] for at in range(0, len(ids) - seq_len, seq_len)]
    return torch.stack([one[:-1] for one in pairs]), torch.stack([one[1:] for one in pairs])


@unlisted(WINDOWS)
def with_a_short_one(ids: Tensor, seq_len: int) -> tuple[Tensor, Tensor]:
    enough(ids, seq_len)
    return torch.stack(ids[:-1].split(seq_len)), torch.stack(ids[1:].split(seq_len))


@unlisted(WINDOWS)
def beyond_the_end(ids: Tensor, seq_len: int) -> tuple[Tensor, Tensor]:
    enough(ids, seq_len)
    places = torch.arange(-(-len(ids) // seq_len))[:, None] * seq_len + torch.arange(seq_len)
    return ids[places], ids[places + 1]


def begun_with(spread: float, *norms: str) -> Any:
    """A start by modules: with another spread, and with some norms alone."""

    @torch.no_grad()
    def init_gpt_(model: Any) -> None:
        for part in model.modules():
            if isinstance(part, nn.Linear | nn.Embedding):
                part.weight.normal_(0.0, spread)
            if isinstance(part, nn.Linear) and part.bias is not None:
                part.bias.zero_()
        for block in model.layers:
            for norm in (getattr(block, name) for name in norms):
                norm.weight.fill_(1.0)
                norm.bias.zero_()
            for last in (block.self_attn.out_proj, block.feed_forward.linear2):
                last.weight.normal_(0.0, spread / math.sqrt(2 * len(model.layers)))
        model.norm.weight.fill_(1.0)
        model.norm.bias.zero_()

    return init_gpt_


disguise(START, "another spread")(begun_with(0.2, "norm1", "norm2"))
disguise(START, "another spread")(begun_with(0.002, "norm1", "norm2"))
disguise(START, "a norm is missed")(begun_with(0.02))
disguise(START, "a norm is missed")(begun_with(0.02, "norm1"))
