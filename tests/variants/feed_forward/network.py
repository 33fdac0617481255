"""FeedForward."""

import functools
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import correct, disguise, slips, unlisted
from tests.variants.feed_forward.gelu import exact

NETWORK = "FeedForward"

# Slips ----------------------------------------------------------------------------


class FunctionAfterFunction(nn.Module):
    """Everything by torch's functions; the rate and the word are kept."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0, activation: str = "relu") -> None:
        super().__init__()
        if activation != "relu" and activation != "gelu":
            raise ValueError("relu or gelu")
        self.kind, self.p = activation, dropout
        self.linear1 = nn.Linear(in_features=d_model, out_features=d_ff)
        self.linear2 = nn.Linear(in_features=d_ff, out_features=d_model)

    def forward(self, x: Tensor) -> Tensor:
        """Widen, bend, drop, narrow."""
        h = self.linear1(x)
        h = F.relu(h) if self.kind == "relu" else F.gelu(h)
        h = F.dropout(h, p=self.p, training=self.training)
        return self.linear2(h)


BEND = 'h = F.relu(h) if self.kind == "relu" else F.gelu(h)'
DROP = "h = F.dropout(h, p=self.p, training=self.training)"
slips(
    NETWORK,
    FunctionAfterFunction,
    {
        "no activation": {BEND: ""},
        "activation after linear2": [
            {BEND: "", "return self.linear2(h)": "h = self.linear2(h)\n        " + BEND.replace("h = ", "return ")},
        ],
        "activation also after linear2": {
            "return self.linear2(h)": "h = self.linear2(h)\n        " + BEND.replace("h = ", "return "),
        },
        "activation before linear1": {
            "h = self.linear1(x)": 'x = F.relu(x) if self.kind == "relu" else F.gelu(x)',
            BEND: "h = self.linear1(x)",
        },
        "activation ignored": [{BEND: "h = F.relu(h)"}, {BEND: "h = F.gelu(h)"}],
        "the approximate gelu": {"F.gelu(h)": 'F.gelu(h, approximate="tanh")'},
        "relu and gelu exchanged": [
            {"F.relu(h)": "F.gelu(h)", "F.gelu(h)": "F.relu(h)"},
            {'self.kind == "relu"': 'self.kind == "gelu"'},
        ],
        "one linear layer": [
            {"return self.linear2(h)": "return h", "out_features=d_ff)": "out_features=d_model)"},
            {"return self.linear2(h)": "return h"},
        ],
        "residual connection inside": [
            {"return self.linear2(h)": "return x + self.linear2(h)"},
            {DROP: "", "self.linear2(h)": "x + F.dropout(self.linear2(h), p=self.p, training=self.training)"},
        ],
        "no dropout": [{DROP: ""}, {"p=self.p": "p=0.0"}],
        "dropout after linear2": {
            DROP: "h = self.linear2(h)",
            "return self.linear2(h)": "return F.dropout(h, p=self.p, training=self.training)",
        },
        "dropout twice": {
            "return self.linear2(h)": "return F.dropout(self.linear2(h), p=self.p, training=self.training)"
        },
        "dropout on the input": {
            "h = self.linear1(x)": "h = self.linear1(F.dropout(x, p=self.p, training=self.training))",
            DROP: "",
        },
        "dropout before the activation": {BEND: DROP, DROP: BEND},
        "dropout in evaluation": [{", training=self.training": ""}, {"training=self.training": "training=True"}],
        "d_ff ignored": {"out_features=d_ff)": "out_features=d_model)", "in_features=d_ff,": "in_features=d_model,"},
        "bias missing": {
            "out_features=d_ff)": "out_features=d_ff, bias=False)",
            "out_features=d_model)": "out_features=d_model, bias=False)",
        },
        "any activation is accepted": {'if activation != "relu" and activation != "gelu":': "if not activation:"},
        "residual connection inside + no dropout": {
            "return self.linear2(h)": "return self.linear2(h) + x",
            DROP: "",
        },
    },
)


class AListOfSteps(nn.Module):
    """Modules, and what runs them one after another."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0, activation: str = "relu") -> None:
        super().__init__()
        bends = {"relu": nn.ReLU(), "gelu": nn.GELU()}
        if activation not in bends:
            raise ValueError(f"activation has to be one of {list(bends)}")
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.bend = bends[activation]
        self.drop = nn.Dropout(p=dropout)

    def forward(self, x: Tensor) -> Tensor:
        """From step to step."""
        out = x
        for step in (self.linear1, self.bend, self.drop, self.linear2):
            out = step(out)
        return out


