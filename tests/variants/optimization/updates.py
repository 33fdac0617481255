"""AdamW."""

import math
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted

ADAM = "AdamW"


def optimizer(update: Callable[..., Tensor]) -> type[torch.optim.Optimizer]:
    """An optimizer from a function of (p, g, state, lr, b1, b2, eps, decay) that gives the new number."""

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
                        new = update(p, p.grad, self.state[p], group["lr"], b1, b2, group["eps"], group["weight_decay"])
                        p.copy_(new)

    return Own


def adam(kind: Any) -> Any:
    """A variant from the update of one parameter."""

    def add(update: Callable[..., Tensor]) -> Any:
        kind(optimizer(update))
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


@adam(disguise(ADAM, "decay without the learning rate"))
def a_no_lr_decay(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g, s, lr, b1, b2, eps, 0) - wd * p


@adam(disguise(ADAM, "the same decay for every weight"))
def a_constant_decay(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g, s, lr, b1, b2, eps, 0) - lr * wd


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


@adam(disguise(ADAM, "the update does not reach the parameter"))
def a_mean_not_kept(p, g, s, lr, b1, b2, eps, wd):
    s.setdefault("m", torch.zeros_like(g)).mul(b1).add(g, alpha=1 - b1)
    return p * (1 - lr * wd) - lr * s["m"] / (g.abs() + eps)


@adam(disguise(ADAM, "the power of beta is missing"))
def a_step_stays_1(p, g, s, lr, b1, b2, eps, wd):
    m, v, _ = moments(s, g, b1, b2)
    s["t"] = 1
    return p - lr * (wd * p + m / (1 - b1 ** s["t"]) / ((v / (1 - b2 ** s["t"])) ** 0.5 + eps))


@adam(disguise(ADAM, "betas exchanged"))
def a_betas_in_the_means(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b2, b1)
    return p - lr * (wd * p + m / (1 - b1**t) / ((v / (1 - b2**t)) ** 0.5 + eps))


@disguise(ADAM, "the update does not reach the parameter")
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


@adam(disguise(ADAM, "settings of the groups are ignored"))
def a_usual_rate(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g, s, 0.001, b1, b2, eps, wd)


@adam(disguise(ADAM, "settings of the groups are ignored"))
def a_usual_betas(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g, s, lr, 0.9, 0.999, eps, wd)


@adam(disguise(ADAM, "settings of the groups are ignored"))
def a_usual_decay(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g, s, lr, b1, b2, eps, 0.01)


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


@adam(correct(ADAM))
def ar_double(p, g, s, lr, b1, b2, eps, wd):
    return plain(p.double(), g.double(), s, lr, b1, b2, eps, wd).to(p.dtype)


@adam(disguise(ADAM, "only the decay is left of the weight"))
def a_share(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g, s, lr, b1, b2, eps, 0) - p + lr * wd * p


