"""Lesson 11: programs of somebody who had the student's page alone, and slips in them."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.checks.decoding.shared import EOS, PAD
from autograder.stand_ins import decoding as stand_in
from autograder.stand_ins.attention import padding_mask, scaled_dot_product_attention
from tests.variants import disguise, slips, unlisted
from tests.variants.decoding.beam import Search, searches
from tests.variants.decoding.cached_decoder import Rolled
from tests.variants.decoding.greedy import loop

# sample_next ----------------------------------------------------------------------------


def drawn_from(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    if not logits.size(0):
        raise ValueError("no row")
    shares = stand_in.next_token_probs(logits, temperature, top_k, top_p)
    return shares.multinomial(num_samples=1, generator=generator)[:, 0]


slips(
    "sample_next",
    drawn_from,
    {
        "always the best token": {
            "shares.multinomial(num_samples=1, generator=generator)[:, 0]": "shares.topk(1).indices"
        },
        "top_k and top_p exchanged": {"temperature, top_k, top_p)": "temperature, top_p, top_k)"},
    },
)

# beam_search ----------------------------------------------------------------------------


def in_rows(
    model: Any,
    src_ids: Tensor,
    bos_id: int,
    eos_id: int,
    max_len: int,
    beam_size: int = 4,
    length_penalty: float = 0.6,
) -> list:
    if src_ids.size(0) != 1 or min(max_len, beam_size) < 1:
        raise ValueError("one source, and at least 1 of each")
    rows, sums = torch.full((1, 1), bos_id), torch.zeros(1, 1)
    out: list[tuple[list[int], float]] = []
    room = beam_size
    for _ in range(max_len):
        with torch.no_grad():
            scores = model(src_ids.repeat(len(rows), 1), rows)
        every = sums + torch.log_softmax(scores[:, -1, :], -1)
        order = every.view(-1).argsort(descending=True)[:room]
        beam, token = order // every.size(1), order % every.size(1)
        rows, sums = torch.cat([rows[beam], token[:, None]], 1), every.view(-1)[order][:, None]
        done = token == eos_id
        out += zip(rows[done][:, 1:].tolist(), sums[done].flatten().tolist(), strict=True)
        room -= int(done.sum())
        rows, sums = rows[~done], sums[~done]
        if not len(rows):
            break
    out += zip(rows[:, 1:].tolist(), sums.flatten().tolist(), strict=True)
    marks = [(one, total * (6 / (5 + len(one))) ** length_penalty) for one, total in out]
    return sorted(marks, key=lambda pair: -pair[1])


GREEDILY = "order = every.argmax(1) + torch.arange(len(every)) * every.size(1)"
REST = "out += zip(rows[:, 1:].tolist(), sums.flatten().tolist(), strict=True)\n    marks"

slips(
    "beam_search",
    in_rows,
    {
        "told without the penalty": {
            "return sorted(marks, key=lambda pair: -pair[1])": (
                "return [out[i] for i in sorted(range(len(out)), key=lambda i: -marks[i][1])]"
            )
        },
        "a token of every target is lost": [
            {"marks = [(one, total": "marks = [(one[:-1], total"},
            {"marks = [(one, total": "marks = [(one[1:], total"},
            {"marks =": "out = [(one[:-1], total) for one, total in out]\n    marks ="},
        ],
        "bos_id is in the result": {"marks =": "out = [([bos_id, *one], total) for one, total in out]\n    marks ="},
        "each beam is continued with its best token only": {
            "order = every.view(-1).argsort(descending=True)[:room]": GREEDILY
        },
        "targets that have not ended are lost": {REST: f"if not out:\n        {REST}"},
        "targets that have ended go on": {
            "rows, sums = rows[~done], sums[~done]\n        if not len(rows):": "if not len(rows):"
        },
        "the brackets of the penalty": [
            {"total * (6 / (5 + len(one))) ** length_penalty": "total / (5 + len(one)) ** length_penalty"},
            {"total * (6 / (5 + len(one))) ** length_penalty": "total * 6 / (5 + len(one)) ** length_penalty"},
        ],
        "the penalty during the search": {
            "torch.log_softmax(scores[:, -1, :], -1)\n": "torch.log_softmax(scores[:, -1, :], -1)\n"
            "        every = every * (6 / (5 + rows.size(1))) ** length_penalty\n"
        },
        "probabilities, not their logarithms": {
            "torch.zeros(1, 1)": "torch.ones(1, 1)",
            "sums + torch.log_softmax(scores[:, -1, :], -1)": "sums * torch.softmax(scores[:, -1, :], -1)",
        },
        "eos_id is not in the result": [
            {"[(one, total": "[([token for token in one if token != eos_id], total"},
            {
                "for one, total in out]": "for one, total in cut]",
                "    marks =": "    cut = [(t[:-1] if t[-1] == eos_id else t, total) for t, total in out]\n    marks =",
            },
        ],
        "some tokens are never written": [
            {"scores[:, -1, :], -1)": "scores[:, -1, :], -1)\n        every[:, model.config.pad_id] = -torch.inf"},
            {"scores[:, -1, :], -1)": "scores[:, -1, :], -1)\n        every[:, bos_id] = -torch.inf"},
        ],
        "one token too many": {"range(max_len)": "range(1 + max_len)"},
        "only the best is returned": {"key=lambda pair: -pair[1])": "key=lambda pair: -pair[1])[0]"},
    },
)

# CachedDecoder ----------------------------------------------------------------------------


def heads_of(x: Tensor, count: int) -> Tensor:
    return x.unflatten(-1, (count, -1)).transpose(1, 2)


class Beside(nn.Module):
    """Two dictionaries for each layer, and the residuals written out."""

    def __init__(self, decoder: Any) -> None:
        super().__init__()
        self.decoder = decoder
        self.reset()

    def reset(self) -> None:
        self.caches: list[tuple[dict, dict]] = [({}, {}) for _ in self.decoder.layers]

    @property
    def length(self) -> int:
        return self.caches[0][0]["k"].size(2) if self.caches[0][0] else 0

    def look(self, part: Any, h: Tensor, new: Tensor | None, kept: dict, mask: Tensor | None) -> Tensor:
        asked = heads_of(part.q_proj(h), part.num_heads)
        if new is not None:
            fresh = {"k": heads_of(part.k_proj(new), part.num_heads), "v": heads_of(part.v_proj(new), part.num_heads)}
            kept.update({key: torch.cat([kept[key], one], 2) if kept else one for key, one in fresh.items()})
        k, v = kept["k"], kept["v"]
        table = asked @ k.mT / asked.size(-1) ** 0.5
        if mask is not None:
            table = table.masked_fill(~mask, -torch.inf)
        return part.out_proj((table.softmax(-1).nan_to_num() @ v).transpose(1, 2).flatten(2))

    def one_layer(self, layer: Any, caches: Any, x: Tensor, memory: Tensor, mask: Any, cross_mask: Any) -> Tensor:
        own, cross = caches
        steps = (
            (layer.norm1, lambda h: self.look(layer.self_attn, h, h, own, mask)),
            (layer.norm2, lambda h: self.look(layer.cross_attn, h, None if cross else memory, cross, cross_mask)),
            (layer.norm3, layer.feed_forward),
        )
        for norm, sublayer in steps:
            more = layer.dropout(sublayer(norm(x) if layer.norm_first else x))
            x = x + more if layer.norm_first else norm(x + more)
        return x

    def forward(self, x: Tensor, memory: Tensor, cross_mask: Tensor | None = None) -> Tensor:
        before, new = self.length, x.size(1)
        mask = torch.ones(new, before + new, dtype=torch.bool).tril(before)
        for layer, caches in zip(self.decoder.layers, self.caches, strict=True):
            x = self.one_layer(layer, caches, x, memory, mask, cross_mask)
        return self.decoder.norm(x) if self.decoder.norm else x


NORMED = "            x = (self.decoder.norm or nn.Identity())(x)"
NEW_ONLY = 'k, v = (fresh["k"], fresh["v"]) if new is not None else (kept["k"], kept["v"])'

slips(
    "CachedDecoder",
    Beside,
    {
        "the target is not cached": [
            {
                'k, v = kept["k"], kept["v"]': NEW_ONLY,
                "if mask is not None:": "if mask is not None:\n            mask = mask[..., -k.size(2) :]",
            },
            {"before, new = self.length": "self.reset()\n        before, new = self.length"},
            {"self.look(layer.self_attn, h, h, own, mask)": "self.look(layer.self_attn, h, h, {}, mask)"},
        ],
        "keys and values exchanged": {'k, v = kept["k"]': 'v, k = kept["k"]'},
        "the queries are not projected": {"heads_of(part.q_proj(h)": "heads_of(h"},
        "keys and values are not projected": {
            "heads_of(part.k_proj(new)": "heads_of(new",
            "heads_of(part.v_proj(new)": "heads_of(new",
        },
        "heads put together in the wrong order": {".transpose(1, 2).flatten(2)": ".reshape(h.shape)"},
        "one attention for target and source": {"layer.cross_attn": "layer.self_attn"},
        "the last norm after every layer": {"x, memory, mask, cross_mask)": "x, memory, mask, cross_mask)\n" + NORMED},
        "one norm for several sublayers": {"(layer.norm3,": "(layer.norm2,"},
        "norms exchanged": {"(layer.norm1,": "(layer.norm2,", "(layer.norm2,": "(layer.norm1,"},
        "new tokens see those after them": {".tril(before)": ".tril(before if before == 0 else before + new)"},
    },
)

# greedy_decode_cached ----------------------------------------------------------------------------


@torch.no_grad()
def by_steps(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    if not len(src_ids) or max_len < 1:
        raise ValueError("nothing to do")
    cached, pad_id = stand_in.CachedDecoder(model.decoder), model.config.pad_id
    source, seen = model.encode(src_ids), padding_mask(src_ids, pad_id)
    column = torch.full((src_ids.size(0), 1), bos_id)
    silent = torch.zeros_like(column, dtype=torch.bool)
    out = torch.empty(src_ids.size(0), 0, dtype=torch.long)
    while out.size(1) < max_len and not silent.all():
        placed = model.positions(model.tgt_embedding(column), start=out.size(1))
        column = model.output(cached(placed, source, seen)).argmax(-1)
        column[silent] = pad_id
        out = torch.cat([out, column], 1)
        silent = silent | (column == eos_id)
    return out


slips(
    "greedy_decode_cached",
    by_steps,
    {
        "0 in the place of padding": {"column[silent] = pad_id": "column[silent] = 0"},
        "eos_id is not in the result": {"    return out": "    return out.where(out != eos_id, pad_id)"},
    },
)


# Written in full ----------------------------------------------------------------------------


@disguise("sample_next", "top_k and top_p exchanged")
def one_for_the_other(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    if len(logits) < 1:
        raise ValueError("no row")
    shares = stand_in.next_token_probs(logits, temperature=temperature, top_p=top_k, top_k=top_p)
    return torch.multinomial(shares, 1, generator=generator).flatten()


@disguise("greedy_decode_cached", "0 in the place of padding")
def zeros_behind_the_end(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    out = stand_in.greedy_decode_cached(model, src_ids, bos_id, eos_id, max_len)
    over = (out == eos_id).int().cumsum(1).roll(1, 1)
    over[:, 0] = 0
    return torch.where(over > 0, 0, out)


@disguise("greedy_decode_cached", "eos_id is not in the result")
def no_end(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    out = stand_in.greedy_decode_cached(model, src_ids, bos_id, eos_id, max_len)
    out[out == eos_id] = model.config.pad_id
    return out


class Shrinking(Search):
    """Divides what is carried on."""

    def __call__(self, *given: Any, **named: Any) -> list:
        self.written, self.penalty = 0, named.get("length_penalty", given[6] if len(given) > 6 else 0.6)
        return super().__call__(*given, **named)

    def step(self, logits: Tensor) -> Tensor:
        self.written += 1
        return super().step(logits)

    def total(self, so_far: float, step: float) -> float:
        return (so_far + step) / ((5 + self.written) / 6) ** self.penalty


searches(disguise, "one token too many", steps=lambda self, max_len: max_len + 1)


@disguise("beam_search", "the penalty during the search")
def shrinking(*given: Any, **named: Any) -> list:
    return Shrinking()(*given, **named)


searches(
    disguise,
    "eos_id is not in the result",
    rank=lambda self, scored: sorted(
        (([token for token in tokens if token != EOS], score) for tokens, score in scored), key=lambda one: -one[1]
    ),
)
searches(
    disguise,
    "some tokens are never written",
    step=lambda self, logits: torch.log_softmax(logits, -1) - 1 / (torch.arange(logits.size(-1)) != PAD).double() + 1,
)


@disguise("CachedDecoder", "keys and values exchanged")
class ValuesForKeys(Rolled):
    def keys(self, part: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        k, v = super().keys(part, x)
        return v, k


@disguise("CachedDecoder", "keys and values are not projected")
class TokensForKeys(Rolled):
    def keys(self, part: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        return heads_of(x, part.num_heads), heads_of(x, part.num_heads)


@disguise("CachedDecoder", "the queries are not projected")
class TokensForQueries(Rolled):
    def ask(self, part: Any, x: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        out, _ = scaled_dot_product_attention(heads_of(x, part.num_heads), k, v, mask)
        return part.out_proj(out.transpose(1, 2).flatten(2))


@disguise("CachedDecoder", "heads put together in the wrong order")
class HeadsUnderEachOther(Rolled):
    def ask(self, part: Any, x: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        out, _ = scaled_dot_product_attention(heads_of(part.q_proj(x), part.num_heads), k, v, mask)
        return part.out_proj(out.contiguous().view(len(x), x.size(1), -1))


@disguise("CachedDecoder", "one attention for target and source")
class OneAttention(Rolled):
    def read_source(self, number: int, layer: Any, h: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
        if (number, "cross") not in self.kept:
            self.kept[number, "cross"] = self.keys(layer.self_attn, memory)
        return self.ask(layer.self_attn, h, *self.kept[number, "cross"], mask)


@disguise("CachedDecoder", "norms exchanged")
class OtherNorms(Rolled):
    def around(self, x: Tensor, sublayer: Any, norm: Any, layer: Any) -> Tensor:
        other = {layer.norm1: layer.norm2, layer.norm2: layer.norm1}.get(norm, norm)
        return super().around(x, sublayer, other, layer)


@disguise("CachedDecoder", "the last norm after every layer")
class NormedOften(Rolled):
    def around(self, x: Tensor, sublayer: Any, norm: Any, layer: Any) -> Tensor:
        out = super().around(x, sublayer, norm, layer)
        return self.finish(out) if norm is layer.norm3 else out


# greedy_decode, another token than the best -------------------------------------------------------------


@disguise("greedy_decode", "a token is drawn")
def g_drawn(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return torch.tensor(loop(model, src_ids, bos_id, eos_id, max_len, lambda one: one.softmax(-1).multinomial(1)[:, 0]))


@disguise("greedy_decode", "begins with another token")
def g_behind_the_end(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return stand_in.greedy_decode(model, src_ids, eos_id, eos_id, max_len)


@disguise("greedy_decode", "the first token is lost")
def g_from_the_second(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return stand_in.greedy_decode(model, src_ids, bos_id, eos_id, max_len)[:, 1:]


@disguise("greedy_decode", "dropout is on")
def g_in_training(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    model.train()
    return torch.tensor(loop(model, src_ids, bos_id, eos_id, max_len))


def stepping(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int, **parts: Any) -> Tensor:
    """On a table that grows; how it is read, chosen from and added to can be others."""
    if min(len(src_ids), max_len) < 1:
        raise ValueError("nothing to write")
    scores = parts.get("scores", lambda logits: logits[:, -1])
    choose = parts.get("choose", lambda one, ids: one.argmax(-1))
    ids = src_ids.new_full((len(src_ids), 1), bos_id)
    ended = torch.zeros(len(src_ids), dtype=torch.bool)
    while ids.size(1) <= max_len and not ended.all():
        new = torch.where(ended, model.config.pad_id, choose(scores(model(src_ids, ids)), ids))
        ids, ended = torch.cat([new[:, None], ids][:: parts.get("order", -1)], 1), ended | (new == eos_id)
    return ids[:, 1:]


@disguise("greedy_decode", "a new token in front")
def g_in_front(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return stepping(model, src_ids, bos_id, eos_id, max_len, order=1)


@disguise("greedy_decode", "all places together")
def g_mean_of_places(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return stepping(model, src_ids, bos_id, eos_id, max_len, scores=lambda logits: logits.sum(1))


@disguise("greedy_decode", "the logits of the place before the last")
def g_place_before(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return stepping(
        model, src_ids, bos_id, eos_id, max_len, scores=lambda logits: logits[:, max(logits.size(1) - 2, 0)]
    )


@disguise("greedy_decode", "some tokens are held back")
def g_never_bos(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    def choose(one: Tensor, ids: Tensor) -> Tensor:
        return one.masked_fill(torch.arange(one.size(1)) == bos_id, -1e9).argmax(-1)

    return stepping(model, src_ids, bos_id, eos_id, max_len, choose=choose)


@disguise("greedy_decode", "no token twice")
def g_no_token_twice(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    if min(len(src_ids), max_len) < 1:
        raise ValueError("nothing to write")
    ids = src_ids.new_full((len(src_ids), 1), bos_id)
    ended = torch.zeros(len(src_ids), dtype=torch.bool)
    while ids.size(1) <= max_len and not ended.all():
        scores = model(src_ids, ids)[:, -1]
        used = F.one_hot(ids, scores.size(-1)).sum(1) > 0
        new = torch.where(ended, model.config.pad_id, scores.masked_fill(used, -1e9).argmax(-1))
        ids, ended = torch.cat([ids, new[:, None]], 1), ended | (new == eos_id)
    return ids[:, 1:]


@unlisted("greedy_decode")
def g_third(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return torch.tensor(loop(model, src_ids, bos_id, eos_id, max_len, lambda one: one.topk(3).indices[:, 2]))
