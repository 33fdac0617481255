"""Masks: causal, for padding, and as torch wants them."""

import numpy as np
import torch
from torch import Tensor, nn

from tests import variants
from tests.variants.attention.parts import INF, correct, disguise, slips, unlisted


def by_head(mask: Tensor, num_heads: int) -> list[Tensor]:
    """The inverted mask of every head of every sequence, in torch's order."""
    return [~mask[b, h if mask.size(1) > 1 else 0] for b in range(mask.size(0)) for h in range(num_heads)]


# Slips in right code: causal_mask ----------------------------------------------------------------------------


def by_comparison(seq_len: int) -> Tensor:
    position = torch.arange(seq_len)
    return position.unsqueeze(0) <= position.unsqueeze(1)


COMPARED = "position.unsqueeze(0) <= position.unsqueeze(1)"

slips(
    "causal_mask",
    by_comparison,
    {
        "inverted": {"<=": ">"},
        "looks at the future": [
            {"<=": ">="},
            {"unsqueeze(0)": "unsqueeze(1)", "<= position.unsqueeze(1)": "<= position.unsqueeze(0)"},
        ],
        "excludes itself": {"<=": "<"},
        "sees the next token": {"unsqueeze(1)": "unsqueeze(1) + 1"},
        "numbers instead of booleans": [{COMPARED: f"({COMPARED}).float()"}, {COMPARED: f"({COMPARED}).int()"}],
        "0 and -inf instead of booleans": [
            {COMPARED: f"torch.where({COMPARED}, 0.0, -INF)"},
            {COMPARED: f"torch.where({COMPARED}, 0.0, -1e9)"},
        ],
        "dimensions too many": [{COMPARED: f"({COMPARED})[None, None]"}, {COMPARED: f"({COMPARED})[None]"}],
        "a query sees nothing": {COMPARED: f"({COMPARED}) & (position > 0)[:, None]"},
        "excludes itself + dimensions too many": {COMPARED: "(position.unsqueeze(0) < position.unsqueeze(1))[None]"},
        "hides what came before": [
            {"<=": "=="},
            {COMPARED: f"({COMPARED}) & (position.unsqueeze(0) >= position.unsqueeze(1) - 1)"},
            {COMPARED: f"({COMPARED}) & (position > 0)"},
        ],
        "only itself hidden": {"<=": "!="},
        "turned round": {COMPARED: f"({COMPARED}).flip(0)"},
        "another size": [
            {"arange(seq_len)": "arange(seq_len + 1)"},
            {"arange(seq_len)": "arange(1, seq_len)"},
            {"arange(seq_len)": "arange(5)"},
        ],
        "a list instead of a tensor": {COMPARED: f"({COMPARED}).tolist()"},
        "inverted + hides what came before": {COMPARED: f"~(({COMPARED}) & (position > 0))"},
        "excludes itself + another size": {"arange(seq_len)": "arange(seq_len + 1)", "<=": "<"},
    },
)


def row_by_row(seq_len: int) -> Tensor:
    mask = torch.zeros((seq_len, seq_len), dtype=torch.bool)
    for i in range(seq_len):
        mask[i, : i + 1] = True
    return mask


slips(
    "causal_mask",
    row_by_row,
    {
        "only the first row filled": {"    return mask": "        return mask"},
        "a query sees nothing": [
            {"range(seq_len)": "range(1, seq_len)"},
            {"range(seq_len)": "range(seq_len - 1)"},
        ],
        "inverted": {"torch.zeros": "torch.ones", "= True": "= False"},
        "looks at the future": [{"[i, : i + 1]": "[i, i:]"}, {"[i, : i + 1]": "[: i + 1, i]"}],
        "excludes itself": {": i + 1": ":i"},
        "sees the next token": {": i + 1": ": i + 2"},
        "hides nothing": [{"[i, : i + 1]": "[i]"}, {"torch.zeros": "torch.ones"}],
        "numbers instead of booleans": [{", dtype=torch.bool": ""}, {"torch.bool": "torch.int"}],
        "0 and -inf instead of booleans": [
            {"torch.zeros((seq_len, seq_len), dtype=torch.bool)": "torch.full((seq_len, seq_len), -INF)", "True": "0"},
            {"torch.zeros((seq_len, seq_len), dtype=torch.bool)": "torch.full((seq_len, seq_len), -1e9)", "True": "0"},
        ],
        "dimensions too many": {"return mask": "return mask.unsqueeze(0)"},
        "hides what came before": [
            {": i + 1": "i : i + 1"},
            {": i + 1": "max(i - 2, 0) : i + 1"},
            {": i + 1": "1 : i + 1"},
            {"[i, : i + 1]": "[i, 0]"},
        ],
        "turned round": {"return mask": "return mask.flip(1)"},
        "another size": {"(seq_len, seq_len)": "(seq_len - 1, seq_len - 1)", "range(seq_len)": "range(seq_len - 1)"},
        "hides what came before + dimensions too many": {": i + 1": "i : i + 1", "return mask": "return mask[None]"},
    },
)


