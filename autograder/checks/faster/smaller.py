"""Checks of smaller models: whole numbers of one byte, and weights that are set to 0."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.checks.decoding.shared import raised
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

# quantize_rows ----------------------------------------------------------------------------

quantize_rows = Exercise(
    "quantize_rows",
    points=2,
    stretch=True,
    forbidden=("quantize_per_channel", "quantize_per_tensor"),
    hints=(
        "A row with 0.5, -2.54 and 1. Which number becomes -127, and by what do you divide to get there? What happens to a row of zeros with the same rule?",
        "```python\nscale = ...   # (rows, 1): the largest absolute value of each row becomes 127\nscale = ...   # 1 where a row is all zeros\nreturn ...    # to the nearest whole number, as int8, and the scales\n```",
        "`scale = weight.abs().amax(dim=1, keepdim=True) / 127`, `scale = scale.masked_fill(scale == 0, 1.0)`, `torch.round(weight / scale).to(torch.int8)`. Without `round`, `.to(torch.int8)` cuts off what stands behind the point.",
    ),
    traps={
        "RuntimeError: The size of tensor a (...) must match the size of tensor b (...) at non-singleton dimension ...": "there is one scale for each row: `keepdim=True` keeps it a column.",
        "TypeError: unsupported operand type(s) for /: 'torch.return_types.max' and 'int'": "`max(dim=1)` gives values and places: `.values`, or `amax`, which gives the values alone.",
    },
)


def with_dtype(pair: Any) -> Any:
    """The whole numbers and their kind, and the scales."""
    whole, scale = pair
    kind = str(whole.dtype) if isinstance(whole, Tensor) else type(whole).__name__
    return {"whole numbers": whole, "kept as": kind, "scale": scale}


def rows(draw: Draw, name: str, count: int, columns: int, powers: tuple[int, ...], sign: int = 0) -> Tensor:
    """Rows whose largest absolute value is 127 times a power of 2: nothing is rounded where one divides by the scale."""
    numbers = draw.tensor(f"numbers of {name}", count, columns).tanh() * 120
    numbers = sign * numbers.abs() if sign else numbers
    places = draw.integers(f"places of {name}", count, high=columns)
    ends = 127.0 * (sign or 1) * torch.where(draw.booleans(f"ends of {name}", count) | bool(sign), 1.0, -1.0)
    numbers[torch.arange(count), places] = ends.to(numbers.dtype)
    return draw.keep(name, numbers * torch.tensor(powers, dtype=numbers.dtype).exp2().unsqueeze(1))


@quantize_rows.probe("brings every row to -127 ... 127 by a scale of its own, and rounds to the nearest")
def some_rows(quantize_rows: Callable, draw: Draw) -> Any:
    return with_dtype(quantize_rows(rows(draw, "weight", 4, 9, (-13, -7, -2, 1))))


@quantize_rows.probe("sees large numbers below 0, and rows whose numbers are all below 0")
def below_zero(quantize_rows: Callable, draw: Draw) -> Any:
    return with_dtype(quantize_rows(rows(draw, "weight", 3, 5, (-6, -4, 0), sign=-1)))


@quantize_rows.probe("gives a row of zeros the scale 1", rung="edges")
def row_of_zeros(quantize_rows: Callable, draw: Draw) -> Any:
    weight = rows(draw, "numbers", 3, 4, (-5, -3, -6)).clone()
    weight[1] = 0.0
    one, none = draw.keep("weight", weight), draw.keep("zeros", torch.zeros(2, 3))
    return {"one": with_dtype(quantize_rows(one)), "all": with_dtype(quantize_rows(none))}


@quantize_rows.probe("works for one row, one column, and memory that is not contiguous", rung="edges")
def quantize_edges(quantize_rows: Callable, draw: Draw) -> Any:
    weight = rows(draw, "weight", 5, 3, (-6, -5, -4, -3, -2))
    turned = draw.keep("turned", weight.T.contiguous().T)
    return {
        "one row": with_dtype(quantize_rows(weight[:1])),
        "one column": with_dtype(quantize_rows(rows(draw, "column", 4, 1, (-6, -5, -4, -3)))),
        "not contiguous": with_dtype(quantize_rows(turned)),
    }


# QuantizedLinear ----------------------------------------------------------------------------

quantized_linear = Exercise(
    "QuantizedLinear",
    points=2,
    stretch=True,
    hints=(
        "`int8 * scale` is nearly the matrix of the layer, with its rows as features that come out. What did `nn.Linear` do with that matrix? And what is the layer's state_dict to hold, if its matrix shall take a quarter of the bytes?",
        "```python\n# in the constructor\nweight, scale = ...\nself.register_buffer(\"weight\", ...)\nself.register_buffer(\"scale\", ...)\nself.register_buffer(\"bias\", ...)   # None where the layer has none\n\n# in forward\nmatrix = ...      # (features out, features in), floats\noutput = ...\nreturn ...        # plus the bias, if there is one\n```",
        "`weight, scale = quantize_rows(linear.weight.detach())`. In `forward`: `matrix = self.weight.to(x.dtype) * self.scale`, `output = x @ matrix.T`, and `output + self.bias` unless it is None.",
    ),
    traps={
        "RuntimeError: Only Tensors of floating point and complex dtype can require gradients": "a matrix of whole numbers is no parameter: `self.register_buffer(\"weight\", weight)`.",
        "RuntimeError: expected m1 and m2 to have the same dtype, but got: ...": "the whole numbers become floats first: `self.weight.to(x.dtype)`.",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (...)": "the matrix is (features out, features in), as in nn.Linear: multiply with its transpose.",
        "TypeError: unsupported operand type(s) for +: 'Tensor' and 'NoneType'": "a layer may have no bias: then it is None.",
        "KeyError: \"attribute 'weight' already exists\"": "the name is taken: register each buffer once, and set no attribute of that name before.",
        "TypeError: cannot assign 'torch.CharTensor' object to parameter 'weight' (torch.nn.Parameter or None required)": "this is an nn.Module of its own, not an nn.Linear: derive from nn.Module, and register buffers.",
    },
)  # fmt: skip


def quantized(QuantizedLinear: Callable, draw: Draw, **more: Any) -> tuple[nn.Module, nn.Linear]:
    """One made of a drawn linear layer, and that layer."""
    linear = draw.fill(nn.Linear(5, 3, **more))
    assert isinstance(linear, nn.Linear)
    return QuantizedLinear(linear), linear


@quantized_linear.probe("computes with the matrix that whole numbers and scales stand for, and adds the bias")
def a_layer(QuantizedLinear: Callable, draw: Draw) -> Any:
    return quantized(QuantizedLinear, draw)[0](draw.tensor("x", 2, 4, 5))


@quantized_linear.probe("works for a layer without bias")
def without_bias(QuantizedLinear: Callable, draw: Draw) -> Any:
    return quantized(QuantizedLinear, draw, bias=False)[0](draw.tensor("x", 4, 5))


@quantized_linear.probe(
    "keeps one byte for each number of the matrix, as a buffer that is saved, and no parameter", rung="invariants"
)
def what_is_kept(QuantizedLinear: Callable, draw: Draw) -> Any:
    layer, _ = quantized(QuantizedLinear, draw)
    kept = {name: f"{one.dtype} {tuple(one.shape)}" for name, one in sorted(layer.state_dict().items())}
    bare, _ = quantized(QuantizedLinear, draw, bias=False)
    return {
        "state_dict": kept,
        "parameters": [name for name, _ in layer.named_parameters()],
        "of a layer without bias": sorted(bare.state_dict()),
        "buffers that autograd follows": [name for name, one in layer.named_buffers() if one.requires_grad],
    }


@quantized_linear.probe("hands the gradient back to its input", rung="gradients")
def input_gradients(QuantizedLinear: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 4, 5, requires_grad=True)
    return draw.gradients(quantized(QuantizedLinear, draw)[0](x), x=x)


@quantized_linear.probe("leaves the layer as it is, and loads what another has saved", rung="edges")
def saved_and_loaded(QuantizedLinear: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 4, 5)
    layer, linear = quantized(QuantizedLinear, draw)
    other = QuantizedLinear(nn.Linear(5, 3))
    other.load_state_dict(layer.state_dict())
    return {"loaded": other(x), "the layer": linear(x), "a single row": layer(x[0])}


@quantized_linear.probe("keeps copies: when the layer is changed afterwards, nothing else changes", rung="edges")
def changed_afterwards(QuantizedLinear: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 4, 5)
    layer, linear = quantized(QuantizedLinear, draw)
    with torch.no_grad():
        for one in linear.parameters():
            one.mul_(-2)
    return layer(x)


# prune_magnitude_ ----------------------------------------------------------------------------

prune_magnitude = Exercise(
    "prune_magnitude_",
    points=2,
    stretch=True,
    hints=(
        "Two matrices, one with numbers around 0.1, one around 10, and half of all numbers shall go. From which matrix do they go, if there is one threshold for both? How do you find it?",
        "```python\nmatrices = ...     # parameters with two dimensions or more\nsizes = ...        # absolute values of all of them, in one row\ncount = ...        # how many go\nthreshold = ...    # the largest of the smallest `count`\nfor matrix in matrices:\n    ...            # in place\n```",
        "`sizes = torch.cat([one.abs().flatten() for one in matrices])`, `threshold = sizes.kthvalue(count).values`, and `matrix[matrix.abs() <= threshold] = 0.0`. `kthvalue` counts from 1, so stop early where count is 0.",
    ),
    traps={
        "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.": "gradients do not flow through pruning: keep `@torch.no_grad()` above the function.",
        "RuntimeError: kthvalue(): selected number k out of range for dimension 0": "`kthvalue` counts from 1: where nothing goes, stop before.",
        "TypeError: kthvalue(): argument 'k' (position 1) must be int, not float": "how many go is a whole number: `round(share * len(sizes))`.",
    },
)


class Tied(nn.Module):
    """A table, a layer, and a head that is the table once more."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(6, 4)
        self.layer = nn.Linear(4, 4)
        self.head = nn.Linear(4, 6, bias=False)
        self.head.weight = self.table.weight