@adam(disguise(ADAM, "the decay is corrected too"))
def a_one_rate(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    rate = lr / (1 - b1**t)
    return p - rate * wd * p - rate * m / ((v / (1 - b2**t)).sqrt() + eps)


@adam(disguise(ADAM, "only matrices decay"))
def a_matrices(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g, s, lr, b1, b2, eps, wd if p.dim() >= 2 else 0)


@adam(disguise(ADAM, "multiplied by the correction"))
def a_times(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * m * (1 - b1**t) / ((v * (1 - b2**t)).sqrt() + eps)


@adam(disguise(ADAM, "the step is counted too far"))
def a_later(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * m / (1 - b1 ** (t + 1)) / ((v / (1 - b2 ** (t + 1))).sqrt() + eps)


@adam(disguise(ADAM, "eps beside the quotient"))
def a_eps_beside(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - (lr * (m / (1 - b1**t)) / (v / (1 - b2**t)).sqrt() + eps)


@adam(disguise(ADAM, "a beta in the wrong mean"))
def a_first_beta(p, g, s, lr, b1, b2, eps, wd):
    s["q"] = b1 * s.get("q", 0) + (1 - b1) * g * g
    m, _, t = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * m / (1 - b1**t) / ((s["q"] / (1 - b2**t)).sqrt() + eps)


@adam(disguise(ADAM, "only the sign of the mean"))
def au_sign(p, g, s, lr, b1, b2, eps, wd):
    m, _, _ = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * m.sign()


@adam(disguise(ADAM, "the largest mean square so far"))
def au_amsgrad(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    s["top"] = torch.maximum(s.get("top", v), v)
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / ((s["top"] / (1 - b2**t)).sqrt() + eps)


@adam(disguise(ADAM, "lr twice in the step"))
def a_rate_squared(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr**2 * (m / (1 - b1**t)) / ((v / (1 - b2**t)).sqrt() + eps)


@adam(disguise(ADAM, "lr is always 1e-3"))
def a_thousandth(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g, s, 0.001, b1, b2, eps, 0) - lr * wd * p


@adam(disguise(ADAM, "the correction is one step behind"))
def a_counted_from_nothing(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    t = t - 1 or 1
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / ((v / (1 - b2**t)).sqrt() + eps)


@adam(disguise(ADAM, "the newest gradient counts once more"))
def au_nesterov(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * ((b1 * m + (1 - b1) * g) / (1 - b1**t)) / ((v / (1 - b2**t)).sqrt() + eps)


@adam(unlisted(ADAM))
def au_twice_decay(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g, s, lr, b1, b2, eps, 2 * wd)


@adam(disguise(ADAM, "one pace for a whole parameter"))
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


@adam(correct(ADAM))
def ar_lerp(p, g, s, lr, b1, b2, eps, wd):
    s.setdefault("t", torch.zeros(()))
    s.setdefault("exp_avg", torch.zeros_like(p)).lerp_(g, 1 - b1)
    s.setdefault("exp_avg_sq", torch.zeros_like(p)).lerp_(g * g, 1 - b2)
    s["t"] += 1
    t = s["t"].item()
    root = s["exp_avg_sq"].sqrt() / math.sqrt(1 - b2**t) + eps
    return torch.addcdiv(p * (1 - lr * wd), s["exp_avg"], root, value=-lr / (1 - b1**t))


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


# slips in right code ----------------------------------------------------------------------------


class InOneMethod(torch.optim.Optimizer):
    """All in one method, with new tensors in the state at every step."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            lr, decay, eps = group["lr"], group["weight_decay"], group["eps"]
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                g, s = p.grad, self.state[p]
                if len(s) == 0:
                    s["t"], s["m"], s["v"] = 0, torch.zeros_like(p), torch.zeros_like(p)
                s["t"] += 1
                t = s["t"]
                p -= lr * decay * p
                s["m"] = b1 * s["m"] + (1 - b1) * g
                s["v"] = b2 * s["v"] + (1 - b2) * g * g
                m_hat = s["m"] / (1 - b1**t)
                v_hat = s["v"] / (1 - b2**t)
                p -= lr * m_hat / (v_hat.sqrt() + eps)


IN_ONE_DECAY = "                p -= lr * decay * p\n"
IN_ONE_UPDATE = "p -= lr * m_hat / (v_hat.sqrt() + eps)"

slips(
    ADAM,
    InOneMethod,
    {
        "weight decay as L2": [
            {"p -= lr * decay * p": "g = g + decay * p"},
            {"p -= lr * decay * p": "g += decay * p"},
            {IN_ONE_DECAY: "", "g, s = p.grad,": "g, s = p.grad + decay * p,"},
            {IN_ONE_DECAY: "", "(1 - b1) * g": "(1 - b1) * (g + decay * p)"},
        ],
        "the same decay for every weight": {"p -= lr * decay * p": "p -= lr * decay"},
        "decayed twice": [
            {"p -= lr * decay * p": "p -= lr * decay * p\n                g = g + decay * p"},
            {"g, s = p.grad,": "g, s = p.grad + decay * p,"},
        ],
        "the decay is divided by the root": {IN_ONE_DECAY: "", "lr * m_hat": "lr * (m_hat + decay * p)"},
        "decay without the learning rate": {"lr * decay * p": "decay * p"},
        "no weight decay": {IN_ONE_DECAY: ""},
        "decay after the update": {
            IN_ONE_DECAY: "",
            IN_ONE_UPDATE: f"{IN_ONE_UPDATE}\n                p -= lr * decay * p",
        },
        "weights grow": {"p -= lr * decay": "p += lr * decay"},
        "no bias correction": {" / (1 - b1**t)": "", " / (1 - b2**t)": ""},
        "only one mean is corrected": [{" / (1 - b1**t)": ""}, {" / (1 - b2**t)": ""}],
        "the power of beta is missing": [
            {"(1 - b1**t)": "(1 - b1)", "(1 - b2**t)": "(1 - b2)"},
            {"(1 - b1**t)": "(1 - b1)"},
            {"(1 - b2**t)": "(1 - b2)"},
        ],
        "both are corrected with one beta": {"(1 - b2**t)": "(1 - b1**t)"},
        "corrected after the root": {" / (1 - b2**t)": "", "v_hat.sqrt()": "v_hat.sqrt() / (1 - b2**t)"},
        "the step is counted too late": {
            's["t"] += 1\n                t = s["t"]': 't = s["t"]\n                s["t"] += 1'
        },
        "one step count for all parameters": [
            {
                "        for group": '        self.t = getattr(self, "t", 0) + 1\n        for group',
                '                s["t"] += 1\n                t = s["t"]\n': "                t = self.t\n",
            },
            {'s["t"] += 1\n                t = s["t"]\n': 't = self.t = getattr(self, "t", 0) + 1\n'},
        ],
        "eps inside the root": {"(v_hat.sqrt() + eps)": "(v_hat + eps).sqrt()"},
        "eps before the correction": {
            " / (1 - b2**t)": "",
            "(v_hat.sqrt() + eps)": "((v_hat.sqrt() + eps) / (1 - b2**t) ** 0.5)",
        },
        "no eps": {"(v_hat.sqrt() + eps)": "v_hat.sqrt()"},
        "eps is always 1e-8": {'group["eps"]': "1e-8"},
        "betas exchanged": {"b1, b2 =": "b2, b1 ="},
        "the gradient is not squared": {"(1 - b2) * g * g": "(1 - b2) * g"},
        "the square of the mean": {"(1 - b2) * g * g": '(1 - b2) * s["m"] ** 2'},
        "no root": {"v_hat.sqrt()": "v_hat"},
        "running sums, not means": [
            {"(1 - b1) * g": "g", "(1 - b2) * g * g": "g * g"},
            {"(1 - b1) * g": "g"},
            {"(1 - b2) * g * g": "g * g"},
        ],
        "shares of old and new exchanged": [
            {
                'b1 * s["m"] + (1 - b1) * g': '(1 - b1) * s["m"] + b1 * g',
                'b2 * s["v"] + (1 - b2) * g': '(1 - b2) * s["v"] + b2 * g',
            },
            {'b1 * s["m"] + (1 - b1) * g': '(1 - b1) * s["m"] + b1 * g'},
        ],
        "uphill": {"p -= lr * m_hat": "p += lr * m_hat"},
        "the update does not reach the parameter": [
            {"p -= lr * m_hat": "p = p - lr * m_hat"},
            {"p -= lr * m_hat": "p = p - lr * m_hat", "p -= lr * decay": "p = p - lr * decay"},
            {IN_ONE_UPDATE: "pass"},  # not written yet
            {IN_ONE_UPDATE: "pass", IN_ONE_DECAY: ""},
        ],
        "the correction goes into the state": {
            'm_hat = s["m"] /': 'm_hat = s["m"] = s["m"] /',
            'v_hat = s["v"] /': 'v_hat = s["v"] = s["v"] /',
        },
        "running means are not kept": [
            {
                's["m"] = b1 *': "m = b1 *",
                'm_hat = s["m"]': "m_hat = m",
                's["v"] = b2': "v = b2",
                '= s["v"] /': "= v /",
            },
            {'s["m"] = b1 *': "m = b1 *", 'm_hat = s["m"]': "m_hat = m"},
            {'s["v"] = b2 *': "v = b2 *", 'v_hat = s["v"]': "v_hat = v"},
        ],
        "settings of the groups are ignored": [
            {
                'group["lr"], group["weight_decay"], group["eps"]': (
                    'self.defaults["lr"], self.defaults["weight_decay"], self.defaults["eps"]'
                ),
                'group["betas"]': 'self.defaults["betas"]',
            },
        ],
        "running means are not saved": {
            "weight_decay=weight_decay))": "weight_decay=weight_decay))\n        self.memory = defaultdict(dict)",
            "self.state[p]": "self.memory[p]",
        },
        "one state for all parameters": {"self.state[p]": 'self.state["all"]'},
        "no gradient is taken for a gradient of 0": {
            "                    continue": "                    p.grad = torch.zeros_like(p)"
        },
        "parameters without a gradient decay": {
            IN_ONE_DECAY: "",
            "                if p.grad is": "                p -= lr * decay * p\n                if p.grad is",
        },
        "the gradient itself, not its mean": {"lr * m_hat /": "lr * g /"},
        "not divided by the root": {" / (v_hat.sqrt() + eps)": ""},
        "no learning rate in the step": {"lr * m_hat": "m_hat"},
        "lr twice in the step": {"lr * m_hat": "lr * lr * m_hat"},
        "lr is always 1e-3": {"lr * m_hat": "0.001 * m_hat"},
        "only the sign of the mean": {IN_ONE_UPDATE: "p -= lr * m_hat.sign()"},
        "the correction is one step behind": {'t = s["t"]': 't = max(s["t"] - 1, 1)'},
        "the gradient is written over": {"* g * g": "* g.square_()"},
        "no bias correction + uphill": {
            " / (1 - b1**t)": "",
            " / (1 - b2**t)": "",
            "p -= lr * m_hat": "p += lr * m_hat",
        },
        "no weight decay + no root": {IN_ONE_DECAY: "", "v_hat.sqrt()": "v_hat"},
    },
)


def ar_corrected_rate(p, g, s, lr, b1, b2, eps, wd):
    """What corrects the mean is in the rate, and what corrects the square is at its root."""
    s["n"] = n = s.get("n", 0) + 1
    m = s.setdefault("mean", torch.zeros_like(p)).lerp_(g, 1 - b1)
    v = s.setdefault("square", torch.zeros_like(p)).mul_(b2).add_(g**2, alpha=1 - b2)
    below = v.sqrt() / math.sqrt(1 - b2**n) + eps
    rate = lr / (1 - b1**n)
    return p * (1 - lr * wd) - rate * m / below


slips(
    ADAM,
    ar_corrected_rate,
    {
        "weight decay as L2": [
            {"    m = s": "    g = g + wd * p\n    m = s", "p * (1 - lr * wd)": "p"},
            {"lerp_(g,": "lerp_(g + wd * p,", "p * (1 - lr * wd)": "p"},
        ],
        "decayed twice": {"    m = s": "    g = g + wd * p\n    m = s"},
        "the decay is divided by the root": {"p * (1 - lr * wd)": "p", "rate * m": "(rate * m + lr * wd * p)"},
        "decay without the learning rate": {"(1 - lr * wd)": "(1 - wd)"},
        "no weight decay": {" * (1 - lr * wd)": ""},
        "decay after the update": {"p * (1 - lr * wd) - rate * m / below": "(p - rate * m / below) * (1 - lr * wd)"},
        "weights grow": {"(1 - lr * wd)": "(1 + lr * wd)"},
        "no bias correction": {" / (1 - b1**n)": "", " / math.sqrt(1 - b2**n)": ""},
        "only one mean is corrected": [{" / (1 - b1**n)": ""}, {" / math.sqrt(1 - b2**n)": ""}],
        "the power of beta is missing": {"b1**n": "b1", "b2**n": "b2"},
        "both are corrected with one beta": {"b2**n": "b1**n"},
        "corrected after the root": {"math.sqrt(1 - b2**n)": "(1 - b2**n)"},
        "eps inside the root": {"v.sqrt() / math.sqrt(1 - b2**n) + eps": "(v / (1 - b2**n) + eps).sqrt()"},
        "eps before the correction": {
            "v.sqrt() / math.sqrt(1 - b2**n) + eps": "(v.sqrt() + eps) / math.sqrt(1 - b2**n)"
        },
        "no eps": {"math.sqrt(1 - b2**n) + eps": "math.sqrt(1 - b2**n)"},
        "eps is always 1e-8": {"math.sqrt(1 - b2**n) + eps": "math.sqrt(1 - b2**n) + 1e-8"},
        "betas exchanged": {"lr, b1, b2, eps": "lr, b2, b1, eps"},
        "the gradient is not squared": {"g**2": "g"},
        "the square of the mean": {"g**2": "m**2"},
        "no root": {"v.sqrt() / math.sqrt(1 - b2**n)": "v / (1 - b2**n)"},
        "running sums, not means": [
            {"lerp_(g, 1 - b1)": "mul_(b1).add_(g)", "add_(g**2, alpha=1 - b2)": "add_(g**2)"},
            {"lerp_(g, 1 - b1)": "mul_(b1).add_(g)"},
            {"g**2, alpha=1 - b2": "g**2"},
        ],
        "shares of old and new exchanged": [
            {"lerp_(g, 1 - b1)": "lerp_(g, b1)", "mul_(b2)": "mul_(1 - b2)", "alpha=1 - b2": "alpha=b2"},
            {"lerp_(g, 1 - b1)": "lerp_(g, b1)"},
            {"mul_(b2)": "mul_(1 - b2)", "alpha=1 - b2": "alpha=b2"},
        ],
        "uphill": {"- rate * m": "+ rate * m"},
        "the root goes into the state": {"v.sqrt()": "v.sqrt_()"},
        "running means are not kept": [
            {'s.setdefault("mean", torch.zeros_like(p))': "torch.zeros_like(p)"},
            {'s.setdefault("square", torch.zeros_like(p))': "torch.zeros_like(p)"},
            {
                's.setdefault("mean", torch.zeros_like(p))': "torch.zeros_like(p)",
                's.setdefault("square", torch.zeros_like(p))': "torch.zeros_like(p)",
            },
        ],
        "the gradient itself, not its mean": {"rate = lr / (1 - b1**n)": "rate = lr", "rate * m": "rate * g"},
        "not divided by the root": {" / below": ""},
        "no learning rate in the step": {"lr / (1 - b1**n)": "1 / (1 - b1**n)"},
        "the gradient is written over": {"g**2": "g.pow_(2)"},
        "eps before the correction + uphill": {
            "- rate * m": "+ rate * m",
            "v.sqrt() / math.sqrt(1 - b2**n) + eps": "(v.sqrt() + eps) / math.sqrt(1 - b2**n)",
        },
    },
    around=optimizer,
)


class ByLists(torch.optim.Optimizer):
    """Lists of parameters: all decay, then each has its means moved and is changed."""

    def __init__(self, params, **settings):
        usual = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.01}
        super().__init__(params, usual | settings)

    def remembered(self, p):
        if p not in self.state:
            self.state[p] = {"count": 0, "first": torch.zeros_like(p), "second": torch.zeros_like(p)}
        return self.state[p]

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            lr, (b1, b2), eps, decay = (group[name] for name in ("lr", "betas", "eps", "weight_decay"))
            moved = [p for p in group["params"] if p.grad is not None]
            for p in moved:
                p.mul_(1 - lr * decay)
            for p, s in zip(moved, map(self.remembered, moved), strict=True):
                s["count"] += 1
                s["first"].lerp_(p.grad, 1 - b1)
                s["second"].lerp_(p.grad.square(), 1 - b2)
                above = s["first"].div(1 - b1 ** s["count"])
                below = s["second"].div(1 - b2 ** s["count"]).sqrt().add(eps)
                p.addcdiv_(above, below, value=-lr)


LISTS_DECAY = "            for p in moved:\n                p.mul_(1 - lr * decay)\n"

slips(
    ADAM,
    ByLists,
    {
        "one step count for all parameters": {
            '["count"] += 1': '["count"] = self.count = getattr(self, "count", 0) + 1',
        },
        "eps before the correction": {
            '.div(1 - b2 ** s["count"]).sqrt().add(eps)': '.sqrt().add(eps).div((1 - b2 ** s["count"]) ** 0.5)'
        },
        "the root goes into the state": {
            '.div(1 - b2 ** s["count"]).sqrt()': '.sqrt_().div((1 - b2 ** s["count"]) ** 0.5)'
        },
        "running means are not saved": {
            "usual | settings)": "usual | settings)\n        self.memory = {}",
            "if p not in self.state:": "if p not in self.memory:",
            "self.state[p] = {": "self.memory[p] = {",
            "return self.state[p]": "return self.memory[p]",
        },
        "weight decay as L2": [
            {"p.mul_(1 - lr * decay)": "p.grad.add_(p, alpha=decay)"},
            {"p.mul_(1 - lr * decay)": "p.grad = p.grad + decay * p"},
        ],
        "decayed twice": {
            "p.mul_(1 - lr * decay)": "p.mul_(1 - lr * decay)\n                p.grad = p.grad + decay * p"
        },
        "the decay is divided by the root": {LISTS_DECAY: "", "addcdiv_(above,": "addcdiv_(above + decay * p,"},
        "decay without the learning rate": {"1 - lr * decay": "1 - decay"},
        "no weight decay": {LISTS_DECAY: ""},
        "decay after the update": {
            LISTS_DECAY: "",
            "value=-lr)": "value=-lr)\n                p.mul_(1 - lr * decay)",
        },
        "weights grow": {"1 - lr * decay": "1 + lr * decay"},
        "no bias correction": {'.div(1 - b1 ** s["count"])': "", '.div(1 - b2 ** s["count"])': ""},
        "only one mean is corrected": [{'.div(1 - b1 ** s["count"])': ""}, {'.div(1 - b2 ** s["count"])': ""}],
        "the power of beta is missing": {'b1 ** s["count"]': "b1", 'b2 ** s["count"]': "b2"},
        "both are corrected with one beta": {'b2 ** s["count"]': 'b1 ** s["count"]'},
        "corrected after the root": {'.div(1 - b2 ** s["count"]).sqrt()': '.sqrt().div(1 - b2 ** s["count"])'},
        "the step is counted too late": {
            '                s["count"] += 1\n': "",
            "value=-lr)": 'value=-lr)\n                s["count"] += 1',
        },
        "eps inside the root": {".sqrt().add(eps)": ".add(eps).sqrt()"},
        "no eps": {".add(eps)": ""},
        "eps is always 1e-8": {".add(eps)": ".add(1e-8)"},
        "betas exchanged": {"(b1, b2), eps": "(b2, b1), eps"},
        "the gradient is not squared": {"p.grad.square()": "p.grad"},
        "the square of the mean": {"p.grad.square()": 's["first"].square()'},
        "no root": {".sqrt()": ""},
        "running sums, not means": {'s["first"].lerp_(p.grad, 1 - b1)': 's["first"].mul_(b1).add_(p.grad)'},
        "shares of old and new exchanged": {
            "p.grad, 1 - b1": "p.grad, b1",
            "p.grad.square(), 1 - b2": "p.grad.square(), b2",
        },
        "uphill": {"value=-lr": "value=lr"},
        "the update does not reach the parameter": [
            {"p.addcdiv_": "p.addcdiv"},
            {"p.addcdiv_": "p = p.addcdiv", "p.mul_": "p.mul"},
        ],
        "the correction goes into the state": [
            {'["first"].div(': '["first"].div_(', '["second"].div(': '["second"].div_('},
            {'["first"].div(': '["first"].div_('},
            {'["second"].div(': '["second"].div_('},
        ],
        "running means are not kept": [
            {'s["first"].lerp_': 'm = s["first"].lerp', 'above = s["first"]': "above = m"},
        ],
        "settings of the groups are ignored": {"(group[name] for": "(self.param_groups[0][name] for"},
        "one state for all parameters": {
            "if p not in self.state:": 'if "all" not in self.state:',
            "self.state[p] = {": 'self.state["all"] = {',
            "return self.state[p]": 'return self.state["all"]',
        },
        "no gradient is taken for a gradient of 0": {
            "            moved": (
                '            for p in group["params"]:\n'
                "                p.grad = torch.zeros_like(p) if p.grad is None else p.grad\n"
                "            moved"
            )
        },
        "parameters without a gradient decay": {"for p in moved:": 'for p in group["params"]:'},
        "the gradient itself, not its mean": {"p.addcdiv_(above,": "p.addcdiv_(p.grad,"},
        "not divided by the root": {"p.addcdiv_(above, below, value=-lr)": "p.add_(above, alpha=-lr)"},
        "no learning rate in the step": {"value=-lr": "value=-1"},
        "the gradient is written over": {".square()": ".square_()"},
        "decay without the learning rate + eps inside the root": {
            "1 - lr * decay": "1 - decay",
            ".sqrt().add(eps)": ".add(eps).sqrt()",
        },
    },
)
