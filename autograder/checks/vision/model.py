"""Checks of the model: VisionTransformer, and a repair."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.checks.decoding.shared import raised
from autograder.checks.vision.shared import gradients, pictures, small
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.stand_ins import vision as stand_in
from autograder.stand_ins.vision import VisionConfig

FORBIDDEN = ("transformer_layer",)

vision_transformer = Exercise(
    "VisionTransformer",
    points=5,
    forbidden=FORBIDDEN,
    hints=(
        "How many tokens does the encoder read, and how many places need a vector? The class token is one vector, and every picture of the batch needs it in front of its patches.",
        "```python\nself.class_token = ...  # nn.Parameter, (1, 1, d_model)\nself.positions = ...    # nn.Parameter, (1, 1 + num_patches, d_model)\n```\n```python\npatches = ...           # (batch, num_patches, d_model)\nfirst = ...             # the class token, once for each picture: (batch, 1, d_model)\nx = ...                 # both, one behind the other: (batch, 1 + num_patches, d_model)\nx = ...                 # plus the positions, then dropout\n...                     # the encoder, and its weights\n...                     # the head reads one token of each picture\n```",
        "`self.class_token.expand(len(images), -1, -1)` and `torch.cat((first, patches), dim=1)`; then `self.dropout(x + self.positions)`, `x, weights = self.encoder(x, return_weights=True)`, `self.head(x[:, 0])`. In the constructor `nn.Parameter(torch.empty(...))`: the two lines below it fill them.",
    ),
    traps={
        "AttributeError: 'VisionTransformer' object has no attribute ...": "the constructor has a blank of its own: it makes `self.class_token` and `self.positions`.",
        "RuntimeError: Sizes of tensors must match except in dimension 1. Expected size ... but got size ... for tensor number 1 in the list.": "the class token has to be there once for each picture: `self.class_token.expand(len(images), -1, -1)`.",
        "RuntimeError: Sizes of tensors must match except in dimension 0. Expected size ... but got size ... for tensor number 1 in the list.": "the class token stands in front of the patches: `dim=1`, the row of tokens. Dimension 0 is the batch.",
        "RuntimeError: The size of tensor a (...) must match the size of tensor b (...) at non-singleton dimension 1": "there is one token more than there are patches, and every token needs a position: 1 + num_patches.",
        "RuntimeError: Tensors must have same number of dimensions: got 3 and 2": "the class token is (1, 1, d_model), so that it can stand in front of (batch, num_patches, d_model).",
        "TypeError: linear(): argument 'input' (position 1) must be Tensor, not tuple": "asked for its weights, the encoder returns two things.",
        "AttributeError: 'tuple' object has no attribute ...": "asked for its weights, the encoder returns two things.",
    },
)


def four_patches(**other: Any) -> VisionConfig:
    """For probes that return weights: five tokens have half as many as seven."""
    return small(width=4, num_classes=7, num_layers=2, **other)


def in_other_order(images: Tensor, order: Tensor) -> Tensor:
    """The same patches at other places."""
    return stand_in.unpatchify(stand_in.patchify(images, 2)[:, order], 2, 4, 6)


@vision_transformer.probe("reads patches behind a class token, and says what that token has become", float64=True)
def logits(VisionTransformer: Callable, draw: Draw) -> Any:
    return draw.module(VisionTransformer, small())(pictures(draw, 4, small()))


@vision_transformer.probe(
    "returns the weights of every layer when asked, for one token more than patches", float64=True
)
def with_weights(VisionTransformer: Callable, draw: Draw) -> Any:
    return draw.module(VisionTransformer, four_patches())(pictures(draw, 3, four_patches()), return_weights=True)


@vision_transformer.probe(
    "without positions says the same of the patches in any order, and with positions does not",
    float64=True,
)
def any_order(VisionTransformer: Callable, draw: Draw) -> Any:
    model: Any = draw.module(VisionTransformer, small())
    images = pictures(draw, 3, small())
    order = draw.tensor("order", 6).argsort()
    with_positions = [model(one) for one in (images, in_other_order(images, order))]
    with torch.no_grad():
        model.positions.zero_()
    return {
        "with positions, as it is and shuffled": with_positions,
        "positions at zero, as it is and shuffled": [model(one) for one in (images, in_other_order(images, order))],
    }


@vision_transformer.probe("says the same of a picture alone as beside others", float64=True)
def alone_and_together(VisionTransformer: Callable, draw: Draw) -> Any:
    model, images = draw.module(VisionTransformer, small()), pictures(draw, 3, small())
    return {"together": model(images), "the last one alone": model(images[2:])}


@vision_transformer.probe(
    "drops tokens with their positions and all that is added, in training at dropout=1; nothing in evaluation",
    float64=True,
)
def all_dropped(VisionTransformer: Callable, draw: Draw) -> Any:
    image = pictures(draw, 1, four_patches())
    found = {}
    for share in (0.0, 1.0):
        model = draw.module(VisionTransformer, four_patches(dropout=share))
        found[f"dropout={share:g}, training"] = model.train()(image, return_weights=share == 1)
        found[f"dropout={share:g}, evaluation"] = model.eval()(image)
    return found


class FirstToLast(nn.Module):
    """Brings the second token to the first place."""

    def forward(self, x: Tensor) -> Tensor:
        """Turn the row of tokens by one."""
        return x.roll(-1, dims=1)


@vision_transformer.probe("drops each number of the sum once, by itself, in training at dropout=0.5", float64=True)
def half_dropped(VisionTransformer: Callable, draw: Draw) -> Any:
    # Without layers, with a norm and a head that change no number, the logits are the sum itself: that of the class
    # token, and after a turn by one place that of the first patch.
    model: Any = draw.module(VisionTransformer, small(num_layers=0, num_classes=8, dropout=0.5))
    with torch.no_grad():
        model.head.weight.copy_(torch.eye(8))
        model.head.bias.zero_()
    images = pictures(draw, 40, small())
    found: dict[str, Any] = {}
    for place, norm in {"class token": nn.Identity(), "first patch": FirstToLast()}.items():
        model.encoder.norm = norm
        whole, some = model.eval()(images), model.train()(images)
        doubled = (some - 2 * whole).abs() < 1e-4 + 1e-3 * whole.abs()
        found[f"{place}, in evaluation"] = whole[:2]
        found[f"{place}, each is 0 or doubled"] = bool((doubled | (some == 0)).all())
        four_times = (some - 4 * whole).abs() < 1e-4 + 1e-3 * whole.abs()
        found[f"{place}, each is 0 or four times as large"] = bool((four_times | (some == 0)).all())
        found[f"{place}, some are 0"] = bool((some == 0).any())
        found[f"{place}, some are not"] = bool((some != 0).any())
        lost = some == 0
        found[f"{place}, of some tokens a part"] = bool((lost.any(dim=1) & ~lost.all(dim=1)).any())
        found[f"{place}, not the same in every picture"] = bool((lost != lost[:1]).any())
    with torch.no_grad():
        model.positions.zero_()
    whole, some = model.eval()(images), model.train()(images)
    doubled = (some - 2 * whole).abs() < 1e-4 + 1e-3 * whole.abs()
    found["first patch with positions at zero, each is 0 or doubled"] = bool((doubled | (some == 0)).all())
    return found


@vision_transformer.probe(
    "has the right gradients for all parameters, the class token's and the positions' too (of the layers' their sum, and "
    "the sum of their squares)",
    rung="gradients",
)
def model_gradients(VisionTransformer: Callable, draw: Draw) -> Any:
    model = draw.module(VisionTransformer, small(num_layers=2))
    found = gradients(draw, model(pictures(draw, 3, small())), model)
    return {name: in_short(one) if name.startswith("encoder.layers.") else one for name, one in found.items()}


def in_short(gradient: Tensor | None) -> Tensor | None:
    """The sum of a gradient's numbers and of their squares: the layers have nine tenths of all, and all are stored."""
    return None if gradient is None else torch.stack([gradient.sum(), gradient.square().sum()])