def steps(*names: str) -> dict[str, str]:
    """Other steps in the loop."""
    right = "(self.linear1, self.bend, self.drop, self.linear2)"
    return {right: f"({', '.join(f'self.{name}' for name in names)},)"}


slips(
    NETWORK,
    AListOfSteps,
    {
        "no activation": steps("linear1", "drop", "linear2"),
        "activation after linear2": [
            steps("linear1", "drop", "linear2", "bend"),
            steps("linear1", "linear2", "bend", "drop"),
            steps("linear1", "linear2", "drop", "bend"),
        ],
        "activation also after linear2": steps("linear1", "bend", "drop", "linear2", "bend"),
        "activation before linear1": steps("bend", "linear1", "drop", "linear2"),
        "activation also before linear1": steps("bend", "linear1", "bend", "drop", "linear2"),
        "activation ignored": [{"bends[activation]": "nn.ReLU()"}, {"bends[activation]": 'bends["gelu"]'}],
        "the approximate gelu": {"nn.GELU()": 'nn.GELU("tanh")'},
        "relu and gelu exchanged": {"nn.ReLU()": "nn.GELU()", "nn.GELU()": "nn.ReLU()"},
        "one linear layer": [
            {**steps("linear1", "bend", "drop"), "nn.Linear(d_model, d_ff)": "nn.Linear(d_model, d_model)"},
            steps("linear1", "bend", "drop"),
        ],
        "residual connection inside": {"return out": "return x + out"},
        "no dropout": [steps("linear1", "bend", "linear2"), {"p=dropout": "p=0"}],
        "dropout after linear2": steps("linear1", "bend", "linear2", "drop"),
        "dropout twice": steps("linear1", "bend", "drop", "linear2", "drop"),
        "dropout on the input": steps("drop", "linear1", "bend", "linear2"),
        "dropout before the activation": steps("linear1", "drop", "bend", "linear2"),
        "d_ff ignored": {
            "nn.Linear(d_model, d_ff)": "nn.Linear(d_model, d_model)",
            "nn.Linear(d_ff, d_model)": "nn.Linear(d_model, d_model)",
        },
        "bias missing": {
            "nn.Linear(d_model, d_ff)": "nn.Linear(d_model, d_ff, bias=False)",
            "nn.Linear(d_ff, d_model)": "nn.Linear(d_ff, d_model, bias=False)",
        },
        "any activation is accepted": [
            {"if activation not in bends:": "if not bends:", "bends[activation]": "bends.get(activation, nn.GELU())"},
            {
                "if activation not in bends:": "if not bends:",
                "bends[activation]": 'bends.get(activation, bends["relu"])',
            },
        ],
        "activation after linear2 + no dropout": steps("linear1", "linear2", "bend"),
        "activation after linear2 + residual connection inside": {
            **steps("linear1", "drop", "linear2", "bend"),
            "return out": "return out + x",
        },
    },
)


