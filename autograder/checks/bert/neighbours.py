"""Checks of the second question of a BERT: does a sentence follow another?"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from autograder.checks.bert.shared import uniform
from autograder.checks.decoding.shared import raised
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

next_sentences = Exercise(
    "next_sentences",
    points=2,
    hints=(
        "Two loops: over the documents, and over the neighbours in each. Each round takes one draw, and two more if the pair does not stay. When may a number be taken, and from what must the document be chosen?",
        "```python\npairs = []\nfor number, document in enumerate(documents):\n    others = ...                             # all documents but this one, in order\n    for first, second in ...:                # each sentence and the one behind it\n        is_next = ...                        # one draw\n        if not is_next:\n            other = ...                      # a second draw: one of the others\n            second = ...                     # a third draw: a sentence of it\n        pairs.append(...)\nreturn pairs\n```",
        "`next(draws)` takes the next number. `others = [*documents[:number], *documents[number + 1 :]]`; the neighbours are `pairwise(document)`, or `zip(document, document[1:])`; `others[int(next(draws) * len(others))]` is one of them.",
    ),
    traps={
        "IndexError: list index out of range": "⌊u · n⌋ is at most n - 1, as u is below 1. `int(...)` rounds down, `round(...)` does not. Is n the number of what you choose from?",
        "StopIteration": "there are no draws left: you took more than were needed. One for each pair, and two more only where the pair does not stay.",
        "TypeError: '...' object is not subscriptable": "`draws` is an iterator: `next(draws)` gives its next number.",
        "TypeError: object of type '...' has no len()": "`draws` is an iterator, which has no length: `next(draws)` gives its next number.",
    },
)

Documents = Sequence[Sequence[str]]
SIZES = (3, 1, 5, 2, 4)
MORE = (0.3, 0.7, 0.1, 0.9, 0.6, 0.2) * 4
"""More draws than are needed: who takes too many should not run out of them."""


def stories(*sizes: int) -> list[list[str]]:
    """Documents of so many sentences: a0, a1, ..., b0, ..."""
    return [[f"{letter}{number}" for number in range(size)] for letter, size in zip("abcdefgh", sizes, strict=False)]


def numbers(draw: Draw, documents: Documents, changed: Sequence[bool]) -> list[float]:
    """Draws for these documents that replace the pairs that are to change.

    The first document chosen is the first of the others, with a number just above it, and the second the last of
    them, with a number that is far above it: so that it shows from how many one was chosen, and how it was rounded.
    """
    drawn = iter(uniform(draw, "draws", 100).tolist())
    found: list[float] = []
    done = 0
    at = [number for number, document in enumerate(documents) for _ in document[1:]]
    for number, change in zip(at, changed, strict=True):
        coin = next(drawn)
        found.append(0.02 + 0.46 * coin + 0.5 * change)
        if not change:
            continue
        others = [document for other, document in enumerate(documents) if other != number]
        count = len(others)
        where = ((0.03 + 0.05 * next(drawn)) / count, (count - 0.2 * next(drawn) - 0.01) / count)
        u = where[done] if done < 2 else next(drawn)
        size = len(others[int(u * count)])
        found += [u, (size - 0.3 * next(drawn) - 0.01) / size if done % 2 == 0 else next(drawn)]
        done += 1
    return found


def paired(next_sentences: Callable, documents: Documents, given: Sequence[float]) -> Any:
    """The pairs, and how many draws are left."""
    draws: Iterator[float] = iter([*given, *MORE])
    return {"pairs": next_sentences(documents, draws), "draws that are left": len(list(draws))}


HALF = (False, True, True, False, True, False, True, True, False, True)
"""Which of the ten pairs of SIZES change."""


@next_sentences.probe(
    "keeps the neighbours whose draw is below 0.5; a sentence of another document replaces the second of the rest"
)
def half_of_them(next_sentences: Callable, draw: Draw) -> Any:
    documents = stories(*SIZES)
    return paired(next_sentences, documents, numbers(draw, documents, HALF))


@next_sentences.probe("takes one draw where a pair stays, and keeps it as it is")
def none_of_them(next_sentences: Callable, draw: Draw) -> Any:
    documents = stories(2, 3)
    return paired(next_sentences, documents, numbers(draw, documents, (False, False, False)))


@next_sentences.probe("takes three draws where a pair does not stay")
def all_of_them(next_sentences: Callable, draw: Draw) -> Any:
    documents = stories(3, 2, 4)
    return paired(next_sentences, documents, numbers(draw, documents, (True,) * 6))


@next_sentences.probe(
    "works for documents of one sentence, for tuples, and for two documents with the same sentences", rung="edges"
)
def odd_documents(next_sentences: Callable, draw: Draw) -> Any:
    alike = [["a0", "a1", "a2"], ["b0", "b1"], ["a0", "a1", "a2"]]
    twice = [["a0", "a0", "a0"], ["a0", "a0"]]
    listed = stories(3, 2, 3)
    listed[2] = listed[0]
    return {
        "one sentence each": paired(next_sentences, [["a0"], ["b0"], ["c0"]], [0.3, 0.7, 0.2]),
        "tuples": paired(next_sentences, (("a0", "a1"), ("b0",)), [0.7, 0.2, 0.9, 0.4]),
        "two documents alike": paired(next_sentences, alike, numbers(draw, alike, (True, True, True, False, True))),
        "one document listed twice": paired(
            next_sentences, listed, numbers(draw, listed, (True, True, False, False, True))
        ),
        "one sentence over and over": paired(next_sentences, twice, [0.2, 0.8, 0.1, 0.9, 0.7, 0.1, 0.1, 0.2]),
        "draws of 0.3 among three": paired(next_sentences, stories(3, 3, 3, 3), [0.7, 0.3, 0.3] * 8),
        "a draw of 0.5, and draws of 0": paired(
            next_sentences, [["a0", "a1"], ["b0", "b1"], ["c0", "c1"]], [0.5, 0.0, 0.0, 0.0, 0.0, 0.9]
        ),
    }


@next_sentences.probe("raises a ValueError for a single document, and for one without a sentence", rung="invariants")
def refuses_documents(next_sentences: Callable, draw: Draw) -> Any:
    next_sentences(stories(2, 1), iter(MORE))  # the blank stub must show as blank
    return {
        "a single document": raised(lambda: next_sentences(stories(4), iter([0.1] * 9))),
        "no document": raised(lambda: next_sentences([], iter([0.1] * 9))),
        "a document without a sentence": raised(lambda: next_sentences(stories(2, 0, 3), iter([0.1] * 9))),
    }


@next_sentences.probe("leaves the documents as they are", rung="invariants")
def documents_as_they_were(next_sentences: Callable, draw: Draw) -> Any:
    documents = stories(3, 2)
    next_sentences(documents, iter([*numbers(draw, documents, (True, False, True)), *MORE]))
    return documents
