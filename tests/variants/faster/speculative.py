"""Lesson 20: one step of speculative decoding."""

import bisect
import itertools
from typing import Any

import torch
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted

GUESS = "speculative_step"

# Right ----------------------------------------------------------------------------


def token_by_token(
    draft_ids: Tensor, draft_probs: Tensor, target_probs: Tensor, accept: Tensor, resample: float
) -> Tensor:
    """A loop that ends at the first refusal."""
    n = 0
    while n < len(draft_ids):
        token = draft_ids[n]
        if accept[n] >= target_probs[n][token] / draft_probs[n][token]:
            break
        n += 1
    ends = target_probs[n].clone()
    if n < len(draft_ids):
        ends = torch.relu(ends - draft_probs[n])
        ends /= ends.sum()
    line = torch.cumsum(ends, 0)
    new = torch.nonzero(line > resample)[0]
    return torch.cat((draft_ids[:n], new))


slips(
    GUESS,
    token_by_token,
    {
        "drawn from the target instead of the remainder": {
            "        ends = torch.relu(ends - draft_probs[n])\n        ends /= ends.sum()\n": "        pass\n"
        },
        "another remainder": [
            {"torch.relu(ends - draft_probs[n])": "torch.relu(draft_probs[n] - ends)"},
            {"torch.relu(ends - draft_probs[n])": "(ends - draft_probs[n]).abs()"},
            {"torch.relu(ends - draft_probs[n])": "draft_probs[n].clone()"},
        ],
        "accepted by the target's probability": {
            "target_probs[n][token] / draft_probs[n][token]": "target_probs[n][token]"
        },
        "the ratio upside down": {
            "target_probs[n][token] / draft_probs[n][token]": "draft_probs[n][token] / target_probs[n][token]"
        },
        "accepted and refused exchanged": {"accept[n] >= target": "accept[n] < target"},
        "accepted only where the target is higher": {
            "accept[n] >= target_probs[n][token] /": "target_probs[n][token] <"
        },
        "the likeliest instead of one that is drawn": {
            "torch.nonzero(line > resample)[0]": "ends.argmax(keepdim=True)"
        },
        "refused token kept": {"(draft_ids[:n], new)": "(draft_ids[: n + 1], new)"},
    },
)


def in_lists(draft_ids: Tensor, draft_probs: Tensor, target_probs: Tensor, accept: Tensor, resample: float) -> Tensor:
    """Plain numbers, and a bisection."""
    q, p = draft_probs.tolist(), target_probs.tolist()
    written: list[int] = []
    final = p[-1]
    for place, (token, chance) in enumerate(zip(draft_ids.tolist(), accept.tolist(), strict=True)):
        if chance * q[place][token] < p[place][token]:
            written.append(token)
            continue
        final = [max(a - b, 0.0) for a, b in zip(p[place], q[place], strict=True)]
        break
    whole = sum(final)
    sums = list(itertools.accumulate(one / whole for one in final))
    written.append(min(bisect.bisect_right(sums, resample), len(sums) - 1))
    return torch.tensor(written, dtype=torch.long)


slips(
    GUESS,
    in_lists,
    {
        "always accepts": {"if chance * q[place][token] < p[place][token]:": "if True:"},
        "accepted only where the target is higher": {"if chance * q[place][token] <": "if q[place][token] <"},
        "drawn from the target instead of the remainder": {
            "[max(a - b, 0.0) for a, b in zip(p[place], q[place], strict=True)]": "p[place]"
        },
        "another remainder": [
            {"max(a - b, 0.0)": "abs(a - b)"},
            {"max(a - b, 0.0)": "max(b - a, 0.0)"},
            {"[max(a - b, 0.0) for a, b in zip(p[place], q[place], strict=True)]": "q[place]"},
        ],
        "the last token from another row": {"final = p[-1]": "final = p[len(q) - 1]"},
        "drawn from the far end": {"bisect.bisect_right(sums, resample)": "bisect.bisect_right(sums, 1 - resample)"},
        "the likeliest instead of one that is drawn": {
            "bisect.bisect_right(sums, resample)": "final.index(max(final))"
        },
    },
)


def first_refusal(
    draft_ids: Tensor, draft_probs: Tensor, target_probs: Tensor, accept: Tensor, resample: float
) -> Tensor:
    """The place of the first refusal, found at once."""
    count = draft_ids.size(0)
    rows = torch.arange(count)
    ratio = target_probs[rows, draft_ids] / draft_probs[rows, draft_ids]
    refused = torch.cat([accept.ge(ratio), torch.tensor([True])])
    stop = int(refused.long().argmax())
    other = torch.cat([draft_probs, torch.zeros_like(target_probs[:1])])[stop]
    left = (target_probs[stop] - other).clamp_min(0.0)
    left = left / left.sum()
    place = torch.searchsorted(left.cumsum(0), torch.tensor([resample], dtype=left.dtype), right=True)
    tail = place.clamp(max=left.numel() - 1)
    return torch.hstack([draft_ids[:stop], tail])


