"""Lesson 03: cutting features into heads, and joining them again."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted
from tests.variants.multi_head_attention.shared import must_divide

# Splitting, slips ----------------------------------------------------------------------------


def split_by_slices(x: Tensor, num_heads: int) -> Tensor:
    """Cut out one head after the other."""
    _, _, d_model = x.size()
    d_head = must_divide(d_model, num_heads)
    heads = []
    for head in range(num_heads):
        first = head * d_head
        heads.append(x[:, :, first : first + d_head])
    return torch.stack(heads, dim=1)


slips(
    "split_heads",
    split_by_slices,
    {
        "heads left behind the tokens": {"dim=1": "dim=2"},
        "a list of heads": {"torch.stack(heads, dim=1)": "heads"},
        "heads in the opposite order": {"in range(num_heads)": "in reversed(range(num_heads))"},
        "the first slice for every head": {"first = head * d_head": "first = 0"},
        "slices overlap": {"head * d_head": "head"},
        "cut off from the gradient": {"first + d_head]": "first + d_head].detach()"},
        "heads in front of the batch": {"heads, dim=1": "heads"},
        "heads folded into the batch": [{"torch.stack(heads, dim=1)": "torch.cat(heads)"}],
        "features dealt out in turn": {"first : first + d_head": "head::num_heads"},
        "num_heads and d_head exchanged": {
            "range(num_heads)": "range(d_head)",
            "head * d_head": "head * num_heads",
            "first + d_head": "first + num_heads",
        },
        "features in front of the tokens": {"first + d_head]": "first + d_head].mT"},
        "sizes that do not fit are accepted": [
            {"must_divide(d_model, num_heads)": "d_model // num_heads"},
            {"must_divide(d_model, num_heads)": "must_divide(num_heads, num_heads) * d_model // num_heads"},
        ],
    },
)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    """Give the heads a dimension of their own, and move it."""
    if num_heads <= 0 or x.shape[2] % num_heads:
        raise ValueError("the heads would not be equally wide")
    width = x.shape[2] // num_heads
    return x.unflatten(2, (num_heads, width)).movedim(2, 1)


slips(
    "split_heads",
    split_by_unflatten,
    {
        "view instead of view and transpose": [
            {"x.unflatten(2, (num_heads, width)).movedim(2, 1)": f"x.{view}(x.shape[0], num_heads, -1, width)"}
            for view in ("view", "reshape", "contiguous().view")
        ],
        "heads left behind the tokens": {".movedim(2, 1)": ""},
        "features dealt out in turn": {"(num_heads, width)": "(width, num_heads)", "movedim(2, 1)": "movedim(3, 1)"},
        "num_heads and d_head exchanged": {"(num_heads, width)": "(width, num_heads)"},
        "the wrong two dimensions transposed": [
            {"movedim(2, 1)": f"transpose({pair})"} for pair in ("2, 3", "1, 3", "0, 2")
        ],
        "transposed before the cut": {
            "x.unflatten(2, (num_heads, width)).movedim(2, 1)": "x.mT.reshape(len(x), num_heads, x.shape[1], width)"
        },
        "heads in the opposite order": {"movedim(2, 1)": "movedim(2, 1).flip(1)"},
        "sequence in front of the batch": [
            {"movedim(2, 1)": "transpose(0, 1).contiguous()"},
            {"movedim(2, 1)": "permute(1, 2, 0, 3)"},
        ],
        "no heads accepted": {"num_heads <= 0 or ": ""},
        "heads in front of the batch": {"movedim(2, 1)": "movedim(2, 0)"},
        "heads folded into the batch": {"movedim(2, 1)": "movedim(2, 1).flatten(0, 1)"},
        "features in front of the tokens": {"movedim(2, 1)": "movedim(1, 3)"},
        "sizes that do not fit are accepted": {" or x.shape[2] % num_heads": ""},
        "features dealt out in turn + heads in front of the batch": {
            "(num_heads, width)": "(width, num_heads)",
            "movedim(2, 1)": "movedim(3, 0)",
        },
    },
)


def split_column_by_column(x: Tensor, num_heads: int) -> Tensor:
    """Copy every feature to its place."""
    batch, length, width = x.shape
    d_head = must_divide(width, num_heads)
    out = x.new_empty(batch, num_heads, length, d_head)
    for column in range(width):
        out[:, column // d_head, :, column % d_head] = x[:, :, column]
    return out


slips(
    "split_heads",
    split_column_by_column,
    {
        "heads left behind the tokens": {
            "(batch, num_heads, length, d_head)": "(batch, length, num_heads, d_head)",
            "column // d_head, :,": ":, column // d_head,",
        },
        "heads in front of the batch": {
            "(batch, num_heads, length, d_head)": "(num_heads, batch, length, d_head)",
            ":, column // d_head, :,": "column // d_head, :, :,",
        },
        "features dealt out in turn": {
            "column // d_head": "column % num_heads",
            "column % d_head": "column // num_heads",
        },
        "num_heads and d_head exchanged": {
            "(batch, num_heads, length, d_head)": "(batch, d_head, length, num_heads)",
            "column // d_head": "column // num_heads",
            "column % d_head": "column % num_heads",
        },
        "features in front of the tokens": {
            "(batch, num_heads, length, d_head)": "(batch, num_heads, d_head, length)",
            ", :, column % d_head": ", column % d_head",
        },
        "sizes that do not fit are accepted": {"must_divide(width, num_heads)": "width // num_heads"},
        "heads in the opposite order": {":, column // d_head, :,": ":, num_heads - 1 - column // d_head, :,"},
        "cut off from the gradient": {"= x[:, :, column]": "= x.data[:, :, column]"},
    },
)


def split_as_torch_does(x: Tensor, num_heads: int) -> Tensor:
    """Heads and batch as one dimension, for a while."""
    batch, length, width = x.shape
    d_head = must_divide(width, num_heads)
    folded = x.transpose(0, 1).reshape(length, batch * num_heads, d_head).transpose(0, 1)
    return folded.reshape(batch, num_heads, length, d_head)


slips(
    "split_heads",
    split_as_torch_does,
    {
        "view instead of view and transpose": {
            "x.transpose(0, 1).reshape(length, batch * num_heads, d_head).transpose(0, 1)": (
                "x.reshape(batch * num_heads, length, d_head)"
            )
        },
        "heads folded into the batch": {"folded.reshape(batch, num_heads, length, d_head)": "folded"},
        "features in front of the tokens": {
            "folded.reshape(batch, num_heads, length, d_head)": "folded.reshape(batch, num_heads, length, d_head).mT"
        },
        "sizes that do not fit are accepted": {"must_divide(width, num_heads)": "width // num_heads"},
    },
)

# Splitting, wrong ----------------------------------------------------------------------------


def split_disguise(mistake: str) -> Any:
    """A disguise of split_heads from a function of (x, num_heads, d_head)."""

    def add(core: Callable[[Tensor, int, int], Tensor]) -> Any:
        def split(x: Tensor, num_heads: int) -> Tensor:
            return core(x, num_heads, must_divide(x.shape[-1], num_heads))

        disguise("split_heads", mistake)(split)
        return core

    return add


@split_disguise("view instead of view and transpose")
def s_unflatten(x: Tensor, h: int, d: int) -> Tensor:
    return x.flatten(1).unflatten(1, (h, x.size(1), d))


@split_disguise("heads left behind the tokens")
def s_behind(x: Tensor, h: int, d: int) -> Tensor:
    return torch.stack(x.split(d, dim=-1), dim=2)


@split_disguise("features dealt out in turn")
def s_turn(x: Tensor, h: int, d: int) -> Tensor:
    return torch.stack([x[..., i::h] for i in range(h)], dim=1)


@split_disguise("num_heads and d_head exchanged")
def s_exchanged(x: Tensor, h: int, d: int) -> Tensor:
    return torch.stack(x.chunk(d, dim=-1), dim=1)


@split_disguise("heads in front of the batch")
def s_front(x: Tensor, h: int, d: int) -> Tensor:
    return torch.stack(x.chunk(h, dim=-1))


@split_disguise("heads folded into the batch")
def s_folded(x: Tensor, h: int, d: int) -> Tensor:
    b, n, _ = x.shape
    return x.transpose(0, 1).reshape(n, b * h, d).transpose(0, 1)


@split_disguise("features in front of the tokens")
def s_features(x: Tensor, h: int, d: int) -> Tensor:
    return x.mT.unflatten(1, (h, d))


@split_disguise("the wrong two dimensions transposed")
def s_last_two(x: Tensor, h: int, d: int) -> Tensor:
    return x.unflatten(2, (h, d)).mT


@split_disguise("the wrong two dimensions transposed")
def s_tokens_last(x: Tensor, h: int, d: int) -> Tensor:
    return torch.einsum("bnhd->bdhn", x.unflatten(2, (h, d)))


@split_disguise("transposed before the cut")
def s_too_early(x: Tensor, h: int, d: int) -> Tensor:
    return x.mT.flatten(1).unflatten(1, (h, x.size(1), d))


@split_disguise("slices overlap")
def s_overlap(x: Tensor, h: int, d: int) -> Tensor:
    return torch.stack([x[..., i : i + d] for i in range(h)], dim=1)


@split_disguise("the tokens cut")
def s_tokens_cut(x: Tensor, h: int, d: int) -> Tensor:
    return torch.stack(torch.chunk(x, h, 1), 1)


@split_disguise("sequence in front of the batch")
def s_sequence_first(x: Tensor, h: int, d: int) -> Tensor:
    return torch.stack(x.transpose(0, 1).chunk(h, dim=-1), dim=2)


@split_disguise("a list of heads")
def s_list(x: Tensor, h: int, d: int) -> Any:
    return list(x.split(d, dim=2))


@disguise("split_heads", "no heads accepted")
def s_no_heads(x: Tensor, num_heads: int) -> Tensor:
    if x.size(2) % num_heads > 0:
        raise ValueError("not equally wide")
    return x.unflatten(2, (num_heads, -1)).permute(0, 2, 1, 3)


@disguise("split_heads", "sizes that do not fit are accepted")
def s_accepts(x: Tensor, num_heads: int) -> Tensor:
    b, n, width = x.shape
    return x.reshape(b, n, num_heads, width // num_heads).permute(0, 2, 1, 3)


# Splitting, right ----------------------------------------------------------------------------


def split_correct(core: Callable[[Tensor, int, int], Tensor]) -> Any:
    """A correct split_heads from a function of (x, num_heads, d_head)."""

    @correct("split_heads")
    def split(x: Tensor, num_heads: int) -> Tensor:
        return core(x, num_heads, must_divide(x.shape[-1], num_heads))

    return core


@split_correct
def by_chunk(x: Tensor, h: int, d: int) -> Tensor:
    return torch.stack(x.chunk(h, dim=2), 1)


@split_correct
def by_unfold(x: Tensor, h: int, d: int) -> Tensor:
    return x.unfold(-1, d, d).permute(0, 2, 1, 3)


@split_correct
def by_matrix(x: Tensor, h: int, d: int) -> Tensor:
    pick = torch.eye(h * d, dtype=x.dtype).view(h * d, h, d)
    return torch.einsum("bnm,mhd->bhnd", x, pick)


@split_correct
def by_double_transpose(x: Tensor, h: int, d: int) -> Tensor:
    b, n, _ = x.shape
    return x.transpose(1, 2).reshape(b, h, d, n).transpose(2, 3)


# Splitting, wrong in other ways ----------------------------------------------------------------------------


def split_unlisted(core: Callable[[Tensor, int, int], Tensor]) -> Any:
    """An unlisted wrong split_heads."""

    @unlisted("split_heads")
    def split(x: Tensor, num_heads: int) -> Tensor:
        return core(x, num_heads, must_divide(x.shape[-1], num_heads))

    return core


@split_unlisted
def every_head_gets_all(x: Tensor, h: int, d: int) -> Tensor:
    return x[:, None].expand(-1, h, -1, -1)


@split_disguise("the first slice for every head")
def first_slice_for_all(x: Tensor, h: int, d: int) -> Tensor:
    return x[:, None, :, :d].expand(-1, h, -1, -1)


@split_disguise("heads in the opposite order")
def heads_backwards(x: Tensor, h: int, d: int) -> Tensor:
    return torch.stack(x.chunk(h, dim=-1)[::-1], dim=1)


@split_unlisted
def scaled(x: Tensor, h: int, d: int) -> Tensor:
    return torch.stack(x.chunk(h, dim=-1), dim=1) / math.sqrt(d)


@split_disguise("cut off from the gradient")
def cut_off(x: Tensor, h: int, d: int) -> Tensor:
    return torch.stack(x.detach().chunk(h, dim=-1), dim=1)


@split_unlisted
def tokens_backwards(x: Tensor, h: int, d: int) -> Tensor:
    return torch.stack(x.chunk(h, dim=-1), dim=1).flip(2)


# Merging, slips ----------------------------------------------------------------------------


def merge_by_cat(x: Tensor) -> Tensor:
    """Put one head after the other behind the first."""
    joined = x[:, 0]
    for head in range(1, x.size(1)):
        joined = torch.cat((joined, x[:, head]), dim=-1)
    return joined


slips(
    "merge_heads",
    merge_by_cat,
    {
        "heads one behind the other": {"dim=-1": "dim=1"},
        "heads added up": [
            {"torch.cat((joined, x[:, head]), dim=-1)": "joined + x[:, head]"},
            {
                "torch.cat((joined, x[:, head]), dim=-1)": "joined + x[:, head]",
                "return joined": "return joined / x.size(1)",
            },
        ],
        "sequence in front of the batch": {"return joined": "return joined.transpose(0, 1)"},
    },
)


def merge_into_shape(x: Tensor) -> Tensor:
    """Reorder the memory, then read it anew."""
    b, h, n, d = x.shape
    side_by_side = x.permute(0, 2, 1, 3).contiguous()
    return side_by_side.view(b, n, h * d)


slips(
    "merge_heads",
    merge_into_shape,
    {
        "merge without transposing back": [{"x.permute(0, 2, 1, 3)": "x"}, {"x.permute(0, 2, 1, 3).contiguous()": "x"}],
        "features woven together": {"(0, 2, 1, 3)": "(0, 2, 3, 1)"},
        "the wrong two dimensions transposed": [
            {"(0, 2, 1, 3)": order} for order in ("(0, 1, 3, 2)", "(1, 0, 2, 3)", "(2, 1, 0, 3)", "(0, 3, 2, 1)")
        ],
        "heads in the opposite order": {"x.permute": "x.flip(1).permute"},
        "heads never joined": {"side_by_side.view(b, n, h * d)": "side_by_side"},
        "one head only": [{".view(b, n, h * d)": "[:, :, 0]"}, {".view(b, n, h * d)": "[:, :, -1]"}],
        "tokens joined too": [
            {"view(b, n, h * d)": "view(b, n * h * d)"},
            {"view(b, n, h * d)": "view(b * n, h * d)"},
        ],
        "features in front of the tokens": [
            {"view(b, n, h * d)": "view(b, h * d, n)"},
            {"view(b, n, h * d)": "view(b, n, h * d).mT"},
        ],
        "cut off from the gradient": {"contiguous()": "contiguous().detach()"},
        "heads added up": [{"view(b, n, h * d)": "sum(2)"}, {"view(b, n, h * d)": "mean(dim=-2)"}],
        "heads one behind the other": {".permute(0, 2, 1, 3)": "", "(b, n, h * d)": "(b, h * n, d)"},
        "sequence in front of the batch": {"(0, 2, 1, 3)": "(2, 0, 1, 3)", "(b, n, h * d)": "(n, b, h * d)"},
    },
)


def merge_into_columns(x: Tensor) -> Tensor:
    """Fill the columns of an empty tensor."""
    batch, num_heads, seq_len, d_head = x.size()
    out = x.new_zeros(batch, seq_len, num_heads * d_head)
    for head in range(num_heads):
        out[..., head * d_head : (head + 1) * d_head] += x[:, head]
    return out


slips(
    "merge_heads",
    merge_into_columns,
    {
        "features woven together": {"head * d_head : (head + 1) * d_head": "head::num_heads"},
        "heads added up": {"num_heads * d_head": "d_head", "[..., head * d_head : (head + 1) * d_head]": ""},
        "heads one behind the other": {
            "(batch, seq_len, num_heads * d_head)": "(batch, num_heads * seq_len, d_head)",
            "..., head * d_head : (head + 1) * d_head": ":, head * seq_len : (head + 1) * seq_len",
        },
        "sequence in front of the batch": {
            "(batch, seq_len,": "(seq_len, batch,",
            "x[:, head]": "x[:, head].transpose(0, 1)",
        },
    },
)


def merge_by_letters(x: Tensor) -> Tensor:
    """Say the new order in letters."""
    return torch.einsum("bhnd->bnhd", x).reshape(len(x), x.size(2), -1)


slips(
    "merge_heads",
    merge_by_letters,
    {
        "merge without transposing back": {"->bnhd": "->bhnd"},
        "features woven together": {"->bnhd": "->bndh"},
        "the wrong two dimensions transposed": {"->bnhd": "->bhdn"},
        "heads added up": {"->bnhd": "->bnd"},
        "heads one behind the other": {"->bnhd": "->bhnd", "x.size(2), -1": "-1, x.size(3)"},
        "sequence in front of the batch": {"->bnhd": "->nbhd", "len(x), x.size(2)": "x.size(2), len(x)"},
    },
)


def merge_token_by_token(x: Tensor) -> Tensor:
    """Lay out every token on its own."""
    tokens = []
    for position in range(x.shape[2]):
        slices = x[:, :, position]
        tokens.append(slices.flatten(1))
    return torch.stack(tokens, dim=1)


slips(
    "merge_heads",
    merge_token_by_token,
    {
        "features woven together": {"slices.flatten": "slices.mT.flatten"},
        "heads added up": [{"slices.flatten(1)": "slices.sum(1)"}, {"slices.flatten(1)": "slices.mean(dim=1)"}],
        "sequence in front of the batch": {"tokens, dim=1": "tokens"},
        "features in front of the tokens": {"tokens, dim=1": "tokens, dim=2"},
        "one head only": {"slices.flatten(1)": "slices[:, 0]"},
        "heads never joined": {"slices.flatten(1)": "slices"},
        "heads in the opposite order": {"slices.flatten": "slices.flip(1).flatten"},
        "tokens joined too": [
            {"torch.stack(tokens, dim=1)": "torch.cat(tokens, dim=1)"},
            {"torch.stack(tokens, dim=1)": "torch.stack(tokens, dim=1).flatten(0, 1)"},
        ],
    },
)

# Merging, wrong ----------------------------------------------------------------------------


@disguise("merge_heads", "merge without transposing back")
def m_flat(x: Tensor) -> Tensor:
    return x.contiguous().view(x.size(0), x.size(2), -1)


@disguise("merge_heads", "features woven together")
def m_woven(x: Tensor) -> Tensor:
    return torch.stack(x.unbind(1), dim=-1).flatten(2)


@disguise("merge_heads", "the wrong two dimensions transposed")
def m_wrong_pair(x: Tensor) -> Tensor:
    b, h, n, d = x.shape
    return x.mT.contiguous().view(b, n, h * d)


@disguise("merge_heads", "heads added up")
def m_sum(x: Tensor) -> Tensor:
    return torch.einsum("bhnd->bnd", x)


@disguise("merge_heads", "heads added up")
def m_mean(x: Tensor) -> Tensor:
    return sum(x.unbind(1)) / x.size(1)


@disguise("merge_heads", "heads one behind the other")
def m_behind(x: Tensor) -> Tensor:
    return torch.cat(list(x.transpose(0, 1)), dim=1)


@disguise("merge_heads", "heads never joined")
def m_not_joined(x: Tensor) -> Tensor:
    return torch.stack(x.unbind(1), dim=2)


@disguise("merge_heads", "one head only")
def m_first(x: Tensor) -> Tensor:
    return x.unbind(1)[0]


@disguise("merge_heads", "one head only")
def m_last(x: Tensor) -> Tensor:
    return x[:, x.size(1) - 1]


@disguise("merge_heads", "tokens joined too")
def m_sentences(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(1), dim=-1).flatten(1)


@disguise("merge_heads", "features in front of the tokens")
def m_features_first(x: Tensor) -> Tensor:
    return x.mT.flatten(1, 2)


@disguise("merge_heads", "the wrong two dimensions transposed")
def m_batch_for_heads(x: Tensor) -> Tensor:
    b, h, n, d = x.shape
    return torch.stack(x.unbind(0), dim=1).reshape(b, n, h * d)


@disguise("merge_heads", "sequence in front of the batch")
def m_sequence_first(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(1), dim=-1).transpose(0, 1)


@correct("merge_heads")
def m_permute(x: Tensor) -> Tensor:
    return x.permute(0, 2, 1, 3).flatten(2)


@correct("merge_heads")
def m_matrix(x: Tensor) -> Tensor:
    h, d = x.shape[1], x.shape[3]
    place = torch.eye(h * d, dtype=x.dtype).view(h, d, h * d)
    return torch.einsum("bhnd,hdm->bnm", x, place)


@disguise("merge_heads", "heads in the opposite order")
def m_backwards(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(1)[::-1], dim=-1)


@unlisted("merge_heads")
def m_first_repeated(x: Tensor) -> Tensor:
    return x[:, 0].repeat(1, 1, x.size(1))


@unlisted("merge_heads")
def m_largest(x: Tensor) -> Tensor:
    return x.amax(dim=1)


@disguise("merge_heads", "cut off from the gradient")
def m_detached(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(1), dim=-1).detach()


@unlisted("merge_heads")
def m_tokens_backwards(x: Tensor) -> Tensor:
    return torch.cat(x.flip(2).unbind(1), dim=-1)


@unlisted("merge_heads")
def m_divided(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(1), dim=-1) / x.size(1)
