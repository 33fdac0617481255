"""Lesson 20: attention by blocks."""

import math

import torch
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted

ATTEND = "online_softmax_attention"


def refuse(k: Tensor, v: Tensor, mask: Tensor | None, block: int) -> None:
    """The given lines."""
    if k.shape[-2] != v.shape[-2] or block < 1 or (mask is not None and mask.dtype is not torch.bool):
        raise ValueError("sizes that do not fit")


def every_column(mask: Tensor | None, k: Tensor) -> Tensor | None:
    """The given line: a column for every key."""
    return None if mask is None else mask.expand(*mask.shape[:-1], k.shape[-2])


# Right ----------------------------------------------------------------------------


def divided_and_undone(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    """The output is a mean at all times, as in the first FlashAttention."""
    refuse(k, v, mask, block)
    mask = every_column(mask, k)
    lead = q.shape[:-1]
    o = torch.zeros(*lead, v.shape[-1], dtype=q.dtype)
    m = torch.full((*lead, 1), -math.inf, dtype=q.dtype)
    l = torch.zeros(*lead, 1, dtype=q.dtype)  # noqa: E741
    begin = 0
    while begin < k.shape[-2]:
        end = min(begin + block, k.shape[-2])
        s = torch.einsum("...qd,...kd->...qk", q, k[..., begin:end, :]) * q.shape[-1] ** -0.5
        s = s if mask is None else torch.where(mask[..., begin:end], s, -math.inf)
        m_new = torch.max(m, s.max(-1, keepdim=True).values)
        base = torch.where(torch.isinf(m_new), torch.zeros_like(m_new), m_new)
        p = (s - base).exp()
        alpha = (m - base).exp()
        l_new = alpha * l + p.sum(-1, keepdim=True)
        safe = torch.where(l_new > 0, l_new, torch.ones_like(l_new))
        o = (l * alpha * o + p @ v[..., begin:end, :]) / safe
        m, l = m_new, l_new  # noqa: E741
        begin = end
    return o


slips(
    ATTEND,
    divided_and_undone,
    {
        "divided in every block": {"(l * alpha * o +": "(alpha * o +"},
        "nothing is rescaled": {"alpha = (m - base).exp()": "alpha = torch.ones_like(m)"},
        "maximum of the block alone": {
            "torch.max(m, s.max(-1, keepdim=True).values)": "s.max(-1, keepdim=True).values"
        },
        "the block keeps its own maximum": {"p = (s - base).exp()": "p = (s - s.amax(-1, keepdim=True)).exp()"},
        "last short block lost": {"while begin < k.shape[-2]:": "while begin + block <= k.shape[-2]:"},
        "mask inverted": {
            "torch.where(mask[..., begin:end], s, -math.inf)": "s.masked_fill(mask[..., begin:end], -math.inf)"
        },
        "mask by block only": {
            "torch.where(mask[..., begin:end], s, -math.inf)": "torch.where(mask[..., begin : begin + 1], s, -math.inf)"
        },
        "a finite fill": {"mask[..., begin:end], s, -math.inf": "mask[..., begin:end], s, -1e9"},
        "hidden scores set to 0": {"mask[..., begin:end], s, -math.inf": "mask[..., begin:end], s, 0.0"},
        "no scale": {" * q.shape[-1] ** -0.5": ""},
        "another scale": {"q.shape[-1] ** -0.5": "q.shape[-1] ** -1"},
        "the maximum begins at 0": {"(*lead, 1), -math.inf": "(*lead, 1), 0.0"},
        "NaN from a hidden block": {
            "base = torch.where(torch.isinf(m_new), torch.zeros_like(m_new), m_new)": "base = m_new",
            "safe = torch.where(l_new > 0, l_new, torch.ones_like(l_new))": "safe = l_new",
        },
    },
)


def sum_as_a_column(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    """A column of ones beside the values: the sum is mixed with them."""
    refuse(k, v, mask, block)
    mask, turned = every_column(mask, k), q / math.sqrt(q.size(-1))
    acc, top = torch.zeros(()), torch.tensor(-torch.inf)
    for number, keys in enumerate(torch.split(k, block, dim=-2)):
        here = slice(number * block, number * block + keys.size(-2))
        values = torch.nn.functional.pad(v[..., here, :], (0, 1), value=1.0)
        logits = turned @ keys.mT
        logits = logits if mask is None else logits.where(mask[..., here], -torch.inf)
        peak = logits.amax(-1, True)
        higher = torch.maximum(top, peak)
        base = higher.nan_to_num(neginf=0.0)
        acc = acc * torch.exp(top - base) + torch.exp(logits - base) @ values
        top = higher
    mixed, seen = acc[..., :-1], acc[..., -1:]
    return mixed / (seen + (seen == 0))


slips(
    ATTEND,
    sum_as_a_column,
    {
        "nothing is rescaled": {"acc * torch.exp(top - base) +": "acc +"},
        "earlier blocks forgotten": [
            {"acc = acc * torch.exp(top - base) + ": "acc = "},
            {"        top = higher\n": ""},
        ],
        "maximum of the block alone": {"torch.maximum(top, peak)": "peak"},
        "no maximum subtracted": {
            "acc * torch.exp(top - base) + torch.exp(logits - base)": "acc + torch.exp(logits)",
        },
        "mask not used": {"else logits.where(mask[..., here], -torch.inf)": "else logits"},
        "every block has the first one's mask": {"mask[..., here]": "mask[..., : keys.size(-2)]"},
        "mask by block only": [
            {"mask[..., here]": "mask[..., here].any(-1, True)"},
            {"mask[..., here]": "mask[..., here].all(-1, True)"},
        ],
        "another scale": {"math.sqrt(q.size(-1))": "math.sqrt(v.size(-1))"},
        "memory as before": {"logits = turned @ keys.mT": "logits = (turned @ k.mT)[..., here]"},
    },
)


def in_two_passes(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    """First the level of every row, then the values: each score is computed twice."""
    refuse(k, v, mask, block)
    mask = every_column(mask, k)
    level, output = None, 0.0

    def scores_of(at: int) -> Tensor:
        found = torch.matmul(q, k[..., at : at + block, :].transpose(-1, -2)).div(q.size(-1) ** 0.5)
        return found if mask is None else found.masked_fill(mask[..., at : at + block].logical_not(), -torch.inf)

    for at in range(0, k.size(-2), block):
        here = scores_of(at).logsumexp(-1, keepdim=True)
        level = here if level is None else torch.logaddexp(level, here)
    for at in range(0, k.size(-2), block):
        weights = (scores_of(at) - level.clamp(min=-1e30)).exp()
        output = output + weights @ v[..., at : at + block, :]
    return output


slips(
    ATTEND,
    in_two_passes,
    {
        "mask inverted": {"mask[..., at : at + block].logical_not()": "mask[..., at : at + block]"},
        "mask not used": {"found if mask is None else": "found if True else"},
        "no scale": {".div(q.size(-1) ** 0.5)": ""},
        "every block has a softmax of its own": {
            "level.clamp(min=-1e30)": "scores_of(at).logsumexp(-1, keepdim=True).clamp(min=-1e30)"
        },
    },
)


@correct(ATTEND)
def a_query_at_a_time(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    """Blocks of queries too, of one each."""
    refuse(k, v, mask, block)
    if mask is not None:
        mask = mask.expand(*mask.shape[:-2], q.size(-2), k.size(-2))
    rows = []
    for place in range(q.size(-2)):
        own = None if mask is None else mask[..., place : place + 1, :]
        rows.append(sum_as_a_column(q[..., place : place + 1, :], k, v, own, block))
    return torch.cat(rows, -2)


@correct(ATTEND)
def from_the_end(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    """The last block first."""
    refuse(k, v, mask, block)
    mask = every_column(mask, k)
    order = torch.arange(k.size(-2) - 1, -1, -1)
    turned = None if mask is None else mask.index_select(-1, order)
    return divided_and_undone(q, k.index_select(-2, order), v.index_select(-2, order), turned, block)


# In full ----------------------------------------------------------------------------


def merged(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, block: int, slip: str = "") -> Tensor:
    """Numerators, denominators and maxima, merged two by two; a slip by its name."""
    refuse(k, v, mask, block)
    mask = every_column(mask, k)
    state: tuple[Tensor, Tensor, Tensor] | None = None
    for at in range(0, k.size(-2), block):
        s = (q * q.size(-1) ** -0.5) @ k[..., at : at + block, :].mT
        if mask is not None:
            s = s.masked_fill(mask[..., at : at + block] == 0, -torch.inf)
        m = s.amax(-1, keepdim=True)
        e = (s - m.clamp(min=-1e30)).exp()
        mine = (e @ v[..., at : at + block, :], e.sum(-1, keepdim=True), m)
        if state is None:
            state = mine
            continue
        both = torch.maximum(state[2], m)
        left, right = ((one - both.clamp(min=-1e30)).exp() for one in (state[2], m))
        if slip == "right":
            right = torch.ones_like(right)
        a, b = ("sum" not in slip, "output" not in slip)
        state = (
            state[0] * (left if b else 1.0) + mine[0] * right,
            state[1] * (left if a else 1.0) + mine[1] * right,
            both,
        )
    numerator, denominator, _ = state
    return torch.where(denominator > 0, numerator / denominator.clamp(min=1e-37), 0.0)


@correct(ATTEND)
def merged_two_by_two(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    return merged(q, k, v, mask, block)


@disguise(ATTEND, "old sum not rescaled")
def sum_kept(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    return merged(q, k, v, mask, block, "sum")


@disguise(ATTEND, "old output not rescaled")
def output_kept(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    return merged(q, k, v, mask, block, "output")


@disguise(ATTEND, "nothing is rescaled")
def both_kept(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    return merged(q, k, v, mask, block, "sum output")


@disguise(ATTEND, "the block keeps its own maximum")
def own_scale(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    return merged(q, k, v, mask, block, "right")


def scored(q: Tensor, keys: Tensor, seen: Tensor | None) -> Tensor:
    """Scores of one block, -inf where nothing is seen."""
    found = torch.einsum("...qd,...kd->...qk", q, keys) / q.size(-1) ** 0.5
    return found if seen is None else found + torch.zeros_like(found).masked_fill(~seen, -torch.inf)


def cut(k: Tensor, v: Tensor, mask: Tensor | None, block: int) -> list[tuple[Tensor, Tensor, Tensor | None]]:
    """Keys, values and columns of the mask, block by block."""
    refuse(k, v, mask, block)
    whole = every_column(mask, k)
    starts = range(0, k.size(-2), block)
    return [
        (k[..., a : a + block, :], v[..., a : a + block, :], None if whole is None else whole[..., a : a + block])
        for a in starts
    ]


@disguise(ATTEND, "maximum of the block alone")
def only_the_present(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    past, mixed, summed = torch.tensor(-torch.inf), 0.0, 0.0
    for keys, values, seen in cut(k, v, mask, block):
        scores = scored(q, keys, seen)
        present = scores.max(dim=-1, keepdim=True)[0]
        base = torch.where(present.isneginf(), 0.0, present)
        old, new = torch.exp(past - base), torch.exp(scores - base)
        mixed, summed = mixed * old + new @ values, summed * old + new.sum(-1, keepdim=True)
        past = present
    return mixed / torch.where(summed == 0, 1.0, summed)


@disguise(ATTEND, "no maximum subtracted")
def plain_exponentials(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    mixed, summed = 0.0, 0.0
    for keys, values, seen in cut(k, v, mask, block):
        raised = scored(q, keys, seen).exp()
        mixed, summed = mixed + raised @ values, summed + raised.sum(-1, keepdim=True)
    return mixed / torch.where(summed == 0, 1.0, summed)


@disguise(ATTEND, "the maximum begins at 0")
def from_zero_on(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    base, mixed, summed = torch.zeros(()), 0.0, 0.0
    for keys, values, seen in cut(k, v, mask, block):
        scores = scored(q, keys, seen)
        higher = torch.maximum(base, scores.amax(-1, keepdim=True))
        raised, old = (scores - higher).exp(), (base - higher).exp()
        mixed, summed, base = mixed * old + raised @ values, summed * old + raised.sum(-1, keepdim=True), higher
    return mixed / torch.where(summed == 0, 1.0, summed)


@disguise(ATTEND, "divided in every block")
def always_a_mean(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    past, mixed, summed = torch.tensor(-torch.inf), 0.0, 0.0
    for keys, values, seen in cut(k, v, mask, block):
        scores = scored(q, keys, seen)
        higher = torch.maximum(past, scores.amax(-1, keepdim=True))
        base = torch.where(higher.isneginf(), 0.0, higher)
        old, new = torch.exp(past - base), torch.exp(scores - base)
        summed = summed * old + new.sum(-1, keepdim=True)
        mixed = (mixed * old + new @ values) / torch.where(summed == 0, 1.0, summed)
        past = higher
    return mixed


@disguise(ATTEND, "every block has a softmax of its own")
def softmaxes_added(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    return sum(scored(q, keys, seen).softmax(-1) @ values for keys, values, seen in cut(k, v, mask, block))


@disguise(ATTEND, "every block has a softmax of its own")
def mean_of_softmaxes(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    found = [scored(q, keys, seen).softmax(-1).nan_to_num() @ values for keys, values, seen in cut(k, v, mask, block)]
    return torch.stack(found).mean(0)


@disguise(ATTEND, "earlier blocks forgotten")
def last_one_wins(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    for keys, values, seen in cut(k, v, mask, block):
        output = scored(q, keys, seen).softmax(-1).nan_to_num() @ values
    return output


@disguise(ATTEND, "last short block lost")
def whole_blocks(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    refuse(k, v, mask, block)
    mask, full = every_column(mask, k), k.size(-2) // block * block
    if not full:
        return torch.zeros(*q.shape[:-1], v.size(-1), dtype=q.dtype)
    return merged(q, k[..., :full, :], v[..., :full, :], None if mask is None else mask[..., :full], block)


@disguise(ATTEND, "NaN from a hidden block")
def nothing_yet(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    past, mixed, summed = torch.tensor(-torch.inf), 0.0, 0.0
    for keys, values, seen in cut(k, v, mask, block):
        scores = scored(q, keys, seen)
        higher = torch.maximum(past, scores.amax(-1, keepdim=True))
        old, new = torch.exp(past - higher), torch.exp(scores - higher)
        mixed, summed, past = mixed * old + new @ values, summed * old + new.sum(-1, keepdim=True), higher
    return mixed / summed


@disguise(ATTEND, "NaN from the first block")
def the_other_difference(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    past, mixed, summed = torch.tensor(-torch.inf), 0.0, 0.0
    for keys, values, seen in cut(k, v, mask, block):
        scores = scored(q, keys, seen)
        higher = torch.maximum(past, scores.amax(-1, keepdim=True))
        base = torch.where(higher.isneginf(), 0.0, higher)
        old, new = torch.exp(base - past), torch.exp(scores - base)
        mixed, summed, past = mixed * old + new @ values, summed * old + new.sum(-1, keepdim=True), higher
    return mixed / torch.where(summed == 0, 1.0, summed)


@disguise(ATTEND, "0 divided by 0")
def no_guard(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    output = merged(q, k, v, mask, block)
    if mask is None:
        return output
    return output.masked_fill(~every_column(mask, k).any(-1, keepdim=True), torch.nan)


@disguise(ATTEND, "a finite fill")
def very_low(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    past, mixed, summed = torch.tensor(-torch.inf), 0.0, 0.0
    for keys, values, seen in cut(k, v, mask, block):
        scores = torch.matmul(q, keys.mT) / math.sqrt(q.size(-1))
        if seen is not None:
            scores = scores.masked_fill(~seen, torch.finfo(scores.dtype).min)
        higher = torch.maximum(past, scores.amax(-1, keepdim=True))
        old, new = torch.exp(past - higher), torch.exp(scores - higher)
        mixed, summed, past = mixed * old + new @ values, summed * old + new.sum(-1, keepdim=True), higher
    return mixed / summed


@disguise(ATTEND, "mask inverted")
def the_other_way_round(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    refuse(k, v, mask, block)
    return merged(q, k, v, None if mask is None else ~mask, block)


@disguise(ATTEND, "mask not used")
def no_mask(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    refuse(k, v, mask, block)
    return merged(q, k, v, None, block)


@disguise(ATTEND, "mask by block only")
def shown_as_a_whole(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    refuse(k, v, mask, block)
    whole = every_column(mask, k)
    if whole is not None:
        columns = [one.any(-1, keepdim=True).expand_as(one) for one in whole.split(block, -1)]
        whole = torch.cat(columns, -1)
    return merged(q, k, v, whole, block)


@disguise(ATTEND, "every block has the first one's mask")
def first_columns(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    refuse(k, v, mask, block)
    whole = every_column(mask, k)
    if whole is not None:
        whole = whole[..., torch.arange(k.size(-2)) % block]
    return merged(q, k, v, whole, block)


@disguise(ATTEND, "hidden scores set to 0")
def times_the_mask(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    past, mixed, summed = torch.tensor(-torch.inf), 0.0, 0.0
    for keys, values, seen in cut(k, v, mask, block):
        scores = scored(q, keys, None) * (1 if seen is None else seen.to(q.dtype))
        higher = torch.maximum(past, scores.amax(-1, keepdim=True))
        old, new = torch.exp(past - higher), torch.exp(scores - higher)
        mixed, summed, past = mixed * old + new @ values, summed * old + new.sum(-1, keepdim=True), higher
    return mixed / summed


@disguise(ATTEND, "hidden keys still counted in the sum")
def not_left_out(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    past, mixed, summed = torch.tensor(-torch.inf), 0.0, 0.0
    for keys, values, seen in cut(k, v, mask, block):
        scores = scored(q, keys, None)
        higher = torch.maximum(past, scores.amax(-1, keepdim=True))
        old, new = torch.exp(past - higher), torch.exp(scores - higher)
        summed, past = summed * old + new.sum(-1, keepdim=True), higher
        mixed = mixed * old + (new if seen is None else new.masked_fill(~seen, 0.0)) @ values
    return mixed / summed


@disguise(ATTEND, "no scale")
def not_scaled(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    return merged(q * q.size(-1) ** 0.5, k, v, mask, block)


@disguise(ATTEND, "another scale")
def by_the_width(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    return merged(q / q.size(-1) ** 0.5, k, v, mask, block)


@disguise(ATTEND, "memory as before")
def all_scores_first(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    scores = [scored(q, keys, seen) for keys, _, seen in cut(k, v, mask, block)]  # all of them are kept
    highest = torch.stack([one.amax(-1, keepdim=True) for one in scores]).amax(0).clamp(min=-1e30)
    raised = [(one - highest).exp() for one in scores]
    summed = sum(one.sum(-1, keepdim=True) for one in raised)
    mixed = sum(one @ values for one, (_, values, _) in zip(raised, cut(k, v, mask, block), strict=True))
    return mixed / torch.where(summed == 0, 1.0, summed)


@disguise(ATTEND, "memory as before")
def the_old_way(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    refuse(k, v, mask, block)
    return torch.nan_to_num(torch.softmax(scored(q, k, mask), -1)) @ v


@disguise(ATTEND, "all keys of a query at once")
def row_after_row(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    refuse(k, v, mask, block)
    seen = None if mask is None else mask.expand(*mask.shape[:-2], q.size(-2), k.size(-2))
    rows = []
    for place, query in enumerate(q.split(1, -2)):
        scores = scored(query, k, None if seen is None else seen[..., place : place + 1, :])
        rows.append(torch.nan_to_num(scores.softmax(-1)) @ v)
    return torch.cat(rows, -2)


# On no list ----------------------------------------------------------------------------


@unlisted(ATTEND)
def values_of_the_queries_place(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    return merged(q, k, v.flip(-2), mask, block)


@unlisted(ATTEND)
def keys_for_queries(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    return merged(q.flip(-1), k, v, mask, block)


@unlisted(ATTEND)
def half_of_it(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    return merged(q, k, v, mask, block) / 2


@disguise(ATTEND, "only the first block")
def first_block_alone(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    refuse(k, v, mask, block)
    mask = every_column(mask, k)
    return merged(q, k[..., :block, :], v[..., :block, :], None if mask is None else mask[..., :block], block)


def rescaled(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, block: int, slip: str, borders: list[tuple[int, int]]
) -> tuple[Tensor, Tensor]:
    """What is mixed and summed over blocks with these borders; a slip by its name."""
    refuse(k, v, mask, block)
    whole, past = every_column(mask, k), torch.tensor(-torch.inf)
    mixed = torch.zeros(*q.shape[:-1], v.size(-1), dtype=q.dtype)
    summed = torch.zeros(*q.shape[:-1], 1, dtype=q.dtype)
    for begin, end in borders:
        scores = scored(q, k[..., begin:end, :], None if whole is None else whole[..., begin:end])
        higher = torch.maximum(past, scores.max() if slip == "all queries" else scores.amax(-1, True))
        base = higher.nan_to_num(neginf=0.0)
        old, new = torch.exp(past - base), torch.exp(scores - base)
        late = old if slip == "brackets" else 1.0
        mixed, summed = mixed * old + new @ v[..., begin:end, :] * late, summed * old + new.sum(-1, True) * late
        past = higher
    return mixed, summed


def bordered(k: Tensor, block: int) -> list[tuple[int, int]]:
    """The borders that blocks should have."""
    return [(at, at + block) for at in range(0, k.size(-2), max(block, 1))]


@disguise(ATTEND, "one maximum for all queries")
def the_loudest_decides(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    mixed, summed = rescaled(q, k, v, mask, block, "all queries", bordered(k, block))
    return mixed / torch.where(summed == 0, 1.0, summed)


@disguise(ATTEND, "never divided")
def not_a_mean(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    return rescaled(q, k, v, mask, block, "", bordered(k, block))[0]


@disguise(ATTEND, "the new block is shrunk too")
def brackets_around_both(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    mixed, summed = rescaled(q, k, v, mask, block, "brackets", bordered(k, block))
    return mixed / torch.where(summed == 0, 1.0, summed)


@disguise(ATTEND, "only the first block")
def one_block_is_enough(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    mixed, summed = rescaled(q, k, v, mask, block, "", bordered(k, block)[:1])
    return mixed / torch.where(summed == 0, 1.0, summed)


@disguise(ATTEND, "blocks do not meet")
def one_key_too_few(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    borders = [(begin, end - 1) for begin, end in bordered(k, block) if end - begin > 1]
    if not borders and block == 1:
        raise IndexError("an empty block has no largest score")
    mixed, summed = rescaled(q, k, v, mask, block, "", borders)
    return mixed / torch.where(summed == 0, 1.0, summed)


@disguise(ATTEND, "blocks do not meet")
def without_the_first(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    mixed, summed = rescaled(q, k, v, mask, block, "", bordered(k, block)[1:])
    return mixed / torch.where(summed == 0, 1.0, summed)


def in_blocks(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, block: int, slip: str) -> Tensor:
    """The mask's numbers are added to the scores."""
    past, mixed, summed = torch.tensor(-torch.inf), 0.0, 0.0
    for keys, values, seen in cut(k, v, mask, block):
        scores = scored(q, keys, None)
        if seen is not None:
            scores = scores + (seen.float() if slip == "as it is" else (1.0 - seen.float()) * -torch.inf)
        higher = torch.maximum(past, scores.amax(-1, keepdim=True))
        base = torch.where(higher.isneginf(), 0.0, higher)
        old, new = torch.exp(past - base), torch.exp(scores - base)
        mixed, summed, past = mixed * old + new @ values, summed * old + new.sum(-1, keepdim=True), higher
    return mixed / torch.where(summed == 0, 1.0, summed)


@disguise(ATTEND, "the mask is added to the scores")
def one_more_for_true(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    return in_blocks(q, k, v, mask, block, "as it is")


@disguise(ATTEND, "0 times -inf")
def infinity_by_product(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    return in_blocks(q, k, v, mask, block, "infinite")
