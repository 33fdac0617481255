"""Checks of lesson 10: greedy decoding, sampling, beam search, the cache of keys and values, and a repair."""

import itertools
import math
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.stand_ins import decoding as right
from autograder.stand_ins.decoder import Decoder
from autograder.stand_ins.transformer import Transformer, TransformerConfig

# A model that writes something ----------------------------------------------------------------------------

VOCAB, BOS, EOS, PAD = 9, 1, 2, 3
"""A small vocabulary, with ids for the special tokens that nobody takes for granted."""

NEVER = -30.0
"""What a token is given that is never to be written."""

GROUPS = 16
"""How many batches of sources are tried with one model; to decode them together takes as long as to decode one."""

Tells = Callable[[Transformer, Tensor], Iterable[Any]]
"""Says for each of several batches of sources, (groups, batch, src_len), whether a slip would show on it."""


class _Found(NamedTuple):
    """What was found: which model, which of its batches, both of them, and what stood in the model's parameters."""

    settled: tuple[int, int]
    model: Transformer
    source: Tensor
    parameters: list[Tensor]


_found: dict[tuple[int, str], _Found] = {}
"""By seed and probe."""


def small(**other: Any) -> TransformerConfig:
    """Sizes of a tiny model. Its dropout shows only where somebody turns it on: `writer` gives it in evaluation."""
    sizes: dict[str, Any] = dict(d_model=8, num_heads=2, num_layers=1, d_ff=10, dropout=0.3, max_len=14, pad_id=PAD)
    return TransformerConfig(VOCAB, VOCAB, **sizes | other)


def writer(draw: Draw, number: int, ending: float = 1.0, encoder: bool = False) -> Transformer:
    """A model that writes other tokens at other places and for other sources, and never padding or BOS.

    Weights at random as they come write one token over and over. Here positions and both attentions weigh more, and the
    first feature is always 1 at the output, so that its column there serves as a bias.

    Args:
        draw: where the weights come from.
        number: another one is another model.
        ending: how readily it writes EOS.
        encoder: whether the encoder has a layer; without one, what it makes is the source with its positions.
    """
    model: Any = Transformer(small())
    if not encoder:
        model.encoder.layers = nn.ModuleList()
    with torch.no_grad():
        for name, parameter in sorted(model.named_parameters()):
            if parameter.dim() > 1:
                drawn = draw.tensor(f"{number} {name}", *parameter.shape)
                wide = 3 if "attn.out_proj" in name else 2 if "attn.q_proj" in name else 1
                parameter.copy_(wide * drawn / parameter.size(-1) ** 0.5)
            else:
                parameter.fill_(float("norm" in name and name.endswith("weight")))
        model.positions.table.copy_(draw.tensor(f"{number} table", *model.positions.table.shape, scale=2))
        last = model.decoder.layers[-1].norm3
        last.weight[0], last.bias[0] = 0.0, 1.0
        model.output.weight.mul_(2.5)[:, 0] = 0.0
        model.output.weight[[PAD, BOS], 0] = NEVER
        model.output.weight[EOS, 0] = ending
    return model.eval()


def sources(draw: Draw, number: int, lengths: Sequence[int]) -> Tensor:
    """Ids of real tokens, as many in a row as `lengths` says, padded to one length: (batch, src_len)."""
    return pool(draw, number, lengths)[0]


def pool(draw: Draw, number: int, lengths: Sequence[int]) -> Tensor:
    """Several such batches: (groups, batch, src_len)."""
    drawn = draw.integers(f"{number} source", GROUPS, len(lengths), max(lengths), high=VOCAB - 1)
    real = drawn + (drawn >= PAD)
    past_the_end = torch.arange(max(lengths)) >= torch.tensor(list(lengths))[:, None]
    return real.masked_fill(past_the_end, PAD)


def telling(
    draw: Draw, lengths: Sequence[int], tells: Tells, ending: float = 1.0, encoder: bool = False
) -> tuple[Transformer, Tensor]:
    """The first model and sources on which slips would show. To look for them takes longer than the probe."""
    key = (draw.seed, draw.probe)
    if key not in _found:
        some = Draw(draw.seed, draw.probe)
        number, group = draw.settled or _look_for(some, lengths, tells, ending, encoder)
        model = writer(some, number, ending, encoder)
        parameters = [one.detach().clone() for one in model.parameters()]
        _found[key] = _Found((number, group), model, pool(some, number, lengths)[group], parameters)
    draw.settled, model, source, kept = _found[key]
    with torch.no_grad():  # as it was, whatever the last implementation has done to it
        for parameter, value in zip(model.parameters(), kept, strict=True):
            parameter.copy_(value)
    return model.eval(), draw.keep("source", source.clone())


def _look_for(draw: Draw, lengths: Sequence[int], tells: Tells, ending: float, encoder: bool) -> tuple[int, int]:
    for number in range(100):
        told = tells(writer(draw, number, ending, encoder), pool(draw, number, lengths))
        group = next((place for place, good in enumerate(told) if good), None)
        if group is not None:
            return number, group
    return 0, 0


# To choose its draws a check decodes too. It does so here, and not with the stand-ins: where students are checked, or
# graded, there are none of their own lesson.


def next_scores(model: Transformer, source: Tensor, begun: list[list[int]]) -> Tensor:
    """The scores of the next token, for each source and its beginning; the beginnings are of one length."""
    with torch.no_grad():
        return model(source, torch.tensor(begun))[:, -1]


@torch.no_grad()
def best_first(
    model: Transformer, source: Tensor, begin: int, end: int, max_len: int, last_only: bool = False
) -> Tensor:
    """What always taking the best token writes: (..., max_len); by the last token only, if asked for."""
    rows = source.flatten(0, -2)
    target = torch.full((len(rows), 1), begin)
    memory, seen = model.encode(rows), (rows != PAD)[:, None, None, :]
    for _ in range(max_len):
        vectors = model.decode(target[:, -1:] if last_only else target, memory, seen)
        target = torch.cat([target, model.output(vectors[:, -1:]).argmax(dim=-1)], dim=1)
    return until(end, target[:, 1:]).reshape(*source.shape[:-1], max_len)


def until(end: int, target: Tensor) -> Tensor:
    """Targets with padding after their end."""
    ends = target == end
    return target.masked_fill(ends.cumsum(dim=-1) > ends.long(), PAD)


