"""Checks of the decoder that uses the cache."""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.decoding.shared import against, work
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.stand_ins.decoder import Decoder

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
    found = {}
    for name, norm_first in (("pre-norm", True), ("post-norm", False)):
        decoder = stack(draw, num_layers=1, norm_first=norm_first, dropout=1.0).train()
        x, memory = draw.tensor(f"x, {name}", 2, 3, 8), draw.tensor(f"memory, {name}", 2, 3, 8)
        found[name] = read(CachedDecoder(decoder), x, memory, None, (1, 2))
    return found


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
