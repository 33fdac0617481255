"""The decoder's input and the loss."""

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import correct, disguise, slips, unlisted

# shift_right, wrong ----------------------------------------------------------------------------


@disguise("shift_right", "one token too long")
def sr_long(tgt: Tensor, bos_id: int) -> Tensor:
    return F.pad(tgt, (1, 0), value=bos_id)


@disguise("shift_right", "shifted to the left")
def sr_left(tgt: Tensor, bos_id: int) -> Tensor:
    out = tgt.roll(-1, 1)
    out[:, -1] = bos_id
    return out


@disguise("shift_right", "the first token is written over")
def sr_over(tgt: Tensor, bos_id: int) -> Tensor:
    out = tgt.clone()
    out[:, 0] = bos_id
    return out


@disguise("shift_right", "not shifted")
def sr_same(tgt: Tensor, bos_id: int) -> Tensor:
    return torch.cat([torch.full((len(tgt), 1), bos_id), tgt], 1)[:, 1:]


@disguise("shift_right", "the last token comes first")
def sr_roll(tgt: Tensor, bos_id: int) -> Tensor:
    return torch.cat([tgt[:, -1:], tgt[:, :-1]], 1)


@disguise("shift_right", "shifted along the batch")
def sr_batch(tgt: Tensor, bos_id: int) -> Tensor:
    out = torch.empty_like(tgt)
    out[0] = bos_id
    out[1:] = tgt[:-1]
    return out


@disguise("shift_right", "the first row for the first column")
def sr_row(tgt: Tensor, bos_id: int) -> Tensor:
    out = torch.zeros_like(tgt)
    out[0] = bos_id
    for at in range(1, tgt.size(1)):
        out[:, at] = tgt[:, at - 1]
    return out


@disguise("shift_right", "bos_id is not used")
def sr_zero(tgt: Tensor, bos_id: int) -> Tensor:
    return F.pad(tgt[:, :-1], (1, 0))


@disguise("shift_right", "floats, not token ids")
def sr_float(tgt: Tensor, bos_id: int) -> Tensor:
    return torch.cat([torch.ones(len(tgt), 1) * bos_id, tgt[:, :-1]], 1)


@disguise("shift_right", "bos_id is missing")
def sr_cut(tgt: Tensor, bos_id: int) -> Tensor:
    return tgt.narrow(1, 0, tgt.size(1) - 1)


@disguise("shift_right", "one token too short")
def sr_short(tgt: Tensor, bos_id: int) -> Tensor:
    return F.pad(tgt[:, :-1][:, :-1], (1, 0), value=bos_id)


@disguise("shift_right", "bos_id comes last")
def sr_last(tgt: Tensor, bos_id: int) -> Tensor:
    out = tgt.clone()
    out[:, -1] = bos_id
    return out


@disguise("shift_right", "shifted by two places")
def sr_two(tgt: Tensor, bos_id: int) -> Tensor:
    out = tgt.roll(2, 1)
    out[:, 0] = bos_id
    return out


@disguise("shift_right", "shifted as one long row")
def sr_long_row(tgt: Tensor, bos_id: int) -> Tensor:
    words = [bos_id, *tgt.reshape(-1).tolist()[:-1]]
    return torch.tensor(words).reshape(tgt.shape)


# shift_right, right ----------------------------------------------------------------------------


@correct("shift_right")
def sr_roll_and_set(tgt: Tensor, bos_id: int) -> Tensor:
    out = tgt.roll(1, dims=-1)
    out[:, 0] = bos_id
    return out


@correct("shift_right")
def sr_where(tgt: Tensor, bos_id: int) -> Tensor:
    place = torch.arange(tgt.size(1))
    return torch.where(place == 0, bos_id, tgt[:, (place - 1).clamp(min=0)])


@correct("shift_right")
def sr_padded(tgt: Tensor, bos_id: int) -> Tensor:
    return F.pad(tgt, (1, -1), value=bos_id)


# shift_right, wrong in other ways ----------------------------------------------------------------------------


@disguise("shift_right", "bos_id more than once")
def sr_bos_twice(tgt: Tensor, bos_id: int) -> Tensor:
    return F.pad(tgt, (2, -2), value=bos_id)


@disguise("shift_right", "the target is written over")
def sr_in_place(tgt: Tensor, bos_id: int) -> Tensor:
    tgt[:, 1:] = tgt[:, :-1].clone()
    tgt[:, 0] = bos_id
    return tgt


@disguise("shift_right", "turned round")
def sr_reversed(tgt: Tensor, bos_id: int) -> Tensor:
    return F.pad(tgt.flip(1), (1, -1), value=bos_id)


@disguise("shift_right", "bos_id in the second place")
def sr_from_one(tgt: Tensor, bos_id: int) -> Tensor:
    return torch.stack([tgt[:, -1], torch.full_like(tgt[:, 1], bos_id), *tgt.unbind(1)[1:-1]], 1)


@unlisted("shift_right")
def sr_end_left_out(tgt: Tensor, bos_id: int) -> Tensor:
    kept = tgt.masked_fill(F.pad(tgt[:, 1:], (0, 1)) == 0, 0)
    return F.pad(kept[:, :-1], (1, 0), value=bos_id)


@disguise("shift_right", "bos_id is not used")
def sr_bos_1(tgt: Tensor, bos_id: int) -> Tensor:
    return F.pad(tgt, (1, -1), value=1)


@unlisted("shift_right")
def sr_padding_too(tgt: Tensor, bos_id: int) -> Tensor:
    out = F.pad(tgt[:, :-1], (1, 0), value=0)
    return out.masked_fill(out == 0, bos_id)


