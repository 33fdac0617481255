"""Checks of lesson 09: the decoder's input, the loss, learning rates, clipping, AdamW, a step, checkpoints, and a repair."""

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.probing.watch import outside_the_watch

# shift_right ----------------------------------------------------------------------------

shift_right = Exercise(
    "shift_right",
    points=1,
    hints=(
        "Write the two rows below each other for a target of three words: what is asked for, and what the decoder may have read when it is "
        "asked. Which token is new, which one is gone?",
        "```python\n"
        "first = ...  # a column of bos_id, one for every sentence: (batch, 1)\n"
        "return ...   # that column, then all of tgt but its last column\n"
        "```",
        "`torch.full_like(tgt[:, :1], bos_id)` is the column, in the right dtype. `torch.cat([first, tgt[:, :-1]], dim=1)` puts the two side by side.",
    ),
    traps={
        "RuntimeError: Sizes of tensors must match except in dimension 0": "`torch.cat` works along dimension 0, the batch, unless told otherwise: `dim=1`.",
        "RuntimeError: Tensors must have same number of dimensions: got 1 and 2": "the column of bos_id needs two dimensions, (batch, 1).",
        "TypeError: expected Tensor as element 0 in argument 0, but got int": "`torch.cat` joins tensors. Make a column of bos_id first.",
    },
)


@shift_right.probe("puts bos_id first and every token one place later, without the last")
def several_sentences(shift_right: Callable, draw: Draw) -> Any:
    return shift_right(draw.integers("tgt", 3, 5, low=4, high=30), 1)


@shift_right.probe("takes any bos_id, and moves padding like everything else")
def with_padding(shift_right: Callable, draw: Draw) -> Any:
    tgt = draw.integers("tgt", 2, 6, low=4, high=30)
    tgt[1, 3:] = 0
    return shift_right(draw.keep("padded", tgt.clone()), 3)


@shift_right.probe("works for one sentence, and for one token", rung="edges")
def short_targets(shift_right: Callable, draw: Draw) -> Any:
    return {
        "one sentence": shift_right(draw.integers("one", 1, 4, low=4, high=30), 2),
        "one token": shift_right(draw.integers("short", 3, 1, low=4, high=30), 2),
        "not contiguous": shift_right(draw.integers("turned", 4, 3, low=4, high=30).T, 2),
    }


# label_smoothed_cross_entropy ----------------------------------------------------------------------------

label_smoothed_cross_entropy = Exercise(
    "label_smoothed_cross_entropy",
    points=3,
    forbidden=("cross_entropy",),
    hints=(
        "The cross-entropy of a place is the sum of share × -log p over all classes. With smoothing, every class has the share smoothing / V, and the "
        "target has 1 - smoothing on top. So it is a mix of two things: -log p of the target, and the mean of -log p over all classes.",
        "```python\n"
        "log_probs = ...  # (..., vocab_size)\n"
        "of_target = ...  # (...): minus the log-probability of the target\n"
        "of_all = ...     # (...): minus the mean log-probability of all classes\n"
        "losses = ...     # (1 - smoothing) parts of the one, smoothing parts of the other\n"
        "return ...       # the mean over the places where `real` is True\n"
        "```",
        "`logits.log_softmax(dim=-1)` is safe where `softmax` and then `log` is not. `log_probs.gather(-1, targets.unsqueeze(-1)).squeeze(-1)` picks the target's. "
        "`losses[real].mean()` leaves padding out of the sum *and* out of the count.",
    ),
    traps={
        "RuntimeError: Index tensor must have the same number of dimensions as input tensor": "`gather` wants the targets with one dimension more: "
        "`targets.unsqueeze(-1)`, and takes it away again with `.squeeze(-1)`.",
        "RuntimeError: The size of tensor a (9) must match the size of tensor b (4) at non-singleton dimension 2": "what `gather` gives still has a last dimension of size 1: "
        "`.squeeze(-1)`. Then both losses have the shape of the targets.",
        "IndexError: The shape of the mask [3, 4] at index 0 does not match the shape of the indexed tensor": "`real` has the shape of the targets. Index with it what has that "
        "shape too: one loss for every place.",
        "RuntimeError: gather(): Expected dtype int64 for index": "`gather` picks by whole numbers: give it the targets themselves, not the logits.",
    },
)

VOCAB = 9


