"""SwiGLU."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import correct, disguise, slips, unlisted

SWI_GLU = "SwiGLU"

# Slips ----------------------------------------------------------------------------


class AsPublishedModelsHaveIt(nn.Module):
    """One line, with torch's silu."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, False)
        self.up = nn.Linear(d_model, d_ff, False)
        self.down = nn.Linear(d_ff, d_model, False)
        self.act_fn = nn.SiLU()

    def forward(self, x: Tensor) -> Tensor:
        """Gate, lift, bring down."""
        return self.down(self.act_fn(self.gate(x)) * self.up(x))


slips(
    SWI_GLU,
    AsPublishedModelsHaveIt,
    {
        "no gate": [
            {"self.act_fn(self.gate(x)) * self.up(x)": "self.act_fn(self.gate(x))"},
            {"self.act_fn(self.gate(x)) * self.up(x)": "self.act_fn(self.up(x))"},
        ],
        "gate and up exchanged": {"self.gate(x)": "self.up(x)", "self.up(x)": "self.gate(x)"},
        "sigmoid instead of swish": [
            {"nn.SiLU()": "nn.Sigmoid()"},
            {"self.act_fn(self.gate(x)) * self.up(x)": "self.gate(x) * torch.sigmoid(self.up(x))"},
        ],
        "relu instead of swish": {"nn.SiLU()": "nn.ReLU()"},
        "gelu instead of swish": [{"nn.SiLU()": "nn.GELU()"}, {"nn.SiLU()": 'nn.GELU("tanh")'}],
        "tanh instead of swish": {"nn.SiLU()": "nn.Tanh()"},
        "no swish": [{"nn.SiLU()": "nn.Identity()"}, {"self.act_fn(self.gate(x))": "self.gate(x)"}],
        "swish of the product": {"self.act_fn(self.gate(x)) * self.up(x)": "self.act_fn(self.gate(x) * self.up(x))"},
        "swish of both": {"* self.up(x)": "* self.act_fn(self.up(x))"},
        "added instead of multiplied": {"* self.up(x)": "+ self.up(x)"},
        "swish after down": [
            {"self.down(self.act_fn(self.gate(x)) * self.up(x))": f"self.act_fn(self.down({inside} * self.up(x)))"}
            for inside in ("self.gate(x)", "self.act_fn(self.gate(x))")
        ],
        "the gate multiplied by itself": [{"self.up(x)": "self.gate(x)"}, {"self.gate(x)": "self.up(x)"}],
        "down left out": {
            "self.down(self.act_fn(self.gate(x)) * self.up(x))": "self.act_fn(self.gate(x)) * self.up(x)"
        },
        "biases too many": [
            {
                "self.gate = nn.Linear(d_model, d_ff, False)": "self.gate = nn.Linear(d_model, d_ff)",
                "self.up = nn.Linear(d_model, d_ff, False)": "self.up = nn.Linear(d_model, d_ff)",
                "self.down = nn.Linear(d_ff, d_model, False)": "self.down = nn.Linear(d_ff, d_model)",
            },
            {"self.down = nn.Linear(d_ff, d_model, False)": "self.down = nn.Linear(d_ff, d_model)"},
            {"self.gate = nn.Linear(d_model, d_ff, False)": "self.gate = nn.Linear(d_model, d_ff)"},
        ],
        "residual connection inside": {"return self.down(": "return x + self.down("},
        "gate and up exchanged + relu instead of swish": {
            "self.gate(x)": "self.up(x)",
            "self.up(x)": "self.gate(x)",
            "nn.SiLU()": "nn.ReLU()",
        },
        "sigmoid instead of swish + added instead of multiplied": {
            "nn.SiLU()": "nn.Sigmoid()",
            "* self.up": "+ self.up",
        },
    },
)