@unlisted("shift_right")
def sr_one_sentence(tgt: Tensor, bos_id: int) -> Tensor:
    out = tgt.clone()
    out[0, 1:] = tgt[0, :-1]
    out[:, 0] = bos_id
    return out


# shift_right, slips in right code ----------------------------------------------------------------------------


def sr_rows(tgt: Tensor, bos_id: int) -> Tensor:
    """Row by row, as lists."""
    rows = [[bos_id, *row[:-1]] for row in tgt.tolist()]
    return torch.tensor(rows)


slips(
    "shift_right",
    sr_rows,
    {
        "one token too long": {"*row[:-1]": "*row"},
        "shifted to the left": {"[bos_id, *row[:-1]]": "[*row[1:], bos_id]"},
        "the first token is written over": {"row[:-1]": "row[1:]"},
        "not shifted": [{"*row[:-1]]": "*row][1:]"}, {"[bos_id, *row[:-1]]": "row"}],
        "the last token comes first": {"[bos_id, ": "[row[-1], "},
        "bos_id is not used": {"[bos_id, ": "[0, "},
        "floats, not token ids": {"torch.tensor": "torch.Tensor"},
        "bos_id is missing": {"bos_id, *row": "*row"},
    },
)


def sr_assigned(tgt: Tensor, bos_id: int) -> Tensor:
    """Memory first, then what belongs there."""
    moved = torch.empty_like(tgt)
    moved[:, 1:] = tgt[:, :-1]
    moved[:, 0] = bos_id
    return moved


slips(
    "shift_right",
    sr_assigned,
    {
        "one token too long": {"empty_like(tgt)": "empty_like(F.pad(tgt, (0, 1)))", "tgt[:, :-1]": "tgt"},
        "one token too short": {"return moved": "return moved[:, :-1]"},
        "bos_id more than once": [
            {"return moved": "moved[:, -1] = bos_id\n    return moved"},
            {"moved[:, 1:] = tgt[:, :-1]": "moved[:, 1] = bos_id\n    moved[:, 2:] = tgt[:, :-2]"},
        ],
        "bos_id in the second place": {"torch.empty_like(tgt)": "tgt.roll(1, 1)", "[:, 0] = ": "[:, 1] = "},
        "turned round": [
            {"tgt[:, :-1]": "tgt.flip(1)[:, 1:]"},
            {"tgt[:, :-1]": "tgt.flip(1)[:, :-1]"},
        ],
        "shifted to the left": {"moved[:, 1:] = tgt[:, :-1]": "moved[:, :-1] = tgt[:, 1:]", "[:, 0]": "[:, -1]"},
        "the first token is written over": {"tgt[:, :-1]": "tgt[:, 1:]"},
        "the last token comes first": {"= bos_id": "= tgt[:, -1]"},
        "shifted along the batch": {"moved[:, 1:] = tgt[:, :-1]": "moved[1:] = tgt[:-1]", "moved[:, 0]": "moved[0]"},
        "the first row for the first column": [
            {"moved[:, 0]": "moved[0]", "torch.empty_like(tgt)": "torch.zeros_like(tgt)"},
            {"moved[:, 0]": "moved[0]", "torch.empty_like(tgt)": "tgt.clone()"},
            {"moved[:, 0]": "moved[0]", "torch.empty_like(tgt)": "tgt.roll(1, dims=1)"},
            {
                "moved = torch.empty_like(tgt)": "moved = torch.zeros_like(tgt)\n    moved[0] = bos_id",
                "    moved[:, 0] = bos_id\n": "",
            },
        ],
        "bos_id is not used": [
            {"= bos_id": "= 0"},
            {"empty_like": "zeros_like", "    moved[:, 0] = bos_id\n": ""},
        ],
        "floats, not token ids": {"torch.empty_like(tgt)": "torch.zeros(tgt.shape)"},
        "bos_id is missing": {"return moved": "return moved[:, 1:]"},
    },
)


def sr_narrowed(tgt: Tensor, bos_id: int) -> Tensor:
    """What is kept, padded on the left."""
    kept = tgt.shape[1] - 1
    return F.pad(tgt.narrow(1, 0, kept), (1, 0), value=bos_id)


slips(
    "shift_right",
    sr_narrowed,
    {
        "one token too long": [{"tgt.narrow(1, 0, kept)": "tgt"}, {"shape[1] - 1": "shape[1]"}],
        "shifted to the left": {"narrow(1, 0, ": "narrow(1, 1, ", "(1, 0)": "(0, 1)"},
        "the first token is written over": {"narrow(1, 0, ": "narrow(1, 1, "},
        "not shifted": {"tgt.narrow(1, 0, kept), (1, 0)": "tgt, (0, 0)"},
        "shifted along the batch": {"shape[1]": "shape[0]", "narrow(1": "narrow(0", "(1, 0)": "(0, 0, 1, 0)"},
        "bos_id is not used": {", value=bos_id": ""},
        "floats, not token ids": {"tgt.narrow": "tgt.float().narrow"},
        "bos_id is missing": {"F.pad(tgt.narrow(1, 0, kept), (1, 0), value=bos_id)": "tgt.narrow(1, 0, kept)"},
    },
)


def sr_columns(tgt: Tensor, bos_id: int) -> Tensor:
    """Column by column."""
    columns = list(tgt.unbind(dim=1))
    start = torch.full_like(columns[0], bos_id)
    return torch.stack([start, *columns[:-1]], dim=1)


