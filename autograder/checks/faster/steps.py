"""Checks of the step in mixed precision, of its repair, and of gradients averaged over processes."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.checks.decoding.shared import raised
from autograder.checks.training.steps import after, batch, small_model, squared_error
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

# amp_step ----------------------------------------------------------------------------

amp_step = Exercise(
    "amp_step",
    points=4,
    hints=(
        "Follow one gradient with a scaler: after backward it is 1,000 times too long. You clip it to length 1. Then the scaler divides by 1,000. How long is the step? So what has to come before clipping?",
        "```python\nmodel.train()\n...                       # clear the gradients\nwith torch.autocast(...):\n    loss = ...\nif ...:                   # float16 with a scaler\n    ...                   # backward of the scaled loss\n    ...                   # if max_norm is given: unscale, then clip\n    ...                   # step and update, by the scaler\nelse:\n    ...                   # backward, clip, step\nreturn ...\n```",
        "`scaler.scale(loss).backward()`, `scaler.unscale_(optimizer)`, `clip_gradients_(model.parameters(), max_norm)`, `scaler.step(optimizer)`, `scaler.update()`, in this order, and only where `scaler is not None and dtype == torch.float16`. The loss is returned as `loss.item()`, not scaled.",
    ),
    traps={
        "RuntimeError: unscale_() has already been called on this optimizer since the last update().": "`scaler.unscale_` comes once a step, and `scaler.update()` ends the step.",
        "AssertionError: No inf checks were recorded for this optimizer.": "`scaler.step` found no gradient: backward comes first, and nothing may clear the gradients after it.",
        "AttributeError: 'NoneType' object has no attribute ...": "scaler is None where no scaling is wanted. Ask `if scaler is not None` first.",
        "AttributeError: 'float' object has no attribute 'backward'": "`loss.item()` is a plain number. Call `backward` on the tensor first.",
        "TypeError: '>' not supported between instances of 'float' and 'NoneType'": "max_norm is None when nothing should be clipped. Ask `if max_norm is not None` first.",
        "TypeError: squared_error() missing 1 required positional argument: 'pair'": "`loss_fn` takes the model and the batch.",
    },
)  # fmt: skip

SCALE = 64.0


class WatchedScaler(torch.amp.GradScaler):
    """torch's own scaler on the processor, that takes down what it is asked for."""

    def __init__(self, scale: float = SCALE, growth_interval: int = 1000) -> None:
        super().__init__("cpu", init_scale=scale, growth_interval=growth_interval)
        self.asked: list[str] = []

    def scale(self, outputs: Any) -> Any:
        """Times the scale."""
        self.asked.append("scale")
        return super().scale(outputs)

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """A step, if all gradients are finite."""
        self.asked.append("step")
        return super().step(optimizer, *args, **kwargs)

    def update(self, new_scale: Any = None) -> None:
        """Another scale, where gradients were not finite."""
        self.asked.append("update")
        super().update(new_scale)


def exact_error(model: nn.Module, pair: tuple[Tensor, Tensor]) -> Tensor:
    """A mean squared error that is computed in the parameters' own dtype, whatever autocast is on."""
    x, y = pair
    with torch.autocast("cpu", enabled=False):
        return squared_error(model, (x.to(next(model.parameters()).dtype), y))


def sgd(model: nn.Module, lr: float = 0.5) -> torch.optim.Optimizer:
    """Plain steps, so that a scaled gradient shows."""
    return torch.optim.SGD(model.parameters(), lr=lr)


@amp_step.probe("changes the model by the gradient of the loss, in bfloat16 without a scaler")
def in_bfloat16(amp_step: Callable, draw: Draw) -> Any:
    model = small_model(draw)
    return after(amp_step(model, batch(draw, "one", 2.0), sgd(model), exact_error, torch.bfloat16), model)


@amp_step.probe("computes the loss under autocast, in the dtype that is asked for, with parameters in float32")
def seen_dtypes(amp_step: Callable, draw: Draw) -> Any:
    found = {}
    for dtype in (torch.bfloat16, torch.float16):
        model = small_model(draw)
        seen: list[str] = []

        def loss_fn(model: nn.Module, pair: tuple[Tensor, Tensor], seen: list[str] = seen) -> Tensor:
            seen.append(str(model(pair[0]).dtype))
            return exact_error(model, pair)

        before = {str(one.dtype) for one in model.parameters()}
        amp_step(model, batch(draw, "one"), sgd(model), loss_fn, dtype)
        after_it = sorted(before | {str(one.dtype) for one in model.parameters()})
        found[str(dtype)] = {"the model gives": seen, "its parameters are": after_it}
    return found


@amp_step.probe("gives with a scaler, in float16, the step and the loss that come without")
def with_scaler(amp_step: Callable, draw: Draw) -> Any:
    model, scaler = small_model(draw), WatchedScaler()
    return after(amp_step(model, batch(draw, "one", 2.0), sgd(model), exact_error, torch.float16, scaler), model)