def not_the_future(seq_len: int) -> Tensor:
    future = torch.triu(torch.ones(seq_len, seq_len), diagonal=1)
    return future.logical_not()


slips(
    "causal_mask",
    not_the_future,
    {
        "inverted": {"logical_not": "bool"},
        "looks at the future": {"triu": "tril", "diagonal=1": "diagonal=-1"},
        "excludes itself": {", diagonal=1": ""},
        "sees the next token": {"diagonal=1": "diagonal=2"},
        "hides nothing": {"torch.ones": "torch.zeros"},
        "numbers instead of booleans": {"future.logical_not()": "1 - future"},
        "0 and -inf instead of booleans": {"future.logical_not()": "future.masked_fill(future > 0, -INF)"},
        "dimensions too many": [{"ones(seq_len": "ones(1, seq_len"}, {"ones(seq_len": "ones(1, 1, seq_len"}],
    },
)


def by_list(seq_len: int) -> Tensor:
    rows = [[j <= i for j in range(seq_len)] for i in range(seq_len)]
    return torch.tensor(rows)


slips(
    "causal_mask",
    by_list,
    {
        "inverted": {"j <= i": "j > i"},
        "looks at the future": {"j <= i": "i <= j"},
        "excludes itself": {"j <= i": "j < i"},
        "sees the next token": {"j <= i": "j <= i + 1"},
        "hides nothing": {"j <= i": "j <= seq_len"},
        "numbers instead of booleans": {"j <= i": "int(j <= i)"},
        "0 and -inf instead of booleans": {"j <= i": "0.0 if j <= i else -INF"},
        "dimensions too many": {"(rows)": "([rows])"},
    },
)


# Slips in right code: padding_mask ----------------------------------------------------------------------------


def unsqueezed(token_ids: Tensor, pad_id: int) -> Tensor:
    real = token_ids.ne(pad_id)
    return real.unsqueeze(1).unsqueeze(2)


slips(
    "padding_mask",
    unsqueezed,
    {
        "inverted": {".ne(": ".eq("},
        "dimensions missing": [{".unsqueeze(1).unsqueeze(2)": ""}, {".unsqueeze(2)": ""}],
        "over queries": {".unsqueeze(2)": ".unsqueeze(3)"},
        "queries hidden as well": {".unsqueeze(2)": ".unsqueeze(2) & real.unsqueeze(1).unsqueeze(3)"},
        "expanded to all queries": [
            {".unsqueeze(2)": ".unsqueeze(2).expand(-1, -1, real.size(1), -1)"},
            {".unsqueeze(2)": ".expand(-1, real.size(1), -1)"},
        ],
        "dimensions in front": {".unsqueeze(1).unsqueeze(2)": ".unsqueeze(0).unsqueeze(0)"},
        "dimensions behind": {".unsqueeze(1).unsqueeze(2)": ".unsqueeze(2).unsqueeze(3)"},
        "pad_id not used": {"ne(pad_id)": "ne(0)"},
        "> instead of !=": {".ne(": ".gt("},
        "numbers instead of booleans": [{"ne(pad_id)": "ne(pad_id).int()"}, {"ne(pad_id)": "ne(pad_id).float()"}],
        "0 and -inf instead of booleans": {"token_ids.ne(pad_id)": "torch.where(token_ids.ne(pad_id), 0.0, -INF)"},
        "padding only at the end": {
            "\n    return": "\n    real = torch.arange(real.size(1)) < real.sum(1, keepdim=True)\n    return"
        },
        "first sequence's mask for all": [
            {"token_ids.ne(": "token_ids[:1].ne("},
            {"token_ids.ne(pad_id)": "token_ids[:1].ne(pad_id).repeat(len(token_ids), 1)"},
        ],
        "a key is left out": {"token_ids.ne(": "token_ids[:, 1:].ne("},
        "numbers instead of booleans + writes into the ids": {".ne(": ".ne_("},
        "inverted + pad_id not used": {"ne(pad_id)": "eq(0)"},
        "inverted + numbers instead of booleans": {"ne(pad_id)": "eq(pad_id).float()"},
    },
)


def viewed(token_ids: Tensor, pad_id: int) -> Tensor:
    batch, key_len = token_ids.shape
    padding = token_ids == pad_id
    return torch.logical_not(padding).view(batch, 1, 1, key_len)