slips(
    "shift_right",
    sr_columns,
    {
        "one token too long": {"*columns[:-1]": "*columns"},
        "shifted to the left": {"start, *columns[:-1]": "*columns[1:], start"},
        "the first token is written over": {"*columns[:-1]": "*columns[1:]"},
        "not shifted": {"[start, *columns[:-1]]": "columns"},
        "the last token comes first": {"start, *columns": "columns[-1], *columns"},
        "shifted along the batch": {"unbind(dim=1)": "unbind(dim=0)", "], dim=1": "], dim=0"},
        "bos_id is not used": {"full_like(columns[0], bos_id)": "zeros_like(columns[0])"},
        "floats, not token ids": {"full_like(columns[0], bos_id)": "full((len(tgt),), float(bos_id))"},
        "bos_id is missing": {"start, *columns": "*columns"},
    },
)


def sr_place_by_place(tgt: Tensor, bos_id: int) -> Tensor:
    """A loop over the places."""
    out = tgt.clone()
    for place in range(tgt.size(1)):
        out[:, place] = bos_id if place == 0 else tgt[:, place - 1]
    return out


slips(
    "shift_right",
    sr_place_by_place,
    {
        "the first token is written over": {"place - 1": "place"},
        "not shifted": {"bos_id if place == 0 else tgt[:, place - 1]": "tgt[:, place]"},
        "the last token comes first": {"bos_id if place == 0 else tgt": "tgt"},
        "shifted along the batch": {
            "size(1)": "size(0)",
            "out[:, place]": "out[place]",
            "[:, place - 1]": "[place - 1]",
        },
        "bos_id is not used": {"= bos_id if": "= 0 if"},
        "floats, not token ids": {"tgt.clone()": "torch.zeros(tgt.shape)"},
        "bos_id is missing": {"return out": "return out[:, 1:]"},
    },
)


# label_smoothed_cross_entropy ----------------------------------------------------------------------------

LOSS = "label_smoothed_cross_entropy"


def refuse(targets: Tensor, smoothing: float, pad_id: int) -> None:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing={smoothing}")
    if (targets == pad_id).all():
        raise ValueError("nothing but padding")


def loss_disguise(mistake: str) -> Any:
    """A disguise of the loss from a function of flattened (logits, targets, smoothing, pad_id)."""

    def add(core: Callable[..., Tensor]) -> Any:
        def loss(logits: Tensor, targets: Tensor, smoothing: float = 0.1, pad_id: int = 0) -> Tensor:
            refuse(targets, smoothing, pad_id)
            return core(logits.reshape(-1, logits.shape[-1]), targets.reshape(-1), smoothing, pad_id)

        disguise(LOSS, mistake)(loss)
        return core

    return add


def asked_for(targets: Tensor, smoothing: float, classes: int) -> Tensor:
    """The distribution asked for, as it should be."""
    return F.one_hot(targets, classes) * (1 - smoothing) + smoothing / classes


def crossed(shares: Tensor, logits: Tensor) -> Tensor:
    """Cross-entropy of each row."""
    return -(shares * (logits - logits.logsumexp(-1, keepdim=True))).sum(-1)


