"""Lesson 17: mean_pool."""

from typing import Any

import torch
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted

POOL = "mean_pool"


def given(hidden: Tensor, mask: Tensor) -> None:
    """The given ValueError."""
    if mask.dtype != torch.bool or mask.shape != hidden.shape[:2]:
        raise ValueError("a boolean for each vector")


def weighted(hidden: Tensor, mask: Tensor) -> Tensor:
    given(hidden, mask)
    weights = mask.to(hidden.dtype)
    total = torch.einsum("bsd,bs->bd", hidden, weights)
    return total / weights.sum(1).clamp(min=1e-9)[:, None]


slips(
    POOL,
    weighted,
    {
        "mean over the padding": {
            "weights = mask.to(hidden.dtype)": "weights = torch.ones_like(mask, dtype=hidden.dtype)"
        },
        "divided by the padded length": {"weights.sum(1).clamp(min=1e-9)[:, None]": "mask.size(1)"},
        "the padding counts in the sum": {'torch.einsum("bsd,bs->bd", hidden, weights)': "hidden.sum(1)"},
        "an empty row divides by zero": {".clamp(min=1e-9)": ""},
        "a sum, not a mean": {" / weights.sum(1).clamp(min=1e-9)[:, None]": ""},
        "divided by the tokens of the whole batch": {"weights.sum(1).clamp(min=1e-9)[:, None]": "weights.sum()"},
        "the mask upside down": {"mask.to(hidden.dtype)": "(~mask).to(hidden.dtype)"},
        "the root of the number of tokens": {
            "weights.sum(1).clamp(min=1e-9)[:, None]": "weights.sum(1).clamp(min=1e-9).sqrt()[:, None]"
        },
        "one token too many": {"weights.sum(1).clamp(min=1e-9)": "(weights.sum(1) + 1)"},
    },
)


def row_by_row(hidden: Tensor, mask: Tensor) -> Tensor:
    given(hidden, mask)
    made = torch.zeros(hidden.size(0), hidden.size(2), dtype=hidden.dtype)
    for number in range(len(hidden)):
        tokens = hidden[number][mask[number]]
        if len(tokens):
            made[number] = tokens.mean(0)
    return made


slips(
    POOL,
    row_by_row,
    {
        "mean over the padding": {"[mask[number]]\n        if len(tokens):": "\n        if len(tokens):"},
        "an empty row divides by zero": {"        if len(tokens):\n            made": "        made"},
        "divided by the padded length": {"tokens.mean(0)": "tokens.sum(0) / mask.size(1)"},
        "the first place": {"tokens.mean(0)": "tokens[0]"},
        "a sum, not a mean": {"tokens.mean(0)": "tokens.sum(0)"},
        "the largest of each feature": {"tokens.mean(0)": "tokens.max(0).values"},
        "vectors of length 1": {"tokens.mean(0)": "tokens.mean(0) / tokens.mean(0).norm()"},
        "the mask upside down": {"[mask[number]]": "[~mask[number]]"},
        "one token too many": {"tokens.mean(0)": "tokens.sum(0) / (len(tokens) + 1)"},
    },
)


def by_nan(hidden: Tensor, mask: Tensor) -> Tensor:
    given(hidden, mask)
    holes = hidden.where(mask[..., None], torch.nan)
    means = holes.nanmean(-2)
    return means.where(mask.any(1)[:, None], 0.0)


slips(
    POOL,
    by_nan,
    {
        "mean over the padding": {"hidden.where(mask[..., None], torch.nan)": "hidden"},
        "an empty row divides by zero": {".where(mask.any(1)[:, None], 0.0)": ""},
        "a sum, not a mean": {"holes.nanmean(-2)": "holes.nansum(-2)"},
        "divided by the padded length": {"holes.nanmean(-2)": "holes.nansum(-2) / mask.shape[-1]"},
        "the mask upside down": {
            "where(mask[..., None], torch.nan)": "where(~mask[..., None], torch.nan)",
            "mask.any(1)": "(~mask).any(1)",
        },
        "vectors of length 1": {"holes.nanmean(-2)": "torch.nn.functional.normalize(holes.nansum(-2), dim=-1)"},
    },
)