slips(
    "padding_mask",
    viewed,
    {
        "inverted": {"torch.logical_not(padding)": "padding"},
        "dimensions missing": [{".view(batch, 1, 1, key_len)": ""}, {"1, 1, ": "1, "}],
        "over queries": {"1, 1, key_len": "1, key_len, 1"},
        "expanded to all queries": {"1, 1, key_len)": "1, 1, key_len).repeat(1, 1, key_len, 1)"},
        "dimensions in front": {"batch, 1, 1, key_len": "1, 1, batch, key_len"},
        "dimensions behind": {"batch, 1, 1, key_len": "batch, key_len, 1, 1"},
        "pad_id not used": {"== pad_id": "== 0"},
        "> instead of !=": {"== pad_id": "<= pad_id"},
        "numbers instead of booleans": {"torch.logical_not(padding)": "(1 - padding.int())"},
        "0 and -inf instead of booleans": [
            {"torch.logical_not(padding)": "torch.zeros(batch, key_len).masked_fill(padding, -INF)"},
            {"torch.logical_not(padding)": "(padding * -1e9)"},
            {"torch.logical_not(padding)": "(padding.float() * torch.finfo(torch.float32).min)"},
        ],
        "padding only at the end": {
            "token_ids == pad_id": "torch.arange(key_len) >= (token_ids != pad_id).sum(1, keepdim=True)"
        },
    },
)


def filled(token_ids: Tensor, pad_id: int) -> Tensor:
    mask = torch.ones(token_ids.size(0), 1, 1, token_ids.size(1), dtype=torch.bool)
    for row, ids in zip(mask, token_ids, strict=True):
        row[..., ids == pad_id] = False
    return mask


slips(
    "padding_mask",
    filled,
    {
        "inverted": [{"torch.ones": "torch.zeros", "= False": "= True"}, {"ids == pad_id": "ids != pad_id"}],
        "dimensions missing": [{"1, 1, ": ""}, {"1, 1, ": "1, "}],
        "over queries": {
            "1, 1, token_ids.size(1)": "1, token_ids.size(1), 1",
            "[..., ids == pad_id]": "[:, ids == pad_id]",
        },
        "queries hidden as well": {
            "1, 1, token_ids.size(1)": "1, token_ids.size(1), token_ids.size(1)",
            "= False": "= False\n        row[:, ids == pad_id] = False",
        },
        "expanded to all queries": {"1, 1, token": "1, token_ids.size(1), token"},
        "dimensions behind": {
            "1, 1, token_ids.size(1)": "token_ids.size(1), 1, 1",
            "[..., ids == pad_id]": "[ids == pad_id]",
        },
        "pad_id not used": {"ids == pad_id": "ids == 0"},
        "> instead of !=": {"ids == pad_id": "ids <= pad_id"},
        "numbers instead of booleans": {", dtype=torch.bool": ""},
        "0 and -inf instead of booleans": {"ones": "zeros", ", dtype=torch.bool": "", "= False": "= -INF"},
        "padding only at the end": {"ids == pad_id]": "len(ids) - (ids == pad_id).sum() :]"},
    },
)


def by_lists(token_ids: Tensor, pad_id: int) -> Tensor:
    rows = [[one != pad_id for one in row] for row in token_ids.tolist()]
    return torch.tensor([[[row]] for row in rows])


slips(
    "padding_mask",
    by_lists,
    {
        "inverted": {"!=": "=="},
        "dimensions missing": [{"[[[row]] for row in rows]": "rows"}, {"[[[row]]": "[[row]"}],
        "dimensions in front": {"[[[row]] for row in rows]": "[[rows]]"},
        "over queries": {
            "[one != pad_id for": "[[one != pad_id] for",
            "[[[row]] for row in rows]": "[[row] for row in rows]",
        },
        "dimensions behind": {"[one != pad_id for": "[[[one != pad_id]] for", "[[[row]] for row in rows]": "rows"},
        "queries hidden as well": {"[row]]": "[[a and b for b in row] for a in row]]"},
        "expanded to all queries": {"[[[row]]": "[[[row for _ in row]]"},
        "pad_id not used": {"one != pad_id": "one != 0"},
        "> instead of !=": {"!=": ">"},
        "numbers instead of booleans": {"one != pad_id": "float(one != pad_id)"},
        "padding only at the end": {
            "\n    return": "\n    rows = [sorted(row, reverse=True) for row in rows]\n    return"
        },
    },
)


# Slips in right code: to_torch_mask ----------------------------------------------------------------------------


