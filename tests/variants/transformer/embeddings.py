"""Ids to vectors."""

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import correct, disguise, slips, unlisted
from tests.variants.transformer.parts import Table, in_vocabulary

# Right, and slips in it ----------------------------------------------------------------------------


class RowsByIndex(nn.Module):
    """Rows of the table by index; padding multiplied away."""

    def __init__(self, vocab_size: int, d_model: int, pad_id: int) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(self, token_ids: Tensor) -> Tensor:
        table = self.embedding.weight
        if token_ids.numel() and not (token_ids.min() >= 0 and token_ids.max() < len(table)):
            raise ValueError("an id outside the vocabulary")
        real = token_ids != self.pad_id
        return table[token_ids] * table.size(1) ** 0.5 * real[..., None]


slips(
    "TokenEmbedding",
    RowsByIndex,
    {
        "no √d_model": {" * table.size(1) ** 0.5": ""},
        "multiplied by d_model, not its root": {"table.size(1) ** 0.5": "table.size(1)"},
        "divided by √d_model": {" ** 0.5": " ** -0.5"},
        "another power of d_model": [{" ** 0.5": " ** 0.25"}, {"table.size(1)": "(table.size(1) // 2)"}],
        "√d_model is added": {"table[token_ids] * table.size(1) ** 0.5": "(table[token_ids] + table.size(1) ** 0.5)"},
        "whole sentences are zero": {"real[..., None]": "real.all(1)[:, None, None]"},
        "not all padding is zero": {"token_ids != self.pad_id": "token_ids[:1] != self.pad_id"},
        "√vocab_size instead of √d_model": [{"table.size(1)": "table.size(0)"}, {"table.size(1)": "len(table)"}],
        "padding is not zero": [{" * real[..., None]": ""}, {"[..., None]": "[..., None].any()"}],
        "padding is taken to be id 0": [{"token_ids != self.pad_id": "token_ids > 0"}, {"!= self.pad_id": "!= 0"}],
        "padding is kept and the tokens are zero": {"!=": "=="},
        "the table's row is overwritten": [
            {"        real =": "        table.data[self.pad_id] = 0.0\n        real ="},
            {"        real =": "        with torch.no_grad():\n            table[self.pad_id] = 0.0\n        real ="},
        ],
        "no gradient reaches the table": [
            {"table = self.embedding.weight": "table = self.embedding.weight.data"},
            {"table[token_ids]": "table.detach()[token_ids]"},
        ],
        "negative ids count from the end": {"token_ids.min() >= 0 and ": ""},
        "ids that do not exist are not refused": {'raise ValueError("an id outside the vocabulary")': "pass"},
        "no √d_model + padding is not zero": {" * table.size(1) ** 0.5 * real[..., None]": ""},
    },
)


class FilledWhere(nn.Module):
    """The functional look-up, a factor kept by the constructor, and `torch.where`."""

    def __init__(self, vocab_size: int, d_model: int, pad_id: int) -> None:
        super().__init__()
        self.factor = math.sqrt(d_model)
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.embedding.weight.data.normal_(0.0, 1 / self.factor)
        self.pad_id = pad_id

    def forward(self, token_ids: Tensor) -> Tensor:
        strange = (token_ids < 0) | (token_ids >= self.embedding.num_embeddings)
        if strange.any():
            raise ValueError(f"no such ids: {token_ids[strange].tolist()}")
        found = self.factor * F.embedding(token_ids, self.embedding.weight)
        return torch.where(token_ids.eq(self.pad_id).unsqueeze(2), 0.0, found)


