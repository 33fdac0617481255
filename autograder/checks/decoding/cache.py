"""Checks of the cache of keys and values, and of the decoder that uses it."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.checks.decoding.shared import against, work
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.stand_ins.decoder import Decoder

# KVCache ----------------------------------------------------------------------------

kv_cache = Exercise(
    "KVCache",
    points=2,
    hints=(
        "What is kept has the shape (batch, num_heads, length, d_head). Which of the four dimensions grows? And what has to be done the first time, "
        "when nothing is kept yet?",
        "```python\n"
        "# length: 0 if there is nothing, else the size of one dimension\n"
        "# append:\n"
        "if ...:            # nothing kept yet\n"
        "    ...            # keep what came\n"
        "else:\n"
        "    ...            # keep the old and then the new, keys and values alike\n"
        "return ...         # all of both\n"
        "```",
        "`torch.cat([self.k, k], dim=-2)` puts the new keys after the old keys; `self.k.size(-2)` is how many there are.",
    ),
    traps={
        "TypeError: expected Tensor as element 0 in argument 0, but got NoneType": "at the first call nothing is kept yet: `self.k` is None.",
        "AttributeError: 'NoneType' object has no attribute 'size'": "an empty cache has the length 0, and `self.k` is None then.",
        "RuntimeError: Sizes of tensors must match except in dimension 0": "`torch.cat` joins along dimension 0, the batch, unless told otherwise. Tokens lie in dimension -2.",
        "AttributeError: can't set attribute": "`length` is a property, worked out from what is kept; there is nothing to assign.",
    },
)


def keys_and_values(
    draw: Draw, *lengths: int, batch: int = 2, heads: int = 3, width: int = 5
) -> Iterator[tuple[Tensor, Tensor]]:
    """Keys and values of new tokens, `lengths` of them at a time."""
    for step, length in enumerate(lengths):
        size = (batch, heads, length, width)
        yield draw.tensor(f"k {step}", *size), draw.tensor(f"v {step}", *size)


@kv_cache.probe("gives back all keys and all values so far, the new ones last")
def in_order(KVCache: Callable, draw: Draw) -> Any:
    cache: Any = KVCache()
    return [tuple(cache.append(k, v)) for k, v in keys_and_values(draw, 1, 1, 1)]


@kv_cache.probe("takes several tokens at once")
def several_at_once(KVCache: Callable, draw: Draw) -> Any:
    cache: Any = KVCache()
    return [tuple(cache.append(k, v)) for k, v in keys_and_values(draw, 4, 1, 2)]


@kv_cache.probe("counts the tokens that it holds")
def lengths(KVCache: Callable, draw: Draw) -> Any:
    cache: Any = KVCache()
    found = [cache.length]
    for k, v in keys_and_values(draw, 2, 1, 4):
        cache.append(k, v)
        found.append(cache.length)
    return found


@kv_cache.probe("is a cache of its own: two do not mix", rung="edges")
def two_caches(KVCache: Callable, draw: Draw) -> Any:
    (k, v), (more_k, more_v), (other_k, other_v) = keys_and_values(draw, 2, 1, 2)
    one: Any = KVCache()
    one.append(k, v)
    other: Any = KVCache()
    found = {"another one is empty": other.length, "append to it": tuple(other.append(other_k, other_v))}
    return found | {"append to the first": tuple(one.append(more_k, more_v)), "lengths": [one.length, other.length]}


@kv_cache.probe("works for one text, one head, one feature, and for numbers that are not contiguous", rung="edges")
def small_caches(KVCache: Callable, draw: Draw) -> Any:
    single: Any = KVCache()
    turned: Any = KVCache()
    steps = list(keys_and_values(draw, 1, 2, batch=1, heads=1, width=1))
    a, b = draw.tensor("a", 2, 4, 3, 5).transpose(1, 2), draw.tensor("b", 2, 4, 3, 5).transpose(1, 2)
    return {
        "one of all": [tuple(single.append(k, v)) for k, v in steps],
        "not contiguous": [tuple(turned.append(k, v)) for k, v in ((a, b), (b[:, :, :1], a[:, :, 1:2]))],
    }


# CachedDecoder ----------------------------------------------------------------------------

cached_decoder = Exercise(
    "CachedDecoder",
    points=4,
    hints=(
        "Compare with your DecoderLayer. Only the source of keys and values changes: those of the new tokens are computed and appended to those in the "
        "cache. Queries come from the new tokens only. And in which rows of the causal mask do the new tokens stand?",
        "```python\n"
        "# attend:    if there is something new: its k and v, split, into the cache\n"
        "#            q of the query, split; attention over all that is in the cache\n"
        "#            merge, out_proj\n"
        "# run_layer: three times add_norm, with norm1, norm2, norm3, as in DecoderLayer\n"
        "#            self: query and new are the same tokens; cross: new is the memory, the first time only\n"
        "# forward:   the last rows of the causal mask; all layers; the norm at the end\n"
        "```",
        "`causal_mask(self.length + x.size(1))[self.length :]` has a row for each new token and a column for every token so far; make it before the first layer runs. In `run_layer`: "
        "`add_norm(x, lambda h: self.attend(layer.self_attn, h, h, own, self_mask), layer.norm1, layer.dropout, layer.norm_first)`, and for the memory `memory if cross.length == 0 else None` in the place of the second `h`.",
    ),
    traps={
        "RuntimeError: The size of tensor a (6) must match the size of tensor b (3) at non-singleton dimension 3": "the mask has a row for every *new* token and a column for *every* token: "
        "`causal_mask(all)[before:]`. If it is the source's mask that does not fit, something else than the memory stands in the cache of the cross-attention, or the memory more than once: append it only while `cross.length == 0`.",
        "RuntimeError: output with shape [3, 2, 1, 1] doesn't match the broadcast shape [3, 2, 1, 2]": "the mask is larger than the table of queries and keys. Too many columns: `self.length` grows as soon as the first layer "
        "has run, so make the mask before. Too many rows: the rows of the new tokens are the last, `causal_mask(all)[before:]`.",
        "TypeError: 'NoneType' object is not callable": "a post-norm decoder has no norm at its end: `self.decoder.norm` is None there.",
        "AttributeError: 'NoneType' object has no attribute 'transpose'": "the cache is empty. At the first call the memory has to be put into the "
        "cache of the cross-attention.",
        "TypeError: add_norm() missing": "`add_norm(x, sublayer, norm, dropout, norm_first)`: the sublayer is a function of one tensor.",
        "AttributeError: 'tuple' object has no attribute": "`scaled_dot_product_attention` returns two things, the output and the weights.",
    },
)  # fmt: skip


def stack(draw: Draw, **other: Any) -> Decoder:
    """A decoder with drawn weights, in evaluation."""
    sizes: dict[str, Any] = dict(num_layers=2, d_model=8, num_heads=2, d_ff=10)
    decoder: Any = draw.fill(Decoder(**sizes | other))
    return decoder.eval()


def read(cached: Any, x: Tensor, memory: Tensor, mask: Tensor | None, pieces: Iterable[int]) -> list[Tensor]:
    """What comes out when the tokens are handed over in pieces."""
    found, start = [], 0
    for size in pieces:
        found.append(cached(x[:, start : start + size], memory, mask))
        start += size
    return found


def visible(draw: Draw, *lengths: int) -> Tensor:
    """The mask of padded sources: (batch, 1, 1, src_len)."""
    seen = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    return draw.keep("mask", seen[:, None, None, :])


@cached_decoder.probe("gives for each new token what the whole decoder gives, one token at a time", float64=True)
def one_by_one(CachedDecoder: Callable, draw: Draw) -> Any:
    x, memory = draw.tensor("x", 3, 4, 8), draw.tensor("memory", 3, 5, 8)
    return read(CachedDecoder(stack(draw)), x, memory, None, (1, 1, 1, 1))


@cached_decoder.probe("gives for the first token, which sees only itself, what the whole decoder gives", float64=True)
def first_token(CachedDecoder: Callable, draw: Draw) -> Any:
    x, memory = draw.tensor("x", 3, 1, 8), draw.tensor("memory", 3, 5, 8)
    return read(CachedDecoder(stack(draw)), x, memory, None, (1,))


@cached_decoder.probe("does so with pre-norm, and reads no padding of the source", float64=True)
def masked_source(CachedDecoder: Callable, draw: Draw) -> Any:
    x, memory, mask = draw.tensor("x", 3, 3, 8), draw.tensor("memory", 3, 5, 8), visible(draw, 5, 2, 3)
    return read(CachedDecoder(stack(draw, norm_first=True)), x, memory, mask, (1, 1, 1))


@cached_decoder.probe("takes several new tokens at once, none of which sees those after it", float64=True)
def in_pieces(CachedDecoder: Callable, draw: Draw) -> Any:
    x, memory = draw.tensor("x", 2, 9, 8), draw.tensor("memory", 2, 3, 8)
    return read(CachedDecoder(stack(draw)), x, memory, visible(draw, 3, 2), (2, 1, 4, 2))


@cached_decoder.probe("takes all tokens at once, none of which sees those after it", float64=True)
def all_at_once(CachedDecoder: Callable, draw: Draw) -> Any:
    x, memory = draw.tensor("x", 2, 5, 8), draw.tensor("memory", 2, 3, 8)
    return CachedDecoder(stack(draw, norm_first=True))(x, memory, None)


@cached_decoder.probe("begins anew after `reset`, with another memory, and knows its length", float64=True)
def text_after_text(CachedDecoder: Callable, draw: Draw) -> Any:
    cached = CachedDecoder(stack(draw, num_layers=1, norm_first=True))
    first = read(cached, draw.tensor("x", 2, 3, 8), draw.tensor("memory", 2, 4, 8), None, (1, 2))
    lengths = [cached.length]
    cached.reset()
    lengths.append(cached.length)
    second = read(cached, draw.tensor("other x", 3, 2, 8), draw.tensor("other memory", 3, 5, 8), None, (1, 1))
    return {"first": first, "second": second, "lengths": [*lengths, cached.length]}


@cached_decoder.probe("goes by the mask that it is given, whatever the text before had", rung="edges", float64=True)
def another_mask(CachedDecoder: Callable, draw: Draw) -> Any:
    cached = CachedDecoder(stack(draw, num_layers=1))
    x, memory = draw.tensor("x", 2, 4, 8), draw.tensor("memory", 2, 5, 8)
    seen = torch.arange(5) < torch.tensor([[5], [2]])
    first = read(cached, x[:, :2], memory, seen[:, None, None, :], (1, 1))
    cached.reset()
    other = draw.keep("other mask", seen.flip(0)[:, None, None, :])
    return {"first": first, "second": read(cached, x[:, 2:], memory.flip(1), other, (1, 1))}


@cached_decoder.probe("shares nothing with another one", rung="edges", float64=True)
def side_by_side(CachedDecoder: Callable, draw: Draw) -> Any:
    decoder = stack(draw, num_layers=1)
    one, other = CachedDecoder(decoder), CachedDecoder(decoder)
    x, memory = draw.tensor("x", 2, 4, 8), draw.tensor("memory", 2, 3, 8)
    found = []
    for start in (0, 1):
        found.append(one(x[:, start : start + 1], memory, None))
        found.append(other(x[:, start + 2 : start + 3], memory.flip(0), None))
    return found


@cached_decoder.probe("works for one text and a source of one token, and for one head", rung="edges", float64=True)
def small_texts(CachedDecoder: Callable, draw: Draw) -> Any:
    cached = CachedDecoder(stack(draw, num_layers=1, d_model=4, num_heads=1, d_ff=3))
    return read(cached, draw.tensor("x", 1, 3, 4), draw.tensor("memory", 1, 1, 4), visible(draw, 1), (1, 1, 1))


@cached_decoder.probe("uses the decoder's own parameters, also when they have changed", rung="edges", float64=True)
def own_parameters(CachedDecoder: Callable, draw: Draw) -> Any:
    decoder = stack(draw, num_layers=1)
    cached = CachedDecoder(decoder)
    with torch.no_grad():
        for parameter in decoder.parameters():
            parameter.mul_(-0.5)
    return read(cached, draw.tensor("x", 2, 2, 8), draw.tensor("memory", 2, 3, 8), None, (1, 1))


@cached_decoder.probe("drops in training what a layer drops, here everything", rung="edges", float64=True)
def drops_all(CachedDecoder: Callable, draw: Draw) -> Any:
    decoder = stack(draw, num_layers=1, norm_first=True, dropout=1.0).train()
    return read(CachedDecoder(decoder), draw.tensor("x", 2, 3, 8), draw.tensor("memory", 2, 3, 8), None, (1, 2))


@cached_decoder.probe(
    "computes keys and values of a token once, and those of the source once", rung="invariants", float64=True
)
def nothing_twice(CachedDecoder: Callable, draw: Draw) -> Any:
    cached = CachedDecoder(stack(draw, num_layers=1))
    x, memory, mask = draw.tensor("x", 1, 12, 8), draw.tensor("memory", 1, 40, 8), visible(draw, 40)

    def take(place: int) -> int:
        with work() as counter:
            cached(x[:, place : place + 1], memory, mask)
        return counter.done

    first, second = take(0), take(1)
    for place in range(2, 11):  # without the counter, which takes longer than what it counts
        cached(x[:, place : place + 1], memory, mask)
    return {
        "token 12, against token 2": against(take(11), second),
        "token 1, against token 2": against(first, second),
    }
