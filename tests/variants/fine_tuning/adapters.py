"""Lesson 16: a narrow layer beside a frozen one."""

import copy
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import correct, disguise, slips, unlisted

LORA = "LoRALinear"


def at_least_one(rank: int) -> None:
    """The given ValueError."""
    if rank <= 0:
        raise ValueError("rank")


class InTwoSteps(nn.Module):
    def __init__(self, linear: Any, rank: int, alpha: float) -> None:
        super().__init__()
        at_least_one(rank)
        self.linear, self.factor = linear, alpha / rank
        linear.weight.requires_grad = False
        if linear.bias is not None:
            linear.bias.requires_grad = False
        self.down = nn.Parameter(0.1 * torch.randn(rank, linear.weight.shape[1]))
        self.up = nn.Parameter(linear.weight.new_zeros(linear.weight.shape[0], rank))

    def forward(self, x: Tensor) -> Tensor:
        narrow = F.linear(x, self.down)
        wide = F.linear(narrow, self.up)
        return self.linear(x) + wide * self.factor

    def merge(self) -> Any:
        alone = copy.deepcopy(self.linear)
        alone.weight = nn.Parameter(self.linear.weight.detach() + self.factor * (self.up @ self.down).detach())
        return alone


slips(
    LORA,
    InTwoSteps,
    {
        "B does not begin at zero": {
            "linear.weight.new_zeros(linear.weight.shape[0], rank)": "torch.randn(len(linear.weight), rank)"
        },
        "both begin at zero": {"0.1 * torch": "0.0 * torch"},
        "no scale": [
            {"self.factor = linear, alpha / rank": "self.factor = linear, 1.0"},
            {"wide * self.factor": "wide"},
            {"self.factor * (self.up": "(self.up"},
        ],
        "scaled by alpha alone": {"self.factor = linear, alpha / rank": "self.factor = linear, alpha"},
        "alpha times rank": {"alpha / rank": "alpha * rank"},
        "rank over alpha": {"alpha / rank": "rank / alpha"},
        "alpha is left out": {"alpha / rank": "1 / rank"},
        "the layer is not frozen": {
            "        linear.weight.requires_grad = False\n": "",
            "linear.bias.requires_grad = False": "pass",
        },
        "the bias is not frozen": {"linear.bias.requires_grad = False": "pass"},
        "the layer is left out": {"return self.linear(x) + wide": "return wide"},
        "the difference is left out": {" + wide * self.factor": ""},
        "merged without the layer": {"self.linear.weight.detach() + self.factor": "self.factor"},
        "the frozen layer is handed out": {"        return alone": "        return self.linear"},
        "rank over alpha + the bias is not frozen": {
            "linear.bias.requires_grad = False": "pass",
            "alpha / rank": "rank / alpha",
        },
    },
)


class AsAMatrix(nn.Module):
    """The sum of both matrices, once for each call."""

    def __init__(self, linear: Any, rank: int, alpha: float) -> None:
        super().__init__()
        at_least_one(rank)
        self.linear, self.rank, self.alpha = linear, rank, alpha
        for parameter in linear.parameters():
            parameter.requires_grad_(False)
        self.down = nn.Parameter(nn.init.xavier_uniform_(torch.empty(rank, linear.in_features)))
        self.up = nn.Parameter(torch.zeros((linear.out_features, rank)))

    def matrix(self) -> Tensor:
        return self.linear.weight + torch.einsum("or,ri->oi", self.up, self.down) * (self.alpha / self.rank)

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x, self.matrix(), self.linear.bias)

    def merge(self) -> Any:
        rows, columns = self.matrix().shape
        fresh = nn.Linear(columns, rows, bias=self.linear.bias is not None)
        state = {name: one.clone() for name, one in self.linear.state_dict().items()}
        fresh.load_state_dict({**state, "weight": self.matrix().detach()})
        return fresh


