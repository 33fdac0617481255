"""Checks of AdamW and of the groups in which weights decay."""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

# AdamW ----------------------------------------------------------------------------

adam_w = Exercise(
    "AdamW",
    points=4,
    forbidden=("torch.optim.Adam",),
    hints=(
        "Write a line or two for each comment. What is kept is changed in place: `parameter`, `state[\"mean\"]` and `state[\"square\"]` last from step "
        "to step. Which lines change these three, "
        "and which only compute something for this step?",
        "```python\n"
        "state[\"step\"] += 1\n"
        "...           # parameter times 1 - lr · weight_decay\n"
        "...           # state[\"mean\"]: beta1 of what it was, 1 - beta1 of the gradient\n"
        "...           # state[\"square\"]: likewise with beta2 and the squared gradient\n"
        "mean = ...    # state[\"mean\"] over 1 - beta1^step\n"
        "square = ...  # state[\"square\"] over 1 - beta2^step\n"
        "...           # parameter minus lr · mean / (√square + eps)\n"
        "```",
        "In place: `parameter.mul_(...)`, `state[\"mean\"].mul_(beta1).add_(gradient, alpha=1 - beta1)`, "
        "`state[\"square\"].mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)`, `parameter.sub_(...)`. The corrected `mean` and `square` are new tensors: they must not "
        "go back into the state.",
    ),
    traps={
        "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation": "gradients do not flow through an update. `step` has "
        "`@torch.no_grad()` above it for that; keep it.",
        "KeyError": "`state` is empty at first. The given lines fill it; use the names that they give.",
        "ZeroDivisionError": "at the first step 1 - beta^step must not be 0: count the step before you use it.",
        "AttributeError: 'AdamW' object has no attribute": "the settings stand in `group`, not in `self`: groups may differ.",
        "UnboundLocalError": "`parameter = parameter - ...` makes a new tensor, and the model never sees it. Change the old one: `parameter.sub_(...)`.",
    },
)  # fmt: skip

SETTINGS = {"lr": 0.2, "betas": (0.7, 0.9), "eps": 0.05, "weight_decay": 0.3}
"""Coarse, so that every slip shows within a few steps."""


def follow(optimizer: Any, parameters: list[nn.Parameter], draw: Draw, steps: Iterable[int]) -> None:
    """Make steps with a drawn gradient for each parameter."""
    for step in steps:
        for number, parameter in enumerate(parameters):
            parameter.grad = draw.tensor(f"gradient {number} at step {step}", *parameter.shape, shift=0.5)
        optimizer.step()


def fresh(draw: Draw, name: str, *shape: int) -> nn.Parameter:
    """A drawn parameter that may be written into."""
    return nn.Parameter(draw.tensor(name, *shape).clone())


def numbers(parameters: Iterable[nn.Parameter]) -> list[Tensor]:
    """What stands in parameters now."""
    return [one.detach().clone() for one in parameters]


@adam_w.probe("makes the first step right")
def first_step(AdamW: Callable, draw: Draw) -> Any:
    parameters = [fresh(draw, "weight", 3, 4)]
    follow(AdamW(parameters, **SETTINGS), parameters, draw, [1])
    return numbers(parameters)


@adam_w.probe("keeps its running means from step to step, for each parameter its own")
def some_steps(AdamW: Callable, draw: Draw) -> Any:
    parameters = [fresh(draw, "weight", 3, 4), fresh(draw, "bias", 5)]
    optimizer = AdamW(parameters, **SETTINGS)
    after = []
    for step in (1, 2, 3, 4):
        follow(optimizer, parameters, draw, [step])
        after.append(numbers(parameters))
    return after


@adam_w.probe("follows the gradient alone where nothing decays")
def without_decay(AdamW: Callable, draw: Draw) -> Any:
    parameters = [fresh(draw, "weight", 3, 4)]
    follow(AdamW(parameters, **{**SETTINGS, "weight_decay": 0.0}), parameters, draw, [1, 2, 3])
    return numbers(parameters)


