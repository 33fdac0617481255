"""Room 6: a number that is compared with a part of itself, so that nothing is ever hidden."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.probing.lineup import line_up, own_or, right, wrong
from autograder.stand_ins import in_the_wild as stand_ins

hide_tokens = Exercise(
    "hide_tokens",
    points=2,
    wild=True,
    draws=True,
    hints=(
        "For which numbers between 0 and 1 is `chance < chance * 0.8` true?",
        "```python\nchosen = chance < 0.15\nhidden = chance < ...            # the first 80 % of the way to 0.15\nanother = ... & (chance < ...)   # up to 90 % of it\n```",
        "`chance < 0.15 * 0.8` and `chance < 0.15 * 0.9`: the same number decides who is chosen and what becomes of it.",
    ),
    traps={
        "RuntimeError: shape mismatch: value tensor of shape [...] cannot be broadcast to indexing result of shape [...]": "draw as many tokens as there are places to be filled, or draw for all places and choose with `torch.where`.",
    },
)

shows_nothing_hidden = Exercise(
    "shows_nothing_hidden",
    points=3,
    shows=hide_tokens,
    hints=(
        "The docstring of `hide_tokens` names four shares. Each can be counted in what comes back, if there are enough tokens. How many do you need so that 10 % of 15 % is known to a tenth of itself?",
        "```python\nids = ...                            # 20,000 or so, without mask_id among them\nbefore = ...\ninputs, labels = implementation(ids, mask_id, vocab_size)\nchosen = ...                         # by the labels\n...                                  # their share; the shares of hidden, other, same among them\n...                                  # the labels; what is not chosen; ids themselves; which tokens are drawn\n```",
        "With 20,000 ids, 3,000 are chosen, and the share of the hidden ones is off by 0.007: ask for 0.76 to 0.84. Do not forget that the drawn tokens come from the *whole* vocabulary, each for itself: count how many different ones there are.",
    ),
    traps={
        "TypeError: implementation() missing ... required positional ...": "an implementation is called as `hide_tokens` is: `implementation(ids, mask_id, vocab_size)`.",
        "RuntimeError: min(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.": "where nothing is chosen, or no other token is drawn, there is nothing to take a minimum of: look at the shares first.",
        "ZeroDivisionError: division by zero": "where nothing is chosen there is no share of the chosen ones: look at how many there are first.",
    },
)


def to_a(step: float, value: Tensor) -> float:
    """A share, to the nearest step: chance moves it by less."""
    return round(round(float(value) / step) * step, 2)


def shares(hide_tokens: Callable, draw: Draw, mask_id: int, low: int = 0) -> dict[str, Any]:
    """What becomes of 40,000 tokens."""
    ids = draw.integers("ids", 200, 200, low=low, high=1000)
    before = ids.clone()
    inputs, labels = hide_tokens(ids, mask_id, 1000)
    chosen = labels != -100
    kept, hidden = (inputs == before)[chosen], (inputs == mask_id)[chosen]
    return {
        "chosen": to_a(0.05, chosen.float().mean()),
        "hidden": to_a(0.1, hidden.float().mean().nan_to_num()),
        "another": to_a(0.05, (~kept & ~hidden).float().mean().nan_to_num()),
        "more than 100 different ones": len(inputs[chosen][~kept & ~hidden].unique()) > 100,
        "the same": to_a(0.05, kept.float().mean().nan_to_num()),
        "label is the token": bool((labels[chosen] == before[chosen]).all()),
        "the rest is as it was": bool((inputs == before)[~chosen].all()),
    }


@hide_tokens.probe("chooses 15 %, and hides, exchanges and keeps 80, 10 and 10 % of these")
def four_shares(hide_tokens: Callable, draw: Draw) -> Any:
    return shares(hide_tokens, draw, mask_id=1000)


@hide_tokens.probe("does so with any id for the one that hides, 0 as well")
def another_mask(hide_tokens: Callable, draw: Draw) -> Any:
    return shares(hide_tokens, draw, mask_id=0, low=1)


@hide_tokens.probe("draws from the whole vocabulary, each token for itself")
def drawn(hide_tokens: Callable, draw: Draw) -> Any:
    ids = torch.full((200, 200), 77)
    inputs, _ = hide_tokens(draw.keep("ids", ids), 5, 100)
    found = inputs[(inputs != 77) & (inputs != 5)]
    wide = bool((found < 10).any() and (found > 89).any())
    few, _ = hide_tokens(draw.keep("few", torch.full((200, 200), 7)), 10, 10)
    return {
        "the first and the last of ten": bool((few == 0).any() and (few == 9).any()),
        "different tokens of 100, to the nearest ten": 10 * round(len(found.unique()) / 10),
        "low ones and high ones": wide,
    }


@hide_tokens.probe("chooses others each time, and in each row others", rung="invariants")
def chance(hide_tokens: Callable, draw: Draw) -> Any:
    ids = draw.integers("ids", 4, 200, high=50)
    first, second = (hide_tokens(ids, 50, 50)[1] != -100 for _ in range(2))
    return {"the same twice": torch.equal(first, second), "the same in two rows": torch.equal(first[0], first[1])}


@hide_tokens.probe("works for one token, and gives whole numbers", rung="edges")
def one_token(hide_tokens: Callable, draw: Draw) -> Any:
    inputs, labels = hide_tokens(draw.integers("ids", 1, 1, high=5), 5, 5)
    return [list(inputs.shape), list(labels.shape), str(inputs.dtype), str(labels.dtype)]


# Implementations that everybody may see ------------------------------------------------------


@right("is written on torch.nn")
def stand_in(ids: Tensor, mask_id: int, vocab_size: int) -> tuple[Tensor, Tensor]:
    """As in the stand-ins."""
    return stand_ins.hide_tokens(ids, mask_id, vocab_size)


@right("is your own repair, once it has passed in this kernel")
def your_repair(ids: Tensor, mask_id: int, vocab_size: int) -> tuple[Tensor, Tensor]:
    """The stand-in until then."""
    made: tuple[Tensor, Tensor] = own_or(stand_ins.hide_tokens)(ids, mask_id, vocab_size)
    return made


def chosen_and_labels(ids: Tensor) -> tuple[Tensor, Tensor]:
    """15 % of the places, and their labels."""
    picked = torch.rand(ids.shape) < 0.15
    return picked, torch.where(picked, ids, -100)


@wrong("the page shows", mistake="nothing is hidden")
def as_shown(ids: Tensor, mask_id: int, vocab_size: int) -> tuple[Tensor, Tensor]:
    """A number below 0.8 of itself."""
    number = torch.rand(ids.shape)
    picked = number < 0.15
    hidden = picked & (number < number * 0.8)
    other = picked & ~hidden & (number < number * 0.9)
    inputs = torch.where(hidden, mask_id, torch.where(other, torch.randint(vocab_size, ids.shape), ids))
    return inputs, torch.where(picked, ids, -100)


@wrong("hides all that it chooses", mistake="everything chosen is hidden", kin=True)
def all_hidden(ids: Tensor, mask_id: int, vocab_size: int) -> tuple[Tensor, Tensor]:
    """No random token, none that stays."""
    picked, labels = chosen_and_labels(ids)
    return torch.where(picked, mask_id, ids), labels


@wrong("asks for every token, not for the chosen ones", mistake="labels everywhere")
def labels_everywhere(ids: Tensor, mask_id: int, vocab_size: int) -> tuple[Tensor, Tensor]:
    """The input is right."""
    number = torch.rand(ids.shape)
    inputs = torch.where(number < 0.12, mask_id, ids)
    other = (number >= 0.12) & (number < 0.135)
    return torch.where(other, torch.randint(vocab_size, ids.shape), inputs), ids.clone()


@wrong("draws one random token for all places", mistake="one token drawn for all", kin=True)
def one_for_all(ids: Tensor, mask_id: int, vocab_size: int) -> tuple[Tensor, Tensor]:
    """A single draw."""
    number = torch.rand(ids.shape)
    inputs = torch.where(number < 0.12, mask_id, ids)
    other = (number >= 0.12) & (number < 0.135)
    inputs[other] = int(torch.randint(vocab_size, ()))
    return inputs, torch.where(number < 0.15, ids, -100)


line_up(shows_nothing_hidden, "nothing_hidden")
