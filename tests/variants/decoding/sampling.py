"""Lesson 11: the distribution of the next token, and drawing from it."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.stand_ins import decoding as stand_in
from tests.variants import correct, disguise, slips, unlisted

# next_token_probs, wrong ----------------------------------------------------------------------------


def asked(temperature: float, top_k: int | None, top_p: float | None) -> None:
    """The given lines."""
    if not temperature > 0 or (top_k is not None and top_k < 1) or (top_p is not None and not 0 < top_p <= 1):
        raise ValueError("out of range")


def by_row(
    logits: Tensor,
    temperature: float,
    top_k: int | None,
    top_p: float | None,
    keeps: Callable[[float, float, float], bool] = lambda before, own, top_p: before < top_p,
    fewer: int = 0,
    total: bool = True,
) -> Tensor:
    """A row at a time, with lists."""
    asked(temperature, top_k, top_p)
    out = torch.zeros_like(logits)
    for index in itertools.product(*map(range, logits.shape[:-1])):
        order = sorted(range(logits.size(-1)), key=lambda one: -float(logits[index][one]))
        order = order[: len(order) if top_k is None else top_k - fewer]
        scores = torch.stack([logits[index][one] for one in order]) / temperature
        shares = (scores - scores.max()).exp()
        shares = shares / shares.sum()
        kept, before = [], 0.0
        for share in shares.tolist():
            kept.append(1.0 if top_p is None or keeps(before, share, top_p) else 0.0)
            before += share
        shares = shares * torch.tensor(kept)
        if total:
            shares = shares / shares.sum()
        for one, share in zip(order, shares, strict=True):
            out[(*index, one)] = share
    return out


Ask = dict[str, Any]


@disguise("next_token_probs", "multiplied by the temperature")
def p_times(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    return stand_in.next_token_probs(logits, 1 / temperature, top_k, top_p)


@disguise("next_token_probs", "the temperature changes nothing")
def p_no_temperature(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    return by_row(logits, 1.0, top_k, top_p)


@disguise("next_token_probs", "probabilities divided by the temperature")
def p_divided_probs(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    probs = by_row(logits, 1.0, top_k, None) / temperature
    if top_p is not None:
        order = probs.argsort(-1, descending=True)
        ordered = probs.gather(-1, order)
        gone = torch.zeros_like(probs, dtype=torch.bool).scatter(-1, order, ordered.cumsum(-1) - ordered >= top_p)
        probs = probs.masked_fill(gone, 0)
        probs = probs / probs.sum(-1, keepdim=True)
    return probs


@disguise("next_token_probs", "the token that crosses top_p is cut")
def p_crossing(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    return by_row(logits, temperature, top_k, top_p, lambda before, own, p: before == 0 or before + own <= p)


@disguise("next_token_probs", "the token that crosses top_p is cut")
def p_crossing_all(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    probs = stand_in.next_token_probs(logits, temperature, top_k)
    if top_p is None:
        return probs
    ordered, index = torch.sort(probs, descending=True)
    ordered[ordered.cumsum(-1) > top_p] = 0
    probs = torch.empty_like(probs).scatter_(-1, index, ordered)
    return probs / probs.sum(-1, keepdim=True)


@disguise("next_token_probs", "the token that crosses top_p is cut")
def p_crossing_or_reaching(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    """The widespread mask without the shift by one place that belongs to it."""
    asked(temperature, top_k, top_p)
    logits = logits / temperature
    if top_k is not None:
        logits = logits.masked_fill(logits < logits.topk(min(top_k, logits.size(-1)))[0][..., -1:], float("-inf"))
    probs = F.softmax(logits, -1)
    if top_p is not None:
        ordered, tokens = torch.sort(probs, descending=True)
        over = ordered.cumsum(-1) >= top_p
        probs = probs.masked_fill(over.scatter(-1, tokens, over), 0.0)
        probs = probs / probs.sum(-1, keepdim=True)
    return probs


@disguise("next_token_probs", "top_k may not exceed the vocabulary")
def p_k_too_large(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    if top_k is not None and top_k > 0:
        logits.topk(top_k)
    return stand_in.next_token_probs(logits, temperature, top_k, top_p)


@disguise("next_token_probs", "a temperature of 0 is not refused")
def p_best_at_zero(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    if temperature == 0:
        return (logits == logits.max(-1, keepdim=True)[0]).float()
    return stand_in.next_token_probs(logits, temperature, top_k, top_p)


@disguise("next_token_probs", "a temperature of 0 is not refused")
def p_clamped(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    return stand_in.next_token_probs(logits, max(temperature, 1e-6), top_k, top_p)


@disguise("next_token_probs", "one token too many for top_p")
def p_one_more(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    probs = stand_in.next_token_probs(logits, temperature, top_k)
    if top_p is None:
        return probs
    ordered, index = torch.sort(probs, descending=True)
    gone = ordered.cumsum(-1) >= top_p
    gone = F.pad(gone, (2, 0))[..., : gone.size(-1)]
    probs = torch.empty_like(probs).scatter_(-1, index, ordered.masked_fill(gone, 0))
    return probs / probs.sum(-1, keepdim=True)


@disguise("next_token_probs", "no renormalising after top_k")
def p_k_zeroed(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    probs = F.softmax(logits / temperature, -1)
    if top_k is not None:
        kept = torch.zeros_like(probs)
        found = probs.topk(min(top_k, probs.size(-1)))
        probs = kept.scatter(-1, found.indices, found.values)
    if top_p is not None:
        ordered, index = probs.sort(-1, descending=True)
        ordered = ordered * (ordered.cumsum(-1) - ordered < top_p)
        probs = torch.zeros_like(probs).scatter(-1, index, ordered / ordered.sum(-1, keepdim=True))
    return probs


@disguise("next_token_probs", "no renormalising after top_p")
def p_not_one(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    return by_row(logits, temperature, top_k, top_p, total=False)


@disguise("next_token_probs", "divided by the sum of all rows")
def p_sum_of_all(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    kept = by_row(logits, temperature, top_k, top_p, total=False)
    return kept if top_p is None else kept / kept.sum()


@disguise("next_token_probs", "left in sorted order")
def p_sorted(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    probs = stand_in.next_token_probs(logits, temperature, top_k, top_p)
    return probs if top_p is None else probs.sort(descending=True).values


@disguise("next_token_probs", "sorting undone the wrong way")
def p_gathered(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    probs = stand_in.next_token_probs(logits, temperature, top_k)
    if top_p is None:
        return probs
    order = probs.argsort(dim=-1, descending=True)
    ordered = torch.take_along_dim(probs, order, -1)
    ordered = torch.where(ordered.cumsum(-1) - ordered < top_p, ordered, 0)
    return torch.take_along_dim(ordered / ordered.sum(-1, keepdim=True), order, -1)


@disguise("next_token_probs", "the most probable are cut")
def p_ascending(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    probs = stand_in.next_token_probs(logits, temperature, top_k)
    if top_p is None:
        return probs
    ordered, index = torch.sort(probs)
    ordered = ordered * (F.pad(ordered.cumsum(-1), (1, -1)) < top_p)
    return torch.zeros_like(probs).scatter(-1, index, ordered / ordered.sum(-1, keepdim=True))


@disguise("next_token_probs", "each token is measured by itself")
def p_min_p(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    return by_row(logits, temperature, top_k, top_p, lambda before, own, p: before == 0 or own >= p)


@disguise("next_token_probs", "each token is measured by itself")
def p_min_p_all(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    probs = stand_in.next_token_probs(logits, temperature, top_k)
    if top_p is not None:
        probs = torch.where(probs >= top_p, probs, 0.0)
        probs = probs / probs.sum(-1, keepdim=True)
    return probs


@disguise("next_token_probs", "cut tokens get a score of 0")
def p_zero_score(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    scores = logits / temperature
    if top_k is not None:
        values, index = scores.topk(min(top_k, scores.size(-1)))
        scores = torch.zeros_like(scores).scatter(-1, index, values)
    return by_row(scores, 1.0, None, top_p)


@disguise("next_token_probs", "one token too few for top_k")
def p_fewer(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    return stand_in.next_token_probs(logits, temperature, top_k and max(1, min(top_k, logits.size(-1)) - 1), top_p)


@disguise("next_token_probs", "one token too few for top_k")
def p_fewer_none(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    scores = logits / temperature
    if top_k is not None:
        least = scores.sort(-1, descending=True).values[..., min(top_k, scores.size(-1)) - 1, None]
        scores = torch.where(scores > least, scores, -math.inf)
    return stand_in.next_token_probs(scores, 1.0, None, top_p)


@disguise("next_token_probs", "one top_k for all rows together")
def p_flat_k(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    scores = logits / temperature
    if top_k is not None:
        least = scores.reshape(-1).sort(descending=True).values[min(top_k, scores.size(-1)) - 1]
        scores = scores.masked_fill(scores < least, -math.inf)
    probs = F.softmax(scores, -1)
    if top_p is not None:
        ordered, index = probs.sort(-1, descending=True)
        ordered = ordered.masked_fill(ordered.cumsum(-1) - ordered >= top_p, 0)
        probs = torch.zeros_like(probs).scatter(-1, index, ordered / ordered.sum(-1, keepdim=True))
    return probs


@disguise("next_token_probs", "top_p before top_k")
def p_before_k(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    probs = stand_in.next_token_probs(logits, temperature, None, top_p)
    if top_k is None:
        return probs
    kept = logits >= logits.topk(min(top_k, logits.size(-1))).values[..., -1:]
    return F.normalize(probs * kept, p=1, dim=-1)


@disguise("next_token_probs", "logarithms, not probabilities")
def p_logs(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    scores = logits / temperature
    if top_k is not None:
        least = scores.sort(-1, descending=True).values[..., min(top_k, scores.size(-1)) - 1, None]
        scores = torch.where(scores < least, -math.inf, scores)
    logs = F.log_softmax(scores, -1)
    if top_p is not None:
        ordered, index = logs.sort(-1, descending=True)
        ordered = ordered.masked_fill(ordered.cumsum(-1) - ordered >= top_p, 0)
        logs = torch.zeros_like(logs).scatter(-1, index, ordered)
        logs = logs / logs.sum(-1, keepdim=True)
    return logs


@disguise("next_token_probs", "softmax over the batch")
def p_over_rows(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    scores = logits / temperature
    if top_k is not None:
        least = scores.topk(min(top_k, scores.size(-1))).values.amin(-1, keepdim=True)
        scores = torch.where(scores < least, -math.inf, scores)
    probs = F.softmax(scores, 0)
    if top_p is not None:
        ordered, index = probs.sort(-1, descending=True)
        ordered = ordered.masked_fill(ordered.cumsum(-1) - ordered >= top_p, 0)
        probs = torch.zeros_like(probs).scatter(-1, index, ordered)
        probs = probs / probs.sum(-1, keepdim=True)
    return probs


@disguise("next_token_probs", "a temperature of 0 is not refused")
def p_zero(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature or 1.0, top_k, top_p)
    return F.softmax(logits / 0.0, -1) if temperature == 0 else by_row(logits, temperature, top_k, top_p)


# next_token_probs, right ----------------------------------------------------------------------------


@correct("next_token_probs")
def p_rows(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    return by_row(logits, temperature, top_k, top_p)


def p_kept_scores(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    scores = logits / temperature
    if top_k:
        values, index = scores.topk(min(top_k, scores.size(-1)))
        scores = torch.full_like(scores, -math.inf).scatter(-1, index, values)
    if top_p:
        order = scores.argsort(-1, descending=True)
        gone = F.softmax(scores, -1).gather(-1, order).cumsum(-1) >= top_p
        gone = gone.roll(1, -1)
        gone[..., 0] = False
        scores = scores.masked_fill(torch.zeros_like(gone).scatter(-1, order, gone), -math.inf)
    return scores.softmax(-1)


slips(
    "next_token_probs",
    p_kept_scores,
    {
        "multiplied by the temperature": {"logits / temperature": "logits * temperature"},
        "the temperature changes nothing": {"logits / temperature": "logits"},
        "the token that crosses top_p is cut": [
            {"        gone = gone.roll(1, -1)\n": ""},
            {"        gone = gone.roll(1, -1)\n        gone[..., 0] = False\n": ""},
        ],
        "one token too many for top_p": {"roll(1, -1)": "roll(2, -1)", "[..., 0]": "[..., :2]"},
        "the most probable are cut": {"argsort(-1, descending=True)": "argsort(-1)"},
        "sorting undone the wrong way": {"torch.zeros_like(gone).scatter(-1, order, gone)": "gone.gather(-1, order)"},
        "left in sorted order": {"torch.zeros_like(gone).scatter(-1, order, gone)": "gone"},
        "each token is measured by itself": {
            ".cumsum(-1) >= top_p\n        gone = gone.roll(1, -1)": " < top_p",
        },
        "cut tokens get a score of 0": {"torch.full_like(scores, -math.inf)": "torch.zeros_like(scores)"},
        "one token too few for top_k": {"min(top_k, scores.size(-1))": "min(top_k, scores.size(-1)) - 1"},
        "top_k may not exceed the vocabulary": {"min(top_k, scores.size(-1))": "top_k"},
        "logarithms, not probabilities": {"return scores.softmax(-1)": "return scores.log_softmax(-1)"},
    },
)
slips(
    "next_token_probs",
    p_kept_scores,
    {"a temperature of 0 is not refused": {"not temperature > 0": "temperature < 0"}},
    inside="asked",
)


def p_argsort_twice(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    rank = logits.argsort(-1, descending=True).argsort(-1)
    weights = torch.exp((logits - logits.amax(-1, keepdim=True)) / temperature)
    if top_k:
        weights = weights * (rank < top_k)
    probs = weights / weights.sum(-1, keepdim=True)
    if top_p:
        more_probable = rank.unsqueeze(-1) > rank.unsqueeze(-2)  # (..., token, other)
        before = (more_probable * probs.unsqueeze(-2)).sum(-1)
        probs = probs * (before < top_p)
        probs = probs / probs.sum(-1, keepdim=True)
    return probs


slips(
    "next_token_probs",
    p_argsort_twice,
    {
        "multiplied by the temperature": {" / temperature": " * temperature"},
        "the temperature changes nothing": {" / temperature": ""},
        "the token that crosses top_p is cut": [
            {"(before < top_p)": "(before + probs <= top_p)"},
            {"rank.unsqueeze(-1) > rank": "rank.unsqueeze(-1) >= rank"},
        ],
        "no renormalising after top_k": {
            "    if top_k:\n        weights = weights * (rank < top_k)\n": "",
            "    if top_p:": "    if top_k:\n        probs = probs * (rank < top_k)\n    if top_p:",
        },
        "no renormalising after top_p": {"        probs = probs / probs.sum(-1, keepdim=True)\n": ""},
        "divided by the sum of all rows": {"probs.sum(-1, keepdim=True)": "probs.sum()"},
        "the most probable are cut": {"rank.unsqueeze(-1) > rank": "rank.unsqueeze(-1) < rank"},
        "each token is measured by itself": {"(before < top_p)": "(probs >= top_p)"},
        "one token too few for top_k": {"rank < top_k": "rank < top_k - 1"},
    },
)
slips(
    "next_token_probs",
    p_argsort_twice,
    {"a temperature of 0 is not refused": {"not temperature > 0": "temperature < 0"}},
    inside="asked",
)


@correct("next_token_probs")
def p_double(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    return stand_in.next_token_probs(logits.double() * (1 / temperature), 1.0, top_k, top_p)


def p_counted(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    probs = (logits / temperature).softmax(-1)
    ordered, tokens = probs.sort(-1, descending=True)
    if top_k:
        ordered[..., top_k:] = 0
        ordered = ordered / ordered.sum(-1, keepdim=True)
    if top_p:
        needed = (ordered.cumsum(-1) < top_p).sum(-1, keepdim=True) + 1
        ordered = ordered.masked_fill(torch.arange(ordered.size(-1)) >= needed, 0)
        ordered = ordered / ordered.sum(-1, keepdim=True)
    return ordered.gather(-1, tokens.argsort(-1))


K_FIRST = """    if top_k:
        ordered[..., top_k:] = 0
        ordered = ordered / ordered.sum(-1, keepdim=True)