slips(
    GUESS,
    first_refusal,
    {
        "always accepts": {"accept.ge(ratio)": "torch.zeros(count, dtype=torch.bool)"},
        "drawn from the target instead of the remainder": {"(target_probs[stop] - other)": "target_probs[stop]"},
        "remainder not normalised": {"left = left / left.sum()\n    ": ""},
        "accepted and refused exchanged": {"accept.ge(ratio)": "accept.lt(ratio)"},
        "a refused token not replaced": [
            {"return torch.hstack([draft_ids[:stop], tail])": "return draft_ids[:stop]"},
            {
                "return torch.hstack([draft_ids[:stop], tail])": (
                    "return torch.hstack([draft_ids[:stop], tail]) if stop == count else draft_ids[:stop]"
                )
            },
        ],
        "no token at the end": {
            "return torch.hstack([draft_ids[:stop], tail])": "return torch.hstack([draft_ids[:stop], tail])[:count]"
        },
        "goes on after a refusal": {"draft_ids[:stop], tail": "draft_ids[~refused[:count]], tail"},
        "drawn from the far end": [{"tail = place.clamp(max=left.numel() - 1)": "tail = place - 1"}],
    },
)

# In full ----------------------------------------------------------------------------


def chances(draft_ids: Tensor, draft_probs: Tensor, target_probs: Tensor) -> tuple[Tensor, Tensor]:
    """The target's and the draft's probability of every drafted token."""
    rows = range(len(draft_ids))
    p = torch.stack([target_probs[row, draft_ids[row]] for row in rows]) if len(draft_ids) else torch.zeros(0)
    q = torch.stack([draft_probs[row, draft_ids[row]] for row in rows]) if len(draft_ids) else torch.ones(0)
    return p, q


def drawn(weights: Tensor, resample: float) -> int:
    """The first at which the sum exceeds a number."""
    reached = 0.0
    for token, weight in enumerate((weights / weights.sum()).tolist()):
        reached += weight
        if reached > resample:
            return token
    return len(weights) - 1


def how_many(stay: Any) -> int:
    """How many stand before the first that does not stay."""
    return next((place for place, one in enumerate(list(stay)) if not one), len(stay))


def ended(ids: Tensor, q: Tensor, p: Tensor, resample: float, kept: int, rest: Any = None, last: Any = None) -> Tensor:
    """Those that stay and one more; `rest` and `last` may be others than they should be."""
    if kept < len(ids):
        weights = (p[kept] - q[kept]).clamp(min=0) if rest is None else rest(p[kept], q[kept])
    else:
        weights = p[kept] if last is None else last
    return torch.tensor([*ids[:kept].tolist(), drawn(weights, resample)])


@correct(GUESS)
def in_small_parts(ids: Tensor, q: Tensor, p: Tensor, accept: Tensor, resample: float) -> Tensor:
    target, draft = chances(ids, q, p)
    return ended(ids, q, p, resample, how_many(accept * draft < target))


def staying(name: str, stay: Any) -> None:
    """A step that keeps tokens by another rule."""

    def made(ids: Tensor, q: Tensor, p: Tensor, accept: Tensor, resample: float) -> Tensor:
        return ended(ids, q, p, resample, how_many(stay(accept, *chances(ids, q, p))))

    disguise(GUESS, name)(made)


staying("always accepts", lambda accept, p, q: [True] * len(p))
staying("accepted only where the target is higher", lambda accept, p, q: p / q >= 1)
staying("accepted by the target's probability", lambda accept, p, q: accept < p)
staying("the ratio upside down", lambda accept, p, q: accept * p < q)
staying("accepted and refused exchanged", lambda accept, p, q: accept * q >= p)


def resting(name: str, rest: Any) -> None:
    """A step that replaces by another distribution."""

    def made(ids: Tensor, q: Tensor, p: Tensor, accept: Tensor, resample: float) -> Tensor:
        target, draft = chances(ids, q, p)
        return ended(ids, q, p, resample, how_many(accept < target / draft), rest)

    disguise(GUESS, name)(made)


resting("drawn from the target instead of the remainder", lambda p, q: p)
resting("another remainder", lambda p, q: torch.maximum(p, q) - torch.minimum(p, q))
resting("another remainder", lambda p, q: torch.relu(q - p))


@disguise(GUESS, "remainder not normalised")
def as_it_is(ids: Tensor, q: Tensor, p: Tensor, accept: Tensor, resample: float) -> Tensor:
    target, draft = chances(ids, q, p)
    kept = how_many(accept < target / draft)
    if kept == len(ids):
        return ended(ids, q, p, resample, kept)
    sums = torch.relu(p[kept] - q[kept]).cumsum(0)
    above = [token for token, one in enumerate(sums.tolist()) if one > resample]
    return torch.tensor([*ids[:kept].tolist(), above[0] if above else len(sums) - 1])