slips(
    LORA,
    AsAMatrix,
    {
        "B does not begin at zero": {
            "torch.zeros((linear.out_features, rank))": "torch.randn(linear.out_features, rank)"
        },
        "A begins at zero": {
            "nn.init.xavier_uniform_(torch.empty(rank, linear.in_features))": "torch.zeros(rank, linear.in_features)",
            "torch.zeros((linear.out_features, rank))": "torch.randn(linear.out_features, rank)",
        },
        "both begin at zero": {"nn.init.xavier_uniform_(torch.empty(": "nn.init.zeros_(torch.empty("},
        "no scale": {" * (self.alpha / self.rank)": ""},
        "scaled by alpha alone": {"(self.alpha / self.rank)": "self.alpha"},
        "alpha times rank": {"self.alpha / self.rank": "self.alpha * self.rank"},
        "rank over alpha": {"self.alpha / self.rank": "self.rank / self.alpha"},
        "alpha is left out": {"self.alpha / self.rank": "1 / self.rank"},
        "the layer is not frozen": {"parameter.requires_grad_(False)": "pass"},
        "the bias is not frozen": {"linear.parameters():": "[linear.weight]:"},
        "the frozen layer is handed out": {"return fresh": "return self.linear"},
    },
)


class ByParts(nn.Module):
    """Two nn.Linear would have other names, so their work is done by hand."""

    def __init__(self, linear: Any, rank: int, alpha: float) -> None:
        super().__init__()
        at_least_one(rank)
        self.linear = linear.requires_grad_(False)
        self.scale = alpha / rank
        bound = linear.in_features**-0.5
        self.register_parameter("down", nn.Parameter(torch.empty(rank, linear.in_features).uniform_(-bound, bound)))
        self.register_parameter("up", nn.Parameter(torch.full((linear.out_features, rank), 0.0)))

    def forward(self, x: Tensor) -> Tensor:
        added = torch.matmul(torch.matmul(x, self.down.mT), self.up.mT)
        return torch.add(self.linear(x), added, alpha=self.scale)

    def merge(self) -> Any:
        other = nn.Linear(self.linear.in_features, self.linear.out_features, self.linear.bias is not None)
        with torch.no_grad():
            other.weight[:] = torch.addmm(self.linear.weight, self.up, self.down, alpha=self.scale)
            if other.bias is not None:
                other.bias[:] = self.linear.bias
        return other


slips(
    LORA,
    ByParts,
    {
        "B does not begin at zero": {
            "torch.full((linear.out_features, rank), 0.0)": "torch.rand(linear.out_features, rank)"
        },
        "no scale": [
            {"alpha / rank": "1"},
            {"added, alpha=self.scale": "added"},
            {"self.down, alpha=self.scale": "self.down"},
        ],
        "scaled by alpha alone": {"alpha / rank": "alpha"},
        "the layer is not frozen": {"linear.requires_grad_(False)": "linear"},
        "the layer is left out": {"torch.add(self.linear(x), added, alpha=self.scale)": "self.scale * added"},
        "the difference is left out": {"torch.add(self.linear(x), added, alpha=self.scale)": "self.linear(x)"},
        "merged into the layer itself": {
            "other = nn.Linear(self.linear.in_features, self.linear.out_features, self.linear.bias is not None)": (
                "other = self.linear"
            )
        },
        "merged without the bias": {
            "                other.bias[:] = self.linear.bias": "                other.bias[:] = 0"
        },
        "merged without the layer": {
            "torch.addmm(self.linear.weight, self.up, self.down, alpha=self.scale)": "self.scale * self.up @ self.down"
        },
    },
)


class Adapted(nn.Module):
    """Its parts one by one, so that one can be another."""

    frozen = ("weight", "bias")
    start = (1.0, 0.0)

    def __init__(self, linear: Any, rank: int, alpha: float) -> None:
        super().__init__()
        at_least_one(rank)
        self.linear, self.rank, self.alpha = linear, rank, alpha
        for name, one in linear.named_parameters():
            one.requires_grad = name not in self.frozen
        self.down = nn.Parameter(self.start[0] * torch.randn(rank, linear.in_features))
        self.up = nn.Parameter(self.start[1] * torch.randn(linear.out_features, rank))

    def scale(self) -> float:
        return self.alpha / self.rank

    def base(self, x: Tensor) -> Tensor:
        return self.linear(x)

    def added(self, x: Tensor) -> Tensor:
        return self.scale() * torch.einsum("...i,ri,or->...o", x, self.down, self.up)

    def forward(self, x: Tensor) -> Tensor:
        return self.base(x) + self.added(x)

    def merge(self) -> Any:
        eye = torch.eye(self.linear.in_features)
        made = nn.Linear(self.linear.in_features, self.linear.out_features, self.linear.bias is not None)
        made.weight.data = (self.linear.weight + self.added(eye).T).detach().clone()
        if made.bias is not None:
            made.bias.data = self.linear.bias.detach().clone()
        return made


