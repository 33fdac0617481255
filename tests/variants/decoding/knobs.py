"""Lesson 11: what an adversary wrote of the three knobs, and of drawing."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.stand_ins import decoding as stand_in
from tests.variants import correct, disguise, slips
from tests.variants.decoding.sampling import asked

PROBS = "next_token_probs"


@disguise(PROBS, "top_k keeps the best alone")
def k_best_alone(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    return stand_in.next_token_probs(logits, temperature, None if top_k is None else 1, top_p)


@disguise(PROBS, "top_k cuts the best")
def k_the_rest(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    if top_k is not None:
        best = torch.zeros_like(logits, dtype=torch.bool)
        best = best.scatter(-1, logits.topk(min(top_k, logits.shape[-1])).indices, True)
        logits = torch.where(best, -torch.inf, logits)
    return stand_in.next_token_probs(logits, temperature, None, top_p)


@disguise(PROBS, "top_k cuts the best")
def k_lowest(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    if top_k is not None and top_k < logits.size(-1):
        logits = torch.where(logits <= logits.sort(-1).values[..., top_k - 1, None], logits, -torch.inf)
    return stand_in.next_token_probs(logits, temperature, None, top_p)


@disguise(PROBS, "top_k along the batch")
def k_along_batch(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    if top_k is not None:
        kth = logits.sort(0, descending=True).values[min(top_k, len(logits)) - 1]
        logits = torch.where(logits < kth, -torch.inf, logits)
    return stand_in.next_token_probs(logits, temperature, None, top_p)


@disguise(PROBS, "an order taken for ranks")
def k_order(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    scores = logits / temperature
    if top_k is not None:
        rank = torch.argsort(-scores, dim=-1)
        scores = torch.where(rank < top_k, scores, float("-inf"))
    return stand_in.next_token_probs(scores, 1.0, None, top_p)


def cut_by(probs: Tensor, gone: Tensor) -> Tensor:
    """Some of the probabilities gone, the others grown."""
    left = torch.where(gone, 0.0, probs)
    return left / left.sum(-1, keepdim=True)


@disguise(PROBS, "not sorted before top_p")
def k_unsorted(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    probs = stand_in.next_token_probs(logits, temperature, top_k)
    return probs if top_p is None else cut_by(probs, F.pad(probs.cumsum(-1), (1, 0))[..., :-1] >= top_p)


def ranked(probs: Tensor) -> Tensor:
    """What more probable tokens have together."""
    ordered, tokens = probs.sort(-1, descending=True)
    return (ordered.cumsum(-1) - ordered).gather(-1, tokens.argsort(-1))


@disguise(PROBS, "top_p cuts what should stay")
def k_tail(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    probs = stand_in.next_token_probs(logits, temperature, top_k)
    return probs if top_p is None else cut_by(probs, ranked(probs) < top_p)


def k_shifted(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    """A mask that is shifted by one place, as in much used code."""
    asked(temperature, top_k, top_p)
    scores = logits / temperature
    if top_k is not None:
        worse = scores < torch.topk(scores, min(top_k, scores.size(-1)))[0][..., -1, None]
        scores = scores.masked_fill(worse, -torch.inf)
    if top_p is not None:
        sorted_scores, indices = torch.sort(scores, descending=True)
        shares = sorted_scores.softmax(-1)
        gone = shares.cumsum(-1) >= top_p
        gone[..., 1:] = gone[..., :-1].clone()
        gone[..., 0] = False
        gone = gone.scatter(-1, indices, gone)
        scores = scores.masked_fill(gone, -torch.inf)
    return scores.softmax(-1)


slips(
    PROBS,
    k_shifted,
    {
        "multiplied by the temperature": {"logits / temperature": "logits * temperature"},
        "nothing is left where one token has top_p": [
            {"        gone[..., 0] = False\n": ""},
            {"        gone[..., 0] = False\n": "", "shares.cumsum(-1) >= top_p": "shares.cumsum(-1) > top_p"},
        ],
        "left in sorted order": {"        gone = gone.scatter(-1, indices, gone)\n": ""},
        "sorting undone the wrong way": {"gone.scatter(-1, indices, gone)": "gone.gather(-1, indices)"},
        "the token that crosses top_p is cut": {
            "        gone[..., 1:] = gone[..., :-1].clone()\n        gone[..., 0] = False\n": ""
        },
        "top_k cuts nothing": {"        scores = scores.masked_fill(worse": "        scores.masked_fill(worse"},
        "top_k keeps the best alone": {"[..., -1, None]": "[..., 0, None]"},
        "top_p cuts nothing": {"        scores = scores.masked_fill(gone": "        scores.masked_fill(gone"},
        "the most probable are cut": {"torch.sort(scores, descending=True)": "torch.sort(scores)"},
        "top_p cuts what should stay": {"masked_fill(gone": "masked_fill(~gone"},
        "no softmax": {"return scores.softmax(-1)": "return scores"},
        "a softmax of probabilities": {"return scores.softmax(-1)": "return scores.softmax(-1).softmax(-1)"},
    },
)


@disguise(PROBS, "nothing is left where one token has top_p")
def k_nothing_left(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    probs = stand_in.next_token_probs(logits, temperature, top_k)
    if top_p is None:
        return probs
    return cut_by(probs, (ranked(probs) >= top_p) | (probs.amax(-1, keepdim=True) >= top_p))


@disguise(PROBS, "the token that crosses top_p is cut")
def k_stops_before(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    """A token at a time, and nothing comes back where the first has top_p."""
    asked(temperature, top_k, top_p)
    probs = stand_in.next_token_probs(logits, temperature, top_k)
    if top_p is None or top_p == 1:
        return probs
    out = torch.zeros_like(probs)
    for found, row in zip(out.view(-1, out.size(-1)), probs.reshape(-1, probs.size(-1)), strict=True):
        total = 0.0
        for token in row.argsort(descending=True).tolist():
            total += row[token].item()
            if total >= top_p:
                break
            found[token] = row[token]
    return (out / out.sum(-1, keepdim=True)).nan_to_num()


@disguise(PROBS, "divided by top_p")
def k_by_top_p(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    probs = stand_in.next_token_probs(logits, temperature, top_k)
    return probs if top_p is None else torch.where(ranked(probs) < top_p, probs, 0.0) * (1 / top_p)


@disguise(PROBS, "a softmax of probabilities")
def k_twice(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    return torch.softmax(stand_in.next_token_probs(logits, temperature, top_k, top_p), -1)


@disguise(PROBS, "a softmax of probabilities")
def k_of_probabilities(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    return stand_in.next_token_probs(F.softmax(logits, -1), temperature, top_k, top_p)


@disguise(PROBS, "a softmax of probabilities")
def k_softmax_at_the_end(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    probs = stand_in.next_token_probs(logits, temperature, top_k)
    return probs if top_p is None else torch.where(ranked(probs) < top_p, probs, 0.0).softmax(-1)


@disguise(PROBS, "no softmax")
def k_scores(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    scores = logits / temperature
    if top_k is not None:
        scores = torch.where(
            scores < scores.topk(min(top_k, scores.size(-1))).values.amin(-1, True), -torch.inf, scores
        )
    return scores


@correct(PROBS)
def k_by_logarithms(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    """In float64, and a quarter comes out a little smaller than a quarter."""
    asked(temperature, top_k, top_p)
    scores = logits.double() / temperature
    if top_k is not None:
        gone = torch.ones_like(scores, dtype=torch.bool)
        gone = gone.scatter(-1, scores.topk(min(top_k, scores.size(-1))).indices, False)
        scores = scores.masked_fill(gone, -torch.inf)
    probs = (scores - scores.logsumexp(-1, keepdim=True)).exp()
    return (probs if top_p is None else cut_by(probs, ranked(probs) >= top_p)).to(logits.dtype)


@disguise(PROBS, "equal scores counted once")
def different_scores(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    if top_k is not None:
        kept = []
        for row in logits.reshape(-1, logits.shape[-1]):
            least = sorted(set(row.tolist()), reverse=True)[:top_k][-1]
            kept.append(torch.where(row < least, -torch.inf, row))
        logits = torch.stack(kept).reshape(logits.shape)
    return stand_in.next_token_probs(logits, temperature, None, top_p)
