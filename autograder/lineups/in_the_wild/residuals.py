"""Room 1: ways of giving the matrices that write to the tokens a smaller spread."""

import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from autograder.probing.lineup import right, wrong


def target(model: Any) -> float:
    return 0.02 / (2 * len(model.layers)) ** 0.5


def matrices(model: Any) -> Iterator[nn.Linear]:
    for layer in model.layers:
        yield layer.self_attn.out_proj
        yield layer.feed_forward.linear2


@right("compares the last two parts of each name")
def by_parts(model: Any) -> None:
    for name, parameter in model.named_parameters():
        if name.split(".")[-2:] in (["out_proj", "weight"], ["linear2", "weight"]):
            nn.init.normal_(parameter, 0.0, target(model))


@right("goes from block to block, the last one first")
def by_block(model: Any) -> None:
    for layer in reversed(model.layers):
        for part in (layer.feed_forward.linear2, layer.self_attn.out_proj):
            part.weight.data.normal_(0, target(model))


@right("asks every module for its own name")
def by_module(model: Any) -> None:
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear) and re.search(r"\b(out_proj|linear2)$", name):
            with torch.no_grad():
                module.weight.copy_(torch.randn_like(module.weight) * target(model))


@right("puts a new parameter in the place of the old one")
def new_parameters(model: Any) -> None:
    for part in matrices(model):
        part.weight = nn.Parameter(torch.randn(part.weight.shape) * target(model))


@right("makes the spread exact")
@torch.no_grad()
def exact(model: Any) -> None:
    for part in matrices(model):
        drawn = torch.randn_like(part.weight)
        part.weight.copy_((drawn - drawn.mean()) / drawn.std() * target(model))


@right("has a generator of its own")
@torch.no_grad()
def own_generator(model: Any) -> None:
    generator = torch.Generator().manual_seed(13)
    for part in matrices(model):
        part.weight.normal_(0.0, target(model), generator=generator)


@right("draws with numpy, and loads a state_dict")
def through_state(model: Any) -> None:
    state = model.state_dict()
    for name in state:
        if name.endswith(("self_attn.out_proj.weight", "feed_forward.linear2.weight")):
            drawn = np.random.normal(0.0, target(model), size=tuple(state[name].shape))
            state[name] = torch.from_numpy(drawn).float()
    model.load_state_dict(state)


@right("draws with 0.02 first and multiplies then")
@torch.no_grad()
def two_steps(model: Any) -> None:
    chosen = list(matrices(model))
    for part in chosen:
        nn.init.normal_(part.weight, std=0.02)
    for part in chosen:
        part.weight.mul_(len(chosen) ** -0.5)


@right("leaves the walk to `apply`")
def by_apply(model: Any) -> None:
    count = sum(hasattr(module, "linear2") for module in model.modules())

    def look(module: nn.Module) -> None:
        for name in ("out_proj", "linear2"):
            if hasattr(module, name):
                nn.init.normal_(getattr(module, name).weight, std=0.02 / math.sqrt(2 * count))

    model.apply(look)


# Wrong ----------------------------------------------------------------------------


@wrong("compares the names of modules as a whole", mistake="nothing is drawn anew")
def whole_module_names(model: Any) -> None:
    for name, module in model.named_modules():
        if name == "out_proj" or name == "linear2":
            nn.init.normal_(module.weight, std=target(model))


@wrong("looks for a name that another library uses", mistake="nothing is drawn anew")
def other_name(model: Any) -> None:
    for name, parameter in model.named_parameters():
        if name.endswith("c_proj.weight"):
            nn.init.normal_(parameter, std=target(model))


@wrong("fills copies", mistake="nothing is drawn anew", kin=True)
def copies(model: Any) -> None:
    drawn: dict[str, Tensor] = {}
    for name, parameter in model.named_parameters():
        if name.endswith(("out_proj.weight", "linear2.weight")):
            drawn[name] = nn.init.normal_(parameter.detach().clone(), std=target(model))


@wrong(
    "draws with the smaller spread, and then everything again with 0.02",
    mistake="the full spread + other parameters as well",
    kin=True,
)
def drawn_over(model: Any) -> None:
    for part in matrices(model):
        nn.init.normal_(part.weight, std=target(model))
    for module in model.layers.modules():
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=0.02)