def another(mistake: str, **parts: Any) -> None:
    disguise(LORA, mistake)(type("Another", (Adapted,), parts))


correct(LORA)(Adapted)
another("B does not begin at zero", start=(1.0, 1.0))
another("A begins at zero", start=(0.0, 1.0))
another("both begin at zero", start=(0.0, 0.0))
another("no scale", scale=lambda self: 1.0)
another("scaled by alpha alone", scale=lambda self: self.alpha)
another("alpha times rank", scale=lambda self: self.alpha * self.rank)
another("rank over alpha", scale=lambda self: self.rank / self.alpha)
another("alpha is left out", scale=lambda self: 1 / self.rank)
another("the layer is not frozen", frozen=())
another("the bias is not frozen", frozen=("weight",))
another("the layer is left out", base=lambda self, x: torch.zeros(()))
another("the difference is left out", forward=lambda self, x: self.linear(x))
another("the frozen layer is handed out", merge=lambda self: self.linear)


def into_itself(self: Any) -> Any:
    with torch.no_grad():
        self.linear.weight += self.scale() * self.up @ self.down
    return self.linear


def without_bias(self: Any) -> Any:
    made = Adapted.merge(self)
    if made.bias is not None:
        nn.init.constant_(made.bias, 0.0)
    return made


def no_bias_at_all(self: Any) -> Any:
    made = nn.Linear(self.linear.in_features, self.linear.out_features, bias=False)
    made.weight.data = Adapted.merge(self).weight.data
    return made


def difference_alone(self: Any) -> Any:
    made = copy.deepcopy(self.linear).requires_grad_(True)
    made.weight.data = (self.scale() * self.up @ self.down).detach()
    return made


another("merged into the layer itself", merge=into_itself)
another("merged without the bias", merge=without_bias)
another("merged without the bias", merge=no_bias_at_all)
another("merged without the layer", merge=difference_alone)


def root(self: Any) -> float:
    return self.alpha / self.rank**0.5


def bent(self: Any, x: Tensor) -> Tensor:
    return self.scale() * (x @ self.down.T).relu() @ self.up.T


def half(self: Any, x: Tensor) -> Tensor:
    return 0.5 * self.linear(x)


def by_hand(self: Any, x: Tensor) -> Tensor:
    return torch.einsum("...i,oi->...o", x, self.linear.weight)


def alike(self: Any, linear: Any, rank: int, alpha: float) -> None:
    Adapted.__init__(self, linear, rank, alpha)
    self.down = nn.Parameter(torch.full((rank, linear.in_features), 0.01))


def with_a_copy(self: Any, linear: Any, rank: int, alpha: float) -> None:
    Adapted.__init__(self, copy.deepcopy(linear), rank, alpha)


def as_it_was(self: Any) -> Any:
    return copy.deepcopy(self.linear).requires_grad_(True)


def drawn_bias(self: Any) -> Any:
    made = Adapted.merge(self)
    if made.bias is not None:
        made.bias.data = torch.rand(len(made.bias)) + 3
    return made


def one_bias(self: Any) -> Any:
    made = Adapted.merge(self)
    made.bias = self.linear.bias
    return made


def bias_of_none(self: Any) -> Any:
    made = nn.Linear(self.linear.in_features, self.linear.out_features)
    with torch.no_grad():
        made.weight.copy_(self.linear.weight + self.scale() * self.up @ self.down)
        made.bias.copy_(self.linear.bias)
    return made


def bias_for_all(self: Any) -> Any:
    made = nn.Linear(self.linear.in_features, self.linear.out_features)
    made.load_state_dict(Adapted.merge(self).state_dict(), strict=False)
    return made


