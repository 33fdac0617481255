"""Lesson 15: slips that are likely, written by somebody else."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from tests.variants import disguise, slips

PACK, MASKING, LOSS, NEXT = "pack_pair", "mask_tokens", "masked_loss", "next_sentences"
Text = Sequence[int]

# pack_pair ----------------------------------------------------------------------------


def room_for(second: Text | None, max_len: int) -> int:
    """What the texts have, and the given ValueError."""
    room = max_len - (2 if second is None else 3)
    if room < 0:
        raise ValueError("no room")
    return room


def by_counting(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    n, m = len(first), 0 if second is None else len(second)
    room = room_for(second, max_len)
    for _ in range(max(n + m - room, 0)):
        n, m = (n - 1, m) if n > m else (n, m - 1)
    row = [cls_id, *first[:n], sep_id]
    where = [0 for _ in row]
    if second is not None:
        tail = [*second[:m], sep_id]
        row += tail
        where += [1 for _ in tail]
    return row, where


slips(
    PACK,
    by_counting,
    {
        "the last [SEP] is cut off": [
            {"n + m - room": f"n + m - room - {one}", "return row, where": "return row[:max_len], where[:max_len]"}
            for one in (1, "max_len + room")
        ],
        "segments 1 and 2": {"[1 for _ in tail]": "[2 for _ in tail]"},
        "tensors instead of lists": {"return row, where": "return torch.tensor(row), torch.tensor(where)"},
        "the first text gets half the row at most": {
            "    for _ in range(max(n + m - room, 0)):\n        n, m = (n - 1, m) if n > m else (n, m - 1)\n": (
                "    if n + m > room:\n        n = min(n, room // 2)\n        m = min(m, room - n)\n"
            )
        },
    },
)


@disguise(PACK, "tensors instead of lists")
def as_tensors(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    return tuple(map(torch.LongTensor, by_counting(first, second, cls_id, sep_id, max_len)))


@disguise(PACK, "the first text gets half the row at most")
def half_for_the_first(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    room, behind = room_for(second, max_len), second or ()
    if len(first) + len(behind) > room:
        first = first[: room >> 1]
        behind = behind[: max(0, room - len(first))]
    return by_counting(first, None if second is None else behind, cls_id, sep_id, max_len)


# mask_tokens ----------------------------------------------------------------------------


def step_by_step(
    ids: Tensor, maskable: Tensor, mask_id: int, chosen: Tensor, fate: Tensor, replacement: Tensor
) -> tuple[Tensor, Tensor]:
    inputs, labels = ids.clone(), ids.clone()
    sel = (chosen < 0.15) & maskable
    labels[~sel] = -100
    rep = sel & (fate < 0.8)
    inputs[rep] = mask_id
    rnd = sel & (fate >= 0.8) & (fate < 0.9)
    inputs[rnd] = replacement[rnd]
    return inputs, labels


slips(
    MASKING,
    step_by_step,
    {
        "none stays itself": [{"sel & (fate < 0.8)": "sel"}, {"(fate < 0.8)": "((fate < 0.8) | (fate >= 0.9))"}],
        "the replacement takes a part of [MASK]'s share": {"(fate >= 0.8) & (fate < 0.9)": "(fate < 0.1)"},
        "the places instead of the labels": {"return inputs, labels": "return inputs, sel"},
        "one draw for both questions": {"sel & (fate < 0.8)": "sel & (chosen < 0.12)"},
    },
)


@disguise(MASKING, "the replacement takes a part of [MASK]'s share")
def low_fates(
    ids: Tensor, maskable: Tensor, mask_id: int, chosen: Tensor, fate: Tensor, replacement: Tensor
) -> tuple[Tensor, Tensor]:
    asked = maskable * (chosen < 0.15)
    hidden = torch.where(fate < 0.1, replacement, torch.where(fate < 0.8, torch.full_like(ids, mask_id), ids))
    return torch.where(asked, hidden, ids), ids.masked_fill(~asked, -100)


@disguise(MASKING, "the places instead of the labels")
def where_and_not_what(
    ids: Tensor, maskable: Tensor, mask_id: int, chosen: Tensor, fate: Tensor, replacement: Tensor
) -> tuple[Tensor, Tensor]:
    inputs, labels = step_by_step(ids, maskable, mask_id, chosen, fate, replacement)
    return inputs, labels.ne(-100)


# masked_loss ----------------------------------------------------------------------------


@disguise(LOSS, "a mask times a mean")
def scaled_by_the_mask(logits: Tensor, labels: Tensor) -> Tensor:
    wanted = (labels >= 0).float()
    loss = F.cross_entropy(logits.transpose(1, 2), labels.clamp(min=0))
    return (loss * wanted).mean()


@disguise(LOSS, "a mask times a mean")
def counted_by_the_mask(logits: Tensor, labels: Tensor) -> Tensor:
    wanted = (labels >= 0).float()
    return torch.sum(F.cross_entropy(logits.flatten(0, 1), labels.relu().flatten()) * wanted)


# next_sentences ----------------------------------------------------------------------------


def neighbours(documents: Sequence[Sequence[str]], draws: Iterator[float]) -> list[tuple[str, str, bool]]:
    if len(documents) < 2 or any(len(one) == 0 for one in documents):
        raise ValueError("too few")
    out = []
    for d, doc in enumerate(documents):
        for i in range(len(doc) - 1):
            if next(draws) < 0.5:
                out.append((doc[i], doc[i + 1], True))
            else:
                rest = [o for j, o in enumerate(documents) if j != d]
                chosen = rest[int(next(draws) * len(rest))]
                out.append((doc[i], chosen[int(next(draws) * len(chosen))], False))
    return out


slips(
    NEXT,
    neighbours,
    {
        "the pairs turned round": {"(doc[i], doc[i + 1], True)": "(doc[i + 1], doc[i], True)"},
        "labels that are not True or False": [{"True": "1", "False": "0"}, {"True": "0", "False": "1"}],
        "rounded to the nearest": {
            "int(next(draws) * len(rest))": "min(round(next(draws) * len(rest)), len(rest) - 1)"
        },
    },
)


@disguise(NEXT, "the pairs turned round")
def turned_round(documents: Sequence[Sequence[str]], draws: Iterator[float]) -> Any:
    return [(b, a, is_next) for a, b, is_next in neighbours(documents, draws)]


@disguise(NEXT, "labels that are not True or False")
def in_words(documents: Sequence[Sequence[str]], draws: Iterator[float]) -> Any:
    return [(a, b, "IsNext" if is_next else "NotNext") for a, b, is_next in neighbours(documents, draws)]


@disguise(NEXT, "rounded to the nearest")
def to_the_nearest(documents: Sequence[Sequence[str]], draws: Iterator[float]) -> Any:
    def one_of(many: Any) -> Any:
        return many[min(len(many) - 1, int(next(draws) * len(many) + 0.5))]

    neighbours(documents, iter([0.0] * 1000))  # the given ValueError
    found = []
    for place, document in enumerate(documents):
        for first, second in itertools.pairwise(document):
            if next(draws) < 0.5:
                found.append((first, second, True))
            else:
                found.append((first, one_of(one_of([*documents[:place], *documents[place + 1 :]])), False))
    return found