def head_by_head(mask: Tensor, num_heads: int) -> Tensor:
    given = mask.size(1)
    rows = []
    for sequence in mask:
        for head in range(num_heads):
            seen = sequence[head % given]
            rows.append(~seen)
    return torch.stack(rows)


slips(
    "to_torch_mask",
    head_by_head,
    {
        "not inverted": {"~seen": "seen"},
        "heads not repeated": {"range(num_heads)": "range(given)"},
        "heads before batch": {
            "sequence in mask": "head in range(num_heads)",
            "head in range(num_heads)": "sequence in mask",
        },
        "four dimensions left": {"torch.stack(rows)": "torch.stack(rows).view(len(mask), num_heads, *mask.shape[2:])"},
        "0 and -inf instead of booleans": {"~seen": "torch.where(seen, 0.0, -INF)"},
        "numbers instead of booleans": [{"~seen": "1.0 - seen.float()"}, {"~seen": "(~seen).int()"}],
        "first head's mask for all": {"head % given": "0"},
        "one mask for all heads": [
            {"sequence[head % given]": seen} for seen in ("sequence.any(0)", "sequence.all(0)", "sequence[-1]")
        ],
        "first sequence's mask for all": {"seen = sequence": "seen = mask[0]"},
        "heads' own masks repeated": {
            "seen = sequence[head % given]\n            rows": "for seen in sequence:\n                rows",
        },
        "queries and keys exchanged": {"~seen": "~seen.T"},
    },
)


def inverted_first(mask: Tensor, num_heads: int) -> Tensor:
    hidden = torch.logical_not(mask)
    if mask.size(1) == 1:
        hidden = hidden.repeat(1, num_heads, 1, 1)
    return hidden.reshape(-1, mask.size(-2), mask.size(-1))


slips(
    "to_torch_mask",
    inverted_first,
    {
        "not inverted": [
            {"torch.logical_not(mask)": "mask"},
            {"torch.logical_not(mask)": "mask", "hidden.repeat(1,": "~mask.repeat(1,"},
            {"hidden.repeat(1,": "mask.repeat(1,"},
        ],
        "heads not repeated": {"hidden.repeat(1, num_heads, 1, 1)": "hidden"},
        "heads before batch": {"repeat(1, num_heads,": "repeat(num_heads, 1,"},
        "four dimensions left": {".reshape(-1, mask.size(-2), mask.size(-1))": ""},
        "0 and -inf instead of booleans": {
            "torch.logical_not(mask)": "torch.zeros(mask.shape).masked_fill(~mask, -INF)"
        },
        "numbers instead of booleans": {"torch.logical_not(mask)": "1 - mask.float()"},
        "first sequence's mask for all": {"torch.logical_not(mask)": "torch.logical_not(mask[:1]).expand_as(mask)"},
        "heads' own masks repeated": {"if mask.size(1) == 1": "if num_heads > 1"},
        "writes into the mask": [
            {"torch.logical_not(mask)": "mask.logical_not_()"},
            {"torch.logical_not(mask)": "mask", "return hidden": "return hidden.logical_not_()"},
        ],
    },
)


def by_broadcasting(mask: Tensor, num_heads: int) -> Tensor:
    everything = torch.ones(1, num_heads, 1, 1, dtype=torch.bool)
    hidden = torch.bitwise_xor(mask & everything, everything)
    return torch.cat(list(hidden))


slips(
    "to_torch_mask",
    by_broadcasting,
    {
        "not inverted": {"torch.bitwise_xor(mask & everything, everything)": "mask & everything"},
        "heads not repeated": {"torch.ones(1, num_heads,": "torch.ones(1, 1,"},
        "heads before batch": {"list(hidden)": "list(hidden.transpose(0, 1))"},
        "four dimensions left": {"torch.cat(list(hidden))": "hidden"},
        "0 and -inf instead of booleans": {"list(hidden)": "list(torch.where(hidden, -INF, 0.0))"},
        "numbers instead of booleans": {"list(hidden)": "list(hidden.float())"},
        "heads joined with queries": {"torch.cat(list(hidden))": "hidden.flatten(1, 2)"},
        "one mask for all heads": [{"mask &": "mask.any(1, True) &"}, {"mask &": "mask[:, -1:] &"}],
        "first head's mask for all": {"mask &": "mask[:, :1] &"},
        "first sequence's mask for all": {"list(hidden)": "[hidden[0] for _ in hidden]"},
        "queries and keys exchanged": {"list(hidden)": "list(hidden.mT)"},
        "writes into the mask": {
            "torch.bitwise_xor(mask & everything, everything)": "mask.bitwise_xor_(everything[:, :1]) & everything"
        },
    },
)