def some_targets(draw: Draw, name: str, *shape: int, pad_id: int = 0) -> Tensor:
    """Targets of which a third is padding, unevenly: the first sentence has none, the last one token."""
    drawn = draw.integers(f"{name} drawn", *shape, low=1, high=VOCAB)
    drawn[drawn == pad_id] = (pad_id + 1) % VOCAB
    lengths = torch.linspace(shape[-1], 1, drawn[..., 0].numel()).round().long().reshape(*shape[:-1], 1)
    return draw.keep(name, drawn.masked_fill(torch.arange(shape[-1]) >= lengths, pad_id))


# The logits are small except in `large_logits`: whether a number added to a small probability shows would be luck.


@label_smoothed_cross_entropy.probe("gives each class its share, on targets without padding")
def smoothed(label_smoothed_cross_entropy: Callable, draw: Draw) -> Any:
    targets = draw.integers("targets", 3, 4, low=1, high=VOCAB)
    return label_smoothed_cross_entropy(draw.tensor("logits", 3, 4, VOCAB), targets, 0.3, 0)


@label_smoothed_cross_entropy.probe("is the plain cross-entropy for smoothing=0")
def without_smoothing(label_smoothed_cross_entropy: Callable, draw: Draw) -> Any:
    targets = draw.integers("targets", 3, 4, low=1, high=VOCAB)
    return label_smoothed_cross_entropy(draw.tensor("logits", 3, 4, VOCAB), targets, smoothing=0.0)


@label_smoothed_cross_entropy.probe(
    "leaves padding out, and takes the mean over all real places of all sentences alike"
)
def padded(label_smoothed_cross_entropy: Callable, draw: Draw) -> Any:
    logits = draw.tensor("logits", 3, 5, VOCAB)
    other = draw.tensor("other", 2, 4, VOCAB)
    others = some_targets(draw, "others", 2, 4, pad_id=7).clone()
    others[0, 1] = 7  # padding between two words
    return {
        "pad_id 0": label_smoothed_cross_entropy(logits, some_targets(draw, "targets", 3, 5)),
        "pad_id 7": label_smoothed_cross_entropy(other, draw.keep("others, one more padded", others), 0.2, 7),
    }


@label_smoothed_cross_entropy.probe(
    "does not move when what the model says at padding changes", rung="invariants", float64=True
)
def another_padding(label_smoothed_cross_entropy: Callable, draw: Draw) -> Any:
    targets = some_targets(draw, "targets", 3, 5)
    logits = draw.tensor("logits", 3, 5, VOCAB)
    other = torch.where((targets == 0).unsqueeze(-1), draw.tensor("other", 3, 5, VOCAB, scale=9), logits)
    return [label_smoothed_cross_entropy(one, targets, 0.2) for one in (logits, other)]


@label_smoothed_cross_entropy.probe("has the right gradient, zero at padding", rung="gradients")
def gradient_of_loss(label_smoothed_cross_entropy: Callable, draw: Draw) -> Any:
    logits = draw.tensor("logits", 2, 4, VOCAB, scale=0.7, requires_grad=True)
    return draw.gradients(label_smoothed_cross_entropy(logits, some_targets(draw, "targets", 2, 4), 0.3), logits=logits)


@label_smoothed_cross_entropy.probe("stays finite when the model is very sure, and wrong", rung="edges")
def large_logits(label_smoothed_cross_entropy: Callable, draw: Draw) -> Any:
    targets = draw.integers("targets", 3, 4, low=1, high=VOCAB)
    return label_smoothed_cross_entropy(draw.tensor("logits", 3, 4, VOCAB, scale=300), targets, 0.1, 0)


@label_smoothed_cross_entropy.probe("takes any number of leading dimensions", rung="edges")
def leading_dimensions(label_smoothed_cross_entropy: Callable, draw: Draw) -> Any:
    return {
        "one sentence": label_smoothed_cross_entropy(draw.tensor("few", 4, VOCAB), some_targets(draw, "sentence", 4)),
        "three": label_smoothed_cross_entropy(
            draw.tensor("many", 2, 3, 4, VOCAB), some_targets(draw, "targets", 2, 3, 4)
        ),
    }


@label_smoothed_cross_entropy.probe("works where every sentence is a single token", rung="edges")
def single_tokens(label_smoothed_cross_entropy: Callable, draw: Draw) -> Any:
    targets = draw.keep("targets", torch.tensor([[3], [0], [5]]))
    return label_smoothed_cross_entropy(draw.tensor("logits", 3, 1, VOCAB), targets)