@adam_w.probe("is still there after 50 steps, with the usual settings", float64=True)
def fifty_steps(AdamW: Callable, draw: Draw) -> Any:
    parameters = [fresh(draw, "weight", 3, 4)]
    follow(AdamW(parameters), parameters, draw, range(1, 51))
    return [1000 * one for one in numbers(parameters)]  # 50 steps of 0.001 are little: the slips show in what is less


@adam_w.probe("takes groups with settings of their own, and a learning rate that changes from step to step")
def groups(AdamW: Callable, draw: Draw) -> Any:
    parameters = [fresh(draw, "weight", 3, 4), fresh(draw, "bias", 5)]
    own = {"params": parameters[1:], "lr": 0.05, "betas": (0.5, 0.8), "eps": 0.1, "weight_decay": 0.0}
    optimizer = AdamW([{"params": parameters[:1]}, own], **SETTINGS)
    for step in (1, 2, 3):
        for group in optimizer.param_groups:
            group["lr"] = group["lr"] / step
        follow(optimizer, parameters, draw, [step])
    return numbers(parameters)


@adam_w.probe("goes on as before from a state_dict that was saved and loaded", rung="edges")
def saved_and_loaded(AdamW: Callable, draw: Draw) -> Any:
    parameters = [fresh(draw, "weight", 3, 4), fresh(draw, "bias", 5)]
    optimizer = AdamW(parameters, **SETTINGS)
    follow(optimizer, parameters, draw, [1, 2, 3])
    others = [nn.Parameter(one) for one in numbers(parameters)]
    successor = AdamW(others, lr=9.0)  # the settings are part of what is saved
    successor.load_state_dict(optimizer.state_dict())
    follow(successor, others, draw, [4, 5])
    return numbers(others)


@adam_w.probe(
    "leaves a parameter without a gradient alone, and counts its steps from its first gradient on", rung="edges"
)
def late_gradient(AdamW: Callable, draw: Draw) -> Any:
    parameters = [fresh(draw, "weight", 3, 4), fresh(draw, "late", 5)]
    optimizer = AdamW(parameters, **SETTINGS)
    follow(optimizer, parameters[:1], draw, [1, 2])
    before = numbers(parameters)
    follow(optimizer, parameters, draw, [3, 4])
    return {"before": before, "after": numbers(parameters)}


@adam_w.probe("does nothing but decay where the gradient is 0, and works on a single number", rung="edges")
def zero_gradient(AdamW: Callable, draw: Draw) -> Any:
    still, single = fresh(draw, "still", 2, 3), nn.Parameter(draw.tensor("single", 1)[0].clone())
    optimizer = AdamW([still, single], lr=0.2, eps=1e-8)
    for step in (1, 2):
        still.grad, single.grad = torch.zeros(2, 3), draw.tensor(f"gradient at step {step}", 1)[0]
        optimizer.step()
    return numbers([still, single])


# decay_groups ----------------------------------------------------------------------------

decay_groups = Exercise(
    "decay_groups",
    points=2,
    hints=(
        "What tells a weight matrix from a bias or a norm's scale, whatever they are called and whoever made the layer? Print `tuple(p.shape)` of every parameter of a small model.",
        "```python\n"
        "return [\n"
        "    {\"params\": [...], \"weight_decay\": weight_decay},  # two dimensions or more\n"
        "    {\"params\": [...], \"weight_decay\": 0.0},           # one\n"
        "]\n"
        "```",
        "`parameter.dim()` is the number of dimensions: more than 1 for layers and tables, 1 for norms and biases. `model.parameters()` lists a shared "
        "parameter once.",
    ),
    traps={
        "AttributeError: 'tuple' object has no attribute 'dim'": "`named_parameters()` gives pairs, (name, parameter).",
        "ValueError: some parameters appear in more than one parameter group": "every parameter belongs to exactly one of the two groups.",
        "TypeError: list indices must be integers or slices, not str": "a group is a dict, `{\"params\": [...], \"weight_decay\": ...}`; what comes back is a list of two of them.",
        "TypeError: optimizer can only optimize Tensors, but one of the params is str": "the groups hold the parameters themselves, not their names.",
    },
)  # fmt: skip


