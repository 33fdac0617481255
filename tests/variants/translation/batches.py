"""Sequences to a tensor."""

import itertools
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from tests.variants import correct, disguise, slips, unlisted

# Right, and slips in it ----------------------------------------------------------------------------


def rows_written(sequences: Any, pad_id: int = 0) -> torch.Tensor:
    """A tensor of padding, into which the rows are written."""
    lengths = [len(ids) for ids in sequences]
    if not lengths:
        raise ValueError("nothing")
    batch = torch.full((len(sequences), max(lengths)), pad_id)
    for row, ids in zip(batch, sequences, strict=True):
        row[: len(ids)] = torch.tensor(ids, dtype=torch.long)
    return batch


slips(
    "pad_batch",
    rows_written,
    {
        "padding in front": {"row[: len(ids)]": "row[len(row) - len(ids) :]"},
        "filled up with 0": [
            {"), pad_id)": "), 0)"},
            {"torch.full((len(sequences), max(lengths)), pad_id)": "torch.zeros(len(sequences), max(lengths)).long()"},
        ],
        "cut to the shortest": {
            "max(lengths)": "min(lengths)",
            "row[: len(ids)] = torch.tensor(ids,": "row[:] = torch.tensor(ids[: len(row)],",
        },
        "a column too many": {"max(lengths)": "max(lengths) + 1"},
        "sequences as columns": {"return batch": "return batch.T"},
        "ids as floats": [
            {"), pad_id)": "), float(pad_id))"},
            {"return batch": "return batch.float()"},
        ],
        "no tensor": {"return batch": "return batch.tolist()"},
        "sorted by length": {"zip(batch, sequences,": "zip(batch, sorted(sequences, key=len, reverse=True),"},
        "filled up with 0 + ids as floats": {
            "torch.full((len(sequences), max(lengths)), pad_id)": "torch.zeros(len(sequences), max(lengths))"
        },
    },
)


def padded_and_stacked(sequences: Any, pad_id: int = 0) -> torch.Tensor:
    """Every row a tensor, filled up by `F.pad`."""
    rows = [torch.tensor(ids, dtype=torch.long) for ids in sequences]
    if not rows:
        raise ValueError("nothing")
    width = max(row.numel() for row in rows)
    filled = [F.pad(row, (0, width - row.numel()), value=pad_id) for row in rows]
    return torch.stack(filled)


slips(
    "pad_batch",
    padded_and_stacked,
    {
        "padding in front": {"(0, width - row.numel())": "(width - row.numel(), 0)"},
        "filled up with 0": {", value=pad_id": ""},
        "cut to the shortest": {"max(": "min("},
        "a column too many": {"max(row.numel() for row in rows)": "max(row.numel() + 1 for row in rows)"},
        "sequences as columns": [{"stack(filled)": "stack(filled, dim=1)"}, {"stack(filled)": "stack(filled, -1)"}],
        "ids as floats": [
            {"torch.tensor(ids, dtype=torch.long)": "torch.Tensor(ids)"},
            {"dtype=torch.long": "dtype=torch.float32"},
        ],
        "no tensor": {"torch.stack(filled)": "filled"},
        "sorted by length": {"for ids in sequences]": "for ids in sorted(sequences, key=len, reverse=True)]"},
        "padding in front + filled up with 0": {
            "(0, width - row.numel())": "(width - row.numel(), 0)",
            ", value=pad_id": "",
        },
    },
)


def copies_filled_up(sequences: Any, pad_id: int = 0) -> torch.Tensor:
    """Lists of one's own, that grow."""
    if len(sequences) < 1:
        raise ValueError("nothing")
    rows = [list(ids) for ids in sequences]
    width = max(map(len, rows))
    for row in rows:
        row.extend([pad_id] * (width - len(row)))
    return torch.tensor(rows)


slips(
    "pad_batch",
    copies_filled_up,
    {
        "padding in front": {"row.extend([pad_id] * (width - len(row)))": "row[:0] = [pad_id] * (width - len(row))"},
        "filled up with 0": {"[pad_id]": "[0]"},
        "cut to the shortest": {
            "max(map": "min(map",
            "row.extend([pad_id] * (width - len(row)))": "del row[width:]",
        },
        "a column too many": {"width = max(map(len, rows))": "width = max(map(len, rows)) + 1"},
        "sequences as columns": {"torch.tensor(rows)": "torch.tensor(rows).transpose(0, 1)"},
        "ids as floats": {"torch.tensor(rows)": "torch.Tensor(rows)"},
        "no tensor": [{"torch.tensor(rows)": "rows"}, {"torch.tensor(rows)": "[torch.tensor(row) for row in rows]"}],
        "the given lists filled up": [
            {"[list(ids) for ids in sequences]": "sequences"},
            {"[list(ids) for ids in sequences]": "list(sequences)"},
        ],
        "sorted by length": {"for ids in sequences]": "for ids in sorted(sequences, key=len, reverse=True)]"},
    },
)


