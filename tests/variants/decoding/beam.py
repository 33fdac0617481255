"""Lesson 11: beam search."""

import functools
import heapq
import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.stand_ins import decoding as stand_in
from tests.variants import correct, disguise, slips, unlisted


class Search:
    """Beam search with a heap of tuples; every part can be replaced."""

    def step(self, logits: Tensor) -> Tensor:
        return F.log_softmax(logits, -1)

    def total(self, so_far: float, step: float) -> float:
        return so_far + step

    def begin(self, size: int) -> list[tuple[float, tuple[int, ...]]]:
        return [(0.0, ())]

    def feed(self, bos_id: int, tokens: tuple[int, ...]) -> tuple[int, ...]:
        return (bos_id, *tokens)

    def ends(self, tokens: tuple[int, ...], eos_id: int) -> bool:
        return tokens[-1] == eos_id

    def places(self, size: int, ended: int) -> int:
        return size - ended

    def done(self, going: list, ended: list, size: int) -> bool:
        return not going

    def results(self, going: list, ended: list, size: int) -> list:
        return going + ended

    def steps(self, max_len: int) -> int:
        return max_len

    def going_on(self, best: list, ended: list, size: int, eos_id: int) -> list:
        return [one for one in best if not self.ends(one[1], eos_id)]

    def score(self, total: float, tokens: tuple[int, ...], penalty: float, eos_id: int) -> float:
        return total / math.pow((5 + len(tokens)) / 6, penalty)

    def rank(self, scored: list) -> list:
        return sorted(scored, key=lambda one: -one[1])

    place = -1

    def __call__(
        self,
        model: Any,
        src_ids: Tensor,
        bos_id: int,
        eos_id: int,
        max_len: int,
        beam_size: int = 4,
        length_penalty: float = 0.6,
    ) -> list:
        if len(src_ids) != 1 or max_len < 1 or beam_size < 1:
            raise ValueError("give one source, and at least 1 of both")
        going, ended = self.begin(beam_size), []
        for _ in range(self.steps(max_len)):
            given = torch.tensor([self.feed(bos_id, tokens) for _, tokens in going])
            with torch.no_grad():
                steps = self.step(model(src_ids.repeat(len(going), 1), given)[:, self.place]).tolist()
            every = (
                (self.total(so_far, step), (*tokens, token))
                for (so_far, tokens), row in zip(going, steps, strict=True)
                for token, step in enumerate(row)
            )
            best = heapq.nlargest(self.places(beam_size, len(ended)), every, key=lambda one: one[0])
            ended += [one for one in best if self.ends(one[1], eos_id)]
            going = self.going_on(best, ended, beam_size, eos_id)
            if self.done(going, ended, beam_size):
                break
        found = self.results(going, ended, beam_size)
        return self.rank([(list(t), self.score(total, t, length_penalty, eos_id)) for total, t in found])


def searches(kind: Callable, name: str = "", **parts: Any) -> None:
    """Add a beam search with replaced parts."""
    made = type("Own", (Search,), parts)()

    def beam_search(*args: Any, **kwargs: Any) -> list:
        return made(*args, **kwargs)

    beam_search.__name__ = f"b_{'_'.join(parts) or 'heap'}"
    kind("beam_search", *([name] if name else []))(beam_search)