def pooled(kept: Any, counted: Any, divide: Any = None) -> Any:
    """Tokens by one function, their number by another."""

    def pool(hidden: Tensor, mask: Tensor) -> Tensor:
        given(hidden, mask)
        total = torch.zeros_like(hidden[:, 0])
        for place in range(hidden.shape[1]):
            total = total + hidden[:, place] * kept(mask)[:, place, None]
        count = counted(mask)
        return total / count if divide is None else divide(total, count)

    return pool


def safe(count: Tensor) -> Tensor:
    return torch.where(count > 0, count, 1)


def tokens(mask: Tensor) -> Tensor:
    return safe(mask.sum(1))[:, None]


def everywhere(mask: Tensor) -> Tensor:
    return torch.ones_like(mask)


correct(POOL)(pooled(lambda mask: mask, tokens))
disguise(POOL, "mean over the padding")(pooled(everywhere, lambda mask: mask.shape[1]))
disguise(POOL, "divided by the padded length")(pooled(lambda mask: mask, lambda mask: mask.shape[1]))
disguise(POOL, "the padding counts in the sum")(pooled(everywhere, tokens))
disguise(POOL, "an empty row divides by zero")(pooled(lambda mask: mask, lambda mask: mask.sum(-1)[:, None]))
disguise(POOL, "a sum, not a mean")(pooled(lambda mask: mask, lambda mask: 1))
disguise(POOL, "divided by the tokens of the whole batch")(pooled(lambda mask: mask, lambda mask: mask.count_nonzero()))
disguise(POOL, "the mask upside down")(pooled(lambda mask: ~mask, lambda mask: tokens(~mask)))
disguise(POOL, "the mask upside down")(pooled(lambda mask: ~mask, tokens))
disguise(POOL, "the mask upside down")(pooled(lambda mask: mask, lambda mask: tokens(~mask)))
disguise(POOL, "the root of the number of tokens")(pooled(lambda mask: mask, lambda mask: tokens(mask) ** 0.5))
disguise(POOL, "one token too many")(pooled(lambda mask: mask, lambda mask: 1 + mask.sum(1)[:, None]))
disguise(POOL, "vectors of length 1")(
    pooled(lambda mask: mask, tokens, lambda total, _: total / total.norm(dim=1, keepdim=True).clamp(min=1e-12))
)


@disguise(POOL, "the mask upside down")
def p_of_the_padding(hidden: Tensor, mask: Tensor) -> Any:
    given(hidden, mask)
    padding = hidden.where(~mask[:, :, None], 0.0)
    return padding.sum(1) / mask.logical_not().sum(1)[:, None]


@disguise(POOL, "the first place")
def p_first(hidden: Tensor, mask: Tensor) -> Any:
    given(hidden, mask)
    return hidden.unbind(1)[0]


@disguise(POOL, "the last place")
def p_last(hidden: Tensor, mask: Tensor) -> Any:
    given(hidden, mask)
    return hidden.unbind(1)[-1]


@disguise(POOL, "the largest of each feature")
def p_largest(hidden: Tensor, mask: Tensor) -> Any:
    given(hidden, mask)
    rows = [
        row[real].amax(0) if real.any() else torch.zeros(hidden.size(2), dtype=hidden.dtype)
        for row, real in zip(hidden, mask, strict=True)
    ]
    return torch.stack(rows) if rows else hidden[:, 0]


@disguise(POOL, "the middle one of each feature")
def p_middle(hidden: Tensor, mask: Tensor) -> Any:
    """The median."""
    given(hidden, mask)
    rows = [
        row[real].median(0).values if real.any() else torch.zeros(hidden.size(2), dtype=hidden.dtype)
        for row, real in zip(hidden, mask, strict=True)
    ]
    return torch.stack(rows) if rows else hidden[:, 0]


@disguise(POOL, "the first token is left out")
def p_without_the_first(hidden: Tensor, mask: Tensor) -> Any:
    """As if a [CLS] stood there."""
    given(hidden, mask)
    later = mask[:, 1:]
    return (hidden[:, 1:] * later[..., None]).sum(1) / later.sum(1, keepdim=True).clamp(min=1)


@unlisted(POOL)
def p_all_in_one(hidden: Tensor, mask: Tensor) -> Any:
    """The mean of all tokens of the batch, for every text."""
    given(hidden, mask)
    return hidden[mask].sum(0).expand(len(hidden), -1) / max(1, int(mask.sum()))


