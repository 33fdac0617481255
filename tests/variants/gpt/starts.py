"""Lesson 14: init_gpt_."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from tests.variants import correct, disguise, slips, unlisted

START = "init_gpt_"


def by_modules(model: Any) -> None:
    writes = 1 / math.sqrt(2 * model.config.num_layers)
    with torch.no_grad():
        for path, module in model.named_modules():
            if isinstance(module, nn.Embedding | nn.Linear) and path != "head":
                adds = path.endswith(("self_attn.out_proj", "feed_forward.linear2"))
                module.weight.normal_(0, 0.02 * writes if adds else 0.02)
            elif "norm" in path:
                module.weight.fill_(1)
            if getattr(module, "bias", None) is not None:
                module.bias.fill_(0)


slips(
    START,
    by_modules,
    {
        "the residual matrices are not scaled": [
            {"0.02 * writes if adds else 0.02": "0.02"},
            {'("self_attn.out_proj", "feed_forward.linear2")': '("c_proj", "fc2")'},
        ],
        "the wrong matrix is scaled": {"feed_forward.linear2": "feed_forward.linear1"},
        "only attention's matrix is scaled": {'("self_attn.out_proj", "feed_forward.linear2")': '"self_attn.out_proj"'},
        "only the feed-forward network's matrix is scaled": {
            '("self_attn.out_proj", "feed_forward.linear2")': '"linear2"'
        },
        "√num_layers": {"2 * model.config.num_layers": "model.config.num_layers"},
        "divided without the root": {"1 / math.sqrt(2 * model.config.num_layers)": "1 / (2 * model.config.num_layers)"},
        "norms begin at 0": {"fill_(1)": "fill_(0)"},
        "norms are left out": {"module.weight.fill_(1)": "pass"},
        "biases are left as they were": {"module.bias.fill_(0)": "pass"},
        "the position table is left as it was": {'path != "head"': 'path not in ("head", "position_embedding")'},
        "the tables are left as they were": {"nn.Embedding | nn.Linear": "nn.Linear"},
        "0.02 taken for the variance": {
            "module.weight.normal_(0, 0.02 * writes if adds else 0.02)": (
                "module.weight.normal_(0, 0.02**0.5 * (writes if adds else 1))"
            ),
        },
        "uniform, not normal": {
            "module.weight.normal_(0, 0.02 * writes if adds else 0.02)": (
                "s = 0.02 * writes if adds else 0.02\n                module.weight.uniform_(-s, s)"
            ),
        },
        "√num_layers + norms are left out": {
            "module.weight.fill_(1)": "pass",
            "2 * model.config.num_layers": "model.config.num_layers",
        },
    },
)


def block_by_block(model: Any) -> None:
    """With torch's functions, and the model's own parts."""
    small, smaller = 0.02, 0.02 * (2 * len(model.layers)) ** -0.5
    nn.init.normal_(model.token_embedding.weight, 0.0, small)
    if model.position_embedding is not None:
        nn.init.normal_(model.position_embedding.weight, 0.0, small)
    for block in model.layers:
        attention, network = block.self_attn, block.feed_forward
        for linear in (attention.q_proj, attention.k_proj, attention.v_proj, network.linear1):
            nn.init.normal_(linear.weight, 0.0, small)
            nn.init.constant_(linear.bias, 0.0)
        for linear in (attention.out_proj, network.linear2):
            nn.init.normal_(linear.weight, 0.0, smaller)
            nn.init.constant_(linear.bias, 0.0)
        for norm in (block.norm1, block.norm2):
            nn.init.constant_(norm.weight, 1.0)
            nn.init.constant_(norm.bias, 0.0)
    nn.init.constant_(model.norm.weight, 1.0)
    nn.init.constant_(model.norm.bias, 0.0)


slips(
    START,
    block_by_block,
    {
        "the residual matrices are not scaled": {
            "nn.init.normal_(linear.weight, 0.0, smaller)": "nn.init.normal_(linear.weight, 0.0, 0.02)"
        },
        "the wrong matrix is scaled": {
            "attention.v_proj, network.linear1)": "attention.v_proj, network.linear2)",
            "(attention.out_proj, network.linear2)": "(attention.out_proj, network.linear1)",
        },
        "only the feed-forward network's matrix is scaled": {
            "attention.v_proj, network.linear1)": "attention.v_proj, attention.out_proj, network.linear1)",
            "(attention.out_proj, network.linear2)": "(network.linear2,)",
        },
        "√num_layers": {"(2 * len(model.layers))": "len(model.layers)"},
        "divided without the root": {"** -0.5": "** -1"},
        "all matrices are scaled": [
            {"linear.weight, 0.0, small)": "linear.weight, 0.0, smaller)"},
            {
                "small, smaller = 0.02, 0.02 * (2 * len(model.layers)) ** -0.5": (
                    "small = smaller = 0.02 * (2 * len(model.layers)) ** -0.5"
                ),
            },
        ],
        "the position table is left as it was": {
            "nn.init.normal_(model.position_embedding.weight, 0.0, small)": "pass"
        },
        "0.02 taken for the variance": {"small, smaller = 0.02, 0.02 *": "small, smaller = 0.02**0.5, 0.02**0.5 *"},
        "the head is drawn with another spread": {
            "nn.init.constant_(model.norm.weight, 1.0)": (
                "nn.init.constant_(model.norm.weight, 1.0)\n    nn.init.normal_(model.head.weight, 0.0, smaller)"
            ),
        },
        "√num_layers + the position table is left as it was": {
            "(2 * len(model.layers))": "len(model.layers)",
            "nn.init.normal_(model.position_embedding.weight, 0.0, small)": "pass",
        },
    },
)


def by_kind(model: Any) -> None:
    """By the number of dimensions."""
    depth = 2 * model.config.num_layers
    with torch.no_grad():
        for name, value in model.named_parameters():
            if value.ndim == 1:
                value.copy_(torch.full_like(value, float("norm" in name and "weight" in name)))
                continue
            noise = torch.randn_like(value)
            last = name.split(".")[-2]
            value.copy_(noise * 0.02 / (depth**0.5 if last in ("out_proj", "linear2") else 1))


slips(
    START,
    by_kind,
    {
        "the residual matrices are not scaled": [{'("out_proj", "linear2")': '("c_proj",)'}, {"depth**0.5 if": "1 if"}],
        "the wrong matrix is scaled": {'"linear2"': '"linear1"'},
        "only attention's matrix is scaled": {'("out_proj", "linear2")': '("out_proj",)'},
        "all projections of attention are scaled": {
            '("out_proj", "linear2")': '("q_proj", "k_proj", "v_proj", "out_proj", "linear2")'
        },
        "√num_layers": {"2 * model": "model"},
        "divided without the root": {"depth**0.5 if": "depth if"},
        "norms begin at 0": {'float("norm" in name and "weight" in name)': "0.0"},
        "uniform, not normal": {"torch.randn_like(value)": "2 * torch.rand_like(value) - 1"},
        "0.02 taken for the variance": {"noise * 0.02": "noise * 0.02**0.5"},
        "all matrices are scaled": {'(depth**0.5 if last in ("out_proj", "linear2") else 1)': "depth**0.5"},
    },
)


# In full ----------------------------------------------------------------------------

Kinds = Mapping[str, Callable[[Tensor, float], Any]]


def normal(value: Tensor, smaller: float) -> Any:
    return value.normal_(std=0.02)


def scaled(value: Tensor, smaller: float) -> Any:
    return value.normal_(std=smaller)


def ones(value: Tensor, smaller: float) -> Any:
    return value.fill_(1.0)


def zeros(value: Tensor, smaller: float) -> Any:
    return value.zero_()


def nothing(value: Tensor, smaller: float) -> Any:
    return value


RIGHT: Kinds = {
    "table": normal,
    "place": normal,
    "inner": normal,
    "first": normal,
    "attention": scaled,
    "second": scaled,
    "gain": ones,
    "shift": zeros,
    "bias": zeros,
}


def kind_of(name: str) -> str:
    """What a parameter is for."""
    if "norm" in name:
        return "gain" if name.endswith("weight") else "shift"
    if name.endswith("bias"):
        return "bias"
    known = {"token_": "table", "position_": "place", "linear1": "first", "linear2": "second", "out_proj": "attention"}
    return next((kind for part, kind in known.items() if part in name), "inner")


def starting(smaller: Callable[[int], float] = lambda n: 0.02 * (2 * n) ** -0.5, **other: Any) -> Callable[[Any], None]:
    """A function for each kind of parameter."""

    @torch.no_grad()
    def begin(model: Any) -> None:
        for name, value in model.named_parameters():
            (RIGHT | other)[kind_of(name)](value, smaller(model.config.num_layers))

    return begin


def wrong(mistake: str, **other: Any) -> None:
    """A disguise."""
    disguise(START, mistake)(starting(**other))


correct(START)(starting())

wrong("the residual matrices are not scaled", attention=normal, second=normal)
wrong("the wrong matrix is scaled", first=scaled, second=normal)
wrong("only attention's matrix is scaled", second=normal)
wrong("only the feed-forward network's matrix is scaled", attention=normal)
wrong("√num_layers", smaller=lambda n: 0.02 / n**0.5)
wrong("divided without the root", smaller=lambda n: 0.01 / n)
wrong("all matrices are scaled", inner=scaled, first=scaled)
wrong("all matrices are scaled", inner=scaled, first=scaled, table=scaled, place=scaled)
wrong("all projections of attention are scaled", inner=scaled)
wrong("norms are drawn too", gain=normal)
wrong("norms begin at 0", gain=zeros)
wrong("norms are left out", gain=nothing)
wrong("biases are drawn", bias=normal)
wrong("biases are left as they were", bias=nothing, shift=nothing)
wrong("the tables are left as they were", table=nothing, place=nothing)
wrong("the position table is left as it was", place=nothing)
wrong("the head is drawn with another spread", table=scaled)


def at_random(value: Tensor, half: float) -> Any:
    return value.uniform_(-half, half)


@disguise(START, "uniform, not normal")
@torch.no_grad()
def even(model: Any) -> None:
    for name, value in model.named_parameters():
        kind = kind_of(name)
        if RIGHT[kind] in (normal, scaled):
            at_random(value, 0.02 if RIGHT[kind] is normal else 0.02 * (2 * model.config.num_layers) ** -0.5)
        else:
            RIGHT[kind](value, 0)


@disguise(START, "0.02 taken for the variance")
@torch.no_grad()
def variances(model: Any) -> None:
    starting()(model)
    for value in model.parameters():
        if value.dim() > 1:
            value.mul_(50).mul_(0.02**0.5)


def tiny(value: Tensor, smaller: float) -> Any:
    return value.normal_(std=0.0003)


def moved(value: Tensor, smaller: float) -> Any:
    return value.normal_(mean=0.05, std=0.02)


def wide(value: Tensor, smaller: float) -> Any:
    return value.normal_(std=0.7)


wrong("the head is drawn with another spread", table=tiny)
wrong("not drawn around 0", inner=moved)
unlisted(START)(starting(place=tiny))
unlisted(START)(starting(inner=wide))
wrong("biases of the norms begin at 1", shift=ones)
unlisted(START)(starting(first=zeros))
