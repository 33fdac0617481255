"""`normalize`, alone and with weight and bias around it."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted
from tests.variants.layer_norm.parts import good, layer, rms


def both(mistake: str) -> Any:
    """A disguise of `normalize` and, with weight and bias around it, of `LayerNorm`."""

    def add(core: Any) -> Any:
        disguise("normalize", mistake)(core)
        disguise("LayerNorm", mistake)(layer(core))
        return core

    return add


def slips_of_both(trunk: Any, made: Mapping[str, Any], inside: str = "") -> None:
    """Slips in a `normalize`, and in a LayerNorm that is made of it."""
    slips("normalize", trunk, made, inside=inside)
    slips("LayerNorm", trunk, made, around=layer, inside=inside)


def slips_in_eps(trunk: Any, eps: str) -> None:
    """What is wrong with the eps of `normalize` alone: a layer passes its own."""
    defaults = [{"eps: float = 1e-5": f"eps: float = {other}"} for other in ("1e-6", "1e-8", "1e-12")]
    slips("normalize", trunk, {"eps fixed": {eps: eps.replace("eps", "1e-5")}, "another default for eps": defaults})


# Slips in right code ----------------------------------------------------------------------------


def by_var_mean(x: Tensor, eps: float = 1e-5) -> Tensor:
    variance, mean = torch.var_mean(x, dim=-1, keepdim=True, correction=0)
    return (x - mean) * torch.rsqrt(variance + eps)


STD_MEAN = {
    "torch.var_mean": "torch.std_mean",
    ", correction=0": "",
    "* torch.rsqrt(variance + eps)": "/ (variance + eps)",
}

slips_in_eps(by_var_mean, "variance + eps")

slips_of_both(
    by_var_mean,
    {
        "variance over n - 1": {", correction=0": ""},
        "std + eps": STD_MEAN,
        "eps outside the root": {"* torch.rsqrt(variance + eps)": "/ (variance.sqrt() + eps)"},
        "no eps": {"variance + eps": "variance"},
        "eps as a lower bound": [
            {"variance + eps": "variance.clamp(min=eps)"},
            {"* torch.rsqrt(variance + eps)": "/ variance.sqrt().clamp(min=eps)"},
        ],
        "no root": {"* torch.rsqrt(variance + eps)": "/ (variance + eps)"},
        "sum of squares": {"variance + eps": "variance * x.shape[-1] + eps"},
        "only the mean is divided": {"(x - mean) *": "x - mean *"},
        "root taken twice": [
            {"torch.var_mean": "torch.std_mean"},
            {"torch.var_mean": "torch.std_mean", ", correction=0": ""},
        ],
        "mean not subtracted": {"(x - mean) *": "x *"},
        "over the sequence": [{"dim=-1": "dim=-2"}, {"dim=-1": "dim=1"}],
        "over the batch": [{"dim=-1": "dim=0"}, {"dim=-1": "dim=(0, 1)"}],
        "over everything": {"dim=-1, keepdim=True, ": ""},
        "over a whole sequence at once": {"dim=-1": "dim=(-2, -1)"},
        "no keepdim": {"keepdim=True, ": ""},
        "statistics detached": {"(x, dim": "(x.detach(), dim"},
        "writes into its input": {"(x - mean) *": "x.sub_(mean) *"},
        "variance over n - 1 + over the batch": {"dim=-1": "dim=0", ", correction=0": ""},
        "variance over n - 1 + over everything": {"x, dim=-1, keepdim=True, correction=0": "x"},
        "std + eps + over everything": {**STD_MEAN, "x, dim=-1, keepdim=True": "x"},
        "std + eps + statistics detached": {**STD_MEAN, "(x, dim": "(x.detach(), dim"},
    },
)


def from_moments(x: Tensor, eps: float = 1e-5) -> Tensor:
    n = x.shape[-1]
    first = x.sum(-1, keepdim=True) / n
    second = x.pow(2).sum(-1, keepdim=True) / n
    return (x - first).div((second - first.pow(2) + eps).sqrt())


ROOT = "(second - first.pow(2) + eps).sqrt()"


ABOUT_ZERO = {"second - first.pow(2)": "second"}

slips_in_eps(from_moments, "first.pow(2) + eps")

slips_of_both(
    from_moments,
    {
        "eps outside the root": {ROOT: "(second - first.pow(2)).sqrt() + eps"},
        "no root": {ROOT: "second - first.pow(2) + eps"},
        "eps as a lower bound": {ROOT: "(second - first.pow(2)).clamp(min=eps).sqrt()"},
        "only the mean is divided": {"(x - first).div": "x - first.div"},
        "root taken twice": {ROOT: "((second - first.pow(2)).sqrt() + eps).sqrt()"},
        "mean not subtracted": {"(x - first).div": "x.div"},
        "RMSNorm instead of LayerNorm": {"(x - first).div": "x.div", **ABOUT_ZERO},
        "mean square instead of variance": ABOUT_ZERO,
        "over the sequence": {
            "x.shape[-1]": "x.shape[-2]",
            "x.sum(-1,": "x.sum(-2,",
            "x.pow(2).sum(-1,": "x.pow(2).sum(-2,",
        },
        "over the batch": {"x.shape[-1]": "len(x)", "x.sum(-1,": "x.sum(0,", "x.pow(2).sum(-1,": "x.pow(2).sum(0,"},
        "over everything": {
            "x.shape[-1]": "x.numel()",
            "x.sum(-1, keepdim=True)": "x.sum()",
            "x.pow(2).sum(-1, keepdim=True)": "x.pow(2).sum()",
        },
        "no keepdim": [
            {"x.sum(-1, keepdim=True)": "x.sum(-1)", "x.pow(2).sum(-1, keepdim=True)": "x.pow(2).sum(-1)"},
        ],
        "statistics detached": {
            "first = x.sum": "y = x.detach()\n    first = y.sum",
            "second = x.pow": "second = y.pow",
        },
        "writes into its input": {"(x - first).div": "x.sub_(first).div"},
        "RMSNorm instead of LayerNorm + over everything": {
            "x.shape[-1]": "x.numel()",
            "x.pow(2).sum(-1, keepdim=True)": "x.pow(2).sum()",
            "(x - first).div": "x.div",
            **ABOUT_ZERO,
        },
    },
)


def centred(x: Tensor) -> Tensor:
    return x - torch.einsum("...i->...", x).unsqueeze(-1) / x.shape[-1]


def by_einsum(x: Tensor, eps: float = 1e-5) -> Tensor:
    d = centred(x)
    power = torch.einsum("...i,...i->...", d, d) / d.shape[-1]
    return torch.einsum("...i,...->...i", d, (power + eps) ** -0.5)


slips_in_eps(by_einsum, "power + eps")

slips_of_both(
    by_einsum,
    {
        "variance over n - 1": {"d.shape[-1]": "(d.shape[-1] - 1)"},
        "std + eps": {"d.shape[-1]": "(d.shape[-1] - 1)", "(power + eps) ** -0.5": "1 / (power**0.5 + eps)"},
        "eps outside the root": {"(power + eps) ** -0.5": "(power.sqrt() + eps) ** -1"},
        "no eps": {"(power + eps)": "power"},
        "eps as a lower bound": {"(power + eps)": "power.clamp(min=eps)"},
        "no root": {"** -0.5": "** -1"},
        "sum of squares": {" / d.shape[-1]": ""},
        "root taken twice": {"(power + eps)": "(power**0.5 + eps)"},
        "mean not subtracted": {"d, (power": "x, (power"},
        "RMSNorm instead of LayerNorm": {"d = centred(x)": "d = x"},
        "mean square instead of variance": {"d, d)": "x, x)"},
        "over everything": {
            "d = centred(x)": "d = x - x.mean()",
            '"...i,...i->...", d, d': '"...,...->", d, d',
            "d.shape[-1]": "d.numel()",
            '"...i,...->...i"': '"...,->..."',
        },
        "statistics detached": {"d, d)": "d.data, d.data)"},
    },
)

slips_of_both(
    by_einsum,
    {
        "statistics detached": {'->...", x)': '->...", x.detach())'},
        "writes into its input": {
            "return x - torch.einsum(": "return x.sub_(torch.einsum(",
            "x.shape[-1]": "x.shape[-1])",
        },
        "no keepdim": {".unsqueeze(-1)": ""},
    },
    inside="centred",
)


def one_token(token: Tensor, eps: float) -> Tensor:
    n = len(token)
    centre = sum(token) / n
    spread = sum((feature - centre) ** 2 for feature in token) / n
    return (token - centre) / (spread + eps) ** 0.5


def token_by_token(x: Tensor, eps: float = 1e-5) -> Tensor:
    tokens = x.reshape(-1, x.shape[-1])
    return torch.stack([one_token(token, eps) for token in tokens]).reshape(x.shape)


slips_in_eps(token_by_token, "token, eps")

slips_of_both(
    token_by_token,
    {
        "variance over n - 1": {"in token) / n": "in token) / (n - 1)"},
        "std + eps": {"in token) / n": "in token) / (n - 1)", "(spread + eps) ** 0.5": "(spread**0.5 + eps)"},
        "eps outside the root": {"(spread + eps) ** 0.5": "(spread.sqrt() + eps)"},
        "no eps": {"(spread + eps)": "spread"},
        "eps as a lower bound": {"(spread + eps)": "max(spread, eps)"},
        "no root": {" ** 0.5": ""},
        "sum of squares": {"in token) / n": "in token)"},
        "only the mean is divided": {"(token - centre)": "token - centre"},
        "root taken twice": {"(spread + eps)": "(spread**0.5 + eps)"},
        "mean not subtracted": {"(token - centre)": "token"},
        "RMSNorm instead of LayerNorm": {"feature - centre": "feature", "(token - centre)": "token"},
        "mean square instead of variance": {"feature - centre": "feature"},
        "statistics detached": [
            {"sum(token) / n": "sum(token.tolist()) / n"},
            {"(spread + eps)": "(spread.item() + eps)"},
            {"sum(token) / n": "float(sum(token) / n)", "(spread + eps)": "(float(spread) + eps)"},
        ],
        "writes into its input": {"(token - centre)": "token.sub_(centre)"},
        "eps outside the root + statistics detached": {"(spread + eps) ** 0.5": "(spread.item() ** 0.5 + eps)"},
    },
    inside="one_token",
)


def features_first(x: Tensor, eps: float = 1e-5) -> Tensor:
    """A table with a feature in each row and a token in each column."""
    table = x.reshape(-1, x.shape[-1]).T
    table = table - table.mean(0)
    table = table / torch.sqrt(table.var(0, correction=0) + eps)
    return table.T.reshape(x.shape)


COLUMN_ROOT = "torch.sqrt(table.var(0, correction=0) + eps)"

slips_in_eps(features_first, "correction=0) + eps")

slips_of_both(
    features_first,
    {
        "variance over n - 1": {"0, correction=0": "0"},
        "std + eps": {COLUMN_ROOT: "(table.std(0) + eps)"},
        "eps outside the root": {COLUMN_ROOT: "(table.std(0, correction=0) + eps)"},
        "no eps": {" + eps": ""},
        "eps as a lower bound": [
            {COLUMN_ROOT: "table.std(0, correction=0).clamp(min=eps)"},
            {COLUMN_ROOT: "(table.norm(dim=0).clamp(min=eps) / len(table) ** 0.5)"},
        ],
        "no root": {COLUMN_ROOT: "(table.var(0, correction=0) + eps)"},
        "sum of squares": {"table.var(0, correction=0)": "table.square().sum(0)"},
        "root taken twice": {"table.var": "table.std"},
        "over the batch": {".T\n    table = table - ": "\n    table = table - ", "table.T.reshape": "table.reshape"},
        "over everything": {"table.mean(0)": "table.mean()", "table.var(0, correction=0)": "table.var(correction=0)"},
        "over a whole sequence at once": {"x.reshape(-1, x.shape[-1]).T": "x.flatten(1).T"},
        "statistics detached": [
            {"table.mean(0)": "table.detach().mean(0)"},
            {"table.var(0, correction=0)": "table.var(0, correction=0).detach()"},
        ],
        "writes into its input": {"table = table - table.mean(0)": "table -= table.mean(0)"},
        "std + eps + over everything": {"table.mean(0)": "table.mean()", COLUMN_ROOT: "(table.std() + eps)"},
    },
)


def by_length(x: Tensor, eps: float = 1e-5) -> Tensor:
    d = x.subtract(x.mean([-1], True))
    square = torch.linalg.vector_norm(d, dim=-1, keepdim=True) ** 2
    return d / torch.sqrt(square / x.size(-1) + eps)


PER_SEQUENCE = {"[-1]": "[-2]", "dim=-1": "dim=-2", "size(-1)": "size(-2)"}

slips_in_eps(by_length, "size(-1) + eps")

slips_of_both(
    by_length,
    {
        "variance over n - 1": {"x.size(-1)": "(x.size(-1) - 1)"},
        "std + eps": {"torch.sqrt(square / x.size(-1) + eps)": "((square / (x.size(-1) - 1)) ** 0.5 + eps)"},
        "eps outside the root": {"torch.sqrt(square / x.size(-1) + eps)": "(torch.sqrt(square / x.size(-1)) + eps)"},
        "no eps": {" + eps": ""},
        "eps as a lower bound": {
            "True) ** 2": "True).clamp(min=eps)",
            "torch.sqrt(square / x.size(-1) + eps)": "square * x.size(-1) ** 0.5",
        },
        "no root": {"torch.sqrt(square / x.size(-1) + eps)": "(square / x.size(-1) + eps)"},
        "sum of squares": {" / x.size(-1)": ""},
        "only the mean is divided": {"d / torch": "x - x.mean([-1], True) / torch"},
        "mean not subtracted": {"d / torch": "x / torch"},
        "RMSNorm instead of LayerNorm": {"d = x.subtract(x.mean([-1], True))": "d = x"},
        "mean square instead of variance": {"vector_norm(d": "vector_norm(x"},
        "over the sequence": PER_SEQUENCE,
        "over a whole sequence at once": {
            "[-1]": "[-1, -2]",
            "dim=-1": "dim=(-1, -2)",
            "x.size(-1)": "(x.size(-1) * x.size(-2))",
        },
        "no keepdim": [
            {"[-1], True": "[-1]"},
            {"dim=-1, keepdim=True": "dim=-1"},
            {"[-1], True": "[-1]", "dim=-1, keepdim=True": "dim=-1"},
        ],
        "statistics detached": {"vector_norm(d": "vector_norm(d.detach()"},
        "writes into its input": {"x.subtract(x": "x.subtract_(x"},
    },
)


# Wrong on purpose, written in full ----------------------------------------------------------------------------


@both("variance over n - 1")
def unbiased(x: Tensor, eps: float = 1e-5) -> Tensor:
    centred = x - x.mean(-1, True)
    n = x.shape[-1]
    spread = torch.einsum("...i,...i->...", centred, centred)[..., None] / torch.tensor(n - 1.0)
    return centred * (spread + eps).rsqrt()


@both("std + eps")
def annotated(x: Tensor, eps: float = 1e-5) -> Tensor:
    return (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + eps)


@both("eps outside the root")
def outside(x: Tensor, eps: float = 1e-5) -> Tensor:
    return (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True, unbiased=False) + eps)


@both("no eps")
def without_eps(x: Tensor, eps: float = 1e-5) -> Tensor:
    variance, mean = torch.var_mean(x, -1, correction=0, keepdim=True)
    return (x - mean) / variance**0.5


@both("no root")
def by_variance(x: Tensor, eps: float = 1e-5) -> Tensor:
    d = x - x.mean(-1, keepdim=True)
    return d / (d.pow(2).mean(-1, keepdim=True) + eps)


@disguise("normalize", "eps fixed")
def fixed_eps(x: Tensor, eps: float = 1e-5) -> Tensor:
    return (x - x.mean(-1, keepdim=True)) * (x.var(-1, keepdim=True, unbiased=False) + 0.00001).rsqrt()


@both("eps added at the end")
def eps_after_the_bar(x: Tensor, eps: float = 1e-5) -> Tensor:
    s, m = torch.std_mean(x, -1, keepdim=True, unbiased=False)
    return (x - m) / s + eps


@disguise("normalize", "a guard instead of eps")
def zero_spread_is_one(x: Tensor, eps: float = 1e-5) -> Tensor:
    s, m = torch.std_mean(x, -1, keepdim=True, unbiased=False)
    return (x - m) / s.masked_fill(s == 0, 1)


@disguise("normalize", "a guard instead of eps")
def nan_repaired(x: Tensor, eps: float = 1e-5) -> Tensor:
    s, m = torch.std_mean(x, -1, keepdim=True, unbiased=False)
    return torch.nan_to_num((x - m) / s)


@disguise("normalize", "a guard instead of eps")
def where_there_is_a_spread(x: Tensor, eps: float = 1e-5) -> Tensor:
    d = x - x.mean(-1, keepdim=True)
    s = d.square().mean(-1, keepdim=True).sqrt()
    return torch.where(s > 0, d / torch.where(s > 0, s, torch.ones_like(s)), torch.zeros_like(d))


@both("over the batch")
def first_dimension(x: Tensor, eps: float = 1e-5) -> Tensor:
    return (x - x.mean(0)) / (x.var(0, unbiased=False) + eps).sqrt()


@both("sum of squares")
def unit_length(x: Tensor, eps: float = 1e-5) -> Tensor:
    d = x - x.mean(-1, keepdim=True)
    return d / torch.sqrt((d**2).sum(-1, keepdim=True) + eps)


@both("only the mean is divided")
def precedence(x: Tensor, eps: float = 1e-5) -> Tensor:
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, unbiased=False, keepdim=True)
    return x - mean * (variance + eps) ** -0.5


@both("root taken twice")
def two_roots(x: Tensor, eps: float = 1e-5) -> Tensor:
    return (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.std(-1, keepdim=True, unbiased=False) + eps)


@both("mean not subtracted")
def not_centred(x: Tensor, eps: float = 1e-5) -> Tensor:
    return x / (x.var(-1, keepdim=True, unbiased=False) + eps).sqrt()


both("RMSNorm instead of LayerNorm")(rms)


@both("mean square instead of variance")
def second_moment(x: Tensor, eps: float = 1e-5) -> Tensor:
    return (x - x.mean(-1, keepdim=True)) * torch.rsqrt((x * x).mean(-1, keepdim=True) + eps)


@both("over the sequence")
def sequence(x: Tensor, eps: float = 1e-5) -> Tensor:
    y = x.transpose(-1, -2)
    d = y - y.mean(-1, keepdim=True)
    return (d / (d.square().mean(-1, keepdim=True) + eps).sqrt()).transpose(-1, -2)


@both("over the batch")
def batch_norm(x: Tensor, eps: float = 1e-5) -> Tensor:
    flat = x.reshape(-1, x.shape[-1]) if x.dim() > 1 else x.reshape(1, -1)
    if x.dim() == 1:
        return (x - x.mean()) / torch.sqrt(((x - x.mean()) ** 2).mean() + eps)
    d = flat - flat.mean(0)
    return (d / torch.sqrt((d * d).mean(0) + eps)).reshape(x.shape)


@both("over everything")
def whole(x: Tensor, eps: float = 1e-5) -> Tensor:
    return (x - x.mean()) / torch.sqrt(x.var(unbiased=False) + eps)


@both("over a whole sequence at once")
def per_sequence(x: Tensor, eps: float = 1e-5) -> Tensor:
    if x.dim() < 2:
        raise IndexError("Dimension out of range")
    flat = x.flatten(-2)
    mean = flat.mean(-1)[..., None, None]
    return (x - mean) / torch.sqrt(flat.var(-1, unbiased=False)[..., None, None] + eps)


@both("statistics detached")
def constants(x: Tensor, eps: float = 1e-5) -> Tensor:
    with torch.no_grad():
        mean = x.mean(-1, keepdim=True)
        scale = 1 / (x.var(-1, keepdim=True, unbiased=False) + eps).sqrt()
    return (x - mean) * scale


@both("writes into its input")
def in_place(x: Tensor, eps: float = 1e-5) -> Tensor:
    variance = x.var(-1, keepdim=True, unbiased=False)
    x -= x.mean(-1, keepdim=True)
    return x / (variance + eps).sqrt()


@disguise("normalize", "no keepdim")
def lost_dimension(x: Tensor, eps: float = 1e-5) -> Tensor:
    return (x - torch.mean(x, -1)) / torch.var(x, -1, unbiased=False).add(eps).sqrt()


@disguise("normalize", "another default for eps")
def eps_of_the_annotated_code(x: Tensor, eps: float = 1e-6) -> Tensor:
    return good(x, eps)


@both("over a whole sequence at once")
def all_but_the_batch(x: Tensor, eps: float = 1e-5) -> Tensor:
    flat = x.reshape(len(x), -1)
    return good(flat, eps).reshape(x.shape)


@both("eps as a lower bound")
def through_f_normalize(x: Tensor, eps: float = 1e-5) -> Tensor:
    return F.normalize(x - x.mean(-1, keepdim=True), dim=-1, eps=eps) * x.shape[-1] ** 0.5


# Right, in unusual ways ----------------------------------------------------------------------------


@correct("normalize")
def std_squared(x: Tensor, eps: float = 1e-5) -> Tensor:
    s, m = torch.std_mean(x, dim=-1, keepdim=True, unbiased=False)
    return (x - m) / (s.pow(2) + eps).pow(0.5)


@correct("normalize")
def in_double(x: Tensor, eps: float = 1e-5) -> Tensor:
    y = x.double()
    y = y - y.sum(-1, keepdim=True) / y.size(-1)
    return (y / (y.square().mean(-1, keepdim=True) + eps).sqrt()).to(x.dtype)


@correct("normalize")
def by_differences(x: Tensor, eps: float = 1e-5) -> Tensor:
    """Half the mean squared difference of two features is the variance."""
    gaps = x.unsqueeze(-1) - x.unsqueeze(-2)
    return gaps.mean(-1) / (gaps.square().mean((-1, -2)) / 2 + eps).sqrt().unsqueeze(-1)


@correct("normalize")
def rescaled_sample(x: Tensor, eps: float = 1e-5) -> Tensor:
    n = x.shape[-1]
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) * ((n - 1) / n) + eps).sqrt()


@correct("normalize")
def mapped(x: Tensor, eps: float = 1e-5) -> Tensor:
    def one(token: Tensor) -> Tensor:
        return (token - token.mean()) * (token.var(correction=0) + eps).rsqrt()

    for _ in range(x.dim() - 1):
        one = torch.vmap(one)
    return one(x)


# Wrong in ways that no list holds ----------------------------------------------------------------------------


@unlisted("normalize")
def min_max(x: Tensor, eps: float = 1e-5) -> Tensor:
    low, high = x.amin(-1, keepdim=True), x.amax(-1, keepdim=True)
    return (x - low) / (high - low + eps)


@unlisted("normalize")
def median(x: Tensor, eps: float = 1e-5) -> Tensor:
    centre = x.median(-1, keepdim=True).values
    return (x - centre) / torch.sqrt((x - centre).square().mean(-1, keepdim=True) + eps)


@both("mean distance instead of the root of the variance")
def absolute(x: Tensor, eps: float = 1e-5) -> Tensor:
    d = x - x.mean(-1, keepdim=True)
    return d / (d.abs().mean(-1, keepdim=True) + eps)


@unlisted("normalize")
def distances(x: Tensor, eps: float = 1e-5) -> Tensor:
    return good(x, eps).abs()


@both("nothing is divided")
def centred_only(x: Tensor, eps: float = 1e-5) -> Tensor:
    return x.sub(x.sum(-1, keepdim=True).div(x.size(-1)))


@both("multiplied by the root")
def louder(x: Tensor, eps: float = 1e-5) -> Tensor:
    v, m = torch.var_mean(x, -1, correction=0, keepdim=True)
    return torch.mul(x - m, (v + eps) ** 0.5)


@both("mean divided by n - 1")
def off_centre(x: Tensor, eps: float = 1e-5) -> Tensor:
    n = x.shape[-1]
    d = x - torch.einsum("...d->...", x).unsqueeze(-1) / (n - 1)
    return d * torch.rsqrt((d * d).sum(-1, keepdim=True) / n + eps)


@both("eps squared")
def eps_squared(x: Tensor, eps: float = 1e-5) -> Tensor:
    return good(x, eps**2)


@unlisted("normalize")
def mean_root(x: Tensor, eps: float = 1e-5) -> Tensor:
    d = x - x.mean(-1, keepdim=True)
    return d / (d.abs().sqrt().mean(-1, keepdim=True).square() + eps).sqrt()


@unlisted("normalize")
def numpy_round_trip(x: Tensor, eps: float = 1e-5) -> Any:
    a = x.detach().numpy()
    return (a - a.mean(-1, keepdims=True)) / np.sqrt(a.var(-1, keepdims=True) + eps)


@unlisted("normalize")
def softmaxed(x: Tensor, eps: float = 1e-5) -> Tensor:
    return torch.exp(good(x, eps))


@unlisted("normalize")
def memory_order(x: Tensor, eps: float = 1e-5) -> Tensor:
    return good(x.view(-1, x.shape[-1]), eps).view(x.shape)


@unlisted("normalize")
def quiet_only(x: Tensor, eps: float = 1e-5) -> Tensor:
    return good(x.clamp(-20, 20), eps)