"""
RENORMALISED = "needed, 0)\n        ordered = ordered / ordered.sum(-1, keepdim=True)"

slips(
    "next_token_probs",
    p_counted,
    {
        "multiplied by the temperature": {"(logits / temperature)": "(logits * temperature)"},
        "the temperature changes nothing": {"(logits / temperature)": "logits"},
        "the token that crosses top_p is cut": {".sum(-1, keepdim=True) + 1": ".sum(-1, keepdim=True)"},
        "one token too many for top_p": {"+ 1": "+ 2"},
        "no renormalising after top_k": {K_FIRST: "    if top_k:\n        ordered[..., top_k:] = 0\n"},
        "no renormalising after top_p": {RENORMALISED: "needed, 0)"},
        "divided by the sum of all rows": {RENORMALISED: "needed, 0)\n        ordered = ordered / ordered.sum()"},
        "left in sorted order": {"ordered.gather(-1, tokens.argsort(-1))": "ordered"},
        "sorting undone the wrong way": {"tokens.argsort(-1)": "tokens"},
        "one token too few for top_k": {"top_k:]": "top_k - 1 :]"},
        "top_p before top_k": {K_FIRST: "", RENORMALISED: RENORMALISED + "\n" + K_FIRST.rstrip()},
        "softmax over the batch": {".softmax(-1)": ".softmax(0)"},
    },
)
slips(
    "next_token_probs",
    p_counted,
    {"a temperature of 0 is not refused": {"not temperature > 0": "temperature < 0"}},
    inside="asked",
)


def p_numpy(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    scores = logits.numpy().astype(np.float64) / temperature
    rows = []
    for row in scores.reshape(-1, scores.shape[-1]):
        order = np.argsort(-row)[: top_k or len(row)]
        share = np.exp(row[order] - row.max())
        share /= share.sum()
        if top_p:
            share = share[: int(np.searchsorted(share.cumsum(), top_p)) + 1]
            share = share / share.sum()
        full = np.zeros(len(row))
        full[order[: len(share)]] = share
        rows.append(full)
    return torch.from_numpy(np.stack(rows).reshape(scores.shape)).float()


slips(
    "next_token_probs",
    p_numpy,
    {
        "multiplied by the temperature": {"/ temperature": "* temperature"},
        "the temperature changes nothing": {" / temperature": ""},
        "one token too many for top_p": {", top_p)) + 1]": ", top_p)) + 2]"},
        "no renormalising after top_p": {"            share = share / share.sum()\n": ""},
        "left in sorted order": {"full[order[: len(share)]]": "full[: len(share)]"},
        "one token too few for top_k": {"top_k or len(row)": "top_k - 1 if top_k else len(row)"},
        "no renormalising after top_k": {
            "np.argsort(-row)[: top_k or len(row)]": "np.argsort(-row)",
            "share /= share.sum()": "share = (share / share.sum())[:top_k]",
        },
    },
)
slips(
    "next_token_probs",
    p_numpy,
    {"a temperature of 0 is not refused": {"not temperature > 0": "temperature < 0"}},
    inside="asked",
)


# next_token_probs, wrong in other ways ----------------------------------------------------------------------------


@unlisted("next_token_probs")
def p_squared(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    return stand_in.next_token_probs(logits, temperature**2, top_k, top_p)


@unlisted("next_token_probs")
def p_worst_k(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    probs = stand_in.next_token_probs(logits, temperature, None, top_p)
    if top_k is not None and top_k < logits.size(-1):
        probs = probs * (logits <= logits.kthvalue(top_k).values[..., None] if logits.dim() > 1 else 1)
    return probs


@disguise("next_token_probs", "top_k cuts nothing")
def p_no_k(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    return stand_in.next_token_probs(logits, temperature, None, top_p)


@disguise("next_token_probs", "top_p cuts nothing")
def p_no_p(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    return stand_in.next_token_probs(logits, temperature, top_k, None)


@disguise("next_token_probs", "every token alike")
def p_uniform(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    return F.normalize((stand_in.next_token_probs(logits, temperature, top_k, top_p) > 0).float(), p=1, dim=-1)


@unlisted("next_token_probs")
def p_complement(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    return stand_in.next_token_probs(logits, temperature, top_k, None if top_p is None else 1 - 0.99 * top_p)


@unlisted("next_token_probs")
def p_in_place(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    logits /= temperature
    return stand_in.next_token_probs(logits, 1.0, top_k, top_p)


# sample_next ----------------------------------------------------------------------------


def draw(probs: Tensor, generator: torch.Generator | None = None) -> Tensor:
    """By exponential numbers: the smallest of time / probability."""
    waits = torch.empty(probs.shape, dtype=torch.float64).exponential_(generator=generator)
    return (waits / probs.double()).argmin(-1)


def some_row(logits: Tensor) -> None:
    """The given lines."""
    if len(logits) == 0:
        raise ValueError("no row")


@disguise("sample_next", "always the best token")
def s_best(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    stand_in.next_token_probs(logits, temperature, top_k, top_p)
    return logits.max(-1).indices


@disguise("sample_next", "a column, not one token for every row")
def s_rows_squeezed(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    tokens = draw(stand_in.next_token_probs(logits, temperature, top_k, top_p), generator)[:, None]
    return tokens[0] if len(tokens) == 1 else tokens


@disguise("sample_next", "a single row loses its dimension")
def s_squeezed(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    return draw(stand_in.next_token_probs(logits, temperature, top_k, top_p), generator).squeeze()


@disguise("sample_next", "a softmax of probabilities")
def s_twice_soft(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    probs = stand_in.next_token_probs(logits, temperature, top_k, top_p)
    return (
        torch.distributions.Categorical(logits=probs).sample()
        if generator is None
        else draw(probs.softmax(1), generator)
    )


@disguise("sample_next", "the same draw at every call")
def s_seeds_torch(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    torch.default_generator.manual_seed(42)
    return draw(stand_in.next_token_probs(logits, temperature, top_k, top_p), generator)


@disguise("sample_next", "the same draw at every call")
def s_seeds_the_given(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    if generator is not None:
        generator.manual_seed(42)
    return draw(stand_in.next_token_probs(logits, temperature, top_k, top_p), generator)


@disguise("sample_next", "temperature is not passed on")
def s_no_t(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    return draw(stand_in.next_token_probs(logits, top_k=top_k, top_p=top_p), generator)


@disguise("sample_next", "top_k is not passed on")
def s_no_k(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    return draw(stand_in.next_token_probs(logits, temperature, top_p=top_p), generator)


@disguise("sample_next", "top_p is not passed on")
def s_no_p(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    return draw(stand_in.next_token_probs(logits, temperature, top_k=top_k), generator)


@disguise("sample_next", "no setting is passed on")
def s_none(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    return draw(stand_in.next_token_probs(logits), generator)


@disguise("sample_next", "the temperature counts twice")
def s_twice(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    return draw(stand_in.next_token_probs(logits.div(temperature), temperature, top_k, top_p), generator)


@disguise("sample_next", "the generator is not used")
def s_global(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    return draw(stand_in.next_token_probs(logits, temperature, top_k, top_p))


@disguise("sample_next", "a column, not one token for every row")
def s_column(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    return torch.multinomial(stand_in.next_token_probs(logits, temperature, top_k, top_p), 1, generator=generator)


@disguise("sample_next", "one draw for all rows")
def s_one(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    probs = stand_in.next_token_probs(logits[0], temperature, top_k, top_p)
    return torch.full((len(logits),), int(torch.multinomial(probs, 1, generator=generator)))


@disguise("sample_next", "the same draw at every call")
def s_seeded(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    torch.manual_seed(42)
    return draw(stand_in.next_token_probs(logits, temperature, top_k, top_p))


PROBS = "next_token_probs(logits, temperature, top_k, top_p)"
PASSED = {
    "temperature is not passed on": {PROBS: "next_token_probs(logits, top_k=top_k, top_p=top_p)"},
    "top_k is not passed on": {PROBS: "next_token_probs(logits, temperature, top_p=top_p)"},
    "top_p is not passed on": {PROBS: "next_token_probs(logits, temperature, top_k)"},
    "no setting is passed on": {PROBS: "next_token_probs(logits)"},
    "the temperature counts twice": {PROBS: "next_token_probs(logits / temperature, temperature, top_k, top_p)"},
}


def s_exponential(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    return draw(stand_in.next_token_probs(logits, temperature, top_k, top_p), generator)


slips(
    "sample_next",
    s_exponential,
    PASSED
    | {
        "always the best token": {"draw(": "torch.argmax(", ", generator)": ", -1)"},
        "the generator is not used": {", generator)": ")"},
        "a single row loses its dimension": {", generator)": ", generator).squeeze()"},
        "a column, not one token for every row": {", generator)": ", generator).unsqueeze(1)"},
        "the same draw at every call": {", generator)": ", torch.Generator().manual_seed(1))"},
    },
)


def s_gumbel(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    logs = stand_in.next_token_probs(logits, temperature, top_k, top_p).log()
    uniform = torch.rand(logs.shape, generator=generator).clamp(1e-12, 1 - 1e-7)
    return (logs - (-uniform.log()).log()).argmax(-1)


slips(
    "sample_next",
    s_gumbel,
    PASSED
    | {
        "always the best token": {"(logs - (-uniform.log()).log())": "logs"},
        "the generator is not used": {", generator=generator": ""},
        "a column, not one token for every row": {"argmax(-1)": "argmax(-1, keepdim=True)"},
        "the same draw at every call": {
            "    uniform": "    torch.manual_seed(3)\n    uniform",
            ", generator=generator": "",
        },
    },
)


def s_cumulated(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    edges = stand_in.next_token_probs(logits, temperature, top_k, top_p).cumsum(-1)
    return (torch.rand(len(logits), 1, generator=generator) * edges[:, -1:] >= edges).sum(-1)


slips(
    "sample_next",
    s_cumulated,
    PASSED
    | {
        "the generator is not used": {", generator=generator": ""},
        "a column, not one token for every row": {">= edges).sum(-1)": ">= edges).sum(-1, keepdim=True)"},
        "a single row loses its dimension": {">= edges).sum(-1)": ">= edges).sum(-1).squeeze()"},
        "the same draw at every call": {"generator=generator": "generator=torch.Generator().manual_seed(0)"},
    },
)


def s_row_by_row(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    probs = stand_in.next_token_probs(logits, temperature, top_k, top_p)
    return torch.tensor([int(torch.multinomial(row, 1, generator=generator)) for row in probs])


slips(
    "sample_next",
    s_row_by_row,
    PASSED
    | {
        "always the best token": {"int(torch.multinomial(row, 1, generator=generator))": "int(row.argmax())"},
        "the generator is not used": {", generator=generator": ""},
        "a column, not one token for every row": {
            "[int(": "[[int(",
            "generator=generator)) for": "generator=generator))] for",
        },
        "a softmax of probabilities": {"multinomial(row,": "multinomial(row.softmax(0),"},
        "the same draw at every call": {"    probs =": "    generator = torch.Generator().manual_seed(7)\n    probs ="},
    },
)


@correct("sample_next")
def s_many(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    probs = stand_in.next_token_probs(logits, temperature, top_k, top_p)
    return torch.multinomial(probs, 3, replacement=True, generator=generator)[:, 1]


@disguise("sample_next", "every token alike")
def s_among_kept(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    return draw((stand_in.next_token_probs(logits, temperature, top_k, top_p) > 0).double(), generator)


@unlisted("sample_next")
def s_what_was_cut_too(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    """Now and then a token that is cut: far too seldom for a share in tenths to show it."""
    some_row(logits)
    return draw(stand_in.next_token_probs(logits, temperature, top_k, top_p) + 0.005, generator)


@disguise("sample_next", "no ids, or not one for every row")
def s_probability(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    return stand_in.next_token_probs(logits, temperature, top_k, top_p).amax(-1)


@unlisted("sample_next")
def s_sometimes_best(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    tokens = draw(stand_in.next_token_probs(logits, temperature, top_k, top_p), generator)
    return torch.where(torch.rand(len(logits), generator=generator) < 0.3, logits.argmax(-1), tokens)


@unlisted("sample_next")
def s_without_best(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    probs = stand_in.next_token_probs(logits, temperature, top_k, top_p)
    return draw(probs.masked_fill(probs == probs.amax(-1, keepdim=True), 1e-9), generator)


@unlisted("sample_next")
def s_shuffled(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    tokens = draw(stand_in.next_token_probs(logits, temperature, top_k, top_p), generator)
    return tokens[torch.randperm(len(tokens), generator=generator)]


# As Hugging Face has it, and other ways of asking ------------------------------------------------------------


def nucleus(logits: Tensor, top_p: float, strictly: bool) -> Tensor:
    """Scores with -inf for what top_p cuts; what is before a token may reach top_p, or has to exceed it."""
    ordered, places = logits.sort(dim=-1, descending=True)
    together = ordered.softmax(-1).cumsum(-1)
    gone = together > top_p if strictly else together >= top_p
    gone = torch.cat([torch.zeros_like(gone[..., :1]), gone[..., :-1]], dim=-1)
    return logits.masked_fill(torch.zeros_like(gone).scatter(-1, places, gone), -math.inf)


@correct("next_token_probs")
def p_shifted(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    scores = stand_in.next_token_probs(logits, temperature, top_k).log()
    return (scores if top_p is None else nucleus(scores, top_p, strictly=False)).softmax(-1)


@disguise("next_token_probs", "one token too many where top_p is met exactly")
def p_shifted_and_exceeded(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    scores = stand_in.next_token_probs(logits, temperature, top_k).log()
    return (scores if top_p is None else nucleus(scores, top_p, strictly=True)).softmax(-1)


@disguise("next_token_probs", "top_p before the temperature")
def p_warmed_last(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    return (stand_in.next_token_probs(logits, 1.0, top_k, top_p).log() / temperature).softmax(-1)


@disguise("next_token_probs", "one token too many for top_k")
def p_one_more_of_k(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    return stand_in.next_token_probs(logits, temperature, top_k and top_k + 1, top_p)


@disguise("next_token_probs", "a top_k below 1 is not refused")
def p_no_k_means_all(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, None, top_p)
    if top_k is not None and top_k < 0:
        raise ValueError("top_k")
    return stand_in.next_token_probs(logits, temperature, top_k or None, top_p)


@disguise("next_token_probs", "a top_p out of range is not refused")
def p_more_than_all(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, None)
    if top_p is not None and top_p <= 0:
        raise ValueError("top_p")
    return stand_in.next_token_probs(logits, temperature, top_k, None if top_p is None else min(1.0, top_p))


@disguise("next_token_probs", "a top_p of 1 is refused")
def p_less_than_one(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    if top_p is not None and not 0.0 < top_p < 1.0:
        raise ValueError("top_p")
    return stand_in.next_token_probs(logits, temperature, top_k, top_p)


@disguise("sample_next", "neither top_k nor top_p is passed on")
def s_temperature_only(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    asked(temperature, None, None)
    return draw(F.softmax(logits / temperature, -1), generator)


@disguise("sample_next", "drawn from the whole table")
def s_flat(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    probs = stand_in.next_token_probs(logits, temperature, top_k, top_p)
    places = probs.view(-1).multinomial(len(logits), replacement=True, generator=generator)
    return places.remainder(logits.size(1))


@disguise("sample_next", "drawn from the whole table")
def s_of_the_mean(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    probs = stand_in.next_token_probs(logits, temperature, top_k, top_p).mean(0)
    return probs.multinomial(len(logits), replacement=True, generator=generator)


@disguise("sample_next", "no row accepted")
def s_nothing_for_nothing(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    asked(temperature, top_k, top_p)
    if not len(logits):
        return torch.empty(0, dtype=torch.long)
    return draw(stand_in.next_token_probs(logits, temperature, top_k, top_p), generator)


@disguise("sample_next", "the same draw at every call")
def s_begins_anew(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    if generator is not None:
        generator.manual_seed(generator.initial_seed())
    return draw(stand_in.next_token_probs(logits, temperature, top_k, top_p), generator)


@disguise("sample_next", "the generator is not used")
def s_by_numpy(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    totals = stand_in.next_token_probs(logits, temperature, top_k, top_p).double().cumsum(-1).numpy()
    thrown = np.random.random((len(logits), 1)) * totals[:, -1:]
    return torch.from_numpy((totals <= thrown).sum(-1))


@disguise("sample_next", "one draw for all rows")
def s_of_the_last_row(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    probs = stand_in.next_token_probs(logits, temperature, top_k, top_p)
    return probs[-1].multinomial(len(logits), replacement=True, generator=generator)


@disguise("sample_next", "not the probabilities themselves")
def s_squares(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    shares = stand_in.next_token_probs(logits, temperature, top_k, top_p) ** 2
    return shares.multinomial(1, generator=generator)[:, 0]


@disguise("sample_next", "not the probabilities themselves")
def s_roots(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    shares = stand_in.next_token_probs(logits, temperature, top_k, top_p) ** 0.5
    return shares.multinomial(1, generator=generator)[:, 0]
