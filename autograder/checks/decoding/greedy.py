"""Checks of greedy decoding, with and without a cache, and a repair."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.checks.decoding.shared import (
    BOS,
    EOS,
    NEVER,
    PAD,
    VOCAB,
    against,
    raised,
    sources,
    telling,
    work,
    writer,
)
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.stand_ins import decoding as right
from autograder.stand_ins.transformer import Transformer

# What is written ----------------------------------------------------------------------------

# To choose its draws a check decodes too. It does so here, and not with the stand-ins: where students are checked, or
# graded, there are none of their own lesson.


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

ALONG_THE_BATCH = (
    "there are not as many best tokens as targets. The logits of the last place are `[:, -1]`, (batch, tgt_vocab), and "
    "the best token of each row is their `argmax(dim=-1)`. Along `dim=0` it compares the targets with each other."
)

greedy_decode = Exercise(
    "greedy_decode",
    points=3,
    hints=(
        "`model(src_ids, tgt_ids)` scores what comes after *every* place of the target. You need the last place only. Which dimension holds the places, "
        "and which the vocabulary?",
        "```python\n"
        "for _ in range(max_len):\n"
        "    logits = ...    # of the last place: (batch, tgt_vocab)\n"
        "    best = ...      # (batch,): best token of each row; pad_id where finished\n"
        "    tgt_ids = ...   # one column more\n"
        "    finished = ...  # the targets that were finished, or have just written eos_id\n"
        "    if ...:         # all of them\n"
        "        break\n"
        "return ...          # without the first column\n"
        "```",
        "`model(src_ids, tgt_ids)[:, -1].argmax(dim=-1)` is the best token of each row, and `.masked_fill(finished, pad_id)` gives padding to finished "
        "targets. "
        "`torch.cat([tgt_ids, best.unsqueeze(1)], dim=1)` appends; `finished | (best == eos_id)` remembers.",
    ),
    traps={
        "RuntimeError: Tensors must have same number of dimensions: got 2 and 1": "`best` has the shape (batch,) and what has been written (batch, length). Give it a second dimension: `best.unsqueeze(1)`. "
        "If it says 2 and 3, the logits are still those of all places: take the last, `[:, -1]`.",
        "RuntimeError: Sizes of tensors must match except in dimension 0": "`torch.cat` joins along dimension 0, the batch, unless told otherwise: `dim=1`.",
        "ValueError: 4 sources and 8 targets; every source needs one target": "`torch.cat` joins along dimension 0, the batch, unless told otherwise, "
        "so you get more texts. Append tokens along `dim=1`.",
        "AttributeError: 'torch.return_types.max' object has no attribute": "`max` returns two things, values and indices. `argmax` gives the indices alone.",
        "RuntimeError: Sizes of tensors must match except in dimension 1. Expected size 4 but got size 1": "there are not as many new tokens as targets. The logits of the last place are `[:, -1]`; "
        "`[-1]` gives the logits of the last text. The best token of each row is `argmax(dim=-1)`; along `dim=0` it compares the targets with each other.",
        "RuntimeError: The size of tensor a (9) must match the size of tensor b (4) at non-singleton dimension 0": ALONG_THE_BATCH,
        "ValueError: token_ids go from 1 to 27": "an argmax over more than one row gives a place in the whole table, not a token: `argmax(dim=-1)`.",
        "IndexError: The shape of the mask [4] at index 0 does not match the shape of the indexed tensor [9] at index 0": ALONG_THE_BATCH,
        "RuntimeError: Boolean value of Tensor with more than one value is ambiguous": "`if` needs a single answer, `finished.all()`; and two masks are "
        "joined with `|`, not with `or`.",
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


def ends_at_once(model: Any) -> Any:
    """The same model, which has nothing to write but EOS."""
    with torch.no_grad():
        model.output.weight[EOS, 0] = -NEVER
    return model


@greedy_decode.probe("works for one source and for one token", rung="edges")
def one_of_each(greedy_decode: Callable, draw: Draw) -> Any:
    def tells(model: Transformer, source: Tensor) -> Tensor:
        going_on = best_first(model, source[..., :1], BOS, EOS, 1).flatten() != EOS
        target, unread = (best_first(model, one, BOS, EOS, 6) for one in (source, torch.zeros_like(source)))
        lengths = written(model, source, 6)[0][:, 0]
        return going_on & somewhere(target != unread) & (lengths > 2) & (lengths < 6)

    model, source = telling(draw, (3,), tells)
    found = {
        "one source": greedy_decode(model, source, BOS, EOS, 6),
        "one token": greedy_decode(model, source[:, :1], BOS, EOS, 1),
    }
    at_once = greedy_decode(ends_at_once(model), source[:, :1], BOS, EOS, 3)
    return found | {"eos_id at once": at_once.tolist() if isinstance(at_once, Tensor) else at_once}  # [[]] has no dtype


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


def may_write_padding(model: Any) -> Any:
    """The same model, to which padding is a token like any other."""
    with torch.no_grad():
        model.output.weight[PAD, 0] = 1.0
    return model


def up_to_padding(found: Any) -> Any:
    """Rows up to the first padding: what stands behind one that a model wrote itself is left open."""
    if not isinstance(found, Tensor) or found.dim() != 2:
        return found
    return [row[: row.index(PAD) + 1] if PAD in row else row for row in found.tolist()]


def writes_padding_inside(model: Transformer, source: Tensor) -> Tensor:
    """Whether two targets of a group or more have padding of the model's own before their fifth token: (groups,)."""
    target = best_first(may_write_padding(model), source, BOS, VOCAB, 5)  # an end that is no token
    first = (target == PAD).long().argmax(dim=-1)
    return (((first > 0) & (first < 4)).sum(dim=1) >= 2) & written(model, source, 5)[1]