another("divided by the root of the rank", scale=root)
another("all rows of A are alike", __init__=alike)
another("a copy of the layer", __init__=with_a_copy)
another("the layer's bias is left out", base=by_hand)
another("merged without the difference", merge=as_it_was)
another("merged without the bias", merge=drawn_bias)
another("the bias is shared", merge=one_bias)
another("a layer without a bias is not thought of", merge=bias_of_none)
another("a layer without a bias is not thought of", merge=bias_for_all)
unlisted(LORA)(type("WithARelu", (Adapted,), {"added": bent}))
disguise(LORA, "the difference is taken off")(
    type("Subtracted", (Adapted,), {"forward": lambda self, x: self.base(x) - self.added(x)})
)
unlisted(LORA)(type("Between", (Adapted,), {"forward": lambda self, x: (self.base(x) + self.added(x)) / 2}))
unlisted(LORA)(type("HalfTheLayer", (Adapted,), {"base": half}))


@disguise(LORA, "the difference is taken off")
class TakenOff(InTwoSteps):
    def merge(self) -> Any:
        merged = super().merge()
        merged.weight.data = 2 * self.linear.weight.data - merged.weight.data
        return merged


@disguise(LORA, "the layer is scaled too")
class ScaledAsAWhole(InTwoSteps):
    def forward(self, x: Tensor) -> Tensor:
        return (self.linear(x) + x @ self.down.T @ self.up.T) * self.factor


@disguise(LORA, "merged into the layer itself")
class MergedTwice(InTwoSteps):
    def merge(self) -> Any:
        self.linear.weight.data += self.factor * (self.up @ self.down).detach()
        return super().merge()


@disguise(LORA, "before the first step the layer itself is handed out")
class NothingToMerge(InTwoSteps):
    def merge(self) -> Any:
        return super().merge() if torch.count_nonzero(self.up) else self.linear


@disguise(LORA, "a seed of its own")
class AlwaysAlike(InTwoSteps):
    def __init__(self, linear: Any, rank: int, alpha: float) -> None:
        torch.manual_seed(1234)
        super().__init__(linear, rank, alpha)


@disguise(LORA, "a narrow matrix gets no gradient")
class WithoutGradient(InTwoSteps):
    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x) + self.factor * F.linear(F.linear(x, self.down), self.up.detach())


@disguise(LORA, "merged into the layer itself")
class InTheSameNumbers(InTwoSteps):
    def merge(self) -> Any:
        alone = copy.deepcopy(self.linear)
        alone.weight.data = self.linear.weight.data
        alone.weight.data += self.factor * (self.up @ self.down).detach()
        return alone


@disguise(LORA, "merged into the layer itself")
class OnceForAll(InTwoSteps):
    merged = False

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x) if self.merged else super().forward(x)

    def merge(self) -> Any:
        self.linear.weight.data += self.factor * (self.up @ self.down).detach()
        self.merged = True
        return self.linear


@disguise(LORA, "a new layer for the one given")
class Anew(InTwoSteps):
    def __init__(self, linear: Any, rank: int, alpha: float) -> None:
        out, into = linear.weight.shape
        super().__init__(nn.Linear(into, out, linear.bias is not None), rank, alpha)


@disguise(LORA, "A begins as the identity")
class Diagonal(InTwoSteps):
    def __init__(self, linear: Any, rank: int, alpha: float) -> None:
        super().__init__(linear, rank, alpha)
        nn.init.eye_(self.down)


def puts_it_in(self: Any) -> Any:
    """And gives no layer."""
    self.linear = InTwoSteps.merge(self)
    return self


unlisted(LORA)(type("LoRALinear", (InTwoSteps,), {"merge": puts_it_in}))


@disguise(LORA, "another sum in evaluation mode")
class OnlyWhileTraining(InTwoSteps):
    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) if self.training else self.linear(x)


@disguise(LORA, "merging changes what is trained")
class Thaws(InTwoSteps):
    def merge(self) -> Any:
        self.linear.weight.requires_grad = True
        if self.linear.bias is not None:
            self.linear.bias.requires_grad = True
        return super().merge()


@disguise(LORA, "merging changes what is trained")
class Keeps(InTwoSteps):
    def merge(self) -> Any:
        self.merged = super().merge()
        return self.merged