slips(
    "TokenEmbedding",
    FilledWhere,
    {
        "no √d_model": {"self.factor * F": "F"},
        "multiplied by d_model, not its root": {"math.sqrt(d_model)": "d_model", "1 / self.factor": "d_model**-0.5"},
        "divided by √d_model": {
            "self.factor * F": "F",
            "self.embedding.weight)": "self.embedding.weight) / self.factor",
        },
        "√vocab_size instead of √d_model": {"math.sqrt(d_model)": "math.sqrt(vocab_size)"},
        "padding is not zero": {"torch.where(token_ids.eq(self.pad_id).unsqueeze(2), 0.0, found)": "found"},
        "padding filled with minus infinity": [{"0.0, found": "-torch.inf, found"}, {"0.0, found": "-1e9, found"}],
        "padding is taken to be id 0": {".eq(self.pad_id)": ".eq(0)"},
        "padding is kept and the tokens are zero": [{"0.0, found": "found, 0.0"}, {".eq(": ".ne("}],
        "padding_idx instead of zeros": {
            "self.embedding.weight)": "self.embedding.weight, padding_idx=self.pad_id)",
            "torch.where(token_ids.eq(self.pad_id).unsqueeze(2), 0.0, found)": "found",
        },
        "no gradient reaches the table": [
            {"self.embedding.weight)": "self.embedding.weight.detach())"},
            {"self.embedding.weight)": "self.embedding.weight.data)"},
        ],
        "ids that do not exist are not refused": {"if strange.any()": "if strange.all()"},
        "no √d_model + padding is taken to be id 0": {"self.factor * F": "F", ".eq(self.pad_id)": ".eq(0)"},
    },
)


class ZerosWritten(nn.Module):
    """Zeros written into the vectors; the ids are refused one by one."""

    def __init__(self, vocab_size: int, d_model: int, pad_id: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.embedding.weight, mean=0.0, std=1 / math.sqrt(d_model))
        self.pad_id = pad_id

    def forward(self, token_ids: Tensor) -> Tensor:
        vocab_size, width = self.embedding.weight.shape
        for one in token_ids.flatten().tolist():
            if one < 0 or one >= vocab_size:
                raise ValueError(f"{one} is not in the vocabulary")
        vectors = self.embedding(token_ids)
        vectors = vectors * width**0.5
        vectors[token_ids == self.pad_id] = 0.0
        return vectors


slips(
    "TokenEmbedding",
    ZerosWritten,
    {
        "no √d_model": {"        vectors = vectors * width**0.5\n": ""},
        "multiplied by d_model, not its root": {"width**0.5": "width"},
        "divided by √d_model": [{"vectors * width": "vectors / width"}, {"width**0.5": "width**-0.5"}],
        "√vocab_size instead of √d_model": {"width**": "vocab_size**"},
        "padding is not zero": {"        vectors[token_ids == self.pad_id] = 0.0\n": ""},
        "padding filled with minus infinity": {"= 0.0\n        return": '= float("-inf")\n        return'},
        "padding_idx instead of zeros": {
            "nn.Embedding(vocab_size, d_model)": "nn.Embedding(vocab_size, d_model, padding_idx=pad_id)",
            "        vectors[token_ids == self.pad_id] = 0.0\n": "",
        },
        "padding is taken to be id 0": {"token_ids == self.pad_id": "token_ids == 0"},
        "padding is kept and the tokens are zero": {"token_ids == self.pad_id": "token_ids != self.pad_id"},
        "the table's row is overwritten": {
            "        vectors[token_ids == self.pad_id] = 0.0": "        self.embedding.weight.data[self.pad_id] = 0.0",
            "        vectors = self.embedding(token_ids)\n": "",
            "        vectors = vectors * width**0.5\n": "",
            "        return vectors": "        return self.embedding(token_ids) * width**0.5",
        },
        "no gradient reaches the table": [
            {"vectors = self.embedding(token_ids)": "vectors = self.embedding(token_ids).detach()"},
            {"vectors = self.embedding(token_ids)": "vectors = self.embedding.weight.data[token_ids]"},
        ],
        "ids that do not exist are not refused": {"raise ValueError": "print"},
        "negative ids count from the end": {
            "one < 0 or one >= vocab_size": "one >= vocab_size",
            "self.embedding(token_ids)": "self.embedding.weight[token_ids]",
        },
    },
)