class OneProductForBoth(nn.Module):
    """Both layers in one matrix product, taken apart again."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        widen = {"in_features": d_model, "out_features": d_ff, "bias": False}
        self.up, self.gate = nn.Linear(**widen), nn.Linear(**widen)
        self.down = nn.Linear(in_features=d_ff, out_features=d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """The rows of `gate` first."""
        both = F.linear(x, torch.cat([self.gate.weight, self.up.weight]))
        g, u = both.chunk(2, dim=-1)
        swish = g / (1 + torch.exp(-g))
        h = swish * u
        return F.linear(h, self.down.weight)


slips(
    SWI_GLU,
    OneProductForBoth,
    {
        "no gate": [
            {"h = swish * u": "h = swish"},
            {"h = swish * u": "h = u"},
            {"g / (1 + torch.exp(-g))": "u / (1 + torch.exp(-u))", "swish * u": "swish"},
        ],
        "gate and up exchanged": [
            {"[self.gate.weight, self.up.weight]": "[self.up.weight, self.gate.weight]"},
            {"g, u = both": "u, g = both"},
        ],
        "sigmoid instead of swish": {"g / (1 + torch.exp(-g))": "1 / (1 + torch.exp(-g))"},
        "relu instead of swish": {"g / (1 + torch.exp(-g))": "torch.maximum(g, torch.zeros_like(g))"},
        "gelu instead of swish": {"g / (1 + torch.exp(-g))": "g * torch.special.ndtr(g)"},
        "sign turned in the sigmoid": {"torch.exp(-g)": "torch.exp(g)"},
        "no swish": {"swish * u": "g * u"},
        "swish of the product": {
            "swish = g / (1 + torch.exp(-g))": "product = g * u",
            "h = swish * u": "h = product / (1 + torch.exp(-product))",
        },
        "swish of both": {"swish * u": "swish * u / (1 + torch.exp(-u))"},
        "added instead of multiplied": {"swish * u": "swish + u"},
        "swish after down": {
            "swish = g / (1 + torch.exp(-g))": "h = F.linear(g * u, self.down.weight)",
            "h = swish * u\n": "\n",
            "F.linear(h, self.down.weight)": "h / (1 + torch.exp(-h))",
        },
        "the gate multiplied by itself": {"swish * u": "swish * g"},
        "residual connection inside": {"return F.linear(": "return x + F.linear("},
        "no gate + sigmoid instead of swish": {"h = swish * u": "h = swish", "g / (1": "1 / (1"},
    },
)


class StepByStep(nn.Module):
    """A name for each step, and torch's methods."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        bias = False
        for name in ("up", "gate"):
            self.add_module(name, nn.Linear(d_model, d_ff, bias=bias))
        self.add_module("down", nn.Linear(d_ff, d_model, bias=bias))

    def forward(self, x: Tensor) -> Tensor:
        """Where the gate is shut, nothing of `up` passes."""
        opening = self.gate(x)
        sigma = opening.sigmoid()
        opening = opening.mul(sigma)
        passed = self.up(x).mul(opening)
        out = self.down(passed)
        return out


slips(
    SWI_GLU,
    StepByStep,
    {
        "no gate": [
            {"self.up(x).mul(opening)": "opening"},
            {"self.gate(x)": "self.up(x)", "self.up(x).mul(opening)": "opening"},
        ],
        "gate and up exchanged": {"self.gate(x)": "self.up(x)", "self.up(x)": "self.gate(x)"},
        "sigmoid instead of swish": {"self.up(x).mul(opening)": "self.up(x).mul(sigma)"},
        "relu instead of swish": {"opening.mul(sigma)": "opening.relu()"},
        "gelu instead of swish": {"opening.mul(sigma)": "F.gelu(opening)"},
        "tanh instead of swish": {"opening.mul(sigma)": "opening.tanh()"},
        "sign turned in the sigmoid": {"opening.sigmoid()": "(-opening).sigmoid()"},
        "no swish": {"opening = opening.mul(sigma)\n": "\n"},
        "swish of the product": {
            "sigma = opening.sigmoid()": "product = opening * self.up(x)",
            "opening = opening.mul(sigma)\n": "\n",
            "passed = self.up(x).mul(opening)": "passed = product * product.sigmoid()",
        },
        "swish of both": {"self.up(x).mul(opening)": "F.silu(self.up(x)).mul(opening)"},
        "added instead of multiplied": {"self.up(x).mul(opening)": "self.up(x).add(opening)"},
        "swish after down": {
            "opening = opening.mul(sigma)\n": "\n",
            "return out": "return out * out.sigmoid()",
        },
        "down left out": {"self.down(passed)": "passed"},
        "the gate multiplied by itself": {"self.up(x)": "self.gate(x)"},
        "biases too many": [
            {"bias = False": "bias = True"},
            {'self.add_module("down"': 'bias = True\n        self.add_module("down"'},
            {"nn.Linear(d_model, d_ff, bias=bias)": "nn.Linear(d_model, d_ff)"},
        ],
        "residual connection inside": [{"return out": "return out + x"}, {"return out": "return out.add_(x)"}],
        "gate and up exchanged + gelu instead of swish": {
            "self.gate(x)": "self.up(x)",
            "self.up(x)": "self.gate(x)",
            "opening.mul(sigma)": "F.gelu(opening)",
        },
    },
)


# Written in full ----------------------------------------------------------------------------