@torch.no_grad()
def written(model: Transformer, source: Tensor, max_len: int) -> tuple[Tensor, Tensor]:
    """How long the targets become, (groups, batch), and whether in a group every choice is a clear one, (groups,)."""
    target = best_first(model, source, BOS, EOS, max_len)
    rows = target.flatten(0, 1)
    given = torch.cat([torch.full((len(rows), 1), BOS), rows[:, :-1]], dim=1)
    best = model(source.flatten(0, 1), given).topk(2, dim=-1).values
    real = target != PAD
    clear = ((best[..., 0] - best[..., 1]) > 0.02).reshape(target.shape) | ~real
    return real.sum(dim=-1), clear.all(dim=-1).all(dim=-1)


def of_several_lengths(model: Transformer, source: Tensor, max_len: int) -> Tensor:
    """Whether targets end at three places or more, the first not last, none is cut off, and all would go on: (groups,)."""
    lengths, clear = written(model, source, max_len)
    longest = lengths.amax(dim=1)
    various = 1 + lengths.sort(dim=1).values.diff(dim=1).ne(0).sum(dim=1) >= 3
    well_cut = (longest >= 4) & (longest < max_len) & (lengths[:, 0] != longest)
    return clear & various & well_cut & speaks_after_its_end(model, source, max_len, longest)


def speaks_after_its_end(model: Transformer, source: Tensor, max_len: int, longest: Tensor) -> Tensor:
    """Whether something else than EOS would follow EOS, up to the longest target, if nobody stopped: (groups,)."""
    target = best_first(model, source, BOS, PAD, max_len)
    spoken = (target != EOS) & ((target == EOS).cumsum(dim=-1) > 0)
    return somewhere(spoken & (torch.arange(max_len) < longest[:, None, None]))


def somewhere(holds: Tensor) -> Tensor:
    """Whether it holds anywhere in a group: (groups,)."""
    return holds.flatten(1).any(dim=1)


# greedy_decode ----------------------------------------------------------------------------

greedy_decode = Exercise(
    "greedy_decode",
    points=3,
    hints=(
        "`model(src_ids, tgt_ids)` scores what comes after *every* place of the target. You need the last place only. Which dimension is the places', and which the vocabulary's?",
        "```python\n"
        "for _ in range(max_len):\n"
        "    logits = ...    # of the last place: (batch, tgt_vocab)\n"
        "    best = ...      # (batch,): best token of each row; pad_id where finished\n"
        "    tgt_ids = ...   # one column more\n"
        "    finished = ...  # who was finished, or has just written eos_id\n"
        "    if ...:         # all of them\n"
        "        break\n"
        "return ...          # without the first column\n"
        "```",
        "`model(src_ids, tgt_ids)[:, -1].argmax(dim=-1)` is the best token of each row, and `.masked_fill(finished, pad_id)` silences those that are finished. "
        "`torch.cat([tgt_ids, best.unsqueeze(1)], dim=1)` appends; `finished | (best == eos_id)` remembers.",
    ),
    traps={
        "RuntimeError: Tensors must have same number of dimensions: got 2 and 1": "`best` has the shape (batch,) and what has been written (batch, length). Give it a second dimension: `best.unsqueeze(1)`. "
        "If it says 2 and 3, the logits are still those of all places: take the last, `[:, -1]`.",
        "RuntimeError: Sizes of tensors must match except in dimension 0": "`torch.cat` joins along dimension 0, the batch, unless told otherwise: `dim=1`.",
        "ValueError: 4 sources and 8 targets; every source needs one target": "`torch.cat` joins along dimension 0, the batch, unless told otherwise, and makes more texts of it. Tokens are appended along `dim=1`.",
        "AttributeError: 'torch.return_types.max' object has no attribute": "`max` returns two things, values and indices. `argmax` gives the indices alone.",
        "RuntimeError: Sizes of tensors must match except in dimension 1. Expected size 4 but got size 1": "there are not as many new tokens as targets. The logits of the last place are `[:, -1]`; "
        "`[-1]` are those of the last text.",
        "ValueError: token_ids go from 1 to 27": "an argmax over more than one row gives a place in the whole table, not a token: `argmax(dim=-1)`.",
        "RuntimeError: Boolean value of Tensor with more than one value is ambiguous": "ask for one answer, `finished.all()`; and join two masks with `|`, not with `or`.",
        "ValueError: 15 tokens from position 0 on do not fit into max_len=14 positions": "the loop does not end: is there something in it that stops it?",
    },
)


@greedy_decode.probe("writes the best token after the last, again and again, and each target until its eos_id")
def targets_of_several_lengths(greedy_decode: Callable, draw: Draw) -> Any:
    model, source = telling(draw, (5, 3, 4, 2), lambda model, source: of_several_lengths(model, source, 9))
    return greedy_decode(model, source, BOS, EOS, 9)


@greedy_decode.probe("stops after max_len tokens, finished or not")
def cut_short(greedy_decode: Callable, draw: Draw) -> Any:
    def tells(model: Transformer, source: Tensor) -> Tensor:
        lengths, clear = written(model, source, 10)
        shortest, longest = lengths.aminmax(dim=1)
        return clear & (longest == 10) & (shortest >= 2) & (shortest <= 4)

    model, source = telling(draw, (3, 4, 2), tells, ending=0.5)
    return greedy_decode(model, source, BOS, EOS, 6)


@greedy_decode.probe("reads the source: another source, another target")
def two_sources(greedy_decode: Callable, draw: Draw) -> Any:
    def tells(model: Transformer, source: Tensor) -> Iterator[bool]:
        _, clear = written(model, source, 4)
        targets = best_first(model, source, BOS, EOS, 4).tolist()
        lonely = best_first(model, source, BOS, EOS, 4, last_only=True)
        many = somewhere(lonely != lonely[..., :1])
        for group, good in zip(targets, (clear & many).tolist(), strict=True):
            yield good and len(set(map(tuple, group))) == 4

    model, source = telling(draw, (4, 4, 3, 2), tells, ending=NEVER, encoder=True)
    return greedy_decode(model, source, BOS, EOS, 4)


@greedy_decode.probe("works for one source and for one token", rung="edges")
def one_of_each(greedy_decode: Callable, draw: Draw) -> Any:
    def tells(model: Transformer, source: Tensor) -> Tensor:
        going_on = best_first(model, source[..., :1], BOS, EOS, 1).flatten() != EOS
        target, unread = (best_first(model, one, BOS, EOS, 6) for one in (source, torch.zeros_like(source)))
        lengths = written(model, source, 6)[0][:, 0]
        return going_on & somewhere(target != unread) & (lengths > 2) & (lengths < 6)

    model, source = telling(draw, (3,), tells)
    return {
        "one source": greedy_decode(model, source, BOS, EOS, 6),
        "one token": greedy_decode(model, source[:, :1], BOS, EOS, 1),
    }


