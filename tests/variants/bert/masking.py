"""Lesson 15: tokens that are taken out."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted

MASKING = "mask_tokens"

# Trunks ----------------------------------------------------------------------------


def token_by_token(
    ids: Tensor, maskable: Tensor, mask_id: int, chosen: Tensor, fate: Tensor, replacement: Tensor
) -> Any:
    """A loop over all tokens, as data sets have it."""
    inputs, labels = [], []
    flat = [one.reshape(-1).tolist() for one in (ids, maskable, chosen, fate, replacement)]
    for token, allowed, u, v, other in zip(*flat, strict=True):
        if allowed and u < 0.15:
            labels.append(token)
            if v < 0.8:
                token = mask_id
            elif v < 0.9:
                token = other
        else:
            labels.append(-100)
        inputs.append(token)
    return torch.tensor(inputs).reshape(ids.shape), torch.tensor(labels).reshape(ids.shape)


slips(
    MASKING,
    token_by_token,
    {
        "nothing is ever taken out": {"v < 0.8": "v < v * 0.8", "v < 0.9": "v < v * 0.9"},
        "all become [MASK]": [{"v < 0.8": "True"}, {"v < 0.8": "v < 1.0"}],
        "no other token ever": [
            {"v < 0.9": "v < 0.5"},
            {"token = other": "pass"},
            {"token = other": "token = mask_id"},
        ],
        "none stays itself": {"elif v < 0.9:": "else:"},
        "the last two fates exchanged": {"v < 0.9": "v >= 0.9"},
        "the fates in another order": [
            {"if v < 0.8:": "if 0.1 <= v < 0.9:", "elif v < 0.9:": "elif v < 0.1:"},
            {"if v < 0.8:": "if v >= 0.2:", "elif v < 0.9:": "elif v < 0.1:"},
        ],
        "[MASK] where a token stays": {"if v < 0.8:": "if v >= 0.9:", "elif v < 0.9:": "elif v >= 0.8:"},
        "special tokens are taken out": {"allowed and u": "u"},
        "maskable the wrong way round": {"allowed and u": "not allowed and u"},
        "85 of a hundred are asked for": [{"u < 0.15": "u > 0.15"}, {"u < 0.15": "u < 0.85"}],
        "every token is asked for": {"allowed and u < 0.15": "allowed"},
        "one draw for both questions": [
            {"v < 0.8": "u / 0.15 < 0.8", "v < 0.9": "u / 0.15 < 0.9"},
            {"u < 0.15": "v < 0.15"},
            {"u < 0.15": "v < 0.15", "v < 0.8": "u < 0.8", "v < 0.9": "u < 0.9"},
        ],
        "labels everywhere": [
            {"labels.append(-100)": "labels.append(token)"},
            {"labels.append(-100)": "labels.append(token if allowed else -100)"},
        ],
        "labels only at [MASK]": {
            "            labels.append(token)\n            if v < 0.8:": (
                "            labels.append(token if v < 0.8 else -100)\n            if v < 0.8:"
            )
        },
        "labels of what is read": {
            "            labels.append(token)\n": "",
            "                token = other\n": "                token = other\n            labels.append(token)\n",
        },
        "the replacement is the label": {"            labels.append(token)\n": "            labels.append(other)\n"},
        "another label for nothing": [
            {"labels.append(-100)": "labels.append(0)"},
            {"labels.append(-100)": "labels.append(-1)"},
            {"labels.append(-100)": "labels.append(mask_id)"},
        ],
        "0 instead of [MASK]": {"token = mask_id": "token = 0"},
        "a draw on a border": [
            {"u < 0.15": "u <= 0.15", "v < 0.8": "v <= 0.8", "v < 0.9": "v <= 0.9"},
            {"v < 0.8": "v <= 0.8"},
        ],
        "inputs and labels exchanged": {
            "return torch.tensor(inputs).reshape(ids.shape), torch.tensor(labels).reshape(ids.shape)": (
                "return torch.tensor(labels).reshape(ids.shape), torch.tensor(inputs).reshape(ids.shape)"
            ),
        },
    },
)


def in_a_copy(ids: Tensor, maskable: Tensor, mask_id: int, chosen: Tensor, fate: Tensor, replacement: Tensor) -> Any:
    """Copies, and assignments at places."""
    x, y = ids.clone(), ids.clone()
    picked = (chosen < 0.15).logical_and(maskable)
    y[~picked] = -100
    hidden = picked & (fate < 0.8)
    random = picked & ~hidden & (fate < 0.9)
    x[hidden] = mask_id
    x[random] = replacement[random]
    return x, y


slips(
    MASKING,
    in_a_copy,
    {
        "nothing is ever taken out": {"(fate < 0.8)": "(fate < fate * 0.8)", "(fate < 0.9)": "(fate < fate * 0.9)"},
        "all become [MASK]": {"picked & (fate < 0.8)": "picked"},
        "no other token ever": [{"(fate < 0.9)": "(fate < 0.5)"}, {"x[random] = replacement[random]": "pass"}],
        "none stays itself": {"~hidden & (fate < 0.9)": "~hidden"},
        "the other token overwrites [MASK]": {"picked & ~hidden & (fate < 0.9)": "picked & (fate < 0.9)"},
        "the last two fates exchanged": {"(fate < 0.9)": "(fate >= 0.9)"},
        "the fates befall all tokens": [
            {"picked & (fate < 0.8)": "fate < 0.8", "picked & ~hidden": "~hidden"},
            {"picked & (fate < 0.8)": "maskable & (fate < 0.8)", "picked & ~hidden": "maskable & ~hidden"},
            {"picked & ~hidden": "maskable & ~hidden & (fate >= 0.8)"},
        ],
        "special tokens are taken out": [
            {".logical_and(maskable)": ""},
            {
                ".logical_and(maskable)": "",
                "y[~picked] = -100": "y[~(picked & maskable)] = -100",
            },
            {"y[~picked] = -100": "y[chosen >= 0.15] = -100"},
        ],
        "maskable the wrong way round": {".logical_and(maskable)": ".logical_and(~maskable)"},
        "85 of a hundred are asked for": {"chosen < 0.15": "chosen > 0.15"},
        "every token is asked for": {"(chosen < 0.15).logical_and(maskable)": "maskable.clone()"},
        "labels everywhere": {"y[~picked] = -100": ""},
        "labels where nothing is asked": {"y[~picked] = -100": "y[picked] = -100"},
        "labels only at [MASK]": [
            {"return x, y": "return x, y.where(hidden, -100)"},
            {"return x, y": "return x, y.where(hidden | random, -100)"},
            {"return x, y": "return x, y.where(x != ids, -100)"},
        ],
        "labels of what is read": {"return x, y": "return x, x.where(picked, -100)"},
        "another label for nothing": {"y[~picked] = -100": "y[~picked] = 0"},
        "the given ids are changed": [
            {"x, y = ids.clone(), ids.clone()": "x, y = ids, ids.clone()"},
            {"x, y = ids.clone(), ids.clone()": "x, y = ids.clone(), ids"},
        ],
        "one draw for a whole row": [
            {"(chosen < 0.15)": "(chosen[..., :1] < 0.15)"},
            {"(chosen < 0.15)": "(chosen[:1] < 0.15)"},
        ],
        "0 instead of [MASK]": {"x[hidden] = mask_id": "x[hidden] = 0"},
        "a draw on a border": [{"chosen < 0.15": "chosen <= 0.15"}, {"(fate < 0.9)": "(fate <= 0.9)"}],
        "inputs and labels exchanged": {"return x, y": "return y, x"},
        "special tokens are taken out + labels everywhere": {
            ".logical_and(maskable)": "",
            "y[~picked] = -100": "",
        },
    },
)


def by_kind(ids: Tensor, maskable: Tensor, mask_id: int, chosen: Tensor, fate: Tensor, replacement: Tensor) -> Any:
    """A number for each token's fate, and one choice among all."""
    edges = torch.tensor([0.8, 0.9], dtype=fate.dtype)
    kind = torch.bucketize(fate, edges, right=True)
    kind = kind.masked_fill(~maskable | (chosen >= 0.15), 3)
    options = torch.stack([torch.full_like(ids, mask_id), replacement, ids, ids])
    made = options.gather(0, kind[None])[0]
    return made, ids.masked_fill(kind == 3, -100)