@amp_step.probe("steps in float16 without a scaler as without any scale, where gradients are large")
def large_gradients(amp_step: Callable, draw: Draw) -> Any:
    model = small_model(draw)

    def steep(model: nn.Module, pair: tuple[Tensor, Tensor]) -> Tensor:
        return exact_error(model, pair) * 2.0**115  # times another 2**16 it would not be finite

    amp_step(model, batch(draw, "one", 2.0), sgd(model, 2.0**-116), steep, torch.float16)
    return after(None, model)


@amp_step.probe("clips the true gradient, with a scaler and without")
def clipped(amp_step: Callable, draw: Draw) -> Any:
    found = {}
    for name, dtype, scaler in (("bfloat16", torch.bfloat16, None), ("float16", torch.float16, WatchedScaler())):
        model = small_model(draw)
        loss = amp_step(model, batch(draw, "one", 3.0), sgd(model), exact_error, dtype, scaler, 0.2)
        found[name] = after(loss, model)
    return found


@amp_step.probe("leaves a gradient that is short enough, however long its scaled one is")
def short_enough(amp_step: Callable, draw: Draw) -> Any:
    model, scaler = small_model(draw), WatchedScaler()
    return after(amp_step(model, batch(draw, "one"), sgd(model), exact_error, torch.float16, scaler, 200.0), model)


@amp_step.probe("leaves a step out whose gradient is not finite, and goes on with half the scale")
def overflow(amp_step: Callable, draw: Draw) -> Any:
    model, scaler = small_model(draw), WatchedScaler(2.0**120)
    optimizer = sgd(model)

    def steep(model: nn.Module, pair: tuple[Tensor, Tensor]) -> Tensor:
        return exact_error(model, pair) * 2.0**20

    def first(model: nn.Module, pair: tuple[Tensor, Tensor]) -> Tensor:
        return exact_error(model, pair) / 2.0**10

    amp_step(model, batch(draw, "too much"), optimizer, steep, torch.float16, scaler)
    left_out = {name: one.detach().clone() for name, one in model.named_parameters()}
    amp_step(model, batch(draw, "next"), optimizer, first, torch.float16, scaler)
    scale = torch.tensor(scaler.get_scale()).log2().item()
    return {"after the first step": left_out, **after(None, model), "the scale is 2 to the power of": scale}


@amp_step.probe("starts every step without the gradient of the one before")
def three_steps(amp_step: Callable, draw: Draw) -> Any:
    model = small_model(draw)
    squared_error(model, batch(draw, "looked at before", 3.0)).backward()
    optimizer, scaler = sgd(model, 0.1), WatchedScaler(growth_interval=1)  # the scale doubles with each step
    losses = [
        amp_step(model, batch(draw, f"step {step}"), optimizer, exact_error, torch.float16, scaler, 5.0)
        for step in range(3)
    ]
    return after(losses, model)


@amp_step.probe("puts the model into train mode, so that dropout acts")
def train_mode(amp_step: Callable, draw: Draw) -> Any:
    model = nn.Sequential(small_model(draw), nn.Dropout(1.0)).eval()
    loss = amp_step(model, batch(draw, "one"), sgd(model), exact_error, torch.bfloat16)
    return {**after(loss, model), "train mode afterwards": model.training}


@amp_step.probe("leaves the scaler alone in bfloat16, and steps by it in float16", rung="edges")
def who_needs_a_scaler(amp_step: Callable, draw: Draw) -> Any:
    found = {}
    for dtype in (torch.bfloat16, torch.float16):
        model, scaler = small_model(draw), WatchedScaler()
        loss = amp_step(model, batch(draw, "one"), sgd(model), exact_error, dtype, scaler, 1.0)
        used = {name: name in scaler.asked for name in ("scale", "step", "update")}
        found[str(dtype)] = {**after(loss, model), "asked of the scaler": used}
    return found


@amp_step.probe("works with a parameter that takes no part, without clipping and with it", rung="edges")
def takes_no_part(amp_step: Callable, draw: Draw) -> Any:
    found = {}
    for name, max_norm in (("not clipped", None), ("clipped", 0.1)):
        model = draw.fill(nn.Sequential(nn.Linear(3, 1), nn.Linear(2, 2)))

        def loss_fn(model: nn.Module, pair: tuple[Tensor, Tensor]) -> Tensor:
            return exact_error(next(model.children()), pair)

        pair = batch(draw, "one", 2.0)
        found[name] = after(amp_step(model, pair, sgd(model), loss_fn, torch.float16, WatchedScaler(), max_norm), model)
    return found


tutorial_amp_step = Exercise(
    "TutorialAmpStep",
    points=2,
    repairs=amp_step,
    hints=(
        "Three things are wrong. Write down how long the gradient is after each line, with a scaler of 64 and a max_norm of 1.",
        "What does clipping find in `.grad` before `scaler.unscale_`? Which loss is returned? And what does bfloat16 need a scaler for?",
        "`scaler.unscale_(optimizer)` belongs before `clip_gradients_`. Return `loss.item()`, not the scaled loss. Use the scaler only where it is there and dtype is torch.float16.",
    ),
)

# average_gradients ----------------------------------------------------------------------------