@wrong("draws them anew with the spread of all others", mistake="the full spread")
def full_spread(model: Any) -> None:
    for part in matrices(model):
        nn.init.normal_(part.weight, std=0.02)


@wrong("divides by the root of the number of blocks", mistake="the root of the number of blocks")
@torch.no_grad()
def root_by_blocks(model: Any) -> None:
    blocks = len(model.layers)
    for part in matrices(model):
        part.weight.copy_(0.02 * torch.randn_like(part.weight) / blocks**0.5)


@wrong("divides by 2 · num_layers, without a root", mistake="no root")
def without_root(model: Any) -> None:
    for part in matrices(model):
        part.weight.data.normal_(0, 0.02 / (2 * len(model.layers)))


@wrong("takes a variance for a standard deviation", mistake="another spread")
def variance(model: Any) -> None:
    for part in matrices(model):
        nn.init.normal_(part.weight, std=0.02**2 / (2 * len(model.layers)))


@wrong("divides by the root of each block's own number", mistake="another spread", kin=True)
def by_own_number(model: Any) -> None:
    for number, layer in enumerate(model.layers, start=1):
        for part in (layer.self_attn.out_proj, layer.feed_forward.linear2):
            nn.init.normal_(part.weight, std=0.02 / math.sqrt(2 * number))


@wrong("halves the spread, however many blocks there are", mistake="another spread")
def always_half(model: Any) -> None:
    for part in matrices(model):
        nn.init.normal_(part.weight, std=0.01)


@wrong("draws the feed-forward networks' matrices alone", mistake="one of the two matrices alone")
def feed_forward_alone(model: Any) -> None:
    for layer in model.layers:
        layer.feed_forward.linear2.weight.data.normal_(std=target(model))


@wrong(
    "takes the first matrix of the feed-forward network for the second", mistake="linear1 instead of linear2", kin=True
)
def first_matrix(model: Any) -> None:
    for name, parameter in model.named_parameters():
        if re.search(r"(out_proj|linear1)\.weight$", name):
            nn.init.normal_(parameter, std=target(model))


@wrong("stops before the last block", mistake="some of the blocks alone", kin=True)
def last_one_missing(model: Any) -> None:
    for number in range(len(model.layers) - 1):
        layer = model.layers[number]
        for part in (layer.self_attn.out_proj, layer.feed_forward.linear2):
            nn.init.normal_(part.weight, std=target(model))


@wrong("begins with the second block", mistake="some of the blocks alone")
def first_one_missing(model: Any) -> None:
    for part in list(matrices(model))[2:]:
        nn.init.normal_(part.weight, std=target(model))


@wrong("shrinks the queries', keys' and values' matrices as well", mistake="other parameters as well", kin=True)
def all_projections(model: Any) -> None:
    for name, parameter in model.named_parameters():
        if name.endswith(("proj.weight", "linear2.weight")):
            nn.init.normal_(parameter, std=target(model))


@wrong("draws the biases beside them as well", mistake="other parameters as well")
def biases(model: Any) -> None:
    for part in matrices(model):
        for parameter in part.parameters():
            nn.init.normal_(parameter, std=target(model))


@wrong(
    "works the spread out for the first model that it is given, and keeps it for all others",
    mistake="another spread",
    kin=True,
)
def kept(model: Any, *, known: list[float] = []) -> None:  # noqa: B006
    known.append(target(model))
    for part in matrices(model):
        nn.init.normal_(part.weight, std=known[0])


@wrong("lets the spread grow from block to block, and is right on average")
def growing(model: Any) -> None:
    count = len(model.layers)
    for number, layer in enumerate(model.layers, start=1):
        for part in (layer.self_attn.out_proj, layer.feed_forward.linear2):
            nn.init.normal_(part.weight, std=target(model) * 2 * number / (count + 1))


@wrong("draws the table of tokens anew as well", kin=True)
def tokens_too(model: Any) -> None:
    for part in matrices(model):
        nn.init.normal_(part.weight, std=target(model))
    nn.init.normal_(next(one for one in model.modules() if isinstance(one, nn.Embedding)).weight, std=0.02)
