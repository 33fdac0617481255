"""Checks of packing two texts into a row."""

from collections.abc import Callable
from typing import Any

import torch

from autograder.checks.bert.shared import shuffled
from autograder.checks.decoding.shared import raised
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

pack_pair = Exercise(
    "pack_pair",
    points=2,
    hints=(
        "Write a row of ten places on paper, for texts of six and four tokens. How many places are left for tokens? Which text is longer after the first one was taken off, and after the second?",
        "```python\nkept, behind = ...  # copies as lists; an empty one for None\nwhile ...:          # both and the special tokens are more than max_len\n    ...             # the longer one loses its last token; of two equally long ones `behind`\nids = ...           # [CLS] kept [SEP]\nsegments = ...      # a 0 for each of these\nif ...:             # there is a second text, be it empty\n    ...             # behind and its [SEP], with a 1 for each\nreturn ...\n```",
        "`kept, behind = list(first), list(second or ())`. A row takes `len(kept) + len(behind) + needed` places. `kept.pop()` takes the last token off. Ask `second is not None`, and not `if second`: an empty text has a [SEP] too.",
    ),
    traps={
        "TypeError: object of type 'NoneType' has no len()": "`second` may be None: one text alone. Ask before you count its tokens.",
        "TypeError: 'NoneType' object is not iterable": "`second` may be None: one text alone. `list(second or ())` is then an empty list.",
        'TypeError: can only concatenate list (not "NoneType") to list': "`second` may be None: one text alone. Ask before you add it.",
        "IndexError: pop from empty list": "an empty text has no token to lose. The longer of the two loses one; while there are too many tokens, the longer one is not empty.",
        "AttributeError: 'tuple' object has no attribute 'pop'": "the texts need not be lists. `list(first)` makes a copy that may be shortened, and leaves `first` as it is.",
        'TypeError: can only concatenate list (not "tuple") to list': "the texts need not be lists. `list(first)` makes one, and leaves `first` as it is.",
        'TypeError: can only concatenate tuple (not "list") to tuple': "the texts need not be lists. `list(first)` makes one, and leaves `first` as it is.",
    },
)

CLS, SEP = 101, 102


def some(draw: Draw, name: str, length: int, start: int) -> list[int]:
    """A text in which no id stands twice, and none is an id of another text or of a special token."""
    return (shuffled(draw, name, length) + start).tolist()


def two_texts(draw: Draw, first: int, second: int) -> tuple[list[int], list[int]]:
    """Texts of so many tokens."""
    return some(draw, f"first of {first}", first, 200), some(draw, f"second of {second}", second, 300)


@pack_pair.probe("puts [CLS] in front of the first text and [SEP] behind each, and says which text a token belongs to")
def room_enough(pack_pair: Callable, draw: Draw) -> Any:
    first, second = two_texts(draw, 4, 3)
    return pack_pair(first, second, CLS, SEP, 20)


@pack_pair.probe("takes what is too much from the end of the longer text")
def one_too_long(pack_pair: Callable, draw: Draw) -> Any:
    return {
        "9 and 3 tokens, room for 10": pack_pair(*two_texts(draw, 9, 3), CLS, SEP, 13),
        "2 and 8 tokens, room for 9": pack_pair(*two_texts(draw, 2, 8), CLS, SEP, 12),
        "7 and 6 tokens, room for 8": pack_pair(*two_texts(draw, 7, 6), CLS, SEP, 11),
    }


@pack_pair.probe("shortens the second of two equally long texts, until all fit", rung="edges")
def equally_long(pack_pair: Callable, draw: Draw) -> Any:
    first, second = two_texts(draw, 5, 5)
    return {
        "one too many": pack_pair(first, second, CLS, SEP, 12),
        "two too many": pack_pair(first, second, CLS, SEP, 11),
        "five too many": pack_pair(first, second, CLS, SEP, 8),
    }


@pack_pair.probe("packs one text alone: [CLS] first [SEP]")
def one_text(pack_pair: Callable, draw: Draw) -> Any:
    first = some(draw, "first", 6, 200)
    return {
        "room enough": pack_pair(first, None, CLS, SEP, 12),
        "just fits": pack_pair(first, None, CLS, SEP, 8),
        "cut": pack_pair(first, None, CLS, SEP, 5),
    }


@pack_pair.probe("works for empty texts, tuples, rows that just fit, and rows of special tokens only", rung="edges")
def packing_edges(pack_pair: Callable, draw: Draw) -> Any:
    first, second = two_texts(draw, 3, 4)
    return {
        "an empty second text is a text": pack_pair(first, [], CLS, SEP, 10),
        "an empty second text, and too long a first": pack_pair(first, [], CLS, SEP, 5),
        "an empty first text": pack_pair([], second, CLS, SEP, 10),
        "both empty": pack_pair([], [], CLS, SEP, 10),
        "just fits": pack_pair(first, second, CLS, SEP, 10),
        "one too many": pack_pair(first, second, CLS, SEP, 9),
        "tuples": pack_pair(tuple(first), tuple(second), CLS, SEP, 8),
        "no room for a token of a pair": pack_pair(first, second, CLS, SEP, 3),
        "no room for a token of a text": pack_pair(first, None, CLS, SEP, 2),
        "[CLS] is 0": pack_pair(first, second, 0, SEP, 10),
        "a token is 0": pack_pair([0, 9], [8, 0], CLS, SEP, 7),
        "a token stands twice": pack_pair([7, 9, 4], [8, 8, 6, 8], CLS, SEP, 9),
    }


@pack_pair.probe("leaves the texts that it is given as they are", rung="invariants")
def texts_as_they_were(pack_pair: Callable, draw: Draw) -> Any:
    first, second = two_texts(draw, 6, 7)
    pack_pair(first, second, CLS, SEP, 8)
    pack_pair(first, None, CLS, SEP, 5)
    return {"first": first, "second": second}


@pack_pair.probe("gives whole numbers, by which a table can be looked up", rung="invariants")
def whole_numbers(pack_pair: Callable, draw: Draw) -> Any:
    ids, segments = pack_pair(*two_texts(draw, 3, 2), CLS, SEP, 9)
    return {"ids": str(torch.as_tensor(ids).dtype), "segments": str(torch.as_tensor(segments).dtype)}


@pack_pair.probe("raises a ValueError where max_len has no room for the special tokens", rung="invariants")
def refuses_short_rows(pack_pair: Callable, draw: Draw) -> Any:
    first, second = two_texts(draw, 2, 3)
    pack_pair(first, second, CLS, SEP, 9)  # the blank stub must show as blank
    return {
        "max_len=2 for two texts": raised(lambda: pack_pair(first, second, CLS, SEP, 2)),
        "max_len=1 for one text": raised(lambda: pack_pair(first, None, CLS, SEP, 1)),
    }