slips(
    MASKING,
    by_kind,
    {
        "all become [MASK]": {"[0.8, 0.9]": "[1.1, 1.2]"},
        "none stays itself": {"replacement, ids, ids": "replacement, replacement, ids"},
        "no other token ever": [
            {"torch.full_like(ids, mask_id), replacement, ids, ids": "torch.full_like(ids, mask_id), ids, ids, ids"},
            {"[0.8, 0.9]": "[0.8, 0.8]"},
            {"[0.8, 0.9]": "[0.9, 0.9]"},
        ],
        "the other token overwrites [MASK]": {"torch.full_like(ids, mask_id), replacement": "replacement, replacement"},
        "the last two fates exchanged": {"replacement, ids, ids": "ids, replacement, ids"},
        "nothing is ever taken out": {
            "torch.full_like(ids, mask_id), replacement, ids, ids": "torch.stack([ids] * 4).unbind()[0], ids, ids, ids"
        },
        "special tokens are taken out": {"~maskable | (chosen >= 0.15)": "chosen >= 0.15"},
        "maskable the wrong way round": {"~maskable |": "maskable |"},
        "85 of a hundred are asked for": {"chosen >= 0.15": "chosen <= 0.15"},
        "every token is asked for": {"~maskable | (chosen >= 0.15)": "~maskable"},
        "labels everywhere": {"ids.masked_fill(kind == 3, -100)": "ids.clone()"},
        "labels where nothing is asked": {"kind == 3": "kind != 3"},
        "labels only at [MASK]": [{"kind == 3": "kind != 0"}, {"kind == 3": "kind > 1"}],
        "labels of what is read": {"ids.masked_fill(kind == 3, -100)": "made.masked_fill(kind == 3, -100)"},
        "the replacement is the label": {
            "ids.masked_fill(kind == 3, -100)": "replacement.masked_fill(kind == 3, -100)"
        },
        "another label for nothing": {"-100": "-1"},
        "0 instead of [MASK]": {"torch.full_like(ids, mask_id)": "torch.zeros_like(ids)"},
        "inputs and labels exchanged": {
            "return made, ids.masked_fill(kind == 3, -100)": "return ids.masked_fill(kind == 3, -100), made"
        },
        "one draw for a whole row": {
            "torch.bucketize(fate,": "torch.bucketize(fate[..., :1].expand_as(fate).contiguous(),"
        },
    },
)