@label_smoothed_cross_entropy.probe("raises a ValueError when no place counts", rung="invariants")
def nothing_to_learn(label_smoothed_cross_entropy: Callable, draw: Draw) -> Any:
    logits, targets = draw.tensor("logits", 1, 3, VOCAB), draw.keep("targets", torch.tensor([[2, 5, 5]]))
    label_smoothed_cross_entropy(logits, targets)  # the blank stub must show as blank
    return label_smoothed_cross_entropy(logits, draw.keep("padding", torch.full((1, 3), 4)), 0.1, 4)


@label_smoothed_cross_entropy.probe("raises a ValueError for a smoothing outside [0, 1)", rung="invariants")
def smoothing_of_all(label_smoothed_cross_entropy: Callable, draw: Draw) -> Any:
    logits, targets = draw.tensor("logits", 1, 3, VOCAB), draw.keep("targets", torch.tensor([[2, 5, 5]]))
    label_smoothed_cross_entropy(logits, targets)  # the blank stub must show as blank
    return label_smoothed_cross_entropy(logits, targets, 1.0)


# warmup_lr ----------------------------------------------------------------------------

warmup_lr = Exercise(
    "warmup_lr",
    points=1,
    hints=(
        "Two curves and the smaller of both: one rises with the step, the other falls with it. They meet at warmup_steps.",
        "```python\nrising = ...   # step · warmup_steps^-1½\nfalling = ...  # step^-½\nreturn ...     # d_model^-½ times the smaller\n```",
        "`d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)`. In Python `**` is the power; `^` is something else.",
    ),
    traps={
        "TypeError: unsupported operand type(s) for ^: 'int' and 'float'": "the power is `**` in Python.",
        "TypeError: sqrt(): argument 'input' (position 1) must be Tensor, not int": "these are plain numbers: `step**-0.5` needs no torch.",
        "ZeroDivisionError": "the first step has the number 1. Whoever counts from 0 has to add 1; step 0 is refused by the given lines.",
    },
)


@warmup_lr.probe("rises in a straight line to warmup_steps, then falls with one over the root of the step")
def up_and_down(warmup_lr: Callable, draw: Draw) -> Any:
    # Small numbers: a learning rate of 0.0007 would be taken for one of 0.0006.
    return [warmup_lr(step, 5, 4) for step in (1, 2, 3, 4, 5, 6, 9, 16, 100)]


@warmup_lr.probe("is smaller for a wider model, and for a longer warm-up")
def other_sizes(warmup_lr: Callable, draw: Draw) -> Any:
    d_model, warmup_steps = (int(one) for one in draw.integers("sizes", 2, low=2, high=12))
    return [warmup_lr(step, d_model, warmup_steps) for step in (1, 2, 5, 11, 30)]


@warmup_lr.probe("needs no warm-up to fall", rung="edges")
def no_warmup(warmup_lr: Callable, draw: Draw) -> Any:
    return [warmup_lr(step, 3, 1) for step in (1, 2, 3)]


@warmup_lr.probe("raises a ValueError for a step below 1", rung="invariants")
def step_zero(warmup_lr: Callable, draw: Draw) -> Any:
    warmup_lr(1, 4, 2)  # the blank stub must show as blank
    return warmup_lr(0, 4, 2)


# cosine_lr ----------------------------------------------------------------------------

cosine_lr = Exercise(
    "cosine_lr",
    points=2,
    hints=(
        "Three stretches: up, down, and level from total_steps on. On the way down, ask how much of the way is done: 0 at warmup_steps, 1 at "
        "total_steps. (1 + cos(π · that)) / 2 then goes from 1 to 0.",
        "```python\n"
        "if step < warmup_steps:\n"
        "    return ...  # the straight line: 0 at step 0, max_lr at warmup_steps\n"
        "progress = ...  # steps made since warmup_steps, of those there are; never more than 1\n"
        "return ...      # min_lr plus what is left of max_lr - min_lr\n"
        "```",
        "`progress = min(1.0, (step - warmup_steps) / (total_steps - warmup_steps))`, then "
        "`min_lr + (max_lr - min_lr) * (1 + math.cos(math.pi * progress)) / 2`.",
    ),
    traps={
        "ZeroDivisionError": "with warmup_steps=0 there is no straight line. Ask `step < warmup_steps` *before* dividing by warmup_steps.",
        "TypeError: cos(): argument 'input' (position 1) must be Tensor, not float": "these are plain numbers: `math.cos`.",
    },
)