average_gradients = Exercise(
    "average_gradients",
    points=3,
    hints=(
        "Two shards, of 3 examples and of 1. Each hands you the *mean* over its own examples. Get back to the sums first. By what do you divide in the end?",
        "```python\nexamples = ...                  # of all shards\naveraged = []\nfor ...:                        # every parameter: its gradient in each of `shards`\n    ...                         # size times gradient, added up; None adds nothing\n    averaged.append(...)        # by examples\nreturn averaged\n```",
        "`zip(*[gradients for gradients, size in shards])` goes through the parameters. For each: `sum(size * one for one, (_, size) in zip(column, shards) if one is not None) / sum(sizes)`. A None adds nothing above, and its examples still count below.",
    ),
    traps={
        "TypeError: unsupported operand type(s) for *: 'int' and 'NoneType'": "a gradient may be None: it counts as 0, so it adds nothing.",
        "TypeError: unsupported operand type(s) for *: 'NoneType' and 'int'": "a gradient may be None: it counts as 0, so it adds nothing.",
        "TypeError: unsupported operand type(s) for +: 'Tensor' and 'NoneType'": "a gradient may be None: it counts as 0, so it adds nothing.",
        "TypeError: unsupported operand type(s) for +: 'NoneType' and 'Tensor'": "a gradient may be None: it counts as 0, so it adds nothing.",
        "TypeError: expected Tensor as element ... in argument 0, but got NoneType": "a gradient may be None: leave it out of the stack, and count its examples all the same.",
        "RuntimeError: stack expects each tensor to be equal size, but got ...": "the gradients of *one* parameter belong together, from all ranks. `zip(*per_rank)` turns ranks and parameters round.",
    },
)


def ranks(draw: Draw, count: int) -> list[list[Tensor]]:
    """Gradients of three parameters, from so many ranks."""
    shapes = ((3, 4), (4,), (2, 3))
    return [
        [draw.tensor(f"gradient {place} of rank {rank}", *shape, shift=0.5) for place, shape in enumerate(shapes)]
        for rank in range(count)
    ]


@average_gradients.probe("gives the mean where all shards have the same size")
def equal_shards(average_gradients: Callable, draw: Draw) -> Any:
    return average_gradients(ranks(draw, 3), [4, 4, 4])


@average_gradients.probe("weighs every rank by the size of its shard")
def unequal_shards(average_gradients: Callable, draw: Draw) -> Any:
    return average_gradients(ranks(draw, 3), [5, 2, 11])


@average_gradients.probe("takes None for a gradient of 0, whose examples count all the same")
def some_are_none(average_gradients: Callable, draw: Draw) -> Any:
    per_rank: list[list[Tensor | None]] = [list(one) for one in ranks(draw, 4)]
    per_rank[0][1] = per_rank[2][0] = per_rank[1][0] = None
    return average_gradients(per_rank, [5, 2, 11, 4])


@average_gradients.probe("gives the gradient of the whole batch, as one process computes it", float64=True)
def one_process(average_gradients: Callable, draw: Draw) -> Any:
    model = small_model(draw)
    x, y = batch(draw, "all", size=9)
    per_rank = []
    for part in (slice(0, 2), slice(2, 9)):
        model.zero_grad()
        squared_error(model, (x[part], y[part])).backward()
        per_rank.append([one.grad.clone() for one in model.parameters() if one.grad is not None])
    return average_gradients(per_rank, [2, 7])


@average_gradients.probe("works for one rank, and for ranks in tuples", rung="edges")
def rank_edges(average_gradients: Callable, draw: Draw) -> Any:
    per_rank = ranks(draw, 2)
    return {
        "one rank": average_gradients(per_rank[:1], [6]),
        "tuples": average_gradients(tuple(tuple(one) for one in per_rank), (3, 1)),
        "one number": average_gradients([[draw.tensor("a")], [draw.tensor("b")]], [3, 1]),
    }


@average_gradients.probe("counts a shard without examples for nothing, even where its gradients are NaN", rung="edges")
def an_empty_shard(average_gradients: Callable, draw: Draw) -> Any:
    per_rank = ranks(draw, 3)
    per_rank[1] = [torch.full_like(one, torch.nan) for one in per_rank[1]]
    return average_gradients(per_rank, [5, 0, 11])


@average_gradients.probe("raises a ValueError for sizes and gradients that do not belong together", rung="invariants")
def refuses_ranks(average_gradients: Callable, draw: Draw) -> Any:
    per_rank = ranks(draw, 2)
    average_gradients(per_rank, [1, 2])  # the blank stub must show as blank
    return {
        "2 ranks, 3 sizes": raised(lambda: average_gradients(per_rank, [1, 2, 3])),
        "3 and 2 parameters": raised(lambda: average_gradients([per_rank[0], per_rank[1][:2]], [1, 2])),
        "a negative size": raised(lambda: average_gradients(per_rank, [3, -1])),
        "no examples": raised(lambda: average_gradients(per_rank, [0, 0])),
        "no rank": raised(lambda: average_gradients([], [])),
        "None everywhere": raised(lambda: average_gradients([[None], [None]], [1, 1])),
    }