# In full ----------------------------------------------------------------------------

Rule = Callable[[Any], tuple[Any, Any]]


class Token:
    """What is known of all tokens, as arrays: who is asked, and what may befall them."""

    def __init__(
        self, ids: Tensor, maskable: Tensor, mask_id: int, chosen: Tensor, fate: Tensor, other: Tensor
    ) -> None:
        self.id, self.may, self.u, self.v = ids.numpy(), maskable.numpy(), chosen.numpy(), fate.numpy()
        self.other, self.mask = other.numpy(), mask_id
        self.low = self.u < 0.15
        self.asked = self.may & self.low

    def read(self, asked: Any = None, cut: tuple[Any, Any] | None = None, mask: Any = None) -> Any:
        """What the model reads: these are asked, [MASK] here and another token there, of those that are asked."""
        first, second = cut if cut is not None else (self.v < 0.8, (self.v >= 0.8) & (self.v < 0.9))
        who = self.asked if asked is None else asked
        made = np.where(who & second, self.other, self.id)
        return np.where(who & first, self.mask if mask is None else mask, made)

    def labels(self, where: Any = None, nothing: int = -100, of: Any = None) -> Any:
        """The ids where they are asked."""
        return np.where(self.asked if where is None else where, self.id if of is None else of, nothing)


def ruled(rule: Rule) -> Callable[..., Any]:
    """An implementation made of a rule."""

    def mask(ids: Tensor, maskable: Tensor, mask_id: int, chosen: Tensor, fate: Tensor, replacement: Tensor) -> Any:
        found = rule(Token(ids, maskable, mask_id, chosen, fate, replacement))
        return tuple(torch.from_numpy(np.ascontiguousarray(one)).reshape(ids.shape) for one in found)

    return mask


