"""Checks of the decoder's input and of the loss."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

# shift_right ----------------------------------------------------------------------------

shift_right = Exercise(
    "shift_right",
    points=1,
    hints=(
        "Write the two rows below each other for a target of three words: what is asked for, and what the decoder may have read when it is "
        "asked. Which token is new, and which token is gone?",
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
        "losses = ...     # (1 - smoothing) times of_target plus smoothing times of_all\n"
        "return ...       # the mean over the places where `real` is True\n"
        "```",
        "`logits.log_softmax(dim=-1)` is safe where `softmax` and then `log` is not. `log_probs.gather(-1, targets.unsqueeze(-1)).squeeze(-1)` picks "
        "the log-probability of the target. `losses[real].mean()` leaves padding out of the sum *and* out of the count.",
    ),
    traps={
        "RuntimeError: Index tensor must have the same number of dimensions as input tensor": "`gather` needs the targets with one dimension more, "
        "`targets.unsqueeze(-1)`; afterwards `.squeeze(-1)` takes it away again.",
        "RuntimeError: The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 1": "what `gather` gives still has a last dimension of size 1: "
        "`.squeeze(-1)`. Then both losses have the shape of the targets.",
        "RuntimeError: The size of tensor a (9) must match the size of tensor b (4) at non-singleton dimension 2": "one of the two losses still has a "
        "number for every class. Take their mean: `.mean(-1)`.",
        "IndexError: The shape of the mask [3, 4] at index 0 does not match the shape of the indexed tensor": "`real` has the shape of the targets. "
        "What you index with it must have that shape too: one loss for every place.",
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


@label_smoothed_cross_entropy.probe("stays finite when all scores are large", rung="edges")
def lifted_logits(label_smoothed_cross_entropy: Callable, draw: Draw) -> Any:
    targets = draw.integers("targets", 3, 4, low=1, high=VOCAB)
    return label_smoothed_cross_entropy(draw.tensor("logits", 3, 4, VOCAB, scale=4, shift=110), targets, 0.1, 0)


@label_smoothed_cross_entropy.probe("counts a place that costs nothing", rung="edges")
def nothing_to_pay(label_smoothed_cross_entropy: Callable, draw: Draw) -> Any:
    targets = some_targets(draw, "targets", 3, 4)
    sure = 1000.0 * nn.functional.one_hot(targets[:, :2], VOCAB)  # the loss there is 0, and not nearly 0
    logits = torch.cat([sure, draw.tensor("logits", 3, 2, VOCAB)], dim=1)
    return label_smoothed_cross_entropy(draw.keep("two places sure", logits), targets, smoothing=0.0)


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
