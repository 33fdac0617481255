"""Checks of labels for pieces: align_labels."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F

from autograder.checks.decoding.shared import raised
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

align_labels = Exercise(
    "align_labels",
    points=2,
    hints=(
        "Write the word numbers of a text under each other: None, 0, 0, 1, 2, 2, None. What tells the first piece of a word from its others, if you may look at the piece before?",
        "```python\nlabels, before = [], None\nfor word in word_ids:\n    ...            # the word's label if this is its first piece, else -100\n    before = word\nreturn labels\n```",
        "A piece is the first of its word if `word is not None and word != before`. Its label is `word_labels[word]`; everything else gets -100.",
    ),
    traps={
        "TypeError: list indices must be integers or slices, not NoneType": "special tokens and padding belong to no word: their number is None. Ask for that before you look the label up.",
        "IndexError: list index out of range": "a text has more pieces than words. The label belongs to the *word*: look it up by the word's number, `word_labels[word]`, not by the place of the piece.",
        "TypeError: '>' not supported between instances of 'NoneType' and 'int'": "the number of special tokens and padding is None. Ask `is not None` first.",
        "ValueError: 0 is not in list": "a word may have no piece, and `index` finds none then. Ask whether it is there first, or go from piece to piece.",
        "TypeError: unsupported operand type(s) for -: ...": "the number of special tokens and padding is None. Ask `is not None` first.",
    },
)


def drawn_labels(draw: Draw, words: int, name: str = "labels") -> list[int]:
    """A label for each word, neighbours different, with a 0 among them."""
    steps = draw.integers(name, words, low=1, high=4).tolist()
    labels = [0]
    for step in steps[1:]:
        labels.append((labels[-1] + step) % 5)
    return labels[::-1]


def drawn_pieces(draw: Draw, words: int, name: str = "pieces") -> list[int]:
    """How many pieces each word has: one, two, or three, and each of these somewhere."""
    return [3, *(1 + draw.integers(name, words - 3, high=3)).tolist(), 1, 2]


def numbered(pieces: Sequence[int]) -> list[int | None]:
    """Word numbers of pieces."""
    return [word for word, count in enumerate(pieces) for _ in range(count)]


def sentence(draw: Draw, words: int, padding: int = 2, name: str = "") -> tuple[list[int], list[int | None]]:
    """Labels of words, and word numbers of [CLS] ... [SEP] and padding."""
    inside = numbered(drawn_pieces(draw, words, f"{name}pieces"))
    return drawn_labels(draw, words, f"{name}labels"), [None, *inside, None, *[None] * padding]


@align_labels.probe("puts a word's label on its first piece, and -100 on everything else")
def one_sentence(align_labels: Callable, draw: Draw) -> Any:
    return align_labels(*sentence(draw, 6))


@align_labels.probe("keeps neighbours apart that have the same label, and words that have label 0")
def same_labels(align_labels: Callable, draw: Draw) -> Any:
    pieces = drawn_pieces(draw, 6)
    label = int(draw.integers("label", 1, low=1, high=9))
    word_ids = [None, *numbered(pieces), None]
    return {
        # Each has lists of its own: that one was changed is for another check to say.
        "all the same": align_labels([label] * 6, word_ids[:]),
        "all 0": align_labels([0] * 6, word_ids[:]),
        "some 0": align_labels([0, label, label, 0, 0, label], word_ids[:]),
    }


@align_labels.probe("needs no special tokens, and does not mind padding in front")
def bare_texts(align_labels: Callable, draw: Draw) -> Any:
    labels, word_ids = sentence(draw, 5)
    inside = [word for word in word_ids if word is not None]
    return {
        "no special tokens": align_labels(labels[:], inside[:]),
        "padding in front": align_labels(labels[:], word_ids[::-1][:3] + word_ids[:-3]),
        "no special tokens, no piece of the first word": align_labels(labels[:], [word for word in inside if word]),
    }


@align_labels.probe(
    "takes a text that was cut off, so that words at the end have no piece, or not all of them", rung="edges"
)
def cut_off(align_labels: Callable, draw: Draw) -> Any:
    labels, word_ids = sentence(draw, 6, padding=0)
    return {
        "two words": align_labels(labels[:], [*word_ids[:5], None]),
        "a part of the first": align_labels(labels[:], word_ids[:3]),
    }


@align_labels.probe("finds a label by the number of its word, also where words have no piece", rung="edges")
def words_without_pieces(align_labels: Callable, draw: Draw) -> Any:
    labels, word_ids = sentence(draw, 7)
    return {
        "one in the middle": align_labels(labels[:], [word for word in word_ids if word != 2]),
        "the first ones": align_labels(labels[:], [word for word in word_ids if word is None or word > 1]),
        "every second one": align_labels(labels[:], [word for word in word_ids if word is None or word % 2]),
    }


@align_labels.probe(
    "works for one word alone, whether of one piece or of several, and for a text of nothing", rung="edges"
)
def small_texts(align_labels: Callable, draw: Draw) -> Any:
    label = int(draw.integers("label", 1, low=1, high=9))
    return {
        "one piece": align_labels([label], [0]),
        "three pieces": align_labels([label], [0, 0, 0]),
        "special tokens only": align_labels([label], [None, None]),
        "nothing": align_labels([], []),
    }


@align_labels.probe("gives labels that a loss takes", rung="invariants")
def for_the_loss(align_labels: Callable, draw: Draw) -> Any:
    labels = torch.tensor(align_labels(*sentence(draw, 6)))
    return F.cross_entropy(draw.tensor("logits", len(labels), 5), labels, reduction="sum")


@align_labels.probe("changes neither list", rung="invariants")
def lists_stay(align_labels: Callable, draw: Draw) -> Any:
    labels, word_ids = sentence(draw, 5)
    align_labels(labels, word_ids)
    return {"labels": labels, "word numbers": word_ids}


@align_labels.probe("raises a ValueError for a piece of a word that has no label", rung="invariants")
def refuses_unknown_words(align_labels: Callable, draw: Draw) -> Any:
    labels, word_ids = sentence(draw, 5)
    align_labels(labels[:], word_ids[:])  # the blank stub must show as blank
    return {
        "one label too few": raised(lambda: align_labels(labels[:-1], word_ids[:])),
        "word -1": raised(lambda: align_labels(labels[:], [None, -1, 0])),
    }
