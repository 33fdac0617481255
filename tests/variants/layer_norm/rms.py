"""RMSNorm."""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import disguise, slips, unlisted
from tests.variants.layer_norm.parts import Base, good, rms

# Slips in right code ----------------------------------------------------------------------------


class Llama(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.variance_epsilon = eps

    def forward(self, hidden_states: Tensor) -> Tensor:
        wide = hidden_states.to(torch.float32)
        variance = wide.pow(2).mean(-1, keepdim=True)
        normed = wide * torch.rsqrt(variance + self.variance_epsilon)
        return self.weight * normed.to(hidden_states.dtype)


LLAMA_ROOT = "* torch.rsqrt(variance + self.variance_epsilon)"

slips(
    "RMSNorm",
    Llama,
    {
        "another default for eps": [
            {"eps: float = 1e-6": f"eps: float = {other}"} for other in ("1e-5", "1e-8", "1e-12")
        ],
        "LayerNorm instead of RMSNorm": {
            "wide = ": "hidden_states = hidden_states - hidden_states.mean(-1, keepdim=True)\n        wide = "
        },
        "variance instead of mean square": [
            {"wide.pow(2).mean(-1, keepdim=True)": "wide.var(-1, keepdim=True, unbiased=False)"},
            {"wide.pow(2).mean(-1, keepdim=True)": "wide.var(-1, keepdim=True)"},
        ],
        "mean of absolute values": {"wide.pow(2)": "wide.abs()", LLAMA_ROOT: "/ (variance + self.variance_epsilon)"},
        "multiplied by the root": {"rsqrt": "sqrt"},
        "eps added at the end": {
            " + self.variance_epsilon": "",
            "hidden_states.dtype)": "hidden_states.dtype) + self.variance_epsilon",
        },
        "weight added": {"self.weight * normed": "self.weight + normed"},
        "mean subtracted": {"normed = wide *": "normed = (wide - wide.mean(-1, keepdim=True)) *"},
        "sum of squares": {".mean(-1": ".sum(-1"},
        "eps outside the root": {LLAMA_ROOT: "/ (variance.sqrt() + self.variance_epsilon)"},
        "no eps": {" + self.variance_epsilon": ""},
        "eps as a lower bound": {"variance + self.variance_epsilon": "variance.clamp(min=self.variance_epsilon)"},
        "no root": {LLAMA_ROOT: "/ (variance + self.variance_epsilon)"},
        "square of the mean": {"wide.pow(2).mean(-1, keepdim=True)": "wide.mean(-1, keepdim=True).pow(2)"},
        "weight missing": [
            {"self.weight * normed": "normed"},
            {"self.weight * normed": "normed", "self.weight = nn.Parameter(torch.ones(d_model))": "pass"},
        ],
        "weight before normalizing": {
            "hidden_states.to(torch.float32)": "self.weight * hidden_states.to(torch.float32)",
            "self.weight * normed": "normed",
        },
        "over the sequence": [{".mean(-1": ".mean(-2"}, {".mean(-1": ".mean(1"}],
        "over the batch": {".mean(-1": ".mean(0"},
        "over everything": {".mean(-1, keepdim=True)": ".mean()"},
        "over a whole sequence at once": {".mean(-1": ".mean((-1, -2)"},
        "no keepdim": {".mean(-1, keepdim=True)": ".mean(-1)"},
        "statistics detached": {"wide.pow(2)": "wide.detach().pow(2)"},
        "writes into its input": {
            "normed = wide *": "normed = wide.mul_(",
            "epsilon)\n": "epsilon))\n",
            " torch.rsqrt": "torch.rsqrt",
        },
        "eps fixed": {"self.variance_epsilon = eps": "self.variance_epsilon = 1e-6"},
        "a bias too many": {
            " = eps": " = eps\n        self.bias = nn.Parameter(torch.zeros(d_model))",
            "hidden_states.dtype)": "hidden_states.dtype) + self.bias",
        },
        "weight of shape (1,)": {"torch.ones(d_model)": "torch.ones(1)"},
        "weight counted from 1": [
            {
                "torch.ones(d_model)": "torch.zeros(d_model)",
                "self.weight * normed": "(1 + self.weight) * normed",
            },
            {"self.weight * normed": "(1 + self.weight) * normed"},
        ],
        "wrong start": {"torch.ones(d_model)": "torch.zeros(d_model)"},
        "no eps + over the batch": {".mean(-1": ".mean(0", " + self.variance_epsilon": ""},
    },
)


class ByNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps, self.root = eps, d_model**0.5
        self.weight = nn.Parameter(torch.full((d_model,), 1.0))

    def forward(self, x: Tensor) -> Tensor:
        rms = torch.linalg.vector_norm(x, dim=-1, keepdim=True) / self.root
        return x / torch.hypot(rms, torch.tensor(self.eps**0.5)) * self.weight


HYPOTENUSE = "torch.hypot(rms, torch.tensor(self.eps**0.5))"

slips(
    "RMSNorm",
    ByNorm,
    {
        "another default for eps": {"eps: float = 1e-6": "eps: float = 1e-5"},
        "LayerNorm instead of RMSNorm": {"rms = torch": "x = x - x.mean(-1, keepdim=True)\n        rms = torch"},
        "variance instead of mean square": {"vector_norm(x,": "vector_norm(x - x.mean(-1, True),"},
        "mean subtracted": {"return x /": "return (x - x.mean(-1, True)) /"},
        "sum of squares": [{" / self.root": ""}, {" / self.root": "", HYPOTENUSE: "rms"}],
        "multiplied by the root": {"x / torch.hypot": "x * torch.hypot"},
        "divided by the weight": {f"{HYPOTENUSE} * self.weight": f"({HYPOTENUSE} * self.weight)"},
        "weight added": {"* self.weight": "+ self.weight"},
        "mean square over n - 1": {"d_model**0.5": "(d_model - 1) ** 0.5"},
        "eps outside the root": {HYPOTENUSE: "(rms + self.eps)"},
        "no eps": {HYPOTENUSE: "rms"},
        "eps as a lower bound": [
            {HYPOTENUSE: "rms.clamp(min=self.eps)"},
            {HYPOTENUSE: "torch.maximum(rms, torch.tensor(self.eps**0.5))"},
        ],
        "no root": {HYPOTENUSE: "(rms**2 + self.eps)"},
        "weight missing": {" * self.weight": ""},
        "weight before normalizing": {"rms = torch": "x = x * self.weight\n        rms = torch", " * self.weight": ""},
        "over the sequence": {"dim=-1": "dim=1", "self.root\n": "x.size(1) ** 0.5\n"},
        "over the batch": {"dim=-1": "dim=0", "self.root\n": "len(x) ** 0.5\n"},
        "over a whole sequence at once": {
            "dim=-1": "dim=(-1, -2)",
            "self.root\n": "(x.size(-1) * x.size(-2)) ** 0.5\n",
        },
        "over everything": {"(x, dim=-1, keepdim=True) / self.root": "(x) / x.numel() ** 0.5"},
        "no keepdim": {"dim=-1, keepdim=True": "dim=-1"},
        "statistics detached": {"vector_norm(x,": "vector_norm(x.data,"},
        "writes into its input": {"return x / torch": "return x.div_(torch", "0.5)) *": "0.5))) *"},
        "eps fixed": {"self.eps**0.5": "1e-6**0.5"},
        "a bias too many": {
            "self.eps, self.root": "self.bias, self.eps, self.root",
            "= eps, d_model": "= nn.Parameter(torch.zeros(d_model)), eps, d_model",
            "* self.weight": "* self.weight + self.bias",
        },
        "weight of shape (1,)": {"(d_model,), 1.0": "(1,), 1.0"},
        "weight counted from 1": {"(d_model,), 1.0": "(d_model,), 0.0", "* self.weight": "* (self.weight + 1)"},
        "wrong start": {"(d_model,), 1.0": "(d_model,), 0.0"},
    },
)


class OneTable(nn.Module):
    """All tokens as the rows of one table."""

    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(d_model) + 1)
        self.register_buffer("eps", torch.tensor(eps), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        table = x.reshape(-1, x.shape[-1])
        power = (table * table).sum(1) / table.size(1)
        table = table / (power[:, None] + self.eps).sqrt()
        return (table * self.weight).view(x.shape)


POWER = "(table * table).sum(1) / table.size(1)"

slips(
    "RMSNorm",
    OneTable,
    {
        "another default for eps": {"eps: float = 1e-6": "eps: float = 1e-12"},
        "LayerNorm instead of RMSNorm": {"power =": "table = table - table.mean(1, True)\n        power ="},
        "variance instead of mean square": {POWER: "table.var(1, correction=0)"},
        "mean subtracted": {"= table / (": "= (table - table.mean(1, True)) / ("},
        "sum of squares": {" / table.size(1)": ""},
        "mean square over n - 1": {" / table.size(1)": " / (table.size(1) - 1)"},
        "mean of absolute values": [
            {"(table * table)": "table.abs()"},
            {"(table * table)": "table.abs()", ".sqrt()": ""},
        ],
        "weight added": {"(table * self.weight)": "(table + self.weight)"},
        "divided by the weight": {"(table * self.weight)": "(table / self.weight)"},
        "eps added at the end": {
            "(power[:, None] + self.eps)": "power[:, None]",
            "(table * self.weight)": "(table * self.weight + self.eps)",
        },
        "eps outside the root": {"(power[:, None] + self.eps).sqrt()": "(power[:, None].sqrt() + self.eps)"},
        "no eps": {"(power[:, None] + self.eps)": "power[:, None]"},
        "eps as a lower bound": {"(power[:, None] + self.eps)": "torch.maximum(power[:, None], self.eps)"},
        "no root": {".sqrt()": ""},
        "square of the mean": {POWER: "table.mean(1) ** 2"},
        "weight missing": {"(table * self.weight)": "table"},
        "weight before normalizing": {
            "power =": "table = table * self.weight\n        power =",
            "(table * self.weight)": "table",
        },
        "over the batch": {"sum(1) / table.size(1)": "sum(0) / len(table)", "power[:, None]": "power"},
        "over everything": {"sum(1) / table.size(1)": "sum() / x.numel()", "power[:, None]": "power"},
        "no keepdim": {"power[:, None]": "power"},
        "statistics detached": {"power[:, None]": "power[:, None].detach()"},
        "writes into its input": {"table = table /": "table /="},
        "eps fixed": {"torch.tensor(eps)": "torch.tensor(1e-6)"},
        "a bias too many": {
            "self.register": "self.bias = nn.Parameter(torch.zeros(d_model))\n        self.register",
            "self.weight).view": "self.weight + self.bias).view",
        },
        "weight of shape (1,)": {"torch.zeros(d_model)": "torch.zeros(1)"},
        "weight counted from 1": {
            "torch.zeros(d_model) + 1": "torch.zeros(d_model)",
            "table * self.weight": "table + table * self.weight",
        },
        "wrong start": {"torch.zeros(d_model) + 1": "torch.zeros(d_model)"},
    },
)


class ByEinsum(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.register_parameter("weight", nn.Parameter(torch.ones(d_model)))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        square = torch.einsum("...d,...d->...", x, x) / x.size(-1)
        return torch.einsum("...d,...,d->...d", x, (square + self.eps) ** -0.5, self.weight)


slips(
    "RMSNorm",
    ByEinsum,
    {
        "another default for eps": {"eps: float = 1e-6": "eps: float = 1e-8"},
        "LayerNorm instead of RMSNorm": {"square = torch": "x = x - x.mean(-1, True)\n        square = torch"},
        "mean subtracted": {'->...d", x,': '->...d", x - x.mean(-1, True),'},
        "sum of squares": {" / x.size(-1)": ""},
        "eps outside the root": {"(square + self.eps) ** -0.5": "1 / (square.sqrt() + self.eps)"},
        "no eps": {"(square + self.eps)": "square"},
        "eps as a lower bound": {"(square + self.eps) ** -0.5": "1 / square.sqrt().clamp(min=self.eps)"},
        "no root": {"** -0.5": "** -1"},
        "square of the mean": {'torch.einsum("...d,...d->...", x, x) / x.size(-1)': "(x.sum(-1) / x.size(-1)) ** 2"},
        "weight missing": {'"...d,...,d->...d"': '"...d,...->...d"', ", self.weight)": ")"},
        "weight before normalizing": {"x, x)": "self.weight * x, self.weight * x)"},
        "over the batch": {
            '"...d,...d->..."': '"...d,...d->d"',
            "x.size(-1)": "(x.numel() / x.size(-1))",
            '"...d,...,d->...d"': '"...d,d,d->...d"',
        },
        "over everything": {'"...d,...d->..."': '"...d,...d->"', "x.size(-1)": "x.numel()"},
        "statistics detached": {"x, x) /": "x, x).detach() /"},
        "eps fixed": {"square + self.eps": "square + 1e-6"},
        "weight of shape (1,)": {"torch.ones(d_model)": "torch.ones(1)"},
        "weight counted from 1": {
            "torch.ones(d_model)": "torch.zeros(d_model)",
            ", self.weight)": ", 1 + self.weight)",
        },
        "wrong start": {"torch.ones(d_model)": "torch.zeros(d_model)"},
    },
)


# Wrong on purpose, written in full ----------------------------------------------------------------------------


class RmsBase(nn.Module):
    """The constructor that the notebook gives."""

    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))


