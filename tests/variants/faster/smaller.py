"""Lesson 20: whole numbers of one byte, and weights that are set to 0."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins.faster import quantize_rows as right_rows
from tests.variants import correct, disguise, slips, unlisted

ROWS = "quantize_rows"
LAYER = "QuantizedLinear"
PRUNE = "prune_magnitude_"

# quantize_rows, right ----------------------------------------------------------------------------


def row_by_row(weight: Tensor) -> tuple[Tensor, Tensor]:
    """A loop over the rows."""
    whole, scales = [], []
    for row in weight:
        top = max(abs(one) for one in row.tolist())
        step = top / 127 if top else 1.0
        whole.append([round(one / step) for one in row.tolist()])
        scales.append([step])
    return torch.tensor(whole, dtype=torch.int8), torch.tensor(scales, dtype=weight.dtype)


slips(
    ROWS,
    row_by_row,
    {
        "rounded towards 0": {"round(one / step)": "int(one / step)"},
        "scales in a row": {"scales.append([step])": "scales.append(step)"},
        "the scale upside down": {"scales.append([step])": "scales.append([1 / step])"},
        "not int8": {"dtype=torch.int8": "dtype=torch.int64"},
        "a scale for every column": {
            "return torch.tensor(whole": "return [one.T for one in right_rows(weight.T)]\n    return torch.tensor(whole"
        },
    },
)


def by_max_and_min(weight: Tensor) -> tuple[Tensor, Tensor]:
    """The larger of the largest and minus the smallest."""
    high, low = weight.max(dim=-1, keepdim=True).values, weight.min(dim=-1, keepdim=True).values
    bound = torch.maximum(high, -low)
    factor = 127 / bound
    safe = torch.where(bound > 0, factor, torch.ones_like(factor))
    return (weight * safe).round().type(torch.int8), 1 / safe


slips(
    ROWS,
    by_max_and_min,
    {
        "largest value, not largest absolute value": {
            "torch.maximum(high, -low)": "high",
            "bound > 0, factor": "bound != 0, factor",
        },
        "another number than 127": {"127 / bound": "128 / bound"},
        "the scale upside down": {"1 / safe": "safe"},
        "rounded towards 0": [{".round()": ".trunc()"}, {".round()": ".floor()"}],
        "scales in a row": {"1 / safe": "(1 / safe).flatten()"},
        "not int8": {".type(torch.int8)": ""},
    },
)


def by_norms(weight: Tensor) -> tuple[Tensor, Tensor]:
    """The maximum norm of every row."""
    norms = torch.linalg.norm(weight, ord=float("inf"), dim=1)[:, None]
    norms[norms == 0] = 127.0
    fitted = weight * (127.0 / norms)
    return torch.empty_like(weight, dtype=torch.int8).copy_(fitted.round_()), norms.div(127.0)


slips(
    ROWS,
    by_norms,
    {
        "one scale for the whole matrix": {
            'torch.linalg.norm(weight, ord=float("inf"), dim=1)[:, None]': (
                "weight.abs().max().reshape(1, 1).repeat(len(weight), 1)"
            )
        },
        "a row of zeros divides by 0": {
            "    norms[norms == 0] = 127.0\n": "",
            "weight * (127.0 / norms)": "weight / (norms / 127)",
        },
        "rounded towards 0": {"fitted.round_()": "fitted"},
        "numbers given back instead of whole numbers": {
            "torch.empty_like(weight, dtype=torch.int8).copy_(fitted.round_())": "fitted.round_() * norms / 127"
        },
    },
)

# quantize_rows, in full ----------------------------------------------------------------------------


def with_scale(weight: Tensor, scale: Tensor, nearest: Callable[[Tensor], Tensor] = torch.round) -> Any:
    """Whole numbers by a scale."""
    return nearest(weight / scale).to(torch.int8), scale


def bounds(weight: Tensor) -> Tensor:
    """The largest absolute value of each row, 127 for a row of zeros."""
    found = weight.abs().max(1, True).values
    return found + 127 * (found == 0)


@disguise(ROWS, "one scale for the whole matrix")
def one_for_all(weight: Tensor) -> Any:
    largest = torch.max(torch.abs(weight))
    return with_scale(weight, (largest / 127 if largest else torch.ones(())).expand(len(weight)).unsqueeze(1))


@disguise(ROWS, "a scale for every column")
def for_columns(weight: Tensor) -> Any:
    return with_scale(weight, bounds(weight.T).T / 127)


@disguise(ROWS, "a row of zeros divides by 0")
def no_care(weight: Tensor) -> Any:
    return with_scale(weight, weight.abs().max(1, True).values / 127)


@disguise(ROWS, "rounded towards 0")
def cut_off(weight: Tensor) -> Any:
    return with_scale(weight, bounds(weight) / 127, torch.fix)


@disguise(ROWS, "another number than 127")
def to_128(weight: Tensor) -> Any:
    found = weight.abs().max(1, True).values
    return with_scale(weight, torch.where(found > 0, found * 2**-7, 1.0))


@disguise(ROWS, "largest value, not largest absolute value")
def only_above(weight: Tensor) -> Any:
    found = weight.max(1, True).values / 127
    return with_scale(weight, torch.where(found == 0, 1.0, found))


@disguise(ROWS, "largest value, not largest absolute value")
def only_above_and_held(weight: Tensor) -> Any:
    scale = weight.max(dim=1, keepdim=True).values / 127
    scale = torch.where(scale == 0, torch.ones_like(scale), scale)
    return (weight / scale).round().clip(-127, 127).char(), scale


@disguise(ROWS, "the scale upside down")
def to_multiply(weight: Tensor) -> Any:
    factor = 127 / bounds(weight)
    return (factor * weight).round().to(torch.int8), factor


@disguise(ROWS, "not int8")
def still_floats(weight: Tensor) -> Any:
    scale = bounds(weight) / 127
    return (weight / scale).round(), scale


@disguise(ROWS, "scales in a row")
def a_vector(weight: Tensor) -> Any:
    whole, scale = right_rows(weight)
    return whole, scale[:, 0]


@disguise(ROWS, "numbers given back instead of whole numbers")
def nearly_the_matrix(weight: Tensor) -> Any:
    whole, scale = right_rows(weight)
    return whole * scale, scale


@unlisted(ROWS)
def the_other_order(weight: Tensor) -> Any:
    whole, scale = right_rows(weight)
    return whole.flip(1), scale


@unlisted(ROWS)
def to_64(weight: Tensor) -> Any:
    return with_scale(weight, bounds(weight) / 64)


@unlisted(ROWS)
def by_the_mean(weight: Tensor) -> Any:
    found = weight.abs().mean(1, True) / 40
    return with_scale(weight, torch.where(found == 0, 1.0, found))


# QuantizedLinear ----------------------------------------------------------------------------


class ScaledAfterwards(nn.Module):
    """The scale at the end, feature by feature."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        whole, steps = right_rows(linear.weight.data)
        for name, value in (("weight", whole), ("scale", steps), ("bias", linear.bias)):
            self.register_buffer(name, value if value is None else value.detach().clone())

    def forward(self, x: Tensor) -> Tensor:
        """Products first."""
        products = torch.einsum("...i,oi->...o", x, self.weight.type_as(x))
        features = products * self.scale[:, 0]
        if self.bias is not None:
            features = features + self.bias
        return features