def interleaved_where_needed(mask: Tensor, num_heads: int) -> Tensor:
    copies = num_heads // mask.shape[1]
    flat = mask.reshape(-1, *mask.shape[-2:])
    return flat.repeat_interleave(copies, 0) == 0


slips(
    "to_torch_mask",
    interleaved_where_needed,
    {
        "not inverted": {"== 0": "!= 0"},
        "heads before batch": {"flat.repeat_interleave(copies, 0)": "flat.repeat(copies, 1, 1)"},
        "first head's mask for all": {"mask.reshape(-1, *mask.shape[-2:])": "mask[:, 0]", " // mask.shape[1]": ""},
        "heads' own masks repeated": {" // mask.shape[1]": ""},
        "queries and keys exchanged": {"flat =": "mask = mask.transpose(2, 3)\n    flat ="},
        "numbers instead of booleans": {
            "flat.repeat_interleave(copies, 0) == 0": "1 - flat.repeat_interleave(copies, 0).long()"
        },
        "writes into the mask": {"flat =": "mask.logical_not_()\n    flat =", "== 0": "!= 0"},
    },
)


# Wrong on purpose, written in full ----------------------------------------------------------------------------


@disguise("causal_mask", "inverted")
def future_true(seq_len: int) -> Tensor:
    return torch.triu(torch.ones((seq_len, seq_len)), diagonal=1).bool()


@disguise("causal_mask", "looks at the future")
def rows_and_columns(seq_len: int) -> Tensor:
    i = torch.arange(seq_len)
    return i.unsqueeze(1) <= i.unsqueeze(0)


@disguise("causal_mask", "excludes itself")
def strictly_before(seq_len: int) -> Tensor:
    i = torch.arange(seq_len)
    return i[:, None] > i


@disguise("causal_mask", "sees the next token")
def one_ahead(seq_len: int) -> Tensor:
    i = torch.arange(seq_len)
    return i <= i[:, None] + 1


@disguise("causal_mask", "hides nothing")
def square_of_ones(seq_len: int) -> Tensor:
    return torch.full((seq_len, seq_len), True)


@disguise("causal_mask", "numbers instead of booleans")
def ones_and_zeros(seq_len: int) -> Tensor:
    return torch.tril(torch.ones(seq_len, seq_len))


@disguise("causal_mask", "0 and -inf instead of booleans")
def of_torch(seq_len: int) -> Tensor:
    return nn.Transformer.generate_square_subsequent_mask(seq_len)


@disguise("causal_mask", "dimensions too many")
def annotated(seq_len: int) -> Tensor:
    return torch.triu(torch.ones(1, seq_len, seq_len), diagonal=1) == 0


@disguise("causal_mask", "only the first row filled")
def back_too_early(seq_len: int) -> Tensor:
    square = torch.full((seq_len, seq_len), False)
    square[0, 0] = True
    return square


@disguise("causal_mask", "a query sees nothing")
def last_one_blind(seq_len: int) -> Tensor:
    rows = [[j <= i < seq_len - 1 for j in range(seq_len)] for i in range(seq_len)]
    return torch.tensor(rows)


@disguise("padding_mask", "inverted")
def torch_polarity(token_ids: Tensor, pad_id: int) -> Tensor:
    return token_ids.eq(pad_id).unsqueeze(1).unsqueeze(2)


@disguise("padding_mask", "inverted + pad_id not used")
def zeros_are_padding(token_ids: Tensor, pad_id: int) -> Tensor:
    return torch.logical_not(token_ids)[:, None, None]


@disguise("padding_mask", "dimensions missing")
def three_dimensions(token_ids: Tensor, pad_id: int) -> Tensor:
    return token_ids.ne(pad_id).unsqueeze(-2)


@disguise("padding_mask", "over queries")
def along_queries(token_ids: Tensor, pad_id: int) -> Tensor:
    return (token_ids != pad_id).view(token_ids.size(0), 1, -1, 1)


@disguise("padding_mask", "queries hidden as well")
def outer(token_ids: Tensor, pad_id: int) -> Tensor:
    real = token_ids != pad_id
    return torch.einsum("bi,bj->bij", real.float(), real.float()).bool().unsqueeze(1)


@disguise("padding_mask", "expanded to all queries")
def repeated_rows(token_ids: Tensor, pad_id: int) -> Tensor:
    batch, length = token_ids.shape
    return (token_ids != pad_id).reshape(batch, 1, 1, length).repeat(1, 1, length, 1)


@disguise("padding_mask", "dimensions in front")
def leading_ones(token_ids: Tensor, pad_id: int) -> Tensor:
    return token_ids.ne(pad_id).unsqueeze(0).unsqueeze(0)