class Gated(nn.Module):
    """Three layers without biases, made in another order."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.down = nn.Linear(d_ff, d_model, False)
        self.up, self.gate = (nn.Linear(d_model, d_ff, False) for _ in range(2))


def gated(kind: str, mistake: str = "", base: type = Gated) -> Any:
    """A SwiGLU from its forward."""

    def add(forward: Callable) -> Any:
        made = type("Made", (base,), {"forward": forward})
        if kind == "disguise":
            disguise(SWI_GLU, mistake)(made)
        else:
            (correct if kind == "correct" else unlisted)(SWI_GLU)(made)
        return forward

    return add


def wrong(mistake: str, forward: Callable, base: type = Gated) -> None:
    """A disguise from its forward."""
    gated("disguise", mistake, base)(forward)


def of_two(combine: Callable[[Tensor, Tensor], Tensor]) -> Callable:
    """A forward that combines gate and up."""
    return lambda self, x: F.linear(combine(self.gate(x), self.up(x)), self.down.weight)


wrong("no gate", of_two(lambda g, u: F.silu(g)))
wrong("gate and up exchanged", of_two(lambda g, u: g * F.silu(u)))
wrong("sigmoid instead of swish", of_two(lambda g, u: u / (1 + torch.exp(-g))))
wrong("sigmoid instead of swish", of_two(lambda g, u: g * u.sigmoid()))
wrong("relu instead of swish", of_two(lambda g, u: g.clamp_min(0) * u))
wrong("gelu instead of swish", of_two(lambda g, u: F.gelu(g, approximate="tanh") * u))
wrong("gelu instead of swish", of_two(lambda g, u: g / (1 + torch.exp(-1.702 * g)) * u))
wrong("tanh instead of swish", of_two(lambda g, u: u * (2 * (2 * g).sigmoid() - 1)))
wrong("sign turned in the sigmoid", of_two(lambda g, u: g / (1 + g.exp()) * u))
wrong("no swish", of_two(torch.mul))
wrong("no gate", of_two(lambda g, u: u))
wrong("swish before the gate", lambda self, x: self.down(self.gate(F.silu(x)) * self.up(x)))
wrong("swish of the product", of_two(lambda g, u: F.silu(g * u)))
wrong("swish of both", of_two(lambda g, u: F.silu(g) * F.silu(u)))
wrong("added instead of multiplied", of_two(lambda g, u: F.silu(g) + u))
wrong("swish after down", lambda self, x: F.silu(self.down(self.gate(x) * self.up(x))))
wrong("swish after down", lambda self, x: F.silu(self.down(F.silu(self.gate(x)) * self.up(x))))
wrong("the gate multiplied by itself", of_two(lambda g, u: F.silu(g) * g))
wrong("the gate multiplied by itself", of_two(lambda g, u: u.square() * u.sigmoid()))
wrong("down left out", lambda self, x: torch.mul(F.silu(self.gate(x)), self.up(x)))
wrong("residual connection inside", lambda self, x: self.down(F.silu(self.gate(x)) * self.up(x)).add(x))


class Biased(nn.Module):
    """With biases."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.gate, self.up, self.down = nn.Linear(d_model, d_ff), nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)


wrong("biases too many", lambda self, x: self.down(F.silu(self.gate(x)) * self.up(x)), Biased)
# Right ----------------------------------------------------------------------------

gated("correct")(of_two(lambda g, u: u * g / (1 + torch.exp(-g))))
gated("correct")(of_two(lambda g, u: torch.einsum("...f,...f,...f->...f", g, u, g.sigmoid())))
gated("correct")(of_two(lambda g, u: nn.SiLU()(g) * u))
gated("correct")(of_two(lambda g, u: u * g * (torch.tanh(g / 2) + 1) / 2))


@gated("correct")
def fused(self: Any, x: Tensor) -> Tensor:
    both = F.linear(x, torch.cat([self.gate.weight, self.up.weight]))
    return self.down(F.glu(torch.cat([both.chunk(2, -1)[1] * both.chunk(2, -1)[0], both.chunk(2, -1)[0]], -1)))


# Wrong in other ways ----------------------------------------------------------------------------

gated("unlisted")(of_two(lambda g, u: F.silu(1.5 * g) * u))
gated("unlisted")(of_two(lambda g, u: F.silu(g.detach()) * u))
gated("unlisted")(of_two(lambda g, u: g.softmax(-1) * u))
gated("unlisted")(of_two(lambda g, u: F.silu(g) * u + u))
gated("unlisted")(lambda self, x: self.down(self.up(x) * (F.silu if self.training else F.relu)(self.gate(x))))
