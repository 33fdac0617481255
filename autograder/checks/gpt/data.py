"""Checks of what goes into a language model and what it is asked: windows, the loss, and a repair."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.decoding.shared import raised
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

# token_windows ----------------------------------------------------------------------------

token_windows = Exercise(
    "token_windows",
    points=2,
    hints=(
        "Take ten tokens and windows of three, on paper. Which token follows the last place of each window? How many windows have one there?",
        "```python\nwindows = ...  # the last token has none after it: it is never an input\nused = ...     # how many tokens stand in windows\ninputs = ...   # the first `used` tokens, (windows, seq_len)\ntargets = ...  # as many, one place further\n```",
        "`windows = (len(ids) - 1) // seq_len`. The inputs are `ids[:used].reshape(windows, seq_len)`, the targets the same of `ids[1 : used + 1]`.",
    ),
    traps={
        "RuntimeError: shape '[...]' is invalid for input of size ...": "the tokens do not fill the windows. How many windows are full *and* have a next token for their last place? Cut off what is over before you `reshape`.",
        "RuntimeError: stack expects each tensor to be equal size, but got ...": "the last piece of the text is shorter than a window. What does not fill a window at the end is left out.",
        "IndexError: index ... is out of bounds for dimension 0 with size ...": "the last token has none after it. Only windows count of which every place has a next token: `(len(ids) - 1) // seq_len` of them.",
        "TypeError: slice indices must be integers or None or have an __index__ method": "`/` gives a float, even where nothing is left over. A number of windows is whole: `//`.",
    },
)


def text(draw: Draw, length: int, name: str = "ids") -> Tensor:
    """Different ids in a drawn order: no id stands twice, so every place shows."""
    order = draw.tensor(f"{name} order", length).argsort()
    return draw.keep(name, order + 100)


@token_windows.probe("cuts a text into windows side by side, and gives every place the token after it")
def several_windows(token_windows: Callable, draw: Draw) -> Any:
    return token_windows(text(draw, 14), 4)


@token_windows.probe("leaves out what does not fill a window at the end")
def left_over(token_windows: Callable, draw: Draw) -> Any:
    return token_windows(text(draw, 17), 5)


@token_windows.probe("uses every target once, also when the text is just long enough", rung="edges")
def just_enough(token_windows: Callable, draw: Draw) -> Any:
    ids = text(draw, 13)
    return {"12 tokens and one more, windows of 4": token_windows(ids, 4), "12 tokens": token_windows(ids[:12], 4)}


@token_windows.probe(
    "works for a single window, for windows of one token, and on memory that is not contiguous", rung="edges"
)
def small_windows(token_windows: Callable, draw: Draw) -> Any:
    ids = text(draw, 12)
    return {
        "one window": token_windows(ids[:10], 6),
        "windows of one token": token_windows(ids[:4], 1),
        "every second token of a text": token_windows(ids[::2], 2),
    }


def numbers(found: Any) -> list[float]:
    """All numbers in tensors, or in lists of lists of them."""
    if isinstance(found, list | tuple):
        return [number for one in found for number in numbers(one)]
    return found.flatten().tolist() if isinstance(found, Tensor) else [found]


@token_windows.probe(
    "gives back the tokens of all windows, each as often as it is read or asked for", rung="invariants"
)
def all_tokens(token_windows: Callable, draw: Draw) -> Any:
    return torch.tensor(sorted(numbers(token_windows(text(draw, 15), 4))))


@token_windows.probe(
    "raises a ValueError for a text without a window and a token after it, and for seq_len=0", rung="invariants"
)
def refuses_short_texts(token_windows: Callable, draw: Draw) -> Any:
    ids = text(draw, 8)
    token_windows(ids, 5)  # the blank stub must show as blank
    return {
        "a text as long as a window": raised(lambda: token_windows(ids, 8)),
        "an empty text": raised(lambda: token_windows(ids[:0], 2)),
        "seq_len=0": raised(lambda: token_windows(ids, 0)),
        "a window and a token after it is refused": raised(lambda: token_windows(ids[:6], 5)) == "ValueError",
    }


# next_token_loss ----------------------------------------------------------------------------

next_token_loss = Exercise(
    "next_token_loss",
    points=3,
    hints=(
        "The logits at place t were made from the tokens up to t. Which token are they a guess of? And which two places of a row take no part: one that has nobody to be asked, one that nobody is asked for?",
        "```python\nscores = ...  # all places but the last of each row\nasked = ...   # all tokens but the first of each row\n...           # with ignore_id: only the places where asked is another id, of both\nreturn ...    # the mean cross-entropy; 0 with a gradient where nothing is left\n```",
        "Shift while the rows are still rows: `logits[:, :-1]` and `ids[:, 1:]`. Then `flatten(0, 1)` and `flatten()`, `counted = asked != ignore_id`, `F.cross_entropy(scores[counted], asked[counted])`.",
    ),
    traps={
        "IndexError: Target ... is out of bounds.": "an id is asked for that is not in the vocabulary, such as an `ignore_id` of -100. Take these places out before you ask.",
        "ValueError: Expected input batch_size (...) to match target batch_size (...).": "there are not as many rows of scores as tokens asked for. Both lose one place of every row: the scores the last, the ids the first.",
        "RuntimeError: Expected target size [...], got [...]": "`F.cross_entropy` wants (number, vocab_size) and (number,). Flatten batch and places into one dimension.",
        "TypeError: cross_entropy_loss(): argument 'ignore_index' (position 5) must be int, not NoneType": "`ignore_id` may be None, and `F.cross_entropy` takes no None for `ignore_index`. Ask `ignore_id is not None` first, or leave out the places yourself.",
        "AttributeError: 'float' object has no attribute 'backward'": "a plain number came back where a batch asks for nothing. It should be a tensor that hangs on the logits, as every loss does: `logits.sum() * 0`.",
        "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn": "the loss hangs on no logits. A new `torch.tensor(0.0)`, where a batch asks for nothing, does that: `logits.sum() * 0` is 0 too, and has a gradient.",
    },
)


def scored(draw: Draw, batch: int, seq_len: int, vocab: int, **more: Any) -> tuple[Tensor, Tensor]:
    """Logits and ids of a batch."""
    logits = draw.tensor("logits", batch, seq_len, vocab, scale=2, **more)
    return logits, draw.integers("ids", batch, seq_len, high=vocab)


def padded(draw: Draw, lengths: tuple[int, ...], vocab: int, pad: int, name: str = "ids") -> Tensor:
    """Ids of rows of these lengths, filled up with `pad`, which stands nowhere else."""
    drawn = draw.integers(f"{name} drawn", len(lengths), max(lengths), high=vocab - 1)
    real = drawn + (drawn >= pad) if 0 <= pad < vocab else drawn
    beyond = torch.arange(max(lengths)) >= torch.tensor(lengths)[:, None]
    return draw.keep(name, real.masked_fill(beyond, pad))


@next_token_loss.probe("asks every place for the token after it, and takes the mean")
def one_batch(next_token_loss: Callable, draw: Draw) -> Any:
    return next_token_loss(*scored(draw, 3, 5, 7))


@next_token_loss.probe("leaves out what is ignored, from the sum and from what it is divided by")
def with_padding(next_token_loss: Callable, draw: Draw) -> Any:
    logits = draw.tensor("logits", 5, 6, 7, scale=2)
    ids = padded(draw, (6, 3, 5, 2, 1), 7, 3, "behind")
    # In front of a row, too, and in its middle; of the last row nothing is asked.
    mixed = draw.keep("ids", torch.cat([ids[:2], ids[2:3].flip(1), ids[3:4, [0, 2, 1, 0, 3, 4]], ids[4:]]))
    return next_token_loss(logits, mixed, ignore_id=3)


@next_token_loss.probe(
    "keeps rows apart: another last token of a row changes what that row is asked, and no other row", rung="invariants"
)
def rows_apart(next_token_loss: Callable, draw: Draw) -> Any:
    logits, ids = scored(draw, 3, 4, 6)
    other = ids.clone()
    other[0, -1] = (ids[0, -1] + 1) % 6
    first = ids.clone()
    first[1, 0] = (ids[1, 0] + 1) % 6
    return {
        "as drawn": next_token_loss(logits, ids),
        "another last token in row 0": next_token_loss(logits, draw.keep("other", other)),
        "another first token in row 1": next_token_loss(logits, draw.keep("first", first)),
    }


@next_token_loss.probe("sends the right gradient to the logits; none to the last place of a row", rung="gradients")
def loss_gradients(next_token_loss: Callable, draw: Draw) -> Any:
    logits, ids = scored(draw, 2, 4, 5, requires_grad=True)
    marked = padded(draw, (4, 2), 5, 1, "padded")
    return {
        "nothing ignored": draw.gradients(next_token_loss(logits, ids), logits=logits),
        "with padding": draw.gradients(next_token_loss(logits, marked, 1), logits=logits),
    }


@next_token_loss.probe("ignores an id that is not in the vocabulary, such as -100, and id 0 too", rung="edges")
def odd_ids(next_token_loss: Callable, draw: Draw) -> Any:
    logits = draw.tensor("logits", 3, 4, 6, scale=2)
    return {
        "-100": next_token_loss(logits, padded(draw, (4, 2, 3), 6, -100, "far"), -100),
        "0": next_token_loss(logits, padded(draw, (2, 4, 3), 6, 0, "zero"), ignore_id=0),
        "0 is not ignored unless it is said": next_token_loss(logits, padded(draw, (2, 4, 3), 6, 0, "zero")),
    }


@next_token_loss.probe(
    "gives 0 and a gradient of zeros where nothing is asked, and works for one row of two tokens and for large logits",
    rung="edges",
)
def loss_edges(next_token_loss: Callable, draw: Draw) -> Any:
    logits = draw.tensor("logits", 2, 3, 5, requires_grad=True)
    nothing = next_token_loss(logits, draw.keep("nothing", torch.full((2, 3), 4)), 4)
    ids = draw.integers("ids", 2, 3, high=5)
    nothing.backward()
    arrived = logits.grad
    return {
        "nothing asked": nothing,
        "the largest number of its gradient": torch.zeros(()) if arrived is None else arrived.abs().amax(),
        "one row of two tokens": next_token_loss(logits.detach()[:1, :2], ids[:1, :2]),
        "large logits": next_token_loss(300 * logits.detach(), ids),
    }


@next_token_loss.probe("raises a ValueError for rows of a single token", rung="invariants")
def refuses_single_tokens(next_token_loss: Callable, draw: Draw) -> Any:
    logits, ids = scored(draw, 2, 3, 5)
    next_token_loss(logits, ids)  # the blank stub must show as blank
    return raised(lambda: next_token_loss(logits[:, :1], ids[:, :1]))


# In the wild ----------------------------------------------------------------------------

article_loss = Exercise(
    "article_loss",
    points=2,
    repairs=next_token_loss,
    hints=(
        "Three things are wrong. Write three rows of four tokens on paper and follow one of them through the function.",
        "Which token is place 0 asked for, after the shift of the loader and the shift of the loss? Which token is the last place of a row asked for? And by how many is the sum divided, also where nothing counts?",
        "Shift once, and while the rows are still rows: `logits[:, :-1]` and `ids[:, 1:]`. Divide by the number of places that count, and by 1 where none does: 0 / 0 is NaN.",
    ),
)
