"""Lesson 05. Nothing here uses the reference."""

import functools
import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import correct, disguise, unlisted

ROOT2 = math.sqrt(2)
SLOPE = math.sqrt(2 / math.pi)


def must_be_known(form: str) -> None:
    """The given lines."""
    if form not in ("none", "tanh"):
        raise ValueError(f"approximate={form!r}")


def exact(x: Tensor) -> Tensor:
    """By the complement of erf."""
    return x * torch.erfc(-x * 0.5**0.5) / 2


def approximate(x: Tensor) -> Tensor:
    """½ (1 + tanh u) is sigmoid(2 u)."""
    return x * torch.sigmoid(2 * SLOPE * x * (1 + 0.044715 * x * x))


# gelu, wrong ----------------------------------------------------------------------------


def two_forms(one: Callable[[Tensor], Tensor], other: Callable[[Tensor], Tensor]) -> Any:
    """A gelu of a function for "none" and one for "tanh"."""

    def gelu(x: Tensor, approximate: str = "none") -> Tensor:
        must_be_known(approximate)
        return {"none": one, "tanh": other}[approximate](x)

    return gelu


def gelu_wrong(mistake: str, none: Callable = exact, tanh: Callable = approximate) -> None:
    """A disguise of gelu."""
    disguise("gelu", mistake)(two_forms(none, tanh))


def everywhere(mistake: str, of: Callable[[Tensor], Tensor]) -> None:
    """The same slip in both forms, in the first, and in the second."""
    gelu_wrong(mistake, of, of)
    gelu_wrong(mistake, none=of)
    gelu_wrong(mistake, tanh=of)


