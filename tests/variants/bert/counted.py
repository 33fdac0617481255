"""Lesson 15: slips that a count found without a name."""

import itertools
import operator
from collections.abc import Iterator, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from tests.variants import disguise

PACK, MASKING, LOSS, NEXT = "pack_pair", "mask_tokens", "masked_loss", "next_sentences"
Text = Sequence[int]
Documents = Sequence[Sequence[str]]

# pack_pair ----------------------------------------------------------------------------


def shortened(first: Text, second: Text, room: int) -> tuple[list[int], list[int]]:
    """What is left of two texts where there is room for so many tokens."""
    n, m = len(first), len(second)
    for _ in range(n + m - room):
        n, m = (n - 1, m) if n > m else (n, m - 1)
    return list(first)[:n], list(second)[:m]


def packed(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> tuple[Any, Any]:
    """As it should be."""
    special = 3 - (second is None)
    if max_len < special:
        raise ValueError(max_len)
    one, two = shortened(first, second or [], max_len - special)
    rows = [[cls_id, *one, sep_id], [] if second is None else [*two, sep_id]]
    return rows[0] + rows[1], [number for number, row in enumerate(rows) for _ in row]


@disguise(PACK, "tokens in another order")
def p_backwards(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    ids, segments = packed(first, second, cls_id, sep_id, max_len)
    end = segments.count(0) - 1
    return [cls_id, *reversed(ids[1:end]), *ids[end:]], segments


@disguise(PACK, "a list within the row")
def p_nested(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    special = 2 if second is None else 3
    if max_len < special:
        raise ValueError(max_len)
    one, two = shortened(first, second or [], max_len - special)
    row: list[Any] = [cls_id]
    row.append(one)
    row.append(sep_id)
    where = [0] * len(row)
    if second is not None:
        row.extend([*two, sep_id])
        where.extend([1] * (len(two) + 1))
    return row, where


@disguise(PACK, "a text alone is an error")
def p_two_alone(first: Text, second: Any, cls_id: int, sep_id: int, max_len: int) -> Any:
    if max_len < 2 + (second is not None):
        raise ValueError(max_len)
    one, two = shortened(first, second, max_len - 3)
    return [cls_id, *one, sep_id, *two, sep_id], [0] * (len(one) + 2) + [1] * (len(two) + 1)


@disguise(PACK, "only lists are taken")
def p_added(first: Any, second: Any, cls_id: int, sep_id: int, max_len: int) -> Any:
    ids, segments = packed(first, second, cls_id, sep_id, max_len)
    for text in (first, second):
        operator.add([], [] if text is None else text)  # of a tuple: TypeError
    return ids, segments


# mask_tokens ----------------------------------------------------------------------------


def taken_out(ids: Tensor, asked: Tensor, mask_id: int, fate: Tensor, replacement: Tensor) -> tuple[Tensor, Tensor]:
    """As it should be, where it is known which tokens are asked for."""
    read, labels = ids.clone(), torch.full_like(ids, -100)
    labels[asked] = ids[asked]
    hidden, other = asked & fate.lt(0.8), asked & fate.ge(0.8) & fate.lt(0.9)
    read[hidden] = mask_id
    read[other] = replacement[other]
    return read, labels


@disguise(MASKING, "the first place is never asked for")
def m_opening(ids: Tensor, maskable: Tensor, mask_id: int, chosen: Tensor, fate: Tensor, replacement: Tensor) -> Any:
    asked = maskable.logical_and(chosen.lt(0.15))
    asked[..., 0] = False
    return taken_out(ids, asked, mask_id, fate, replacement)


@disguise(MASKING, "a fixed number is asked for")
def m_lowest(ids: Tensor, maskable: Tensor, mask_id: int, chosen: Tensor, fate: Tensor, replacement: Tensor) -> Any:
    border = torch.quantile(chosen.reshape(-1), 0.15)
    return taken_out(ids, maskable & chosen.lt(border), mask_id, fate, replacement)


@disguise(MASKING, "another form than two tensors")
def m_three(ids: Tensor, maskable: Tensor, mask_id: int, chosen: Tensor, fate: Tensor, replacement: Tensor) -> Any:
    read, labels = taken_out(ids, maskable & chosen.lt(0.15), mask_id, fate, replacement)
    return read, labels, labels != -100


# masked_loss ----------------------------------------------------------------------------


def losses(logits: Tensor, labels: Tensor) -> list[Tensor]:
    """The loss of each place that is asked for, one after another."""
    scores = logits.log_softmax(dim=-1)
    return [-scores[at][labels[at]] for at in map(tuple, (labels != -100).nonzero().tolist())]


@disguise(LOSS, "only one place counts")
def l_last(logits: Tensor, labels: Tensor) -> Tensor:
    return [0 * logits.sum(), *losses(logits, labels)][-1]


@disguise(LOSS, "a list of one number")
def l_boxed(logits: Tensor, labels: Tensor) -> Tensor:
    total = torch.stack([0 * logits.sum(), *losses(logits, labels)]).sum(dim=0, keepdim=True)
    return total / max(1, int(labels.ne(-100).sum()))


@disguise(LOSS, "more than the loss comes back")
def l_beside(logits: Tensor, labels: Tensor) -> Any:
    found = losses(logits, labels)
    return (torch.stack(found).mean(), len(found)) if found else 0 * logits.sum()


@disguise(LOSS, "the given labels are changed")
def l_overwritten(logits: Tensor, labels: Tensor) -> Tensor:
    weights = (labels != -100).to(logits.dtype)
    labels[labels == -100] = 0
    each = F.cross_entropy(logits.transpose(1, 2), labels, reduction="none")
    return each.mul(weights).sum() / weights.sum().clamp(min=1)


# next_sentences ----------------------------------------------------------------------------


def refuse(documents: Documents) -> None:
    """The given ValueError."""
    if len(documents) < 2 or min(map(len, documents)) == 0:
        raise ValueError(len(documents))


@disguise(NEXT, "a generator instead of a list")
def n_lazy(documents: Documents, draws: Iterator[float]) -> Any:
    refuse(documents)
    return (
        (one, two, True) if next(draws) < 0.5 else (one, documents[number - 1][0], False)
        for number, text in enumerate(documents)
        for one, two in itertools.pairwise(text)
    )


@disguise(NEXT, "chosen by the length of another list")
def n_too_far(documents: Documents, draws: Iterator[float]) -> Any:
    refuse(documents)
    found = []
    for number, text in enumerate(documents):
        rest = [one for at, one in enumerate(documents) if at != number]
        for one, two in itertools.pairwise(text):
            stays = next(draws) < 0.5
            if not stays:
                other = rest[int(len(documents) * next(draws))]
                two = other[int(len(other) * next(draws))]
            found.append((one, two, stays))
    return found
