"""Checks of losses: ctc_loss, and joint_loss."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.decoding.shared import raised
from autograder.checks.hearing.shared import EOS, PAD, VOCAB, mask_of, some_texts
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

# ctc_loss ----------------------------------------------------------------------------

ctc_loss = Exercise(
    "ctc_loss",
    points=4,
    stretch=True,
    forbidden=["ctc_loss"],
    hints=(
        "Draw the states for the text `a b` as a row of five: blank, a, blank, b, blank. Where may a path stand at the first vector? Where can it have come from, if it stands on b now? And on the second a of `a a`?",
        "```python\nstates = ...    # blank, token, blank, token, ..., blank\nmay_skip = ...  # no blank, and another token than two states before\npaths = ...     # log-probability of all paths that stand in each state, at the first vector\nfor score in ...:  # further vectors\n    paths = ...  # logsumexp of staying, coming from one before, and from two before; plus the score\nreturn ...      # of the last two states\n```",
        "`F.pad(paths, (1, 0), value=...)[:-1]` is the row of states one before. In place of minus infinity take a number like -1e30 (float32 reaches -3e38): the gradient of a logsumexp of nothing but -inf is NaN. `torch.stack([stay, one, two]).logsumexp(dim=0)` adds up probabilities. What ends below -1e29 is impossible: give inf.",
    ),
    traps={
        "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.": "the log-probabilities are given and need their gradient: make a new tensor for each vector.",
        "IndexError: index ... is out of bounds for dimension 0 with size ...": "an empty text has a single state, the blank.",
    },
)


def log_probs_of(draw: Draw, length: int, vocab: int = 5, name: str = "log_probs", scale: float = 1.0) -> Tensor:
    """Log-probabilities at some vectors."""
    return draw.keep(name, draw.tensor(f"{name} drawn", length, vocab, scale=scale).log_softmax(dim=-1))


def target(*tokens: int) -> Tensor:
    """A text."""
    return torch.tensor(tokens, dtype=torch.long)


@ctc_loss.probe("adds up the probabilities of all paths that give the text", float64=True)
def all_paths(ctc_loss: Callable, draw: Draw) -> Any:
    return {
        "a b": ctc_loss(log_probs_of(draw, 6, name="two"), target(1, 3), 0),
        "a b c": ctc_loss(log_probs_of(draw, 5, name="three"), target(2, 4, 1), 0),
        "a, three vectors": ctc_loss(log_probs_of(draw, 3, name="one"), target(4), 0),
        "a, one vector": ctc_loss(log_probs_of(draw, 1, name="least"), target(4), 0),
    }


@ctc_loss.probe("puts a blank between equal tokens", float64=True)
def doubled(ctc_loss: Callable, draw: Draw) -> Any:
    return {
        "a a": ctc_loss(log_probs_of(draw, 5, name="two"), target(2, 2), 0),
        "a a b b": ctc_loss(log_probs_of(draw, 8, name="four"), target(3, 3, 1, 1), 0),
        "a a, three vectors": ctc_loss(log_probs_of(draw, 3, name="tight"), target(2, 2), 0),
    }


@ctc_loss.probe("takes the blank that it is given", float64=True)
def another_blank(ctc_loss: Callable, draw: Draw) -> Any:
    return ctc_loss(log_probs_of(draw, 7), target(1, 0, 1, 1), 3)


@ctc_loss.probe("keeps count where probabilities are too small for a float")
def long_sound(ctc_loss: Callable, draw: Draw) -> Any:
    # Another token takes nearly all: each vector adds some 70 to the loss.
    scores = draw.tensor("scores", 150, 6) + 70 * torch.eye(6)[5]
    log_probs = draw.keep("log_probs", scores.log_softmax(dim=-1))
    return {
        f"{length} vectors": ctc_loss(log_probs[:length], target(1, 2, 2, 4, 3), 0)
        for length in (10, 30, len(log_probs))
    }


@ctc_loss.probe("has the right gradients", rung="gradients")
def path_gradients(ctc_loss: Callable, draw: Draw) -> Any:
    found = {}
    for name, text in {"a b a": target(1, 2, 1), "a a": target(3, 3)}.items():
        logits = draw.tensor(name, 6, 5, requires_grad=True)
        found[name] = draw.gradients(ctc_loss(logits.log_softmax(dim=-1), text, 0), logits=logits)
    return found


@ctc_loss.probe(
    "gives the blanks' own for an empty text, and infinity where the vectors are too few", rung="edges", float64=True
)
def ctc_edges(ctc_loss: Callable, draw: Draw) -> Any:
    log_probs = log_probs_of(draw, 3)
    return {
        "an empty text": ctc_loss(log_probs, target(), 0),
        "four tokens, three vectors": ctc_loss(log_probs, target(1, 2, 3, 4), 0),
        "a a b, three vectors": ctc_loss(log_probs, target(1, 1, 2), 0),
        "as many tokens as vectors": ctc_loss(log_probs, target(1, 2, 3), 0),
    }


# joint_loss ----------------------------------------------------------------------------

joint_loss = Exercise(
    "joint_loss",
    points=3,
    hints=(
        "Two numbers that are to be added have to be of one kind. The cross-entropy is a mean over tokens. What has to be done to the sum of the CTC losses?",
        '```python\ncross_entropy = ...  # of all labels but padding\nlengths = ...        # real vectors of each sound; tokens of each text, without eos\nctc = F.ctc_loss(...)  # reduction="sum"\nreturn ...\n```',
        '`F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=pad_id)`; `F.ctc_loss(ctc_log_probs.transpose(0, 1), labels[is_token], mask.sum(dim=1), is_token.sum(dim=1), blank=pad_id, reduction="sum")`, which is divided by `is_token.sum()`.',
    ),
    traps={
        "RuntimeError: Expected target size [...], got [...]": "the cross-entropy wants the classes in dimension 1: `logits.transpose(1, 2)`.",
        "RuntimeError: Expected input_lengths to have value at most ..., but got value ...": "CTC wants (half, batch, vocab_size), and the number of real *vectors* of each sound: `mask.sum(dim=1)`.",
        "RuntimeError: input_lengths must be of size batch_size": "CTC wants (half, batch, vocab_size), `ctc_log_probs.transpose(0, 1)`, and a length for each sound, `mask.sum(dim=1)`.",
        "RuntimeError: Expected tensor to have size ... at dimension 0, but got size ... for argument #2 'targets' (while checking arguments for ctc_loss_allocate_outputs)": "the number of tokens of each text and the targets do not fit: `labels[is_token]` are all tokens behind one another. First comes the number of each sound's vectors, `mask.sum(dim=1)`, then that of each text's tokens, `is_token.sum(dim=1)`.",
        "RuntimeError: Expected tensor to have size at least ... at dimension 1, but got size ... for argument #2 'targets' (while checking arguments for ctc_loss_cpu)": "the number of tokens of each text and the targets do not fit: `labels[is_token]` are all tokens behind one another, and `is_token.sum(dim=1)` says how many belong to each text.",
    },
)


def labels_of(draw: Draw, *lengths: int, name: str = "labels") -> Tensor:
    """Texts of some tokens, each with EOS at its end, filled up with PAD; 0 is a token like others. Three tokens or
    more begin with the same twice."""
    rows = []
    for number, row in enumerate(some_texts(draw, *lengths, name=name).tolist()):
        tokens = [0 if one == EOS else one for one in row[: lengths[number]]]
        tokens[1:2] = tokens[:1] if len(tokens) > 2 else tokens[1:2]
        rows.append([*tokens, EOS, *[PAD] * (max(lengths) - lengths[number])])
    return draw.keep(f"{name} with EOS", torch.tensor(rows))


def loss_of(joint_loss: Callable, draw: Draw, weight: float, vectors: tuple[int, ...], tokens: tuple[int, ...]) -> Any:
    """The loss of some sounds and texts."""
    labels, mask = labels_of(draw, *tokens), mask_of(draw, *vectors)
    logits = draw.tensor("logits", *labels.shape, VOCAB)
    log_probs = draw.keep("log_probs", draw.tensor("ctc", *mask.shape, VOCAB, scale=2).log_softmax(dim=-1))
    return joint_loss(logits, log_probs, labels, mask, weight, PAD, EOS)


@joint_loss.probe("weighs the cross-entropy and CTC, both for each token", float64=True)
def weighed(joint_loss: Callable, draw: Draw) -> Any:
    return {weight: loss_of(joint_loss, draw, weight, (9, 9, 9), (3, 3, 3)) for weight in (0.0, 0.3, 1.0)}


@joint_loss.probe("leaves padding out, of the texts and of the sounds", float64=True)
def padding_left_out(joint_loss: Callable, draw: Draw) -> Any:
    return {weight: loss_of(joint_loss, draw, weight, (12, 7, 9, 11), (5, 1, 3, 2)) for weight in (0.0, 0.6, 1.0)}


@joint_loss.probe("has the right gradients", rung="gradients")
def joint_gradients(joint_loss: Callable, draw: Draw) -> Any:
    labels, mask = labels_of(draw, 3, 1), mask_of(draw, 5, 8)
    logits, ctc = (
        draw.tensor("logits", 2, 4, VOCAB, requires_grad=True),
        draw.tensor("ctc", 2, 8, VOCAB).requires_grad_(),
    )
    loss = joint_loss(logits, ctc.log_softmax(dim=-1), labels, mask, 0.4, PAD, EOS)
    return draw.gradients(loss, logits=logits, ctc=ctc)


@joint_loss.probe("works for one sound, and for a text without a token beside others", rung="edges", float64=True)
def joint_edges(joint_loss: Callable, draw: Draw) -> Any:
    return {
        "one sound": loss_of(joint_loss, draw, 0.5, (6,), (2,)),
        "a text without a token": loss_of(joint_loss, draw, 0.5, (6, 4), (2, 0)),
    }


@joint_loss.probe("raises a ValueError for a weight beyond 1, and where no text has a token", rung="invariants")
def refuses_weight(joint_loss: Callable, draw: Draw) -> Any:
    loss_of(joint_loss, draw, 0.5, (6, 5), (2, 1))  # the blank stub must show as blank
    none = torch.full((2, 1), EOS)
    given = torch.zeros(2, 1, VOCAB), torch.zeros(2, 4, VOCAB).log_softmax(dim=-1)
    return {
        "weight 1.5": raised(lambda: loss_of(joint_loss, draw, 1.5, (6, 5), (2, 1))),
        "no token": raised(lambda: joint_loss(*given, none, torch.ones(2, 4, dtype=torch.bool), 0.5, PAD, EOS)),
    }
