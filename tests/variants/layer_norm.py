"""Lesson 01."""

import math
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import correct, disguise, unlisted


class Base(nn.Module):
    """The constructor that the notebook gives."""

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))


def layer(core: Any) -> type:
    """A LayerNorm whose forward is weight · core(x, eps) + bias."""

    class Layer(Base):
        def forward(self, x: Tensor) -> Tensor:
            return core(x, self.eps) * self.weight + self.bias

    return Layer


def both(mistake: str) -> Any:
    """A disguise of `normalize` and, with weight and bias around it, of `LayerNorm`."""

    def add(core: Any) -> Any:
        disguise("normalize", mistake)(core)
        disguise("LayerNorm", mistake)(layer(core))
        return core

    return add


# Wrong on purpose, written without the reference's structure ---------------------------------------------------


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


@disguise("LayerNorm", "eps fixed")
class FixedEps(Base):
    def forward(self, x: Tensor) -> Tensor:
        return torch.addcmul(self.bias, self.weight, fixed_eps(x))


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


@both("root taken twice")
def two_roots_of_a_sample(x: Tensor, eps: float = 1e-5) -> Tensor:
    return (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.std(-1, keepdim=True) + eps)


@both("mean not subtracted")
def not_centred(x: Tensor, eps: float = 1e-5) -> Tensor:
    return x / (x.var(-1, keepdim=True, unbiased=False) + eps).sqrt()


@both("RMSNorm instead of LayerNorm")
def rms(x: Tensor, eps: float = 1e-5) -> Tensor:
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + eps)


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


def good(x: Tensor, eps: float = 1e-5) -> Tensor:
    d = x - x.mean(-1, keepdim=True)
    return d / torch.sqrt((d * d).mean(-1, keepdim=True) + eps)


@disguise("LayerNorm", "weight missing")
class NoWeight(Base):
    def forward(self, x: Tensor) -> Tensor:
        return good(x, self.eps).add(self.bias)


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


