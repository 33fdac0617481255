"""Lesson 11 on torch.nn.functional and the stand-ins of the lessons before."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.probing.watch import outside_the_watch
from autograder.stand_ins.multi_head_attention import merge_heads, split_heads


def _must_be_some(src_ids: Tensor, max_len: int) -> None:
    if len(src_ids) == 0 or max_len < 1:
        raise ValueError(f"{len(src_ids)} sources and max_len={max_len}; give at least 1 of each")


@outside_the_watch
@torch.no_grad()
def greedy_decode(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    """Always the token that scores highest; the source is encoded once."""
    _must_be_some(src_ids, max_len)
    pad_id = model.config.pad_id
    memory, src_mask = model.encode(src_ids), (src_ids != pad_id)[:, None, None, :]
    written = torch.full((len(src_ids), max_len + 1), pad_id)
    written[:, 0] = bos_id
    going = list(range(len(src_ids)))
    for place in range(max_len):
        vectors = model.decode(written[going, : place + 1], memory[going], src_mask[going])
        best = model.output(vectors[:, -1]).max(dim=-1).indices
        written[going, place + 1] = best
        going = [row for row, token in zip(going, best.tolist(), strict=True) if token != eos_id]
        if not going:
            return written[:, 1 : place + 2]
    return written[:, 1:]


@outside_the_watch
def next_token_probs(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None
) -> Tensor:
    """Scores to the distribution that the next token is drawn from."""
    if not temperature > 0:
        raise ValueError(f"temperature={temperature}; give more than 0; for the best token take the argmax")
    if top_k is not None and top_k < 1:
        raise ValueError(f"top_k={top_k}; give 1 or more, or None for all tokens")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p={top_p}; give more than 0 and at most 1")
    ordered, tokens = (logits / temperature).sort(dim=-1, descending=True)
    rank = torch.arange(logits.size(-1), device=logits.device).expand_as(ordered)
    probs = F.softmax(ordered.masked_fill(rank >= (top_k or logits.size(-1)), float("-inf")), dim=-1)
    if top_p is not None:
        before = F.pad(probs.cumsum(dim=-1)[..., :-1], (1, 0))
        probs = F.normalize(probs * (before < top_p), p=1.0, dim=-1)
    return probs.gather(-1, tokens.argsort(dim=-1))


@outside_the_watch
def sample_next(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
) -> Tensor:
    """Draw one token for every row: the first whose cumulated probability exceeds a uniform number."""
    if len(logits) == 0:
        raise ValueError("logits has no row; give at least 1")
    probs = next_token_probs(logits, temperature, top_k, top_p)
    cumulated = probs.double().cumsum(dim=-1)
    number = torch.rand(len(logits), 1, generator=generator, dtype=torch.float64) * cumulated[:, -1:]
    return torch.searchsorted(cumulated, number, right=True).squeeze(1).clamp(max=logits.size(-1) - 1)


@outside_the_watch
@torch.no_grad()
def beam_search(
    model: Any,
    src_ids: Tensor,
    bos_id: int,
    eos_id: int,
    max_len: int,
    beam_size: int = 4,
    length_penalty: float = 0.6,
) -> list[tuple[list[int], float]]:
    """The most probable targets, of those that were among the best at every length."""
    if len(src_ids) != 1:
        raise ValueError(f"{len(src_ids)} sources; give 1")
    if max_len < 1 or beam_size < 1:
        raise ValueError(f"max_len={max_len} and beam_size={beam_size}; give at least 1 of each")
    memory, src_mask = model.encode(src_ids), (src_ids != model.config.pad_id)[:, None, None, :]
    written, totals = torch.full((1, 1), bos_id), torch.zeros(1)
    found: list[tuple[list[int], float]] = []

    def put_aside(rows: Tensor, values: Tensor) -> None:
        for row, value in zip(rows[:, 1:].tolist(), values.tolist(), strict=True):
            found.append((row, value * (6 / (5 + len(row))) ** length_penalty))

    for _ in range(max_len):
        vectors = model.decode(written, memory.expand(len(written), -1, -1), src_mask)
        every = totals[:, None] + F.log_softmax(model.output(vectors[:, -1]), dim=-1)
        order = every.flatten().argsort(descending=True)[: beam_size - len(found)]
        written = torch.cat([written[order // every.size(1)], (order % every.size(1))[:, None]], dim=1)
        totals = every.flatten()[order]
        over = written[:, -1] == eos_id
        put_aside(written[over], totals[over])
        written, totals = written[~over], totals[~over]
        if len(written) == 0:
            break
    put_aside(written, totals)
    return sorted(found, key=lambda one: -one[1])


class KVCache:
    """Keys and values of all tokens that have been read."""

    def __init__(self) -> None:
        self.k: Tensor | None = None
        self.v: Tensor | None = None

    @property
    def length(self) -> int:
        """How many tokens it holds."""
        return 0 if self.k is None else self.k.shape[2]

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Add those of new tokens; returns those of all."""
        self.k = torch.cat([one for one in (self.k, k) if one is not None], dim=2)
        self.v = torch.cat([one for one in (self.v, v) if one is not None], dim=2)
        return self.k, self.v