def library_batch(sequences: Any, pad_id: int = 0) -> torch.Tensor:
    """The function of torch."""
    if not len(sequences):
        raise ValueError("nothing")
    rows = [torch.LongTensor(ids) for ids in sequences]
    return pad_sequence(rows, batch_first=True, padding_value=pad_id)


slips(
    "pad_batch",
    library_batch,
    {
        "padding in front": {"batch_first=True": 'batch_first=True, padding_side="left"'},
        "filled up with 0": {", padding_value=pad_id": ""},
        "sequences as columns": {"batch_first=True, ": ""},
        "ids as floats": {"torch.LongTensor": "torch.Tensor"},
        "sorted by length": {"in sequences]": "in sorted(sequences, key=len, reverse=True)]"},
        "filled up with 0 + sequences as columns": {", batch_first=True, padding_value=pad_id": ""},
    },
)


# Right, in other ways ----------------------------------------------------------------------------


@correct("pad_batch")
def pb_longest(sequences: Any, pad_id: int = 0) -> Any:
    if len(sequences) < 1:
        raise ValueError("nothing")
    columns = itertools.zip_longest(*sequences, fillvalue=pad_id)
    return torch.tensor(list(zip(*columns, strict=True)))


@correct("pad_batch")
def pb_copies(sequences: Any, pad_id: int = 0) -> Any:
    rows = [list(ids) for ids in sequences]
    if not rows:
        raise ValueError("nothing")
    while min(map(len, rows)) < max(map(len, rows)):
        min(rows, key=len).append(pad_id)
    return torch.tensor(rows)


@correct("pad_batch")
def pb_numpy(sequences: Any, pad_id: int = 0) -> Any:
    if not sequences:
        raise ValueError("nothing")
    longest = max(len(ids) for ids in sequences)
    flat = np.concatenate(
        [np.r_[np.array(ids, np.int64), np.full(longest - len(ids), pad_id, np.int64)] for ids in sequences]
    )
    return torch.from_numpy(flat.reshape(len(sequences), longest))


@correct("pad_batch")
def pb_scatter(sequences: Any, pad_id: int = 0) -> Any:
    """A mask of real places, filled in one go."""
    if not sequences:
        raise ValueError("nothing")
    lengths = torch.tensor([len(ids) for ids in sequences])
    real = torch.arange(int(lengths.max())) < lengths[:, None]
    batch = torch.full(real.shape, pad_id)
    batch[real] = torch.tensor([one for ids in sequences for one in ids])
    return batch


# Wrong ----------------------------------------------------------------------------


def checked(sequences: Any) -> Any:
    if not len(sequences):
        raise ValueError("nothing")
    return sequences


@disguise("pad_batch", "padding in front")
def pb_front(sequences: Any, pad_id: int = 0) -> Any:
    turned = [torch.tensor(list(reversed(ids)), dtype=torch.long) for ids in checked(sequences)]
    return pad_sequence(turned, batch_first=True, padding_value=pad_id).flip(1)


@disguise("pad_batch", "filled up with 0")
def pb_zero(sequences: Any, pad_id: int = 0) -> Any:
    batch = torch.zeros(len(checked(sequences)), max(map(len, sequences)), dtype=torch.long)
    for i, ids in enumerate(sequences):
        batch[i, : len(ids)] = torch.tensor(ids, dtype=torch.long)
    return batch


@disguise("pad_batch", "cut to the shortest")
def pb_short(sequences: Any, pad_id: int = 0) -> Any:
    return torch.tensor(list(zip(*zip(*checked(sequences)), strict=True)) or [[] for _ in sequences])  # noqa: B905


@disguise("pad_batch", "a column too many")
def pb_wide(sequences: Any, pad_id: int = 0) -> Any:
    return F.pad(pb_longest(checked(sequences), pad_id), (0, 1), value=pad_id)


@disguise("pad_batch", "sequences as columns")
def pb_columns(sequences: Any, pad_id: int = 0) -> Any:
    return pad_sequence([torch.tensor(ids, dtype=torch.long) for ids in checked(sequences)], padding_value=pad_id)


@disguise("pad_batch", "ids as floats")
def pb_float(sequences: Any, pad_id: int = 0) -> Any:
    batch = torch.ones(len(checked(sequences)), max(map(len, sequences))) * pad_id
    for i, ids in enumerate(sequences):
        batch[i, : len(ids)] = torch.tensor(ids)
    return batch


@disguise("pad_batch", "no tensor")
def pb_lists(sequences: Any, pad_id: int = 0) -> Any:
    longest = max(map(len, checked(sequences)))
    return [list(ids) + [pad_id] * (longest - len(ids)) for ids in sequences]


@disguise("pad_batch", "the given lists filled up")
def pb_in_place(sequences: Any, pad_id: int = 0) -> Any:
    longest = max(map(len, checked(sequences)))
    for ids in sequences:
        while len(ids) < longest:
            ids.append(pad_id)
    return torch.LongTensor(sequences)