def uneven(draw: Draw) -> nn.Module:
    """Layers whose numbers have different sizes; 12 + 20 + 8 in their matrices."""
    model = draw.fill(nn.Sequential(nn.Linear(4, 3), nn.LayerNorm(3), nn.Linear(5, 4), nn.Linear(2, 4)))
    with torch.no_grad():
        for factor, name in ((0.2, "0.weight"), (3.0, "2.weight"), (0.01, "0.bias"), (0.02, "1.weight")):
            model.get_parameter(name).mul_(factor)
    return model


def numbers(model: nn.Module) -> dict[str, Tensor]:
    """What the parameters are now."""
    return {name: one.detach().clone() for name, one in model.named_parameters()}


@prune_magnitude.probe("sets half of the numbers in all matrices to 0, those with the smallest absolute values")
def half_of_them(prune_magnitude_: Callable, draw: Draw) -> Any:
    model = uneven(draw)
    prune_magnitude_(model, 0.5)
    return numbers(model)


@prune_magnitude.probe("follows the share")
def other_shares(prune_magnitude_: Callable, draw: Draw) -> Any:
    found = {}
    for share in (0.25, 0.75, 0.95):
        model = uneven(draw)
        prune_magnitude_(model, share)
        found[f"share={share}"] = numbers(model)
    return found