correct(MASKING)(ruled(lambda t: (t.read(), t.labels())))
NOWHERE = np.zeros((), dtype=bool)
FULL: dict[str, list[Rule]] = {
    "nothing is ever taken out": [lambda t: (t.id.copy(), t.labels())],
    "all become [MASK]": [lambda t: (np.where(t.asked, t.mask, t.id), t.labels())],
    "no other token ever": [
        lambda t: (t.read(cut=(t.v < 0.8, NOWHERE)), t.labels()),
        lambda t: (t.read(cut=(t.v < 0.9, NOWHERE)), t.labels()),
    ],
    "none stays itself": [lambda t: (t.read(cut=(t.v < 0.8, t.v >= 0.8)), t.labels())],
    "the other token overwrites [MASK]": [lambda t: (t.read(cut=(NOWHERE, t.v < 0.9)), t.labels())],
    "the last two fates exchanged": [lambda t: (t.read(cut=(t.v < 0.8, t.v >= 0.9)), t.labels())],
    "the fates in another order": [
        lambda t: (t.read(cut=((t.v >= 0.1) & (t.v < 0.9), t.v < 0.1)), t.labels()),
        lambda t: (t.read(cut=(t.v >= 0.2, (t.v >= 0.1) & (t.v < 0.2))), t.labels()),
        lambda t: (t.read(cut=((t.v >= 0.1) & (t.u / 0.15 < 0.9), t.v < 0.1)), t.labels()),
    ],
    "[MASK] where a token stays": [
        lambda t: (t.read(cut=(t.v >= 0.8, NOWHERE)), t.labels()),
        lambda t: (t.read(cut=(t.v < 0.1, (t.v >= 0.1) & (t.v < 0.2))), t.labels()),
    ],
    "the fates befall all tokens": [
        lambda t: (t.read(np.ones_like(t.may)), t.labels()),
        lambda t: (t.read(t.may), t.labels()),
        lambda t: (np.where(t.v < 0.8, t.mask, t.read()), t.labels()),
    ],
    "special tokens are taken out": [
        lambda t: (t.read(t.low), t.labels(t.low)),
        lambda t: (t.read(t.low), t.labels()),
        lambda t: (t.read(), t.labels(t.low)),
        lambda t: (np.where(t.low & (t.v < 0.8), t.mask, t.read()), t.labels()),
        lambda t: (np.where(t.low & (t.v >= 0.8) & (t.v < 0.9), t.other, t.read()), t.labels()),
        lambda t: (np.where(t.may, t.read(), t.mask), t.labels()),
    ],
    "another share is asked for": [
        lambda t: (t.read(t.may & (t.u < 0.2)), t.labels(t.may & (t.u < 0.2))),
        lambda t: (t.read(t.may & (t.u < 0.5)), t.labels(t.may & (t.u < 0.5))),
    ],
    "other borders of the fates": [
        lambda t: (t.read(cut=(t.v < 0.5, (t.v >= 0.5) & (t.v < 0.9))), t.labels()),
        lambda t: (t.read(cut=(t.v < 0.8, (t.v >= 0.8) & (t.v < 0.95))), t.labels()),
        lambda t: (t.read(cut=(t.v / 0.15 < 0.8, (t.v / 0.15 >= 0.8) & (t.v / 0.15 < 0.9))), t.labels()),
    ],
    "what is not asked for is lost": [
        lambda t: (t.read() * t.asked, t.labels()),
        lambda t: (np.where(t.asked, t.read(), -100), t.labels()),
    ],
    "inputs and labels are one tensor": [lambda t: (t.labels(of=t.read()),) * 2],
    "maskable the wrong way round": [lambda t: (t.read(t.low & ~t.may), t.labels(t.low & ~t.may))],
    "85 of a hundred are asked for": [lambda t: (t.read(t.may & ~t.low), t.labels(t.may & ~t.low))],
    "every token is asked for": [lambda t: (t.read(t.may), t.labels(t.may))],
    "one draw for both questions": [
        lambda t: (t.read(cut=(t.u < 0.12, (t.u >= 0.12) & (t.u < 0.135))), t.labels()),
        lambda t: (t.read(t.may & (t.v < 0.15)), t.labels(t.may & (t.v < 0.15))),
    ],
    "labels everywhere": [lambda t: (t.read(), t.id.copy()), lambda t: (t.read(), t.labels(t.may))],
    "labels where nothing is asked": [lambda t: (t.read(), t.labels(~t.asked))],
    "labels only at [MASK]": [
        lambda t: (t.read(), t.labels(t.asked & (t.v < 0.8))),
        lambda t: (t.read(), t.labels(t.read() != t.id)),
    ],
    "labels of what is read": [lambda t: (t.read(), t.labels(of=t.read())), lambda t: (t.read(), t.read())],
    "the replacement is the label": [
        lambda t: (t.read(), t.labels(of=t.other)),
        lambda t: (t.read(), t.labels(of=np.where((t.v >= 0.8) & (t.v < 0.9), t.other, t.id))),
    ],
    "another label for nothing": [
        lambda t: (t.read(), t.labels(nothing=0)),
        lambda t: (t.read(), t.labels(nothing=100)),
    ],
    "one draw for a whole row": [
        lambda t: (t.read(t.may & t.low.flat[0]), t.labels(t.may & t.low.flat[0])),
        lambda t: (t.read(cut=(t.v.flat[0] < 0.8, 0.8 <= t.v.flat[0] < 0.9)), t.labels()),
    ],
    "0 instead of [MASK]": [lambda t: (t.read(mask=0), t.labels()), lambda t: (t.read(mask=-100), t.labels())],
    "a draw on a border": [
        lambda t: (t.read(cut=(t.v <= 0.8, (t.v > 0.8) & (t.v <= 0.9))), t.labels()),
        lambda t: (t.read(t.may & (t.u <= 0.15)), t.labels(t.may & (t.u <= 0.15))),
    ],
    "the other token's step begins anew": [lambda t: (t.read(cut=(NOWHERE, (t.v >= 0.8) & (t.v < 0.9))), t.labels())],
    "[MASK] and the other token exchanged": [
        lambda t: (
            np.where(t.asked & (t.v < 0.8), t.other, t.read(cut=((t.v >= 0.8) & (t.v < 0.9), NOWHERE))),
            t.labels(),
        ),
    ],
    "maskable or chosen": [lambda t: (t.read(t.may | t.low), t.labels(t.may | t.low))],
    "12 of a hundred are asked for": [
        lambda t: (t.read(t.may & (t.u < 0.12)), t.labels(t.may & (t.u < 0.12))),
        lambda t: (np.where(t.may & (t.u < 0.12), t.mask, t.id), t.labels(t.may & (t.u < 0.12))),
    ],
    "no labels": [lambda t: (t.read(), t.labels(NOWHERE))],
    "one other token for all": [
        lambda t: (np.where(t.asked & (t.v >= 0.8) & (t.v < 0.9), t.other.flat[0], t.read()), t.labels()),
    ],
    "inputs and labels exchanged": [lambda t: (t.labels(), t.read())],
}
for mistake, rules in FULL.items():
    for rule in rules:
        disguise(MASKING, mistake)(ruled(rule))


