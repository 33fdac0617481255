"""Scores, alone and built into an attention."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from tests import variants
from tests.variants.attention.parts import SDPA, attends, correct, disguise, dot, slips, unlisted


def both(mistake: str) -> Any:
    """A disguise of `attention_scores` and, built into an attention, of the whole."""

    def add(score: Any) -> Any:
        disguise("attention_scores", mistake)(score)
        disguise(SDPA, mistake)(attends(score))
        return score

    return add


def slips_of_both(trunk: Any, made: Mapping[str, Any], inside: str = "") -> None:
    """Slips in scores, and in an attention that is made of them."""
    slips("attention_scores", trunk, made, inside=inside)
    slips(SDPA, trunk, made, around=attends, inside=inside)


# Slips in right code ----------------------------------------------------------------------------


def by_einsum(q: Tensor, k: Tensor) -> Tensor:
    products = torch.einsum("...id,...jd->...ij", q, k)
    return products * k.shape[-1] ** -0.5


slips_of_both(
    by_einsum,
    {
        "no scale": {" * k.shape[-1] ** -0.5": ""},
        "scale by d": {"** -0.5": "** -1"},
        "d ** 1 / 2 is no root": {"* k.shape[-1] ** -0.5": "/ k.shape[-1] ** 1 / 2"},
        "multiplied by √d": {"** -0.5": "** 0.5"},
        "scale by √key_len": {"k.shape[-1]": "products.shape[-1]"},
        "scale by √query_len": [{"k.shape[-1]": "products.shape[-2]"}, {"k.shape[-1]": "len(q)"}],
        "qᵀk instead of qkᵀ": {"...id,...jd->...ij": "...ti,...tj->...ij"},
        "scores transposed": {"->...ij": "->...ji"},
        "fits one number of dimensions": [
            {"...id,...jd->...ij": "id,jd->ij"},
            {"...id,...jd->...ij": "bid,bjd->bij"},
            {"...id,...jd->...ij": "bhid,bhjd->bhij"},
        ],
        "writes into its input": {
            "products =": "q *= k.shape[-1] ** -0.5\n    products =",
            "return products * k.shape[-1] ** -0.5": "return products",
        },
        "scores detached": {", q, k)": ", q, k).detach()"},
    },
)
slips("attention_scores", by_einsum, {"softmax already": {"** -0.5": "** -0.5).softmax(-1)", "return ": "return ("}})


def by_broadcast(q: Tensor, k: Tensor) -> Tensor:
    pairs = q.unsqueeze(-2) * k.unsqueeze(-3)
    root = torch.tensor(float(q.shape[-1])).sqrt()
    return pairs.sum(-1) / root


slips_of_both(
    by_broadcast,
    {
        "no scale": {" / root": ""},
        "scale by d": {".sqrt()": ""},
        "d ** 1 / 2 is no root": {"torch.tensor(float(q.shape[-1])).sqrt()": "q.shape[-1] ** 1 / 2"},
        "multiplied by √d": {"/ root": "* root"},
        "scale by √key_len": {"q.shape[-1]": "k.shape[-2]"},
        "scale by √query_len": [
            {"q.shape[-1]": "q.shape[-2]"},
            {"q.shape[-1]": "q.shape[1]"},
            {"q.shape[-1]": "q.shape[0]"},
        ],
        "scores transposed": {"q.unsqueeze(-2)": "q.unsqueeze(-3)", "k.unsqueeze(-3)": "k.unsqueeze(-2)"},
        "fits one number of dimensions": [
            {"q.unsqueeze(-2)": "q.unsqueeze(2)", "k.unsqueeze(-3)": "k.unsqueeze(1)"},
            {"q.unsqueeze(-2)": "q.unsqueeze(3)", "k.unsqueeze(-3)": "k.unsqueeze(2)"},
        ],
        "scores detached": {"pairs.sum": "pairs.data.sum"},
    },
)
slips(
    "attention_scores",
    by_broadcast,
    {
        "softmax already": [
            {"pairs.sum(-1) / root": "F.softmax(pairs.sum(-1) / root, -1)"},
            {"pairs.sum(-1) / root": "F.softmax(pairs.sum(-1), -1)"},
        ],
        "cosine instead of dot product": {
            "pairs = q": "q, k = F.normalize(q, dim=-1), F.normalize(k, dim=-1)\n    pairs = q"
        },
    },
)


def shrunk(x: Tensor) -> Tensor:
    return x / x.shape[-1] ** 0.25


def both_scaled(q: Tensor, k: Tensor) -> Tensor:
    return torch.matmul(shrunk(q), shrunk(k).mT)


slips_of_both(
    both_scaled,
    {
        "no scale": {" / x.shape[-1] ** 0.25": ""},
        "scale by d": {"** 0.25": "** 0.5"},
        "multiplied by √d": {"x /": "x *"},
        "scores detached": {"return x": "return x.detach()"},
    },
    inside="shrunk",
)
slips_of_both(
    both_scaled,
    {
        "qᵀk instead of qkᵀ": {"shrunk(q), shrunk(k).mT": "shrunk(q).mT, shrunk(k)"},
        "scores transposed": {"shrunk(q), shrunk(k)": "shrunk(k), shrunk(q)"},
        "reshape instead of transpose": {"shrunk(k).mT": "shrunk(k).reshape(*k.shape[:-2], k.shape[-1], -1)"},
        "fits one number of dimensions": [
            {"shrunk(k).mT": "shrunk(k).T"},
            {"shrunk(k).mT": "shrunk(k).transpose(1, 2)"},
            {"shrunk(k).mT": "shrunk(k).transpose(2, 3)"},
        ],
    },
)
slips(
    "attention_scores",
    both_scaled,
    {
        "softmax already": {"shrunk(k).mT)": "shrunk(k).mT).softmax(dim=-1)"},
        "cosine instead of dot product": {
            "shrunk(q), shrunk(k)": "shrunk(F.normalize(q, dim=-1)), shrunk(F.normalize(k, dim=-1))"
        },
    },
)


def flat_bmm(q: Tensor, k: Tensor) -> Tensor:
    queries, keys = q.reshape(-1, *q.shape[-2:]), k.reshape(-1, *k.shape[-2:])
    scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(q.size(-1))
    return scores.view(*q.shape[:-1], k.size(-2))


slips_of_both(
    flat_bmm,
    {
        "scale by d": {"math.sqrt(q.size(-1))": "q.size(-1)"},
        "d ** 1 / 2 is no root": {"math.sqrt(q.size(-1))": "q.size(-1) ** 1 / 2"},
        "multiplied by √d": {"/ math": "* math"},
        "scale by √key_len": {"q.size(-1)": "k.size(-2)"},
        "scale by √query_len": [{"q.size(-1)": "q.size(-2)"}, {"q.size(-1)": "q.size(0)"}, {"q.size(-1)": "q.size(1)"}],
        "reshape instead of transpose": {"keys.transpose(1, 2)": "keys.reshape(-1, k.size(-1), k.size(-2))"},
        "fits one number of dimensions": [
            {"queries, keys = ": "batch, length, width = q.shape\n    queries, keys = "},
            {"queries, keys = ": "batch, heads, length, width = q.shape\n    queries, keys = "},
        ],
        "writes into its input": [
            {
                "queries, keys = ": "q.div_(math.sqrt(q.size(-1)))\n    queries, keys = ",
                "(1, 2)) / math.sqrt(q.size(-1))": "(1, 2))",
            },
            {
                "queries, keys = ": "k.div_(math.sqrt(q.size(-1)))\n    queries, keys = ",
                "(1, 2)) / math.sqrt(q.size(-1))": "(1, 2))",
            },
        ],
        "scores detached": {"return scores": "return scores.detach()"},
    },
)
slips("attention_scores", flat_bmm, {"softmax already": {"return scores": "return torch.softmax(scores, 2)"}})


def key_by_key(q: Tensor, k: Tensor) -> Tensor:
    columns = []
    for place in range(k.shape[-2]):
        key = k[..., place, None, :]
        columns.append((q * key).sum(-1))
    return torch.stack(columns, dim=-1).div(k.shape[-1] ** 0.5)


slips_of_both(
    key_by_key,
    {
        "no scale": {".div(k.shape[-1] ** 0.5)": ""},
        "scale by √key_len": {"k.shape[-1] ** 0.5": "len(columns) ** 0.5"},
        "d ** 1 / 2 is no root": {"** 0.5": "** 1 / 2"},
        "scores transposed": {"dim=-1": "dim=-2"},
        "writes into its input": {
            "columns = []": "q /= k.shape[-1] ** 0.5\n    columns = []",
            ".div(k.shape[-1] ** 0.5)": "",
        },
        "scores detached": {"columns.append((q * key).sum(-1))": "columns.append((q * key).sum(-1).detach())"},
    },
)
slips(
    "attention_scores",
    key_by_key,
    {"cosine instead of dot product": {"(q * key).sum(-1)": "F.cosine_similarity(q, key, dim=-1)"}},
)


# Wrong on purpose, written in full ----------------------------------------------------------------------------


@both("no scale")
def plain_dot(q: Tensor, k: Tensor) -> Tensor:
    return torch.einsum("...id,...jd->...ij", q, k)


@both("scale by d")
def scaled_twice(q: Tensor, k: Tensor) -> Tensor:
    root = math.sqrt(q.size(-1))
    return (q / root) @ (k / root).transpose(-1, -2)


@both("multiplied by √d")
def times_root(q: Tensor, k: Tensor) -> Tensor:
    return torch.matmul(q * q.shape[-1] ** 0.5, k.swapaxes(-1, -2))


@both("scale by √key_len")
def over_keys(q: Tensor, k: Tensor) -> Tensor:
    s = q @ k.mT
    return s / s.shape[-1] ** 0.5


@both("scale by √query_len")
def over_length(q: Tensor, k: Tensor) -> Tensor:
    return torch.matmul(q, k.mT) / torch.sqrt(torch.tensor(float(q.shape[-2])))


@both("qᵀk instead of qkᵀ")
def features(q: Tensor, k: Tensor) -> Tensor:
    return torch.matmul(q.mT, k) / math.sqrt(q.shape[-1])


@both("d ** 1 / 2 is no root")
def precedence(q: Tensor, k: Tensor) -> Tensor:
    root = q.shape[-1] ** 1 / 2
    return torch.matmul(q, k.mT) / root


@both("reshape instead of transpose")
def keys_viewed(q: Tensor, k: Tensor) -> Tensor:
    *front, keys, width = k.shape
    return torch.einsum("...qd,...dk->...qk", q, k.view(*front, width, keys)) * width**-0.5


@both("scores transposed")
def keys_first(q: Tensor, k: Tensor) -> Tensor:
    return torch.einsum("...qd,...kd->...kq", q, k) / math.sqrt(k.shape[-1])


@both("fits one number of dimensions")
def first_two(q: Tensor, k: Tensor) -> Tensor:
    return torch.matmul(q, k.swapdims(1, 0)) * k.shape[-1] ** -0.5


@both("fits one number of dimensions")
def unpacked(q: Tensor, k: Tensor) -> Tensor:
    batch, query_len, width = q.size()
    return torch.bmm(q, k.transpose(1, 2)).view(batch, query_len, -1) / math.sqrt(width)


@both("writes into its input")
def scaled_in_place(q: Tensor, k: Tensor) -> Tensor:
    q /= math.sqrt(q.shape[-1])
    return torch.matmul(q, k.mT)


@disguise("attention_scores", "softmax already")
def weights_already(q: Tensor, k: Tensor) -> Tensor:
    return F.softmax(dot(q, k), dim=-1)


@disguise("attention_scores", "cosine instead of dot product")
def cosine(q: Tensor, k: Tensor) -> Tensor:
    return F.cosine_similarity(q.unsqueeze(-2), k.unsqueeze(-3), dim=-1) / q.shape[-1] ** 0.5


@both("scores detached")
def no_graph(q: Tensor, k: Tensor) -> Tensor:
    with torch.no_grad():
        return dot(q, k)


variants.disguise("attention_scores", "other widths are not refused")(dot)


@disguise("attention_scores", "the scale is not √d_head")
def one_of_two_scaled(q: Tensor, k: Tensor) -> Tensor:
    return torch.einsum("...id,...jd->...ij", shrunk(q), k)


@disguise("attention_scores", "the scale is not √d_head")
def mean_of_products(q: Tensor, k: Tensor) -> Tensor:
    return (q.unsqueeze(-2) * k.unsqueeze(-3)).mean(-1) / math.sqrt(q.shape[-1])


@disguise("attention_scores", "rounded to a whole number")
def whole_root(q: Tensor, k: Tensor) -> Tensor:
    return torch.matmul(q, k.mT) / int(q.shape[-1] ** 0.5)


@disguise("attention_scores", "rounded to a whole number")
def whole_scores(q: Tensor, k: Tensor) -> Tensor:
    return torch.floor(dot(q, k))


@disguise("attention_scores", "number by number instead of a product")
def pair_by_pair(q: Tensor, k: Tensor) -> Tensor:
    return torch.mul(q, k) * q.shape[-1] ** -0.5


@disguise("attention_scores", "one of the two with itself")
def queries_alone(q: Tensor, k: Tensor) -> Tensor:
    return torch.einsum("...id,...jd->...ij", q, q) * k.shape[-1] ** -0.5


@disguise("attention_scores", "one of the two with itself")
def keys_alone(q: Tensor, k: Tensor) -> Tensor:
    return torch.matmul(k, k.mT) / q.shape[-1] ** 0.5


@disguise("attention_scores", "a key is left out")
def one_key_short(q: Tensor, k: Tensor) -> Tensor:
    columns = [torch.matmul(q, k[..., place, :, None]) for place in range(k.shape[-2] - 1)]
    return torch.cat(columns, dim=-1) / q.shape[-1] ** 0.5 if columns else q[..., :0]


@disguise("attention_scores", "a list instead of a tensor")
def query_by_query(q: Tensor, k: Tensor) -> Any:
    return [dot(one.unsqueeze(-2), k).squeeze(-2) for one in q.unbind(-2)]


@disguise("attention_scores", "a feature is left out")
def one_feature_short(q: Tensor, k: Tensor) -> Tensor:
    scores = torch.zeros(*q.shape[:-1], k.shape[-2], dtype=q.dtype)
    for feature in range(q.shape[-1] - 1):
        scores = scores + q[..., feature, None] * k[..., None, :, feature]
    return scores / q.shape[-1] ** 0.5


# Right, in unusual ways ----------------------------------------------------------------------------


@correct("attention_scores")
def by_distance(q: Tensor, k: Tensor) -> Tensor:
    square = (q.unsqueeze(-2) - k.unsqueeze(-3)).square().sum(-1)
    norms = q.square().sum(-1, keepdim=True) + k.square().sum(-1).unsqueeze(-2)
    return (norms - square) / 2 / math.sqrt(q.shape[-1])


@correct("attention_scores")
def in_double(q: Tensor, k: Tensor) -> Tensor:
    return (torch.linalg.matmul(q.double(), k.double().mT) / math.sqrt(q.shape[-1])).to(q.dtype)


@correct("attention_scores")
def transposed_twice(q: Tensor, k: Tensor) -> Tensor:
    return (k @ q.mT).mT / math.sqrt(q.shape[-1])


# Wrong in ways that no list holds ----------------------------------------------------------------------------


@disguise("attention_scores", "distances instead of dot products")
def negative_distance(q: Tensor, k: Tensor) -> Tensor:
    return -torch.cdist(q, k) / math.sqrt(q.shape[-1])


@disguise("attention_scores", "no score is negative")
def only_positive(q: Tensor, k: Tensor) -> Tensor:
    return F.relu(dot(q, k))


@unlisted("attention_scores")
def additive_scores(q: Tensor, k: Tensor) -> Tensor:
    return torch.tanh(q[..., :, None, :] + k[..., None, :, :]).sum(-1)


@unlisted("attention_scores")
def through_numpy(q: Tensor, k: Tensor) -> Any:
    return q.detach().numpy() @ np.swapaxes(k.detach().numpy(), -1, -2) / np.sqrt(q.shape[-1])


@disguise("attention_scores", "the sign is turned")
def wrong_sign(q: Tensor, k: Tensor) -> Tensor:
    return -dot(q, k)


@disguise("attention_scores", "softmax already")
def centred(q: Tensor, k: Tensor) -> Tensor:
    s = dot(q, k)
    return s - s.amax(-1, keepdim=True)


@unlisted("attention_scores")
def in_one_order(q: Tensor, k: Tensor) -> Tensor:
    return dot(q, k.flip(-2))


@unlisted("attention_scores")
def with_relu(q: Tensor, k: Tensor) -> Tensor:
    return dot(F.relu(q), F.relu(k))


@disguise("attention_scores", "the scale is a fixed number")
def fixed_scale(q: Tensor, k: Tensor) -> Tensor:
    return torch.matmul(q, k.mT) / 8


@unlisted("attention_scores")
def unscaled_for_one_key(q: Tensor, k: Tensor) -> Tensor:
    return dot(q, k) if k.size(-2) > 1 else torch.matmul(q, k.mT)