@prune_magnitude.probe("counts a parameter with two names once, and tables of embeddings among the matrices")
def tied(prune_magnitude_: Callable, draw: Draw) -> Any:
    model = draw.fill(Tied())
    with torch.no_grad():
        for name, factor, least in (("layer.weight", 0.02, 0.05), ("table.weight", 1.0, 0.5)):
            own = model.get_parameter(name)  # the layer's numbers are smaller than any of the table, and far from 0
            own.copy_(own.sign() * (own.abs() * factor + least))
    prune_magnitude_(model, 0.25)
    return numbers(model)


@prune_magnitude.probe("takes kernels with four dimensions for matrices too", rung="edges")
def kernels(prune_magnitude_: Callable, draw: Draw) -> Any:
    model = draw.fill(nn.Sequential(nn.Conv2d(2, 3, 2), nn.Linear(4, 4)))
    prune_magnitude_(model, 0.5)
    return numbers(model)


@prune_magnitude.probe("changes nothing for a share of 0, and everything for 1; twice the same is once", rung="edges")
def none_and_all(prune_magnitude_: Callable, draw: Draw) -> Any:
    found = {}
    for share in (0.0, 1.0, 0.5):
        model = uneven(draw)
        prune_magnitude_(model, share)
        prune_magnitude_(model, share)
        found[f"share={share}"] = numbers(model)
    return found


@prune_magnitude.probe("raises a ValueError for a share below 0 or above 1", rung="invariants")
def refuses_shares(prune_magnitude_: Callable, draw: Draw) -> Any:
    model = uneven(draw)
    prune_magnitude_(model, 0.5)  # the blank stub must show as blank
    return {
        "below 0": raised(lambda: prune_magnitude_(model, -0.1)),
        "above 1": raised(lambda: prune_magnitude_(model, 1.5)),
    }