@disguise("padding_mask", "pad_id not used")
def above_zero(token_ids: Tensor, pad_id: int) -> Tensor:
    return token_ids.gt(0).view(len(token_ids), 1, 1, -1)


@disguise("padding_mask", "pad_id not used")
def truthy(token_ids: Tensor, pad_id: int) -> Tensor:
    return token_ids.bool()[:, None, None]


@disguise("padding_mask", "> instead of !=")
def greater(token_ids: Tensor, pad_id: int) -> Tensor:
    return token_ids.gt(pad_id)[:, None, None]


@disguise("padding_mask", "numbers instead of booleans")
def ones_for_tokens(token_ids: Tensor, pad_id: int) -> Tensor:
    return torch.where(token_ids == pad_id, 0, 1)[:, None, None, :]


@disguise("padding_mask", "0 and -inf instead of booleans")
def to_be_added(token_ids: Tensor, pad_id: int) -> Tensor:
    return torch.where(token_ids == pad_id, -INF, 0.0)[:, None, None, :]


@disguise("padding_mask", "padding only at the end")
def by_length(token_ids: Tensor, pad_id: int) -> Tensor:
    lengths = (token_ids != pad_id).sum(-1)
    rows = [[j < int(n) for j in range(token_ids.shape[1])] for n in lengths]
    return torch.tensor(rows)[:, None, None, :]


@disguise("padding_mask", "padding only at the end")
def up_to_the_first(token_ids: Tensor, pad_id: int) -> Tensor:
    return (token_ids != pad_id).long().cumprod(1).bool()[:, None, None, :]


@disguise("padding_mask", "padding only at the end")
def down_to_the_last(token_ids: Tensor, pad_id: int) -> Tensor:
    rows = [[any(one != pad_id for one in row[j:]) for j in range(len(row))] for row in token_ids.tolist()]
    return torch.tensor(rows)[:, None, None, :]


@disguise("padding_mask", "dimensions in front")
def batch_for_heads(token_ids: Tensor, pad_id: int) -> Tensor:
    return token_ids.ne(pad_id).unsqueeze(0).unsqueeze(2)


@disguise("padding_mask", "causal mask built in")
def both_masks_at_once(token_ids: Tensor, pad_id: int) -> Tensor:
    place = torch.arange(token_ids.shape[1])
    return token_ids.ne(pad_id)[:, None, None] & (place[:, None] >= place)


@disguise("padding_mask", "dimensions behind")
def heads_behind(token_ids: Tensor, pad_id: int) -> Tensor:
    return (token_ids != pad_id)[..., None, None]


@disguise("padding_mask", "first sequence's mask for all")
def of_one_sequence(token_ids: Tensor, pad_id: int) -> Tensor:
    return torch.stack([token_ids[0].ne(pad_id)[None, None]] * len(token_ids))


@disguise("padding_mask", "a key is left out")
def last_id_forgotten(token_ids: Tensor, pad_id: int) -> Tensor:
    return torch.ne(token_ids.narrow(1, 0, token_ids.shape[1] - 1), pad_id)[:, None, None]


@disguise("padding_mask", "a list instead of a tensor")
def lists_in_lists(token_ids: Tensor, pad_id: int) -> list:
    return [[[[one != pad_id for one in row]]] for row in token_ids.tolist()]


@disguise("padding_mask", "writes into the ids")
def over_the_ids(token_ids: Tensor, pad_id: int) -> Tensor:
    token_ids[:] = token_ids != pad_id
    return (token_ids == 1)[:, None, None]


@disguise("to_torch_mask", "not inverted")
def same_polarity(mask: Tensor, num_heads: int) -> Tensor:
    return ~torch.stack(by_head(mask, num_heads))


@disguise("to_torch_mask", "heads not repeated")
def squeezed(mask: Tensor, num_heads: int) -> Tensor:
    return torch.logical_not(mask).reshape(-1, *mask.shape[2:])


@disguise("to_torch_mask", "heads before batch")
def heads_outside(mask: Tensor, num_heads: int) -> Tensor:
    heads = [mask[:, h if mask.size(1) > 1 else 0] for h in range(num_heads)]
    return ~torch.cat(heads)


@disguise("to_torch_mask", "heads before batch")
def forum_repeat(mask: Tensor, num_heads: int) -> Tensor:
    return torch.cat([mask] * num_heads).flatten(end_dim=1).logical_not()


@disguise("to_torch_mask", "heads before batch")
def flat_repeat(mask: Tensor, num_heads: int) -> Tensor:
    return ~torch.squeeze(mask, 1).repeat([num_heads, 1, 1])


@disguise("to_torch_mask", "four dimensions left")
def still_four(mask: Tensor, num_heads: int) -> Tensor:
    return torch.stack(by_head(mask, num_heads)).unflatten(0, (-1, num_heads))


