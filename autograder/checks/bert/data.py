"""Checks of what a BERT reads and is asked: pairs of texts, tokens that are taken out, and a repair."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.checks.bert.shared import shuffled, uniform
from autograder.checks.decoding.shared import raised
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

# pack_pair ----------------------------------------------------------------------------

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


@pack_pair.probe("of two equally long texts shortens the second, until all fit", rung="edges")
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
        "an empty first text": pack_pair([], second, CLS, SEP, 10),
        "both empty": pack_pair([], [], CLS, SEP, 10),
        "just fits": pack_pair(first, second, CLS, SEP, 10),
        "one too many": pack_pair(first, second, CLS, SEP, 9),
        "tuples": pack_pair(tuple(first), tuple(second), CLS, SEP, 8),
        "no room for a token of a pair": pack_pair(first, second, CLS, SEP, 3),
        "no room for a token of a text": pack_pair(first, None, CLS, SEP, 2),
        "[CLS] is 0": pack_pair(first, second, 0, SEP, 10),
        "a token is 0": pack_pair([0, 9], [8, 0], CLS, SEP, 7),
    }


@pack_pair.probe("leaves the texts that it is given as they are", rung="invariants")
def texts_as_they_were(pack_pair: Callable, draw: Draw) -> Any:
    first, second = two_texts(draw, 6, 7)
    pack_pair(first, second, CLS, SEP, 8)
    pack_pair(first, None, CLS, SEP, 5)
    return {"first": first, "second": second}


@pack_pair.probe("raises a ValueError where max_len has no room for the special tokens", rung="invariants")
def refuses_short_rows(pack_pair: Callable, draw: Draw) -> Any:
    first, second = two_texts(draw, 2, 3)
    pack_pair(first, second, CLS, SEP, 9)  # the blank stub must show as blank
    return {
        "max_len=2 for two texts": raised(lambda: pack_pair(first, second, CLS, SEP, 2)),
        "max_len=1 for one text": raised(lambda: pack_pair(first, None, CLS, SEP, 1)),
    }


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
    return {
        "nothing may be asked for": masked(mask_tokens, given | {"maskable": nobody}),
        "everything is asked for": masked(mask_tokens, given | {"maskable": everybody, "chosen": low}),
        "the replacement is the token": masked(mask_tokens, given | {"replacement": given["ids"], "chosen": low}),
    }


@mask_tokens.probe("counts a draw that lies on a border to what is above it", rung="edges", float64=True)
def on_the_border(mask_tokens: Callable, draw: Draw) -> Any:
    given = lots(draw, 1, 60)
    yes = torch.ones(1, 60, dtype=torch.bool)
    fates = torch.tensor([0.0, 0.8, 0.9]).repeat(20)[None]
    borders = draw.keep("fate on a border", fates)
    low, at = draw.keep("low", 0.1 * given["chosen"]), draw.keep("at", torch.full((1, 60), 0.15))
    return {
        "fate is 0, 0.8 or 0.9": masked(mask_tokens, given | {"maskable": yes, "chosen": low, "fate": borders}),
        "chosen is 0.15": masked(mask_tokens, given | {"maskable": yes, "chosen": at}),
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