@torch.no_grad()
def nothing_hidden(model: Any, source: Tensor, max_len: int) -> Tensor:
    """What is written where padding of the model's own is not hidden from the tokens behind it, as with a cache."""
    rows = source.flatten(0, -2)
    target = torch.full((len(rows), 1), BOS)
    memory, seen = model.encode(rows), (rows != PAD)[:, None, None, :]
    for _ in range(max_len):
        causal = torch.ones(target.size(1), target.size(1), dtype=torch.bool).tril()
        vectors = model.decoder(model.positions(model.tgt_embedding(target)), memory, causal, seen)
        target = torch.cat([target, model.output(vectors[:, -1:]).argmax(dim=-1)], dim=1)
    return target[:, 1:].reshape(*source.shape[:-1], max_len)


def goes_on(target: Tensor) -> Tensor:
    """Whether in all targets of a group a token follows the first padding, if there is one: (groups,)."""
    behind = ((target == PAD).cumsum(dim=-1) > 0) & (target != PAD)
    return (behind.any(dim=-1) | (target != PAD).all(dim=-1)).all(dim=-1)


@greedy_decode.probe("writes a pad_id of the model's own like any token, and goes on behind it", rung="edges")
def padding_of_its_own(greedy_decode: Callable, draw: Draw) -> Any:
    def tells(model: Transformer, source: Tensor) -> Tensor:
        good = writes_padding_inside(model, source)  # both of them
        target = best_first(model, source, BOS, VOCAB, 5)
        lonely = best_first(model, source, BOS, VOCAB, 5, last_only=True)
        unread = best_first(model, torch.zeros_like(source), BOS, VOCAB, 5)
        shows = (until(PAD, target) != until(PAD, lonely)) & (until(PAD, target) != until(PAD, unread))
        return good & somewhere(shows) & goes_on(target) & goes_on(nothing_hidden(model, source, 5))

    model, source = telling(draw, (5, 3), tells, ending=NEVER)
    found = greedy_decode(may_write_padding(model), source, BOS, EOS, 5)
    if not isinstance(found, Tensor) or found.dim() != 2:
        return found
    behind = [[one != PAD for one in row[row.index(PAD) :]] if PAD in row else [True] for row in found.tolist()]
    return {"up to padding": up_to_padding(found), "goes on": [any(one) for one in behind]}