@greedy_decode.probe("goes by the ids that it is given for begin and end", rung="edges")
def other_ids(greedy_decode: Callable, draw: Draw) -> Any:
    def tells(model: Transformer, source: Tensor) -> Tensor:
        targets = best_first(model, source, 5, VOCAB - 1, 8)
        shortest = (targets != PAD).sum(dim=-1).amin(dim=1)
        going_on = somewhere(targets == EOS)
        cut_off = ((targets[..., 7] != PAD) & (targets[..., 7] != VOCAB - 1)).any(dim=1)
        lonely = best_first(model, source, 5, VOCAB - 1, 8, last_only=True)
        return (shortest >= 2) & (shortest <= 6) & going_on & cut_off & somewhere(targets != lonely)

    model, source = telling(draw, (3, 2, 4), tells, ending=1.0)
    return greedy_decode(model, source, 5, VOCAB - 1, 8)


@greedy_decode.probe("raises a ValueError without a source, and for max_len below 1", rung="invariants")
def nothing_to_write(greedy_decode: Callable, draw: Draw) -> Any:
    model, source = writer(draw, 0), sources(draw, 0, (2,))
    greedy_decode(model, source, BOS, EOS, 1)  # the blank stub must show as blank
    return {
        "no source": raised(lambda: greedy_decode(model, source[:0], BOS, EOS, 3)),
        "max_len 0": raised(lambda: greedy_decode(model, source, BOS, EOS, 0)),
    }


def raised(run: Callable[[], Any]) -> str:
    """Which exception came, if one did."""
    try:
        run()
    except ValueError:
        return "ValueError"
    except Exception as error:
        return type(error).__name__
    return "no exception"


# next_token_probs ----------------------------------------------------------------------------

next_token_probs = Exercise(
    "next_token_probs",
    points=3,
    hints=(
        "Three changes to the distribution, one after the other, each only if it is asked for. What has been cut must have the probability 0, and what is left must sum to 1: an -inf before the "
        "softmax sees to both. For top_p that is not possible, because it goes by probabilities.",
        "```python\n"
        "logits = ...          # by the temperature\n"
        "if top_k is not None:\n"
        "    smallest = ...    # the top_k-th score of every row: (..., 1)\n"
        "    logits = ...      # -inf where a score is smaller\n"
        "probs = ...           # softmax\n"
        "if top_p is not None:\n"
        "    ordered, tokens = ...  # sorted, largest first\n"
        "    before = ...      # what stands before each, added up\n"
        "    kept = ...        # 0 where that is top_p or more\n"
        "    probs = ...       # back into the order of the vocabulary, and by their sum\n"
        "return probs\n"
        "```",
        "`logits.topk(k).values[..., -1:]` is the k-th score, with k at most `logits.size(-1)`. `ordered.cumsum(dim=-1) - ordered` is what stands before each. "
        "`torch.zeros_like(probs).scatter(-1, tokens, kept)` puts every number where its token stands.",
    ),
    traps={
        "RuntimeError: selected index k out of range": "top_k may be larger than the vocabulary; then nothing is cut: `min(top_k, logits.size(-1))`.",
        "RuntimeError: The size of tensor a (7) must match the size of tensor b (2) at non-singleton dimension 1": "a number for each row has lost its dimension. The k-th score keeps it with `[..., -1:]` instead of `[..., -1]`, a sum with `keepdim=True`.",
        "RuntimeError: scatter(): Expected dtype ... for index": "`scatter(-1, tokens, kept)`: first where to, then what.",
        "IndexError: Dimension out of range": "the logits may have any number of dimensions, one included. Count from the end: `dim=-1`.",
        "TypeError: '>' not supported between instances of 'NoneType' and 'int'": "`top_k` and `top_p` are None where nothing is to be cut. Ask `if top_k is not None` first.",
        "AttributeError: 'torch.return_types.sort' object has no attribute": "`sort` and `topk` return two things, values and indices.",
    },
)


@next_token_probs.probe("is the softmax when nothing is asked for, and divides by the temperature")
def temperatures(next_token_probs: Callable, draw: Draw) -> Any:
    logits = draw.tensor("logits", 4, 6, scale=1.5)
    return {
        "as it is": next_token_probs(logits),
        "0.5": next_token_probs(logits, 0.5),
        "3": next_token_probs(logits, temperature=3.0),
    }


@next_token_probs.probe("keeps the top_k best of every row, and they sum to 1")
def best_few(next_token_probs: Callable, draw: Draw) -> Any:
    logits = draw.tensor("logits", 4, 7, scale=1.5, shift=2)
    return {str(k): next_token_probs(logits, top_k=k) for k in (1, 3, 6)}


@next_token_probs.probe("keeps the smallest set that has top_p, the token that crosses it included")
def nucleus(next_token_probs: Callable, draw: Draw) -> Any:
    logits = draw.tensor("logits", 6, 7, scale=1.5)
    return {str(p): next_token_probs(logits, top_p=p) for p in (0.3, 0.6, 0.9)}


@next_token_probs.probe("does them in order: temperature, top_k, top_p")
def all_three(next_token_probs: Callable, draw: Draw) -> Any:
    logits = draw.tensor("logits", 8, 9, scale=2)
    return {
        "flatter": next_token_probs(logits, 2.5, 5, 0.7),
        "sharper": next_token_probs(logits, 0.6, 4, 0.85),
        "temperature and top_k": next_token_probs(logits, temperature=2.0, top_k=3),
        "temperature and top_p": next_token_probs(logits, temperature=2.0, top_p=0.6),
    }


@next_token_probs.probe("takes any leading dimensions, none included", rung="edges")
def any_shape(next_token_probs: Callable, draw: Draw) -> Any:
    return {
        "one row": next_token_probs(draw.tensor("one", 6, scale=2), 1.5, 4, 0.8),
        "a batch of one": next_token_probs(draw.tensor("alone", 1, 6, scale=2), 1.5, 4, 0.8),
        "three dimensions": next_token_probs(draw.tensor("many", 2, 3, 6, scale=2), 1.5, 4, 0.8),
        "not contiguous": next_token_probs(draw.tensor("turned", 6, 4, scale=2).T, 1.5, 4, 0.8),
        "one token": next_token_probs(draw.tensor("single", 3, 1), 0.7, 1, 0.5),
    }