@cosine_lr.probe("rises in a straight line from 0 to max_lr, and is there at warmup_steps")
def rising(cosine_lr: Callable, draw: Draw) -> Any:
    return [cosine_lr(step, 3.0, 4, 20) for step in range(5)]


@cosine_lr.probe("falls along half a cosine from max_lr to min_lr")
def falling(cosine_lr: Callable, draw: Draw) -> Any:
    return [cosine_lr(step, 3.0, 4, 20, 0.5) for step in (4, 5, 8, 12, 17, 19, 20)]


@cosine_lr.probe("does so for any numbers")
def other_numbers(cosine_lr: Callable, draw: Draw) -> Any:
    warmup_steps, more = (int(one) for one in draw.integers("steps", 2, low=3, high=9))
    max_lr, min_lr = (float(one) for one in draw.tensor("rates", 2).abs() + torch.tensor([2.0, 0.1]))
    total_steps = warmup_steps + more
    return [cosine_lr(step, max_lr, warmup_steps, total_steps, min_lr) for step in range(total_steps)]


@cosine_lr.probe("ends at 0 unless told otherwise")
def ends_at_zero(cosine_lr: Callable, draw: Draw) -> Any:
    return [cosine_lr(step, 2.0, 2, 10) for step in (2, 5, 9, 10)]


@cosine_lr.probe("stays where it is after the last step, and needs no warm-up", rung="edges")
def beyond_the_ends(cosine_lr: Callable, draw: Draw) -> Any:
    return {
        "after the end": [cosine_lr(step, 3.0, 4, 20, 0.5) for step in (21, 30, 36, 500)],
        "no warm-up": [cosine_lr(step, 3.0, 0, 5) for step in (0, 1, 4, 5)],
        "one step of warm-up": [cosine_lr(step, 3.0, 1, 5) for step in (0, 1, 2)],
    }


@cosine_lr.probe("raises a ValueError when the warm-up is not over before the end", rung="invariants")
def warmup_too_long(cosine_lr: Callable, draw: Draw) -> Any:
    cosine_lr(3, 1.0, 2, 5)  # the blank stub must show as blank
    return cosine_lr(3, 1.0, 5, 5)


# clip_gradients_ ----------------------------------------------------------------------------

clip_gradients_ = Exercise(
    "clip_gradients_",
    points=2,
    forbidden=("clip_grad_norm_",),
    hints=(
        "Think of all gradients strung together into one long vector. Its length is the root of the sum of all squares. If that is too much, all "
        "of it is multiplied by one number, so that the direction stays.",
        "```python\n"
        "gradients = [...]  # those that are not None\n"
        "norm = ...         # root of the sum of all squares, over all of them\n"
        "if norm > max_norm:\n"
        "    ...            # every gradient times max_norm / norm, in place\n"
        "return norm\n"
        "```",
        "`one.square().sum().item()` is the squared length of one gradient as a plain number; `math.sqrt(sum(...))` the length of all. `gradient.mul_(max_norm / norm)` "
        "changes it where it is. Make the list first: `model.parameters()` can be read only once.",
    ),
    traps={
        "AttributeError: 'NoneType' object has no attribute": "a parameter that took no part in the loss has no gradient: its `.grad` is None. Leave it out.",
        "ZeroDivisionError": "all gradients can be 0. Then there is nothing to shorten, and nothing to divide by.",
        "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation": "it is `parameter.grad` that is scaled, not the parameter.",
        "RuntimeError: stack expects a non-empty TensorList": "there may be no gradient at all; the length is 0 then.",
        "TypeError: mul_(): argument 'other' (position 1) must be Tensor, not NoneType": "one of the numbers is None: does the line that computes the length give one?",
    },
)


def some_parameters(draw: Draw, *scales: float | None) -> list[nn.Parameter]:
    """Parameters of different shapes with gradients of the given scales; None: without one."""
    shapes = [(3, 4), (5,), (2, 2, 3), (4, 2)]
    found = []
    for number, scale in enumerate(scales):
        shape = shapes[number % len(shapes)]
        parameter = nn.Parameter(draw.tensor(f"parameter {number}", *shape))
        if scale is not None:
            parameter.grad = draw.tensor(f"gradient {number}", *shape, scale=scale).clone()
        found.append(parameter)
    return found