slips(
    LAYER,
    ScaledAfterwards,
    {
        "bias forgotten": {"features = features + self.bias": "features = features * 1"},
        "scale forgotten": {"products * self.scale[:, 0]": "products"},
        "divided by the scale": {"products * self.scale[:, 0]": "products / self.scale[:, 0]"},
        "one scale for all rows": {"self.scale[:, 0]": "self.scale[0, 0]"},
        "bias scaled too": {"features = features + self.bias": "features = features + self.bias * self.scale[:, 0]"},
        "floats kept as before": {'("weight", whole)': '("weight", whole.float())'},
    },
)


class ByHand(nn.Module):
    """F.linear on a matrix that is made anew each time."""

    weight: Tensor
    scale: Tensor
    bias: Any

    def __init__(self, linear: nn.Linear) -> None:
        nn.Module.__init__(self)
        pair = right_rows(linear.weight.detach().clone())
        self.register_buffer("weight", pair[0])
        self.register_buffer("scale", pair[1])
        self.register_buffer("bias", None)
        if linear.bias is not None:
            self.bias = linear.bias.data.clone()

    def forward(self, x: Tensor) -> Tensor:
        """As before."""
        return F.linear(x, self.weight.float().mul(self.scale).to(x), self.bias)


slips(
    LAYER,
    ByHand,
    {
        "bias forgotten": {".to(x), self.bias)": ".to(x))"},
        "scale forgotten": {".mul(self.scale)": ""},
        "divided by the scale": {".mul(self.scale)": ".div(self.scale)"},
        "one scale for all rows": [
            {".mul(self.scale)": ".mul(self.scale.mean())"},
            {".mul(self.scale)": ".mul(self.scale[0])"},
        ],
        "input quantized too": {"F.linear(x,": "F.linear(x.round(),"},
    },
)


