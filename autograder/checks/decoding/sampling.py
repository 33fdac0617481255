"""Checks of the distribution of the next token, and of drawing from it."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor

from autograder.checks.decoding.shared import raised
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

# next_token_probs ----------------------------------------------------------------------------

next_token_probs = Exercise(
    "next_token_probs",
    points=3,
    hints=(
        "Three changes to the distribution, one after the other, each only if it is asked for. What has been cut must have the probability 0, and what "
        "is left must sum to 1: a score of -inf before the softmax does both. For top_p that is not possible, because top_p works on probabilities.",
        "```python\n"
        "logits = ...          # by the temperature\n"
        "if top_k is not None:\n"
        "    smallest = ...    # the top_k-th score of every row: (..., 1)\n"
        "    logits = ...      # -inf where a score is smaller\n"
        "probs = ...           # softmax\n"
        "if top_p is not None:\n"
        "    ordered, tokens = ...  # sorted, largest first\n"
        "    before = ...      # what stands before each, added up\n"
        "    kept = ...        # 0 where that is top_p or more\n"
        "    probs = ...       # back into the order of the vocabulary, and by their sum\n"
        "return probs\n"
        "```",
        "`logits.topk(k).values[..., -1:]` is the k-th score, with k at most `logits.size(-1)`. `ordered.cumsum(dim=-1) - ordered` is, for each token, "
        "the sum of those before it. "
        "`torch.zeros_like(probs).scatter(-1, tokens, kept)` puts every number where its token stands.",
    ),
    traps={
        "RuntimeError: selected index k out of range": "top_k may be larger than the vocabulary; then nothing is cut: `min(top_k, logits.size(-1))`.",
        "RuntimeError: The size of tensor a (7) must match the size of tensor b (2) at non-singleton dimension 1": "a number for each row has lost its dimension. The k-th score keeps it with `[..., -1:]` instead of `[..., -1]`, a sum with `keepdim=True`.",
        "RuntimeError: scatter(): Expected dtype ... for index": "`scatter(-1, tokens, kept)`: the places come first, then the numbers.",
        "IndexError: Dimension out of range": "the logits may have any number of dimensions, one included. Count from the end: `dim=-1`.",
        "TypeError: '>' not supported between instances of 'NoneType' and 'int'": "`top_k` and `top_p` are None when nothing should be cut. Ask `if "
        "top_k is not None` first.",
        "AttributeError: 'torch.return_types.sort' object has no attribute": "`sort` and `topk` return two things, values and indices.",
    },
)


@next_token_probs.probe("is the softmax when nothing is asked for, and divides by the temperature")
def temperatures(next_token_probs: Callable, draw: Draw) -> Any:
    logits = draw.tensor("logits", 4, 6, scale=1.5)
    return {
        "as it is": next_token_probs(logits),
        "0.5": next_token_probs(logits, 0.5),
        "3": next_token_probs(logits, temperature=3.0),
    }


@next_token_probs.probe("keeps the top_k best of every row, and they sum to 1")
def best_few(next_token_probs: Callable, draw: Draw) -> Any:
    logits = draw.tensor("logits", 4, 7, scale=1.5, shift=2)
    return {str(k): next_token_probs(logits, top_k=k) for k in (1, 3, 6)}


@next_token_probs.probe("keeps the smallest set that has top_p, the token that crosses it included")
def nucleus(next_token_probs: Callable, draw: Draw) -> Any:
    logits = draw.tensor("logits", 6, 7, scale=1.5)
    return {str(p): next_token_probs(logits, top_p=p) for p in (0.3, 0.6, 0.9)}


@next_token_probs.probe("keeps no token more than needed where the sum is exactly top_p", rung="edges")
def exactly_met(next_token_probs: Callable, draw: Draw) -> Any:
    found = {}
    for equal, needed in ((4, 1), (4, 2), (8, 2), (8, 4)):  # quarters and eighths add up without rounding
        places = draw.tensor(f"{needed} of {equal}", 9).argsort()[:equal]
        # By way of logarithms a quarter may come out a little smaller, here or there, but not for all scores.
        scores = draw.tensor(f"scores, {needed} of {equal}", 24, 1, scale=4)
        logits = torch.full((24, 9), float("-inf")).index_copy(1, places, scores.expand(-1, equal))
        kept = (next_token_probs(logits, top_p=needed / equal) > 0).sum(dim=-1)
        # Which of them stay is free, and so is whether all that are equal to the last stay.
        least = int(kept.min())
        found[f"{equal} equal tokens, top_p {needed / equal}"] = needed if least == equal else least
    return found


@next_token_probs.probe("does them in order: temperature, top_k, top_p")
def all_three(next_token_probs: Callable, draw: Draw) -> Any:
    logits = draw.tensor("logits", 8, 9, scale=2)
    return {
        "flatter": next_token_probs(logits, 2.5, 5, 0.7),
        "sharper": next_token_probs(logits, 0.6, 4, 0.85),
        "temperature and top_k": next_token_probs(logits, temperature=2.0, top_k=3),
        "temperature and top_p": next_token_probs(logits, temperature=2.0, top_p=0.6),
    }


@next_token_probs.probe("takes any leading dimensions, none included", rung="edges")
def any_shape(next_token_probs: Callable, draw: Draw) -> Any:
    return {
        "one row": next_token_probs(draw.tensor("one", 6, scale=2), 1.5, 4, 0.8),
        "a batch of one": next_token_probs(draw.tensor("alone", 1, 6, scale=2), 1.5, 4, 0.8),
        "three dimensions": next_token_probs(draw.tensor("many", 2, 3, 6, scale=2), 1.5, 4, 0.8),
        "not contiguous": next_token_probs(draw.tensor("turned", 6, 4, scale=2).T, 1.5, 4, 0.8),
        "one token": next_token_probs(draw.tensor("single", 3, 1), 0.7, 1, 0.5),
    }


@next_token_probs.probe(
    "cuts nothing for a top_k above the vocabulary and for top_p=1, and can cut all but one", rung="edges"
)
def ends_of_the_ranges(next_token_probs: Callable, draw: Draw) -> Any:
    logits, many = draw.tensor("logits", 3, 5), draw.tensor("many", 64, 5)  # of many, some add up to more than 1
    return {
        "top_k 50": next_token_probs(logits, top_k=50),
        "top_p 1": next_token_probs(many, top_p=1.0),
        "top_p 0.001": next_token_probs(logits, top_p=0.001),
        "temperature 0.001": next_token_probs(draw.tensor("far apart", 3, 5, scale=4), temperature=0.001),
    }


@next_token_probs.probe("counts equal scores one by one, and keeps top_k at least where scores tie", rung="edges")
def equal_scores(next_token_probs: Callable, draw: Draw) -> Any:
    order = torch.stack([draw.tensor(f"order {row}", 6).argsort() for row in range(2)])
    above, last = (
        torch.tensor(row)[order] for row in ([3.0, 3.0, 1.5, 0.5, -1.0, -1.0], [3.0, 1.0, 1.0, 1.0, 0.0, 0.0])
    )
    tied = next_token_probs(last, top_k=2)
    left = tied > 0
    return {
        "no tie for the third place": next_token_probs(above, top_k=3),
        "a tie for the second place": {  # which of them stay is free, and whether all do
            "two or more stay": left.sum(dim=-1) >= 2,
            "the best stays": left[last == 3],
            "lower ones stay": left[last == 0],
            "sum": tied.sum(dim=-1),
        },
    }


@next_token_probs.probe("leaves out tokens whose score is -inf, and stays finite for large scores", rung="edges")
def unusual_scores(next_token_probs: Callable, draw: Draw) -> Any:
    never = draw.keep("never", draw.tensor("logits", 3, 6).masked_fill(torch.arange(6) % 3 == 1, float("-inf")))
    return {
        "-inf": next_token_probs(never, 2.0, top_p=0.6),  # four tokens are left: the last is cut
        "-inf among the top_k": next_token_probs(never, 2.0, top_k=5),
        "large": next_token_probs(draw.tensor("large", 3, 6, scale=300), top_k=4, top_p=0.9),
        "far below 0": next_token_probs(draw.tensor("low", 3, 6, shift=-2000), top_k=3),
    }


@next_token_probs.probe("raises a ValueError for a temperature of 0 or below", rung="invariants")
def refuses_temperatures(next_token_probs: Callable, draw: Draw) -> Any:
    logits = draw.tensor("logits", 2, 5)
    next_token_probs(logits)  # the blank stub must show as blank
    return {str(one): raised(partial(next_token_probs, logits, one)) for one in (0.0, -1.0, 0)}


@next_token_probs.probe(
    "raises a ValueError for a top_k below 1, and for a top_p of 0, below or above 1", rung="invariants"
)
def refuses_shares(next_token_probs: Callable, draw: Draw) -> Any:
    logits = draw.tensor("logits", 2, 5)
    next_token_probs(logits)  # as above
    return {
        "top_k 0": raised(lambda: next_token_probs(logits, top_k=0)),
        "top_k -2": raised(lambda: next_token_probs(logits, top_k=-2)),
        "top_p 0": raised(lambda: next_token_probs(logits, top_p=0.0)),
        "top_p -0.5": raised(lambda: next_token_probs(logits, top_p=-0.5)),
        "top_p 1.5": raised(lambda: next_token_probs(logits, top_p=1.5)),
    }


# sample_next ----------------------------------------------------------------------------

sample_next = Exercise(
    "sample_next",
    points=1,
    draws=True,
    hints=(
        "`next_token_probs` makes the distribution; pass it all settings. Then draw from it, once for every row.",
        "```python\nprobs = ...  # (batch, vocab_size)\ntokens = ...  # torch.multinomial draws from every row: (batch, 1)\nreturn ...   # (batch,)\n```",
        "`torch.multinomial(probs, 1, generator=generator)` draws one token for every row, by the numbers of the generator. `.squeeze(1)` takes the second dimension away.",
    ),
    traps={
        "RuntimeError: probability tensor contains either `inf`, `nan` or element < 0": "`multinomial` needs probabilities, and was given scores or "
        "logarithms.",
        "RuntimeError: prob_dist must be 1 or 2 dim": "`sample_next` is given a row for every text. Are these the model's scores of all places, with "
        "three dimensions? Only the last place counts.",
        "TypeError: multinomial() received an invalid combination of arguments": "`torch.multinomial(probs, 1, generator=generator)`: how many to draw comes second, and the generator needs its name.",
    },
)  # fmt: skip

TENTHS, QUARTERS = (10, 5000), (4, 800)
"""In which parts of all times shares are told, and how often a row is drawn from for it. Every probability drawn from
is a whole number of such parts. So a right implementation is off only when a share is half a part from its
probability, which by Hoeffding's inequality happens with a chance of at most 2 exp(-2 · 5000 · 0.05²) = 3e-11, for
quarters 2 exp(-2 · 800 · 0.125²). A check looks at fewer than 300 shares on its three draws, in all implementations
together: one false alarm in 100 million checks. Quarters will do for the settings: who loops over the rows waits."""

SURE_ROWS = 600
"""How many rows have one sure token, beside those that are counted: so many that a draw from all rows together gives
shares that lie at least 0.025 from where tenths are rounded. So do the squares and the roots of the probabilities."""

NEVER = -200.0
"""A score beside which all others are 0."""

CUT: dict[str, Any] = {"first": 0.65, "rest": 9}
"""What top_k and top_p leave, and how much they cut: so that the shares of a listed mistake, too, lie at least 0.02
from where quarters are rounded, and no other way of drawing gives the same."""


def drawn_from(draw: Draw, probabilities: list[float], *, first: float = 1.0, rest: int = 0) -> Tensor:
    """Logits of one row: these probabilities, after which come smaller ones, in drawn order.

    Args:
        draw: where order and shift come from.
        probabilities: of the first tokens.
        first: what they have together.
        rest: how many tokens share what is left; where nothing is left, they are never drawn.
    """
    scores = [math.log(first * one) for one in probabilities]
    scores += [math.log((1 - first) / rest) if first < 1 else NEVER] * rest
    return torch.tensor(scores)[draw.tensor("order", len(scores)).argsort()] + draw.tensor("shift", 1)


def shares(sample_next: Callable, row: Tensor, **settings: Any) -> Any:
    """How often each token of a row is drawn, in quarters of all times, and whether at all."""
    parts, times = QUARTERS
    tokens = sample_next(row.repeat(times, 1), **settings)
    return in_parts(tokens, len(row), parts) if is_one_each(tokens, times) else of_a_wrong_form(tokens, times)


def in_parts(tokens: Tensor, vocab_size: int, parts: int) -> dict[str, Tensor]:
    """The same of tokens that were drawn."""
    counts = tokens.bincount(minlength=vocab_size)
    return {"in parts": (parts * counts / len(tokens)).round().long(), "drawn at all": counts > 0}


def is_one_each(tokens: Any, rows: int) -> bool:
    """Whether this is a token for every row."""
    return isinstance(tokens, Tensor) and tokens.shape == (rows,) and not tokens.is_floating_point()


def of_a_wrong_form(tokens: Any, rows: int) -> Any:
    """What is told of it: how often each number was drawn depends on how, and says nothing about it."""
    if isinstance(tokens, list):
        return [type(one).__name__ for one in tokens[:8]]
    if isinstance(tokens, Tensor) and tokens.numel() == rows:
        drawn = tokens.flatten().clamp(0, 19).round().long()
        return {"form": torch.zeros_like(tokens[:8]), "drawn at all": drawn.bincount(minlength=20) > 0}
    return torch.zeros_like(tokens[:8]) if isinstance(tokens, Tensor) else tokens


@sample_next.probe("draws every token as often as it is probable, each row by itself (in tenths, of 5,000 draws)")
def as_probable(sample_next: Callable, draw: Draw) -> Any:
    row = drawn_from(draw, [0.7, 0.2, 0.1], rest=1)
    sure = int(row.argmin())
    other = torch.full_like(row, NEVER).index_fill(0, torch.tensor(sure), 0.0)
    parts, times = TENTHS
    tokens = sample_next(torch.cat([row.repeat(times, 1), other.repeat(SURE_ROWS, 1)]))
    if not is_one_each(tokens, times + SURE_ROWS):
        return of_a_wrong_form(tokens, times + SURE_ROWS)
    is_sure = bool((tokens[times:] == sure).all())
    return {**in_parts(tokens[:times], len(row), parts), "where one token is sure, that one": is_sure}


@sample_next.probe("uses the temperature (in quarters, of 800 draws)")
def with_temperature(sample_next: Callable, draw: Draw) -> Any:
    return shares(sample_next, 4 * drawn_from(draw, [0.75, 0.25], rest=10), temperature=4.0)


@sample_next.probe("uses top_k (in quarters, of 800 draws)")
def with_top_k(sample_next: Callable, draw: Draw) -> Any:
    return shares(sample_next, drawn_from(draw, [0.75, 0.25], **CUT), top_k=2)


@sample_next.probe("uses top_p (in quarters, of 800 draws)")
def with_top_p(sample_next: Callable, draw: Draw) -> Any:
    row = drawn_from(draw, [0.75, 0.25], **CUT)
    return shares(lambda logits: sample_next(logits, 1.0, None, 0.55), row)


@sample_next.probe("uses all settings at once (which tokens are among 400 draws)")
def with_all_settings(sample_next: Callable, draw: Draw) -> Any:
    # Two tokens are left. Without top_p it were three, without top_k six, and without the temperature one.
    row = 2 * drawn_from(draw, [0.75, 0.25, 0.2, 0.19, 0.188, 0.186, 0.184, 0.182])
    tokens = sample_next(row.repeat(400, 1), 2.0, 3, 0.8)
    return tokens.bincount(minlength=len(row)) > 0 if is_one_each(tokens, 400) else of_a_wrong_form(tokens, 400)


@sample_next.probe("gives one token for every row, and for a row of which one token is sure that token", rung="edges")
def sure_rows(sample_next: Callable, draw: Draw) -> Any:
    sure = draw.integers("sure", 5, high=7)
    logits = draw.tensor("logits", 5, 7) + 200.0 * (torch.arange(7) == sure[:, None])
    return {
        "five rows": sample_next(logits),
        "one row": sample_next(logits[:1]),
        "one token": sample_next(logits[:, :1]),
    }


def drawn_alone(sample_next: Callable, row: Tensor, torchs: int) -> list[int]:
    """What one row gives time after time with a generator, whatever torch's own stands at."""
    torch.default_generator.manual_seed(torchs)
    generator = torch.Generator().manual_seed(1)
    return [int(sample_next(row, generator=generator)) for _ in range(20)]