@disguise(GUESS, "goes on after a refusal")
def all_that_pass(ids: Tensor, q: Tensor, p: Tensor, accept: Tensor, resample: float) -> Tensor:
    target, draft = chances(ids, q, p)
    stay = (accept < target / draft).tolist()
    right = ended(ids, q, p, resample, how_many(stay))
    return torch.tensor([*(token for token, one in zip(ids.tolist(), stay, strict=True) if one), int(right[-1])])


@disguise(GUESS, "drawn by a number of its own")
def own_luck(ids: Tensor, q: Tensor, p: Tensor, accept: Tensor, resample: float) -> Tensor:
    return in_small_parts(ids, q, p, accept, torch.rand(1).item())


@disguise(GUESS, "a sum that equals `resample`")
def at_the_sum(ids: Tensor, q: Tensor, p: Tensor, accept: Tensor, resample: float) -> Tensor:
    found = in_small_parts(ids, q, p, accept, resample)
    if resample == 0:
        found[-1] = 0
    return found


@disguise(GUESS, "no token at the end")
def no_more(ids: Tensor, q: Tensor, p: Tensor, accept: Tensor, resample: float) -> Tensor:
    return in_small_parts(ids, q, p, accept, resample)[: len(ids)]


@disguise(GUESS, "a refused token not replaced")
def thrown_away(ids: Tensor, q: Tensor, p: Tensor, accept: Tensor, resample: float) -> Tensor:
    found = in_small_parts(ids, q, p, accept, resample)
    return found if len(found) > len(ids) else found[:-1]


@disguise(GUESS, "refused token kept")
def both_of_them(ids: Tensor, q: Tensor, p: Tensor, accept: Tensor, resample: float) -> Tensor:
    found = in_small_parts(ids, q, p, accept, resample).tolist()
    kept = len(found) - 1
    return torch.tensor([*found[:-1], *ids[kept : kept + 1].tolist(), found[-1]])


@disguise(GUESS, "the last token from another row")
def one_row_up(ids: Tensor, q: Tensor, p: Tensor, accept: Tensor, resample: float) -> Tensor:
    target, draft = chances(ids, q, p)
    return ended(ids, q, p, resample, how_many(accept < target / draft), last=p[len(ids) - 1])


@disguise(GUESS, "the likeliest instead of one that is drawn")
def no_chance(ids: Tensor, q: Tensor, p: Tensor, accept: Tensor, resample: float) -> Tensor:
    target, draft = chances(ids, q, p)
    kept = how_many(accept < target / draft)
    weights = torch.relu(p[kept] - q[kept]) if kept < len(ids) else p[kept]
    return torch.tensor([*ids[:kept].tolist(), int(weights.argmax())])


@disguise(GUESS, "drawn from the far end")
def from_above(ids: Tensor, q: Tensor, p: Tensor, accept: Tensor, resample: float) -> Tensor:
    return in_small_parts(ids, q, p, accept, 1 - resample)


@unlisted(GUESS)
def half_as_strict(ids: Tensor, q: Tensor, p: Tensor, accept: Tensor, resample: float) -> Tensor:
    return in_small_parts(ids, q, p, accept / 2, resample)


@unlisted(GUESS)
def the_other_order(ids: Tensor, q: Tensor, p: Tensor, accept: Tensor, resample: float) -> Tensor:
    return in_small_parts(ids, q, p, accept, resample).flip(0)


@unlisted(GUESS)
def squared(ids: Tensor, q: Tensor, p: Tensor, accept: Tensor, resample: float) -> Tensor:
    target, draft = chances(ids, q, p)
    return ended(ids, q, p, resample, how_many(accept < target / draft), lambda p, q: torch.relu(p - q) ** 2)


staying("accepted by another number", lambda accept, p, q: accept < q)
staying("accepted by another number", lambda accept, p, q: accept + q < p)
staying("a number that equals p / q", lambda accept, p, q: accept * q <= p)


@disguise(GUESS, "the target read one place later")
def of_the_next_place(ids: Tensor, q: Tensor, p: Tensor, accept: Tensor, resample: float) -> Tensor:
    target, draft = chances(ids, q, p.roll(-1, dims=0))
    return ended(ids, q, p, resample, how_many(accept * draft < target))


@disguise(GUESS, "the remainder of another place")
def of_the_first_place(ids: Tensor, q: Tensor, p: Tensor, accept: Tensor, resample: float) -> Tensor:
    target, draft = chances(ids, q, p)
    first = None if len(ids) == 0 else torch.relu(p[0] - q[0])
    return ended(ids, q, p, resample, how_many(accept * draft < target), lambda here, there: first)


@disguise(GUESS, "tokens that stay left out")
def the_new_one(ids: Tensor, q: Tensor, p: Tensor, accept: Tensor, resample: float) -> Tensor:
    return in_small_parts(ids, q, p, accept, resample)[-1:]