class InAFunction(nn.Module):
    """A bias of zeros is never added where there is none."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        numbers, self_scale = right_rows(linear.weight.detach())
        bias = linear.bias
        self.register_buffer("scale", self_scale)
        self.register_buffer("weight", numbers)
        self.register_buffer("bias", bias.data.clone() if isinstance(bias, Tensor) else None)

    def forward(self, x: Tensor) -> Tensor:
        """A matrix with the features as columns."""
        columns = (self.scale * self.weight).T.to(x.dtype)
        result = torch.matmul(x, columns)
        return result if self.bias is None else torch.add(result, self.bias)


slips(
    LAYER,
    InAFunction,
    {
        "scale forgotten": {"(self.scale * self.weight).T": "self.weight.T"},
        "divided by the scale": {"self.scale * self.weight": "self.weight / self.scale"},
        "bias forgotten": {"else torch.add(result, self.bias)": "else result"},
        "bias scaled too": {"torch.add(result, self.bias)": "torch.add(result, self.bias * self.scale.flatten())"},
        "one scale for all rows": {"(self.scale * self.weight)": "(self.scale.amax() * self.weight)"},
    },
)


def layer(forward: Callable[[Any, Tensor], Tensor], keep: Callable[[nn.Module, nn.Linear], None] | None = None) -> Any:
    """A module of a forward and a way to keep."""

    class Layer(nn.Module):
        def __init__(self, linear: nn.Linear) -> None:
            super().__init__()
            (keep or kept)(self, linear)

        def forward(self, x: Tensor) -> Tensor:
            return forward(self, x)

    return Layer


def kept(module: nn.Module, linear: nn.Linear) -> None:
    """What should be kept."""
    for name, value in zip(
        ("weight", "scale", "bias"), (*right_rows(linear.weight.detach()), linear.bias), strict=True
    ):
        module.register_buffer(name, None if value is None else value.detach().clone())


def plus(module: Any, products: Tensor, factor: Any = 1.0) -> Tensor:
    """The bias, if there is one."""
    return products if module.bias is None else products + module.bias * factor


def matrix(module: Any) -> Tensor:
    """What whole numbers and scales stand for."""
    return module.weight * module.scale


for _name, _forward in {
    "bias forgotten": lambda m, x: x @ matrix(m).T.to(x),
    "scale forgotten": lambda m, x: plus(m, x @ m.weight.T.to(x)),
    "bias scaled too": lambda m, x: plus(m, x @ matrix(m).T.to(x), m.scale.T[0]),
    "divided by the scale": lambda m, x: plus(m, x @ m.weight.T.to(x) / m.scale.T),
    "one scale for all rows": lambda m, x: plus(m, x @ m.weight.T.to(x) * m.scale[0, 0]),
    "input quantized too": lambda m, x: plus(m, x.round() @ matrix(m).T.to(x)),
}.items():
    disguise(LAYER, _name)(layer(_forward))


def _as_it_was(module: nn.Module, linear: nn.Linear) -> None:
    kept(module, linear)
    module.weight = linear.weight.detach().clone()


def _not_saved(module: nn.Module, linear: nn.Linear) -> None:
    kept(module, linear)
    for name in ("weight", "scale", "bias"):
        module._non_persistent_buffers_set.add(name)


def _with_a_parameter(module: nn.Module, linear: nn.Linear) -> None:
    kept(module, linear)
    if linear.bias is not None:
        del module.bias
        module.register_parameter("bias", nn.Parameter(linear.bias.data))


def _not_copied(module: nn.Module, linear: nn.Linear) -> None:
    kept(module, linear)
    module.bias = linear.bias if linear.bias is None else linear.bias.data


disguise(LAYER, "bias stays a parameter")(layer(lambda m, x: plus(m, x @ matrix(m).T.to(x)), _with_a_parameter))
disguise(LAYER, "the bias is no copy")(layer(lambda m, x: plus(m, x @ matrix(m).T.to(x)), _not_copied))
disguise(LAYER, "floats kept as before")(layer(lambda m, x: F.linear(x, m.weight, m.bias), _as_it_was))
disguise(LAYER, "buffers that are not saved")(layer(lambda m, x: plus(m, x @ matrix(m).T.to(x)), _not_saved))
unlisted(LAYER)(layer(lambda m, x: -plus(m, x @ matrix(m).T.to(x))))
unlisted(LAYER)(layer(lambda m, x: plus(m, x @ matrix(m).T.to(x)).relu()))
unlisted(LAYER)(layer(lambda m, x: plus(m, x @ matrix(m).T.to(x), 2.0)))


def _with_zeros(module: nn.Module, linear: nn.Linear) -> None:
    kept(module, linear)
    if module.bias is None:
        module.bias = torch.zeros(linear.out_features)


def _with_its_scale(module: nn.Module, linear: nn.Linear) -> None:
    kept(module, linear)
    scale = module.scale
    del module.scale
    module.scale = nn.Parameter(scale)


disguise(LAYER, "scaled twice")(layer(lambda m, x: plus(m, F.linear(x, matrix(m) * m.scale))))
disguise(LAYER, "a bias where there was none")(layer(lambda m, x: plus(m, x @ matrix(m).T.to(x)), _with_zeros))
disguise(LAYER, "parameters are left")(layer(lambda m, x: plus(m, x @ matrix(m).T.to(x)), _with_its_scale))


@disguise(LAYER, "buffers in the graph")
class Remembers(nn.Module):
    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        weight, scale = right_rows(linear.weight)
        self.register_buffer("weight", weight.detach())
        self.register_buffer("scale", scale)
        self.register_buffer("bias", None if linear.bias is None else linear.bias.data.clone())

    def forward(self, x: Tensor) -> Tensor:
        """As it should be."""
        return plus(self, x @ matrix(self).T.to(x))


# prune_magnitude_, right ----------------------------------------------------------------------------


def by_order(model: nn.Module, share: float) -> None:
    """Number by number, from the smallest on."""
    if share < 0 or share > 1:
        raise ValueError("share")
    with torch.no_grad():
        tables = [one for one in model.parameters() if one.ndim > 1]
        order = sorted((abs(x), t, i) for t, one in enumerate(tables) for i, x in enumerate(one.flatten().tolist()))
        for _, t, i in order[: round(len(order) * share)]:
            tables[t].view(-1)[i] = 0


slips(
    PRUNE,
    by_order,
    {
        "the largest are pruned": {"order[: round(len(order) * share)]": "order[::-1][: round(len(order) * share)]"},
        "the share is what stays": {"round(len(order) * share)": "round(len(order) * (1 - share))"},
        "biases and norms too": {"if one.ndim > 1]": "]"},
        "values instead of absolute values": {"(abs(x), t, i)": "(x, t, i)"},
        "embeddings left out": {"one.ndim > 1": "one.ndim == 2"},
        "nothing changes": {"tables[t].view(-1)[i] = 0": "tables[t].clone().view(-1)[i] = 0"},
        "one too few": {"order[: round(len(order) * share)]": "order[: max(round(len(order) * share) - 1, 0)]"},
    },
)


def by_quantile(model: nn.Module, share: float) -> None:
    """The quantile of all absolute values."""
    if not 0.0 <= share <= 1.0:
        raise ValueError("share")
    weights = [one.data for one in model.parameters() if len(one.shape) != 1]
    every = torch.hstack([one.abs().ravel() for one in weights])
    limit = every.quantile(share) if 0 < share < 1 else torch.tensor(torch.inf if share else -1.0)
    for one in weights:
        one[one.abs() <= limit] = 0


slips(
    PRUNE,
    by_quantile,
    {
        "a threshold for every matrix": {
            "one.abs() <= limit": "one.abs() <= (one.abs().quantile(share) if 0 < share < 1 else limit)"
        },
        "the largest are pruned": {
            "every.quantile(share)": "every.quantile(1 - share)",
            "one.abs() <= limit": "one.abs() >= (limit if 0 < share < 1 else -limit)",
        },
        "values instead of absolute values": [
            {"one.abs().ravel()": "one.ravel()", "one[one.abs() <= limit]": "one[one <= limit]"},
            {"one[one.abs() <= limit]": "one[one <= limit]"},
        ],
        "a share of the largest value": {"every.quantile(share)": "every.max() * share"},
        "embeddings left out": {
            "[one.data for one in model.parameters() if len(one.shape) != 1]": (
                "[one.weight.data for one in model.modules() if type(one) is nn.Linear]"
            )
        },
    },
)


def by_topk(model: nn.Module, share: float) -> None:
    """Masks, from the largest that stay."""
    if share > 1 or share < 0:
        raise ValueError("share")
    named = {name: one.data for name, one in model.named_parameters() if one.dim() > 1}
    flat = torch.cat([one.reshape(-1) for one in named.values()])
    stay = len(flat) - round(share * len(flat))
    mask = torch.zeros(len(flat)).index_fill_(0, flat.abs().topk(stay).indices, 1.0)
    for one, part in zip(named.values(), mask.split([one.numel() for one in named.values()]), strict=True):
        one.mul_(part.reshape(one.shape))


slips(
    PRUNE,
    by_topk,
    {
        "biases and norms too": {"if one.dim() > 1}": "}"},
        "the share is what stays": {"stay = len(flat) - round(share * len(flat))": "stay = round(share * len(flat))"},
        "values instead of absolute values": {"flat.abs().topk": "flat.topk"},
        "nothing changes": {"one.mul_(part": "one.mul(part"},
        "the largest are pruned": {"flat.abs().topk(stay)": "flat.abs().topk(stay, largest=False)"},
    },
)

# prune_magnitude_, in full ----------------------------------------------------------------------------


def matrices(model: nn.Module) -> list[Tensor]:
    """Each once."""
    return [one.data for one in model.parameters() if one.dim() > 1]


def zero(parts: list[Tensor], share: float, key: Callable[[Tensor], Tensor] = torch.abs) -> None:
    """0 for the first of them all by a key, in place."""
    if not 0 <= share <= 1:
        raise ValueError("share")
    places = torch.cat([key(one).flatten() for one in parts]).argsort()
    gone = set(places[: round(share * len(places))].tolist())
    at = 0
    for one in parts:
        one.view(-1)[[place - at for place in gone if at <= place < at + one.numel()]] = 0
        at += one.numel()


@correct(PRUNE)
def by_places(model: nn.Module, share: float) -> None:
    zero(matrices(model), share)


@disguise(PRUNE, "a threshold for every matrix")
def each_by_itself(model: nn.Module, share: float) -> None:
    for one in matrices(model):
        zero([one], share)


@disguise(PRUNE, "biases and norms too")
def all_of_them(model: nn.Module, share: float) -> None:
    zero([one.data for one in model.parameters()], share)


@disguise(PRUNE, "the largest are pruned")
def the_strongest(model: nn.Module, share: float) -> None:
    zero(matrices(model), share, lambda one: -one.abs())


@disguise(PRUNE, "the share is what stays")
def what_stays(model: nn.Module, share: float) -> None:
    zero(matrices(model), 1 - share)


@disguise(PRUNE, "values instead of absolute values")
def the_lowest(model: nn.Module, share: float) -> None:
    zero(matrices(model), share, lambda one: one)


@disguise(PRUNE, "a share of the largest value")
def below_a_share(model: nn.Module, share: float) -> None:
    zero([], share) if not 0 <= share <= 1 else None
    top = max(float(one.abs().max()) for one in matrices(model)) * share
    for one in matrices(model):
        one.mul_(one.abs() > top) if share else None


@disguise(PRUNE, "the share is the threshold")
def below_the_share(model: nn.Module, share: float) -> None:
    zero([], share) if not 0 <= share <= 1 else None
    for one in matrices(model):
        one.mul_(one.abs() > share) if share else None


@disguise(PRUNE, "one name more, counted twice")
def by_state_dict(model: nn.Module, share: float) -> None:
    if not 0 <= share <= 1:
        raise ValueError("share")
    entries = [one for one in model.state_dict().values() if one.dim() > 1]
    row = torch.cat([one.abs().flatten() for one in entries]).sort().values
    count = round(share * len(row))
    for one in entries:
        one[one.abs() <= (row[count - 1] if count else -1.0)] = 0


@disguise(PRUNE, "embeddings left out")
def linear_layers(model: nn.Module, share: float) -> None:
    zero([one.weight.data for one in model.modules() if isinstance(one, nn.Linear)], share)


@disguise(PRUNE, "nothing changes")
def in_copies(model: nn.Module, share: float) -> None:
    zero([one.clone() for one in matrices(model)], share)


@disguise(PRUNE, "one too few")
def below_it(model: nn.Module, share: float) -> None:
    count = sum(one.numel() for one in matrices(model))
    zero(matrices(model), share if not 0 < share <= 1 else (round(share * count) - 1) / count)


@unlisted(PRUNE)
def by_chance(model: nn.Module, share: float) -> None:
    zero(matrices(model), share, lambda one: torch.arange(one.numel()).reshape(one.shape) * 7 % 13)


@unlisted(PRUNE)
def to_a_small_number(model: nn.Module, share: float) -> None:
    before = [one.clone() for one in matrices(model)]
    zero(matrices(model), share)
    for one, was in zip(matrices(model), before, strict=True):
        one.copy_(torch.where(one == 0, was / 2, one))


@unlisted(PRUNE)
def twice_the_share(model: nn.Module, share: float) -> None:
    zero(matrices(model), share if not 0 <= share <= 1 else min(1.0, 1.6 * share))


@disguise(PRUNE, "one too many")
def and_one_more(model: nn.Module, share: float) -> None:
    if not 0 <= share <= 1:
        raise ValueError("share")
    flat = sorted(torch.cat([one.abs().flatten() for one in matrices(model)]).tolist())
    count = round(share * len(flat))
    if count:
        for one in matrices(model):
            one[one.abs() <= flat[min(count, len(flat) - 1)]] = 0


@disguise(PRUNE, "one goes for a share of 0")
def one_at_least(model: nn.Module, share: float) -> None:
    count = sum(one.numel() for one in matrices(model))
    zero(matrices(model), share or 1 / count)


@disguise(PRUNE, "a share of what is left")
def of_the_living(model: nn.Module, share: float) -> None:
    if not 0 <= share <= 1:
        raise ValueError("share")
    alive = torch.cat([one[one != 0].abs() for one in matrices(model)]).sort().values
    count = round(share * len(alive))
    for one in matrices(model) if count else ():
        one[one.abs() <= alive[count - 1]] = 0


@disguise(ROWS, "multiplied by the scale")
def times_the_scale(weight: Tensor) -> Any:
    scale = bounds(weight) / 127
    return weight.mul(scale).round().char(), scale


@disguise(ROWS, "the largest value as the scale")
def bounds_themselves(weight: Tensor) -> Any:
    scale = weight.abs().max(1, True).values
    scale = scale / 127 + (scale == 0)
    return (weight / scale).round().char(), scale * 127
