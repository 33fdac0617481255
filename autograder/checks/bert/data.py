"""Checks of taking tokens out of texts, and a repair."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.checks.bert.shared import shuffled, uniform
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

# mask_tokens ----------------------------------------------------------------------------

mask_tokens = Exercise(
    "mask_tokens",
    points=3,
    hints=(
        "Two questions about every token, one after the other: is it asked for? And if so, what stands in its place? The first has an answer of True or False; write it as one Boolean tensor, and use it everywhere.",
        "```python\nasked = ...   # maskable, and chosen is below 0.15\nlabels = ...  # the ids where asked, -100 elsewhere\ninputs = ...  # mask_id where asked and fate is below 0.8, the ids elsewhere\ninputs = ...  # the replacement where asked and fate is from 0.8 to below 0.9, and else what stood there\nreturn ...\n```",
        "`torch.where(condition, this, that)` gives a new tensor. `asked = maskable & (chosen < 0.15)`; `labels = torch.where(asked, ids, -100)`; the second fate is `asked & (fate >= 0.8) & (fate < 0.9)`. The brackets are needed: `&` binds more tightly than `<`.",
    ),
    traps={
        "RuntimeError: Boolean value of Tensor with more than one value is ambiguous": "`and`, `or`, `if` and `0.8 <= fate < 0.9` want a single truth. For tensors write `(fate >= 0.8) & (fate < 0.9)`.",
        "ValueError: The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()": "`and`, `or` and `if` want a single truth. For tensors write `(fate >= 0.8) & (fate < 0.9)`.",
        "NotImplementedError: \"bitwise_and_cpu\" not implemented for 'Float'": "`&` binds more tightly than `<`: `a & b < 0.15` means `(a & b) < 0.15`. Put brackets around each comparison.",
        "RuntimeError: \"bitwise_and_cpu\" not implemented for 'Float'": "`&` binds more tightly than `<`: `a & b < 0.15` means `(a & b) < 0.15`. Put brackets around each comparison.",
        "RuntimeError: \"bitwise_and_cpu\" not implemented for 'Double'": "`&` binds more tightly than `<`: `a & b < 0.15` means `(a & b) < 0.15`. Put brackets around each comparison.",
        "RuntimeError: shape mismatch: value tensor of shape [...] cannot be broadcast to indexing result of shape [...]": "on the left stand the places of a mask, on the right the whole tensor. Take the same places there: `inputs[swapped] = replacement[swapped]`.",
    },
)

MASK = 4
"""The id of [MASK] in the checks."""

CHOSEN = (0.0, 0.12, 0.135, 0.15, 0.2, 0.85, 1.0)
FATES = (0.0, 0.1, 0.5, 0.8, 0.9, 1.0)


def between(draw: Draw, name: str, kinds: Tensor, borders: Sequence[float]) -> Tensor:
    """A draw between two neighbouring borders, for each of these kinds."""
    share = 0.02 + 0.96 * uniform(draw, f"{name}, share", *kinds.shape)
    low = torch.tensor(borders)
    return draw.keep(name, low[kinds] + share * (low[kinds + 1] - low[kinds]))


def lots(draw: Draw, *shape: int) -> dict[str, Tensor]:
    """Texts and draws: every combination of what can befall a token occurs once in sixty."""
    count = int(torch.Size(shape).numel())
    kinds = (shuffled(draw, "kinds", count) % 60).reshape(shape)
    ids = draw.keep("ids", (shuffled(draw, "ids", count) + 10).reshape(shape))
    other = draw.keep("replacement", (shuffled(draw, "replacement", count) + 10 + count).reshape(shape))
    return {
        "ids": ids,
        "maskable": draw.keep("maskable", kinds // 30 == 0),
        "chosen": between(draw, "chosen", kinds % 30 // 5, CHOSEN),
        "fate": between(draw, "fate", kinds % 5, FATES),
        "replacement": other,
    }


def masked(mask_tokens: Callable, given: dict[str, Tensor], mask_id: int = MASK) -> Any:
    """What comes of it."""
    order = (given["ids"], given["maskable"], mask_id, given["chosen"], given["fate"], given["replacement"])
    return mask_tokens(*order)


@mask_tokens.probe("asks for 15 % of what may be asked for; [MASK], another token or the token itself stands there")
def all_that_can_befall(mask_tokens: Callable, draw: Draw) -> Any:
    return masked(mask_tokens, lots(draw, 4, 15))


@mask_tokens.probe("treats every token by its own draws, whichever row it stands in", rung="invariants")
def own_draws(mask_tokens: Callable, draw: Draw) -> Any:
    given = lots(draw, 6, 10)
    order = shuffled(draw, "order", 6)
    mixed = {name: draw.keep(f"mixed {name}", value[order]) for name, value in given.items()}
    return masked(mask_tokens, mixed)


@mask_tokens.probe(
    "works where nothing may be asked for, where everything is, and where the replacement is the token itself",
    rung="edges",
)
def all_or_nothing(mask_tokens: Callable, draw: Draw) -> Any:
    given = lots(draw, 3, 20)
    nobody = draw.keep("nobody", torch.zeros(3, 20, dtype=torch.bool))
    everybody = draw.keep("everybody", torch.ones(3, 20, dtype=torch.bool))
    low = draw.keep("low", 0.14 * given["chosen"])
    masked_before = draw.keep("one is [MASK]", given["ids"].where(given["ids"] != 12, MASK))
    return {
        "nothing may be asked for": masked(mask_tokens, given | {"maskable": nobody}),
        "everything is asked for, a [MASK] too": masked(
            mask_tokens, given | {"maskable": everybody, "chosen": low, "ids": masked_before}
        ),
        "the replacement is the token": masked(mask_tokens, given | {"replacement": given["ids"], "chosen": low}),
    }


@mask_tokens.probe("counts a draw that lies on a border to what is above it", rung="edges", float64=True)
def on_the_border(mask_tokens: Callable, draw: Draw) -> Any:
    given = lots(draw, 1, 60)
    yes = torch.ones(1, 60, dtype=torch.bool)
    fates = torch.tensor([0.0, 0.8, 0.9, 0.79, 0.89, 0.76, 0.86, 0.83, 0.93, 0.5]).repeat(6)[None]
    borders = draw.keep("fate on a border", fates)
    low, at = draw.keep("low", 0.1 * given["chosen"]), draw.keep("at", torch.full((1, 60), 0.15))
    shares = torch.tensor([0.12, 0.17, 0.09, 0.22, 0.32, 0.55, 0.82, 0.87, 0.14, 0.19]).repeat(6)[None]
    around = draw.keep("around", shares)
    return {
        "fate is 0, 0.8 or 0.9, or near that": masked(
            mask_tokens, given | {"maskable": yes, "chosen": low, "fate": borders}
        ),
        "chosen is 0.15": masked(mask_tokens, given | {"maskable": yes, "chosen": at}),
        "chosen is less or more": masked(mask_tokens, given | {"maskable": yes, "chosen": around}),
    }


@mask_tokens.probe(
    "works for one text without a batch, for three dimensions, for a single token, for id 0, and on memory that is not contiguous",
    rung="edges",
)
def other_shapes(mask_tokens: Callable, draw: Draw) -> Any:
    given = lots(draw, 3, 4, 5)
    sure = {"maskable": torch.ones(1, 1, dtype=torch.bool), "ids": torch.tensor([[0]])}
    single = {name: value[0, :1, :1] for name, value in given.items()} | sure
    return {
        "one text": masked(mask_tokens, {name: value.flatten() for name, value in given.items()}),
        "three dimensions": masked(mask_tokens, given),
        "one token, and its id is 0": masked(
            mask_tokens, single | {"chosen": torch.tensor([[0.05]]), "fate": torch.tensor([[0.3]])}
        ),
        "not contiguous": masked(mask_tokens, {name: value.transpose(0, 2) for name, value in given.items()}),
        "[MASK] is 0, and a text begins with it": masked(
            mask_tokens, given | {"ids": draw.keep("ids from 0", given["ids"] - 10)}, mask_id=0
        ),
    }


@mask_tokens.probe(
    "gives ids and labels of the kind of number that `ids` has, int64, as a loss needs", rung="invariants"
)
def kinds_of_numbers(mask_tokens: Callable, draw: Draw) -> Any:
    inputs, labels = masked(mask_tokens, lots(draw, 1, 60))
    return {"inputs": str(inputs.dtype), "labels": str(labels.dtype)}


# In the wild ----------------------------------------------------------------------------

article_masking = Exercise(
    "article_masking",
    points=2,
    repairs=mask_tokens,
    hints=(
        "Two things are wrong. Put numbers into the comparisons: is 0.3 below 0.3 · 0.8? And which of the labels will `F.cross_entropy` pass over?",
        "A draw is compared with a share of *itself*. And the labels are those of every token, also where nothing is asked.",
        "Compare with the shares: `fate < 0.8`, `fate < 0.9`. `labels = torch.where(asked, ids, -100)`.",
    ),
)