@vision_transformer.probe(
    "works for one picture, for one patch, for more pictures than patches, and on memory that is not contiguous",
    rung="edges",
    float64=True,
)
def model_edges(VisionTransformer: Callable, draw: Draw) -> Any:
    model, whole = draw.module(VisionTransformer, small(num_layers=1)), small(patch_size=4, width=4)
    images = pictures(draw, 9, small())
    return {
        "one picture": model(images[:1], return_weights=True),
        "one patch": draw.fill(VisionTransformer(whole))(pictures(draw, 2, whole, "square"), return_weights=True),
        "nine pictures": model(images),
        "not contiguous": model(draw.tensor("turned", 2, 6, 4, 3).permute(0, 3, 2, 1)),
    }


@vision_transformer.probe("has one class token for all pictures, and a position for every place", rung="invariants")
def made_for_any_batch(VisionTransformer: Callable, draw: Draw) -> Any:
    model = draw.fill(VisionTransformer(small()))
    shapes = {name: tuple(getattr(model, name).shape) for name in ("class_token", "positions")}
    try:
        model(pictures(draw, 2, small()))
    except NotImplementedError:  # the blank stub must show as blank
        raise
    except Exception:
        pass  # what a batch of two raises is for other probes to show
    return shapes


@vision_transformer.probe(
    "raises a ValueError for pictures of other sizes, for none, and when d_model is not divisible by num_heads",
    rung="invariants",
)
def refuses_sizes(VisionTransformer: Callable, draw: Draw) -> Any:
    model, images = draw.fill(VisionTransformer(small())), pictures(draw, 2, small())
    model(images)  # the blank stub must show as blank
    return {
        "two channels for three": raised(lambda: model(images[:, :2])),
        "6 x 4 for 4 x 6": raised(lambda: model(images.transpose(2, 3))),
        "no picture": raised(lambda: model(images[:0])),
        "d_model=8 with 3 heads": raised(lambda: VisionTransformer(small(num_heads=3))),
    }


# In the wild ----------------------------------------------------------------------------

article_vision_transformer = Exercise(
    "ArticleVisionTransformer",
    points=2,
    repairs=vision_transformer,
    hints=(
        "Three things are wrong. Ask of each of the tokens: which vector says where it stands? And ask of the head: what is the one token that it reads?",
        "How many vectors does `positions` have, and how many places are there? When are they added, and is the class token there by then? At which end does the class token stand?",
        "`self.positions` is (1, 1 + config.num_patches, config.d_model). Put the class token *in front*, `torch.cat((first, patches), dim=1)`, and add the positions after that, to all tokens. The head reads `x[:, 0]`.",
    ),
)