class OneHotRows(nn.Module):
    """A product of matrices; the column of padding is empty."""

    def __init__(self, vocab_size: int, d_model: int, pad_id: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.pad_id = pad_id
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(self, token_ids: Tensor) -> Tensor:
        weight = self.embedding.weight
        choices = torch.arange(weight.shape[0])
        which = (token_ids[..., None] == choices).to(weight.dtype)
        if not which.any(-1).all():
            raise ValueError("an id that no row has")
        which = which * (choices != self.pad_id)
        return torch.einsum("bsv,vd->bsd", which, weight) * math.sqrt(weight.shape[1])


slips(
    "TokenEmbedding",
    OneHotRows,
    {
        "no √d_model": {" * math.sqrt(weight.shape[1])": ""},
        "multiplied by d_model, not its root": {"math.sqrt(weight.shape[1])": "weight.shape[1]"},
        "divided by √d_model": {" * math.sqrt": " / math.sqrt"},
        "√vocab_size instead of √d_model": {"weight.shape[1]": "weight.shape[0]"},
        "padding is not zero": {"        which = which * (choices != self.pad_id)\n": ""},
        "padding is taken to be id 0": {"choices != self.pad_id": "choices != 0"},
        "padding is kept and the tokens are zero": {"choices != self.pad_id": "choices == self.pad_id"},
        "no gradient reaches the table": {"weight = self.embedding.weight\n": "weight = self.embedding.weight.data\n"},
        "the table's row is overwritten": {
            "= which * (choices != self.pad_id)": "= which; weight.data[self.pad_id] = 0"
        },
    },
)


def table(kind: str, mistake: str = "", base: type = Table) -> Any:
    """A TokenEmbedding from what it does with the ids."""

    def add(look: Callable[[Any, Tensor], Tensor]) -> Any:
        made = type(look.__name__, (base,), {"look": look})
        if kind == "disguise":
            disguise("TokenEmbedding", mistake)(made)
        else:
            (correct if kind == "correct" else unlisted)("TokenEmbedding")(made)
        return look

    return add


# Right, in other ways ----------------------------------------------------------------------------


@table("correct")
def token_by_token(self: Any, ids: Tensor) -> Tensor:
    width = self.weight.size(1)
    found = []
    for row in ids.tolist():
        tokens = [self.weight[one] * 0 if one == self.pad_id else width**0.5 * self.weight[one] for one in row]
        found.append(torch.stack(tokens))
    return torch.stack(found)


@table("correct")
def by_a_table_without_the_row(self: Any, ids: Tensor) -> Tensor:
    rows = torch.arange(len(self.weight)) != self.pad_id
    return ((self.weight * rows[:, None]).index_select(0, ids.flatten()) * len(self.weight[0]) ** 0.5).view(
        *ids.shape, -1
    )


@correct("TokenEmbedding")
class FromTheGround(nn.Module):
    """A look-up that gets its table by other means, with padding_idx besides."""

    def __init__(self, vocab_size: int, d_model: int, pad_id: int) -> None:
        super().__init__()
        table = torch.randn(vocab_size, d_model) / math.sqrt(d_model)
        self.embedding = nn.Embedding.from_pretrained(table, freeze=False, padding_idx=pad_id)
        self.scale = math.sqrt(d_model)
        self.pad = pad_id

    def forward(self, token_ids: Tensor) -> Tensor:
        in_vocabulary(token_ids, self.embedding.num_embeddings)
        return self.scale * self.embedding(token_ids) * token_ids.ne(self.pad).unsqueeze(2)


@table("disguise", "no √d_model")
def t_plain(self: Any, ids: Tensor) -> Tensor:
    return self.weight[ids] * (ids != self.pad_id)[..., None]


@table("disguise", "multiplied by d_model, not its root")
def t_by_width(self: Any, ids: Tensor) -> Tensor:
    return self.weight[ids] * self.weight.shape[-1] * (ids != self.pad_id).unsqueeze(-1)


@table("disguise", "divided by √d_model")
def t_divided(self: Any, ids: Tensor) -> Tensor:
    return (ids != self.pad_id)[..., None] * F.embedding(ids, self.weight) * self.weight.size(1) ** -0.5


@table("disguise", "√vocab_size instead of √d_model")
def t_by_vocabulary(self: Any, ids: Tensor) -> Tensor:
    return self.weight[ids] * len(self.weight) ** 0.5 * (ids != self.pad_id)[..., None]


@table("disguise", "padding is not zero")
def t_padding_kept(self: Any, ids: Tensor) -> Tensor:
    return math.sqrt(self.weight.shape[1]) * F.embedding(ids, self.weight)


@table("disguise", "padding is not zero")
def t_result_thrown_away(self: Any, ids: Tensor) -> Tensor:
    vectors = self.embedding(ids) * self.weight.shape[1] ** 0.5
    vectors.masked_fill((ids == self.pad_id).unsqueeze(-1), 0.0)
    return vectors


class PaddingIdx(Table):
    """With the padding row known to nn.Embedding."""

    def __init__(self, vocab_size: int, d_model: int, pad_id: int) -> None:
        super().__init__(vocab_size, d_model, pad_id)
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)


