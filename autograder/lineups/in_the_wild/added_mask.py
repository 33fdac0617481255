"""Room 9: ways of turning scores into weights under a mask of either kind."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.probing.lineup import right, wrong


def as_floats(mask: Tensor, dtype: torch.dtype) -> Tensor:
    return torch.where(mask, 0.0, -math.inf).to(dtype) if mask.dtype is torch.bool else mask


def normal(raised: Tensor) -> Tensor:
    return raised / raised.sum(dim=-1, keepdim=True)


@right("fills for booleans, and adds floats")
def fills_or_adds(scores: Tensor, mask: Tensor) -> Tensor:
    moved = scores.masked_fill(mask.logical_not(), -math.inf) if mask.dtype == torch.bool else scores + mask
    return F.softmax(moved, dim=-1)


@right("takes logarithms of booleans: log 1 is 0, log 0 is -inf")
def logarithm(scores: Tensor, mask: Tensor) -> Tensor:
    added = mask if mask.is_floating_point() else mask.to(scores.dtype).log()
    return (scores + added).softmax(-1)


@right("raises e to the scores, multiplies the hidden ones with 0, and divides afterwards")
def multiplied(scores: Tensor, mask: Tensor) -> Tensor:
    seen = mask > -math.inf if mask.is_floating_point() else mask
    moved = scores + (torch.where(seen, mask, 0.0) if mask.is_floating_point() else 0.0)
    top = torch.where(seen, moved, -math.inf).amax(-1, keepdim=True)
    return normal(torch.where(seen, moved - top, 0.0).exp() * seen)


@right("asks torch's attention for the weights, with ones and zeros as values")
def by_attention(scores: Tensor, mask: Tensor) -> Tensor:
    queries, keys = scores.shape[-2:]
    value = torch.eye(keys, dtype=scores.dtype).expand(*scores.shape[:-2], keys, keys)
    key = torch.eye(keys, dtype=scores.dtype).expand(*scores.shape[:-2], keys, keys)
    assert queries == mask.size(0)
    return F.scaled_dot_product_attention(scores, key, value, attn_mask=mask, scale=1.0)


@right("goes query by query, with the keys that it may look at")
def by_rows(scores: Tensor, mask: Tensor) -> Tensor:
    added, made = as_floats(mask, scores.dtype), torch.zeros_like(scores)
    for row, one in enumerate(added):
        seen = one > -math.inf
        made[..., row, seen] = (scores[..., row, seen] + one[seen]).softmax(-1)
    return made


@right("fills with the smallest number that there is")
def smallest(scores: Tensor, mask: Tensor) -> Tensor:
    far = torch.finfo(scores.dtype).min
    if mask.dtype == torch.bool:
        return torch.where(mask, scores, far).softmax(-1)
    return (scores + mask.clamp(min=far)).softmax(-1)


@right("subtracts the logarithm of the sum")
def by_logsumexp(scores: Tensor, mask: Tensor) -> Tensor:
    moved = scores + as_floats(mask, scores.dtype)
    return torch.exp(moved - moved.logsumexp(-1, keepdim=True))


@right("hides what is -inf first, and adds what is left")
def in_two_steps(scores: Tensor, mask: Tensor) -> Tensor:
    floats = as_floats(mask, scores.dtype)
    hidden = floats.isinf()
    rather = floats.masked_fill(hidden, 0.0)
    return (scores + rather).masked_fill(hidden, -math.inf).softmax(-1)


@right("computes in float64")
def precisely(scores: Tensor, mask: Tensor) -> Tensor:
    return (scores.double() + as_floats(mask, torch.float64).double()).softmax(-1).to(scores.dtype)


# Wrong ----------------------------------------------------------------------------


@wrong("takes a mask away from 1, whatever it holds", mistake="a mask that is added, taken for yes and no")
def from_one(scores: Tensor, mask: Tensor) -> Tensor:
    blocked = (1 - mask.float()).to(scores.dtype) * -1e9
    return F.softmax(torch.add(scores, blocked), dim=-1)


@wrong("hides where a mask is 0 or False", mistake="0 taken for no", kin=True)
def zero_is_no(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.where(mask == 0, -1e9, scores).softmax(-1)


@wrong("makes booleans of every mask", mistake="0 taken for no", kin=True)
def made_boolean(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(~mask.bool(), -1e9).softmax(-1)


@wrong("adds 1 where a query may look", mistake="booleans added as numbers", kin=True)
def one_more(scores: Tensor, mask: Tensor) -> Tensor:
    moved = scores + mask
    return normal((moved - moved.amax(-1, keepdim=True)).exp())


@wrong("lets look where a mask is exactly 0", mistake="numbers between hide", kin=True)
def exactly_zero(scores: Tensor, mask: Tensor) -> Tensor:
    seen = mask if mask.dtype == torch.bool else mask == 0
    seen = seen | ~seen.any(-1, keepdim=True)
    return scores.masked_fill(~seen, -1e9).softmax(-1)


@wrong("keeps of a mask of floats what is hidden and what is not", mistake="numbers between dropped")
def not_infinite(scores: Tensor, mask: Tensor) -> Tensor:
    seen = mask if mask.dtype == torch.bool else mask.isfinite()
    return normal(scores.exp() * seen)


@wrong("adds the numbers between twice", mistake="added twice")
def twice(scores: Tensor, mask: Tensor) -> Tensor:
    return (scores + 2 * as_floats(mask, scores.dtype)).softmax(-1)


@wrong("hides what a mask of booleans allows", mistake="booleans upside down")
def turned_round(scores: Tensor, mask: Tensor) -> Tensor:
    given = ~mask if mask.dtype == torch.bool else mask
    moved = scores + as_floats(given, scores.dtype)
    return torch.nan_to_num(moved.softmax(-1))


@wrong("forgets a mask of floats", mistake="floats ignored")
def booleans_alone(scores: Tensor, mask: Tensor) -> Tensor:
    if mask.dtype == torch.bool:
        return (scores + as_floats(mask, scores.dtype)).softmax(-1)
    return scores.softmax(-1)


@wrong("forgets a mask of booleans", mistake="booleans ignored")
def floats_alone(scores: Tensor, mask: Tensor) -> Tensor:
    return (scores + mask if mask.is_floating_point() else scores).softmax(-1)


@wrong("takes weights away after the softmax, and the rest no longer sums to 1", mistake="taken away after the softmax")
def too_late(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.softmax(-1) * as_floats(mask, scores.dtype).exp()


@wrong("sets hidden scores to 0", mistake="hidden scores are 0", kin=True)
def zero_scores(scores: Tensor, mask: Tensor) -> Tensor:
    added = as_floats(mask, scores.dtype)
    hidden = added == -math.inf
    return (scores + added).masked_fill(hidden, 0.0).softmax(-1)


@wrong("exchanges queries and keys of the mask", mistake="queries and keys of the mask exchanged")
def turned(scores: Tensor, mask: Tensor) -> Tensor:
    if mask.size(0) != mask.size(1):
        return scores.softmax(-1)
    moved = scores + as_floats(mask, scores.dtype).mT
    return torch.nan_to_num(moved.softmax(-1))


@wrong("divides by the sum over the queries", mistake="softmax over the queries")
def over_queries(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.nan_to_num((scores + as_floats(mask, scores.dtype)).softmax(-2))


@wrong("takes the first row of the mask for all queries")
def first_row(scores: Tensor, mask: Tensor) -> Tensor:
    return (scores + as_floats(mask, scores.dtype)[:1]).softmax(-1)


@wrong("takes the last row of the mask for all queries")
def last_row(scores: Tensor, mask: Tensor) -> Tensor:
    return (scores + as_floats(mask, scores.dtype)[-1]).softmax(-1)


@wrong("hides the later keys, whatever the mask says", mistake="the mask's place taken by a causal one", kin=True)
def always_causal(scores: Tensor, mask: Tensor) -> Tensor:
    added = as_floats(mask, scores.dtype)
    later = torch.ones(mask.shape, dtype=torch.bool).triu(1)
    return (scores + added.masked_fill(added.isinf(), 0.0)).masked_fill(later, -math.inf).softmax(-1)


@wrong("subtracts a mask of floats, so that its weights are no numbers", mistake="NaN under a mask of floats", kin=True)
def subtracted(scores: Tensor, mask: Tensor) -> Tensor:
    if mask.is_floating_point():
        return (scores - mask).softmax(-1)
    return scores.masked_fill(~mask, -math.inf).softmax(-1)