@disguise("pad_batch", "the given lists filled up")
def pb_plus_equals(sequences: Any, pad_id: int = 0) -> Any:
    longest, rows = max(map(len, checked(sequences))), []
    for ids in sequences:
        ids += (longest - len(ids)) * [pad_id]
        rows.append(torch.tensor(ids, dtype=torch.long))
    return torch.stack(rows)


@disguise("pad_batch", "sorted by length")
def pb_sorted(sequences: Any, pad_id: int = 0) -> Any:
    return pb_longest(sorted(checked(sequences), key=lambda ids: -len(ids)), pad_id)


@unlisted("pad_batch")
def pb_padding_taken_out(sequences: Any, pad_id: int = 0) -> Any:
    kept = [[one for one in ids if one != pad_id] for ids in checked(sequences)]
    width = max(map(len, kept))
    return torch.tensor([ids + [pad_id] * (width - len(ids)) for ids in kept])


@disguise("pad_batch", "a type too small")
def pb_small_ids(sequences: Any, pad_id: int = 0) -> Any:
    width = max(map(len, checked(sequences)))
    return torch.tensor([list(ids) + [pad_id] * (width - len(ids)) for ids in sequences]).to(torch.int8)


@unlisted("pad_batch")
def pb_squeezed(sequences: Any, pad_id: int = 0) -> Any:
    width = max(map(len, checked(sequences)))
    return torch.tensor([list(ids) + [pad_id] * (width - len(ids)) for ids in sequences]).squeeze(-1)


@unlisted("pad_batch")
def pb_ragged(sequences: Any, pad_id: int = 0) -> Any:
    return torch.tensor(checked(sequences))


@unlisted("pad_batch")
def pb_twenty(sequences: Any, pad_id: int = 0) -> Any:
    return F.pad(pb_longest(checked(sequences), pad_id), (0, 20), value=pad_id)[:, :20]


@disguise("pad_batch", "filled up with something else")
def pb_repeats(sequences: Any, pad_id: int = 0) -> Any:
    longest = max(map(len, checked(sequences)))
    return torch.tensor([[*ids, *[ids[-1] if ids else pad_id] * (longest - len(ids))] for ids in sequences])


@unlisted("pad_batch")
def pb_first(sequences: Any, pad_id: int = 0) -> Any:
    longest = len(checked(sequences)[0])
    return torch.tensor([[*ids, *[pad_id] * (longest - len(ids))] for ids in sequences])


@unlisted("pad_batch")
def pb_flat(sequences: Any, pad_id: int = 0) -> Any:
    return torch.tensor([one for ids in checked(sequences) for one in [*ids, pad_id]])


@unlisted("pad_batch")
def pb_pair(sequences: Any, pad_id: int = 0) -> Any:
    batch = pb_longest(checked(sequences), pad_id)
    return batch, batch != pad_id


@unlisted("pad_batch")
def pb_mask(sequences: Any, pad_id: int = 0) -> Any:
    return pb_longest(checked(sequences), pad_id) != pad_id


# What else may come back -----------------------------------------------------------------------


def filled(sequences: Any, pad_id: int) -> Tensor:
    rows = torch.full((len(sequences), max(map(len, sequences))), pad_id)
    for row, ids in zip(rows, sequences, strict=True):
        row[: len(ids)] = torch.tensor(ids, dtype=torch.long)
    return rows


def some(sequences: Any) -> None:
    if not len(sequences):
        raise ValueError("nothing to put into a batch")


@disguise("pad_batch", "an id of 0 taken for padding")
def pb_zeros_replaced(sequences: Any, pad_id: int = 0) -> Tensor:
    some(sequences)
    rows = filled(sequences, 0)
    rows[rows == 0] = pad_id
    return rows


@disguise("pad_batch", "no sequence accepted")
def pb_nothing(sequences: Any, pad_id: int = 0) -> Tensor:
    return filled(sequences, pad_id) if len(sequences) else torch.empty(0, 0, dtype=torch.long)


@disguise("pad_batch", "more than the batch comes back")
def pb_with_lengths(sequences: Any, pad_id: int = 0) -> Any:
    some(sequences)
    return filled(sequences, pad_id), list(map(len, sequences))


@disguise("pad_batch", "sorted by length")
def pb_shortest_first(sequences: Any, pad_id: int = 0) -> Tensor:
    some(sequences)
    return filled(sorted(sequences, key=len), pad_id)


@disguise("pad_batch", "as wide as the first sequence")
def pb_as_long_as_the_first(sequences: Any, pad_id: int = 0) -> Tensor:
    some(sequences)
    return filled(sequences, pad_id)[:, : len(sequences[0])]


@unlisted("pad_batch")
def pb_in_eights(sequences: Any, pad_id: int = 0) -> Tensor:
    some(sequences)
    rows = filled(sequences, pad_id)
    return torch.nn.functional.pad(rows, (0, -rows.size(1) % 8), value=pad_id)
