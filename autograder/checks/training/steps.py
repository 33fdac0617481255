"""Checks of the training step and of its repair."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

# train_step ----------------------------------------------------------------------------

train_step = Exercise(
    "train_step",
    points=4,
    hints=(
        "`loss.backward()` *adds* to the gradients that are there. So they are cleared once at the beginning, several micro-batches can share one step, "
        "and each micro-batch may only add its share of the mean.",
        "```python\n"
        "model.train()\n"
        "...                  # clear the gradients\n"
        "total = 0.0\n"
        "for batch in micro_batches:\n"
        "    with torch.autocast(...):\n"
        "        loss = ...   # loss_fn, divided by the number of micro-batches\n"
        "    ...              # backward\n"
        "    total += ...     # as a plain number\n"
        "...                  # clip, if max_norm is given\n"
        "...                  # one step\n"
        "return total\n"
        "```",
        "`with torch.autocast(\"cpu\", dtype=autocast_dtype, enabled=autocast_dtype is not None):` covers both cases. `loss.item()` is a plain number that keeps no graph alive. Clip "
        "after the loop: only then is the gradient whole.",
    ),
    traps={
        "RuntimeError: Trying to backward through the graph a second time": "`backward` is called twice on one loss. Each micro-batch has a loss of its own, and one `backward`.",
        "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn": "`backward` belongs to the loss as a tensor: `.item()` comes after it.",
        "AttributeError: 'float' object has no attribute 'backward'": "`loss.item()` is a plain number. Call `backward` on the tensor first.",
        "RuntimeError: User specified an unsupported autocast device_type": "the first argument of `torch.autocast` is the kind of device, \"cpu\".",
        "RuntimeError: Currently, AutocastCPU only support Bfloat16, Float16 as the autocast_cpu_dtype": "with autocast_dtype=None autocast must be off: `enabled=autocast_dtype is not None`.",
        "TypeError: '>' not supported between instances of 'float' and 'NoneType'": "max_norm is None when nothing should be clipped. Ask `if max_norm "
        "is not None` first.",
        "TypeError: squared_error() missing 1 required positional argument: 'pair'": "`loss_fn` takes the model and one micro-batch.",
    },
)  # fmt: skip


def small_model(draw: Draw) -> nn.Module:
    """Two layers without kinks, filled."""
    return draw.fill(nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)))


def batch(draw: Draw, name: str, scale: float = 1.0, size: int = 5) -> tuple[Tensor, Tensor]:
    """Inputs and what is asked for."""
    return draw.tensor(f"x of {name}", size, 3), draw.tensor(f"y of {name}", size, 1, scale=scale, shift=scale)


def squared_error(model: nn.Module, pair: tuple[Tensor, Tensor]) -> Tensor:
    """The mean squared error of a batch, in float32 or more whatever the model computes in."""
    x, y = pair
    return (model(x).to(y.dtype) - y).square().mean()


def a_hundredth(model: nn.Module, pair: tuple[Tensor, Tensor]) -> Tensor:
    """A small loss, which shows when it is rounded."""
    return squared_error(model, pair) / 100


def after(loss: Any, model: nn.Module) -> dict[str, Any]:
    """What came back, and what the parameters are now."""
    return {"loss": loss, "parameters": {name: one.detach() for name, one in model.named_parameters()}}


@train_step.probe("changes the model by the gradient of the mean loss over all micro-batches", float64=True)
def three_micro_batches(train_step: Callable, draw: Draw) -> Any:
    model = small_model(draw)
    micro_batches = [batch(draw, "first", 2.0), batch(draw, "second", 0.3, size=2), batch(draw, "third", 1.0, size=4)]
    return after(train_step(model, micro_batches, torch.optim.SGD(model.parameters(), lr=0.1), squared_error), model)


@train_step.probe("starts every step without the gradient of the one before", float64=True)
def three_steps(train_step: Callable, draw: Draw) -> Any:
    model = small_model(draw)
    optimizer = torch.optim.SGD(model.parameters(), lr=10.0, momentum=0.5)
    losses = [
        train_step(model, [batch(draw, f"{step}a"), batch(draw, f"{step}b", 2.0)], optimizer, a_hundredth)
        for step in range(3)
    ]
    return after(losses, model)


@train_step.probe("clips the whole gradient, once", float64=True)
def clipped(train_step: Callable, draw: Draw) -> Any:
    model = small_model(draw)
    micro_batches = [batch(draw, "first", 4.0), batch(draw, "second", 0.2), batch(draw, "third", 2.0)]
    weights, biases = ([one for one in model.parameters() if one.dim() == dims] for dims in (2, 1))
    optimizer = torch.optim.SGD([{"params": weights}, {"params": biases}], lr=0.5)
    return after(train_step(model, micro_batches, optimizer, squared_error, max_norm=0.1), model)


@train_step.probe("leaves a gradient that is short enough", float64=True)
def not_clipped(train_step: Callable, draw: Draw) -> Any:
    model = small_model(draw)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    micro_batches = [batch(draw, "first"), batch(draw, "second")]
    return after(train_step(model, micro_batches, optimizer, squared_error, 100.0), model)


@train_step.probe("puts the model into train mode, so that dropout acts", float64=True)
def train_mode(train_step: Callable, draw: Draw) -> Any:
    model = nn.Sequential(small_model(draw), nn.Dropout(1.0)).eval()
    modes: list[bool] = []

    def loss_fn(model: nn.Module, pair: tuple[Tensor, Tensor]) -> Tensor:
        modes.append(model.training)
        return squared_error(model, pair)

    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = train_step(model, [batch(draw, "one"), batch(draw, "two", 2.0)], optimizer, loss_fn)
    modes_told = {"train mode while the loss is computed": modes, "train mode afterwards": model.training}
    return {**after(loss, model), **modes_told}


@train_step.probe("computes the loss under autocast if a dtype is given, and only then")
def under_autocast(train_step: Callable, draw: Draw) -> Any:
    found: dict[str, Any] = {}
    for name, dtype in (("bfloat16", torch.bfloat16), ("float16", torch.float16), ("none", None)):
        seen: list[str] = []

        def loss_fn(model: nn.Module, pair: tuple[Tensor, Tensor], seen: list[str] = seen) -> Tensor:
            seen.append(str(model(pair[0]).dtype))
            return squared_error(model, pair)

        # Two micro-batches for the loss and one for the gradient: one context around both keeps its casts of the weights,
        # sums the gradients in bfloat16, and is right. A half is the same in all formats, a third is not.
        two = [batch(draw, "first"), batch(draw, "second", 2.0)]
        model, other = small_model(draw), small_model(draw)
        loss = train_step(model, two, torch.optim.SGD(model.parameters(), lr=0.1), loss_fn, autocast_dtype=dtype)
        if dtype is torch.float16:
            found[name] = {"the model's outputs are": seen}
            continue
        found[name] = {"the model's outputs are": seen, "loss of two micro-batches": loss}
        optimizer = torch.optim.SGD(other.parameters(), lr=0.1)
        found[name] |= after(train_step(other, two[:1], optimizer, squared_error, autocast_dtype=dtype), other)
    return found


@train_step.probe(
    "holds one micro-batch at a time: its loss, its backward, then the next, and one step at the end",
    rung="invariants",
)
def order_of_events(train_step: Callable, draw: Draw) -> Any:
    model, events = small_model(draw), []

    def loss_fn(model: nn.Module, pair: tuple[Tensor, Tensor]) -> Tensor:
        loss = squared_error(model, pair)
        events.append("loss")
        loss.register_hook(lambda _: events.append("backward"))
        return loss

    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.register_step_pre_hook(lambda *_: events.append("step"))
    train_step(model, [batch(draw, name) for name in "abc"], optimizer, loss_fn, max_norm=1.0)
    return events


@train_step.probe("works with one micro-batch, and with parameters that take no part", rung="edges", float64=True)
def one_micro_batch(train_step: Callable, draw: Draw) -> Any:
    model = draw.fill(nn.Sequential(nn.Linear(3, 1), nn.Linear(2, 2)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def loss_fn(model: nn.Module, pair: tuple[Tensor, Tensor]) -> Tensor:
        return squared_error(next(model.children()), pair)

    return after(train_step(model, (batch(draw, "only"),), optimizer, loss_fn, max_norm=0.3), model)


@train_step.probe("starts without a gradient that something else has left", rung="edges", float64=True)
def left_from_elsewhere(train_step: Callable, draw: Draw) -> Any:
    model = small_model(draw)
    squared_error(model, batch(draw, "looked at before", 3.0)).backward()
    micro_batches = [batch(draw, "first"), batch(draw, "second", 2.0)]
    return after(train_step(model, micro_batches, torch.optim.SGD(model.parameters(), lr=0.1), squared_error), model)


@train_step.probe("starts without an old gradient also where it clips", rung="edges", float64=True)
def left_and_clipped(train_step: Callable, draw: Draw) -> Any:
    model = small_model(draw)
    squared_error(model, batch(draw, "looked at before", 3.0)).backward()
    micro_batches = [batch(draw, "first"), batch(draw, "second", 2.0)]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return after(train_step(model, micro_batches, optimizer, squared_error, max_norm=0.2), model)


@train_step.probe("raises a ValueError when there are no micro-batches", rung="invariants")
def no_batches(train_step: Callable, draw: Draw) -> Any:
    model = small_model(draw)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train_step(model, [batch(draw, "one")], optimizer, squared_error)  # the blank stub must show as blank
    return train_step(model, [], optimizer, squared_error)


# In the wild ----------------------------------------------------------------------------

forum_train_step = Exercise(
    "ForumTrainStep",
    points=2,
    repairs=train_step,
    hints=(
        "Two lines stand where they should not. Follow `.grad` of one weight through the loop with two micro-batches, and write down what is in it after every line.",
        "What does `zero_grad` throw away in the second round? And what does the clipping find in `.grad` at the moment when it is called?",
        "`optimizer.zero_grad()` belongs before the loop. Clipping belongs after it, between the last `backward` and the step.",
    ),
)