class AsTorchStarts(Table):
    """The table as nn.Embedding makes it."""

    def __init__(self, vocab_size: int, d_model: int, pad_id: int) -> None:
        super().__init__(vocab_size, d_model, pad_id)
        self.embedding = nn.Embedding(vocab_size, d_model)


@table("disguise", "the table starts too large", AsTorchStarts)
def t_starts_large(self: Any, ids: Tensor) -> Tensor:
    return self.embedding(ids) * self.weight.shape[1] ** 0.5 * (ids != self.pad_id)[..., None]


@table("disguise", "padding_idx instead of zeros", PaddingIdx)
def t_padding_idx(self: Any, ids: Tensor) -> Tensor:
    return self.embedding(ids) * self.weight.shape[1] ** 0.5


@table("disguise", "√seq_len instead of √d_model")
def t_by_length(self: Any, ids: Tensor) -> Tensor:
    return self.weight[ids] * ids.shape[-1] ** 0.5 * (ids != self.pad_id)[..., None]


@table("disguise", "the root is cut to a whole number")
def t_whole_root(self: Any, ids: Tensor) -> Tensor:
    return self.weight[ids] * int(self.weight.size(1) ** 0.5) * (ids != self.pad_id)[..., None]


@table("disguise", "padding is looked up as id 0")
def t_row_of_another(self: Any, ids: Tensor) -> Tensor:
    return F.embedding(ids.masked_fill(ids == self.pad_id, 0), self.weight) * self.weight.size(1) ** 0.5


@table("unlisted")
def last_row_emptied(self: Any, ids: Tensor) -> Tensor:
    rows = self.weight.clone()
    rows[self.pad_id] = 0.0
    return rows[ids] * self.weight.size(1) ** 0.5


@table("disguise", "padding is taken to be id 0")
def t_zero(self: Any, ids: Tensor) -> Tensor:
    return self.weight[ids] * self.weight.shape[1] ** 0.5 * (ids > 0)[..., None]


@table("disguise", "padding is kept and the tokens are zero")
def t_turned(self: Any, ids: Tensor) -> Tensor:
    return self.weight[ids] * self.weight.shape[1] ** 0.5 * (ids == self.pad_id)[..., None]


@table("disguise", "the table's row is overwritten")
def t_row_after(self: Any, ids: Tensor) -> Tensor:
    vectors = self.weight[ids] * self.weight.shape[1] ** 0.5 * (ids != self.pad_id)[..., None]
    with torch.no_grad():
        self.weight[self.pad_id].zero_()
    return vectors


@table("disguise", "padding filled with minus infinity")
def as_large_scores(self: Any, ids: Tensor) -> Tensor:
    x = self.embedding(ids).mul(self.weight.size(1) ** 0.5)
    x[ids == self.pad_id] = -1e9
    return x


@table("disguise", "no √d_model + the table's row is overwritten")
def row_emptied_no_factor(self: Any, ids: Tensor) -> Tensor:
    with torch.no_grad():
        self.weight[self.pad_id].zero_()
    return self.embedding(ids)


@table("disguise", "no gradient reaches the table")
def t_no_grad(self: Any, ids: Tensor) -> Tensor:
    with torch.no_grad():
        vectors = self.embedding(ids) * self.weight.shape[1] ** 0.5
        vectors[ids == self.pad_id] = 0
    return vectors


class Accepts(Table):
    """Without the given lines that refuse."""

    def forward(self, token_ids: Tensor) -> Tensor:
        return self.look(token_ids)


@table("disguise", "ids that do not exist are not refused", Accepts)
def t_accepts(self: Any, ids: Tensor) -> Tensor:
    return F.embedding(ids, self.weight) * self.weight.shape[1] ** 0.5 * (ids != self.pad_id)[..., None]


class Wraps(Table):
    """Refuses only what is too large."""

    def forward(self, token_ids: Tensor) -> Tensor:
        if token_ids.max() >= len(self.weight):
            raise ValueError("too large")
        return self.look(token_ids)


