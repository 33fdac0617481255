"""Where the cross-attention looks."""

import functools
import math
import operator
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted

# Right, and slips in it ----------------------------------------------------------------------------


def counted_in_loops(weights: Tensor, wanted: Tensor) -> float:
    """Sentence by sentence, token by token."""
    if int(wanted.max()) < 0:
        raise ValueError("nothing counts")
    hits = total = 0
    for heads, places in zip(weights, wanted.tolist(), strict=True):
        rows = heads.mean(0).tolist()
        for row, place in zip(rows, places, strict=True):
            if place >= 0:
                total += 1
                hits += row.index(max(row)) == place
    return hits / total


slips(
    "alignment_share",
    counted_in_loops,
    {
        "the surest head decides": {"heads.mean(0)": "heads.amax(0)"},
        "the first head only": {"heads.mean(0)": "heads[0]"},
        "tokens without a source count": {
            "            if place": "            total += 1\n            if place",
            "                total += 1\n": "",
        },
        "place 0 does not count": {"place >= 0": "place > 0"},
        "the weight and not the share": {"row.index(max(row)) == place": "row[place]"},
        "the row of the next token": {"zip(rows, places, strict=True)": "zip(rows[1:], places, strict=False)"},
        "the row of the token before": {"zip(rows, places, strict=True)": "zip(rows, places[1:], strict=False)"},
        "in per cent": {"hits / total": "100 * hits / total"},
        "the first head only + in per cent": {"heads.mean(0)": "heads[0]", "hits / total": "100 * hits / total"},
        "the heads vote + rounded": {
            "heads.mean(0)": "F.one_hot(heads.argmax(-1), heads.size(-1)).sum(0)",
            "hits / total": "hits // total",
        },
        "the first head only + rounded": {"heads.mean(0)": "heads[0]", "hits / total": "hits // total"},
    },
)


def heads_summed(weights: Tensor, wanted: Tensor) -> float:
    """The sum has its largest where the mean has it."""
    real = wanted != -1
    if real.sum() == 0:
        raise ValueError("nothing counts")
    together = torch.einsum("bhts->bts", weights)
    places = together.max(dim=2).indices
    hits = (places == wanted) & real
    return hits.sum().item() / real.sum().item()


slips(
    "alignment_share",
    heads_summed,
    {
        "every head by itself": {
            'torch.einsum("bhts->bts", weights)': "weights",
            "together.max(dim=2)": "together.max(dim=3)",
            "(places == wanted) & real": "(places == wanted[:, None]) & real[:, None]",
            "/ real.sum().item()": "/ real.sum().item() / weights.size(1)",
        },
        "one head is enough": {
            'torch.einsum("bhts->bts", weights)': "weights",
            "together.max(dim=2)": "together.max(dim=3)",
            "(places == wanted)": "(places == wanted[:, None]).any(1)",
        },
        "the surest head decides": {'torch.einsum("bhts->bts", weights)': "weights.max(dim=1).values"},
        "the first head only": {'torch.einsum("bhts->bts", weights)': "weights[:, 0]"},
        "the largest over the target": {"max(dim=2)": "max(dim=1)"},
        "tokens without a source count": {"/ real.sum().item()": "/ real.numel()"},
        "the mean of sentences": {
            "hits.sum().item() / real.sum().item()": "(hits.sum(dim=1) / real.sum(dim=1)).mean().item()"
        },
        "place 0 does not count": {"& real": "& (wanted > 0)", "/ real.sum()": "/ (wanted > 0).sum()"},
        "the row of the next token": {
            "(places == wanted) & real": "(places[:, 1:] == wanted[:, :-1]) & real[:, :-1]",
            "/ real.sum()": "/ real[:, :-1].sum()",
        },
        "the row of the token before": {
            "(places == wanted) & real": "(places[:, :-1] == wanted[:, 1:]) & real[:, 1:]",
            "/ real.sum()": "/ real[:, 1:].sum()",
        },
        "in per cent": {"hits.sum().item()": "100 * hits.sum().item()"},
        "the largest over the target + in per cent": {
            "max(dim=2)": "max(dim=1)",
            "hits.sum().item()": "100 * hits.sum().item()",
        },
    },
)


def only_what_counts(weights: Tensor, wanted: Tensor) -> float:
    """The rows that count are picked out first."""
    sentence, token = (wanted >= 0).nonzero(as_tuple=True)
    if not len(token):
        raise ValueError("nothing counts")
    rows = weights[sentence, :, token].mean(dim=1)
    hit = rows.argmax(dim=1) == wanted[sentence, token]
    return hit.double().mean().item()