@next_token_probs.probe(
    "cuts nothing for a top_k above the vocabulary and for top_p=1, and can cut all but one", rung="edges"
)
def ends_of_the_ranges(next_token_probs: Callable, draw: Draw) -> Any:
    logits, many = draw.tensor("logits", 3, 5), draw.tensor("many", 64, 5)  # of many, some add up to more than 1
    return {
        "top_k 50": next_token_probs(logits, top_k=50),
        "top_p 1": next_token_probs(many, top_p=1.0),
        "top_p 0.001": next_token_probs(logits, top_p=0.001),
        "temperature 0.001": next_token_probs(draw.tensor("far apart", 3, 5, scale=4), temperature=0.001),
    }


@next_token_probs.probe("leaves out tokens whose score is -inf, and stays finite for large scores", rung="edges")
def unusual_scores(next_token_probs: Callable, draw: Draw) -> Any:
    never = draw.keep("never", draw.tensor("logits", 3, 6).masked_fill(torch.arange(6) % 3 == 1, float("-inf")))
    return {
        "-inf": next_token_probs(never, 2.0, top_p=0.6),  # four tokens are left: the last is cut
        "-inf among the top_k": next_token_probs(never, 2.0, top_k=5),
        "large": next_token_probs(draw.tensor("large", 3, 6, scale=300), top_k=4, top_p=0.9),
        "far below 0": next_token_probs(draw.tensor("low", 3, 6, shift=-2000), top_k=3),
    }


@next_token_probs.probe("raises a ValueError for a temperature of 0 or below", rung="invariants")
def refuses_temperatures(next_token_probs: Callable, draw: Draw) -> Any:
    logits = draw.tensor("logits", 2, 5)
    next_token_probs(logits)  # the blank stub must show as blank
    return {str(one): raised(partial(next_token_probs, logits, one)) for one in (0.0, -1.0, 0)}


@next_token_probs.probe(
    "raises a ValueError for a top_k below 1, and for a top_p of 0, below or above 1", rung="invariants"
)
def refuses_shares(next_token_probs: Callable, draw: Draw) -> Any:
    logits = draw.tensor("logits", 2, 5)
    next_token_probs(logits)  # as above
    return {
        "top_k 0": raised(lambda: next_token_probs(logits, top_k=0)),
        "top_k -2": raised(lambda: next_token_probs(logits, top_k=-2)),
        "top_p 0": raised(lambda: next_token_probs(logits, top_p=0.0)),
        "top_p -0.5": raised(lambda: next_token_probs(logits, top_p=-0.5)),
        "top_p 1.5": raised(lambda: next_token_probs(logits, top_p=1.5)),
    }


# sample_next ----------------------------------------------------------------------------

sample_next = Exercise(
    "sample_next",
    points=1,
    hints=(
        "The distribution is made by `next_token_probs`, with everything that it wants to know. What is left is to draw from it, once for every row.",
        "```python\nprobs = ...  # (batch, vocab_size)\ntokens = ...  # torch.multinomial draws from every row: (batch, 1)\nreturn ...   # (batch,)\n```",
        "`torch.multinomial(probs, 1, generator=generator)` draws one token for every row, by the numbers of the generator. `.squeeze(1)` takes the second dimension away.",
    ),
    traps={
        "RuntimeError: probability tensor contains either `inf`, `nan` or element < 0": "`multinomial` wants probabilities, and was given scores or logarithms.",
        "RuntimeError: prob_dist must be 1 or 2 dim": "`sample_next` is given a row for every text. Is something of three dimensions left from the model? It is the last place that counts.",
        "TypeError: multinomial() received an invalid combination of arguments": "`torch.multinomial(probs, 1, generator=generator)`: how many to draw comes second, and the generator needs its name.",
    },
)  # fmt: skip

TIMES = 5000
"""How often a row is drawn from. What comes out is told in tenths, and every probability drawn from is a whole number
of tenths. So a right implementation is off only when a share is 0.05 from its probability, which by Hoeffding's
inequality happens with a chance of at most 2 exp(-2 · 5000 · 0.05²) = 3e-11. A check looks at fewer than 300 shares
on its three draws, in all implementations together: one false alarm in 100 million checks."""

TENTHS = {
    "temperature": torch.tensor([2, 2, 6]) / 10,
    "cut": torch.tensor([5, 3, 2]) / 10,
}


def drawn_from(draw: Draw, name: str, probabilities: Tensor, *, first: float = 1.0, rest: int = 0) -> Tensor:
    """Logits of two rows, in another order each: these probabilities, after which come smaller ones.

    Args:
        draw: where order and shift come from.
        name: of the draw.
        probabilities: of the first tokens.
        first: what they have together.
        rest: how many tokens share what is left.
    """
    shares = torch.cat([first * probabilities, torch.full((rest,), (1 - first) / max(rest, 1))])
    rows = []
    for row in range(2):
        order = draw.tensor(f"{name} order {row}", len(shares)).argsort()
        rows.append(shares[order].log())
    return torch.stack(rows) + draw.tensor(f"{name} shift", 2, 1)


def in_tenths(sample_next: Callable, logits: Tensor, *settings: Any, cuts: bool = False, **named: Any) -> Any:
    """How often each token of each row is drawn, in tenths of all times; where something is cut, also whether at all."""
    tokens = sample_next(logits.repeat_interleave(TIMES, dim=0), *settings, **named)
    if not isinstance(tokens, Tensor) or tokens.shape != (2 * TIMES,) or tokens.is_floating_point():
        return tokens[:8] if isinstance(tokens, Tensor) else tokens
    counts = [row.bincount(minlength=logits.size(1)) for row in tokens.reshape(2, TIMES)]
    tenths = (10 * torch.stack(counts) / TIMES).round().long()
    return {"in tenths": tenths, "drawn at all": torch.stack(counts) > 0} if cuts else tenths


@sample_next.probe("draws every token as often as it is probable, each row by itself (in tenths, of 5,000 draws)")
def as_probable(sample_next: Callable, draw: Draw) -> Any:
    return in_tenths(sample_next, drawn_from(draw, "logits", TENTHS["cut"]))


@sample_next.probe("uses the temperature (in tenths, of 5,000 draws)")
def with_temperature(sample_next: Callable, draw: Draw) -> Any:
    return in_tenths(sample_next, 3 * drawn_from(draw, "logits", TENTHS["temperature"]), temperature=3.0)


@sample_next.probe("uses top_k (in tenths, of 5,000 draws)")
def with_top_k(sample_next: Callable, draw: Draw) -> Any:
    return in_tenths(sample_next, drawn_from(draw, "logits", TENTHS["cut"], first=0.6, rest=4), cuts=True, top_k=3)


@sample_next.probe("uses top_p (in tenths, of 5,000 draws)")
def with_top_p(sample_next: Callable, draw: Draw) -> Any:
    return in_tenths(
        sample_next, drawn_from(draw, "logits", TENTHS["cut"], first=0.6, rest=4), 1.0, None, 0.55, cuts=True
    )


