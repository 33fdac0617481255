"""Checks of beam search."""

import math
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.checks.decoding.shared import BOS, EOS, NEVER, raised, sources, telling, writer
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.stand_ins.transformer import Transformer

beam_search = Exercise(
    "beam_search",
    points=4,
    hints=(
        "The log-probability of a text is the *sum* of the log-probabilities of its tokens. So every step adds one number to a beam's total. Lay the "
        "totals of all continuations out as one table, a row for a beam, a "
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
        "TypeError: 'Tensor' object is not callable": "`sorted` needs a function as its key.",
        "RuntimeError: stack expects each tensor to be equal size": "all beams that go on have the same length. Is there still a beam among them that "
        "has ended?",
        "TypeError: '<' not supported between instances of 'complex' and 'complex'": "a negative number to a power such as 0.6 is complex in Python. Only (5 + n) / 6 is raised: `total / ((5 + n) / 6) ** length_penalty`.",
        "TypeError: unhashable type: 'list'": "a list cannot be the key of a dictionary; a tuple can.",
        "ValueError: token_ids has shape (0,)": "all targets have ended, and the loop goes on without a beam. Stop when `beams` is empty.",
    },
)  # fmt: skip


def listed(found: Any) -> Any:
    """Targets as texts and scores as plain numbers, whatever kind of number they were."""
    if not isinstance(found, list | tuple):
        return found
    try:
        return [
            {"tokens": " ".join(str(int(token)) for token in tokens), "score": float(score)}
            for tokens, score in (tuple(one) for one in found)
        ]
    except (TypeError, ValueError):  # no pairs of these
        return found


def scores(found: Any) -> Any:
    """The scores by themselves, sorted: who has made another mistake beside a wrong order has these of that mistake."""
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        return None
    return sorted((one["score"] for one in found), reverse=True)


# To choose its draws a check searches too, and not with the stand-ins: see greedy.py.


def next_scores(model: Transformer, source: Tensor, begun: list[list[int]]) -> Tensor:
    """The scores of the next token, for each source and its beginning; the beginnings are of one length."""
    with torch.no_grad():
        return model(source, torch.tensor(begun))[:, -1]


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
        greedy = beams_of(model, sources, 6, 1)
        for source, every, (best,) in zip(sources, searched(model, sources, 6, 2), greedy, strict=True):
            found, lengths = ranked(every), {len(ids) - 1 for _, ids in every}
            ends_by_itself = len(lengths) >= 2 and min(lengths) >= 2 and max(lengths) < 6
            in_order = found == [ids[1:] for _, ids in every] == ranked(every, 0.0)  # order is for the other probes
            good = ends_by_itself and in_order and found[0] != best
            # Neither is it for this probe to see that places are filled again.
            yield good and show(("narrow", "filled", "full"), model, source, 6, 2) == [True, False, False]

    model, source = telling(draw, (4,), tells, ending=1.0)
    return listed(beam_search(model, source, BOS, EOS, 6, 2))


@beam_search.probe("looks for the best among the continuations of all beams, at every step", float64=True)
def over_all_beams(beam_search: Callable, draw: Draw) -> Any:
    def tells(model: Transformer, sources: Tensor) -> Iterator[bool]:
        for found, greedy in zip(beams_of(model, sources, 4, 4), beams_of(model, sources, 4, 1), strict=True):
            yield found[0] != greedy[0] and len({tokens[0] for tokens in found}) in (2, 3)

    model, source = telling(draw, (3,), tells, ending=NEVER)
    return listed(beam_search(model, source, BOS, EOS, 4, 4))


def ends_next(model: Transformer, source: Tensor, max_len: int, size: int) -> bool:
    """Whether one token more would end a target that is cut off."""
    (more,) = searched(model, source[None], max_len + 1, size)
    return any(ids[-1] == EOS and len(ids) == max_len + 2 for _, ids in more)  # with BOS


@beam_search.probe("ranks by score: a larger length_penalty favours the longer", float64=True)
def penalties(beam_search: Callable, draw: Draw) -> Any:
    def tells(model: Transformer, sources: Tensor) -> Iterator[bool]:
        for source, found in zip(sources, searched(model, sources, 6, 4), strict=True):
            rankings = [ranked(found, penalty) for penalty in (0.0, 2.5)]
            several = len({str(one) for one in rankings}) >= 2 and len({len(one) for one in rankings[0]}) >= 3
            cut_off = any(ids[-1] != EOS for _, ids in found)
            good = several and cut_off and all(show(("narrow", "filled", "full", "on", "half"), model, source, 6, 4))
            yield good and ends_next(model, source, 6, 4)

    model, source = telling(draw, (4,), tells, ending=0.5)
    found = {
        str(penalty): listed(beam_search(model, source, BOS, EOS, 6, 4, length_penalty=penalty))
        for penalty in (0.0, 2.5)
    }
    return found | {"scores alone": scores(found["0.0"]), "scores alone, penalty 2.5": scores(found["2.5"])}


@beam_search.probe("returns targets that have ended, and those that max_len cuts off, in one ranking", float64=True)
def both_kinds(beam_search: Callable, draw: Draw) -> Any:
    # Three tokens: from four on, beams of a model that sees the last token alone tie, and rounding decides.
    def tells(model: Transformer, sources: Tensor) -> Iterator[bool]:
        for source, every in zip(sources, searched(model, sources, 3, 4), strict=True):
            found = ranked(every)
            ends = [tokens[-1] == EOS for tokens in found]
            mixed = 1 <= sum(ends) <= 2 and ends != sorted(ends, reverse=True) and min(map(len, found)) < 3
            late = any(tokens[-1] == EOS and len(tokens) > 1 for tokens in found)
            good = mixed and late and found == ranked(every, 0.0)
            yield good and show(("narrow", "filled", "full", "on"), model, source, 3, 4) == [True, True, True, False]

    model, source = telling(draw, (3,), tells, ending=0.0)
    return listed(beam_search(model, source, BOS, EOS, 3))


@beam_search.probe("is greedy decoding with one beam", rung="edges", float64=True)
def one_beam(beam_search: Callable, draw: Draw) -> Any:
    def tells(model: Transformer, sources: Tensor) -> Iterator[bool]:
        return (2 < len(best) < 5 for (best,) in beams_of(model, sources, 5, 1))

    model, source = telling(draw, (3,), tells)
    return {
        "to its end": listed(beam_search(model, source, BOS, EOS, 5, beam_size=1)),
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
        "one token": listed(beam_search(model, source, BOS, EOS, 1, beam_size=11)),
    }


@beam_search.probe("returns a list of pairs, and each target as a list", rung="invariants")
def in_lists(beam_search: Callable, draw: Draw) -> Any:
    model, source = writer(draw, 0), sources(draw, 0, (2,))
    found = beam_search(model, source, BOS, EOS, 2, 3)
    each = [one[0] for one in found] if isinstance(found, list | tuple) else []
    return {"all": type(found).__name__, "targets": sorted({type(one).__name__ for one in each})}


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