@disguise("to_torch_mask", "0 and -inf instead of booleans")
def floats_to_add(mask: Tensor, num_heads: int) -> Tensor:
    hidden = torch.stack(by_head(mask, num_heads))
    return torch.where(hidden, -INF, 0.0)


@disguise("to_torch_mask", "numbers instead of booleans")
def one_minus(mask: Tensor, num_heads: int) -> Tensor:
    return 1.0 - (~torch.stack(by_head(mask, num_heads))).float()


@disguise("to_torch_mask", "first head's mask for all")
def head_zero(mask: Tensor, num_heads: int) -> Tensor:
    return (~mask)[:, 0].repeat_interleave(num_heads, dim=0)


@disguise("to_torch_mask", "one mask for all heads")
def seen_by_some_head(mask: Tensor, num_heads: int) -> Tensor:
    return (mask.sum(1) == 0).repeat_interleave(num_heads, 0)


@disguise("to_torch_mask", "one mask for all heads")
def seen_by_every_head(mask: Tensor, num_heads: int) -> Tensor:
    return (~mask).any(1).repeat_interleave(num_heads, 0)


@disguise("to_torch_mask", "heads joined with queries")
def rows_of_all_heads(mask: Tensor, num_heads: int) -> Tensor:
    return torch.cat([~mask[:, head % mask.size(1)] for head in range(num_heads)], dim=1)


@disguise("to_torch_mask", "not inverted")
def inverted_where_shared(mask: Tensor, num_heads: int) -> Tensor:
    if mask.size(1) == num_heads > 1:
        return mask.reshape(-1, *mask.shape[2:])
    return torch.stack(by_head(mask, num_heads))


@disguise("to_torch_mask", "first sequence's mask for all")
def sequence_zero(mask: Tensor, num_heads: int) -> Tensor:
    return torch.stack(by_head(mask, num_heads)[:num_heads] * mask.size(0))


@disguise("to_torch_mask", "heads' own masks repeated")
def interleaved(mask: Tensor, num_heads: int) -> Tensor:
    return torch.stack([~one for sequence in mask for one in sequence for _ in range(num_heads)])


@disguise("to_torch_mask", "heads' own masks repeated")
def as_in_forums(mask: Tensor, num_heads: int) -> Tensor:
    return ~torch.repeat_interleave(mask, num_heads, dim=0).squeeze(dim=1)


@disguise("to_torch_mask", "queries and keys exchanged")
def turned_over(mask: Tensor, num_heads: int) -> Tensor:
    return torch.stack([one.T for one in by_head(mask, num_heads)])


@disguise("to_torch_mask", "masks are left out")
def last_head_forgotten(mask: Tensor, num_heads: int) -> Tensor:
    each = by_head(mask, num_heads)
    return torch.stack([one for place, one in enumerate(each, 1) if place % num_heads])


@disguise("to_torch_mask", "masks are left out")
def first_sequence_alone(mask: Tensor, num_heads: int) -> Tensor:
    return torch.stack(by_head(mask, num_heads)[:num_heads])


@disguise("to_torch_mask", "a list instead of a tensor")
def not_stacked(mask: Tensor, num_heads: int) -> list[Tensor]:
    return by_head(mask, num_heads)


@disguise("to_torch_mask", "writes into the mask")
def inverted_for_good(mask: Tensor, num_heads: int) -> Tensor:
    torch.bitwise_not(mask, out=mask)
    return torch.stack([~one for one in by_head(mask, num_heads)])


@disguise("to_torch_mask", "heads not repeated")
def without_heads(mask: Tensor, num_heads: int) -> Tensor:
    return mask.squeeze(1).logical_not()


@variants.disguise("padding_mask", "ids of another form are not refused")
def of_any_form(token_ids: Tensor, pad_id: int) -> Tensor:
    return (token_ids != pad_id).unsqueeze(-2).unsqueeze(-2)


@variants.disguise("to_torch_mask", "masks that do not fit are not refused")
def spread_out(mask: Tensor, num_heads: int) -> Tensor:
    return torch.cat([~sequence.expand(num_heads, -1, -1) for sequence in mask])


@variants.disguise("to_torch_mask", "masks that do not fit are not refused")
def four_sizes(mask: Tensor, num_heads: int) -> Tensor:
    _, heads, query_len, key_len = mask.shape
    per_head = mask.repeat_interleave(num_heads, dim=1) if heads == 1 else mask
    return torch.logical_not(per_head).reshape(-1, query_len, key_len)


# Right, in unusual ways ----------------------------------------------------------------------------