def gradients_of(parameters: Iterable[nn.Parameter]) -> list[Tensor | None]:
    """Their gradients; the parameters' numbers must stay as they are, so they are draws."""
    return [one.grad for one in parameters]


@clip_gradients_.probe("shortens the gradient of all parameters together to max_norm")
def too_long(clip_gradients_: Callable, draw: Draw) -> Any:
    parameters = some_parameters(draw, 1.0, 0.3, 2.0)  # the longest is not the first
    norm = clip_gradients_(parameters, 1.5)
    return {"norm": norm, "gradients": gradients_of(parameters)}


@clip_gradients_.probe("leaves a short gradient as it is")
def short_enough(clip_gradients_: Callable, draw: Draw) -> Any:
    parameters = some_parameters(draw, 0.6, 0.3)  # longer than 1 together, shorter than max_norm
    norm = clip_gradients_(parameters, 9.0)
    return {"norm": norm, "gradients": gradients_of(parameters)}


@clip_gradients_.probe("works on a single parameter")
def one_parameter(clip_gradients_: Callable, draw: Draw) -> Any:
    parameters = some_parameters(draw, 3.0)  # shorter than the square of max_norm
    return {"norm": clip_gradients_(parameters, 4.0), "gradients": gradients_of(parameters)}


@clip_gradients_.probe("leaves out parameters without a gradient", rung="edges")
def some_without(clip_gradients_: Callable, draw: Draw) -> Any:
    parameters = some_parameters(draw, None, 2.0, None, 1.0)
    return {"norm": clip_gradients_(parameters, 1.0), "gradients": gradients_of(parameters)}


@clip_gradients_.probe("takes a generator, which is what `model.parameters()` gives", rung="edges")
def a_generator(clip_gradients_: Callable, draw: Draw) -> Any:
    parameters = some_parameters(draw, 0.5, 3.0)
    norm = clip_gradients_((one for one in parameters), 0.5)
    return {"norm": norm, "gradients": gradients_of(parameters)}


@clip_gradients_.probe("returns 0 where all gradients are 0, or where there are none", rung="edges")
def nothing_to_clip(clip_gradients_: Callable, draw: Draw) -> Any:
    parameters = some_parameters(draw, 0.0, 0.0)
    norm = clip_gradients_(parameters, 1.0)
    return {
        "all zero": {"norm": norm, "gradients": gradients_of(parameters)},
        "none": clip_gradients_(some_parameters(draw, None), 1.0),
    }


# AdamW ----------------------------------------------------------------------------