class RowsTimesMatrices(nn.Module):
    """One matrix of all tokens; dropout by hand."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0, activation: str = "relu") -> None:
        super().__init__()
        if activation == "relu":
            self.phi = functools.partial(torch.clamp, min=0)
        elif activation == "gelu":
            self.phi = exact
        else:
            raise ValueError(f"{activation=}")
        self.rate = dropout
        self.linear2 = nn.Linear(d_ff, d_model)
        self.linear1 = nn.Linear(d_model, d_ff)

    def forward(self, x: Tensor) -> Tensor:
        """x W₁ᵀ + b₁, bent, times W₂ᵀ, + b₂."""
        first, second = self.linear1, self.linear2
        rows = x.reshape(-1, x.shape[-1])
        wide = self.phi(torch.addmm(first.bias, rows, first.weight.t()))
        if self.training:
            kept = torch.rand_like(wide) >= self.rate
            wide = torch.where(kept, wide / (1 - self.rate), 0.0)
        narrow = wide @ second.weight.t() + second.bias
        return narrow.reshape(x.shape)


UNBENT = "torch.addmm(first.bias, rows, first.weight.t())"
WIDE = f"self.phi({UNBENT})"
slips(
    NETWORK,
    RowsTimesMatrices,
    {
        "no activation": {WIDE: UNBENT},
        "activation also after linear2": {"return narrow": "return self.phi(narrow)"},
        "activation before linear1": {WIDE: "torch.addmm(first.bias, self.phi(rows), first.weight.t())"},
        "activation also before linear1": {"rows = x.reshape": "rows = self.phi(x).reshape"},
        "activation after linear2": {WIDE: UNBENT, "return narrow": "return self.phi(narrow)"},
        "activation ignored": {"self.phi = exact": "self.phi = functools.partial(torch.clamp, min=0)"},
        "the approximate gelu": {"self.phi = exact": "self.phi = functools.partial(F.gelu, approximate='tanh')"},
        "relu and gelu exchanged": [
            {'activation == "relu"': 'activation == "gelu"', 'activation == "gelu"': 'activation == "relu"'},
        ],
        "one linear layer": {
            "nn.Linear(d_model, d_ff)": "nn.Linear(d_model, d_model)",
            "wide @ second.weight.t() + second.bias": "wide",
        },
        "residual connection inside": {"return narrow.reshape(x.shape)": "return x + narrow.reshape(x.shape)"},
        "no dropout": {"if self.training:": "if False:"},
        "dropout in evaluation": {"if self.training:": "if True:"},
        "dropout without scaling up": [
            {"wide / (1 - self.rate)": "wide"},
            {"torch.where(kept, wide / (1 - self.rate), 0.0)": "wide * kept"},
        ],
        "dropout before the activation": {
            WIDE: UNBENT,
            "narrow = wide @": "wide = self.phi(wide)\n        narrow = wide @",
        },
        "d_ff ignored": {
            "nn.Linear(d_ff, d_model)": "nn.Linear(d_model, d_model)",
            "nn.Linear(d_model, d_ff)": "nn.Linear(d_model, d_model)",
        },
        "bias missing": {
            "nn.Linear(d_ff, d_model)": "nn.Linear(d_ff, d_model, bias=False)",
            "nn.Linear(d_model, d_ff)": "nn.Linear(d_model, d_ff, bias=False)",
            UNBENT: "(rows @ first.weight.t())",
            " + second.bias": "",
        },
        "any activation is accepted": {'elif activation == "gelu":': "elif activation:"},
        "no activation + residual connection inside": {
            WIDE: UNBENT,
            "return narrow.reshape(x.shape)": "return x + narrow.reshape(x.shape)",
        },
    },
)


# Written in full ----------------------------------------------------------------------------


class Base(nn.Module):
    """The constructor that the notebook gives, with nothing of a reference in it."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0, activation: str = "relu") -> None:
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation={activation!r}")
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)
        self.activation = {"relu": F.relu, "gelu": exact}[activation]


def network(kind: str, mistake: str = "", base: type = Base) -> Any:
    """A FeedForward from its forward."""

    def add(forward: Callable) -> Any:
        name = getattr(forward, "__name__", "network")
        made = type(name, (base,), {"forward": forward})
        if kind == "disguise":
            disguise(NETWORK, mistake)(made)
        else:
            (correct if kind == "correct" else unlisted)(NETWORK)(made)
        return forward

    return add


def wrong(mistake: str, base: type = Base) -> Any:
    """A disguise from its forward."""
    return network("disguise", mistake, base)