@correct("causal_mask")
def from_torch(seq_len: int) -> Tensor:
    return nn.Transformer.generate_square_subsequent_mask(seq_len) == 0


@correct("causal_mask")
def by_cumulative_sum(seq_len: int) -> Tensor:
    return torch.eye(seq_len).flip(1).cumsum(1).flip(1) > 0


@correct("causal_mask")
def by_numpy(seq_len: int) -> Tensor:
    return torch.from_numpy(np.tri(seq_len, dtype=bool))


@correct("padding_mask")
def by_subtraction(token_ids: Tensor, pad_id: int) -> Tensor:
    return (token_ids - pad_id).bool()[:, None, None]


@correct("padding_mask")
def by_isin(token_ids: Tensor, pad_id: int) -> Tensor:
    return torch.isin(token_ids, torch.tensor([pad_id]), invert=True)[:, None][:, None]


@correct("padding_mask")
def by_where(token_ids: Tensor, pad_id: int) -> Tensor:
    return torch.where(token_ids == pad_id, False, True).reshape(token_ids.shape[0], 1, 1, -1)


@correct("to_torch_mask")
def by_comparison_with_false(mask: Tensor, num_heads: int) -> Tensor:
    batch, _, query_len, key_len = mask.shape
    return (mask == False).expand(batch, num_heads, query_len, key_len).flatten(end_dim=1)  # noqa: E712


# Wrong in ways that no list holds ----------------------------------------------------------------------------


@disguise("causal_mask", "hides what came before")
def only_itself(seq_len: int) -> Tensor:
    return torch.eye(seq_len, dtype=torch.bool)


@disguise("causal_mask", "hides what came before")
def last_three(seq_len: int) -> Tensor:
    i = torch.arange(seq_len)
    return (i <= i[:, None]) & (i > i[:, None] - 3)


@disguise("causal_mask", "turned round")
def flipped(seq_len: int) -> Tensor:
    return torch.ones(seq_len, seq_len, dtype=torch.bool).tril().flip(0)


@disguise("causal_mask", "only itself hidden")
def everybody_else(seq_len: int) -> Tensor:
    i = torch.arange(seq_len)
    return i.unsqueeze(0) != i.unsqueeze(1)


@unlisted("causal_mask")
def every_second(seq_len: int) -> Tensor:
    i = torch.arange(seq_len)
    return (i <= i[:, None]) & ((i[:, None] - i) % 2 == 0)


@unlisted("causal_mask")
def first_half(seq_len: int) -> Tensor:
    i = torch.arange(seq_len)
    return (i <= i[:, None]) & (i <= seq_len // 2)


@unlisted("causal_mask")
def one_row(seq_len: int) -> Tensor:
    return torch.arange(seq_len) <= seq_len


@disguise("causal_mask", "a list instead of a tensor")
def nested_list(seq_len: int) -> list:
    return [[j <= i for j in range(seq_len)] for i in range(seq_len)]


@disguise("causal_mask", "another size")
def one_too_long(seq_len: int) -> Tensor:
    return torch.ones(seq_len + 1, seq_len + 1).tril().bool()


@unlisted("padding_mask")
def any_sequence(token_ids: Tensor, pad_id: int) -> Tensor:
    return (token_ids != pad_id).any(0, keepdim=True).expand(token_ids.shape)[:, None, None, :]


@unlisted("padding_mask")
def below_as_well(token_ids: Tensor, pad_id: int) -> Tensor:
    return (token_ids < pad_id)[:, None, None, :]


@unlisted("padding_mask")
def not_zero_either(token_ids: Tensor, pad_id: int) -> Tensor:
    return ((token_ids != pad_id) & (token_ids != 0))[:, None, None, :]


@disguise("padding_mask", "hides nothing")
def all_true(token_ids: Tensor, pad_id: int) -> Tensor:
    return torch.ones_like(token_ids, dtype=torch.bool)[:, None, None, :]


@unlisted("to_torch_mask")
def everything_visible(mask: Tensor, num_heads: int) -> Tensor:
    return torch.zeros(mask.size(0) * num_heads, *mask.shape[2:], dtype=torch.bool)


@unlisted("to_torch_mask")
def key_padding_only(mask: Tensor, num_heads: int) -> Tensor:
    return ~mask[:, 0].any(1)


@unlisted("to_torch_mask")
def last_sequence(mask: Tensor, num_heads: int) -> Tensor:
    return ~mask[-1:].expand(mask.size(0), num_heads, -1, -1).flatten(0, 1)


@unlisted("to_torch_mask")
def reversed_batch(mask: Tensor, num_heads: int) -> Tensor:
    return ~mask.flip(0).expand(-1, num_heads, -1, -1).flatten(0, 1)