@sample_next.probe("gives one token for every row, and for a row of which one token is sure that token", rung="edges")
def sure_rows(sample_next: Callable, draw: Draw) -> Any:
    sure = draw.integers("sure", 5, high=7)
    logits = draw.tensor("logits", 5, 7) + 200.0 * (torch.arange(7) == sure[:, None])
    return {
        "five rows": sample_next(logits),
        "one row": sample_next(logits[:1]),
        "one token": sample_next(logits[:, :1]),
    }


def drawn_alone(sample_next: Callable, row: Tensor, torchs: int) -> list[int]:
    """What one row gives time after time with a generator, whatever torch's own stands at."""
    torch.default_generator.manual_seed(torchs)
    generator = torch.Generator().manual_seed(1)
    return [int(sample_next(row, generator=generator)) for _ in range(20)]


@sample_next.probe("takes its random numbers from the generator, and from torch's own if there is none", rung="edges")
def generators(sample_next: Callable, draw: Draw) -> Any:
    logits = draw.tensor("logits", 60, 8)

    def drawn(own: int | None, torchs: int) -> list[int]:
        generator = None if own is None else torch.Generator().manual_seed(own)
        torch.default_generator.manual_seed(torchs)
        return [int(one) for one in sample_next(logits, generator=generator).flatten()]

    first, again, other = drawn(1, 5), drawn(1, 6), drawn(2, 5)
    without, without_again, without_other = drawn(None, 5), drawn(None, 5), drawn(None, 6)
    one = torch.Generator().manual_seed(1)
    twice = [sample_next(logits, generator=one).tolist() for _ in range(2)]
    single = [drawn_alone(sample_next, logits[:1], torchs) for torchs in (5, 6)]
    return {
        "the same generator, the same tokens": first == again,
        "another generator, the same tokens": first == other,
        "no generator, the same seed, the same tokens": without == without_again,
        "no generator, another seed, the same tokens": without == without_other,
        "one generator twice, the same tokens": twice[0] == twice[1],
        "the same generator, the same tokens for a single row": single[0] == single[1],
    }


@sample_next.probe("raises a ValueError for no row, and for settings that make no distribution", rung="invariants")
def refuses_to_draw(sample_next: Callable, draw: Draw) -> Any:
    logits = draw.tensor("logits", 2, 5)
    sample_next(logits)  # the blank stub must show as blank
    return {
        "no row": raised(lambda: sample_next(logits[:0])),
        "temperature 0": raised(lambda: sample_next(logits, 0.0)),
        "top_p 0": raised(lambda: sample_next(logits, top_p=0.0)),
    }


# beam_search ----------------------------------------------------------------------------

beam_search = Exercise(
    "beam_search",
    points=4,
    hints=(
        "The log-probability of a text is the *sum* of those of its tokens. So every step adds one number to a beam's total. Lay the totals of all continuations out as one table, a row for a beam, a "
        "column for a token, and look for the best in the whole table.",
        "```python\n"
        "for _ in range(max_len):\n"
        "    tgt_ids = ...  # (beams, 1 + written): bos_id, then the tokens\n"
        "    logits = ...   # the source expanded to as many rows; the last place\n"
        "    totals = ...   # (beams, tgt_vocab): each beam's total plus the log-probabilities of its next token\n"
        "    places = ...   # beam_size - len(ended), but no more than there are continuations\n"
        "    ...            # the best of totals.flatten(); row and column of each\n"
        "    ...            # sort them into ended and beams\n"
        "    if not beams:\n"
        "        break\n"
        "return ...         # all of ended + beams with their scores, sorted\n"
        "```",
        "`divmod(index, totals.size(1))` turns a place in the flattened table into (beam, token). The score is `total / ((5 + len(tokens)) / 6) ** length_penalty`; "
        "`sorted(scored, key=lambda one: one[1], reverse=True)` puts the best first.",
    ),
    traps={
        "RuntimeError: selected index k out of range": "at the first step there is one beam, and the vocabulary may have fewer tokens than there are places: `min(places, totals.numel())`.",
        "ValueError: 1 sources and 3 targets; every source needs one target": "every beam needs its source: `src_ids.expand(len(beams), -1)`.",
        "IndexError: list index out of range": "a place in the flattened table is row · columns + column. Divide by the number of columns, the size of the vocabulary.",
        "TypeError: 'Tensor' object is not callable": "`sorted` wants a function as its key.",
        "RuntimeError: stack expects each tensor to be equal size": "all beams that go on are of one length. Has one that ended stayed among them?",
        "TypeError: unhashable type: 'list'": "a list cannot be the key of a dictionary; a tuple can.",
        "ValueError: token_ids has shape (0,)": "all targets have ended, and the loop goes on with no beam. Stop when `beams` is empty.",
    },
)  # fmt: skip


def listed(found: Any) -> Any:
    """Targets and scores as plain numbers, whatever kind of number they were."""
    if not isinstance(found, list | tuple):
        return found
    return [
        {"tokens": [int(token) for token in tokens], "score": float(score)}
        for tokens, score in (tuple(one) for one in found)
    ]


Beam = tuple[float, list[int]]


def searched(model: Transformer, sources: Tensor, max_len: int, size: int, slip: str = "") -> list[list[Beam]]:
    """The targets that a search ends with, for each source of (groups, 1, src_len): the ended, then those cut off.

    Slips: "narrow" continues each beam with its best token only, "filled" leaves the places of those that have ended
    to others, "full" does so until as many have ended as there are places, "on" lets those that have ended go on, "half"
    stops when most have ended.
    """
    searches = [_search(max_len, size, slip) for _ in sources]
    asked = {number: next(search) for number, search in enumerate(searches)}
    found: list[list[Beam]] = [[] for _ in sources]
    while asked:
        rows = sources[[number for number, begun in asked.items() for _ in begun], 0]
        scores = next_scores(model, rows, [ids for begun in asked.values() for ids in begun])
        every = iter(scores.log_softmax(dim=-1).tolist())
        for number, begun in list(asked.items()):
            try:
                asked[number] = searches[number].send([next(every) for _ in begun])
            except StopIteration as done:
                found[number] = done.value
                del asked[number]
    return found