@disguise("LayerNorm", "weight and bias are no parameters")
class Plain(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps, self.weight, self.bias = eps, torch.ones(d_model), torch.zeros(d_model)

    def forward(self, x: Tensor) -> Tensor:
        return good(x, self.eps) * self.weight + self.bias


@disguise("LayerNorm", "wrong start")
class ZeroStart(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.full((d_model,), 0.0))
        self.bias = nn.Parameter(torch.full((d_model,), 0.0))

    def forward(self, x: Tensor) -> Tensor:
        return good(x, self.eps) * self.weight + self.bias


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
def rms_1(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return good(x, eps) * w


@rms_disguise("variance instead of mean square")
def rms_2(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return w * x * (x.var(-1, keepdim=True, unbiased=False) + eps).rsqrt()


@rms_disguise("mean subtracted")
def rms_3(x: Tensor, w: Tensor, eps: float) -> Tensor:
    scale = x.pow(2).mean(-1, keepdim=True).add(eps).rsqrt()
    return (x - x.mean(-1, keepdim=True)) * scale * w


@rms_disguise("sum of squares")
def rms_4(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return w * x / ((x**2).sum(-1, keepdim=True) + eps) ** 0.5


@rms_disguise("eps outside the root")
def rms_5(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return w * x / (x.norm(dim=-1, keepdim=True) / math.sqrt(x.shape[-1]) + eps)


@rms_disguise("no eps")
def rms_6(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return x.mul(w).div(x.pow(2).mean(-1, keepdim=True).sqrt())


@rms_disguise("no root")
def rms_7(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return x * w / ((x * x).sum(-1, keepdim=True) / x.shape[-1] + eps)


@rms_disguise("square of the mean")
def rms_mean_squared(x: Tensor, w: Tensor, eps: float) -> Tensor:
    m = x.mean(-1, keepdim=True)
    return w * x / (m * m + eps) ** 0.5


@rms_disguise("weight missing")
def rms_8(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return rms(x, eps)


@rms_disguise("weight before normalizing")
def rms_9(x: Tensor, w: Tensor, eps: float) -> Tensor:
    y = x * w
    return y / torch.sqrt(torch.mean(y * y, -1, keepdim=True) + eps)


@rms_disguise("over the sequence")
def rms_10(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return w * rms(x.transpose(-1, -2), eps).transpose(-1, -2)


@rms_disguise("over everything")
def rms_11(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return w * x / ((x**2).sum() / x.numel() + eps).sqrt()


@rms_disguise("statistics detached")
def rms_12(x: Tensor, w: Tensor, eps: float) -> Tensor:
    with torch.no_grad():
        scale = x.pow(2).mean(-1, keepdim=True).add(eps).rsqrt()
    return w * (x * scale)


@rms_disguise("writes into its input")
def rms_13(x: Tensor, w: Tensor, eps: float) -> Tensor:
    scale = x.pow(2).mean(-1, keepdim=True).add(eps).sqrt()
    x /= scale
    return x * w


@disguise("normalize", "no keepdim")
def lost_dimension(x: Tensor, eps: float = 1e-5) -> Tensor:
    return (x - torch.mean(x, -1)) / torch.var(x, -1, unbiased=False).add(eps).sqrt()


@disguise("LayerNorm", "no keepdim")
class LostDimension(Base):
    def forward(self, x: Tensor) -> Tensor:
        d = x - x.mean(-1, True)
        return self.weight * d / (d.square().mean(-1) + self.eps).sqrt() + self.bias


@rms_disguise("no keepdim")
def rms_lost_dimension(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return x * w / torch.sqrt((x**2).mean(-1) + eps)


@disguise("normalize", "another default for eps")
def eps_of_the_annotated_code(x: Tensor, eps: float = 1e-6) -> Tensor:
    return good(x, eps)


@disguise("LayerNorm", "another default for eps")
class EpsOfBert(Base):
    def __init__(self, d_model: int, eps: float = 1e-12) -> None:
        super().__init__(d_model, eps)

    def forward(self, x: Tensor) -> Tensor:
        return good(x, self.eps) * self.weight + self.bias


@disguise("RMSNorm", "another default for eps")
class EpsOfLayerNorm(RmsBase):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__(d_model, eps)

    def forward(self, x: Tensor) -> Tensor:
        return rms(x, self.eps) * self.weight


@both("over a whole sequence at once")
def all_but_the_batch(x: Tensor, eps: float = 1e-5) -> Tensor:
    flat = x.reshape(len(x), -1)
    return good(flat, eps).reshape(x.shape)


@both("variance over n - 1 + over the batch")
def batch_norm_of_a_sample(x: Tensor, eps: float = 1e-5) -> Tensor:
    return (x - x.mean(0)) / torch.sqrt(x.var(0) + eps)


@both("variance over n - 1 + over everything")
def one_sample(x: Tensor, eps: float = 1e-5) -> Tensor:
    return (x - x.mean()) / torch.sqrt(x.var() + eps)


@both("std + eps + over everything")
def one_std(x: Tensor, eps: float = 1e-5) -> Tensor:
    return (x - x.mean()) / (x.std() + eps)


@both("std + eps + statistics detached")
def annotated_without_gradient(x: Tensor, eps: float = 1e-5) -> Tensor:
    std, mean = (one.detach() for one in torch.std_mean(x, -1, keepdim=True))
    return (x - mean) / (std + eps)


@both("RMSNorm instead of LayerNorm + over everything")
def one_rms(x: Tensor, eps: float = 1e-5) -> Tensor:
    return x * (x.square().mean() + eps).rsqrt()


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


@rms_disguise("over the sequence")
def rms_dim_1(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return w * x / torch.sqrt((x * x).mean(1, keepdim=True) + eps)


@rms_disguise("over the batch")
def rms_batch(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return w * x / torch.sqrt((x * x).reshape(-1, x.shape[-1]).mean(0) + eps)


@rms_disguise("over the batch")
def rms_dim_0(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return w * x / torch.sqrt((x * x).mean(0, keepdim=True) + eps)


@rms_disguise("over a whole sequence at once")
def rms_plane(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return w * x * (x.flatten(-2).pow(2).mean(-1)[..., None, None] + eps).rsqrt()


@rms_disguise("no eps + over the batch")
def rms_dim_0_without_eps(x: Tensor, w: Tensor, eps: float) -> Tensor:
    return w * x / (x * x).mean(0).sqrt()


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


# Right, in unusual ways ----------------------------------------------------------------------------


@correct("normalize")
def from_moments(x: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(-1, keepdim=True)
    return (x - mean) / torch.sqrt((x * x).mean(-1, keepdim=True) - mean * mean + eps)


@correct("normalize")
def with_a_matrix(x: Tensor, eps: float = 1e-5) -> Tensor:
    n = x.shape[-1]
    centring = torch.eye(n, dtype=x.dtype) - torch.full((n, n), 1 / n, dtype=x.dtype)
    d = x @ centring
    return d * torch.rsqrt(torch.einsum("...i,...i->...", d, d).unsqueeze(-1) / n + eps)


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
def token_by_token(x: Tensor, eps: float = 1e-5) -> Tensor:
    rows = []
    for row in x.reshape(-1, x.shape[-1]):
        m = sum(row) / len(row)
        v = sum((one - m) ** 2 for one in row) / len(row)
        rows.append((row - m) / (v + eps) ** 0.5)
    return torch.stack(rows).reshape(x.shape)


@correct("LayerNorm")
class ShapeTuple(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros((d_model,)))
        self.weight = nn.Parameter(torch.ones((d_model,)))
        self.register_buffer("eps", torch.tensor(eps))

    def forward(self, x: Tensor) -> Tensor:
        return torch.addcmul(self.bias, self.weight, good(x, self.eps))


@correct("LayerNorm")
class Lambda(Base):
    def __call__(self, x: Tensor) -> Tensor:
        return self.weight * good(x, self.eps) + self.bias


@correct("LayerNorm")
class HalfSteps(Base):
    def forward(self, x: Tensor) -> Tensor:
        shape, x = x.shape, x.reshape(-1, x.shape[-1]).T
        y = (x - x.mean(0)) / (x.var(0, unbiased=False) + self.eps).sqrt()
        return (y * self.weight[:, None] + self.bias[:, None]).T.reshape(shape)


@correct("RMSNorm")
class Llama(RmsBase):
    def forward(self, x: Tensor) -> Tensor:
        h = x.float()
        h = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + self.eps)
        return self.weight * h.to(x.dtype)


@correct("RMSNorm")
class ByNorm(RmsBase):
    def forward(self, x: Tensor) -> Tensor:
        square = torch.linalg.vector_norm(x, dim=-1, keepdim=True) ** 2
        return x / (square / x.shape[-1] + self.eps).sqrt() * self.weight


@correct("RMSNorm")
class ByEinsum(RmsBase):
    def forward(self, x: Tensor) -> Tensor:
        mean = torch.einsum("...d,...d->...", x, x) / x.size(-1)
        return torch.einsum("...d,...,d->...d", x, (mean + self.eps).rsqrt(), self.weight)


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


@correct("LayerNorm")
class Folded(Base):
    """Scale and shift folded into one product and one sum."""

    def forward(self, x: Tensor) -> Tensor:
        variance, mean = torch.var_mean(x, -1, keepdim=True, correction=0)
        scale = self.weight / torch.sqrt(variance + self.eps)
        return x * scale + (self.bias - mean * scale)


@correct("LayerNorm")
class HelperModule(Base):
    class Core(nn.Module):
        def forward(self, x: Tensor, eps: float) -> Tensor:
            return good(x, eps)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.core = self.Core()

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.linear(self.core(x, self.eps), torch.diag(self.weight), self.bias)


# Wrong in ways that no list holds ----------------------------------------------------------------------------


@unlisted("normalize")
def min_max(x: Tensor, eps: float = 1e-5) -> Tensor:
    low, high = x.amin(-1, keepdim=True), x.amax(-1, keepdim=True)
    return (x - low) / (high - low + eps)


@unlisted("normalize")
def median(x: Tensor, eps: float = 1e-5) -> Tensor:
    centre = x.median(-1, keepdim=True).values
    return (x - centre) / torch.sqrt((x - centre).square().mean(-1, keepdim=True) + eps)


@unlisted("normalize")
def absolute(x: Tensor, eps: float = 1e-5) -> Tensor:
    d = x - x.mean(-1, keepdim=True)
    return d / (d.abs().mean(-1, keepdim=True) + eps)


@unlisted("normalize")
def numpy_round_trip(x: Tensor, eps: float = 1e-5) -> Any:
    a = x.detach().numpy()
    return (a - a.mean(-1, keepdims=True)) / np.sqrt(a.var(-1, keepdims=True) + eps)


@unlisted("normalize")
def softmaxed(x: Tensor, eps: float = 1e-5) -> Tensor:
    return torch.exp(good(x, eps))


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


@unlisted("RMSNorm")
class Largest(RmsBase):
    def forward(self, x: Tensor) -> Tensor:
        return self.weight * x / (x.abs().amax(-1, keepdim=True) + self.eps)


@unlisted("RMSNorm")
class Shifted(RmsBase):
    def forward(self, x: Tensor) -> Tensor:
        return self.weight + x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps)


@unlisted("normalize")
def memory_order(x: Tensor, eps: float = 1e-5) -> Tensor:
    return good(x.view(-1, x.shape[-1]), eps).view(x.shape)


@unlisted("normalize")
def quiet_only(x: Tensor, eps: float = 1e-5) -> Tensor:
    return good(x.clamp(-20, 20), eps)


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


@unlisted("RMSNorm")
class TrainingOnly(RmsBase):
    def forward(self, x: Tensor) -> Tensor:
        return rms(x, self.eps) * self.weight if self.training else rms(x, self.eps)


@unlisted("RMSNorm")
class HalfPrecision(RmsBase):
    def forward(self, x: Tensor) -> Tensor:
        return (rms(x.bfloat16(), self.eps) * self.weight).to(x.dtype)


@both("eps as a lower bound")
def through_f_normalize(x: Tensor, eps: float = 1e-5) -> Tensor:
    return F.normalize(x - x.mean(-1, keepdim=True), dim=-1, eps=eps) * x.shape[-1] ** 0.5


@both("eps as a lower bound")
def clamped(x: Tensor, eps: float = 1e-5) -> Tensor:
    return (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True, correction=0).clamp(min=eps)


@disguise("RMSNorm", "eps as a lower bound")
class RmsThroughNormalize(RmsBase):
    def forward(self, x: Tensor) -> Tensor:
        return F.normalize(x, dim=-1, eps=self.eps) * x.shape[-1] ** 0.5 * self.weight


@disguise("RMSNorm", "eps as a lower bound")
class RmsAtLeast(RmsBase):
    def forward(self, x: Tensor) -> Tensor:
        return self.weight * x / x.square().mean(-1, keepdim=True).sqrt().clamp(min=self.eps)