searches(disguise, "log-probabilities are not added up", total=lambda self, so_far, step: step)
searches(disguise, "probabilities are added, not logarithms", step=lambda self, logits: F.softmax(logits, -1))
searches(disguise, "logits are added up as they are", step=lambda self, logits: logits)
searches(disguise, "begins with several equal beams", begin=lambda self, size: [(0.0, ())] * size)
searches(disguise, "targets that have ended go on", ends=lambda self, tokens, eos_id: False)
searches(
    disguise,
    "targets that have ended go on",
    going_on=lambda self, best, ended, size, eos_id: best,
    done=lambda self, going, ended, size: len(ended) >= size,
)
searches(disguise, "the beam is filled up again", places=lambda self, size, ended: size)
searches(
    disguise,
    "the beam is filled up again",
    places=lambda self, size, ended: size,
    done=lambda self, going, ended, size: not going or len(ended) >= size,
)
searches(disguise, "targets that have ended are lost", results=lambda self, going, ended, size: going)
searches(disguise, "targets that have not ended are lost", results=lambda self, going, ended, size: ended)
searches(disguise, "stops when the first has ended", done=lambda self, going, ended, size: len(ended) > 0 or not going)
searches(disguise, "the length does not count", score=lambda self, total, tokens, penalty, eos_id: total)
searches(
    disguise,
    "divided by the length itself",
    score=lambda self, total, tokens, penalty, eos_id: total / len(tokens) ** penalty,
)
searches(
    disguise,
    "multiplied by the penalty",
    score=lambda self, total, tokens, penalty, eos_id: total * (5 / 6 + len(tokens) / 6) ** penalty,
)
searches(
    disguise,
    "bos_id counts in the length",
    score=lambda self, total, tokens, penalty, eos_id: total / ((5 + len((0, *tokens))) / 6) ** penalty,
)
searches(
    disguise,
    "eos_id does not count in the length",
    score=lambda self, total, tokens, penalty, eos_id: (
        total / ((5 + sum(one != eos_id for one in tokens)) / 6) ** penalty
    ),
)
searches(
    disguise,
    "the result is not sorted by score",
    results=lambda self, going, ended, size: ended + going,
    rank=lambda self, scored: scored,
)
searches(disguise, "the worst comes first", rank=lambda self, scored: sorted(scored, key=lambda one: one[1]))
searches(
    disguise,
    "ranked before the penalty",
    results=lambda self, going, ended, size: sorted(ended + going, reverse=True),
    rank=lambda self, scored: scored,
)
searches(disguise, "only the best is returned", rank=lambda self, scored: [max(scored, key=lambda one: one[1])])
searches(disguise, "one token too few", steps=lambda self, max_len: max_len - 1)
searches(
    disguise,
    "the length counts for a part only",
    score=lambda self, total, tokens, penalty, eos_id: (
        total / ((5 + len(tokens)) / 6) ** penalty if tokens[-1] == eos_id else total
    ),
)
searches(
    disguise,
    "the length counts for a part only",
    score=lambda self, total, tokens, penalty, eos_id: (
        total if tokens[-1] == eos_id else total / ((5 + len(tokens)) / 6) ** penalty
    ),
)
searches(unlisted, place=0)


for brackets in (
    lambda self, total, tokens, penalty, eos_id: total / (5 + len(tokens) / 6) ** penalty,
    lambda self, total, tokens, penalty, eos_id: total / (len(tokens) + 5) / 6**penalty,
    lambda self, total, tokens, penalty, eos_id: total / ((len(tokens) + 5) / 6**penalty),
    lambda self, total, tokens, penalty, eos_id: total / (len(tokens) + 5) ** penalty / 6,
):
    searches(disguise, "the brackets of the penalty", score=brackets)


@disguise("beam_search", "the beam is filled up again")
def b_full(
    model: Any,
    src_ids: Tensor,
    bos_id: int,
    eos_id: int,
    max_len: int,
    beam_size: int = 4,
    length_penalty: float = 0.6,
) -> list:
    full = type("Full", (Search,), {"places": lambda self, size, ended: size})()
    return full(model, src_ids, bos_id, eos_id, max_len, beam_size, length_penalty)[:beam_size]