def _search(max_len: int, size: int, slip: str) -> Generator[list[list[int]], list[list[float]], list[Beam]]:
    """A search that asks for the log-probabilities after some beginnings, and goes on when it is told them."""
    ended: list[Beam] = []
    beams: list[Beam] = [(0.0, [BOS])]
    for step in range(max_len):
        every = yield [ids for _, ids in beams]
        few = slip == "narrow" and step > 0
        grown = [
            (total + more, [*ids, token])
            for (total, ids), row in zip(beams, every, strict=True)
            for token, more in enumerate(row)
            if not few or more == max(row)
        ]
        best = sorted(grown, reverse=True)[: size - len(ended) * (slip not in ("filled", "full"))]
        ended += [one for one in best if one[1][-1] == EOS]
        beams = [one for one in best if slip == "on" or one[1][-1] != EOS]
        enough = {"full": size, "on": size, "half": size // 2 + 1}.get(slip, math.inf)
        if not beams or len(ended) >= enough:
            break
    return [*ended, *beams]


def ranked(found: list[Beam], penalty: float = 0.6) -> list[list[int]]:
    """The targets by themselves, best first."""
    best = sorted(found, key=lambda one: -one[0] * (6 / (4 + len(one[1]))) ** penalty)
    return [ids[1:] for _, ids in best]


def beams_of(model: Transformer, sources: Tensor, max_len: int, size: int) -> list[list[list[int]]]:
    """The targets that come out for each source, best first."""
    return [ranked(found) for found in searched(model, sources, max_len, size)]


def show(slips: Sequence[str], model: Transformer, source: Tensor, max_len: int, size: int) -> list[bool]:
    """Whether each slip of `searched` changes what comes out for one source."""
    (right,) = beams_of(model, source[None], max_len, size)
    wrong = [ranked(searched(model, source[None], max_len, size, slip)[0]) for slip in slips]
    return [(found if slip == "on" else found[:size]) != right for slip, found in zip(slips, wrong, strict=True)]


@beam_search.probe("finds the most probable targets, each with its score, best first", float64=True)
def finds_better(beam_search: Callable, draw: Draw) -> Any:
    def tells(model: Transformer, sources: Tensor) -> Iterator[bool]:
        greedy = beams_of(model, sources, 7, 1)
        for source, every, (best,) in zip(sources, searched(model, sources, 7, 2), greedy, strict=True):
            found, lengths = ranked(every), {len(ids) - 1 for _, ids in every}
            ends_by_itself = len(lengths) >= 2 and min(lengths) >= 2 and max(lengths) < 7
            in_order = found == [ids[1:] for _, ids in every] == ranked(every, 0.0)  # order is for the other probes
            good = ends_by_itself and in_order and found[0] != best
            # Neither is it for this probe to see that places are filled again.
            yield good and show(("narrow", "filled", "full"), model, source, 7, 2) == [True, False, False]

    model, source = telling(draw, (4,), tells, ending=1.0)
    return listed(beam_search(model, source, BOS, EOS, 7, 2))


@beam_search.probe("looks for the best among the continuations of all beams, at every step", float64=True)
def over_all_beams(beam_search: Callable, draw: Draw) -> Any:
    def tells(model: Transformer, sources: Tensor) -> Iterator[bool]:
        for found, greedy in zip(beams_of(model, sources, 4, 4), beams_of(model, sources, 4, 1), strict=True):
            yield found[0] != greedy[0] and len({tokens[0] for tokens in found}) in (2, 3)

    model, source = telling(draw, (3,), tells, ending=NEVER)
    return listed(beam_search(model, source, BOS, EOS, 4, 4))


@beam_search.probe("ranks by score: a larger length_penalty favours the longer", float64=True)
def penalties(beam_search: Callable, draw: Draw) -> Any:
    def tells(model: Transformer, sources: Tensor) -> Iterator[bool]:
        for source, found in zip(sources, searched(model, sources, 6, 4), strict=True):
            rankings = [ranked(found, penalty) for penalty in (0.0, 0.6, 2.5)]
            several = len({str(one) for one in rankings}) >= 2 and len({len(one) for one in rankings[0]}) >= 3
            cut_off = any(ids[-1] != EOS for _, ids in found)
            yield several and cut_off and all(show(("narrow", "filled", "full", "on", "half"), model, source, 6, 4))

    model, source = telling(draw, (4,), tells, ending=0.5)
    return {
        str(penalty): listed(beam_search(model, source, BOS, EOS, 6, 4, length_penalty=penalty))
        for penalty in (0.0, 0.6, 2.5)
    }


@beam_search.probe("returns targets that have ended, and those that max_len cuts off, in one ranking", float64=True)
def both_kinds(beam_search: Callable, draw: Draw) -> Any:
    def tells(model: Transformer, sources: Tensor) -> Iterator[bool]:
        for source, every in zip(sources, searched(model, sources, 5, 4), strict=True):
            found = ranked(every)
            ends = [tokens[-1] == EOS for tokens in found]
            mixed = 1 <= sum(ends) <= 2 and ends != sorted(ends, reverse=True) and min(map(len, found)) < 4
            late = any(tokens[-1] == EOS and len(tokens) > 1 for tokens in found)
            good = mixed and late and found == ranked(every, 0.0)
            yield good and show(("narrow", "filled", "full", "on"), model, source, 5, 4) == [True, True, True, False]

    model, source = telling(draw, (3,), tells, ending=0.0)
    return listed(beam_search(model, source, BOS, EOS, 5))


@beam_search.probe("is greedy decoding with one beam", rung="edges", float64=True)
def one_beam(beam_search: Callable, draw: Draw) -> Any:
    def tells(model: Transformer, sources: Tensor) -> Iterator[bool]:
        return (2 < len(best) < 7 for (best,) in beams_of(model, sources, 7, 1))

    model, source = telling(draw, (3,), tells)
    return {
        "to its end": listed(beam_search(model, source, BOS, EOS, 7, beam_size=1)),
        "one token": listed(beam_search(model, source, BOS, EOS, 1, beam_size=1)),
    }


@beam_search.probe("may have more beams than the vocabulary has tokens", rung="edges", float64=True)
def many_beams(beam_search: Callable, draw: Draw) -> Any:
    def tells(model: Transformer, sources: Tensor) -> Iterator[bool]:
        for source, found in zip(sources, searched(model, sources, 3, 11), strict=True):
            late = any(ids[-1] == EOS and len(ids) > 2 for _, ids in found)
            mixed = late and any(ids[-1] != EOS for _, ids in found) and len(found) == 11
            good = mixed and ranked(found) != ranked(found, 0.0)
            yield good and all(show(("filled", "full"), model, source, 3, 11))

    model, source = telling(draw, (2,), tells)
    return {
        "three tokens": listed(beam_search(model, source, BOS, EOS, 3, beam_size=11)),
        "one token": listed(beam_search(model, source, BOS, EOS, 1, beam_size=11))[:6],
    }


@beam_search.probe(
    "raises a ValueError for two sources or none, and for max_len or beam_size below 1", rung="invariants"
)
def refuses_to_search(beam_search: Callable, draw: Draw) -> Any:
    model, source = writer(draw, 0), sources(draw, 0, (2,))
    beam_search(model, source, BOS, EOS, 1, 2)  # the blank stub must show as blank
    return {
        "two sources": raised(lambda: beam_search(model, source.expand(2, -1), BOS, EOS, 2, 2)),
        "no source": raised(lambda: beam_search(model, source[:0], BOS, EOS, 2, 2)),
        "max_len 0": raised(lambda: beam_search(model, source, BOS, EOS, 0, 2)),
        "beam_size 0": raised(lambda: beam_search(model, source, BOS, EOS, 2, 0)),
    }


# KVCache ----------------------------------------------------------------------------

kv_cache = Exercise(
    "KVCache",
    points=2,
    hints=(
        "What is kept has the shape (batch, num_heads, length, d_head). Which of the four grows? And what is there to do the first time, when nothing is kept yet?",
        "```python\n"
        "# length: 0 if there is nothing, else the size of one dimension\n"
        "# append:\n"
        "if ...:            # nothing kept yet\n"
        "    ...            # keep what came\n"
        "else:\n"
        "    ...            # keep the old and behind them the new, keys and values alike\n"
        "return ...         # all of both\n"
        "```",
        "`torch.cat([self.k, k], dim=-2)` puts the new keys behind the old ones; `self.k.size(-2)` is how many there are.",
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
        "Lay your DecoderLayer beside it. The only thing that changes is where keys and values come from: those of the new tokens are computed and put behind those that are there. Queries are of the new tokens "
        "only. And in which rows of the causal mask do the new tokens stand?",
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
        "`causal_mask(all)[before:]`.",
        "RuntimeError: output with shape [3, 2, 1, 1] doesn't match the broadcast shape [3, 2, 1, 2]": "the mask is larger than the table of queries and keys. Too many columns: `self.length` grows as soon as the first layer "
        "has run, so make the mask before. Too many rows: those of the new tokens are the last, `causal_mask(all)[before:]`.",
        "TypeError: 'NoneType' object is not callable": "a post-norm decoder has no norm at its end: `self.decoder.norm` is None there.",
        "AttributeError: 'NoneType' object has no attribute 'transpose'": "nothing is in the cache. At the first call the memory has to be put into the cross-attention's.",
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
    return {
        "2, then 1, then 4, then 2": read(CachedDecoder(stack(draw)), x, memory, visible(draw, 3, 2), (2, 1, 4, 2)),
        "all at once": read(CachedDecoder(stack(draw, norm_first=True)), x, memory, None, (9,)),
    }


@cached_decoder.probe("begins anew after `reset`, with another memory, and knows its length", float64=True)
def text_after_text(CachedDecoder: Callable, draw: Draw) -> Any:
    cached = CachedDecoder(stack(draw, num_layers=1))
    first = read(cached, draw.tensor("x", 2, 3, 8), draw.tensor("memory", 2, 4, 8), None, (1, 2))
    lengths = [cached.length]
    cached.reset()
    lengths.append(cached.length)
    second = read(cached, draw.tensor("other x", 3, 2, 8), draw.tensor("other memory", 3, 5, 8), None, (1, 1))
    return {"first": first, "second": second, "lengths": [*lengths, cached.length]}


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


class _Work(TorchDispatchMode):
    """Counts the multiplications of matrix products, whoever makes them."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # True, the default, imports torch's compiler at the first call

    def __init__(self) -> None:
        super().__init__()
        self.done = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None) -> Any:
        out = func(*args, **(kwargs or {}))
        name = func.overloadpacket.__name__
        if name in ("mm", "bmm", "addmm", "baddbmm", "mv", "addmv"):
            self.done += out.numel() * args[name in ("addmm", "baddbmm", "addmv")].size(-1)
        return out


@contextmanager
def work() -> Iterator[_Work]:
    """Counts while it is active."""
    counter = _Work()
    with counter:
        yield counter


def against(more: int, less: int, times: int = 2) -> str:
    """Two amounts of work, compared coarsely: ways to write the same thing differ by a little."""
    return f"{'no ' if more <= times * less else ''}more than {times} times as much"


@cached_decoder.probe(
    "computes keys and values of a token once, and those of the source once", rung="invariants", float64=True
)
def nothing_twice(CachedDecoder: Callable, draw: Draw) -> Any:
    cached = CachedDecoder(stack(draw, num_layers=1))
    x, memory, mask = draw.tensor("x", 1, 12, 8), draw.tensor("memory", 1, 40, 8), visible(draw, 40)
    done = []
    for place in range(12):
        with work() as counter:
            cached(x[:, place : place + 1], memory, mask)
        done.append(counter.done)
    return {
        "token 12, against token 2": against(done[-1], done[1]),
        "token 1, against token 2": against(done[0], done[1]),
    }


# greedy_decode_cached ----------------------------------------------------------------------------

greedy_decode_cached = Exercise(
    "greedy_decode_cached",
    points=2,
    hints=(
        "`model(src_ids, tgt_ids)` does everything at every step. Take it apart: what is the same at every step and belongs before the loop? And of the target only the newest token has to be embedded; where does it stand?",
        "```python\n"
        "memory, src_mask = ...\n"
        "for _ in range(max_len):\n"
        "    x = ...       # embed `newest`, add its position: (batch, 1, d_model)\n"
        "    logits = ...  # decoder, then model.output; the last place\n"
        "    ...           # as in greedy_decode; the best tokens are the newest now\n"
        "return ...        # all that was written, side by side\n"
        "```",
        "`model.positions(model.tgt_embedding(newest), start=decoder.length)`, with `decoder.length` read before the decoder runs. `padding_mask(src_ids, pad_id)` is the source's mask. `torch.cat(written, dim=1)` "
        "joins the columns.",
    ),
    traps={
        "ValueError: torch.cat(): expected a non-empty list of Tensors": "nothing was put into `written`.",
        "TypeError: 'CachedDecoder' object is not callable": "is your `CachedDecoder` still an nn.Module?",
        "RuntimeError: Tensors must have same number of dimensions: got 2 and 1": "the newest tokens are a column: (batch, 1). `best.unsqueeze(1)`.",
        "TypeError: ...forward() got an unexpected keyword argument 'start'": "`start` goes to `model.positions`, not to the embedding.",
    },
)  # fmt: skip


@torch.no_grad()
def slipped(model: Transformer, source: Tensor, max_len: int, *slips: str) -> Tensor:
    """What is written by who makes these slips.

    "again" feeds all tokens at every step, "forgets" empties the cache, "at 0" adds the first position, "unmasked" reads
    padding, "begins" feeds BOS at every step, "table" looks targets up in the source's table.
    """
    rows = source.flatten(0, -2)
    cached, target = right.CachedDecoder(model.decoder), torch.full((len(rows), 1), BOS)
    memory, mask = model.encode(rows), None if "unmasked" in slips else (rows != PAD)[:, None, None, :]
    table = model.src_embedding if "table" in slips else model.tgt_embedding
    for step in range(max_len):
        if "forgets" in slips:
            cached.reset()
        newest = target if "again" in slips else target[:, :1] if "begins" in slips else target[:, -1:]
        start = 0 if "at 0" in slips else cached.length if "again" in slips else step
        vectors = cached(model.positions(table(newest), start), memory, mask)
        target = torch.cat([target, model.output(vectors)[:, -1:].argmax(dim=-1)], dim=1)
    return until(EOS, target[:, 1:]).reshape(*source.shape[:-1], max_len)


DOUBLED = ("again", "at 0")
SLIPS = (("again",), ("forgets",), ("at 0",), ("forgets", "at 0"), ("begins",), ("table",))


def all_show(model: Transformer, source: Tensor, good: Tensor, *others: tuple[str, ...], apart: bool = False) -> Tensor:
    """In which good groups the first four tokens tell SLIPS and others from what is right; if asked for, from each other.

    No more than four: for a fifth, who feeds all tokens again needs more positions than the model has.
    """
    if not good.any():
        return good
    right = best_first(model, source, BOS, EOS, 4)
    wrong = [slipped(model, source, 4, *slips) for slips in (*SLIPS, *others)]
    pairs = [(right, one) for one in wrong] + (list(itertools.combinations(wrong, 2)) if apart else [])
    return good & torch.stack([somewhere(one != other) for one, other in pairs]).all(dim=0)


@greedy_decode_cached.probe("writes what greedy_decode writes, for targets of several lengths")
def the_same_targets(greedy_decode_cached: Callable, draw: Draw) -> Any:
    def tells(model: Transformer, source: Tensor) -> Tensor:
        good = all_show(model, source, of_several_lengths(model, source, 7), ("unmasked",))
        # Keys that are there several times show too seldom here to look for it: they never do.
        return good & ~somewhere(best_first(model, source, BOS, EOS, 7) != slipped(model, source, 7, *DOUBLED))

    model, source = telling(draw, (5, 3, 4, 2), tells, ending=3.0)
    return greedy_decode_cached(model, source, BOS, EOS, 7)


@greedy_decode_cached.probe("knows where each token stands, and stops after max_len")
def long_targets(greedy_decode_cached: Callable, draw: Draw) -> Any:
    def tells(model: Transformer, source: Tensor) -> Tensor:
        lengths, clear = written(model, source, 7)
        shortest, longest = lengths.aminmax(dim=1)
        good = clear & (longest == 7) & (shortest >= 2) & (shortest <= 4)
        return all_show(model, source, good, DOUBLED, ("unmasked",))

    model, source = telling(draw, (3, 4, 2), tells, ending=0.0)
    return greedy_decode_cached(model, source, BOS, EOS, 6)


@greedy_decode_cached.probe("reads the source without its padding")
def padded_sources(greedy_decode_cached: Callable, draw: Draw) -> Any:
    def tells(model: Transformer, source: Tensor) -> Tensor:
        return all_show(model, source, written(model, source, 5)[1], DOUBLED, ("unmasked",), apart=True)

    model, source = telling(draw, (6, 2, 1, 3, 2), tells, ending=NEVER, encoder=True)
    return greedy_decode_cached(model, source, BOS, EOS, 5)


@greedy_decode_cached.probe("works for one source and one token", rung="edges")
def one_of_each_cached(greedy_decode_cached: Callable, draw: Draw) -> Any:
    def tells(model: Transformer, source: Tensor) -> Tensor:
        going_on = best_first(model, source[..., :1], BOS, EOS, 1).flatten() != EOS
        lengths = written(model, source, 6)[0][:, 0]
        return all_show(model, source, going_on & (lengths > 2) & (lengths < 6), DOUBLED)

    model, source = telling(draw, (3,), tells)
    return {
        "one source": greedy_decode_cached(model, source, BOS, EOS, 6),
        "one token": greedy_decode_cached(model, source[:, :1], BOS, EOS, 1),
    }


@greedy_decode_cached.probe("computes nothing twice: the work grows no faster than the text", rung="invariants")
def work_of_a_text(greedy_decode_cached: Callable, draw: Draw) -> Any:
    def tells(model: Transformer, source: Tensor) -> Tensor:
        return written(model, source, 8)[0][:, 0] == 8

    model, source = telling(draw, (14,), tells, ending=-3.0, encoder=True)
    found = {}
    for name, src_ids, times in (("a long source", source, 2), ("a source of one token", source[:, :1], 6)):
        done = []
        for tokens in (2, 8):
            with work() as counter:
                greedy_decode_cached(model, src_ids, BOS, PAD, tokens)  # an end that is never written
            done.append(counter.done)
        found[f"8 tokens against 2, for {name}"] = against(done[1], done[0], times)
    return found


@greedy_decode_cached.probe("raises a ValueError without a source, and for max_len below 1", rung="invariants")
def nothing_to_write_cached(greedy_decode_cached: Callable, draw: Draw) -> Any:
    model, source = writer(draw, 0), sources(draw, 0, (2,))
    greedy_decode_cached(model, source, BOS, EOS, 1)  # the blank stub must show as blank
    return {
        "no source": raised(lambda: greedy_decode_cached(model, source[:0], BOS, EOS, 3)),
        "max_len 0": raised(lambda: greedy_decode_cached(model, source, BOS, EOS, 0)),
    }


# In the wild ----------------------------------------------------------------------------

article_decode = Exercise(
    "article_decode",
    points=2,
    repairs=greedy_decode,
    hints=(
        "Four slips, most of them in two lines. Say for each line of the loop what it should do, and compare with your `greedy_decode`. What does the model get to read?",
        "The decoder is given the last token only, and there is no cache that would know the others. The model's source is not the source. `argmax()` without a dimension looks at the whole table. And who is "
        "finished, if there are several texts?",
        "`model(src_ids, tgt_ids)[:, -1].argmax(dim=-1)`, then `finished` as in your own: pad_id for those who are finished, and the end when all are.",
    ),
)