@wrong("no activation")
def straight(self: Any, x: Tensor) -> Tensor:
    return F.linear(self.dropout(self.linear1(x)), self.linear2.weight, self.linear2.bias)


def in_turn(*names: str, added: bool = False) -> Callable:
    """A forward that calls its parts in this order."""

    def forward(self: Any, x: Tensor) -> Tensor:
        made = functools.reduce(lambda t, name: getattr(self, name)(t), names, x)
        return made + x if added else made

    return forward


wrong("activation after linear2")(in_turn("linear1", "dropout", "linear2", "activation"))
wrong("activation also after linear2")(in_turn("linear1", "activation", "dropout", "linear2", "activation"))


@wrong("activation before linear1")
def bent_at_the_start(self: Any, x: Tensor) -> Tensor:
    return self.linear2(self.dropout(self.linear1(self.activation(x))))


@wrong("activation also before linear1")
def prenorm_style(self: Any, x: Tensor) -> Tensor:
    h = self.activation(self.linear1(self.activation(x)))
    return self.linear2(self.dropout(h))


@wrong("activation ignored")
def hard_relu(self: Any, x: Tensor) -> Tensor:
    return self.linear2(self.dropout(self.linear1(x).clamp(min=0)))


@wrong("activation ignored")
def hard_gelu(self: Any, x: Tensor) -> Tensor:
    h = self.linear1(x)
    return self.linear2(self.dropout(h * torch.special.ndtr(h)))


class Approximate(Base):
    """nn.GELU with tanh."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0, activation: str = "relu") -> None:
        super().__init__(d_model, d_ff, dropout, activation)
        self.activation = nn.ReLU() if activation == "relu" else nn.GELU(approximate="tanh")


class Exchanged(Base):
    """relu for gelu."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0, activation: str = "relu") -> None:
        super().__init__(d_model, d_ff, dropout, activation)
        self.activation = nn.GELU() if activation == "relu" else nn.ReLU()


def plain(self: Any, x: Tensor) -> Tensor:
    return self.linear2(self.dropout(self.activation(self.linear1(x))))


wrong("the approximate gelu", Approximate)(plain)
wrong("relu and gelu exchanged", Exchanged)(plain)


class Single(nn.Module):
    """One matrix."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0, activation: str = "relu") -> None:
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(activation)
        self.linear1 = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.activation = nn.ReLU() if activation == "relu" else nn.GELU()


class SingleLinear(Single):
    """Under another name."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0, activation: str = "relu") -> None:
        super().__init__(d_model, d_ff, dropout, activation)
        self.linear = self.linear1
        del self.linear1


class Wide(Single):
    """d_ff features come out."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0, activation: str = "relu") -> None:
        super().__init__(d_model, d_ff, dropout, activation)
        self.linear1 = nn.Linear(d_model, d_ff)


wrong("one linear layer", Single)(lambda self, x: self.dropout(self.activation(self.linear1(x))) + x)
wrong("one linear layer", Single)(lambda self, x: self.activation(self.linear1(x)))
wrong("one linear layer", SingleLinear)(lambda self, x: x + self.dropout(self.activation(self.linear(x))))
wrong("one linear layer", Wide)(lambda self, x: self.dropout(self.activation(self.linear1(x))))
wrong("residual connection inside")(lambda self, x: self.dropout(x + self.linear2(self.activation(self.linear1(x)))))


@wrong("biases not added")
def matrices_alone(self: Any, x: Tensor) -> Tensor:
    widened = self.dropout(self.activation(torch.einsum("...i,oi->...o", x, self.linear1.weight)))
    return torch.einsum("...i,oi->...o", widened, self.linear2.weight)


@wrong("biases not added")
def second_matrix_alone(self: Any, x: Tensor) -> Tensor:
    return F.linear(self.dropout(self.activation(self.linear1(x))), self.linear2.weight)


@wrong("no dropout")
def undropped(self: Any, x: Tensor) -> Tensor:
    return self.linear2(self.activation(self.linear1(x)))


wrong("dropout after linear2")(in_turn("linear1", "activation", "linear2", "dropout"))
wrong("dropout twice")(in_turn("linear1", "activation", "dropout", "linear2", "dropout"))


@wrong("dropout on the input")
def dropped_first(self: Any, x: Tensor) -> Tensor:
    return self.linear2(self.activation(self.linear1(F.dropout(x, self.dropout.p, self.training))))


wrong("dropout before the activation")(in_turn("linear1", "dropout", "activation", "linear2"))


@wrong("dropout in evaluation")
def always_dropped(self: Any, x: Tensor) -> Tensor:
    return self.linear2(F.dropout(self.activation(self.linear1(x)), self.dropout.p))


@wrong("dropout without scaling up")
def masked(self: Any, x: Tensor) -> Tensor:
    h = self.activation(self.linear1(x))
    if self.training:
        h = h * (torch.rand_like(h) >= self.dropout.p)
    return self.linear2(h)


class Square(Base):
    """d_ff is of no consequence."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0, activation: str = "relu") -> None:
        super().__init__(d_model, d_model, dropout, activation)