@sample_next.probe("takes its random numbers from the generator, and from torch's own if there is none", rung="edges")
def generators(sample_next: Callable, draw: Draw) -> Any:
    logits = draw.tensor("logits", 60, 8)

    def drawn(own: int | None, torchs: int) -> list[int]:
        generator = None if own is None else torch.Generator().manual_seed(own)
        torch.default_generator.manual_seed(torchs)
        return [int(one) for one in sample_next(logits, generator=generator).flatten()]

    first, again, other = drawn(1, 5), drawn(1, 6), drawn(2, 5)
    without, without_again, without_other = drawn(None, 5), drawn(None, 5), drawn(None, 6)
    one = torch.Generator().manual_seed(1)
    twice = [sample_next(logits, generator=one).tolist() for _ in range(2)]
    single = [drawn_alone(sample_next, logits[:1], torchs) for torchs in (5, 6)]
    return {
        "the same generator, the same tokens": first == again,
        "another generator, the same tokens": first == other,
        "no generator, the same seed, the same tokens": without == without_again,
        "no generator, another seed, the same tokens": without == without_other,
        "one generator twice, the same tokens": twice[0] == twice[1],
        "the same generator, the same tokens for a single row": single[0] == single[1],
    }


@sample_next.probe("raises a ValueError for no row, and for settings that make no distribution", rung="invariants")
def refuses_to_draw(sample_next: Callable, draw: Draw) -> Any:
    logits = draw.tensor("logits", 2, 5)
    sample_next(logits)  # the blank stub must show as blank
    return {
        "no row": raised(lambda: sample_next(logits[:0])),
        "temperature 0": raised(lambda: sample_next(logits, 0.0)),
        "top_p 0": raised(lambda: sample_next(logits, top_p=0.0)),
    }