@outside_the_watch
class CachedDecoder(nn.Module):
    """Run a decoder on new tokens only."""

    def __init__(self, decoder: Any) -> None:
        super().__init__()
        self.decoder = decoder
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.self_caches = [KVCache() for _ in self.decoder.layers]
        self.cross_caches = [KVCache() for _ in self.decoder.layers]

    @property
    def length(self) -> int:
        """How many tokens have been read."""
        return self.self_caches[0].length

    def forward(self, x: Tensor, memory: Tensor, cross_mask: Tensor | None = None) -> Tensor:
        """What the decoder makes of the new tokens."""
        read, new = self.length, x.size(1)
        mask = torch.arange(read + new) <= torch.arange(read, read + new)[:, None]
        for layer, own, cross in zip(self.decoder.layers, self.self_caches, self.cross_caches, strict=True):
            pre = layer.norm_first
            h = layer.norm1(x) if pre else x
            x = x + layer.dropout(_attend(layer.self_attn, h, own.append(*_keys(layer.self_attn, h)), mask))
            x = x if pre else layer.norm1(x)
            h = layer.norm2(x) if pre else x
            if cross.length == 0:
                cross.append(*_keys(layer.cross_attn, memory))
            x = x + layer.dropout(_attend(layer.cross_attn, h, (cross.k, cross.v), cross_mask))
            x = x if pre else layer.norm2(x)
            x = x + layer.dropout(layer.feed_forward(layer.norm3(x) if pre else x))
            x = x if pre else layer.norm3(x)
        return self.decoder.norm(x) if self.decoder.norm is not None else x


def _keys(attention: Any, tokens: Tensor) -> tuple[Tensor, Tensor]:
    heads = attention.num_heads
    return split_heads(attention.k_proj(tokens), heads), split_heads(attention.v_proj(tokens), heads)


def _attend(attention: Any, query: Tensor, found: tuple[Any, Any], mask: Tensor | None) -> Tensor:
    q = split_heads(attention.q_proj(query), attention.num_heads)
    return attention.out_proj(merge_heads(F.scaled_dot_product_attention(q, *found, mask)))


@outside_the_watch
@torch.no_grad()
def greedy_decode_cached(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    """As `greedy_decode`, one new token at a time."""
    _must_be_some(src_ids, max_len)
    pad_id = model.config.pad_id
    memory, src_mask = model.encode(src_ids), (src_ids != pad_id)[:, None, None, :]
    cached = CachedDecoder(model.decoder)
    written = torch.full((len(src_ids), 1), bos_id)
    over = torch.zeros(len(src_ids), 1, dtype=torch.bool)
    while written.size(1) <= max_len and not over.all():
        newest = model.tgt_embedding(written[:, -1:])
        best = model.output(cached(model.positions(newest, cached.length), memory, src_mask)).argmax(dim=-1)
        written = torch.cat([written, torch.where(over, pad_id, best)], dim=1)
        over = over | (best == eos_id)
    return written[:, 1:]
