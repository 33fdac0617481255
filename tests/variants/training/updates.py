"""AdamW and the groups in which weights decay."""

import math
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from tests.variants import correct, disguise, unlisted

# AdamW ----------------------------------------------------------------------------

ADAM = "AdamW"


def adam(kind: Any) -> Any:
    """An optimizer from a function of (p, g, state, lr, b1, b2, eps, decay) that gives the new number."""

    def add(update: Callable[..., Tensor]) -> Any:
        @kind
        class Own(torch.optim.Optimizer):
            def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
                super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))

            def step(self, closure=None):
                with torch.no_grad():
                    for group in self.param_groups:
                        for p in group["params"]:
                            if p.grad is None:
                                continue
                            b1, b2 = group["betas"]
                            new = update(
                                p, p.grad, self.state[p], group["lr"], b1, b2, group["eps"], group["weight_decay"]
                            )
                            p.copy_(new)

        return update

    return add


def moments(s: dict, g: Tensor, b1: float, b2: float) -> tuple[Tensor, Tensor, int]:
    """Running mean, running square and step, kept in the state under names of its own."""
    s["t"] = s.get("t", 0) + 1
    s["m"] = b1 * s.get("m", torch.zeros_like(g)) + (1 - b1) * g
    s["v"] = b2 * s.get("v", torch.zeros_like(g)) + (1 - b2) * g**2
    return s["m"], s["v"], s["t"]


def plain(p, g, s, lr, b1, b2, eps, wd):
    """AdamW as it should be."""
    m, v, t = moments(s, g, b1, b2)
    return p - lr * (wd * p + m / (1 - b1**t) / ((v / (1 - b2**t)) ** 0.5 + eps))


@adam(disguise(ADAM, "weight decay as L2"))
def a_l2(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g + wd * p, s, lr, b1, b2, eps, 0)


@adam(disguise(ADAM, "decay without the learning rate"))
def a_no_lr_decay(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g, s, lr, b1, b2, eps, 0) - wd * p


