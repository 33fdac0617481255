"""Checks of searching without a network, and of making one ranking of several: tf_idf and fuse."""

from collections.abc import Callable
from numbers import Integral
from typing import Any

from autograder.checks.decoding.shared import raised
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

# tf_idf ----------------------------------------------------------------------------

tf_idf = Exercise(
    "tf_idf",
    points=3,
    stretch=True,
    forbidden=("sklearn",),
    hints=(
        "Three texts, `a a b`, `a c`, `a`. Which term says most about which text, and which says nothing? The formula has n = 3, and a number d for each term.",
        "```python\ncounts = ...      # zeros of (texts, terms); add what each text has, if the vocabulary has it\ntexts_with = ...  # in how many texts each term stands, (terms,)\nweights = ...     # 1 + ln((1 + n) / (1 + d))\nreturn ...        # counts · weights, each row by its length\n```",
        "`counts[row, column[term]] += 1` for the terms in `column`; `(counts > 0).sum(dim=0)`; `1 + torch.log((1 + len(texts)) / (1 + texts_with))`; `F.normalize(counts * weights, dim=1)` leaves a row of zeros as it is.",
    ),
    traps={
        "KeyError: ...": "a term that is not in the vocabulary is passed over: `if term in column`.",
        "ZeroDivisionError: division by zero": "a text without a known term has length 0, and stays a row of zeros.",
        "TypeError: log(): argument 'input' (position 1) must be Tensor, not ...": "`torch.log` wants a tensor, `math.log` a number.",
    },
)

TERMS = ("ab", "b", "cab", "aa", "c")  # some stand inside of others, as runs of characters do


def lists(draw: Draw, *lengths: int, terms: tuple[str, ...] = TERMS) -> list[list[str]]:
    """Texts of these numbers of terms; the first terms are frequent."""
    found = []
    for number, length in enumerate(lengths):
        one, other = (draw.integers(f"{number} {name}", length, high=len(terms)) for name in ("one", "other"))
        found.append([terms[place] for place in one.minimum(other).tolist()])
    return found


@tf_idf.probe("weighs the counts by how rare a term is, in rows of length 1", float64=True)
def weighed(tf_idf: Callable, draw: Draw) -> Any:
    return tf_idf(lists(draw, 6, 3, 5, 8), TERMS)


@tf_idf.probe("does so for other texts, and a vocabulary in another order", float64=True)
def weighed_otherwise(tf_idf: Callable, draw: Draw) -> Any:
    return tf_idf(lists(draw, 2, 9, 4, 4, 1, 7), tuple(reversed(TERMS)))


@tf_idf.probe(
    "passes over terms that the vocabulary does not have, and gives terms that no text has a column", float64=True
)
def other_terms(tf_idf: Callable, draw: Draw) -> Any:
    return tf_idf([["zz", *one] for one in lists(draw, 5, 4, 6)], ("ab", "never", "b"))


@tf_idf.probe(
    "gives a text without a known term a row of zeros, and works for one text and one term", rung="edges", float64=True
)
def odd_texts(tf_idf: Callable, draw: Draw) -> Any:
    some = lists(draw, 5, 4)
    return {
        "unknown": tf_idf([["zz", "yy"], *some], TERMS),
        "empty": tf_idf([*some, []], TERMS),
        "one text": tf_idf(some[:1], TERMS),
        "one term": tf_idf([["ab", "ab"], ["b"], ["ab"]], ["ab"]),
    }


# fuse ----------------------------------------------------------------------------

fuse = Exercise(
    "fuse",
    points=1,
    stretch=True,
    hints=(
        "Two rankings, `[7, 3]` and `[3]`, with k = 1. Document 3 has rank 2 in the first and 1 in the second: 1/3 + 1/2. And document 7?",
        "```python\nfused = {}\nfor ranking in rankings:\n    for rank, document in ...:  # ranks from 1\n        ...                     # add 1 / (k + rank) to what the document has\nreturn fused\n```",
        "`enumerate(ranking, start=1)`, and `fused[document] = fused.get(document, 0.0) + 1 / (k + rank)`.",
    ),
    traps={
        "KeyError: ...": "the first time, a document has nothing yet: `fused.get(document, 0.0)`.",
        "ZeroDivisionError: division by zero": "ranks begin at 1, also for k = 0.",
    },
)


def rankings(draw: Draw, *lengths: int) -> list[list[int]]:
    """Rankings of drawn documents, each at most once in a ranking."""
    numbers = [draw.tensor(f"ranking {number}", 70).argsort().tolist() for number, _ in enumerate(lengths)]
    return [[10 + one for one in found[:length]] for found, length in zip(numbers, lengths, strict=True)]


def by_document(found: Any) -> Any:
    """The order of a dict is nobody's mistake; a document is a number, of whatever kind."""
    if not isinstance(found, dict):
        return found
    names = {one: f"document {int(one)}" if isinstance(one, Integral) else repr(one) for one in found}
    return {names[one]: found[one] for one in sorted(found)}


@fuse.probe("adds 1 / (k + rank) up over the rankings, ranks from 1")
def fused(fuse: Callable, draw: Draw) -> Any:
    return by_document(fuse(rankings(draw, 9, 9, 9), 3))


@fuse.probe("adds nothing for a ranking that does not have the document")
def short_rankings(fuse: Callable, draw: Draw) -> Any:
    return by_document(fuse(rankings(draw, 3, 5, 2), 2))


@fuse.probe("counts by k, which is 60 if nobody says otherwise")
def other_k(fuse: Callable, draw: Draw) -> Any:
    found = rankings(draw, 4, 4)
    return {
        "k = 0": by_document(fuse(found, 0)),
        "k = 10": by_document(fuse(found, 10)),
        "60": by_document(fuse(found)),
        "long rankings": by_document(fuse(rankings(draw, 70, 60), 5)),
    }


@fuse.probe("works for one ranking, an empty one, and none", rung="edges")
def few_rankings(fuse: Callable, draw: Draw) -> Any:
    [one] = rankings(draw, 5)
    return {"one": by_document(fuse([one], 1)), "an empty one": by_document(fuse([one, []], 1)), "none": fuse([])}


@fuse.probe("raises a ValueError for a document that stands twice in a ranking, and for k below 0", rung="invariants")
def refuses_rankings(fuse: Callable, draw: Draw) -> Any:
    fuse([[1, 2]])  # the blank stub must show as blank
    return {"twice": raised(lambda: fuse([[1, 2, 1]])), "k = -1": raised(lambda: fuse([[1, 2]], -1))}