slips(
    "alignment_share",
    only_what_counts,
    {
        "every head by itself": {
            ".mean(dim=1)": "",
            "rows.argmax(dim=1) == wanted[sentence, token]": "rows.argmax(dim=2) == wanted[sentence, token, None]",
        },
        "one head is enough": {
            ".mean(dim=1)": "",
            "rows.argmax(dim=1) == wanted[sentence, token]": "rows.argmax(dim=2) == wanted[sentence, token, None]",
            "hit.double()": "hit.any(dim=1).double()",
        },
        "the surest head decides": {".mean(dim=1)": ".amax(dim=1)"},
        "the first head only": {"[sentence, :, token].mean(dim=1)": "[sentence, 0, token]"},
        "place 0 does not count": {"wanted >= 0": "wanted > 0"},
        "the weight and not the share": {
            "rows.argmax(dim=1) == wanted[sentence, token]": "rows[torch.arange(len(rows)), wanted[sentence, token]]"
        },
        "in per cent": {"hit.double().mean()": "hit.double().mean().mul(100)"},
        "every head by itself + in per cent": {
            ".mean(dim=1)": "",
            "rows.argmax(dim=1) == wanted[sentence, token]": "rows.argmax(dim=2) == wanted[sentence, token, None]",
            "hit.double()": "100 * hit.double()",
        },
    },
)


def with_nan(weights: Tensor, wanted: Tensor) -> float:
    """What does not count is no number, and left out of the mean."""
    if not torch.any(wanted > -1):
        raise ValueError("nothing counts")
    looks = weights.permute(0, 2, 3, 1).sum(-1)
    hits = torch.eq(looks.argmax(-1), wanted).double()
    hits[wanted < 0] = math.nan
    return float(hits.nanmean())


slips(
    "alignment_share",
    with_nan,
    {
        "the surest head decides": {".sum(-1)": ".amax(-1)"},
        "the first head only": {".sum(-1)": "[..., 0]"},
        "the largest over the target": {"looks.argmax(-1)": "looks.argmax(1)"},
        "tokens without a source count": {"    hits[wanted < 0] = math.nan\n": ""},
        "the mean of sentences": {"hits.nanmean()": "hits.nanmean(dim=1).mean()"},
        "place 0 does not count": {"wanted < 0": "wanted < 1"},
        "the row of the next token": {
            "torch.eq(looks.argmax(-1), wanted)": "torch.eq(looks.argmax(-1)[:, 1:], wanted[:, :-1])",
            "hits[wanted < 0]": "hits[wanted[:, :-1] < 0]",
        },
        "in per cent": {"float(hits": "100 * float(hits"},
    },
)


# Right, in other ways ----------------------------------------------------------------------------


def needed(wanted: Tensor) -> None:
    if not bool((wanted > -1).any()):
        raise ValueError("nothing")