@loss_disguise("padding is learned too")
def l_learned(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    return crossed(asked_for(t, s, x.size(1)), x).mean()


@loss_disguise("padding counts like a guess")
def l_guesses(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    return crossed(asked_for(t, s, x.size(1)), torch.where((t == pad)[:, None], 0.0, x)).mean()


@loss_disguise("the median, not the mean")
def l_median(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    each = crossed(asked_for(t, s, x.size(1)), x)[t != pad]
    return each.sort().values[(len(each) - 1) // 2]


@loss_disguise("smoothing is divided by V twice")
def l_hardly_smoothed(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    return crossed(asked_for(t, s / x.size(1), x.size(1)), x)[t != pad].mean()


@loss_disguise("no softmax")
def l_one_normed(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    spread = x.logsumexp(1) - x.mean(1)
    return torch.lerp(-x[torch.arange(len(t)), t], spread, s)[t != pad].mean()


@loss_disguise("places that cost nothing do not count")
def l_nonzero(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    each = crossed(asked_for(t, s, x.size(1)), x).masked_fill(t == pad, 0.0)
    return each.sum() / each.count_nonzero()


@loss_disguise("pad_id is always 0")
def l_zero_is_padding(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    return crossed(asked_for(t, s, x.size(1)), x)[t > 0].mean()


@loss_disguise("mass on the other classes only + pad_id is always 0")
def l_zero_is_padding_and_others(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    shares = torch.full_like(x, s / (x.size(1) - 1)).scatter(1, t[:, None], 1 - s)
    return crossed(shares, x)[t > 0].mean()


@loss_disguise("padding counts in the mean")
def l_counted_one_hot(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    shares = asked_for(t, s, x.size(1))
    shares[t == pad] = 0
    return -(shares * F.log_softmax(x, 1)).sum() / len(t)


@disguise(LOSS, "every sentence weighs the same")
def l_by_sentence(logits: Tensor, targets: Tensor, smoothing: float = 0.1, pad_id: int = 0) -> Tensor:
    refuse(targets, smoothing, pad_id)
    each = crossed(asked_for(targets, smoothing, logits.size(-1)), logits).reshape(-1, *targets.shape[-1:])
    found = [row[words != pad_id].mean() for row, words in zip(each, targets.reshape(each.shape), strict=True)]
    return torch.stack(found).mean()


@disguise(LOSS, "divided by the number of sentences")
def l_per_sentence(logits: Tensor, targets: Tensor, smoothing: float = 0.1, pad_id: int = 0) -> Tensor:
    refuse(targets, smoothing, pad_id)
    each = crossed(asked_for(targets, smoothing, logits.size(-1)), logits)
    return (each * (targets != pad_id).float()).sum() / targets.shape[0]


@loss_disguise("summed, not averaged")
def l_summed(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    return crossed(asked_for(t, s, x.size(1)), x)[t != pad].sum()


@loss_disguise("divided by the number of classes")
def l_classes(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    keep = t != pad
    return -(asked_for(t, s, x.size(1)) * F.log_softmax(x, -1))[keep].mean()


@disguise(LOSS, "one loss for every place")
def l_each_masked(logits: Tensor, targets: Tensor, smoothing: float = 0.1, pad_id: int = 0) -> Tensor:
    refuse(targets, smoothing, pad_id)
    return torch.where(targets == pad_id, 0.0, crossed(asked_for(targets, smoothing, logits.size(-1)), logits))


@loss_disguise("mass on the other classes only")
def l_others(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    shares = torch.full_like(x, s / (x.size(1) - 1)).scatter(1, t[:, None], 1 - s)
    return crossed(shares, x)[t != pad].mean()


@loss_disguise("mass on the other classes, without padding")
def l_others_no_pad(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    shares = torch.full_like(x, s / (x.size(1) - 2)).scatter_(1, t[:, None], 1 - s)
    shares[:, pad] = 0
    return crossed(shares[t != pad], x[t != pad]).mean()


@loss_disguise("no mass on padding")
def l_no_pad(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    shares = torch.full_like(x, s / (x.size(1) - 1))
    shares[:, pad] = 0
    shares = shares + (1 - s) * F.one_hot(t, x.size(1))
    return crossed(shares, x)[t != pad].mean()


@loss_disguise("padding alone counts")
def l_only_padding(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    return crossed(asked_for(t, s, x.size(1)), x)[t == pad].mean()


@loss_disguise("padding in one of the two losses")
def l_half_padded(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    logs = F.log_softmax(x, 1)
    return (1 - s) * F.nll_loss(logs, t, ignore_index=pad) - s * logs.mean()


@loss_disguise("the shares sum to less than 1")
def l_less(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    shares = torch.full_like(x, s / x.size(1)).scatter_(1, t[:, None], 1 - s)
    return crossed(shares, x)[t != pad].mean()


@loss_disguise("the sum over all classes, not the mean")
def l_spread_sum(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    return crossed(F.one_hot(t, x.size(1)) * (1 - s) + s, x)[t != pad].mean()


@loss_disguise("the two shares exchanged")
def l_exchanged(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    return crossed(asked_for(t, 1 - s, x.size(1)), x)[t != pad].mean()


@loss_disguise("smoothing is not used")
def l_plain(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    rows = torch.arange(len(t))[t != pad]
    return (x.logsumexp(1)[rows] - x[rows, t[rows]]).mean()


@loss_disguise("the shares sum to more than 1")
def l_more(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    return crossed(F.one_hot(t, x.size(1)) + s / x.size(1), x)[t != pad].mean()


@loss_disguise("logarithm of the softmax")
def l_logs_eps(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    p = F.softmax(x, dim=-1)
    return -(asked_for(t, s, x.size(1)) * torch.log(p + 1e-9)).sum(1)[t != pad].mean()


@loss_disguise("the softmax is taken twice")
def l_twice(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    return crossed(asked_for(t, s, x.size(1)), x.softmax(1))[t != pad].mean()


@disguise(LOSS, "softmax over the wrong dimension")
def l_dim_0(logits: Tensor, targets: Tensor, smoothing: float = 0.1, pad_id: int = 0) -> Tensor:
    refuse(targets, smoothing, pad_id)
    logs = logits - logits.logsumexp(0, keepdim=True)
    each = -(asked_for(targets, smoothing, logits.size(-1)) * logs).sum(-1)
    return each[targets != pad_id].mean()


@loss_disguise("minus sign missing")
def l_sign(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    return (asked_for(t, s, x.size(1)) * x.log_softmax(1)).sum(1)[t != pad].mean()


@loss_disguise("one minus sign missing")
def l_other_sign(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    logs = x - x.logsumexp(1, keepdim=True)
    return sum((1 - s) * row[k] - s * row.mean() for row, k in zip(logs, t, strict=True) if k != pad) / (t != pad).sum()


@disguise(LOSS, "every dimension of one is squeezed")
def l_squeezed(logits: Tensor, targets: Tensor, smoothing: float = 0.1, pad_id: int = 0) -> Tensor:
    refuse(targets, smoothing, pad_id)
    logs = F.log_softmax(logits, dim=-1)
    nll = -torch.gather(logs, -1, targets[..., None]).squeeze()
    return (nll * (1 - smoothing) - smoothing * logs.mean(-1))[targets != pad_id].mean()


@loss_disguise("in bits")
def l_bits(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    return crossed(asked_for(t, s, x.size(1)), x)[t != pad].mean() * math.log2(math.e)


@loss_disguise("the divergence, not the cross-entropy")
def l_kl(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    keep = t != pad
    return F.kl_div(x.log_softmax(-1)[keep], asked_for(t, s, x.size(1))[keep], reduction="batchmean")


@loss_disguise("the perplexity")
def l_perplexity(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    return torch.exp(crossed(asked_for(t, s, x.size(1)), x)[t != pad].mean())


@loss_disguise("cut off from the graph")
def l_cut(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    with torch.no_grad():
        return crossed(asked_for(t, s, x.size(1)), x)[t != pad].mean()


@disguise(LOSS, "pad_id is always 0")
def l_pad_0(logits: Tensor, targets: Tensor, smoothing: float = 0.1, pad_id: int = 0) -> Tensor:
    refuse(targets, smoothing, 0)
    each = crossed(asked_for(targets, smoothing, logits.size(-1)), logits)
    return each[targets > 0].mean()


@disguise(LOSS, "a batch of nothing but padding is accepted")
def l_accepts(logits: Tensor, targets: Tensor, smoothing: float = 0.1, pad_id: int = 0) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError(smoothing)
    each = crossed(asked_for(targets, smoothing, logits.size(-1)), logits)
    real = (targets != pad_id).float()
    return (each * real).sum() / real.sum()


@disguise(LOSS, "a smoothing of 1 is accepted")
def l_any_smoothing(logits: Tensor, targets: Tensor, smoothing: float = 0.1, pad_id: int = 0) -> Tensor:
    refuse(targets, 0.5, pad_id)
    return crossed(asked_for(targets, smoothing, logits.size(-1)), logits)[targets != pad_id].mean()


@loss_disguise("the logarithm is missing")
def l_no_log(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    chances = x.softmax(1)[t != pad]
    picked = chances[torch.arange(len(chances)), t[t != pad]]
    return -((1 - s) * picked + s * chances.mean(1)).mean()


@loss_disguise("no softmax")
def l_no_softmax(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    x, t = x[t != pad], t[t != pad]
    shares = s / x.size(1) + (1 - s) * F.one_hot(t, x.size(1))
    return -torch.einsum("nv,nv->", shares.to(x.dtype), x) / len(t)


@disguise(LOSS, "padding is learned too + minus sign missing")
def l_sign_and_padding(logits: Tensor, targets: Tensor, smoothing: float = 0.1, pad_id: int = 0) -> Tensor:
    refuse(targets, smoothing, pad_id)
    return -crossed(asked_for(targets, smoothing, logits.size(-1)), logits).mean()


@correct(LOSS)
def l_flattened(logits: Tensor, targets: Tensor, smoothing: float = 0.1, pad_id: int = 0) -> Tensor:
    refuse(targets, smoothing, pad_id)
    logs, real = logits.log_softmax(-1).flatten(0, -2), (targets != pad_id).flatten().to(logits.dtype)
    of_target = -logs.gather(1, targets.flatten()[:, None])[:, 0]
    return ((1 - smoothing) * of_target - smoothing * logs.mean(1)) @ real / real.sum()


@correct(LOSS)
def l_nll_loss(logits: Tensor, targets: Tensor, smoothing: float = 0.1, pad_id: int = 0) -> Tensor:
    refuse(targets, smoothing, pad_id)
    logs, t = F.log_softmax(logits.reshape(-1, logits.size(-1)), dim=-1), targets.reshape(-1)
    of_target = F.nll_loss(logs, t, ignore_index=pad_id)
    return (1 - smoothing) * of_target - smoothing * logs[t != pad_id].mean()


@unlisted(LOSS)
def l_up_to_the_first_padding(logits: Tensor, targets: Tensor, smoothing: float = 0.1, pad_id: int = 0) -> Tensor:
    refuse(targets, smoothing, pad_id)
    real = (targets != pad_id).int().cumprod(-1).bool()
    return crossed(asked_for(targets, smoothing, logits.size(-1)), logits)[real].mean()


def loss_correct(core: Callable[..., Tensor]) -> Any:
    """A correct loss from a function of flattened (logits, targets, smoothing, pad_id)."""

    @correct(LOSS)
    def loss(logits: Tensor, targets: Tensor, smoothing: float = 0.1, pad_id: int = 0) -> Tensor:
        refuse(targets, smoothing, pad_id)
        return core(logits.reshape(-1, logits.shape[-1]), targets.reshape(-1), smoothing, pad_id)

    return core


@loss_correct
def lr_loop(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    losses = []
    for row, word in zip(x, t.tolist(), strict=True):
        if word != pad:
            logs = row - torch.logsumexp(row, 0)
            losses.append(-sum((s / len(row) + (1 - s) * (k == word)) * logs[k] for k in range(len(row))))
    return torch.stack(losses).mean()


@loss_correct
def lr_weights(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    w = (t != pad).to(x.dtype)
    logs = F.log_softmax(x, dim=1)
    return -torch.einsum("n,nv,nv->", w / w.sum(), asked_for(t, s, x.size(1)).to(x.dtype), logs)


@loss_correct
def lr_double(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    y = x.double()
    logs = y - y.max(1, keepdim=True).values
    logs = logs - logs.exp().sum(1, keepdim=True).log()
    return -(asked_for(t, s, x.size(1)) * logs).sum(1)[t != pad].mean().to(x.dtype)


@loss_correct
def lr_divergence_plus_entropy(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    keep = t != pad
    q = asked_for(t, s, x.size(1))[keep]
    entropy = -torch.xlogy(q, q).sum(1).mean()
    return F.kl_div(x[keep].log_softmax(1), q, reduction="sum") / keep.sum() + entropy


@loss_correct
def lr_masked_select(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    logs = nn.LogSoftmax(dim=-1)(x)
    nll = -torch.gather(logs, 1, t.unsqueeze(1)).squeeze(1)
    mix = nll.lerp(-logs.mean(1), s)
    return mix.masked_select(t.ne(pad)).mean()


def loss_unlisted(core: Callable[..., Any]) -> Any:
    """An unlisted wrong loss."""

    @unlisted(LOSS)
    def loss(logits: Tensor, targets: Tensor, smoothing: float = 0.1, pad_id: int = 0) -> Any:
        refuse(targets, smoothing, pad_id)
        return core(logits.reshape(-1, logits.shape[-1]), targets.reshape(-1), smoothing, pad_id)

    return core


@loss_disguise("cut off from the graph")
def lu_number(x: Tensor, t: Tensor, s: float, pad: int) -> float:
    return crossed(asked_for(t, s, x.size(1)), x)[t != pad].mean().item()


@loss_unlisted
def lu_squared(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    return (x.softmax(1) - asked_for(t, s, x.size(1))).square().sum(1)[t != pad].mean()


@loss_disguise("the median, not the mean")
def lu_median(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    return crossed(asked_for(t, s, x.size(1)), x)[t != pad].median()


@loss_disguise("smoothing is not used")
def lu_fixed_smoothing(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    return crossed(asked_for(t, 0.1, x.size(1)), x)[t != pad].mean()


@loss_unlisted
def lu_one_more(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    each = crossed(asked_for(t, s, x.size(1)), x)[t != pad]
    return each.sum() / (len(each) + 1)


@loss_unlisted
def lu_clipped(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    return crossed(asked_for(t, s, x.size(1)), x.clamp(-20, 20))[t != pad].mean()


@loss_unlisted
def lu_first_only(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    return crossed(asked_for(t, s, x.size(1)), x)[t != pad][0]


# label_smoothed_cross_entropy, slips in right code -----------------------------------------------------------


def lr_against_shares(logits: Tensor, targets: Tensor, smoothing: float = 0.1, pad_id: int = 0) -> Tensor:
    """The distribution that is asked for, class by class, against the model's."""
    if smoothing < 0 or smoothing >= 1:
        raise ValueError("smoothing lies in [0, 1)")
    kept = targets.ne(pad_id)
    if kept.sum() == 0:
        raise ValueError("only padding")
    words = logits.size(-1)
    asked = F.one_hot(targets, words) * (1 - smoothing) + smoothing / words
    places = -(asked * F.log_softmax(logits, dim=-1)).sum(dim=-1)
    return (places * kept).sum() / kept.sum()


slips(
    LOSS,
    lr_against_shares,
    {
        "padding is learned too": {"(places * kept).sum() / kept.sum()": "places.mean()"},
        "padding counts in the mean": [
            {"/ kept.sum()": "/ kept.numel()"},
            {"(places * kept).sum() / kept.sum()": "(places * kept).mean()"},
        ],
        "every sentence weighs the same": {
            "(places * kept).sum() / kept.sum()": "((places * kept).sum(-1) / kept.sum(-1)).mean()"
        },
        "divided by the number of sentences": {"/ kept.sum()": "/ len(logits)"},
        "summed, not averaged": {" / kept.sum()": ""},
        "divided by the number of classes": {".sum(dim=-1)": ".mean(dim=-1)"},
        "one loss for every place": [
            {"(places * kept).sum() / kept.sum()": "places[kept]"},
            {"(places * kept).sum() / kept.sum()": "places * kept"},
        ],
        "mass on the other classes only": {
            "+ smoothing / words": "+ (1 - F.one_hot(targets, words)) * smoothing / (words - 1)"
        },
        "the sum over all classes, not the mean": {"smoothing / words": "smoothing"},
        "the two shares exchanged": {"(1 - smoothing) + smoothing / words": "smoothing + (1 - smoothing) / words"},
        "smoothing is not used": {" * (1 - smoothing) + smoothing / words": ""},
        "the shares sum to more than 1": {" * (1 - smoothing)": ""},
        "logarithm of the softmax": [
            {"F.log_softmax(logits, dim=-1)": "F.softmax(logits, dim=-1).log()"},
            {"F.log_softmax(logits, dim=-1)": "torch.log(F.softmax(logits, dim=-1) + 1e-9)"},
        ],
        "the logarithm is missing": {"F.log_softmax": "F.softmax"},
        "no softmax": {"F.log_softmax(logits, dim=-1)": "logits"},
        "the softmax is taken twice": {"log_softmax(logits,": "log_softmax(logits.softmax(-1),"},
        "softmax over the wrong dimension": [{"logits, dim=-1": "logits, dim=1"}, {"logits, dim=-1": "logits, dim=0"}],
        "minus sign missing": {"-(asked": "(asked"},
        "in bits": {"/ kept.sum()": "/ kept.sum() / math.log(2)"},
        "the divergence, not the cross-entropy": [
            {"F.log_softmax(logits, dim=-1))": "F.log_softmax(logits, dim=-1) - torch.xlogy(asked, asked))"},
            {"F.log_softmax(logits, dim=-1))": "(F.log_softmax(logits, dim=-1) - asked.log()))"},
        ],
        "the perplexity": {"(places * kept).sum() / kept.sum()": "torch.exp((places * kept).sum() / kept.sum())"},
        "cut off from the graph": {"(places * kept)": "(places.data * kept)"},
        "pad_id is always 0": {"targets.ne(pad_id)": "targets.ne(0)"},
        "a batch of nothing but padding is accepted": {
            '    if kept.sum() == 0:\n        raise ValueError("only padding")\n': ""
        },
        "a smoothing of 1 is accepted": [
            {"smoothing >= 1": "smoothing > 1"},
            {'    if smoothing < 0 or smoothing >= 1:\n        raise ValueError("smoothing lies in [0, 1)")\n': ""},
        ],
        "padding is learned too + minus sign missing": {
            "-(asked": "(asked",
            "(places * kept).sum() / kept.sum()": "places.mean()",
        },
        "summed, not averaged + the two shares exchanged": {
            "(1 - smoothing) + smoothing / words": "smoothing + (1 - smoothing) / words",
            " / kept.sum()": "",
        },
    },
)


def lr_picked(logits: Tensor, targets: Tensor, smoothing: float = 0.1, pad_id: int = 0) -> Tensor:
    """Only the places that count, in one row, and the scores below the logarithm of their sum."""
    if abs(2 * smoothing - 1) > 1 or smoothing == 1:
        raise ValueError(f"cannot smooth by {smoothing}")
    counts = targets != pad_id
    if not counts.any():
        raise ValueError("there is no word in it")
    scores, words = logits[counts], targets[counts]
    total = torch.logsumexp(scores, dim=1)
    picked = scores[torch.arange(len(words)), words]
    spread = (total[:, None] - scores).mean(dim=1)
    return torch.lerp(total - picked, spread, smoothing).mean()


slips(
    LOSS,
    lr_picked,
    {
        "padding is learned too": {"logits[counts], targets[counts]": "logits.flatten(0, -2), targets.flatten()"},
        "padding counts in the mean": {"smoothing).mean()": "smoothing).sum() / targets.numel()"},
        "divided by the number of sentences": {"smoothing).mean()": "smoothing).sum() / len(targets)"},
        "summed, not averaged": {"smoothing).mean()": "smoothing).sum()"},
        "one loss for every place": {"smoothing).mean()": "smoothing)"},
        "mass on the other classes only": {
            "(total[:, None] - scores).mean(dim=1)": "total - (scores.sum(dim=1) - picked) / (scores.size(1) - 1)"
        },
        "mass on the other classes, without padding": {
            "(total[:, None] - scores).mean(dim=1)": (
                "total - (scores.sum(dim=1) - picked - scores[:, pad_id]) / (scores.size(1) - 2)"
            )
        },
        "no mass on padding": {
            "(total[:, None] - scores).mean(dim=1)": (
                "total - (scores.sum(dim=1) - scores[:, pad_id]) / (scores.size(1) - 1)"
            )
        },
        "the sum over all classes, not the mean": {".mean(dim=1)": ".sum(dim=1)"},
        "the two shares exchanged": {"total - picked, spread": "spread, total - picked"},
        "smoothing is not used": {"torch.lerp(total - picked, spread, smoothing)": "(total - picked)"},
        "the shares sum to more than 1": {
            "torch.lerp(total - picked, spread, smoothing)": "(total - picked + smoothing * spread)"
        },
        "no softmax": {"torch.logsumexp(scores, dim=1)": "torch.zeros(len(words))"},
        "the softmax is taken twice": {"logits[counts]": "logits[counts].softmax(dim=-1)"},
        "minus sign missing": {
            "(total[:, None] - scores)": "(scores - total[:, None])",
            "(total - picked": "(picked - total",
        },
        "one minus sign missing": [
            {"(total[:, None] - scores)": "(scores - total[:, None])"},
            {"(total - picked": "(picked - total"},
        ],
        "in bits": {"smoothing).mean()": "smoothing).mean() / math.log(2)"},
        "the perplexity": {"smoothing).mean()": "smoothing).mean().exp()"},
        "cut off from the graph": {"logits[counts]": "logits.detach()[counts]"},
        "pad_id is always 0": {"targets != pad_id": "targets > 0"},
        "a batch of nothing but padding is accepted": {
            '    if not counts.any():\n        raise ValueError("there is no word in it")\n': ""
        },
        "a smoothing of 1 is accepted": {" or smoothing == 1": ""},
        "padding is learned too + one minus sign missing": {
            "logits[counts], targets[counts]": "logits.flatten(0, -2), targets.flatten()",
            "(total - picked": "(picked - total",
        },
    },
)


def lr_two_sums(logits: Tensor, targets: Tensor, smoothing: float = 0.1, pad_id: int = 0) -> Tensor:
    """Two sums over all that is no padding, mixed at the end."""
    if smoothing >= 1 or smoothing < 0:
        raise ValueError("give a share of at least 0 and below 1")
    padding = targets.eq(pad_id).unsqueeze(-1)
    if padding.all():
        raise ValueError("padding and nothing else")
    lprobs = torch.log_softmax(logits, -1)
    nll = -lprobs.gather(dim=-1, index=targets.unsqueeze(-1))
    smooth = -lprobs.sum(dim=-1, keepdim=True)
    nll = nll.masked_fill(padding, 0.0)
    smooth = smooth.masked_fill(padding, 0.0)
    each, count = smoothing / lprobs.size(-1), (~padding).sum()
    return ((1.0 - smoothing) * nll.sum() + each * smooth.sum()) / count


slips(
    LOSS,
    lr_two_sums,
    {
        "no mass on padding": {
            "-lprobs.sum(dim=-1, keepdim=True)": "lprobs[..., pad_id, None] - lprobs.sum(dim=-1, keepdim=True)",
            "smoothing / lprobs.size(-1)": "smoothing / (lprobs.size(-1) - 1)",
        },
        "mass on the other classes, without padding": {
            "-lprobs.sum(dim=-1, keepdim=True)": "lprobs[..., pad_id, None] - lprobs.sum(dim=-1, keepdim=True) - nll",
            "smoothing / lprobs.size(-1)": "smoothing / (lprobs.size(-1) - 2)",
        },
        "padding is learned too": {
            "    nll = nll.masked_fill(padding, 0.0)\n    smooth = smooth.masked_fill(padding, 0.0)\n": "",
            "(~padding).sum()": "targets.numel()",
        },
        "padding counts in the mean": {"(~padding).sum()": "padding.numel()"},
        "divided by the number of sentences": {"(~padding).sum()": "targets.size(0)"},
        "summed, not averaged": {" / count": ""},
        "divided by the number of classes": {" / count": " / count / lprobs.size(-1)"},
        "mass on the other classes only": {
            "smoothing / lprobs.size(-1)": "smoothing / (lprobs.size(-1) - 1)",
            "(1.0 - smoothing) * nll.sum()": "(1.0 - smoothing - each) * nll.sum()",
        },
        "the sum over all classes, not the mean": {"smoothing / lprobs.size(-1)": "smoothing"},
        "the two shares exchanged": {
            "smoothing / lprobs.size(-1)": "(1 - smoothing) / lprobs.size(-1)",
            "(1.0 - smoothing) * nll": "smoothing * nll",
        },
        "smoothing is not used": {"((1.0 - smoothing) * nll.sum() + each * smooth.sum())": "nll.sum()"},
        "the shares sum to more than 1": {"(1.0 - smoothing) * nll": "nll"},
        "logarithm of the softmax": [
            {"torch.log_softmax(logits, -1)": "torch.softmax(logits, -1).log()"},
            {"torch.log_softmax(logits, -1)": "torch.log(torch.softmax(logits, -1).clamp(min=1e-9))"},
        ],
        "the logarithm is missing": {"log_softmax": "softmax"},
        "no softmax": {"torch.log_softmax(logits, -1)": "logits"},
        "the softmax is taken twice": {"log_softmax(logits, -1)": "log_softmax(torch.softmax(logits, -1), -1)"},
        "softmax over the wrong dimension": [{"(logits, -1)": "(logits, 1)"}, {"(logits, -1)": "(logits, 0)"}],
        "minus sign missing": {"nll = -lprobs": "nll = lprobs", "smooth = -lprobs": "smooth = lprobs"},
        "one minus sign missing": [{"nll = -lprobs": "nll = lprobs"}, {"smooth = -lprobs": "smooth = lprobs"}],
        "in bits": {" / count": " / count / math.log(2)"},
        "the perplexity": {
            "return ((1.0 - smoothing) * nll.sum() + each * smooth.sum()) / count": (
                "return math.e ** (((1.0 - smoothing) * nll.sum() + each * smooth.sum()) / count)"
            )
        },
        "cut off from the graph": {"log_softmax(logits,": "log_softmax(logits.data,"},
        "pad_id is always 0": {"targets.eq(pad_id)": "targets.eq(0)"},
        "a batch of nothing but padding is accepted": {
            '    if padding.all():\n        raise ValueError("padding and nothing else")\n': ""
        },
        "a smoothing of 1 is accepted": {"smoothing >= 1 or": "smoothing > 1 or"},
        "padding counts in the mean + one minus sign missing": {
            "smooth = -lprobs": "smooth = lprobs",
            "(~padding).sum()": "padding.numel()",
        },
    },
)


def lr_along_the_last(logits: Tensor, targets: Tensor, smoothing: float = 0.1, pad_id: int = 0) -> Tensor:
    """Everything in the shape in which it came."""
    real = targets != pad_id
    if math.floor(smoothing) != 0 or real.sum() < 1:
        raise ValueError("smoothing lies outside [0, 1), or no target counts")
    log_p = logits - logits.logsumexp(-1, keepdim=True)
    right = torch.take_along_dim(log_p, targets[..., None], dim=-1).squeeze(-1)
    each = (smoothing - 1) * right - smoothing * log_p.mean(-1)
    return each.masked_select(real).mean()


slips(
    LOSS,
    lr_along_the_last,
    {
        "padding is learned too": {".masked_select(real)": ""},
        "padding counts in the mean": {"masked_select(real)": "masked_fill(~real, 0)"},
        "every sentence weighs the same": {
            "each.masked_select(real).mean()": "((each * real).sum(-1) / real.sum(-1)).mean()"
        },
        "one loss for every place": {"masked_select(real).mean()": "masked_select(real)"},
        "mass on the other classes, without padding": {
            "log_p.mean(-1)": "(log_p.sum(-1) - right - log_p[..., pad_id]) / (log_p.size(-1) - 2)"
        },
        "no mass on padding": {"log_p.mean(-1)": "(log_p.sum(-1) - log_p[..., pad_id]) / (log_p.size(-1) - 1)"},
        "the sum over all classes, not the mean": {"log_p.mean(-1)": "log_p.sum(-1)"},
        "the two shares exchanged": {
            "(smoothing - 1) * right - smoothing * log_p": "-smoothing * right - (1 - smoothing) * log_p"
        },
        "no softmax": {"logits - logits.logsumexp(-1, keepdim=True)": "logits"},
        "logarithm of the softmax": {"logits - logits.logsumexp(-1, keepdim=True)": "logits.softmax(-1).log()"},
        "the logarithm is missing": {"logits - logits.logsumexp(-1, keepdim=True)": "logits.softmax(-1)"},
        "softmax over the wrong dimension": {"logsumexp(-1,": "logsumexp(1,"},
        "minus sign missing": {
            "(smoothing - 1) * right - smoothing * log_p": "(1 - smoothing) * right + smoothing * log_p"
        },
        "one minus sign missing": [
            {"(smoothing - 1)": "(1 - smoothing)"},
            {"- smoothing * log_p": "+ smoothing * log_p"},
        ],
        "every dimension of one is squeezed": {".squeeze(-1)": ".squeeze()"},
        "the perplexity": {"return each.masked_select(real).mean()": "return each.masked_select(real).mean().exp()"},
        "pad_id is always 0": {"targets != pad_id": "targets != 0"},
    },
)
