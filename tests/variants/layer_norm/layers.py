"""LayerNorm: what is not in `normalize` already."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import correct, disguise, slips, unlisted
from tests.variants.layer_norm.parts import Base, good

# Slips in right code ----------------------------------------------------------------------------


class Folded(nn.Module):
    """Scale and shift folded into one product and one sum."""

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        variance, mean = torch.var_mean(x, -1, keepdim=True, correction=0)
        scale = self.weight / torch.sqrt(variance + self.eps)
        return x * scale + (self.bias - mean * scale)


NUMBERS = {"torch.ones(d_model)": "torch.ones(1)", "torch.zeros(d_model)": "torch.zeros(1)"}


PLAIN = {
    "nn.Parameter(torch.ones(d_model))": "torch.ones(d_model)",
    "nn.Parameter(torch.zeros(d_model))": "torch.zeros(d_model)",
}

slips(
    "LayerNorm",
    Folded,
    {
        "variance over n - 1": {", correction=0": ""},
        "no eps": {" + self.eps": ""},
        "eps fixed": {"+ self.eps": "+ 1e-5"},
        "another default for eps": [
            {"eps: float = 1e-5": "eps: float = 1e-6"},
            {"eps: float = 1e-5": "eps: float = 1e-12"},
        ],
        "mean not subtracted": {"(self.bias - mean * scale)": "self.bias"},
        "weight missing": [
            {"self.weight /": "1 /"},
            {"self.weight /": "1 /", "self.weight = nn.Parameter(torch.ones(d_model))": "pass"},
        ],
        "bias missing": [
            {"+ (self.bias - mean * scale)": "- mean * scale"},
            {
                "+ (self.bias - mean * scale)": "- mean * scale",
                "self.bias = nn.Parameter(torch.zeros(d_model))": "pass",
            },
        ],
        "weight and bias swapped": {"self.weight /": "self.bias /", "(self.bias -": "(self.weight -"},
        "bias scaled by the weight": {"(self.bias -": "(self.bias * self.weight -"},
        "weight of shape (1,)": [NUMBERS, {"torch.ones(d_model)": "torch.ones(1)"}],
        "weight and bias are no parameters": PLAIN,
        "wrong start": [
            {"torch.ones(d_model)": "torch.zeros(d_model)"},
            {"torch.zeros(d_model)": "torch.ones(d_model)"},
        ],
        "over the sequence": {"x, -1,": "x, 1,"},
        "statistics detached": {"torch.var_mean(x,": "torch.var_mean(x.data,"},
    },
)


class WithReset(nn.Module):
    """Parameters made empty and filled by a method, as in torch."""

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.register_buffer("eps", torch.tensor(eps))
        self.weight, self.bias = nn.Parameter(torch.empty(d_model)), nn.Parameter(torch.empty(d_model))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.ones_(self.weight)
        nn.init.zeros_(self.bias)

    def forward(self, x: Tensor) -> Tensor:
        return torch.addcmul(self.bias, self.weight, good(x, self.eps))


SCALED_AND_SHIFTED = "torch.addcmul(self.bias, self.weight, good(x, self.eps))"


EMPTY = "nn.Parameter(torch.empty(d_model)), nn.Parameter(torch.empty(d_model))"

slips(
    "LayerNorm",
    WithReset,
    {
        "eps fixed": [{"good(x, self.eps)": "good(x)"}, {"torch.tensor(eps)": "torch.tensor(1e-5)"}],
        "another default for eps": {"eps: float = 1e-5": "eps: float = 1e-8"},
        "weight missing": {SCALED_AND_SHIFTED: "torch.add(self.bias, good(x, self.eps))"},
        "bias missing": {SCALED_AND_SHIFTED: "torch.mul(self.weight, good(x, self.eps))"},
        "weight and bias swapped": {"self.bias, self.weight, good": "self.weight, self.bias, good"},
        "weight and bias before normalizing": [
            {SCALED_AND_SHIFTED: "good(torch.addcmul(self.bias, self.weight, x), self.eps)"},
            {"self.weight, good(x, self.eps)": "torch.ones(()), good(x * self.weight, self.eps)"},
        ],
        "bias scaled by the weight": {SCALED_AND_SHIFTED: "torch.mul(self.weight, self.bias + good(x, self.eps))"},
        "weight of shape (1,)": {EMPTY: "nn.Parameter(torch.empty(1)), nn.Parameter(torch.empty(1))"},
        "weight and bias are no parameters": {EMPTY: "torch.empty(d_model), torch.empty(d_model)"},
        "wrong start": [{"nn.init.ones_": "nn.init.zeros_"}, {"nn.init.zeros_": "nn.init.ones_"}],
    },
)


class ByMatrix(nn.Module):
    """The weight as a diagonal matrix, the bias as that of a linear map."""

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        one, none = torch.full([d_model], 1.0), torch.full([d_model], 0.0)
        self.eps = eps
        self.weight, self.bias = nn.Parameter(one), nn.Parameter(none)

    def forward(self, x: Tensor) -> Tensor:
        n = x.shape[-1]
        d = x @ (torch.eye(n) - 1 / n)
        normed = d * (d.square().mean(-1, keepdim=True) + self.eps).rsqrt()
        return F.linear(normed, self.weight.diag(), self.bias)


slips(
    "LayerNorm",
    ByMatrix,
    {
        "variance over n - 1": {"d.square().mean(-1, keepdim=True)": "d.square().sum(-1, keepdim=True) / (n - 1)"},
        "no eps": {" + self.eps": ""},
        "eps fixed": {" + self.eps": " + 1e-5"},
        "another default for eps": {"eps: float = 1e-5": "eps: float = 1e-6"},
        "no root": {".rsqrt()": ".reciprocal()"},
        "sum of squares": {".mean(-1": ".sum(-1"},
        "RMSNorm instead of LayerNorm": {"d = x @ (torch.eye(n) - 1 / n)": "d = x"},
        "weight missing": {"F.linear(normed, self.weight.diag(), self.bias)": "normed + self.bias"},
        "bias missing": {"self.weight.diag(), self.bias)": "self.weight.diag())"},
        "weight and bias swapped": {"self.weight.diag(), self.bias)": "self.bias.diag(), self.weight)"},
        "weight and bias before normalizing": {
            "d = x @": "x = F.linear(x, self.weight.diag(), self.bias)\n        d = x @",
            "F.linear(normed, self.weight.diag(), self.bias)": "normed",
        },
        "bias scaled by the weight": {
            "F.linear(normed, self.weight.diag(), self.bias)": "(normed + self.bias) @ self.weight.diag()"
        },
        "weight and bias are no parameters": {"nn.Parameter(one), nn.Parameter(none)": "one, none"},
        "wrong start": [
            {"d_model], 1.0": "d_model], 0.0"},
            {"nn.Parameter(one), nn.Parameter(none)": "nn.Parameter(none), nn.Parameter(none.clone())"},
            {"d_model], 0.0": "d_model], 1.0"},
        ],
        "statistics detached": {"d.square()": "d.detach().square()"},
    },
)


# Wrong on purpose, written in full ----------------------------------------------------------------------------


@disguise("LayerNorm", "eps fixed")
class FixedEps(Base):
    def forward(self, x: Tensor) -> Tensor:
        return torch.addcmul(self.bias, self.weight, good(x))


@disguise("LayerNorm", "nothing is normalized")
class ScaledAndShifted(Base):
    def forward(self, x: Tensor) -> Tensor:
        return torch.addcmul(self.bias, x, self.weight)


@disguise("LayerNorm", "weight missing")
class NeverAWeight(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.e = eps
        self.register_parameter("bias", nn.Parameter(torch.zeros(d_model)))

    def forward(self, x: Tensor) -> Tensor:
        return self.bias + good(x, self.e)


@disguise("LayerNorm", "bias missing")
class NoBias(Base):
    def forward(self, x: Tensor) -> Tensor:
        return torch.mul(good(x, self.eps), self.weight)


@disguise("LayerNorm", "weight and bias swapped")
class Swapped(Base):
    def forward(self, x: Tensor) -> Tensor:
        return torch.addcmul(self.weight, self.bias, good(x, self.eps))


@disguise("LayerNorm", "weight and bias before normalizing")
class Before(Base):
    def forward(self, x: Tensor) -> Tensor:
        x = x * self.weight
        x = x + self.bias
        return good(x, self.eps)


@disguise("LayerNorm", "bias scaled by the weight")
class Brackets(Base):
    def forward(self, x: Tensor) -> Tensor:
        y = good(x, self.eps)
        y = y + self.bias
        return y * self.weight


@disguise("LayerNorm", "weight of shape (1,)")
class OneNumber(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.tensor([1.0]))
        self.bias = nn.Parameter(torch.tensor([0.0]))

    def forward(self, x: Tensor) -> Tensor:
        return self.weight * good(x, self.eps) + self.bias


@disguise("LayerNorm", "residual connection inside")
class Carried(Base):
    def forward(self, x: Tensor) -> Tensor:
        return torch.addcmul(x, good(x, self.eps), self.weight) + self.bias


@disguise("LayerNorm", "1 added to the weight")
class FromZero(Base):
    def forward(self, x: Tensor) -> Tensor:
        y = good(x, self.eps)
        return y + y * self.weight + self.bias


@disguise("LayerNorm", "bias subtracted")
class Downwards(Base):
    def forward(self, x: Tensor) -> Tensor:
        return torch.sub(good(x, self.eps) * self.weight, self.bias)


@disguise("LayerNorm", "normalized twice")
class OnceMore(Base):
    def forward(self, x: Tensor) -> Tensor:
        for _ in range(2):
            x = good(x, self.eps)
        return self.bias + self.weight * x


@disguise("LayerNorm", "no keepdim")
class LostDimension(Base):
    def forward(self, x: Tensor) -> Tensor:
        d = x - x.mean(-1, True)
        return self.weight * d / (d.square().mean(-1) + self.eps).sqrt() + self.bias


@disguise("LayerNorm", "another default for eps")
class EpsOfBert(Base):
    def __init__(self, d_model: int, eps: float = 1e-12) -> None:
        super().__init__(d_model, eps)

    def forward(self, x: Tensor) -> Tensor:
        return good(x, self.eps) * self.weight + self.bias


@disguise("LayerNorm", "wrong start")
class Shifting(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight, self.bias = (nn.Parameter(torch.ones(d_model)) for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        return torch.addcmul(self.bias, self.weight, good(x, self.eps))


@disguise("LayerNorm", "weight and bias are no parameters")
class Buffers(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.register_buffer("weight", torch.ones(d_model))
        self.register_buffer("bias", torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        return self.weight * good(x, self.eps) + self.bias


# Right, in unusual ways ----------------------------------------------------------------------------


@correct("LayerNorm")
class Lambda(Base):
    def __call__(self, x: Tensor) -> Tensor:
        return self.weight * good(x, self.eps) + self.bias


# Wrong in ways that no list holds ----------------------------------------------------------------------------


@unlisted("LayerNorm")
class Tanh(Base):
    def forward(self, x: Tensor) -> Tensor:
        return self.weight * torch.tanh(x) + self.bias


@unlisted("LayerNorm")
class ExtraParameter(Base):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__(d_model, eps)
        self.scale = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor) -> Tensor:
        return self.weight * good(x, self.eps) * self.scale + self.bias


@unlisted("LayerNorm")
class Clamped(Base):
    def forward(self, x: Tensor) -> Tensor:
        return (self.weight * good(x, self.eps) + self.bias).clamp(-1, 1)


@unlisted("LayerNorm")
class Forgetful(Base):
    """In evaluation it leaves weight and bias out."""

    def forward(self, x: Tensor) -> Tensor:
        return good(x, self.eps) * self.weight + self.bias if self.training else good(x, self.eps)


@unlisted("LayerNorm")
class FirstStatistics(Base):
    """Keeps the statistics of the first input it ever saw."""

    def forward(self, x: Tensor) -> Tensor:
        if not hasattr(self, "statistics"):
            self.statistics = torch.var_mean(x, -1, keepdim=True, correction=0)
        variance, mean = self.statistics
        return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
