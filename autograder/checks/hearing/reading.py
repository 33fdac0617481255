"""Checks of reading a text off the CTC head: ctc_greedy."""

from collections.abc import Callable
from numbers import Integral
from typing import Any

import torch
from torch import Tensor

from autograder.checks.hearing.shared import VOCAB, mask_of
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

ctc_greedy = Exercise(
    "ctc_greedy",
    points=2,
    hints=(
        "Two rules, and their order matters: a a _ a is a text of two. Which of the two has to be done first, so that the blank can keep them apart?",
        "```python\ntexts = []\nfor best, real in zip(..., mask):  # sound by sound\n    ...  # the likeliest tokens of the real vectors\n    ...  # of those that repeat without a break, one\n    ...  # without the blanks\nreturn texts\n```",
        "`best[real]` keeps the real vectors, `torch.unique_consecutive(...)` merges repeats and leaves the order alone, `[token for token in merged.tolist() if token != blank]` drops the blanks.",
    ),
    traps={
        "TypeError: unhashable type: 'list'": "`log_probs` is a batch: go through the sounds one by one.",
        "IndexError: list index out of range": "a sound may have no real vector at all; then its text is empty.",
    },
)


def scores_of(draw: Draw, rows: list[list[int]], vocab: int, name: str = "scores") -> Tensor:
    """Scores whose largest are these tokens."""
    width = max(len(row) for row in rows)
    best = torch.tensor([[*row, *[0] * (width - len(row))] for row in rows])
    drawn = draw.tensor(f"{name} drawn", *best.shape, vocab)
    return draw.keep(name, (drawn + 9 * torch.nn.functional.one_hot(best, vocab)).log_softmax(dim=-1))


def drawn_paths(draw: Draw, blank: int, rows: int, length: int, name: str = "paths") -> list[list[int]]:
    """Few different tokens, so that many repeat; and five rows that hold every case, whatever was drawn."""
    low, high = [(blank + step) % VOCAB for step in (2, 4)]
    some = draw.integers(f"{name} chosen", rows, length, high=3).tolist()
    b, fixed = blank, [low, low, blank, low, high, high, blank, blank, low, low]
    paths = [[(low, high, blank)[one] for one in row] for row in some]
    paths += [fixed, [b, b, *fixed[:8]], [*fixed[2:8], b, high, high, low]]
    # a text that begins with what the one before ended with, and one whose first token is 0 unless that is the blank
    return [*paths, [low, *fixed[2:8], high, b, low], [0, 0, *fixed[2:8], 0, high]]


def texts_of(ctc_greedy: Callable, scores: Tensor, mask: Tensor, blank: int) -> Any:
    """The texts that are read, with whole numbers of any kind, numpy's too, as Python's."""
    found = ctc_greedy(scores, mask, blank)
    if not isinstance(found, list):
        return found
    return [[plain(token) for token in text] if isinstance(text, list | tuple) else plain(text) for text in found]


def plain(token: Any) -> Any:
    return int(token) if isinstance(token, Integral) else token


@ctc_greedy.probe("takes the likeliest tokens, merges those that repeat, and then drops the blanks")
def whole_paths(ctc_greedy: Callable, draw: Draw) -> Any:
    found = {}
    for blank in (0, 3):
        paths = drawn_paths(draw, blank, 2, 10, f"blank {blank}")
        scores = scores_of(draw, paths, VOCAB, f"scores {blank}")
        found[f"blank {blank}"] = texts_of(ctc_greedy, scores, mask_of(draw, *[10] * 7, name=f"mask {blank}"), blank)
    return found


@ctc_greedy.probe("does not read the padding")
def padded_paths(ctc_greedy: Callable, draw: Draw) -> Any:
    rows = [[5, 5, 2, 4, 4, VOCAB - 1], [4, 2, 2, 5, 2, 7], [6, 2, 6, 6, 5, 5]]
    return texts_of(ctc_greedy, scores_of(draw, rows, VOCAB), mask_of(draw, 6, 3, 4), 2)


@ctc_greedy.probe("gives an empty text where all is blank or padding, and none where there is no sound", rung="edges")
def path_edges(ctc_greedy: Callable, draw: Draw) -> Any:
    scores = scores_of(draw, [[2, 2, 2], [5, 5, 6], [7, 7, 7]], VOCAB)
    mask = mask_of(draw, 3, 0, 1)
    faint = draw.keep("faint", (scores_of(draw, [[4, 6, 2, 6]], VOCAB, "clear") / 20).log_softmax(dim=-1))
    return {
        "blanks, padding, one token": texts_of(ctc_greedy, scores, mask, 2),
        "nothing is likely": texts_of(ctc_greedy, faint, mask_of(draw, 4, name="four"), 2),
        "no sound": texts_of(ctc_greedy, scores[:0], mask[:0], 2),
        "300 tokens": texts_of(
            ctc_greedy, scores_of(draw, [[280, 280, 299, 280, 4]], 300, "many"), mask_of(draw, 5, name="five"), 299
        ),
    }