@disguise(MASKING, "the given ids are changed")
def m_in_place(ids: Tensor, maskable: Tensor, mask_id: int, chosen: Tensor, fate: Tensor, replacement: Tensor) -> Any:
    asked = maskable & chosen.lt(0.15)
    labels = torch.full_like(ids, -100)
    labels[asked] = ids[asked]
    ids.masked_fill_(asked & fate.lt(0.8), mask_id)
    swapped = (asked & fate.ge(0.8) & fate.lt(0.9)).nonzero(as_tuple=True)
    ids[swapped] = replacement[swapped]
    return ids, labels


@disguise(MASKING, "all texts in one row")
def m_flat(ids: Tensor, maskable: Tensor, mask_id: int, chosen: Tensor, fate: Tensor, replacement: Tensor) -> Any:
    flat = [one.reshape(-1) for one in (ids, maskable, chosen, fate, replacement)]
    return token_by_token(flat[0], flat[1], mask_id, *flat[2:])


@disguise(MASKING, "the other end of the draws")
def m_upper(ids: Tensor, maskable: Tensor, mask_id: int, chosen: Tensor, fate: Tensor, replacement: Tensor) -> Any:
    return token_by_token(ids, maskable, mask_id, 1 - chosen, fate, replacement)


@disguise(MASKING, "another kind of whole number")
def m_short(ids: Tensor, maskable: Tensor, mask_id: int, chosen: Tensor, fate: Tensor, replacement: Tensor) -> Any:
    found = token_by_token(ids, maskable, mask_id, chosen, fate, replacement)
    return tuple(one.to(torch.int32) for one in found)


unlisted(MASKING)(ruled(lambda t: (t.read(), t.labels(t.asked & (t.v >= 0.8)))))
unlisted(MASKING)(ruled(lambda t: (t.read(cut=(t.v < t.u, (t.v >= t.u) & (t.v < 0.9))), t.labels())))
unlisted(MASKING)(ruled(lambda t: (t.read(t.may & (t.u * t.v < 0.12)), t.labels(t.may & (t.u * t.v < 0.12)))))
unlisted(MASKING)(ruled(lambda t: (t.read(), np.roll(t.labels(), 1))))


@correct(MASKING)
def m_arithmetic(ids: Tensor, maskable: Tensor, mask_id: int, chosen: Tensor, fate: Tensor, replacement: Tensor) -> Any:
    """Products of 0 and 1."""
    asked = (maskable & (chosen < 0.15)).long()
    hide = asked * (fate < 0.8).long()
    swap = asked * (fate >= 0.8).long() * (fate < 0.9).long()
    read = hide * mask_id + swap * replacement + (1 - hide - swap) * ids
    return read, asked * ids - 100 * (1 - asked)