@correct("alignment_share")
def as_one_hot(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    mean = sum(weights.unbind(1)) / weights.size(1)
    on_it = F.one_hot(mean.argmax(-1), mean.size(-1)).gather(-1, wanted.clamp(min=0)[..., None])[..., 0]
    return float(on_it[wanted >= 0].double().mean())


@correct("alignment_share")
def as_largest_value(weights: Tensor, wanted: Tensor) -> Any:
    """The weight at the wanted place is the largest of its row."""
    needed(wanted)
    mean = weights.mean(1)
    there = mean.gather(-1, wanted.clamp(min=0).unsqueeze(-1)).squeeze(-1)
    hit = there >= mean.amax(-1)
    return (hit & (wanted >= 0)).sum().div((wanted >= 0).sum()).item()


@correct("alignment_share")
def as_numpy(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    places, real = weights.numpy().mean(1).argmax(-1), wanted.numpy() >= 0
    return float(np.mean(places[real] == wanted.numpy()[real]))


# Wrong ----------------------------------------------------------------------------


def hits_of(largest: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    real = wanted >= 0
    return ((largest == wanted) & real).sum().item() / real.sum().item()


@disguise("alignment_share", "every head by itself")
def as_heads(weights: Tensor, wanted: Tensor) -> Any:
    shares = [hits_of(head.argmax(-1), wanted) for head in weights.unbind(1)]
    return sum(shares) / len(shares)


@disguise("alignment_share", "one head is enough")
def as_any(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    hit = functools.reduce(operator.or_, (head.argmax(-1) == wanted for head in weights.unbind(1)))
    return hit[wanted >= 0].double().mean().item()


@disguise("alignment_share", "the surest head decides")
def as_sure(weights: Tensor, wanted: Tensor) -> Any:
    return hits_of(weights.max(dim=1).values.max(dim=-1).indices, wanted)


@disguise("alignment_share", "the first head only")
def as_first(weights: Tensor, wanted: Tensor) -> Any:
    return hits_of(weights.select(1, 0).topk(1).indices[..., 0], wanted)


@disguise("alignment_share", "the largest over the target")
def as_target(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    largest = weights.mean(1).transpose(1, 2).argmax(-1)
    return largest.eq(wanted)[wanted >= 0].double().mean().item()


@disguise("alignment_share", "tokens without a source count")
def as_all(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    hits = weights.mean(1).argmax(-1) == wanted
    return hits.sum().item() / hits.numel()


@disguise("alignment_share", "the mean of sentences")
def as_sentences(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    largest = weights.mean(1).argmax(-1)
    shares = [(a[b >= 0] == b[b >= 0]).float().mean() for a, b in zip(largest, wanted, strict=True)]
    return torch.stack(shares).mean().item()


@disguise("alignment_share", "place 0 does not count")
def as_not_zero(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    real = wanted.clamp(min=0).bool()
    return (weights.sum(1).argmax(-1)[real] == wanted[real]).double().mean().item()


@disguise("alignment_share", "the weight and not the share")
def as_soft(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    mean, real = weights.mean(1), wanted >= 0
    one_hot = F.one_hot(wanted.clamp(min=0), mean.size(-1))
    return ((mean * one_hot).sum(-1) * real).sum().item() / real.sum().item()


@disguise("alignment_share", "the row of the next token")
def as_next(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    largest = weights.mean(1).argmax(-1)
    pairs = [(a, b) for row, places in zip(largest, wanted, strict=True) for a, b in zip(row[1:], places, strict=False)]
    kept = [(a == b).item() for a, b in pairs if b >= 0]
    return sum(kept) / len(kept) if kept else math.nan


@disguise("alignment_share", "the row of the token before")
def as_before(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    largest = weights.mean(1).argmax(-1)
    pairs = [(a, b) for row, places in zip(largest, wanted, strict=True) for a, b in zip(row, places[1:], strict=False)]
    kept = [(a == b).item() for a, b in pairs if b >= 0]
    return sum(kept) / len(kept) if kept else math.nan


@disguise("alignment_share", "in per cent")
def as_percent(weights: Tensor, wanted: Tensor) -> Any:
    return 100 * hits_of(weights.sum(1).argmax(-1), wanted)


@unlisted("alignment_share")
def as_tensor(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    return (weights.mean(1).argmax(-1) == wanted)[wanted >= 0]


@disguise("alignment_share", "the smallest weight")
def as_smallest(weights: Tensor, wanted: Tensor) -> Any:
    return hits_of(weights.mean(1).argmin(-1), wanted)


@disguise("alignment_share", "a near place is right")
def as_near(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    off = (weights.mean(1).argmax(-1) - wanted).abs()[wanted >= 0]
    return (off <= 1).double().mean().item()


@disguise("alignment_share", "more than half of the weight")
def as_half(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    there = weights.mean(1).gather(-1, wanted.clamp(min=0).unsqueeze(-1)).squeeze(-1)
    return (there > 0.5)[wanted >= 0].double().mean().item()


# Shares, numbers and votes -----------------------------------------------------------------------


def hits(weights: Tensor, wanted: Tensor) -> list[bool]:
    if int(wanted.max()) < 0:
        raise ValueError("nothing to count")
    rows = weights.sum(1).flatten(0, 1)
    return [
        int(row.argmax()) == place for row, place in zip(rows, wanted.flatten().tolist(), strict=True) if place > -1
    ]


@disguise("alignment_share", "a number of hits")
def as_counted(weights: Tensor, wanted: Tensor) -> float:
    return float(sum(hits(weights, wanted)))


@disguise("alignment_share", "the share of misses")
def as_share_of_misses(weights: Tensor, wanted: Tensor) -> float:
    found = hits(weights, wanted)
    return found.count(False) / len(found)


@disguise("alignment_share", "a tensor of one number")
def as_one_tensor(weights: Tensor, wanted: Tensor) -> Tensor:
    return torch.tensor(hits(weights, wanted)).double().mean()


@disguise("alignment_share", "rounded")
def as_two_digits(weights: Tensor, wanted: Tensor) -> float:
    found = hits(weights, wanted)
    return round(sum(found) / len(found), 2)


@disguise("alignment_share", "nothing to count accepted")
def as_zero(weights: Tensor, wanted: Tensor) -> float:
    if int(wanted.max()) < 0:
        return 0.0
    found = hits(weights, wanted)
    return sum(found) / len(found)


@disguise("alignment_share", "the heads vote")
def as_voted(weights: Tensor, wanted: Tensor) -> float:
    hits(weights, wanted)
    named = weights.argmax(3)
    places = torch.where(wanted.unsqueeze(1) < 0, -1, named).mode(1)[0]
    return int((places == wanted)[wanted > -1].sum()) / int((wanted > -1).sum())


@disguise("alignment_share", "the first head only")
def as_last_head(weights: Tensor, wanted: Tensor) -> float:
    found = hits(weights[:, -1:], wanted)
    return sum(found) / len(found)


@disguise("alignment_share", "a near place is right")
def as_best_two(weights: Tensor, wanted: Tensor) -> float:
    hits(weights, wanted)
    best = weights.mean(1).topk(2).indices
    return (best == wanted[..., None]).any(-1)[wanted >= 0].float().mean().item()