def rms_disguise(mistake: str) -> Any:
    """A disguise of RMSNorm from a function of (x, weight, eps)."""

    def add(core: Any) -> Any:
        class Layer(RmsBase):
            def forward(self, x: Tensor) -> Tensor:
                return core(x, self.weight, self.eps)

        disguise("RMSNorm", mistake)(Layer)
        return core

    return add


@rms_disguise("LayerNorm instead of RMSNorm")
def layer_norm_without_bias(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return good(x, eps) * w


@rms_disguise("variance instead of mean square")
def by_variance(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return w * x * (x.var(-1, keepdim=True, unbiased=False) + eps).rsqrt()


@rms_disguise("variance instead of mean square")
def by_std(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return w * (x / (x.std(-1, keepdim=True) + eps))


@rms_disguise("LayerNorm instead of RMSNorm")
def centred_by_hand(x: Tensor, w: Tensor, eps: float) -> Tensor:
    y = x - x.mean(-1, keepdim=True)
    return w * y / torch.sqrt(y.square().sum(-1, keepdim=True) / (x.size(-1) - 1) + eps)


@rms_disguise("mean square over n - 1")
def one_too_few(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return w * x * ((x * x).sum(-1, keepdim=True) / (x.shape[-1] - 1) + eps) ** -0.5


@rms_disguise("mean of absolute values")
def mean_size(x: Tensor, w: Tensor, eps: float) -> Tensor:
    size = torch.linalg.vector_norm(x, 1, dim=-1, keepdim=True) / len(w)
    return w * (x / (size + eps))


@rms_disguise("eps added at the end")
def eps_behind_the_quotient(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return (w * x * x.pow(2).mean(-1, keepdim=True).rsqrt()).add(eps)


@rms_disguise("multiplied by the root")
def times_rms(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() * w * x


@rms_disguise("weight added")
def shifted_by_the_weight(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return rms(x, eps).add(w)


@rms_disguise("divided by the weight")
def all_under_the_bar(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return x / (torch.sqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w)


@rms_disguise("sum of squares")
def by_length(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return F.normalize(x, dim=-1) * w


@rms_disguise("mean subtracted")
def centred_above(x: Tensor, w: Tensor, eps: float) -> Tensor:
    scale = x.pow(2).mean(-1, keepdim=True).add(eps).rsqrt()
    return (x - x.mean(-1, keepdim=True)) * scale * w


@rms_disguise("sum of squares")
def by_sum_of_squares(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return w * x / ((x**2).sum(-1, keepdim=True) + eps) ** 0.5


@rms_disguise("eps outside the root")
def eps_added_to_the_root(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return w * x / (x.norm(dim=-1, keepdim=True) / math.sqrt(x.shape[-1]) + eps)


@rms_disguise("no eps")
def without_eps(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return x.mul(w).div(x.pow(2).mean(-1, keepdim=True).sqrt())


@rms_disguise("no root")
def by_mean_square(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return x * w / ((x * x).sum(-1, keepdim=True) / x.shape[-1] + eps)


@rms_disguise("square of the mean")
def rms_mean_squared(x: Tensor, w: Tensor, eps: float) -> Tensor:
    m = x.mean(-1, keepdim=True)
    return w * x / (m * m + eps) ** 0.5


@rms_disguise("weight before normalizing")
def weighted_first(x: Tensor, w: Tensor, eps: float) -> Tensor:
    y = x * w
    return y / torch.sqrt(torch.mean(y * y, -1, keepdim=True) + eps)


@rms_disguise("over the sequence")
def turned(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return w * rms(x.transpose(-1, -2), eps).transpose(-1, -2)


@rms_disguise("over everything")
def one_for_everything(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return w * x / ((x**2).sum() / x.numel() + eps).sqrt()


@rms_disguise("statistics detached")
def constant_scale(x: Tensor, w: Tensor, eps: float) -> Tensor:
    with torch.no_grad():
        scale = x.pow(2).mean(-1, keepdim=True).add(eps).rsqrt()
    return w * (x * scale)


@rms_disguise("writes into its input")
def divided_in_place(x: Tensor, w: Tensor, eps: float) -> Tensor:
    scale = x.pow(2).mean(-1, keepdim=True).add(eps).sqrt()
    x /= scale
    return x * w


@rms_disguise("no keepdim")
def rms_lost_dimension(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return x * w / torch.sqrt((x**2).mean(-1) + eps)


@disguise("RMSNorm", "another default for eps")
class EpsOfLayerNorm(RmsBase):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__(d_model, eps)

    def forward(self, x: Tensor) -> Tensor:
        return rms(x, self.eps) * self.weight


@rms_disguise("over the batch")
def rms_batch(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return w * x / torch.sqrt((x * x).reshape(-1, x.shape[-1]).mean(0) + eps)


@rms_disguise("over a whole sequence at once")
def rms_plane(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return w * x * (x.flatten(-2).pow(2).mean(-1)[..., None, None] + eps).rsqrt()


@rms_disguise("eps fixed")
def rms_fixed(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return w * rms(x, 1e-6)


@disguise("RMSNorm", "a bias too many")
class Biased(Base):
    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__(d_model, eps)

    def forward(self, x: Tensor) -> Tensor:
        return self.bias + rms(x, self.eps) * self.weight


@disguise("RMSNorm", "weight of shape (1,)")
class OneScale(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps, self.weight = eps, nn.Parameter(torch.tensor([1.0]))

    def forward(self, x: Tensor) -> Tensor:
        return rms(x, self.eps) * self.weight


@disguise("RMSNorm", "weight missing")
class Bare(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        return rms(x, self.eps)


class FromZero(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps, self.weight = eps, nn.Parameter(torch.zeros(d_model))


@disguise("RMSNorm", "weight counted from 1")
class Gemma(FromZero):
    def forward(self, x: Tensor) -> Tensor:
        normed = rms(x, self.eps)
        return normed + normed * self.weight


@disguise("RMSNorm", "wrong start")
class Silent(FromZero):
    def forward(self, x: Tensor) -> Tensor:
        return rms(x, self.eps) * self.weight


@disguise("RMSNorm", "eps as a lower bound")
class RmsThroughNormalize(RmsBase):
    def forward(self, x: Tensor) -> Tensor:
        return F.normalize(x, dim=-1, eps=self.eps) * x.shape[-1] ** 0.5 * self.weight


# Wrong in ways that no list holds ----------------------------------------------------------------------------


@unlisted("RMSNorm")
class Largest(RmsBase):
    def forward(self, x: Tensor) -> Tensor:
        return self.weight * x / (x.abs().amax(-1, keepdim=True) + self.eps)


@unlisted("RMSNorm")
class TrainingOnly(RmsBase):
    def forward(self, x: Tensor) -> Tensor:
        return rms(x, self.eps) * self.weight if self.training else rms(x, self.eps)


@unlisted("RMSNorm")
class HalfPrecision(RmsBase):
    def forward(self, x: Tensor) -> Tensor:
        return (rms(x.bfloat16(), self.eps) * self.weight).to(x.dtype)