adam_w = Exercise(
    "AdamW",
    points=4,
    forbidden=("torch.optim.Adam",),
    hints=(
        "Five lines, one for each comment, and all of them in place: `parameter`, `state[\"mean\"]` and `state[\"square\"]` keep their memory. Which lines change the state, "
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
        "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation": "an update is no part of the computation that gradients flow through. "
        "`step` has `@torch.no_grad()` above it for that; keep it.",
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
        "`parameter.dim()` is the number of dimensions: more than 1 for layers and tables, 1 for norms and biases. `model.parameters()` lists what is shared once.",
    ),
    traps={
        "AttributeError: 'tuple' object has no attribute 'dim'": "`named_parameters()` gives pairs, (name, parameter).",
        "ValueError: some parameters appear in more than one parameter group": "every parameter belongs to exactly one of the two.",
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
        self.norm = nn.LayerNorm(4)
        self.last = nn.Linear(4, 7, bias=False)


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
        parameter.grad = torch.zeros_like(parameter)
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


# train_step ----------------------------------------------------------------------------

train_step = Exercise(
    "train_step",
    points=4,
    hints=(
        "`loss.backward()` *adds* to the gradients that are there. That is why they are cleared once at the beginning, why several micro-batches can share one step, "
        "and why each of them may only bring its share of the mean.",
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
        "TypeError: '>' not supported between instances of 'float' and 'NoneType'": "where nothing is to be clipped, max_norm is None. Ask `if max_norm is not None` first.",
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
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.5)
    losses = [
        train_step(model, [batch(draw, f"{step}a"), batch(draw, f"{step}b", 2.0)], optimizer, squared_error)
        for step in range(3)
    ]
    return after(losses, model)


@train_step.probe("clips the whole gradient, once", float64=True)
def clipped(train_step: Callable, draw: Draw) -> Any:
    model = small_model(draw)
    micro_batches = [batch(draw, "first", 4.0), batch(draw, "second", 0.2), batch(draw, "third", 2.0)]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
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
    for name, dtype in (("bfloat16", torch.bfloat16), ("none", None)):
        seen: list[str] = []

        def loss_fn(model: nn.Module, pair: tuple[Tensor, Tensor], seen: list[str] = seen) -> Tensor:
            seen.append(str(model(pair[0]).dtype))
            return squared_error(model, pair)

        # Two micro-batches for the loss and one for the gradient: one context around both keeps its casts of the weights,
        # sums the gradients in bfloat16, and is right. A half is the same in all formats, a third is not.
        two = [batch(draw, "first"), batch(draw, "second", 2.0)]
        model, other = small_model(draw), small_model(draw)
        loss = train_step(model, two, torch.optim.SGD(model.parameters(), lr=0.1), loss_fn, autocast_dtype=dtype)
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


@train_step.probe("raises a ValueError when there are no micro-batches", rung="invariants")
def no_batches(train_step: Callable, draw: Draw) -> Any:
    model = small_model(draw)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train_step(model, [batch(draw, "one")], optimizer, squared_error)  # the blank stub must show as blank
    return train_step(model, [], optimizer, squared_error)


# Checkpoints ----------------------------------------------------------------------------


@dataclass
class SmallConfig:
    """A configuration, as a model's `config` holds it."""

    width: int = 4
    dropout: float = 0.5


class SmallModel(nn.Module):
    """A model with parameters, a buffer that training changes, dropout, and a config."""

    def __init__(self, config: SmallConfig | None = None) -> None:
        super().__init__()
        self.config = config or SmallConfig()
        self.layer = nn.Linear(self.config.width, 3)
        self.dropout = nn.Dropout(self.config.dropout)
        self.seen: Tensor
        self.register_buffer("seen", torch.zeros(()))

    def forward(self, x: Tensor) -> Tensor:
        """The layer, with dropout before it; counts what it has seen."""
        self.seen.add_(len(x))
        return self.layer(self.dropout(x))


def train_on(model: nn.Module, optimizer: Any, draw: Draw, steps: Iterable[int]) -> None:
    """Steps with dropout, on drawn inputs."""
    for step in steps:
        optimizer.zero_grad()
        model(draw.tensor(f"x {step}", 5, 4)).square().mean().backward()
        optimizer.step()


def begun(draw: Draw, steps: int = 2) -> tuple[SmallModel, Any]:
    """A model and its optimizer after some steps."""
    model = SmallModel()
    draw.fill(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.05, betas=(0.5, 0.7))
    if steps:
        torch.default_generator.manual_seed(int(draw.integers("dropout", 1, high=1000)))
    train_on(model, optimizer, draw, range(steps))
    return model, optimizer


def another() -> tuple[SmallModel, Any]:
    """A model of the same configuration with other numbers, and an optimizer with other settings."""
    model = SmallModel()
    nn.init.constant_(model.layer.weight, 0.3)
    nn.init.constant_(model.layer.bias, 0.1)
    return model, torch.optim.AdamW(model.parameters(), lr=0.5)


def gone_on(model: nn.Module, optimizer: Any, draw: Draw) -> dict[str, Any]:
    """What further steps make of a model, the settings of its optimizer included."""
    train_on(model, optimizer, draw, (10, 11))
    return {
        "lr": optimizer.param_groups[0]["lr"],
        "after two more steps": {name: one.clone() for name, one in model.state_dict().items()},
    }


# What one exercise writes the other reads, so each is checked against a counterpart. These stand here and not in the
# stand-ins: where students are checked, or graded, there are none of their own lesson.


@outside_the_watch
def put_down(path: str, model: SmallModel, optimizer: Any, step: int) -> None:
    """A checkpoint as the page describes it."""
    states = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "rng": torch.get_rng_state()}
    torch.save({"config": asdict(model.config), "step": step, **states}, path)


@outside_the_watch
def taken_up(path: str, model: SmallModel, optimizer: Any) -> int:
    """The number of the step, with everything where the checkpoint has it."""
    found = torch.load(path, weights_only=True)
    if found["config"] != asdict(model.config):
        raise ValueError(f"the checkpoint is one of another model: {found['config']}")
    torch.set_rng_state(found["rng"])
    for part, name in ((optimizer, "optimizer"), (model, "model")):
        part.load_state_dict(found[name])
    return int(found["step"])


save_checkpoint = Exercise(
    "save_checkpoint",
    points=1,
    hints=(
        "What would be different tomorrow if you kept the weights alone? The optimizer's running means would start at 0, and dropout would draw other numbers.",
        '```python\ncheckpoint["model"] = ...      # its state_dict\ncheckpoint["optimizer"] = ...  # likewise\ncheckpoint["step"] = ...\ncheckpoint["rng"] = ...        # the state of torch\'s random numbers\n```',
        "`model.state_dict()` holds parameters and buffers, `optimizer.state_dict()` running means and settings. `torch.get_rng_state()` is where torch's random numbers stand now.",
    ),
    traps={
        "KeyError": "the checkpoint needs the four entries `model`, `optimizer`, `step` and `rng`, under these names.",
        "UnpicklingError": "keep `state_dict()`s, not the objects themselves: a file of plain tensors and numbers can be read without running anybody's code.",
    },
)


@save_checkpoint.probe("keeps what it should under the names that are agreed, parameters and buffers among it")
def kept(save_checkpoint: Callable, draw: Draw) -> Any:
    model, optimizer = begun(draw)
    with tempfile.TemporaryDirectory() as folder:
        save_checkpoint(Path(folder, "checkpoint.pt"), model, optimizer, 7)
        found = torch.load(Path(folder, "checkpoint.pt"), weights_only=False)  # written a line above
    entries = [name for name in ("model", "optimizer", "step", "rng") if name in found]
    rng = found.get("rng")
    kind = str(rng.dtype) if isinstance(rng, Tensor) else type(rng).__name__
    return {"entries": entries, "model": found.get("model"), "step": found.get("step"), "rng is": kind}


@save_checkpoint.probe(
    "keeps the optimizer's running means and settings: training goes on as if nothing had happened", float64=True
)
def kept_optimizer(save_checkpoint: Callable, draw: Draw) -> Any:
    model, optimizer = begun(draw)
    return _saved_and_gone_on(save_checkpoint, model, optimizer, draw)


@save_checkpoint.probe("keeps the random numbers: dropout goes on where it was", float64=True)
def kept_random_numbers(save_checkpoint: Callable, draw: Draw) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        torch.default_generator.manual_seed(int(draw.integers("seed", 1, high=1000)))
        torch.rand(3)
        save_checkpoint(f"{folder}/checkpoint.pt", *begun(draw, 0), 0)
        torch.default_generator.manual_seed(0)
        torch.rand(5)
        taken_up(f"{folder}/checkpoint.pt", *another())
    return torch.rand(4)


@save_checkpoint.probe("writes over an earlier checkpoint, and leaves nothing else behind", rung="edges", float64=True)
def kept_twice(save_checkpoint: Callable, draw: Draw) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        save_checkpoint(f"{folder}/checkpoint.pt", *begun(draw, 0), 0)
        model, optimizer = begun(draw)
        save_checkpoint(f"{folder}/checkpoint.pt", model, optimizer, 2)
        files = sorted(os.listdir(folder))
        found, _ = another()
        step = taken_up(f"{folder}/checkpoint.pt", found, torch.optim.AdamW(found.parameters()))
    return {"files": files, "step": step, "model": found.state_dict()}


class Crash:
    """Something whose writing fails in the middle."""

    def __reduce__(self) -> Any:
        raise OSError("no space left")


@save_checkpoint.probe("leaves the earlier checkpoint whole when writing fails", rung="edges", float64=True)
def kept_in_a_crash(save_checkpoint: Callable, draw: Draw) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        save_checkpoint(f"{folder}/checkpoint.pt", *begun(draw), 2)
        with contextlib.suppress(Exception):  # whatever is said of it
            save_checkpoint(f"{folder}/checkpoint.pt", *begun(draw, 3), Crash())
        model, optimizer = another()
        return {"step": taken_up(f"{folder}/checkpoint.pt", model, optimizer), "model": model.state_dict()}


@save_checkpoint.probe("keeps the configuration, so that another model is refused", rung="invariants")
def kept_config(save_checkpoint: Callable, draw: Draw) -> Any:
    model = SmallModel(SmallConfig(dropout=0.25))
    with tempfile.TemporaryDirectory() as folder:
        save_checkpoint(f"{folder}/checkpoint.pt", model, torch.optim.AdamW(model.parameters()), 3)
        return taken_up(f"{folder}/checkpoint.pt", *another())


def _saved_and_gone_on(save_checkpoint: Callable, model: SmallModel, optimizer: Any, draw: Draw) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        save_checkpoint(f"{folder}/checkpoint.pt", model, optimizer, 2)
        train_on(model, optimizer, draw, (10, 11))  # what happens later is not in it
        found = another()
        step = taken_up(f"{folder}/checkpoint.pt", *found)
    return {"step": step, **gone_on(*found, draw), "the one that was saved": model.state_dict()}


load_checkpoint = Exercise(
    "load_checkpoint",
    points=2,
    hints=(
        "The counterpart of every line of `save_checkpoint`. Three things are put back where they were; one is returned.",
        "```python\n"
        "...         # the model's state\n"
        "...         # the optimizer's\n"
        "...         # torch's random numbers\n"
        "return ...  # how many steps have been made\n"
        "```",
        "`model.load_state_dict(checkpoint[\"model\"])`, likewise for the optimizer, `torch.set_rng_state(checkpoint[\"rng\"])`.",
    ),
    traps={
        "RuntimeError: Error(s) in loading state_dict": "the entries do not fit the model. Is it the model's entry that the model gets, and not the optimizer's?",
        "KeyError": "the entries are called `model`, `optimizer`, `step` and `rng`, as `save_checkpoint` has them.",
        "TypeError: expected a torch.ByteTensor": "`torch.set_rng_state` takes what `torch.get_rng_state` gave: the entry `rng`.",
    },
)  # fmt: skip


@load_checkpoint.probe("puts parameters and buffers back, and returns the number of the step")
def put_back(load_checkpoint: Callable, draw: Draw) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        put_down(f"{folder}/checkpoint.pt", *begun(draw), 7)
        model, optimizer = another()
        step = load_checkpoint(f"{folder}/checkpoint.pt", model, optimizer)
    return {"step": step, "model": model.state_dict()}


@load_checkpoint.probe(
    "puts the optimizer's running means and settings back: training goes on as if nothing had happened", float64=True
)
def put_back_optimizer(load_checkpoint: Callable, draw: Draw) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        put_down(f"{folder}/checkpoint.pt", *begun(draw), 2)
        model, optimizer = another()
        load_checkpoint(f"{folder}/checkpoint.pt", model, optimizer)
    model.dropout.p = 0.0  # random numbers are for the next probe
    return gone_on(model, optimizer, draw)


@load_checkpoint.probe("puts the random numbers back: dropout goes on where it was", float64=True)
def put_back_random_numbers(load_checkpoint: Callable, draw: Draw) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        torch.default_generator.manual_seed(int(draw.integers("seed", 1, high=1000)))
        put_down(f"{folder}/checkpoint.pt", *begun(draw, 0), 0)
        torch.default_generator.manual_seed(0)
        load_checkpoint(Path(folder, "checkpoint.pt"), *another())
    return torch.rand(4)


@load_checkpoint.probe("leaves the model in the mode in which it was", rung="edges")
def mode_stays(load_checkpoint: Callable, draw: Draw) -> Any:
    modes = []
    with tempfile.TemporaryDirectory() as folder:
        put_down(f"{folder}/checkpoint.pt", *begun(draw, 0), 0)
        for training in (True, False):
            model, optimizer = another()
            load_checkpoint(f"{folder}/checkpoint.pt", model.train(training), optimizer)
            modes.append([model.training, model.dropout.training])
    return modes


@load_checkpoint.probe("raises a ValueError when the model was made with another configuration", rung="invariants")
def other_config(load_checkpoint: Callable, draw: Draw) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        put_down(f"{folder}/checkpoint.pt", *begun(draw, 0), 0)
        load_checkpoint(f"{folder}/checkpoint.pt", *another())  # the blank stub must show as blank
        model = SmallModel(SmallConfig(dropout=0.25))
        return load_checkpoint(f"{folder}/checkpoint.pt", model, torch.optim.AdamW(model.parameters()))


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