def bent(inner: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """½ x (1 + tanh(inner))."""
    return lambda x: x.mul(torch.tanh(inner(x)).add(1)).div(2)


gelu_wrong("always the exact form", exact, exact)
gelu_wrong("always the form with tanh", approximate, approximate)
gelu_wrong("the two forms exchanged", approximate, exact)
everywhere("sigmoid instead of the normal distribution", F.silu)
everywhere("sigmoid instead of the normal distribution", lambda x: x / (1 + torch.exp(-x)))
everywhere("QuickGELU", lambda x: torch.sigmoid(x * 1.702).mul(x))
everywhere("relu instead of gelu", lambda x: x.clamp_min(0))
gelu_wrong("x missing", lambda x: torch.special.ndtr(x), lambda x: torch.sigmoid(2 * SLOPE * (x + 0.044715 * x.pow(3))))
gelu_wrong("x missing", none=lambda x: torch.distributions.Normal(0.0, 1.0).cdf(x))
everywhere(
    "height of the bell instead of the area", lambda x: x * torch.distributions.Normal(0.0, 1.0).log_prob(x).exp()
)
gelu_wrong("brackets missing", none=lambda x: x / 2 + torch.erf(x / ROOT2))
gelu_wrong("brackets missing", tanh=lambda x: x / 2 + torch.tanh(SLOPE * (x + 0.044715 * x**3)))
gelu_wrong("half missing", lambda x: 2 * exact(x), lambda x: x + x * torch.tanh(SLOPE * (x + 0.044715 * x**3)))
gelu_wrong("half missing", none=lambda x: x * (torch.erf(x / 2**0.5) + 1))
gelu_wrong("half missing", tanh=lambda x: approximate(x) * 2)
gelu_wrong("1 missing", lambda x: exact(x) - x / 2, lambda x: approximate(x) - 0.5 * x)
gelu_wrong("1 missing", none=lambda x: x * torch.erf(x / ROOT2) / 2)
gelu_wrong("1 missing", tanh=lambda x: x * torch.tanh(SLOPE * (x + 0.044715 * x**3)) / 2)
gelu_wrong("x times the bare curve", none=lambda x: x * torch.erf(x / ROOT2))
gelu_wrong("1 minus the curve", lambda x: x - exact(x), lambda x: x - approximate(x))
gelu_wrong("wrong argument of erf", none=lambda x: x * torch.erfc(-x) / 2)
gelu_wrong("wrong argument of erf", none=lambda x: x * torch.erfc(-x / 2) / 2)
gelu_wrong("wrong argument of erf", none=lambda x: x * torch.special.ndtr(2 * x))
gelu_wrong("wrong argument of erf", none=lambda x: (torch.erf(x) / ROOT2 + 1) * x / 2)
gelu_wrong("wrong factor in the tanh", tanh=bent(lambda x: 2 / torch.pi * (x + 0.044715 * x**3)))
gelu_wrong("wrong factor in the tanh", tanh=bent(lambda x: x + 0.044715 * x**3))
gelu_wrong("wrong factor in the tanh", tanh=bent(lambda x: 2**0.5 / torch.pi * (x + 0.044715 * x**3)))
gelu_wrong("wrong number before x³", tanh=bent(lambda x: SLOPE * (x + x**3 * 0.44715)))
gelu_wrong("wrong number before x³", tanh=bent(lambda x: SLOPE * x * (1 + 0.0044715 * x**2)))
gelu_wrong("square instead of cube", tanh=bent(lambda x: SLOPE * (x + 0.044715 * x.square())))
gelu_wrong("x³ missing", tanh=bent(lambda x: SLOPE * x))
gelu_wrong("x missing in the tanh", tanh=bent(lambda x: SLOPE * 0.044715 * x.pow(3)))
gelu_wrong("the factor reaches x only", tanh=bent(lambda x: x * SLOPE + 0.044715 * x * x * x))
gelu_wrong("the two forms exchanged + half missing", lambda x: 2 * approximate(x), lambda x: 2 * exact(x))
gelu_wrong("wrong argument of erf + wrong number before x³", lambda x: x * torch.erfc(-x) / 2,
           bent(lambda x: SLOPE * x * (1 + 0.44715 * x**2)))  # fmt: skip


def by_exponentials(x: Tensor) -> Tensor:
    u = SLOPE * (x + 0.044715 * x**3)
    up, down = torch.exp(u), torch.exp(-u)
    return 0.5 * x * (1 + (up - down) / (up + down))


gelu_wrong("tanh that overflows", tanh=by_exponentials)


gelu_wrong(
    "brackets missing",
    none=lambda x: x / 2 + torch.erf(x * 2**-0.5) / 2,
    tanh=lambda x: (x + torch.tanh(SLOPE * (x + 0.044715 * x**3))) / 2,
)


@disguise("gelu", "any word is accepted")
def takes_anything(x: Tensor, approximate: str = "none") -> Tensor:
    if approximate == "tanh":
        return bent(lambda z: SLOPE * (z + 0.044715 * z**3))(x)
    return x * torch.special.ndtr(x)


@disguise("gelu", "writes into its input")
def spoils(x: Tensor, approximate: str = "none") -> Tensor:
    must_be_known(approximate)
    share = (1 + (torch.erf(x / ROOT2) if approximate == "none" else torch.tanh(SLOPE * (x + 0.044715 * x**3)))) / 2
    x *= share
    return x


# gelu, right ----------------------------------------------------------------------------


@correct("gelu")
def by_the_normal_distribution(x: Tensor, approximate: str = "none") -> Tensor:
    must_be_known(approximate)
    if approximate == "none":
        return torch.distributions.Normal(0.0, 1.0).cdf(x) * x
    inner = SLOPE * (x + 0.044715 * torch.pow(x, 3))
    return x - x * torch.sigmoid(-2 * inner)


correct("gelu")(two_forms(lambda x: x * torch.special.ndtr(x), approximate))
correct("gelu")(two_forms(exact, bent(lambda x: (2 / torch.pi) ** 0.5 * x * (1 + x * x * 0.044715))))
correct("gelu")(two_forms(lambda x: torch.where(x > 0, x + exact(-x), exact(x)), approximate))


@correct("gelu")
def a_table_of_forms(x: Tensor, approximate: str = "none") -> Tensor:
    curves = {
        "none": functools.partial(torch.special.erf),
        "tanh": lambda z: torch.tanh(math.sqrt(2 / torch.pi) * (z * ROOT2 + 0.044715 * (z * ROOT2) ** 3)),
    }
    if approximate not in curves:
        raise ValueError("one of " + ", ".join(curves))
    return x / 2 + x / 2 * curves[approximate](x / ROOT2)


@correct("gelu")
def with_a_match(x: Tensor, approximate: str = "none") -> Tensor:
    match approximate:
        case "none":
            share = 0.5 + 0.5 * torch.erf(x * 0.7071067811865476)
        case "tanh":
            share = 0.5 + 0.5 * torch.tanh(0.7978845608028654 * x + 0.035677408136300125 * x * x * x)
        case _:
            raise ValueError(approximate)
    return torch.mul(share, x)


# gelu, wrong in other ways ----------------------------------------------------------------------------

unlisted("gelu")(two_forms(F.elu, F.elu))
unlisted("gelu")(two_forms(lambda x: x * torch.tanh(F.softplus(x)), approximate))
unlisted("gelu")(two_forms(exact, lambda x: x * torch.tanh(torch.exp(x))))
unlisted("gelu")(two_forms(lambda x: exact(x).detach(), lambda x: approximate(x).detach()))
unlisted("gelu")(two_forms(lambda x: torch.tensor([exact(one).item() for one in x.flatten()]).view(x.shape), exact))
unlisted("gelu")(two_forms(lambda x: x * x.softmax(-1), approximate))
unlisted("gelu")(two_forms(lambda x: exact(x.clamp(-10, 10)), approximate))
unlisted("gelu")(two_forms(exact, lambda x: x * F.hardsigmoid(2 * SLOPE * (x + 0.044715 * x**3))))
unlisted("gelu")(two_forms(lambda x: exact(x) + 0.01, lambda x: approximate(x) + 0.01))

# FeedForward ----------------------------------------------------------------------------


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
            disguise("FeedForward", mistake)(made)
        else:
            (correct if kind == "correct" else unlisted)("FeedForward")(made)
        return forward

    return add


def ff_wrong(mistake: str, base: type = Base) -> Any:
    """A disguise of FeedForward from its forward."""
    return network("disguise", mistake, base)


@ff_wrong("no activation")
def straight(self: Any, x: Tensor) -> Tensor:
    return F.linear(self.dropout(self.linear1(x)), self.linear2.weight, self.linear2.bias)


@ff_wrong("no activation")
def one_matrix(self: Any, x: Tensor) -> Tensor:
    h = torch.einsum("...i,fi->...f", x, self.linear1.weight) + self.linear1.bias
    return self.linear2(self.dropout(h))


@ff_wrong("activation after linear2")
def bent_at_the_end(self: Any, x: Tensor) -> Tensor:
    for step in (self.linear1, self.dropout, self.linear2, self.activation):
        x = step(x)
    return x


@ff_wrong("activation also after linear2")
def bent_again(self: Any, x: Tensor) -> Tensor:
    for step in (self.linear1, self.activation, self.dropout, self.linear2, self.activation):
        x = step(x)
    return x


def in_turn(*names: str, added: bool = False) -> Callable:
    """A forward that calls its parts in this order."""

    def forward(self: Any, x: Tensor) -> Tensor:
        made = functools.reduce(lambda t, name: getattr(self, name)(t), names, x)
        return made + x if added else made

    return forward


ff_wrong("activation after linear2")(in_turn("linear1", "linear2", "activation", "dropout"))
ff_wrong("activation after linear2")(in_turn("linear1", "linear2", "dropout", "activation"))
ff_wrong("activation after linear2 + no dropout")(in_turn("linear1", "linear2", "activation"))
ff_wrong("activation after linear2 + residual connection inside")(
    in_turn("linear1", "dropout", "linear2", "activation", added=True)
)


@ff_wrong("activation before linear1")
def bent_at_the_start(self: Any, x: Tensor) -> Tensor:
    return self.linear2(self.dropout(self.linear1(self.activation(x))))


@ff_wrong("activation also before linear1")
def prenorm_style(self: Any, x: Tensor) -> Tensor:
    h = self.activation(self.linear1(self.activation(x)))
    return self.linear2(self.dropout(h))


@ff_wrong("activation ignored")
def hard_relu(self: Any, x: Tensor) -> Tensor:
    return self.linear2(self.dropout(self.linear1(x).clamp(min=0)))


@ff_wrong("activation ignored")
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


ff_wrong("the approximate gelu", Approximate)(plain)
ff_wrong("relu and gelu exchanged", Exchanged)(plain)


class Single(nn.Module):
    """One matrix."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0, activation: str = "relu") -> None:
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(activation)
        self.linear1 = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.activation = nn.ReLU() if activation == "relu" else nn.GELU()


@ff_wrong("one linear layer", Single)
def single(self: Any, x: Tensor) -> Tensor:
    return self.dropout(self.activation(self.linear1(x)))


@ff_wrong("one linear layer", Single)
def single_and_added(self: Any, x: Tensor) -> Tensor:
    return self.dropout(self.activation(self.linear1(x))) + x


@ff_wrong("one linear layer", Single)
def single_undropped(self: Any, x: Tensor) -> Tensor:
    return self.activation(self.linear1(x))


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


ff_wrong("one linear layer", SingleLinear)(lambda self, x: x + self.dropout(self.activation(self.linear(x))))
ff_wrong("one linear layer", Wide)(lambda self, x: self.dropout(self.activation(self.linear1(x))))


@ff_wrong("residual connection inside")
def adds(self: Any, x: Tensor) -> Tensor:
    return torch.add(self.linear2(self.dropout(self.activation(self.linear1(x)))), x)


ff_wrong("residual connection inside")(lambda self, x: x + self.dropout(self.linear2(self.activation(self.linear1(x)))))
ff_wrong("residual connection inside")(lambda self, x: self.dropout(x + self.linear2(self.activation(self.linear1(x)))))


@ff_wrong("no dropout")
def undropped(self: Any, x: Tensor) -> Tensor:
    return self.linear2(self.activation(self.linear1(x)))


@ff_wrong("dropout after linear2")
def dropped_last(self: Any, x: Tensor) -> Tensor:
    for step in (self.linear1, self.activation, self.linear2, self.dropout):
        x = step(x)
    return x


@ff_wrong("dropout twice")
def dropped_twice(self: Any, x: Tensor) -> Tensor:
    for step in (self.linear1, self.activation, self.dropout, self.linear2, self.dropout):
        x = step(x)
    return x


@ff_wrong("dropout on the input")
def dropped_first(self: Any, x: Tensor) -> Tensor:
    return self.linear2(self.activation(self.linear1(F.dropout(x, self.dropout.p, self.training))))


@ff_wrong("dropout before the activation")
def dropped_early(self: Any, x: Tensor) -> Tensor:
    for step in (self.linear1, self.dropout, self.activation, self.linear2):
        x = step(x)
    return x


@ff_wrong("dropout in evaluation")
def always_dropped(self: Any, x: Tensor) -> Tensor:
    return self.linear2(F.dropout(self.activation(self.linear1(x)), self.dropout.p))


@ff_wrong("dropout without scaling up")
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


ff_wrong("d_ff ignored", Square)(plain)
ff_wrong("bias missing", Unbiased)(plain)
ff_wrong("any activation is accepted", Open)(plain)
ff_wrong("no activation + residual connection inside")(
    lambda self, x: x + self.linear2(self.dropout(self.linear1(x)))
)  # fmt: skip
ff_wrong("residual connection inside + no dropout")(
    lambda self, x: self.linear2(self.activation(self.linear1(x))) + x
)  # fmt: skip


class Modules(Base):
    """Activations as modules."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0, activation: str = "relu") -> None:
        super().__init__(d_model, d_ff, dropout, activation)
        self.activation = nn.ReLU(inplace=True) if activation == "relu" else nn.GELU()


class Later(nn.Module):
    """Other order of construction, and the activation chosen in forward."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0, activation: str = "relu") -> None:
        super().__init__()
        if activation != "relu" and activation != "gelu":
            raise ValueError("relu or gelu")
        self.kind, self.p = activation, dropout
        self.linear2 = nn.Linear(in_features=d_ff, out_features=d_model)
        self.linear1 = nn.Linear(in_features=d_model, out_features=d_ff)

    def bend(self, h: Tensor) -> Tensor:
        """relu as the larger of two, or gelu."""
        return torch.maximum(h, torch.zeros_like(h)) if self.kind == "relu" else h * torch.special.ndtr(h)


network("correct", base=Modules)(plain)
network("correct", base=Later)(
    lambda self, x: self.linear2(F.dropout(self.bend(self.linear1(x)), p=self.p, training=self.training))
)


@network("correct")
def by_hand(self: Any, x: Tensor) -> Tensor:
    h = self.dropout(self.activation(torch.einsum("...i,fi->...f", x, self.linear1.weight) + self.linear1.bias))
    return h @ self.linear2.weight.T + self.linear2.bias


@network("correct")
def one_feature_after_the_other(self: Any, x: Tensor) -> Tensor:
    h = self.dropout(self.activation(self.linear1(x)))
    parts = [h[..., i, None] * self.linear2.weight[:, i] for i in range(h.shape[-1])]
    return sum(parts) + self.linear2.bias


@network("correct")
def in_a_sequence(self: Any, x: Tensor) -> Tensor:
    steps = [self.linear1, self.activation, self.dropout, self.linear2]
    return functools.reduce(lambda h, step: step(h), steps, x)


@network("correct")
def flat(self: Any, x: Tensor) -> Tensor:
    rows = x.reshape(-1, x.shape[-1])
    h = self.activation(torch.addmm(self.linear1.bias, rows, self.linear1.weight.t()))
    return self.linear2(self.dropout(h)).reshape(x.shape)


network("unlisted")(lambda self, x: self.linear2(self.dropout(F.leaky_relu(self.linear1(x), 0.1))))
network("unlisted")(lambda self, x: self.linear2(self.dropout(torch.tanh(self.linear1(x)))))
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

# add_norm ----------------------------------------------------------------------------


def step(kind: str, mistake: str = "") -> Any:
    """An add_norm from a function of (x, s, n, d) for pre-norm and one for post-norm."""

    def add(pre: Callable, post: Callable) -> None:
        def add_norm(x: Any, sublayer: Any, norm: Any, dropout: Any, norm_first: bool = False) -> Any:
            return (pre if norm_first else post)(x, sublayer, norm, dropout)

        if kind == "disguise":
            disguise("add_norm", mistake)(add_norm)
        else:
            (correct if kind == "correct" else unlisted)("add_norm")(add_norm)

    return add


def right_pre(x: Tensor, s: Callable, n: Callable, d: Callable) -> Tensor:
    made = d(s(n(x)))
    return torch.add(made, x)


def right_post(x: Tensor, s: Callable, n: Callable, d: Callable) -> Tensor:
    made = d(s(x))
    return n(made + x)


def step_wrong(mistake: str, pre: Callable = right_pre, post: Callable = right_post) -> None:
    """A disguise of add_norm."""
    step("disguise", mistake)(pre, post)


def in_both(mistake: str, pre: Callable, post: Callable) -> None:
    """The slip in both forms, in pre-norm, and in post-norm."""
    step_wrong(mistake, pre, post)
    step_wrong(mistake, pre=pre)
    step_wrong(mistake, post=post)


in_both("no add", lambda x, s, n, d: d(s(n(x))), lambda x, s, n, d: n(d(s(x))))
step_wrong("norm_first ignored: always post-norm", pre=right_post)
step_wrong("norm_first ignored: always pre-norm", post=right_pre)
step_wrong("pre-norm and post-norm exchanged", right_post, right_pre)


def carried_on(x: Tensor, s: Callable, n: Callable, d: Callable) -> Tensor:
    h = n(x)
    h = h + d(s(h))
    return h


def overwritten(x: Tensor, s: Callable, n: Callable, d: Callable) -> Tensor:
    x = n(x)
    return d(s(n(x))) + x


step_wrong("the stream itself is normalized", pre=carried_on)
step_wrong("the stream itself is normalized", pre=overwritten)
step_wrong(
    "the stream itself is normalized + dropout on the sum",
    lambda x, s, n, d: d(s(n(x)) + n(x)),
    lambda x, s, n, d: n(d(s(x) + x)),
)
step_wrong(
    "the stream itself is normalized + dropout on the skip path",
    lambda x, s, n, d: s(n(x)) + d(n(x)),
    lambda x, s, n, d: n(s(x) + d(x)),
)
step_wrong("no norm + dropout on the skip path", lambda x, s, n, d: s(x) + d(x), lambda x, s, n, d: n(s(x) + d(x)))
step_wrong("the norm on the wrong branch", pre=lambda x, s, n, d: d(s(x)).add(n(x)))
step_wrong("x is normalized, not the sum", post=lambda x, s, n, d: d(s(x)).add(n(x)))
in_both("added after the norm", lambda x, s, n, d: n(d(s(x))) + x, lambda x, s, n, d: n(d(s(x))) + x)
in_both("added after the norm", lambda x, s, n, d: d(n(s(x))) + x, lambda x, s, n, d: d(n(s(x))) + x)
in_both(
    "what the sublayer made is normalized too",
    lambda x, s, n, d: n(d(s(n(x)))) + x,
    lambda x, s, n, d: n(n(d(s(x))) + x),
)
in_both(
    "what the sublayer made is normalized too",
    lambda x, s, n, d: d(n(s(n(x)))) + x,
    lambda x, s, n, d: n(d(n(s(x))) + x),
)
step_wrong("the sum normalized in pre-norm too", pre=lambda x, s, n, d: n(d(s(n(x))) + x))
step_wrong("the sublayer reads norm(x) in post-norm too", post=lambda x, s, n, d: n(d(s(n(x))) + x))
in_both("no norm", lambda x, s, n, d: d(s(x)) + x, lambda x, s, n, d: d(s(x)) + x)
in_both("no dropout", lambda x, s, n, d: s(n(x)) + x, lambda x, s, n, d: n(s(x) + x))
in_both("dropout on the sum", lambda x, s, n, d: d(s(n(x)) + x), lambda x, s, n, d: n(d(s(x) + x)))
in_both("dropout on the sum", lambda x, s, n, d: d(d(s(n(x))) + x), lambda x, s, n, d: n(d(d(s(x)) + x)))
in_both("dropout on the skip path", lambda x, s, n, d: s(n(x)) + d(x), lambda x, s, n, d: n(s(x) + d(x)))
in_both("dropout on the skip path", lambda x, s, n, d: d(s(n(x))) + d(x), lambda x, s, n, d: n(d(s(x)) + d(x)))
in_both("dropout on what the sublayer reads", lambda x, s, n, d: s(d(n(x))) + x, lambda x, s, n, d: n(s(d(x)) + x))
step_wrong("dropout after the norm", post=lambda x, s, n, d: d(n(s(x) + x)))
step_wrong("dropout after the norm", lambda x, s, n, d: d(s(n(x)) + x), lambda x, s, n, d: d(n(s(x) + x)))
in_both("dropout twice", lambda x, s, n, d: d(d(s(n(x)))) + x, lambda x, s, n, d: n(d(d(s(x))) + x))
in_both("x added twice", lambda x, s, n, d: d(s(n(x))) + 2 * x, lambda x, s, n, d: n(d(s(x)) + 2 * x))
in_both("x added twice", lambda x, s, n, d: d(s(n(x)) + x) + x, lambda x, s, n, d: n(d(s(x) + x) + x))
step_wrong("x added twice", lambda x, s, n, d: d(s(n(x)) + n(x)) + x, lambda x, s, n, d: n(d(s(x) + x) + x))
in_both("the sublayer is left out", lambda x, s, n, d: d(n(x)) + x, lambda x, s, n, d: n(d(x) + x))
in_both(
    "sublayer applied to x and to norm(x)",
    lambda x, s, n, d: x + d(sum(map(s, (x, n(x))))),
    lambda x, s, n, d: n(x + d(sum(map(s, (x, n(x)))))),
)
step_wrong("sublayer applied to x and to norm(x)", pre=lambda x, s, n, d: x + d(s(x)) + d(s(n(x))))


def asked_before(x: Tensor, s: Callable, n: Callable, d: Callable) -> Tensor:
    assert s(x).shape == x.shape
    return n(x + d(s(x)))


def asked_before_too(x: Tensor, s: Callable, n: Callable, d: Callable) -> Tensor:
    assert s(n(x)).shape == x.shape
    return x + d(s(n(x)))


in_both("sublayer called twice", asked_before_too, asked_before)


def into_x(x: Tensor, s: Callable, n: Callable, d: Callable) -> Tensor:
    x += d(s(x))
    return n(x)


def into_x_pre(x: Tensor, s: Callable, n: Callable, d: Callable) -> Tensor:
    x += d(s(n(x)))
    return x


def into_made(x: Tensor, s: Callable, n: Callable, d: Callable) -> Tensor:
    made = d(s(x))
    made += x
    return n(made)


def into_made_pre(x: Tensor, s: Callable, n: Callable, d: Callable) -> Tensor:
    made = d(s(n(x)))
    made += x
    return made


in_both("in-place add", into_x_pre, into_x)
in_both("adds into what the sublayer gave", into_made_pre, into_made)
step_wrong("no add + no norm", lambda x, s, n, d: d(s(x)), lambda x, s, n, d: d(s(x)))
step_wrong("no add + no dropout", lambda x, s, n, d: s(n(x)), lambda x, s, n, d: n(s(x)))
step_wrong("norm_first ignored: always post-norm + no dropout", *[lambda x, s, n, d: n(x + s(x))] * 2)
step_wrong("no dropout + x added twice", lambda x, s, n, d: s(n(x)) + 2 * x, lambda x, s, n, d: n(s(x) + 2 * x))


class Layer(nn.Module):
    """A function as a layer."""

    def __init__(self, function: Callable) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        return self.function(x)


@disguise("add_norm", "no add")
def sequence_of_layers(x: Any, sublayer: Any, norm: Any, dropout: Any, norm_first: bool = False) -> Any:
    """As an article has it."""
    layers = [Layer(sublayer), Layer(dropout), nn.Identity()]
    layers.insert(0 if norm_first else len(layers), Layer(norm))
    return nn.Sequential(*layers)(x)


@correct("add_norm")
def chosen_once(x: Any, sublayer: Any, norm: Any, dropout: Any, norm_first: bool = False) -> Any:
    before, after = (norm, lambda t: t) if norm_first else (lambda t: t, norm)
    return after(x + dropout(sublayer(before(x))))


@correct("add_norm")
def kept_aside(x: Any, sublayer: Any, norm: Any, dropout: Any, norm_first: bool = False) -> Any:
    residual = x
    if norm_first:
        x = norm(x)
    x = dropout(sublayer(x))
    x = torch.stack([residual, x]).sum(0)
    return x if norm_first else norm(x)


@correct("add_norm")
def copied(x: Any, sublayer: Any, norm: Any, dropout: Any, norm_first: bool = False) -> Any:
    total = x.clone()
    total += dropout(sublayer(norm(x) if norm_first else x))
    return total if norm_first else norm(total)


@correct("add_norm")
def composed(x: Any, sublayer: Any, norm: Any, dropout: Any, norm_first: bool = False) -> Any:
    chain = [norm, sublayer, dropout] if norm_first else [sublayer, dropout]
    made = functools.reduce(lambda t, part: part(t), chain, x)
    return (x + made) if norm_first else norm(x + made)


@correct("add_norm")
def normed_anyway(x: Any, sublayer: Any, norm: Any, dropout: Any, norm_first: bool = False) -> Any:
    read = {True: norm(x), False: x}[norm_first]
    added = torch.add(x, dropout(sublayer(read)))
    return [norm, lambda t: t][int(norm_first)](added)


@correct("add_norm")
class AsAClass:
    """Not a function, and called like one."""

    def __new__(cls, x: Any, sublayer: Any, norm: Any, dropout: Any, norm_first: bool = False) -> Any:
        made = dropout(sublayer(norm(x))) if norm_first else dropout(sublayer(x))
        return made - (-x) if norm_first else norm(made - (-x))


step("unlisted")(lambda x, s, n, d: x - d(s(n(x))), lambda x, s, n, d: n(x - d(s(x))))
step("unlisted")(lambda x, s, n, d: x * d(s(n(x))), lambda x, s, n, d: n(x * d(s(x))))
step("unlisted")(lambda x, s, n, d: (x + d(s(n(x)))) / 2**0.5, right_post)
step("unlisted")(lambda x, s, n, d: x.detach() + d(s(n(x))), lambda x, s, n, d: n(x.detach() + d(s(x))))
step("unlisted")(lambda x, s, n, d: torch.cat([x, d(s(n(x)))], -1), lambda x, s, n, d: n(x + d(s(x))))
step("unlisted")(right_pre, lambda x, s, n, d: n(n(x + d(s(x)))))
step("unlisted")(lambda x, s, n, d: x.clamp(-3, 3) + d(s(n(x))), right_post)
step("unlisted")(lambda x, s, n, d: x + d(s(s(n(x)))), lambda x, s, n, d: n(x + d(s(s(x)))))
step("unlisted")(lambda x, s, n, d: x + d(s(n(x))).detach(), lambda x, s, n, d: n(x + d(s(x)).detach()))
step("unlisted")(lambda x, s, n, d: x + 0.5 * d(s(n(x))), lambda x, s, n, d: n(x + 0.5 * d(s(x))))

# SwiGLU ----------------------------------------------------------------------------


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
            disguise("SwiGLU", mistake)(made)
        else:
            (correct if kind == "correct" else unlisted)("SwiGLU")(made)
        return forward

    return add


def glu_wrong(mistake: str, forward: Callable, base: type = Gated) -> None:
    """A disguise of SwiGLU from its forward."""
    gated("disguise", mistake, base)(forward)


def of_two(combine: Callable[[Tensor, Tensor], Tensor]) -> Callable:
    """A forward that combines gate and up."""
    return lambda self, x: F.linear(combine(self.gate(x), self.up(x)), self.down.weight)


glu_wrong("no gate", of_two(lambda g, u: F.silu(g)))
glu_wrong("no gate", of_two(lambda g, u: F.silu(u)))
glu_wrong("gate and up exchanged", of_two(lambda g, u: g * F.silu(u)))
glu_wrong("sigmoid instead of swish", of_two(lambda g, u: u / (1 + torch.exp(-g))))
glu_wrong("sigmoid instead of swish", of_two(lambda g, u: g * u.sigmoid()))
glu_wrong("relu instead of swish", of_two(lambda g, u: g.clamp_min(0) * u))
glu_wrong("gelu instead of swish", of_two(lambda g, u: F.gelu(g) * u))
glu_wrong("gelu instead of swish", of_two(lambda g, u: F.gelu(g, approximate="tanh") * u))
glu_wrong("gate and up exchanged + relu instead of swish", of_two(lambda g, u: g * F.relu(u)))
glu_wrong("gate and up exchanged + gelu instead of swish", of_two(lambda g, u: g * F.gelu(u)))
glu_wrong("no gate + sigmoid instead of swish", of_two(lambda g, u: torch.sigmoid(g)))
glu_wrong("sigmoid instead of swish + added instead of multiplied", of_two(lambda g, u: torch.sigmoid(g) + u))
glu_wrong("no swish", of_two(torch.mul))
glu_wrong("swish of the product", of_two(lambda g, u: F.silu(g * u)))
glu_wrong("swish of both", of_two(lambda g, u: F.silu(g) * F.silu(u)))
glu_wrong("added instead of multiplied", of_two(lambda g, u: F.silu(g) + u))
glu_wrong("swish after down", lambda self, x: F.silu(self.down(self.gate(x) * self.up(x))))
glu_wrong("the gate multiplied by itself", of_two(lambda g, u: F.silu(g) * g))
glu_wrong("residual connection inside", lambda self, x: self.down(F.silu(self.gate(x)) * self.up(x)).add(x))


class Biased(nn.Module):
    """With biases."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.gate, self.up, self.down = nn.Linear(d_model, d_ff), nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)


glu_wrong("biases too many", lambda self, x: self.down(F.silu(self.gate(x)) * self.up(x)), Biased)
gated("correct")(of_two(lambda g, u: u * g / (1 + torch.exp(-g))))
gated("correct")(of_two(lambda g, u: torch.einsum("...f,...f,...f->...f", g, u, g.sigmoid())))
gated("correct")(of_two(lambda g, u: nn.SiLU()(g) * u))
gated("correct")(of_two(lambda g, u: u * g * (torch.tanh(g / 2) + 1) / 2))


@gated("correct")
def fused(self: Any, x: Tensor) -> Tensor:
    both = F.linear(x, torch.cat([self.gate.weight, self.up.weight]))
    return self.down(F.glu(torch.cat([both.chunk(2, -1)[1] * both.chunk(2, -1)[0], both.chunk(2, -1)[0]], -1)))


gated("unlisted")(of_two(lambda g, u: torch.tanh(g) * u))
gated("unlisted")(of_two(lambda g, u: F.silu(1.5 * g) * u))
gated("unlisted")(of_two(lambda g, u: F.silu(g.detach()) * u))
gated("unlisted")(of_two(lambda g, u: g.softmax(-1) * u))
gated("unlisted")(of_two(lambda g, u: F.silu(g) * u + u))
gated("unlisted")(lambda self, x: self.down(self.up(x) * (F.silu if self.training else F.relu)(self.gate(x))))