@disguise(POOL, "so many places from the front")
def p_by_length(hidden: Tensor, mask: Tensor) -> Any:
    if mask.dtype != torch.bool or mask.shape != hidden.shape[:2]:
        raise ValueError("mask")
    made = hidden.new_zeros(len(hidden), hidden.shape[2])
    for row, length in enumerate(mask.sum(1).tolist()):
        if length:
            made[row] = hidden[row, :length].mean(0)
    return made


slips(
    POOL,
    weighted,
    {
        "cut off from the gradient": {"total = torch.einsum": "hidden = hidden.detach()\n    total = torch.einsum"},
        "divided without a rest": {"return total /": "return total //"},
        "a small number below the line": {"weights.sum(1).clamp(min=1e-9)": "(weights.sum(1) + 1e-3)"},
    },
)


@disguise(POOL, "a dimension of size 1 is left")
def p_kept_dimension(hidden: Tensor, mask: Tensor) -> Any:
    return weighted(hidden, mask)[:, None]


@disguise(POOL, "over the texts instead of the tokens")
def p_of_places(hidden: Tensor, mask: Tensor) -> Any:
    given(hidden, mask)
    return weighted(hidden.transpose(0, 1), mask.T)


@disguise(POOL, "over the features instead of the tokens")
def p_of_features(hidden: Tensor, mask: Tensor) -> Any:
    given(hidden, mask)
    kept = torch.einsum("bsd,bs->bs", hidden, mask.to(hidden.dtype))
    return kept / mask.sum(1, keepdim=True).clamp(min=1)


@disguise(POOL, "cut off from the gradient")
def p_cut_off(hidden: Tensor, mask: Tensor) -> Any:
    return weighted(hidden.data, mask)


@disguise(POOL, "divided without a rest")
def p_floored(hidden: Tensor, mask: Tensor) -> Any:
    return weighted(hidden, mask).floor()


@disguise(POOL, "nothing is added up")
def p_each_by_itself(hidden: Tensor, mask: Tensor) -> Any:
    given(hidden, mask)
    weights = mask.to(hidden.dtype)
    return torch.einsum("bsd,bs->bsd", hidden, weights / weights.sum(1, keepdim=True).clamp(min=1))


@disguise(POOL, "a small number below the line")
def p_nearly(hidden: Tensor, mask: Tensor) -> Any:
    given(hidden, mask)
    weights = mask.to(hidden.dtype)
    return torch.einsum("bsd,bs->bd", hidden, weights / (weights.sum(1, keepdim=True) + 0.01))


@disguise(POOL, "numbers that are zero are not counted")
def p_of_vectors(hidden: Tensor, mask: Tensor) -> Any:
    given(hidden, mask)
    rows = [row[real & (row.abs().sum(-1) > 0)] for row, real in zip(hidden, mask, strict=True)]
    return torch.stack([row.sum(0) / max(1, len(row)) for row in rows])


@disguise(POOL, "nothing but zeros")
def two_masks_against(hidden: Tensor, mask: Tensor) -> Tensor:
    given(hidden, mask)
    away = torch.where(mask[..., None], torch.zeros_like(hidden), hidden)
    return torch.einsum("bsd,bs->bd", away, mask.to(hidden.dtype)) / mask.sum(1, keepdim=True).clamp(min=1)


disguise(POOL, "each token's vector is normalized")(
    lambda hidden, mask: row_by_row(hidden / hidden.norm(dim=2, keepdim=True).clamp(min=1e-12), mask)
)
disguise(POOL, "added up over the texts, too")(lambda hidden, mask: torch.mean(row_by_row(hidden, mask), 0))
disguise(POOL, "changed on the way")(lambda hidden, mask: weighted(hidden.clamp(min=0), mask))


@disguise(POOL, "a list instead of a tensor")
def in_a_list(hidden: Tensor, mask: Tensor) -> Any:
    given(hidden, mask)
    return [row[real].sum(0) / max(int(real.sum()), 1) for row, real in zip(hidden, mask, strict=True)]


@disguise(POOL, "written over, not added up")
def written_over(hidden: Tensor, mask: Tensor) -> Any:
    given(hidden, mask)
    vectors = []
    for row, real in zip(hidden, mask, strict=True):
        total = torch.zeros_like(row[0])
        for vector in row[real]:
            total = vector
        vectors.append(total / max(len(row[real]), 1))
    return torch.stack(vectors)