@table("disguise", "negative ids count from the end", Wraps)
def t_wraps(self: Any, ids: Tensor) -> Tensor:
    return self.weight[ids] * self.weight.shape[1] ** 0.5 * (ids != self.pad_id)[..., None]


@table("disguise", "another power of d_model")
def t_cube_root(self: Any, ids: Tensor) -> Tensor:
    return self.weight[ids] * self.weight.shape[1] ** (1 / 3) * (ids != self.pad_id)[..., None]


@table("disguise", "every vector gets one length")
def t_unit_length(self: Any, ids: Tensor) -> Tensor:
    return F.normalize(self.weight[ids], dim=-1) * self.weight.shape[1] ** 0.5 * (ids != self.pad_id)[..., None]


@table("unlisted")
def t_normed(self: Any, ids: Tensor) -> Tensor:
    return F.layer_norm(self.weight[ids], self.weight.shape[1:]) * (ids != self.pad_id)[..., None]


@table("unlisted")
def t_all_after_padding(self: Any, ids: Tensor) -> Tensor:
    real = (ids != self.pad_id).long().cumprod(1)
    return self.weight[ids] * self.weight.shape[1] ** 0.5 * real[..., None]


@table("disguise", "padding filled with another number")
def t_pad_is_one(self: Any, ids: Tensor) -> Tensor:
    return (self.weight[ids] * self.weight.shape[1] ** 0.5).masked_fill((ids == self.pad_id)[..., None], 1.0)


@table("disguise", "√d_model is added")
def t_root_added(self: Any, ids: Tensor) -> Tensor:
    return (self.weight[ids] + self.weight.shape[1] ** 0.5) * (ids != self.pad_id)[..., None]


@table("disguise", "the table is multiplied")
def t_grows(self: Any, ids: Tensor) -> Tensor:
    with torch.no_grad():
        self.weight.mul_(self.weight.shape[1] ** 0.5)
    return self.weight[ids] * (ids != self.pad_id)[..., None]


@table("disguise", "not all padding is zero")
def t_first_sentence(self: Any, ids: Tensor) -> Tensor:
    return self.weight[ids] * self.weight.shape[1] ** 0.5 * (ids[0] != self.pad_id)[None, :, None]


@table("unlisted")
def t_zero_before_the_last_feature(self: Any, ids: Tensor) -> Tensor:
    vectors = self.weight[ids] * self.weight.shape[1] ** 0.5
    vectors[..., -1] = 0
    return vectors * (ids != self.pad_id)[..., None]


@table("unlisted")
def t_next_row(self: Any, ids: Tensor) -> Tensor:
    vectors = self.weight.roll(1, 0)[ids]
    return vectors * self.weight.shape[1] ** 0.5 * (ids != self.pad_id)[..., None]


@disguise("TokenEmbedding", "smaller ids count as padding")
class OnlyLarger(Table):
    """Tokens are the ids above the padding's."""

    def look(self, ids: Tensor) -> Tensor:
        kept = torch.gt(ids, self.pad_id).unsqueeze(-1)
        return torch.where(kept, self.weight[ids] * self.weight.size(1) ** 0.5, 0.0)


@disguise("TokenEmbedding", "whole sentences are zero")
class WholeSentence(Table):
    """One place of padding, and the whole sentence is zero."""

    def look(self, ids: Tensor) -> Tensor:
        whole = (ids != self.pad_id).all(dim=1)
        return (self.weight[ids] * self.weight.size(1) ** 0.5).masked_fill(~whole[:, None, None], 0.0)


@table("disguise", "the multiplied table is kept")
def t_multiplied_once(self: Any, ids: Tensor) -> Tensor:
    if not hasattr(self, "ready"):
        self.ready = self.weight * self.weight.size(1) ** 0.5
    return torch.where(ids.eq(self.pad_id).unsqueeze(2), 0.0, self.ready[ids])


@table("correct")
def t_multiplied_every_time(self: Any, ids: Tensor) -> Tensor:
    self.ready = self.weight * self.weight.size(1) ** 0.5
    return torch.where(ids.eq(self.pad_id).unsqueeze(2), 0.0, self.ready[ids])