def work_when_all_have_ended(decode: Callable, draw: Draw, times: int) -> str:
    """Targets that end with their first token, and a larger max_len: how much more is computed."""
    model, source = writer(draw, 0, ending=-NEVER), sources(draw, 0, (3, 2))
    done = []
    for tokens in (2, 12):
        with work() as counter:
            decode(model, source, BOS, EOS, tokens)
        done.append(counter.done)
    return against(done[1], done[0], times)


@greedy_decode.probe("is done when all targets have ended, however large max_len is", rung="invariants")
def done_early(greedy_decode: Callable, draw: Draw) -> Any:
    # Whoever hands over a table of max_len columns, with padding to come, computes six times as much, and is right.
    return work_when_all_have_ended(greedy_decode, draw, times=12)


@greedy_decode.probe("raises a ValueError without a source, and for max_len below 1", rung="invariants")
def nothing_to_write(greedy_decode: Callable, draw: Draw) -> Any:
    model, source = writer(draw, 0), sources(draw, 0, (2,))
    greedy_decode(model, source, BOS, EOS, 1)  # the blank stub must show as blank
    return {
        "no source": raised(lambda: greedy_decode(model, source[:0], BOS, EOS, 3)),
        "max_len 0": raised(lambda: greedy_decode(model, source, BOS, EOS, 0)),
    }


# greedy_decode_cached ----------------------------------------------------------------------------

greedy_decode_cached = Exercise(
    "greedy_decode_cached",
    points=2,
    done_by=(greedy_decode,),
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
    turned = draw.keep("turned", source.flip(0))  # of the same shape, with its padding elsewhere
    found = {"a batch": greedy_decode_cached(model, source, BOS, EOS, 5)}
    return found | {"its rows the other way round": greedy_decode_cached(model, turned, BOS, EOS, 5)}


@greedy_decode_cached.probe("writes what greedy_decode writes, up to a pad_id of the model's own", rung="edges")
def own_padding(greedy_decode_cached: Callable, draw: Draw) -> Any:
    model, source = telling(draw, (5, 3, 4, 2), writes_padding_inside, ending=NEVER)
    return up_to_padding(greedy_decode_cached(may_write_padding(model), source, BOS, EOS, 5))


@greedy_decode_cached.probe("goes by the ids that it is given for begin and end", rung="edges")
def other_ids_cached(greedy_decode_cached: Callable, draw: Draw) -> Any:
    def tells(model: Transformer, source: Tensor) -> Tensor:
        targets = best_first(model, source, 5, VOCAB - 1, 6)
        shortest, longest = (targets != PAD).sum(dim=-1).aminmax(dim=1)
        return (shortest >= 2) & (shortest <= 4) & (longest > shortest) & somewhere(targets == EOS)

    model, source = telling(draw, (3, 2, 4), tells, ending=1.0)
    return greedy_decode_cached(model, source, 5, VOCAB - 1, 6)


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


@greedy_decode_cached.probe("is done when all targets have ended, however large max_len is", rung="invariants")
def done_early_cached(greedy_decode_cached: Callable, draw: Draw) -> Any:
    return work_when_all_have_ended(greedy_decode_cached, draw, times=3)


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
    done_by=(greedy_decode_cached,),
    hints=(
        "There are four mistakes, most of them in two lines. Say for each line of the loop what it should do, and compare with your `greedy_decode`. "
        "What does the model get to read?",
        "The decoder is given the last token only, and there is no cache that would know the others. The first argument of the model is not the source. "
        "`argmax()` without a dimension looks at the whole table. And with several texts, which of them are finished?",
        "`model(src_ids, tgt_ids)[:, -1].argmax(dim=-1)`, then `finished` as in your `greedy_decode`: pad_id for finished texts, and the end when all "
        "are finished.",
    ),
)
