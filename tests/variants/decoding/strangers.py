"""Lesson 11: more programs of somebody who had the student's page alone, and slips in them."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins import decoding as stand_in
from autograder.stand_ins.multi_head_attention import merge_heads, split_heads
from tests.variants import disguise, slips
from tests.variants.decoding.beam import searches
from tests.variants.decoding.cache import Lists
from tests.variants.decoding.cached_decoder import Rolled
from tests.variants.decoding.greedy import loop, refuse
from tests.variants.decoding.greedy_cached import Writer, writers
from tests.variants.decoding.sampling import asked, by_row, draw, some_row

# KVCache ----------------------------------------------------------------------------


class KeptInOne:
    """Keys and values in tensors of the right size, into which the old and the new are copied."""

    def __init__(self) -> None:
        self.keys, self.values, self.count = None, None, 0

    @property
    def length(self) -> int:
        return self.count

    def join(self, old: Any, new: Tensor) -> Tensor:
        if old is None:
            return new
        batch, heads, before, size = old.shape
        both = old.new_empty(batch, heads, before + new.shape[2], size)
        both[:, :, :before] = old
        both[:, :, before:] = new
        return both

    def append(self, k: Tensor, v: Tensor) -> Any:
        self.keys, self.values = self.join(self.keys, k), self.join(self.values, v)
        self.count += k.shape[2]
        return self.keys, self.values


slips(
    "KVCache",
    KeptInOne,
    {
        "values among the keys": [
            {"self.join(self.keys, k)": "self.join(self.keys, v)"},
            {"return self.keys, self.values": "return self.values, self.values"},
        ],
        "keys among the values": [
            {"self.join(self.values, v)": "self.join(self.values, k)"},
            {"return self.keys, self.values": "return self.keys, self.keys"},
        ],
        "not a pair of tensors": [
            {"return self.keys, self.values": "return self.keys"},
            {"return self.keys, self.values": "return None"},
        ],
        "what was there before is returned": {
            "        self.keys, self.values = self.join": "        old = self.keys, self.values\n"
            "        self.keys, self.values = self.join",
            "return self.keys, self.values": "return (k, v) if old[0] is None else old",
        },
        "only the last of the new tokens is kept": {
            "        self.keys, self.values = self.join": "        k, v = k[:, :, -1:], v[:, :, -1:]\n"
            "        self.keys, self.values = self.join"
        },
        "new ones are kept twice": {
            "        self.keys, self.values = self.join": "        k, v = k.repeat(1, 1, 2, 1), v.repeat(1, 1, 2, 1)\n"
            "        self.keys, self.values = self.join"
        },
        "the old ones are lost, and their places stay": {"both[:, :, :before] = old": "both[:, :, :before] = 0"},
        "the first ones alone are kept": {"self.join(self.values, v)": "v if self.values is None else self.values"},
        "new ones in front": [
            {
                "both[:, :, :before] = old": "both[:, :, new.shape[2] :] = old",
                "both[:, :, before:] = new": "both[:, :, : new.shape[2]] = new",
            },
            {"self.join(self.values, v)": "v if self.values is None else self.join(v, self.values)"},
        ],
        "not all tokens are counted": [
            {"self.count += k.shape[2]": "self.count = k.shape[2]"},
            {"self.count += k.shape[2]": "self.count = self.count or k.shape[2]"},
            {"self.count += k.shape[2]": "pass"},
            {"self.count += k.shape[2]": "self.count += k.shape[2] if self.count or k.shape[2] > 1 else 0"},
        ],
        "counts calls, not tokens": [
            {"self.count += k.shape[2]": "self.count += 1"},
            {"self.count += k.shape[2]": "self.count += k.shape[1]"},
        ],
        "the length is off by one": {"return self.count": "return self.count + 1"},
        "length has to be called": {"    @property\n": ""},
        "an empty cache has no length": [
            {"return self.count": "return self.count or None"},
            {"return self.count": "return self.keys.shape[2]"},
        ],
    },
)


@disguise("KVCache", "values among the keys")
class c_values_among(Lists):
    def append(self, k: Tensor, v: Tensor) -> Any:
        return super().append(v if self.keys else k, v)


@disguise("KVCache", "not a pair of tensors")
class c_lists_returned(Lists):
    def append(self, k: Tensor, v: Tensor) -> Any:
        super().append(k, v)
        return self.keys, self.values


@disguise("KVCache", "what was there before is returned")
class c_before(Lists):
    def append(self, k: Tensor, v: Tensor) -> Any:
        before = (self.all_of(self.keys), self.all_of(self.values)) if self.keys else (k, v)
        super().append(k, v)
        return before


@disguise("KVCache", "only the last of the new tokens is kept")
class c_last_of_each(Lists):
    def append(self, k: Tensor, v: Tensor) -> Any:
        return super().append(k[:, :, -1:], v[:, :, -1:])


@disguise("KVCache", "new ones are kept twice")
class c_twice(Lists):
    def append(self, k: Tensor, v: Tensor) -> Any:
        super().append(k, v)
        return super().append(k, v)


@disguise("KVCache", "the old ones are lost, and their places stay")
class c_emptied(Lists):
    def all_of(self, kept: list[Tensor]) -> Tensor:
        return torch.cat([*(one * 0 for one in kept[:-1]), kept[-1]], dim=2)


@disguise("KVCache", "the first ones alone are kept")
class c_first_call(Lists):
    def append(self, k: Tensor, v: Tensor) -> Any:
        return (self.keys[0], self.values[0]) if self.keys else super().append(k, v)


@disguise("KVCache", "not all tokens are counted")
class c_last_call(Lists):
    @property
    def length(self) -> int:
        return self.keys[-1].size(2) if self.keys else 0


@disguise("KVCache", "length has to be called")
class c_no_property(Lists):
    def length(self) -> int:  # type: ignore[override]
        return sum(one.size(2) for one in self.keys)


@disguise("KVCache", "an empty cache has no length")
class c_nothing_to_join(Lists):
    @property
    def length(self) -> int:
        return self.all_of(self.keys).size(2)


# greedy_decode and greedy_decode_cached -----------------------------------------------------------------


@disguise("greedy_decode", "bos_id is read at the first step alone")
def g_without_begin(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    rows = [[] for _ in src_ids]
    while len(rows[0]) < max_len and not all(eos_id in row for row in rows):
        given = torch.tensor([row or [bos_id] for row in rows])
        for row, token in zip(rows, model(src_ids, given)[:, -1].argmax(-1).tolist(), strict=True):
            row.append(model.config.pad_id if eos_id in row else token)
    return torch.tensor(rows)


@disguise("greedy_decode", "pad_id ends a target, not eos_id")
def g_ends_at_padding(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return torch.tensor(loop(model, src_ids, bos_id, model.config.pad_id, max_len))


@disguise("greedy_decode", "a token is drawn")
def g_drawn_text_by_text(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    rows = []
    for source in src_ids:
        row: list[int] = []
        while len(row) < max_len and eos_id not in row:
            chances = model(source[None], torch.tensor([[bos_id, *row]]))[0, -1].softmax(0)
            row.append(int(torch.multinomial(chances, 1)))
        rows.append(torch.tensor(row))
    return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=model.config.pad_id)


@disguise("greedy_decode", "goes on when all are finished")
def g_cut_at_the_end(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    rows = loop(model, src_ids, bos_id, eos_id, max_len, stop=lambda ended: False)
    width = max(row.index(eos_id) + 1 if eos_id in row else max_len for row in rows)
    return torch.tensor(rows)[:, :width]


@disguise("greedy_decode", "not every source is read as it is")
def g_first_sources(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    out, alive, width = torch.full((len(src_ids), max_len), model.config.pad_id), torch.arange(len(src_ids)), 0
    while width < max_len and len(alive):
        given = torch.cat([torch.full((len(alive), 1), bos_id), out[alive, :width]], dim=1)
        best = model(src_ids[: len(alive)], given)[:, width].argmax(1)
        out[alive, width] = best
        alive, width = alive[best != eos_id], width + 1
    return out[:, :width]


@disguise("greedy_decode", "compared with the other texts")
def g_softmax_of_the_batch(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    rows, over = torch.full((len(src_ids), 1), bos_id), torch.zeros(len(src_ids), dtype=torch.bool)
    with torch.no_grad():
        while rows.size(1) <= max_len and not over.all():
            best = torch.softmax(model(src_ids, rows)[:, -1], 0).max(1).indices
            rows = torch.cat([rows, torch.where(over, model.config.pad_id, best)[:, None]], 1)
            over = over | (best == eos_id)
    return rows[:, 1:]


writers(disguise, "the lowest score", pick=lambda self, scores: scores.argmin(-1))
writers(disguise, "the second-best token", pick=lambda self, scores: scores.topk(2).indices[:, 1])
writers(disguise, "compared with the other texts", pick=lambda self, scores: scores.softmax(0).argmax(1))
writers(disguise, "a token is drawn", pick=lambda self, scores: torch.multinomial(scores.softmax(1), 1)[:, 0])
writers(
    disguise,
    "begins with another token",
    fed=lambda self, bos, written: written[-1] if written else torch.full_like(bos, self.model.config.pad_id),
)
writers(
    disguise,
    "nothing but padding is written",
    fill=lambda self, over, pad_id, eos_id, best: torch.full_like(best, pad_id),
)
writers(
    disguise,
    "another id in the place of padding",
    fill=lambda self, over, pad_id, eos_id, best: torch.where(over, 1 if eos_id == 2 else 5, best),
)
writers(disguise, "one row decides when to stop", stop=lambda self, over: bool(over[0]))
writers(disguise, "the global EOS instead of eos_id", ended=lambda self, over, best, eos_id: over | (best == 2))
writers(disguise, "the first token is lost", result=lambda self, bos, written: torch.hstack(written)[:, 1:])
writers(disguise, "the result turned round", result=lambda self, bos, written: torch.hstack(written[::-1]))
writers(disguise, "no table of ids", result=lambda self, bos, written: torch.stack(written, 1))
writers(disguise, "the source is not read", memory=lambda self, model, src_ids: model.encode(src_ids) * 0)
writers(
    disguise,
    "the sources are not encoded",
    memory=lambda self, model, src_ids: model.positions(model.src_embedding(src_ids)),
)
writers(
    disguise,
    "positions are not added",
    embed=lambda self, model, newest, place: model.tgt_embedding(newest),
    scores=lambda self, model, decoder, x, memory, mask: model.output(
        model.positions(decoder(x, memory, mask), decoder.length - 1)
    )[:, -1],
)
writers(
    disguise,
    "the source's mask of another id",
    scores=lambda self, model, decoder, x, memory, mask: model.output(
        decoder(x, memory, (self.source != 0)[:, None, None])
    )[:, -1],
)


class AtOnce(Writer):
    """Knows who ended just now, too."""

    def ended(self, over: Tensor, best: Tensor, eos_id: int) -> Tensor:
        self.now = best == eos_id
        return super().ended(over, best, eos_id)

    def stop(self, over: Tensor) -> bool:
        return bool(self.now.all())


@disguise("greedy_decode_cached", "stops only when all end at once")
def w_at_once(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return AtOnce()(model, src_ids, bos_id, eos_id, max_len)


@disguise("greedy_decode_cached", "not every source is read as it is")
def w_one_source(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return Writer()(model, src_ids[:1].expand_as(src_ids), bos_id, eos_id, max_len)


@disguise("greedy_decode_cached", "nothing to write is not refused")
def w_unrefused(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    if len(src_ids) == 0:
        return torch.zeros(0, max_len, dtype=torch.long)
    return Writer()(model, src_ids, bos_id, eos_id, max_len) if max_len > 0 else src_ids[:, :0]


# next_token_probs and sample_next -----------------------------------------------------------------------


def by_ranks(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    """Masks by rank, and weights that are divided by their sum."""
    if temperature <= 0 or temperature != temperature:
        raise ValueError("temperature")
    if top_k is not None and top_k <= 0:
        raise ValueError("top_k")
    if top_p is not None and (top_p <= 0 or top_p > 1):
        raise ValueError("top_p")
    scores = logits.div(temperature)
    width, order = scores.shape[-1], scores.argsort(dim=-1, descending=True)
    keep = torch.ones_like(scores, dtype=torch.bool)
    if top_k is not None and top_k < width:
        keep = scores >= scores.gather(-1, order)[..., top_k - 1].unsqueeze(-1)
    weights = torch.exp(scores - scores.amax(-1, keepdim=True)) * keep
    weights = weights / weights.sum(-1, keepdim=True)
    if top_p is not None:
        ahead = torch.nn.functional.pad(weights.gather(-1, order).cumsum(-1), (1, 0))[..., :-1]
        inside = (ahead < top_p).gather(-1, order.argsort(dim=-1))
        weights = torch.nn.functional.normalize(weights * inside, p=1, dim=-1)
    return weights


slips(
    "next_token_probs",
    by_ranks,
    {
        "top_p keeps the best alone": {
            "    weights = weights / weights.sum(-1, keepdim=True)\n": "",
            "    return weights": "    return weights / weights.sum(-1, keepdim=True)",
        },
        "the softmax overflows": {"torch.exp(scores - scores.amax(-1, keepdim=True))": "torch.exp(scores)"},
        "every token alike": {
            "    return weights": "    left = keep if top_p is None else keep & inside\n"
            "    return left / left.sum(-1, keepdim=True)"
        },
        "another shape than the scores have": {"    return weights": "    return weights.view(-1, width)"},
        "the first row stands for all": {
            "scores.argsort": "scores.reshape(-1, scores.size(-1))[0].expand(scores.shape).argsort"
        },
        "top_p taken for the share to be cut": {"ahead < top_p": "ahead < 1 - top_p"},
        "sorting undone the wrong way": {"gather(-1, order.argsort(dim=-1))": "gather(-1, order)"},
    },
)


@disguise("next_token_probs", "top_p before top_k")
def p_of_all(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    ordered, tokens = torch.softmax(logits / temperature, -1).sort(descending=True)
    rank = torch.arange(ordered.size(-1))
    ordered = ordered * (rank < (top_k or ordered.size(-1)))
    if top_p is not None:
        ordered = ordered * (F.pad(ordered.cumsum(-1), (1, 0))[..., :-1] < top_p)
    return F.normalize(ordered, p=1, dim=-1).gather(-1, tokens.argsort(-1))


@disguise("next_token_probs", "top_p keeps the best alone")
def p_best_alone(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    probs = by_row(logits, temperature, top_k, None)
    return probs if top_p is None else F.one_hot(probs.argmax(-1), probs.size(-1)).float()


@disguise("next_token_probs", "the softmax overflows")
def p_overflows(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    ordered, tokens = (logits / temperature).sort(descending=True)
    ordered[..., top_k or ordered.size(-1) :] = -float("inf")
    weights = ordered.exp()
    probs = weights / weights.sum(-1, keepdim=True)
    if top_p is not None:
        probs = probs * (probs.cumsum(-1) - probs < top_p)
        probs = probs / probs.sum(-1, keepdim=True)
    return probs.gather(-1, tokens.argsort(-1))


@disguise("next_token_probs", "another shape than the scores have")
def p_flat(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    return torch.cat([by_row(row, temperature, top_k, top_p) for row in logits.reshape(-1, logits.size(-1))])


@disguise("next_token_probs", "the first row stands for all")
def p_first_row(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    if top_k is not None and top_k < logits.size(-1):
        first = logits[(0,) * (logits.dim() - 1)].sort(descending=True).values
        logits = torch.where(logits < first[top_k - 1], -float("inf"), logits)
    return stand_in.next_token_probs(logits, temperature, None, top_p)


@disguise("next_token_probs", "top_p taken for the share to be cut")
def p_share_to_cut(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    return by_row(logits, temperature, top_k, top_p, lambda before, own, p: before < 1 - p)


def by_sums(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    """A random number for every row, and how many of the sums lie below it."""
    if not len(logits):
        raise ValueError("no row")
    chances = stand_in.next_token_probs(logits, temperature=temperature, top_k=top_k, top_p=top_p)
    numbers = torch.rand(len(chances), 1, generator=generator)
    sums = chances.cumsum(dim=-1)
    sums = sums / sums[:, -1:]
    return (sums <= numbers).sum(dim=-1)


slips(
    "sample_next",
    by_sums,
    {
        "multiplied by the temperature": {"temperature=temperature,": "temperature=1 / temperature,"},
        "one setting takes the place of another": [
            {"top_p=top_p)": "top_p=top_p if top_k is None else None)"},
            {"top_k=top_k,": "top_k=top_k if top_p is None else None,"},
        ],
        "one random number for all rows": {"rand(len(chances), 1,": "rand(1, 1,"},
        "a random number for every token": {"rand(len(chances), 1,": "rand(chances.shape,"},
        "another token than the one that was drawn": [
            {"(sums <= numbers)": "(sums > numbers)"},
            {"numbers).sum(dim=-1)": "numbers).sum(dim=-1).add(1).clamp(max=chances.size(-1) - 1)"},
        ],
        "random numbers that are not uniform": {"torch.rand(": "torch.randn("},
        "probabilities added up along the batch": {"cumsum(dim=-1)": "cumsum(dim=0)"},
        "no ids, or not one for every row": [
            {"numbers).sum(dim=-1)": "numbers).float().sum(dim=-1)"},
        ],
    },
)


@disguise("sample_next", "the rows in another order")
def n_last_first(logits: Tensor, *settings: Any, **more: Any) -> Tensor:
    return stand_in.sample_next(logits, *settings, **more).flip(0)


@disguise("sample_next", "multiplied by the temperature")
def n_times(logits: Tensor, temperature: float = 1.0, *settings: Any, **more: Any) -> Tensor:
    return stand_in.sample_next(logits * temperature, 1.0, *settings, **more)


@disguise("sample_next", "one setting takes the place of another")
def n_one_of_two(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    return stand_in.sample_next(logits, temperature, None if top_p else top_k, top_p, generator)


def by_numbers(name: str, numbers: Any, dim: int = -1) -> None:
    """Add a draw by other random numbers, or by other sums."""

    def drawn(
        logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
    ) -> Tensor:
        some_row(logits)
        ends = torch.cumsum(stand_in.next_token_probs(logits, temperature, top_k, top_p), dim)
        return torch.count_nonzero(ends <= numbers(ends, generator), -1)

    disguise("sample_next", name)(drawn)


by_numbers("one random number for all rows", lambda ends, generator: torch.rand(1, generator=generator))
by_numbers("a random number for every token", lambda ends, generator: torch.rand(ends.shape, generator=generator))
by_numbers(
    "random numbers that are not uniform", lambda ends, generator: torch.randn(len(ends), 1, generator=generator)
)
by_numbers(
    "probabilities added up along the batch",
    lambda ends, generator: torch.rand(len(ends), 1, generator=generator),
    dim=0,
)


@disguise("sample_next", "another token than the one that was drawn")
def n_neighbour(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    return (draw(stand_in.next_token_probs(logits, temperature, top_k, top_p), generator) + 1) % logits.size(1)


@disguise("sample_next", "no ids, or not one for every row")
def n_list(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Any:
    some_row(logits)
    return draw(stand_in.next_token_probs(logits, temperature, top_k, top_p), generator).tolist()


# CachedDecoder ----------------------------------------------------------------------------

FINISHED = "return self.decoder.norm(x) if self.decoder.norm is not None else x"
slips(
    "CachedDecoder",
    Rolled,
    {
        "no mask is used": {"if mask is not None:": "if False:"},
        "queries are cached as values": {"split_heads(part.v_proj(x)": "split_heads(part.q_proj(x)"},
        "values are cached as keys": {"split_heads(part.k_proj(x)": "split_heads(part.v_proj(x)"},
        "keys and values exchanged": {"part.k_proj": "part.v_proj", "part.v_proj": "part.k_proj"},
        "softmax along another dimension": [
            {"scores.softmax(-1)": "scores.softmax(-2)"},
            {"scores.softmax(-1)": "scores.softmax(-2).nan_to_num()"},
        ],
        "the scores have another scale": [
            {" / q.size(-1) ** 0.5": ""},
            {"q.size(-1) ** 0.5": "x.size(-1) ** 0.5"},
            {"q.size(-1) ** 0.5": "q.size(-1)"},
        ],
        "a post-norm stack raises an exception": {FINISHED: "return self.decoder.norm(x)"},
        "the self-attention reads the memory": {
            "*self.keys(layer.self_attn, h)": "*self.keys(layer.self_attn, self.read)",
            "        mask = self.mask(self.length": "        self.read = memory\n        mask = self.mask(self.length",
        },
        "the mask the wrong way round": {
            "masked_fill(~mask": "masked_fill(mask",
            "scores.softmax(-1)": "scores.softmax(-1).nan_to_num()",
        },
    },
)


@disguise("CachedDecoder", "no mask is used")
class d_unmasked(Rolled):
    def ask(self, part: Any, x: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        return super().ask(part, x, k, v, None)


@disguise("CachedDecoder", "a post-norm stack raises an exception")
class d_always_normalized(Rolled):
    def finish(self, x: Tensor) -> Tensor:
        return self.decoder.norm(x)


@disguise("CachedDecoder", "queries are cached as values")
class d_queries_as_values(Rolled):
    def keys(self, part: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        return super().keys(part, x)[0], split_heads(part.q_proj(x), part.num_heads)


@disguise("CachedDecoder", "values are cached as keys")
class d_values_twice(Rolled):
    def keys(self, part: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        return (super().keys(part, x)[1],) * 2


@disguise("CachedDecoder", "keys and values exchanged")
class d_crossed(Rolled):
    def keys(self, part: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        return super().keys(part, x)[::-1]


@disguise("CachedDecoder", "softmax along another dimension")
class d_shared_by_queries(Rolled):
    def ask(self, part: Any, x: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        q = split_heads(part.q_proj(x), part.num_heads)
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / q.size(-1) ** 0.5
        if mask is not None:
            scores = torch.where(mask, scores, -float("inf"))
        return part.out_proj(merge_heads(torch.softmax(scores, 2) @ v))


@disguise("CachedDecoder", "the self-attention reads the memory")
class d_reads_memory(Rolled):
    def read_target(self, number: int, layer: Any, h: Tensor, mask: Tensor | None) -> Tensor:
        kept = self.grown((number, "self"), *self.keys(layer.self_attn, self.source))
        return self.ask(layer.self_attn, h, *kept, mask)

    def forward(self, x: Tensor, memory: Tensor, cross_mask: Tensor | None = None) -> Tensor:
        self.source = memory
        return super().forward(x, memory, cross_mask)


# beam_search ----------------------------------------------------------------------------

searches(
    disguise,
    "log-probabilities are multiplied",
    total=lambda self, so_far, step: (so_far or 1.0) * step,
)
searches(disguise, "a place too few", places=lambda self, size, ended: max(size - 1 - ended, 1))