class OwnNorm(nn.Module):
    """A norm that is none of torch's, as the learner's own LayerNorm."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))


class SomeModel(nn.Module):
    """Layers, tables and norms, in parts of parts, most of them under names that tell nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(7, 4)
        self.token_embedding = nn.Embedding(5, 2)  # a weight like any other, whatever its name
        self.lift = nn.Linear(1, 3)  # its weight has as many numbers as rows, and two dimensions
        self.layers = nn.Sequential(nn.Linear(4, 6), OwnNorm(6), nn.ModuleList([nn.Linear(6, 4), nn.LayerNorm(4)]))
        self.filter = nn.Conv1d(4, 4, 3)
        self.patches = nn.Conv2d(2, 3, 2)  # four dimensions
        self.norm = nn.LayerNorm(4)
        self.mix = nn.Linear(4, 4, bias=False)  # a weight of two equal sizes
        self.last = nn.Linear(4, 7, bias=False)
        self.register_buffer("positions", torch.ones(3, 4))


def decays(model: nn.Module, groups: Any) -> dict[str, list[Any]]:
    """Name of every parameter → the weight_decay of every group in which it is listed."""
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    found: dict[str, list[Any]] = {name: [] for name in names.values()}
    for group in groups:
        for one in group["params"]:
            parameter = one[-1] if isinstance(one, tuple) else one  # torch takes pairs with a name too
            found.setdefault(names.get(id(parameter), f"not a parameter: {type(one).__name__}"), []).append(
                group.get("weight_decay")
            )
    return dict(sorted(found.items()))


@decay_groups.probe("lets the weights of layers and tables decay, and leaves biases and norms alone, own norms too")
def of_a_model(decay_groups: Callable, draw: Draw) -> Any:
    model = SomeModel()
    return decays(model, decay_groups(model, 0.1))


@decay_groups.probe("takes the weight_decay that it is given")
def of_another_strength(decay_groups: Callable, draw: Draw) -> Any:
    model = nn.Sequential(nn.Linear(3, 4), OwnNorm(4), nn.Linear(4, 1))
    return decays(model, decay_groups(model, float(draw.tensor("decay", 1).abs() + 0.2)))


@decay_groups.probe("lists what two parts share once")
def of_a_shared_table(decay_groups: Callable, draw: Draw) -> Any:
    model = SomeModel()
    model.last.weight = model.table.weight
    return decays(model, decay_groups(model, 0.2))


@decay_groups.probe("gives an optimizer what it takes", rung="edges")
def in_an_optimizer(decay_groups: Callable, draw: Draw) -> Any:
    model = draw.fill(SomeModel())
    optimizer = torch.optim.SGD(decay_groups(model, 0.5), lr=0.1)
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)  # where it is 0, what decays is a constant times what it was
    optimizer.step()
    return {name: one.detach() for name, one in model.named_parameters()}


@decay_groups.probe("works where nothing decays, and where everything does", rung="edges")
def of_one_kind(decay_groups: Callable, draw: Draw) -> Any:
    norm, table = nn.LayerNorm(3), nn.Embedding(2, 3)
    return {
        "a norm": decays(norm, decay_groups(norm, 0.1)),
        "a table": decays(table, decay_groups(table, 0.1)),
    }


@decay_groups.probe("gives two groups, first the one that decays, and changes no parameter", rung="edges")
def two_groups(decay_groups: Callable, draw: Draw) -> Any:
    model = draw.fill(SomeModel())
    strengths = [group.get("weight_decay") for group in decay_groups(model, 0.3)]
    trained = [one.requires_grad for one in model.parameters()]
    return {"weight_decay of each": strengths, "trained": trained, "model": model.state_dict()}


@decay_groups.probe("gives two groups also where one is empty", rung="edges")
def two_groups_of_one_kind(decay_groups: Callable, draw: Draw) -> Any:
    kinds = {
        "a norm": nn.LayerNorm(3),
        "a table": nn.Embedding(2, 3),
        "a layer": nn.Linear(2, 3),
        "a filter": nn.Conv1d(2, 3, 2),
    }
    return {
        kind: [
            {"parameters": len(list(one["params"])), "decay": one.get("weight_decay")}
            for one in decay_groups(part, 0.1)
        ]
        for kind, part in kinds.items()
    }