@adam(disguise(ADAM, "no weight decay"))
def a_no_decay(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    return p - lr * m / (1 - b1**t) / (torch.sqrt(v / (1 - b2**t)) + eps)


@adam(disguise(ADAM, "decay after the update"))
def a_decay_last(p, g, s, lr, b1, b2, eps, wd):
    new = plain(p, g, s, lr, b1, b2, eps, 0)
    return new - lr * wd * new


@adam(disguise(ADAM, "weights grow"))
def a_grow(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g, s, lr, b1, b2, eps, -wd)


@adam(disguise(ADAM, "no bias correction"))
def a_no_correction(p, g, s, lr, b1, b2, eps, wd):
    m, v, _ = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * m / (torch.sqrt(v) + eps)


@adam(disguise(ADAM, "only one mean is corrected"))
def a_half_correction(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * m / (1 - b1**t) / (torch.sqrt(v) + eps)


@adam(disguise(ADAM, "only one mean is corrected"))
def a_other_half(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * m / (torch.sqrt(v / (1 - b2**t)) + eps)


@adam(disguise(ADAM, "the power of beta is missing"))
def a_power(p, g, s, lr, b1, b2, eps, wd):
    m, v, _ = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * m / (1 - b1) / (torch.sqrt(v / (1 - b2)) + eps)


@adam(disguise(ADAM, "both are corrected with one beta"))
def a_one_beta(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    rest = 1 - b1**t
    return p * (1 - lr * wd) - lr * (m / rest) / (torch.sqrt(v / rest) + eps)


@adam(disguise(ADAM, "corrected after the root"))
def a_after_root(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / (v.sqrt() / (1 - b2**t) + eps)


@adam(disguise(ADAM, "the step is counted too late"))
def a_late(p, g, s, lr, b1, b2, eps, wd):
    t = s.get("t", 0)
    m, v, _ = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / ((v / (1 - b2**t)).sqrt() + eps)


@disguise(ADAM, "one step count for all parameters")
class GlobalCount(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})
        self.t = 0

    @torch.no_grad()
    def step(self, closure=None):
        self.t += 1
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in filter(lambda p: p.grad is not None, group["params"]):
                s = self.state[p]
                moments(s, p.grad, b1, b2)
                m, v = s["m"] / (1 - b1**self.t), s["v"] / (1 - b2**self.t)
                p -= group["lr"] * group["weight_decay"] * p
                p -= group["lr"] * m / (v.sqrt() + group["eps"])


@adam(disguise(ADAM, "eps inside the root"))
def a_eps_inside(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) * (v / (1 - b2**t) + eps).rsqrt()


@adam(disguise(ADAM, "eps before the correction"))
def a_eps_early(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    rate = lr * math.sqrt(1 - b2**t) / (1 - b1**t)
    return p * (1 - lr * wd) - rate * m / (v.sqrt() + eps)


@adam(disguise(ADAM, "no eps"))
def a_no_eps(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g, s, lr, b1, b2, 0.0, wd)


@adam(disguise(ADAM, "betas exchanged"))
def a_betas(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g, s, lr, b2, b1, eps, wd)


@adam(disguise(ADAM, "the gradient is not squared"))
def a_not_squared(p, g, s, lr, b1, b2, eps, wd):
    s["t"] = s.get("t", 0) + 1
    s["m"] = torch.lerp(s.get("m", torch.zeros_like(g)), g, 1 - b1)
    s["v"] = torch.lerp(s.get("v", torch.zeros_like(g)), g, 1 - b2)
    m, v = s["m"] / (1 - b1 ** s["t"]), s["v"] / (1 - b2 ** s["t"])
    return p * (1 - lr * wd) - lr * m / (v.sqrt() + eps)


@adam(disguise(ADAM, "the square of the mean"))
def a_squared_mean(p, g, s, lr, b1, b2, eps, wd):
    s["t"] = s.get("t", 0) + 1
    s["m"] = torch.lerp(s.get("m", torch.zeros_like(g)), g, 1 - b1)
    s["v"] = torch.lerp(s.get("v", torch.zeros_like(g)), s["m"].square(), 1 - b2)
    m, v = s["m"] / (1 - b1 ** s["t"]), s["v"] / (1 - b2 ** s["t"])
    return p * (1 - lr * wd) - lr * m / (v.sqrt() + eps)


@adam(disguise(ADAM, "no root"))
def a_no_root(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / (v / (1 - b2**t) + eps)


@adam(disguise(ADAM, "running sums, not means"))
def a_sums(p, g, s, lr, b1, b2, eps, wd):
    s["t"] = s.get("t", 0) + 1
    s["m"] = b1 * s.get("m", 0) + g
    s["v"] = b2 * s.get("v", 0) + g * g
    m, v = s["m"] / (1 - b1 ** s["t"]), s["v"] / (1 - b2 ** s["t"])
    return p * (1 - lr * wd) - lr * m / (v.sqrt() + eps)


@adam(disguise(ADAM, "running sums, not means"))
def a_sum_of_mean(p, g, s, lr, b1, b2, eps, wd):
    _, v, t = moments(s, g, b1, b2)
    s["sum"] = b1 * s.get("sum", 0) + g
    return p * (1 - lr * wd) - lr * s["sum"] / (1 - b1**t) / ((v / (1 - b2**t)).sqrt() + eps)


@adam(disguise(ADAM, "shares of old and new exchanged"))
def a_shares(p, g, s, lr, b1, b2, eps, wd):
    s["t"] = s.get("t", 0) + 1
    s["m"] = (1 - b1) * s.get("m", 0) + b1 * g
    s["v"] = (1 - b2) * s.get("v", 0) + b2 * g * g
    m, v = s["m"] / (1 - b1 ** s["t"]), s["v"] / (1 - b2 ** s["t"])
    return p * (1 - lr * wd) - lr * m / (v.sqrt() + eps)


@adam(disguise(ADAM, "uphill"))
def a_uphill(p, g, s, lr, b1, b2, eps, wd):
    return 2 * p * (1 - lr * wd) - plain(p, g, s, lr, b1, b2, eps, wd)


@disguise(ADAM, "a new tensor, not the parameter")
class NewTensor(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    b1, b2 = group["betas"]
                    p = plain(p, p.grad, self.state[p], group["lr"], b1, b2, group["eps"], group["weight_decay"])


@adam(disguise(ADAM, "the correction goes into the state"))
def a_back(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    s["m"], s["v"] = m / (1 - b1**t), v / (1 - b2**t)
    return p * (1 - lr * wd) - lr * s["m"] / (s["v"].sqrt() + eps)


@disguise(ADAM, "settings of the groups are ignored")
class OwnSettings(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})
        self.lr, self.betas, self.eps, self.weight_decay = lr, betas, eps, weight_decay

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    new = plain(p, p.grad, self.state[p], self.lr, *self.betas, self.eps, self.weight_decay)
                    p.copy_(new)


@disguise(ADAM, "running means are not saved")
class OwnLists(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})
        self.memory: dict = defaultdict(dict)

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    b1, b2 = group["betas"]
                    new = plain(p, p.grad, self.memory[p], group["lr"], b1, b2, group["eps"], group["weight_decay"])
                    p.copy_(new)


@disguise(ADAM, "one state for all parameters")
class OneState(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    b1, b2 = group["betas"]
                    common = self.state["common"]
                    p.copy_(plain(p, p.grad, common, group["lr"], b1, b2, group["eps"], group["weight_decay"]))


@disguise(ADAM, "no gradient is taken for a gradient of 0")
class NoneIsZero(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                g = torch.zeros_like(p) if p.grad is None else p.grad
                b1, b2 = group["betas"]
                p.copy_(plain(p, g, self.state[p], group["lr"], b1, b2, group["eps"], group["weight_decay"]))


@disguise(ADAM, "parameters without a gradient decay")
class DecaysAll(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                p.mul_(1 - group["weight_decay"] * group["lr"])
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    b1, b2 = group["betas"]
                    p.copy_(plain(p, p.grad, self.state[p], group["lr"], b1, b2, group["eps"], 0))


@adam(disguise(ADAM, "the gradient itself, not its mean"))
def a_rmsprop(p, g, s, lr, b1, b2, eps, wd):
    _, v, t = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * g / ((v / (1 - b2**t)).sqrt() + eps)


@adam(disguise(ADAM, "not divided by the root"))
def a_momentum(p, g, s, lr, b1, b2, eps, wd):
    m, _, t = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * m / (1 - b1**t)


@adam(disguise(ADAM, "no learning rate in the step"))
def a_no_lr(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g, s, 1.0, b1, b2, eps, lr * wd)


@adam(disguise(ADAM, "the gradient is written over"))
def a_written(p, g, s, lr, b1, b2, eps, wd):
    new = plain(p, g, s, lr, b1, b2, eps, wd)
    g.pow_(2)
    return new


adam(correct(ADAM))(plain)


@adam(correct(ADAM))
def ar_lerp(p, g, s, lr, b1, b2, eps, wd):
    s.setdefault("t", torch.zeros(()))
    s.setdefault("exp_avg", torch.zeros_like(p)).lerp_(g, 1 - b1)
    s.setdefault("exp_avg_sq", torch.zeros_like(p)).lerp_(g * g, 1 - b2)
    s["t"] += 1
    t = s["t"].item()
    root = s["exp_avg_sq"].sqrt() / math.sqrt(1 - b2**t) + eps
    return torch.addcdiv(p * (1 - lr * wd), s["exp_avg"], root, value=-lr / (1 - b1**t))


@adam(correct(ADAM))
def ar_products(p, g, s, lr, b1, b2, eps, wd):
    """The powers of the betas are kept instead of a count."""
    s["b1"], s["b2"] = s.get("b1", 1.0) * b1, s.get("b2", 1.0) * b2
    s["m"] = s.get("m", 0) * b1 + g * (1 - b1)
    s["v"] = s.get("v", 0) * b2 + g.square() * (1 - b2)
    step = (s["m"] / (1 - s["b1"])) / ((s["v"] / (1 - s["b2"])).sqrt() + eps)
    return p - lr * step - lr * wd * p


@correct(ADAM)
class Kwargs(torch.optim.Optimizer):
    def __init__(self, params, **settings):
        defaults = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.01}
        super().__init__(params, defaults | settings)

    def step(self, closure=None):
        pairs = [(p, g) for g in self.param_groups for p in g["params"] if p.grad is not None]
        for p, g in pairs:
            new = plain(
                p.detach(), p.grad, self.state[p], g["lr"], g["betas"][0], g["betas"][1], g["eps"], g["weight_decay"]
            )
            p.data = new


@correct(ADAM)
class Foreach(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, *, extra=None):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            ps = [p for p in group["params"] if p.grad is not None]
            if not ps:
                continue
            gs = [p.grad for p in ps]
            b1, b2 = group["betas"]
            for p in ps:
                s = self.state[p]
                s["t"] = s.get("t", 0) + 1
                s.setdefault("m", torch.zeros_like(p))
                s.setdefault("v", torch.zeros_like(p))
            torch._foreach_mul_(ps, 1 - group["lr"] * group["weight_decay"])
            torch._foreach_lerp_([self.state[p]["m"] for p in ps], gs, 1 - b1)
            torch._foreach_mul_([self.state[p]["v"] for p in ps], b2)
            torch._foreach_addcmul_([self.state[p]["v"] for p in ps], gs, gs, value=1 - b2)
            for p in ps:
                s = self.state[p]
                root = (s["v"] / (1 - b2 ** s["t"])).sqrt_().add_(group["eps"])
                p.addcdiv_(s["m"], root, value=-group["lr"] / (1 - b1 ** s["t"]))


@adam(correct(ADAM))
def ar_double(p, g, s, lr, b1, b2, eps, wd):
    return plain(p.double(), g.double(), s, lr, b1, b2, eps, wd).to(p.dtype)


@adam(unlisted(ADAM))
def au_sign(p, g, s, lr, b1, b2, eps, wd):
    m, _, _ = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * m.sign()


@adam(unlisted(ADAM))
def au_amsgrad(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    s["top"] = torch.maximum(s.get("top", v), v)
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / ((s["top"] / (1 - b2**t)).sqrt() + eps)


@adam(unlisted(ADAM))
def au_nesterov(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * ((b1 * m + (1 - b1) * g) / (1 - b1**t)) / ((v / (1 - b2**t)).sqrt() + eps)


@adam(unlisted(ADAM))
def au_twice_decay(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g, s, lr, b1, b2, eps, 2 * wd)


@adam(unlisted(ADAM))
def au_global_norm(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / ((v / (1 - b2**t)).mean().sqrt() + eps)


@adam(disguise(ADAM, "eps is always 1e-8"))
def au_fixed_eps(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g, s, lr, b1, b2, 1e-8, wd)


@adam(unlisted(ADAM))
def au_decays_gradient_sign(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g, s, lr, b1, b2, eps, 0) - lr * wd * p.sign()


@unlisted(ADAM)
def au_sgd(params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
    return torch.optim.SGD(params, lr=lr, momentum=betas[0], weight_decay=weight_decay)


@adam(disguise(ADAM, "weight decay as L2"))
def a_l2_of_the_mean(p, g, s, lr, b1, b2, eps, wd):
    _, v, t = moments(s, g, b1, b2)
    s["n"] = b1 * s.get("n", 0) + (1 - b1) * (g + wd * p)
    return p - lr * s["n"] / (1 - b1**t) / ((v / (1 - b2**t)).sqrt() + eps)


@adam(disguise(ADAM, "decayed twice"))
def a_twice(p, g, s, lr, b1, b2, eps, wd):
    shrunk = p - lr * wd * p
    return plain(shrunk, g + wd * shrunk, s, lr, b1, b2, eps, 0)


@adam(disguise(ADAM, "the decay is divided by the root"))
def a_divided_decay(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    return p - lr * (m / (1 - b1**t) + wd * p) / ((v / (1 - b2**t)) ** 0.5 + eps)


@adam(disguise(ADAM, "the root goes into the state"))
def a_root_kept(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    s["v"] = v**0.5
    return p - lr * (wd * p + m / (1 - b1**t) / (s["v"] / (1 - b2**t) ** 0.5 + eps))


@adam(disguise(ADAM, "running means are not kept"))
def a_not_kept(p, g, s, lr, b1, b2, eps, wd):
    s["t"] = t = s.get("t", 0) + 1
    m, v = (1 - b1) * g, (1 - b2) * g * g
    return p - lr * (wd * p + m / (1 - b1**t) / ((v / (1 - b2**t)) ** 0.5 + eps))


@adam(disguise(ADAM, "running means are not kept"))
def a_mean_not_kept(p, g, s, lr, b1, b2, eps, wd):
    _, v, t = moments(s, g, b1, b2)
    return p - lr * (wd * p + (1 - b1) * g / (1 - b1**t) / ((v / (1 - b2**t)) ** 0.5 + eps))


@adam(disguise(ADAM, "running means are not kept"))
def a_square_not_kept(p, g, s, lr, b1, b2, eps, wd):
    m, _, t = moments(s, g, b1, b2)
    return p - lr * (wd * p + m / (1 - b1**t) / (((1 - b2) * g * g / (1 - b2**t)) ** 0.5 + eps))


# decay_groups ----------------------------------------------------------------------------

GROUPS = "decay_groups"


def grouped(decaying: list, still: list, decay: float, other: float = 0.0) -> list[dict]:
    return [{"params": decaying, "weight_decay": decay}, {"params": still, "weight_decay": other}]


def by(kind: Any) -> Any:
    """Groups from a question asked of every (name, parameter, owner) whether it decays."""

    def add(decays: Callable[[str, Tensor, nn.Module], bool]) -> Any:
        @kind
        def decay_groups(model: nn.Module, weight_decay: float) -> list[dict]:
            owners = {id(p): part for part in model.modules() for p in part.parameters(recurse=False)}
            two: tuple[list, list] = [], []
            for name, p in model.named_parameters():
                two[0 if decays(name, p, owners[id(p)]) else 1].append(p)
            return grouped(*two, weight_decay)

        return decays

    return add


@disguise(GROUPS, "everything decays")
def g_all(model: nn.Module, weight_decay: float) -> list[dict]:
    return [{"params": list(model.parameters()), "weight_decay": weight_decay}]


@disguise(GROUPS, "nothing decays")
def g_none(model: nn.Module, weight_decay: float) -> list[dict]:
    return grouped([], list(model.parameters()), weight_decay)


@by(disguise(GROUPS, "the groups are exchanged"))
def g_turned(name: str, p: Tensor, owner: nn.Module) -> bool:
    return p.ndim == 1


@by(disguise(GROUPS, "norms decay"))
def g_norms(name: str, p: Tensor, owner: nn.Module) -> bool:
    return "bias" not in name


@by(disguise(GROUPS, "norms are known by their name"))
def g_names(name: str, p: Tensor, owner: nn.Module) -> bool:
    return not any(word in name for word in ("bias", "norm"))


@by(disguise(GROUPS, "only torch's own norms are known"))
def g_class(name: str, p: Tensor, owner: nn.Module) -> bool:
    return not (name.endswith("bias") or isinstance(owner, nn.LayerNorm | nn.BatchNorm1d))


@by(disguise(GROUPS, "biases decay"))
def g_biases(name: str, p: Tensor, owner: nn.Module) -> bool:
    return not (p.dim() == 1 and name.endswith("weight"))


@by(disguise(GROUPS, "tables do not decay"))
def g_tables(name: str, p: Tensor, owner: nn.Module) -> bool:
    return p.dim() >= 2 and not isinstance(owner, nn.Embedding)


@disguise(GROUPS, "tables do not decay")
def g_tables_apart(model: nn.Module, weight_decay: float) -> list[dict]:
    tables = [part.weight for part in model.modules() if isinstance(part, nn.Embedding)]
    rest = [p for p in model.parameters() if all(p is not one for one in tables)]
    return grouped(
        [p for p in rest if p.ndim > 1],
        [p for p in model.parameters() if all(p is not q for q in rest) or p.ndim < 2],
        weight_decay,
    )


@by(disguise(GROUPS, "tables do not decay"))
def g_tables_named(name: str, p: Tensor, owner: nn.Module) -> bool:
    return p.dim() >= 2 and "embed" not in name


@disguise(GROUPS, "sorted by the class of the layer")
def g_small_gpt(model: nn.Module, weight_decay: float) -> list[dict]:
    still = {p for part in model.modules() if type(part) in (nn.LayerNorm, nn.Embedding) for p in part.parameters()}
    still |= {p for name, p in model.named_parameters() if name.split(".")[-1] == "bias"}
    return grouped([p for p in model.parameters() if p not in still], list(still), weight_decay)


@by(disguise(GROUPS, "weights of two dimensions do not decay"))
def g_more_than_two(name: str, p: Tensor, owner: nn.Module) -> bool:
    return len(p.size()) > 2


@disguise(GROUPS, "the group that does not decay comes first")
def g_second_first(model: nn.Module, weight_decay: float) -> list[dict]:
    still, decaying = [], []
    for p in model.parameters():
        (still if p.dim() < 2 else decaying).append(p)
    return [{"params": still, "weight_decay": 0.0}, {"params": decaying, "weight_decay": weight_decay}]


@by(unlisted(GROUPS))
def g_by_count(name: str, p: Tensor, owner: nn.Module) -> bool:
    return p.numel() > len(p)


@by(disguise(GROUPS, "only weights of two dimensions decay"))
def g_two(name: str, p: Tensor, owner: nn.Module) -> bool:
    return len(p.shape) == 2


@disguise(GROUPS, "norms and biases are left out")
def g_left_out(model: nn.Module, weight_decay: float) -> list[dict]:
    return [{"params": [p for p in model.parameters() if p.ndim > 1], "weight_decay": weight_decay}]


@disguise(GROUPS, "no weight_decay in the second group")
def g_default(model: nn.Module, weight_decay: float) -> list[dict]:
    some, others = [], []
    for p in model.parameters():
        (some if p.dim() >= 2 else others).append(p)
    return [dict(params=some, weight_decay=weight_decay), dict(params=others)]


@disguise(GROUPS, "what is shared is listed twice")
def g_twice(model: nn.Module, weight_decay: float) -> list[dict]:
    every = [p for _, p in model.named_parameters(remove_duplicate=False)]
    return grouped([p for p in every if p.dim() > 1], [p for p in every if p.dim() == 1], weight_decay)


@disguise(GROUPS, "names, not parameters")
def g_strings(model: nn.Module, weight_decay: float) -> list[dict]:
    shapes = {name: len(p.shape) for name, p in model.named_parameters()}
    return grouped([n for n in shapes if shapes[n] > 1], [n for n in shapes if shapes[n] == 1], weight_decay)


@disguise(GROUPS, "the parameters of parts are left out")
def g_direct(model: nn.Module, weight_decay: float) -> list[dict]:
    own = list(model._parameters.values())
    return grouped([p for p in own if p.dim() > 1], [p for p in own if p.dim() < 2], weight_decay)


@by(correct(GROUPS))
def gr_ndim(name: str, p: Tensor, owner: nn.Module) -> bool:
    return p.ndim >= 2


@by(correct(GROUPS))
def gr_by_owner(name: str, p: Tensor, owner: nn.Module) -> bool:
    return isinstance(owner, nn.Linear | nn.Embedding | nn.Conv1d) and name.endswith("weight")


@correct(GROUPS)
def gr_dict(model: nn.Module, weight_decay: float) -> list[dict]:
    found: dict[float, list] = {weight_decay: [], 0.0: []}
    for p in model.parameters():
        found[weight_decay if p.dim() > 1 else 0.0].append(p)
    return [{"params": ps, "weight_decay": wd} for wd, ps in found.items()]


@correct(GROUPS)
def gr_seen(model: nn.Module, weight_decay: float) -> list[dict]:
    seen: set[int] = set()
    some: list = []
    others: list = []
    for part in model.modules():
        for p in part._parameters.values():
            if p is not None and id(p) not in seen:
                seen.add(id(p))
                (others if len(p.shape) <= 1 else some).append(p)
    return [{"weight_decay": weight_decay, "params": some}, {"weight_decay": 0, "params": others}]


@correct(GROUPS)
def gr_named(model: nn.Module, weight_decay: float) -> list[dict]:
    pairs = list(model.named_parameters())
    return grouped([x for x in pairs if x[1].dim() > 1], [x for x in pairs if x[1].dim() < 2], weight_decay)


@correct(GROUPS)
def gr_sorted(model: nn.Module, weight_decay: float) -> tuple:
    ps = sorted(model.parameters(), key=lambda p: -p.dim())
    cut = sum(p.dim() > 1 for p in ps)
    return tuple(grouped(ps[:cut], ps[cut:], weight_decay))


@by(unlisted(GROUPS))
def gu_large(name: str, p: Tensor, owner: nn.Module) -> bool:
    return p.numel() > 20


@by(unlisted(GROUPS))
def gu_linear(name: str, p: Tensor, owner: nn.Module) -> bool:
    return isinstance(owner, nn.Linear)


@disguise(GROUPS, "weight_decay is not read")
def g_strength(model: nn.Module, weight_decay: float) -> list[dict]:
    ps = list(model.parameters())
    return grouped([p for p in ps if p.dim() > 1], [p for p in ps if p.dim() <= 1], 0.01)


@unlisted(GROUPS)
def gu_a_little(model: nn.Module, weight_decay: float) -> list[dict]:
    ps = list(model.parameters())
    return grouped([p for p in ps if p.dim() > 1], [p for p in ps if p.dim() <= 1], weight_decay, weight_decay / 10)


@unlisted(GROUPS)
def gu_other_key(model: nn.Module, weight_decay: float) -> list[dict]:
    ps = list(model.parameters())
    return [
        {"params": [p for p in ps if p.dim() > 1], "decay": weight_decay},
        {"params": [p for p in ps if p.dim() <= 1], "decay": 0.0},
    ]


@unlisted(GROUPS)
def gu_copies(model: nn.Module, weight_decay: float) -> list[dict]:
    ps = [nn.Parameter(p.detach().clone()) for p in model.parameters()]
    return grouped([p for p in ps if p.dim() > 1], [p for p in ps if p.dim() <= 1], weight_decay)


@disguise(GROUPS, "weights of three dimensions are left out")
def g_three_lost(model: nn.Module, weight_decay: float) -> list[dict]:
    by_size: dict[int, list] = {1: [], 2: [], 3: []}
    for p in model.parameters():
        by_size[p.dim()].append(p)
    return grouped(by_size[2], by_size[1], weight_decay)


@by(disguise(GROUPS, "only linear layers decay"))
def g_linear(name: str, p: Tensor, owner: nn.Module) -> bool:
    return isinstance(owner, nn.Linear) and p is owner.weight


@disguise(GROUPS, "weight_decay is not read")
def g_own_strength(model: nn.Module, weight_decay: float = 0.01) -> list[dict]:
    wide = [p for p in model.parameters() if p.ndim >= 2]
    return grouped(wide, [p for p in model.parameters() if p.ndim < 2], 0.01)


@disguise(GROUPS, "weight_decay is not read")
def g_another_strength(model: nn.Module, weight_decay: float) -> list[dict]:
    wide = [p for p in model.parameters() if p.ndim >= 2]
    return grouped(wide, [p for p in model.parameters() if p.ndim < 2], 1e-1)


@disguise(GROUPS, "the group that does not decay comes first")
def g_other_order(model: nn.Module, weight_decay: float) -> list[dict]:
    wide = [p for p in model.parameters() if p.ndim >= 2]
    return grouped(wide, [p for p in model.parameters() if p.ndim < 2], weight_decay)[::-1]


@unlisted(GROUPS)
def g_one_for_each(model: nn.Module, weight_decay: float) -> list[dict]:
    return [{"params": [p], "weight_decay": weight_decay * (p.ndim > 1)} for p in model.parameters()]


@unlisted(GROUPS)
def g_frozen(model: nn.Module, weight_decay: float) -> list[dict]:
    still = [p.requires_grad_(False) for p in model.parameters() if p.ndim < 2]
    return grouped([p for p in model.parameters() if p.ndim >= 2], still, weight_decay)