class Unbiased(Base):
    """Without biases."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0, activation: str = "relu") -> None:
        super().__init__(d_model, d_ff, dropout, activation)
        self.linear1.bias = self.linear2.bias = None


class Open(nn.Module):
    """Without the given lines that refuse."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0, activation: str = "relu") -> None:
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)
        self.activation = nn.ReLU() if activation == "relu" else nn.GELU()


wrong("d_ff ignored", Square)(plain)
wrong("bias missing", Unbiased)(plain)
wrong("any activation is accepted", Open)(plain)
wrong("no activation + residual connection inside")(lambda self, x: x + self.linear2(self.dropout(self.linear1(x))))

# Right ----------------------------------------------------------------------------


class Modules(Base):
    """Activations as modules."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0, activation: str = "relu") -> None:
        super().__init__(d_model, d_ff, dropout, activation)
        self.activation = nn.ReLU(inplace=True) if activation == "relu" else nn.GELU()


network("correct", base=Modules)(plain)


@network("correct")
def by_hand(self: Any, x: Tensor) -> Tensor:
    h = self.dropout(self.activation(torch.einsum("...i,fi->...f", x, self.linear1.weight) + self.linear1.bias))
    return h @ self.linear2.weight.T + self.linear2.bias


@network("correct")
def one_feature_after_the_other(self: Any, x: Tensor) -> Tensor:
    h = self.dropout(self.activation(self.linear1(x)))
    parts = [h[..., i, None] * self.linear2.weight[:, i] for i in range(h.shape[-1])]
    return sum(parts) + self.linear2.bias


# Wrong in other ways ----------------------------------------------------------------------------

network("unlisted")(lambda self, x: self.linear2(self.dropout(F.leaky_relu(self.linear1(x), 0.1))))
wrong("another activation")(lambda self, x: self.linear2(self.dropout(torch.tanh(self.linear1(x)))))
wrong("another rate of dropout")(
    lambda self, x: self.linear2(F.dropout(self.activation(self.linear1(x)), 0.5, self.training))
)
network("unlisted")(lambda self, x: self.linear2(self.dropout(self.activation(self.linear1(x)).clamp(max=6))))
network("unlisted")(lambda self, x: self.linear2(self.dropout(self.activation(self.linear1(x)).softmax(-1))))
network("unlisted")(lambda self, x: self.linear2(self.dropout(self.activation(self.linear1(x)).cumsum(-1))))
network("unlisted")(lambda self, x: self.linear2(self.dropout(self.activation(self.linear1(x.detach())))))
network("unlisted")(lambda self, x: self.linear2(self.dropout(self.activation(self.linear1(x)).square())))
network("unlisted")(
    lambda self, x: self.linear2(self.dropout(self.activation(self.linear1(x)))) + x.flip(0 if x.dim() > 1 else -1)
)
network("unlisted")(
    lambda self, x: self.linear2(F.dropout1d(self.activation(self.linear1(x)), self.dropout.p, self.training))
)