@disguise("beam_search", "feeds only the last token")
def b_last_only(
    model: Any,
    src_ids: Tensor,
    bos_id: int,
    eos_id: int,
    max_len: int,
    beam_size: int = 4,
    length_penalty: float = 0.6,
) -> list:
    """With `topk`: the same tokens in another order have one total then, and which comes first is chance."""
    if len(src_ids) != 1 or max_len < 1 or beam_size < 1:
        raise ValueError("give one source, and at least 1 of both")
    texts, totals, found = torch.full((1, 1), bos_id), torch.zeros(1), []
    for _ in range(max_len):
        with torch.no_grad():
            logits = model(src_ids.repeat(len(texts), 1), texts[:, -1:])[:, 0]
        every = (totals[:, None] + F.log_softmax(logits, 1)).view(-1)
        totals, places = every.topk(min(beam_size - len(found), len(every)))
        texts = torch.cat([texts[places // logits.size(1)], (places % logits.size(1))[:, None]], 1)
        over = texts[:, -1] == eos_id
        found += zip(texts[over].tolist(), totals[over].tolist(), strict=True)
        texts, totals = texts[~over], totals[~over]
        if not len(texts):
            break
    found += zip(texts.tolist(), totals.tolist(), strict=True)
    scored = [(ids[1:], total / ((4 + len(ids)) / 6) ** length_penalty) for ids, total in found]
    return sorted(scored, key=lambda one: -one[1])


@disguise("beam_search", "the source is not read")
def b_no_source(model: Any, *args: Any, **kwargs: Any) -> list:
    return Search()(lambda src_ids, tgt_ids: model(tgt_ids, tgt_ids), *args, **kwargs)


@disguise("beam_search", "beams share one list")
def b_one_list(
    model: Any,
    src_ids: Tensor,
    bos_id: int,
    eos_id: int,
    max_len: int,
    beam_size: int = 4,
    length_penalty: float = 0.6,
) -> list:
    if len(src_ids) != 1 or max_len < 1 or beam_size < 1:
        raise ValueError("give one source, and at least 1 of both")
    going: list[tuple[float, list[int]]] = [(0.0, [bos_id])]
    ended: list[tuple[float, list[int]]] = []
    for _ in range(max_len):
        grown = []
        for total, text in going:
            with torch.no_grad():
                steps = model(src_ids, torch.tensor([text]))[0, -1].log_softmax(-1).tolist()
            grown += [(total + step, text, token) for token, step in enumerate(steps)]
        grown.sort(key=lambda one: -one[0])
        chosen = grown[: beam_size - len(ended)]
        for _, text, token in chosen:
            text.append(token)
        both = [(total, text) for total, text, _ in chosen]
        ended += [one for one in both if one[1][-1] == eos_id]
        going = [one for one in both if one[1][-1] != eos_id]
        if not going:
            break
    scored = [(text[1:], total / ((4 + len(text)) / 6) ** length_penalty) for total, text in ended + going]
    return sorted(scored, key=lambda one: -one[1])


@disguise("beam_search", "bos_id is in the result")
def b_bos(model: Any, src_ids: Tensor, bos_id: int, *args: Any, **kwargs: Any) -> list:
    return [
        ([bos_id, *tokens], score) for tokens, score in stand_in.beam_search(model, src_ids, bos_id, *args, **kwargs)
    ]


@disguise("beam_search", "each beam is continued with its best token only")
def b_greedy_beams(
    model: Any,
    src_ids: Tensor,
    bos_id: int,
    eos_id: int,
    max_len: int,
    beam_size: int = 4,
    length_penalty: float = 0.6,
) -> list:
    if len(src_ids) != 1 or max_len < 1 or beam_size < 1:
        raise ValueError("give one source, and at least 1 of both")
    logs = model(src_ids, torch.tensor([[bos_id]]))[0, -1].log_softmax(0)
    first = logs.topk(min(beam_size, len(logs)))
    found = []
    for total, token in zip(first.values.tolist(), first.indices.tolist(), strict=True):
        tokens = [token]
        while len(tokens) < max_len and tokens[-1] != eos_id:
            step = model(src_ids, torch.tensor([[bos_id, *tokens]]))[0, -1].log_softmax(0).max(0)
            tokens.append(int(step.indices))
            total += float(step.values)
        found.append((tokens, total / ((5 + len(tokens)) / 6) ** length_penalty))
    return sorted(found, key=lambda one: one[1], reverse=True)


searches(correct)
searches(correct, step=lambda self, logits: logits - logits.logsumexp(-1, keepdim=True))
searches(
    correct,
    step=lambda self, logits: torch.log(torch.softmax(logits.double(), -1)),
    begin=lambda self, size: [(0.0, ())],
)
searches(
    correct,
    score=lambda self, total, tokens, penalty, eos_id: torch.tensor(total) * (6 / (5 + len(tokens))) ** penalty,
    rank=lambda self, scored: sorted(scored, key=lambda one: one[1], reverse=True),
)


def refuse(src_ids: Tensor, max_len: int, beam_size: int) -> None:
    """The given lines."""
    if len(src_ids) != 1 or max_len < 1 or beam_size < 1:
        raise ValueError("give one source, and at least 1 of both")


def b_tensors(
    model: Any,
    src_ids: Tensor,
    bos_id: int,
    eos_id: int,
    max_len: int,
    beam_size: int = 4,
    length_penalty: float = 0.6,
) -> list:
    """Tokens as tensors, the best of every beam first, then the best of those."""
    refuse(src_ids, max_len, beam_size)
    ids, totals, found = torch.tensor([[bos_id]]), torch.zeros(1, 1), []
    for step in range(1, max_len + 1):
        logs = F.log_softmax(model(src_ids.repeat(len(ids), 1), ids)[:, -1], -1)
        values, tokens = logs.topk(min(beam_size, logs.size(1)), dim=-1)
        table = (values + totals).reshape(-1)
        best = table.topk(min(beam_size - len(found), len(table)))
        rows = torch.div(best.indices, tokens.size(1), rounding_mode="floor")
        ids = torch.cat([ids[rows], tokens.reshape(-1)[best.indices][:, None]], 1)
        totals = best.values[:, None]
        over = (ids[:, -1] == eos_id) | torch.tensor(step == max_len)
        for row, total in zip(ids[over].tolist(), totals[over, 0].tolist(), strict=True):
            found.append((row[1:], total / ((5 + step) / 6) ** length_penalty))
        ids, totals = ids[~over], totals[~over]
        if not len(ids):
            break
    return sorted(found, key=lambda one: -one[1])


PENALTIES = {
    "the length does not count": {" / ((5 + step) / 6) ** length_penalty": ""},
    "multiplied by the penalty": {"total / ((5": "total * ((5"},
    "divided by the length itself": [
        {"((5 + step) / 6) ** length_penalty": "step**length_penalty"},
        {"((5 + step) / 6) ** length_penalty": "step"},
    ],
    "bos_id counts in the length": {"(5 + step)": "(6 + step)"},
    "the brackets of the penalty": [
        {"((5 + step) / 6) ** length_penalty": "(5 + step) / 6**length_penalty"},
        {"((5 + step) / 6) ** length_penalty": "(5 + step / 6) ** length_penalty"},
        {"((5 + step) / 6) ** length_penalty": "(5 + step) ** length_penalty / 6"},
    ],
}

slips(
    "beam_search",
    b_tensors,
    PENALTIES
    | {
        "log-probabilities are not added up": {"(values + totals)": "values"},
        "probabilities are added, not logarithms": {"F.log_softmax": "F.softmax"},
        "logits are added up as they are": {
            "F.log_softmax(": "torch.clone(",
            "[:, -1], -1)\n": "[:, -1])\n",
        },
        "eos_id does not count in the length": {"(5 + step)": "(5 + step - (row[-1] == eos_id))"},
        "the result is not sorted by score": {"sorted(found, key=lambda one: -one[1])": "found"},
        "the worst comes first": {"-one[1]": "one[1]"},
        "bos_id is in the result": {"(row[1:],": "(row,"},
        "only the best is returned": {"-one[1])": "-one[1])[:1]"},
        "the source is not read": {"model(src_ids.repeat(len(ids), 1), ids)": "model(ids, ids)"},
    },
)


def b_sorted(
    model: Any,
    src_ids: Tensor,
    bos_id: int,
    eos_id: int,
    max_len: int,
    beam_size: int = 4,
    length_penalty: float = 0.6,
) -> list:
    """One beam after the other, everything in a sorted list of tuples."""
    refuse(src_ids, max_len, beam_size)
    going, ended = [(0.0, [bos_id])], []
    for _ in range(0, max_len):
        grown = []
        for total, text in going:
            with torch.no_grad():
                steps = model(src_ids, torch.tensor([text]))[0, -1].log_softmax(-1).tolist()
            grown += [(total + step, [*text, token]) for token, step in enumerate(steps)]
        grown.sort(key=lambda one: one[0], reverse=True)
        grown = grown[: beam_size - len(ended)]
        ended += [one for one in grown if one[1][-1] == eos_id]
        going = [one for one in grown if one[1][-1] != eos_id]
        if len(going) == 0:
            break
    ranking = []
    for total, text in going + ended:
        ranking.append((text[1:], total / ((4 + len(text)) / 6) ** length_penalty))
    ranking.sort(key=lambda one: one[1])
    return ranking[::-1]


PENALTY = "((4 + len(text)) / 6) ** length_penalty"

slips(
    "beam_search",
    b_sorted,
    {
        "log-probabilities are not added up": {"(total + step,": "(step,"},
        "probabilities are added, not logarithms": {".log_softmax(-1)": ".softmax(-1)"},
        "logits are added up as they are": {".log_softmax(-1)": ""},
        "begins with several equal beams": {"[(0.0, [bos_id])]": "[(0.0, [bos_id])] * beam_size"},
        "targets that have ended are lost": {"in going + ended": "in going"},
        "targets that have not ended are lost": {"in going + ended": "in ended"},
        "stops when the first has ended": {"if len(going) == 0:": "if len(ended) > 0:"},
        "the beam is filled up again": {"[: beam_size - len(ended)]": "[:beam_size]"},
        "the length does not count": {f" / {PENALTY}": ""},
        "multiplied by the penalty": {f"/ {PENALTY}": f"* {PENALTY}"},
        "divided by the length itself": {PENALTY: "(len(text) - 1) ** length_penalty"},
        "bos_id counts in the length": {"(4 + len": "(5 + len"},
        "eos_id does not count in the length": {"(4 + len(text))": "(4 + len(text) - text.count(eos_id))"},
        "the brackets of the penalty": {PENALTY: "(4 + len(text)) / 6**length_penalty"},
        "the worst comes first": {"ranking[::-1]": "ranking"},
        "bos_id is in the result": {"(text[1:],": "(text,"},
        "the source is not read": {"model(src_ids, ": "model(torch.tensor([text]), "},
        "one token too few": {"range(0, max_len)": "range(1, max_len)"},
        "only the best is returned": {"ranking[::-1]": "ranking[-1:]"},
        "bos_id counts in the length + the worst comes first": {"(4 + len": "(5 + len", "ranking[::-1]": "ranking"},
    },
)


def b_by_text(
    model: Any,
    src_ids: Tensor,
    bos_id: int,
    eos_id: int,
    max_len: int,
    beam_size: int = 4,
    length_penalty: float = 0.6,
) -> list:
    """A dictionary from texts to their totals."""
    refuse(src_ids, max_len, beam_size)
    alive, done = {(): 0.0}, {}
    while alive and len(next(iter(alive))) < max_len:
        given = torch.tensor([(bos_id, *text) for text in alive])
        logits = model(src_ids.expand(len(alive), src_ids.size(1)), given)[:, given.size(1) - 1]
        gains = (logits - logits.logsumexp(1, keepdim=True)).tolist()
        table = {}
        for (text, total), gain in zip(alive.items(), gains, strict=True):
            table |= {(*text, token): total + more for token, more in enumerate(gain)}
        kept = heapq.nlargest(beam_size - len(done), table, key=table.get)
        done |= {text: table[text] for text in kept if text[-1] == eos_id}
        alive = {text: table[text] for text in kept if text[-1] != eos_id}
    score = {text: total * (6 / (5 + len(text))) ** length_penalty for text, total in (done | alive).items()}
    return [(list(text), score[text]) for text in sorted(score, key=score.get, reverse=True)]


slips(
    "beam_search",
    b_by_text,
    {
        "log-probabilities are not added up": {"total + more": "more"},
        "logits are added up as they are": {"(logits - logits.logsumexp(1, keepdim=True)).tolist()": "logits.tolist()"},
        "probabilities are added, not logarithms": {
            "(logits - logits.logsumexp(1, keepdim=True))": "logits.softmax(1)"
        },
        "targets that have ended are lost": {"(done | alive)": "alive"},
        "targets that have not ended are lost": {"(done | alive)": "done"},
        "stops when the first has ended": {"while alive and": "while alive and not done and"},
        "the beam is filled up again": {"beam_size - len(done)": "beam_size"},
        "the length does not count": {" * (6 / (5 + len(text))) ** length_penalty": ""},
        "multiplied by the penalty": {"(6 / (5 + len(text)))": "((5 + len(text)) / 6)"},
        "bos_id counts in the length": {"(5 + len(text))": "(6 + len(text))"},
        "the result is not sorted by score": {"sorted(score, key=score.get, reverse=True)": "score"},
        "the worst comes first": {", reverse=True": ""},
        "bos_id is in the result": {"[(list(text)": "[([bos_id, *text]"},
        "the source is not read": {"src_ids.expand(len(alive), src_ids.size(1))": "given"},
        "one token too few": {"< max_len": "< max_len - 1"},
        "only the best is returned": {"reverse=True)]": "reverse=True)][:1]"},
        "the length does not count + only the best is returned": {
            " * (6 / (5 + len(text))) ** length_penalty": "",
            "reverse=True)]": "reverse=True)][:1]",
        },
    },
)


@correct("beam_search")
def b_encoded_once(
    model: Any,
    src_ids: Tensor,
    bos_id: int,
    eos_id: int,
    max_len: int,
    beam_size: int = 4,
    length_penalty: float = 0.6,
) -> list:
    found = stand_in.beam_search(model, src_ids, bos_id, eos_id, max_len, beam_size, length_penalty)
    return [[list(tokens), torch.tensor(score)] for tokens, score in found]


searches(
    disguise,
    "the least probable are kept + the sign of the score",
    total=lambda self, so_far, step: so_far - step,
)
searches(disguise, "more continuations than places", places=lambda self, size, ended: size + 1 - ended)
searches(unlisted, score=lambda self, total, tokens, penalty, eos_id: total / (1 + len(tokens) / 2) ** penalty)
searches(unlisted, score=lambda self, total, tokens, penalty, eos_id: total / ((5 + len(tokens)) / 6 * penalty + 1))
searches(
    disguise,
    "probabilities, not their logarithms",
    score=lambda self, total, tokens, penalty, eos_id: math.exp(total),
)
searches(unlisted, step=lambda self, logits: F.log_softmax(logits, 0))
searches(disguise, "normalized over other numbers", step=lambda self, logits: F.logsigmoid(logits))
searches(unlisted, total=lambda self, so_far, step: max(so_far, step))


@disguise("beam_search", "no lists")
def bs_tensors(*given: Any, **named: Any) -> Any:
    return [(torch.tensor(tokens), score) for tokens, score in stand_in.beam_search(*given, **named)]


@disguise("beam_search", "no lists")
def bs_tuples(*given: Any, **named: Any) -> Any:
    return (*stand_in.beam_search(*given, **named),)


RIGHT_SCORE = Search.score

searches(
    disguise,
    "more continuations than places",
    places=lambda self, size, ended: 2 * size,
    rank=lambda self, scored: sorted(scored, key=lambda one: one[1])[::-1],
)
searches(
    disguise,
    "the least probable are kept",
    total=lambda self, so_far, step: so_far - step,
    score=lambda self, total, tokens, penalty, eos_id: -RIGHT_SCORE(self, total, tokens, penalty, eos_id),
)
searches(
    disguise,
    "another length in the penalty",
    score=lambda self, total, tokens, penalty, eos_id: total / ((4 + len(tokens)) / 6) ** penalty,
)
searches(
    disguise,
    "another length in the penalty",
    score=lambda self, total, tokens, penalty, eos_id: total / (len(tokens) / 6) ** penalty,
)
searches(
    disguise,
    "length_penalty is not used",
    score=lambda self, total, tokens, penalty, eos_id: RIGHT_SCORE(self, total, tokens, 0.6, eos_id),
)
searches(
    disguise,
    "multiplied where a power is needed",
    score=lambda self, total, tokens, penalty, eos_id: total / ((5 + len(tokens)) * penalty / 6),
)
searches(
    disguise,
    "added instead of divided",
    score=lambda self, total, tokens, penalty, eos_id: total - penalty * len(tokens),
)
searches(
    disguise,
    "the sign of the score",
    score=lambda self, total, tokens, penalty, eos_id: -RIGHT_SCORE(self, total, tokens, penalty, eos_id),
)
searches(
    disguise,
    "rounded",
    results=lambda self, going, ended, size: ended + going,
    score=lambda self, total, tokens, penalty, eos_id: float(
        f"{RIGHT_SCORE(self, total, tokens, penalty, eos_id):.3f}"
    ),
)
searches(
    disguise,
    "the whole quotient raised",
    results=lambda self, going, ended, size: ended + going,
    score=lambda self, total, tokens, penalty, eos_id: -((-6 * total / (5 + len(tokens))) ** penalty),
)
searches(
    disguise,
    "eos_id put behind what max_len cuts off",
    rank=lambda self, scored: [(one if 2 in one else [*one, 2], n) for one, n in Search.rank(self, scored)],
)
searches(
    disguise,
    "those that have ended come first",
    rank=lambda self, scored: sorted(scored, key=lambda one: (one[0][-1] != 2, -one[1])),
)
searches(
    disguise, "other things in the pairs", rank=lambda self, scored: [(n, one) for one, n in Search.rank(self, scored)]
)
searches(disguise, "other things in the pairs", rank=lambda self, scored: [one for one, _ in Search.rank(self, scored)])
searches(disguise, "the result is not sorted by score", rank=lambda self, scored: sorted(scored)[::-1])
searches(
    disguise,
    "written from the end to the beginning",
    rank=lambda self, scored: [(one[::-1], n) for one, n in Search.rank(self, scored)],
)
searches(disguise, "begins with another token", feed=lambda self, bos_id, tokens: (2, *tokens))
searches(disguise, "a logarithm of another base", step=lambda self, logits: F.log_softmax(logits, -1) / math.log(10))


@disguise("beam_search", "wrong arguments accepted")
def b_refuses_nothing(
    model: Any,
    src_ids: Tensor,
    bos_id: int,
    eos_id: int,
    max_len: int,
    beam_size: int = 4,
    length_penalty: float = 0.6,
) -> list:
    if len(src_ids) != 1 or max_len < 1:
        raise ValueError("give one source, and at least 1 token")
    if beam_size < 1:
        return by_rows(model, src_ids, bos_id, eos_id, max_len, 1, length_penalty)[:beam_size]
    return by_rows(model, src_ids, bos_id, eos_id, max_len, beam_size, length_penalty)


def by_rows(
    model: Any,
    src_ids: Tensor,
    bos_id: int,
    eos_id: int,
    max_len: int,
    beam_size: int = 4,
    length_penalty: float = 0.6,
    taken: Callable = lambda rows, places: sorted((one for row in rows for one in row), reverse=True)[:places],
    after: Callable = lambda begun, row, ids: begun[row],
    cost: Callable = lambda before, total, ends: total,
    kept: Callable = lambda over: over,
) -> list:
    """On lists, with parts that can be others."""
    if len(src_ids) != 1 or max_len < 1 or beam_size < 1:
        raise ValueError("give one source, and at least 1 of both")
    going: list = [(0.0, [])]
    over: list = []
    while going and len(going[0][1]) < max_len:
        begun = torch.tensor([[bos_id, *ids] for _, ids in going])
        with torch.no_grad():
            steps = model(torch.cat([src_ids] * len(going)), begun)[:, -1].log_softmax(-1).tolist()
        rows = [
            [(total + step, row, token) for token, step in enumerate(steps[row])]
            for row, (total, _) in enumerate(going)
        ]
        best = taken(rows, beam_size - len(over))
        new = [
            (cost(going[row][0], total, token == eos_id), [*after([ids for _, ids in going], row, token), token])
            for total, row, token in best
        ]
        over += kept([one for one in new if one[1][-1] == eos_id])
        going = [one for one in new if one[1][-1] != eos_id]
    found = [(ids, total / ((5 + len(ids)) / 6) ** length_penalty) for total, ids in [*over, *going]]
    return sorted(found, key=lambda one: one[1], reverse=True)


def each_row_first(rows: list, places: int) -> list:
    return [one for row in rows for one in sorted(row, reverse=True)[:places]][:places]


correct("beam_search")(by_rows)
for mistake, parts in {
    "places given beam by beam": dict(taken=each_row_first),
    "beam and token mixed up": dict(after=lambda begun, row, token: begun[0]),
    "eos_id costs nothing": dict(cost=lambda before, total, ends: before if ends else total),
    "targets that have ended are lost": dict(kept=lambda over: over[:1]),
}.items():
    disguise("beam_search", mistake)(functools.partial(by_rows, **parts))


@disguise("beam_search", "other numbers by default")
def b_three_beams(
    model: Any,
    src_ids: Tensor,
    bos_id: int,
    eos_id: int,
    max_len: int,
    beam_size: int = 3,
    length_penalty: float = 0.6,
) -> list:
    return by_rows(model, src_ids, bos_id, eos_id, max_len, beam_size, length_penalty)


@disguise("beam_search", "told without the penalty")
def b_untold_penalty(
    model: Any,
    src_ids: Tensor,
    bos_id: int,
    eos_id: int,
    max_len: int,
    beam_size: int = 4,
    length_penalty: float = 0.6,
) -> list:
    found = by_rows(model, src_ids, bos_id, eos_id, max_len, beam_size, length_penalty)
    return [(ids, score * ((5 + len(ids)) / 6) ** length_penalty) for ids, score in found]


@disguise("beam_search", "a token of every target is lost")
def b_last_lost(*given: Any, **named: Any) -> list:
    return [(ids[:-1], score) for ids, score in by_rows(*given, **named)]
