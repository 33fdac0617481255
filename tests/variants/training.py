"""Lesson 09."""

import contextlib
import copy
import dataclasses
import itertools
import math
import os
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import correct, disguise, unlisted

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


@disguise("shift_right", "bos_id is not used")
def sr_zero(tgt: Tensor, bos_id: int) -> Tensor:
    return F.pad(tgt[:, :-1], (1, 0))


@disguise("shift_right", "floats, not token ids")
def sr_float(tgt: Tensor, bos_id: int) -> Tensor:
    return torch.cat([torch.ones(len(tgt), 1) * bos_id, tgt[:, :-1]], 1)


@disguise("shift_right", "bos_id is missing")
def sr_cut(tgt: Tensor, bos_id: int) -> Tensor:
    return tgt.narrow(1, 0, tgt.size(1) - 1)


# shift_right, right ----------------------------------------------------------------------------


@correct("shift_right")
def sr_roll_and_set(tgt: Tensor, bos_id: int) -> Tensor:
    out = tgt.roll(1, dims=-1)
    out[:, 0] = bos_id
    return out


@correct("shift_right")
def sr_lists(tgt: Tensor, bos_id: int) -> Tensor:
    return torch.tensor([[bos_id, *row[:-1]] for row in tgt.tolist()])


@correct("shift_right")
def sr_where(tgt: Tensor, bos_id: int) -> Tensor:
    place = torch.arange(tgt.size(1))
    return torch.where(place == 0, bos_id, tgt[:, (place - 1).clamp(min=0)])


@correct("shift_right")
def sr_new_zeros(tgt: Tensor, bos_id: int) -> Tensor:
    out = tgt.new_zeros(tgt.shape)
    out[:, 1:] = tgt[:, :-1]
    out[:, 0] = bos_id
    return out


@correct("shift_right")
def sr_padded(tgt: Tensor, bos_id: int) -> Tensor:
    return F.pad(tgt, (1, -1), value=bos_id)


@correct("shift_right")
def sr_stack(tgt: Tensor, bos_id: int) -> Tensor:
    columns = list(tgt.unbind(1))
    return torch.stack([torch.full_like(columns[0], bos_id), *columns[:-1]], dim=1)


# shift_right, wrong in other ways ----------------------------------------------------------------------------


@unlisted("shift_right")
def sr_bos_twice(tgt: Tensor, bos_id: int) -> Tensor:
    return F.pad(tgt, (2, -2), value=bos_id)


@unlisted("shift_right")
def sr_in_place(tgt: Tensor, bos_id: int) -> Tensor:
    tgt[:, 1:] = tgt[:, :-1].clone()
    tgt[:, 0] = bos_id
    return tgt


@unlisted("shift_right")
def sr_reversed(tgt: Tensor, bos_id: int) -> Tensor:
    return F.pad(tgt.flip(1), (1, -1), value=bos_id)


@unlisted("shift_right")
def sr_bos_1(tgt: Tensor, bos_id: int) -> Tensor:
    return F.pad(tgt, (1, -1), value=1)


@unlisted("shift_right")
def sr_one_sentence(tgt: Tensor, bos_id: int) -> Tensor:
    out = tgt.clone()
    out[0, 1:] = tgt[0, :-1]
    out[:, 0] = bos_id
    return out


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


@loss_disguise("padding counts in the mean")
def l_counted(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    return crossed(asked_for(t, s, x.size(1)), x).masked_fill(t == pad, 0.0).mean()


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


@loss_disguise("one loss for every place")
def l_each(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    return crossed(asked_for(t, s, x.size(1)), x)[t.ne(pad)]


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
def l_logs(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    p = torch.softmax(x, 1)
    return -(asked_for(t, s, x.size(1)) * torch.log(p)).sum(1)[t != pad].mean()


@loss_disguise("logarithm of the softmax")
def l_logs_eps(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    p = F.softmax(x, dim=-1)
    return -(asked_for(t, s, x.size(1)) * torch.log(p + 1e-9)).sum(1)[t != pad].mean()


@loss_disguise("the softmax is taken twice")
def l_twice(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    return crossed(asked_for(t, s, x.size(1)), x.softmax(1))[t != pad].mean()


@disguise(LOSS, "softmax over the wrong dimension")
def l_dim(logits: Tensor, targets: Tensor, smoothing: float = 0.1, pad_id: int = 0) -> Tensor:
    refuse(targets, smoothing, pad_id)
    logs = F.log_softmax(logits, dim=1)
    each = -(asked_for(targets, smoothing, logits.size(-1)) * logs).sum(-1)
    return each[targets != pad_id].mean()


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
def l_one_sign(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    logs, keep = F.log_softmax(x, 1), t != pad
    of_target = -logs[keep].gather(1, t[keep, None])[:, 0]
    return ((1 - s) * of_target + s * logs[keep].mean(1)).mean()


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
def lr_shares(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    return crossed(asked_for(t, s, x.size(1)), x)[t != pad].mean()


@loss_correct
def lr_loop(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    losses = []
    for row, word in zip(x, t.tolist(), strict=True):
        if word != pad:
            logs = row - torch.logsumexp(row, 0)
            losses.append(-sum((s / len(row) + (1 - s) * (k == word)) * logs[k] for k in range(len(row))))
    return torch.stack(losses).mean()


@loss_correct
def lr_selected_first(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    x, t = x[t != pad], t[t != pad]
    total = torch.logsumexp(x, dim=-1)
    return ((1 - s) * (total - x[torch.arange(len(t)), t]) + s * (total - x.mean(-1))).mean()


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


@loss_unlisted
def lu_number(x: Tensor, t: Tensor, s: float, pad: int) -> float:
    return crossed(asked_for(t, s, x.size(1)), x)[t != pad].mean().item()


@loss_unlisted
def lu_squared(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    return (x.softmax(1) - asked_for(t, s, x.size(1))).square().sum(1)[t != pad].mean()


@loss_disguise("the logarithm is missing")
def l_probability(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    return -(asked_for(t, s, x.size(1)) * x.softmax(1)).sum(1)[t != pad].mean()


@loss_unlisted
def lu_median(x: Tensor, t: Tensor, s: float, pad: int) -> Tensor:
    return crossed(asked_for(t, s, x.size(1)), x)[t != pad].median()


@loss_unlisted
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


# warmup_lr ----------------------------------------------------------------------------

WARM = "warmup_lr"


def warm(kind: Any) -> Any:
    """A learning rate from a function of (step, d_model, warmup_steps), with the given check."""

    def add(core: Callable[[int, int, int], float]) -> Any:
        @kind
        def warmup_lr(step: int, d_model: int, warmup_steps: int) -> float:
            if step <= 0:
                raise ValueError(f"step={step}")
            return core(step, d_model, warmup_steps)

        return core

    return add


@warm(disguise(WARM, "the larger of the two"))
def w_larger(n: int, d: int, w: int) -> float:
    return (n / w**1.5 if n > w else 1 / math.sqrt(n)) / math.sqrt(d)


@warm(disguise(WARM, "times the root of d_model"))
def w_root(n: int, d: int, w: int) -> float:
    return math.sqrt(d) * min(1 / math.sqrt(n), n / w**1.5)


@warm(disguise(WARM, "d_model is not used"))
def w_no_d(n: int, d: int, w: int) -> float:
    return n / w**1.5 if n < w else n**-0.5


@warm(disguise(WARM, "d_model without its root"))
def w_d(n: int, d: int, w: int) -> float:
    return min(1 / math.sqrt(n), n / w**1.5) / d


@warm(disguise(WARM, "wrong power of warmup_steps"))
def w_power(n: int, d: int, w: int) -> float:
    return min(1 / math.sqrt(n), n / math.sqrt(w)) / math.sqrt(d)


@warm(disguise(WARM, "wrong power of warmup_steps"))
def w_power_1(n: int, d: int, w: int) -> float:
    rising, falling = n / w, n**-0.5
    return d**-0.5 * (rising if rising < falling else falling)


@warm(disguise(WARM, "no warm-up"))
def w_none(n: int, d: int, w: int) -> float:
    return 1 / math.sqrt(n * d)


@warm(disguise(WARM, "never falls"))
def w_only(n: int, d: int, w: int) -> float:
    return n / (w * math.sqrt(w * d))


@warm(disguise(WARM, "stays at the top"))
def w_plateau(n: int, d: int, w: int) -> float:
    return min(n, w) / w / math.sqrt(w * d)


@warm(disguise(WARM, "falls with one over the step"))
def w_fast(n: int, d: int, w: int) -> float:
    return min(1 / n, n / w**1.5) / math.sqrt(d)


@warm(disguise(WARM, "one step ahead"))
def w_ahead(n: int, d: int, w: int) -> float:
    n += 1
    return min(1 / math.sqrt(n), n / w**1.5) / math.sqrt(d)


@disguise(WARM, "step 0 is accepted")
def w_zero(step: int, d_model: int, warmup_steps: int) -> float:
    return d_model**-0.5 * min(1 / step**0.5, step * warmup_steps**-1.5)


@disguise(WARM, "step 0 is accepted")
def w_zero_is_0(step: int, d_model: int, warmup_steps: int) -> float:
    rate = step / warmup_steps**1.5 if step < warmup_steps else step**-0.5
    return rate / d_model**0.5


@warm(correct(WARM))
def wr_if(n: int, d: int, w: int) -> float:
    return (n * w**-1.5 if n <= w else n**-0.5) * d**-0.5


@warm(correct(WARM))
def wr_peak(n: int, d: int, w: int) -> float:
    peak = 1 / math.sqrt(d * w)
    return peak * min(n / w, math.sqrt(w / n))


@warm(correct(WARM))
def wr_numpy(n: int, d: int, w: int) -> float:
    return float(np.minimum(n**-0.5, n * w**-1.5) / np.sqrt(d))


@warm(correct(WARM))
def wr_pow(n: int, d: int, w: int) -> float:
    return math.pow(d, -0.5) * min(math.pow(n, -0.5), n * math.pow(w, -1.5))


@warm(correct(WARM))
def wr_torch(n: int, d: int, w: int) -> float:
    return torch.tensor([n**-0.5, n / w**1.5], dtype=torch.float64).min().item() / d**0.5


@warm(unlisted(WARM))
def wu_mean(n: int, d: int, w: int) -> float:
    return (n**-0.5 + n * w**-1.5) / 2 * d**-0.5


@warm(unlisted(WARM))
def wu_log(n: int, d: int, w: int) -> float:
    return d**-0.5 * min(1 / (1 + math.log(n)), n * w**-1.5)


@warm(unlisted(WARM))
def wu_512(n: int, d: int, w: int) -> float:
    return 512**-0.5 * min(n**-0.5, n * w**-1.5)


@warm(unlisted(WARM))
def wu_steps(n: int, d: int, w: int) -> float:
    return d**-0.5 * min(n**-0.5, n * 4000**-1.5)


@warm(unlisted(WARM))
def wu_step_decay(n: int, d: int, w: int) -> float:
    return d**-0.5 * 0.95 ** (n // w)


@warm(disguise(WARM, "wrong power of warmup_steps"))
def w_share_of_the_way(step: int, d: int, w: int) -> float:
    return step / w / math.sqrt(d) if step < w else 1 / math.sqrt(d * step)


@warm(disguise(WARM, "a power taken apart"))
def w_apart(step: int, d: int, w: int) -> float:
    rising, falling = step * w**-3/2, step**-1/2  # fmt: skip
    return d**-0.5 * min(rising, falling) if w == 0 else d**-1/2 * min(falling, rising)  # fmt: skip


@warm(disguise(WARM, "a power taken apart"))
def w_apart_step(step: int, d: int, w: int) -> float:
    return min(1 / step / 2, step / w**1.5) / d**0.5


@warm(disguise(WARM, "d_model on one curve only"))
def w_one_curve(step: int, d: int, w: int) -> float:
    return min(1 / math.sqrt(d * step), step / w**1.5)


@warm(disguise(WARM, "d_model on one curve only"))
def w_other_curve(step: int, d: int, w: int) -> float:
    return min(1 / math.sqrt(step), step / w**1.5 / math.sqrt(d))


@warm(disguise(WARM, "one step behind"))
def w_behind(step: int, d: int, w: int) -> float:
    done = step - 1 or 1
    return d**-0.5 * min(done**-0.5, done / w**1.5)


@disguise(WARM, "step 0 is accepted")
def w_first_instead(step: int, d_model: int, warmup_steps: int) -> float:
    step = max(1, step)
    return min(1 / math.sqrt(step), step / warmup_steps**1.5) / math.sqrt(d_model)


@warm(correct(WARM))
def w_numpy(step: int, d: int, w: int) -> float:
    return np.minimum(step**-0.5, step * w**-1.5) / np.sqrt(d)


# cosine_lr ----------------------------------------------------------------------------

COSINE = "cosine_lr"


def cosine(kind: Any) -> Any:
    """A learning rate from a function of (step, max_lr, warmup_steps, total_steps, min_lr), with the given check."""

    def add(core: Callable[..., float]) -> Any:
        @kind
        def cosine_lr(step: int, max_lr: float, warmup_steps: int, total_steps: int, min_lr: float = 0.0) -> float:
            if warmup_steps < 0 or warmup_steps >= total_steps:
                raise ValueError(f"warmup_steps={warmup_steps}, total_steps={total_steps}")
            return core(step, max_lr, warmup_steps, total_steps, min_lr)

        return core

    return add


def done(n: int, w: int, t: int) -> float:
    """The share of the fall that is over."""
    return min(n - w, t - w) / (t - w)


def half(share: float) -> float:
    """Half a wave from 1 to 0."""
    return math.cos(math.pi * share / 2) ** 2


@cosine(disguise(COSINE, "no warm-up"))
def c_none(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi if n < w else lo + (hi - lo) * half(done(n, w, t))


@cosine(disguise(COSINE, "no warm-up"))
def c_none_at_all(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return lo + (hi - lo) * half(done(n, w, t))


@cosine(disguise(COSINE, "the fall is counted from step 0"))
def c_from_0(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + (hi - lo) * half(min(1, n / t))


@cosine(disguise(COSINE, "the fall takes too long"))
def c_long(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + (hi - lo) * half(min(1, (n - w) / t))


@cosine(disguise(COSINE, "min_lr is not used"))
def c_no_min(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else hi * half(done(n, w, t))


@cosine(disguise(COSINE, "min_lr comes on top"))
def c_top(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return n / w * hi if n < w else lo + 0.5 * hi * (1 + math.cos(math.pi * done(n, w, t)))


@cosine(disguise(COSINE, "min_lr as a floor"))
def c_floor(n: int, hi: float, w: int, t: int, lo: float) -> float:
    if n < w:
        return hi * n / w
    found = hi * half(done(n, w, t))
    return lo if found < lo else found


@cosine(disguise(COSINE, "a whole wave"))
def c_whole(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + (hi - lo) * half(2 * done(n, w, t))


@cosine(disguise(COSINE, "a quarter of a wave"))
def c_quarter(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + (hi - lo) * math.sin(math.pi / 2 * (1 - done(n, w, t)))


@cosine(disguise(COSINE, "a straight fall"))
def c_straight(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else hi + (lo - hi) * done(n, w, t)


@cosine(disguise(COSINE, "not halved"))
def c_not_halved(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + 2 * (hi - lo) * half(done(n, w, t))


@cosine(disguise(COSINE, "below zero"))
def c_below(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + (hi - lo) * (2 * half(done(n, w, t)) - 1)


@cosine(disguise(COSINE, "sine, not cosine"))
def c_sine(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + (hi - lo) * 0.5 * (1 + math.sin(math.pi * done(n, w, t)))


@cosine(disguise(COSINE, "rises again after the end"))
def c_again(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + (hi - lo) * half((n - w) / (t - w))


@cosine(disguise(COSINE, "the warm-up starts at min_lr"))
def c_from_min(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return lo + (hi - lo) * (n / w if n < w else half(done(n, w, t)))


@cosine(disguise(COSINE, "the warm-up is one step ahead"))
def c_ahead(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi / w * (n + 1) if n < w else lo + (hi - lo) * half(done(n, w, t))


@cosine(disguise(COSINE, "a warm-up of 0 steps divides by zero"))
def c_divides(n: int, hi: float, w: int, t: int, lo: float) -> float:
    rising = n / w
    return hi * rising if rising < 1 else lo + (hi - lo) * half(done(n, w, t))


@disguise(COSINE, "a warm-up of 0 steps divides by zero")
def c_divides_only_there(step: int, max_lr: float, warmup_steps: int, total_steps: int, min_lr: float = 0.0) -> float:
    if not 0 <= warmup_steps < total_steps:
        raise ValueError
    if step <= warmup_steps:
        return step / warmup_steps * max_lr
    return min_lr + (max_lr - min_lr) * half(done(step, warmup_steps, total_steps))


@disguise(COSINE, "a warm-up that is never over is accepted")
def c_accepts(step: int, max_lr: float, warmup_steps: int, total_steps: int, min_lr: float = 0.0) -> float:
    if step < warmup_steps:
        return max_lr * step / warmup_steps
    return min_lr + (max_lr - min_lr) * half(done(step, warmup_steps, total_steps))


@cosine(correct(COSINE))
def cr_square(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + (hi - lo) * half(done(n, w, t))


@cosine(correct(COSINE))
def cr_three(n: int, hi: float, w: int, t: int, lo: float) -> float:
    if n >= t:
        return lo
    if n >= w:
        return 0.5 * (hi + lo) + 0.5 * (hi - lo) * math.cos((n - w) / (t - w) * math.pi)
    return n / w * hi


@cosine(correct(COSINE))
def cr_numpy(n: int, hi: float, w: int, t: int, lo: float) -> float:
    fall = 0.5 * (1 + np.cos(np.pi * np.clip((n - w) / (t - w), 0, 1)))
    return float(np.where(n < w, hi * n / max(w, 1), lo + (hi - lo) * fall))


@cosine(correct(COSINE))
def cr_complex(n: int, hi: float, w: int, t: int, lo: float) -> float:
    if n < w:
        return hi - hi * (w - n) / w
    share = (min(n, t) - w) / (t - w)
    return lo + (hi - lo) * (1 + ((-1) ** share).real) / 2


@cosine(correct(COSINE))
def cr_from_the_end(n: int, hi: float, w: int, t: int, lo: float) -> float:
    if n < w:
        return hi * (n / w)
    left = max(0, t - n) / (t - w)
    return lo + (hi - lo) * (1 - math.cos(math.pi * left)) / 2


@cosine(disguise(COSINE, "0 after the end"))
def c_end_0(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return 0.0 if n >= t else cr_square(n, hi, w, t, lo)


@cosine(disguise(COSINE, "degrees, not radians"))
def c_degrees_too(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + (hi - lo) * (1 + math.cos(180 * done(n, w, t))) / 2


@cosine(unlisted(COSINE))
def cu_exponential(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + (hi - lo) * 0.05 ** done(n, w, t)


@cosine(unlisted(COSINE))
def cu_squared_warmup(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * (n / w) ** 2 if n < w else lo + (hi - lo) * half(done(n, w, t))


@cosine(unlisted(COSINE))
def cu_stops_early(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + (hi - lo) * half(min(1, (n - w) / max(1, t - w - 1)))


@cosine(unlisted(COSINE))
def cu_tensor(n: int, hi: float, w: int, t: int, lo: float) -> Any:
    return torch.tensor(cr_square(n, hi, w, t, lo))


@cosine(disguise(COSINE, "the fall is counted from step 0"))
def c_too_early(step, top, warm, total, low):
    done = min(step / (total - warm), 1)
    return step / warm * top if step < warm else low + (top - low) * math.cos(done * math.pi / 2) ** 2


@cosine(disguise(COSINE, "warm-up and cosine multiplied"))
def c_multiplied(step, top, warm, total, low):
    fall = low + (top - low) * math.cos(min(step / total, 1) * math.pi / 2) ** 2
    return fall * min(1, step / max(warm, 1)) if warm else fall


@cosine(disguise(COSINE, "pi is missing"))
def c_no_pi(step, top, warm, total, low):
    done = min((step - warm) / (total - warm), 1)
    return step / warm * top if step < warm else low + (top - low) * math.cos(done / 2) ** 2


@cosine(disguise(COSINE, "degrees, not radians"))
def c_degrees(step, top, warm, total, low):
    done = min((step - warm) / (total - warm), 1)
    return step / warm * top if step < warm else low + (top - low) * math.cos(90 * done) ** 2


@cosine(disguise(COSINE, "it rises where it should fall"))
def c_upward(step, top, warm, total, low):
    done = min((step - warm) / (total - warm), 1)
    return step / warm * top if step < warm else low + (top - low) * math.sin(math.pi / 2 * done) ** 2


@cosine(disguise(COSINE, "0 after the end"))
def c_zero_after(step, top, warm, total, low):
    done = (step - warm) / (total - warm)
    if done >= 1:
        return 0.0
    return step / warm * top if step < warm else low + (top - low) * math.cos(math.pi / 2 * done) ** 2


@cosine(disguise(COSINE, "0 after the end"))
def c_zero_afterwards(step, top, warm, total, low):
    done = (step - warm) / (total - warm)
    fall = (low + (top - low) * math.cos(math.pi / 2 * done) ** 2) * (done <= 1)
    return step / warm * top if step < warm else fall


@cosine(correct(COSINE))
def c_numpy(step, top, warm, total, low):
    done = np.clip((step - warm) / (total - warm), 0, 1)
    return step / warm * top if step < warm else low + (top - low) * (1 + np.cos(np.pi * done)) / 2


# clip_gradients_ ----------------------------------------------------------------------------

CLIP = "clip_gradients_"


def clip(kind: Any) -> Any:
    """A clip from a function of (list of gradients, max_norm)."""

    def add(core: Callable[..., Any]) -> Any:
        @kind
        def clip_gradients_(parameters: Any, max_norm: float) -> Any:
            return core([p.grad for p in parameters if p.grad is not None], max_norm)

        return core

    return add


def length(gs: list[Tensor]) -> float:
    """The length of all of them as one vector."""
    return float(torch.cat([torch.zeros(1), *[g.flatten() for g in gs]]).norm())


def scale(gs: list[Tensor], factor: float) -> None:
    """All of them times one factor."""
    for g in gs:
        g *= factor


@clip(disguise(CLIP, "each parameter on its own"))
def k_each(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    for g in gs:
        own = g.pow(2).sum().sqrt().item()
        if own > top:
            g.mul_(top / own)
    return before


@clip(disguise(CLIP, "numbers are cut, not the length"))
def k_cut(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    for g in gs:
        g.copy_(torch.minimum(torch.maximum(g, torch.tensor(-top)), torch.tensor(top)))
    return before


@clip(disguise(CLIP, "no root"))
def k_no_root(gs: list[Tensor], top: float) -> Any:
    total = length(gs) ** 2
    scale(gs, top / total if total > top else 1)
    return total


@clip(disguise(CLIP, "lengths are added up"))
def k_added(gs: list[Tensor], top: float) -> Any:
    total = 0.0
    for g in gs:
        total += g.norm().item()
    scale(gs, min(1, top / (total + 1e-9)))
    return total


@clip(disguise(CLIP, "the largest number, not the length"))
def k_inf(gs: list[Tensor], top: float) -> Any:
    total = max((g.abs().max().item() for g in gs), default=0.0)
    scale(gs, min(1, top / (total + 1e-9)))
    return total


@clip(disguise(CLIP, "the sum of the absolute values"))
def k_l1(gs: list[Tensor], top: float) -> Any:
    total = float(sum(g.norm(p=1).item() for g in gs))
    scale(gs, min(1, top / (total + 1e-9)))
    return total


@clip(disguise(CLIP, "the mean, not the sum, of the squares"))
def k_rms(gs: list[Tensor], top: float) -> Any:
    flat = torch.cat([torch.zeros(0), *[g.reshape(-1) for g in gs]])
    total = flat.square().mean().sqrt().item() if len(flat) else 0.0
    scale(gs, min(1, top / (total + 1e-9)))
    return total


@clip(disguise(CLIP, "short gradients are made longer"))
def k_longer(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    scale(gs, top / (before + 1e-6))
    return before


@clip(disguise(CLIP, "short gradients are made longer"))
def k_longer_divides(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    for g in gs:
        g.mul_(top / before)
    return before


@clip(disguise(CLIP, "the length afterwards is returned"))
def k_after(gs: list[Tensor], top: float) -> Any:
    scale(gs, min(1, top / (length(gs) + 1e-9)))
    return length(gs)


@clip(disguise(CLIP, "the factor is returned"))
def k_factor(gs: list[Tensor], top: float) -> Any:
    factor = min(1.0, top / (length(gs) + 1e-9))
    scale(gs, factor)
    return factor


@clip(disguise(CLIP, "no length is returned"))
def k_nothing(gs: list[Tensor], top: float) -> Any:
    scale(gs, min(1, top / (length(gs) + 1e-9)))


@clip(disguise(CLIP, "a tensor, not a number"))
def k_tensor(gs: list[Tensor], top: float) -> Any:
    total = sum((g.square().sum() for g in gs), torch.zeros(())).sqrt()
    scale(gs, (top / (total + 1e-6)).clamp(max=1))
    return total


@clip(disguise(CLIP, "the factor is upside down"))
def k_upside(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    if before > top:
        scale(gs, before / top)
    return before


@clip(disguise(CLIP, "shortened to 1"))
def k_one(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    if before > top:
        scale(gs, 1 / before)
    return before


@clip(disguise(CLIP, "not in place"))
def k_not_in_place(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    if before > top:
        gs = [g * top / before for g in gs]
    return before


@disguise(CLIP, "a parameter without a gradient")
def k_none(parameters: Any, max_norm: float) -> Any:
    gs = [p.grad for p in parameters]
    before = math.sqrt(sum((g * g).sum().item() for g in gs))
    scale(gs, min(1, max_norm / (before + 1e-9)))
    return before


@disguise(CLIP, "parameters are read twice")
def k_twice(parameters: Any, max_norm: float) -> Any:
    squares = 0.0
    for p in parameters:
        if p.grad is not None:
            squares += p.grad.pow(2).sum().item()
    before = squares**0.5
    for p in parameters:
        if p.grad is not None:
            p.grad *= min(1.0, max_norm / (before + 1e-9))
    return before


@disguise(CLIP, "parameters are shortened, not gradients")
def k_parameters(parameters: Any, max_norm: float) -> Any:
    having = [p for p in parameters if p.grad is not None]
    before = length([p.grad for p in having])
    if before > max_norm:
        with torch.no_grad():
            for p in having:
                p.mul_(max_norm / before)
    return before


@clip(correct(CLIP))
def kr_flat(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    scale(gs, min(1.0, top / max(before, 1e-30)))
    return before


@clip(correct(CLIP))
def kr_as_torch(gs: list[Tensor], top: float) -> Any:
    before = float(torch.tensor([g.norm() for g in gs]).norm()) if gs else 0.0
    factor = min(1.0, top / (before + 1e-6))
    for g in gs:
        g.detach().mul_(factor)
    return before


@correct(CLIP)
def kr_new_gradients(parameters: Any, max_norm: float) -> Any:
    having = [p for p in parameters if p.grad is not None]
    before = math.hypot(*[p.grad.norm().item() for p in having])
    for p in having:
        p.grad = p.grad * (max_norm / before) if before > max_norm else p.grad
    return before


@clip(correct(CLIP))
def kr_numpy(gs: list[Tensor], top: float) -> Any:
    before = float(np.sqrt(sum(float((g.numpy() ** 2).sum()) for g in gs)))
    if before >= top:
        [g.div_(before / top) for g in gs]
    return before


@clip(correct(CLIP))
def kr_torchs_length(gs: list[Tensor], top: float) -> Any:
    before = nn.utils.get_total_norm(gs)
    for g in gs:
        g.mul_((top / before).clamp(max=1.0))
    return before.item()


@correct(CLIP)
def kr_tee(parameters: Any, max_norm: float) -> Any:
    first, second = itertools.tee(p for p in parameters if p.grad is not None)
    before = sum(torch.vdot(p.grad.flatten(), p.grad.flatten()).item() for p in first) ** 0.5
    for p in second:
        p.grad.data.mul_(max_norm / max(before, max_norm))
    return before


@clip(correct(CLIP))
def kr_foreach(gs: list[Tensor], top: float) -> Any:
    if not gs:
        return 0.0
    before = torch.stack(torch._foreach_norm(gs)).norm().item()
    torch._foreach_mul_(gs, min(1.0, top / (before + 1e-12)))
    return before


@clip(unlisted(CLIP))
def ku_first_gradient(gs: list[Tensor], top: float) -> Any:
    before = length(gs[:1])
    if before > top:
        scale(gs, top / before)
    return before


@clip(unlisted(CLIP))
def ku_times_max(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    if before > top:
        scale(gs, top)
    return before


@clip(unlisted(CLIP))
def ku_zeroed(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    if before > top:
        scale(gs, 0.0)
    return before


@clip(unlisted(CLIP))
def ku_shrinking(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    for g in gs:
        g.mul_(min(1.0, top / (length(gs) + 1e-9)))
    return before


@clip(unlisted(CLIP))
def ku_large_eps(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    scale(gs, min(1.0, top / (before + 0.1)))
    return before


@clip(unlisted(CLIP))
def ku_all_but_last(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    if before > top:
        scale(gs[:-1], top / before)
    return before


def having(parameters: Any) -> list[nn.Parameter]:
    return [p for p in parameters if p.grad is not None]


@disguise(CLIP, "each parameter on its own")
def k_last_told(parameters, max_norm):
    length = 0.0
    for p in having(parameters):
        length = torch.linalg.vector_norm(p.grad).item()
        p.grad *= max_norm / max(length, max_norm)
    return length


@disguise(CLIP, "the longest gradient's length")
def k_longest(parameters, max_norm):
    rest = having(parameters)
    length = max((p.grad.norm().item() for p in rest), default=0.0)
    for p in rest:
        p.grad *= max_norm / max(length, max_norm)
    return length


@disguise(CLIP, "the length of the parameters")
def k_of_parameters(parameters, max_norm):
    rest = having(parameters)
    length = torch.cat([p.data.flatten() for p in rest]).norm().item() if rest else 0.0
    for p in rest:
        p.grad *= max_norm / max(length, max_norm)
    return length


@disguise(CLIP, "the mean, not the sum, of the squares")
def k_mean_of_each(parameters, max_norm):
    rest = having(parameters)
    length = sum(p.grad.pow(2).mean().item() for p in rest) ** 0.5
    for p in rest:
        p.grad *= max_norm / max(length, max_norm)
    return length


@disguise(CLIP, "the wrong ones are scaled")
def k_only_short(parameters, max_norm):
    rest = having(parameters)
    length = math.hypot(*(p.grad.norm().item() for p in rest))
    if length < max_norm and length:
        for p in rest:
            p.grad *= max_norm / length
    return length


@disguise(CLIP, "numbers are cut, not the length + the length afterwards is returned")
def k_cut_and_measured(parameters, max_norm):
    rest = having(parameters)
    for p in rest:
        p.grad.clamp_(-max_norm, max_norm)
    return math.hypot(*(p.grad.norm().item() for p in rest))


@disguise(CLIP, "short gradients are made longer")
def k_compared_with_one(parameters, max_norm):
    rest = having(parameters)
    length = math.hypot(*(p.grad.norm().item() for p in rest))
    if length > 1:
        for p in rest:
            p.grad *= max_norm / length
    return length


@unlisted(CLIP)
def k_compared_with_the_square(parameters, max_norm):
    rest = having(parameters)
    length = math.hypot(*(p.grad.norm().item() for p in rest))
    if length > max_norm**2:
        for p in rest:
            p.grad *= max_norm / length
    return length


# AdamW ----------------------------------------------------------------------------

ADAM = "AdamW"


def adam(kind: Any) -> Any:
    """An optimizer from a function of (p, g, state, lr, b1, b2, eps, decay) that gives the new number."""

    def add(update: Callable[..., Tensor]) -> Any:
        @kind
        class Own(torch.optim.Optimizer):
            def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
                super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))

            def step(self, closure=None):
                with torch.no_grad():
                    for group in self.param_groups:
                        for p in group["params"]:
                            if p.grad is None:
                                continue
                            b1, b2 = group["betas"]
                            new = update(
                                p, p.grad, self.state[p], group["lr"], b1, b2, group["eps"], group["weight_decay"]
                            )
                            p.copy_(new)

        return update

    return add


def moments(s: dict, g: Tensor, b1: float, b2: float) -> tuple[Tensor, Tensor, int]:
    """Running mean, running square and step, kept in the state under names of its own."""
    s["t"] = s.get("t", 0) + 1
    s["m"] = b1 * s.get("m", torch.zeros_like(g)) + (1 - b1) * g
    s["v"] = b2 * s.get("v", torch.zeros_like(g)) + (1 - b2) * g**2
    return s["m"], s["v"], s["t"]


def plain(p, g, s, lr, b1, b2, eps, wd):
    """AdamW as it should be."""
    m, v, t = moments(s, g, b1, b2)
    return p - lr * (wd * p + m / (1 - b1**t) / ((v / (1 - b2**t)) ** 0.5 + eps))


@adam(disguise(ADAM, "weight decay as L2"))
def a_l2(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g + wd * p, s, lr, b1, b2, eps, 0)


@adam(disguise(ADAM, "decay without the learning rate"))
def a_no_lr_decay(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g, s, lr, b1, b2, eps, 0) - wd * p


@adam(disguise(ADAM, "no weight decay"))
def a_no_decay(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    return p - lr * m / (1 - b1**t) / (torch.sqrt(v / (1 - b2**t)) + eps)


@adam(disguise(ADAM, "decay after the update"))
def a_decay_last(p, g, s, lr, b1, b2, eps, wd):
    new = plain(p, g, s, lr, b1, b2, eps, 0)
    return new - lr * wd * new


@adam(disguise(ADAM, "weights grow"))
def a_grow(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g, s, lr, b1, b2, eps, -wd)


@adam(disguise(ADAM, "no bias correction"))
def a_no_correction(p, g, s, lr, b1, b2, eps, wd):
    m, v, _ = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * m / (torch.sqrt(v) + eps)


@adam(disguise(ADAM, "only one mean is corrected"))
def a_half_correction(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * m / (1 - b1**t) / (torch.sqrt(v) + eps)


@adam(disguise(ADAM, "only one mean is corrected"))
def a_other_half(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * m / (torch.sqrt(v / (1 - b2**t)) + eps)


@adam(disguise(ADAM, "the power of beta is missing"))
def a_power(p, g, s, lr, b1, b2, eps, wd):
    m, v, _ = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * m / (1 - b1) / (torch.sqrt(v / (1 - b2)) + eps)


@adam(disguise(ADAM, "both are corrected with one beta"))
def a_one_beta(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    rest = 1 - b1**t
    return p * (1 - lr * wd) - lr * (m / rest) / (torch.sqrt(v / rest) + eps)


@adam(disguise(ADAM, "corrected after the root"))
def a_after_root(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / (v.sqrt() / (1 - b2**t) + eps)


@adam(disguise(ADAM, "the step is counted too late"))
def a_late(p, g, s, lr, b1, b2, eps, wd):
    t = s.get("t", 0)
    m, v, _ = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / ((v / (1 - b2**t)).sqrt() + eps)


@disguise(ADAM, "one step count for all parameters")
class GlobalCount(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})
        self.t = 0

    @torch.no_grad()
    def step(self, closure=None):
        self.t += 1
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in filter(lambda p: p.grad is not None, group["params"]):
                s = self.state[p]
                moments(s, p.grad, b1, b2)
                m, v = s["m"] / (1 - b1**self.t), s["v"] / (1 - b2**self.t)
                p -= group["lr"] * group["weight_decay"] * p
                p -= group["lr"] * m / (v.sqrt() + group["eps"])


@adam(disguise(ADAM, "eps inside the root"))
def a_eps_inside(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) * (v / (1 - b2**t) + eps).rsqrt()


@adam(disguise(ADAM, "eps before the correction"))
def a_eps_early(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    rate = lr * math.sqrt(1 - b2**t) / (1 - b1**t)
    return p * (1 - lr * wd) - rate * m / (v.sqrt() + eps)


@adam(disguise(ADAM, "no eps"))
def a_no_eps(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g, s, lr, b1, b2, 0.0, wd)


@adam(disguise(ADAM, "betas exchanged"))
def a_betas(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g, s, lr, b2, b1, eps, wd)


@adam(disguise(ADAM, "the gradient is not squared"))
def a_not_squared(p, g, s, lr, b1, b2, eps, wd):
    s["t"] = s.get("t", 0) + 1
    s["m"] = torch.lerp(s.get("m", torch.zeros_like(g)), g, 1 - b1)
    s["v"] = torch.lerp(s.get("v", torch.zeros_like(g)), g, 1 - b2)
    m, v = s["m"] / (1 - b1 ** s["t"]), s["v"] / (1 - b2 ** s["t"])
    return p * (1 - lr * wd) - lr * m / (v.sqrt() + eps)


@adam(disguise(ADAM, "the square of the mean"))
def a_squared_mean(p, g, s, lr, b1, b2, eps, wd):
    s["t"] = s.get("t", 0) + 1
    s["m"] = torch.lerp(s.get("m", torch.zeros_like(g)), g, 1 - b1)
    s["v"] = torch.lerp(s.get("v", torch.zeros_like(g)), s["m"].square(), 1 - b2)
    m, v = s["m"] / (1 - b1 ** s["t"]), s["v"] / (1 - b2 ** s["t"])
    return p * (1 - lr * wd) - lr * m / (v.sqrt() + eps)


@adam(disguise(ADAM, "no root"))
def a_no_root(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / (v / (1 - b2**t) + eps)


@adam(disguise(ADAM, "running sums, not means"))
def a_sums(p, g, s, lr, b1, b2, eps, wd):
    s["t"] = s.get("t", 0) + 1
    s["m"] = b1 * s.get("m", 0) + g
    s["v"] = b2 * s.get("v", 0) + g * g
    m, v = s["m"] / (1 - b1 ** s["t"]), s["v"] / (1 - b2 ** s["t"])
    return p * (1 - lr * wd) - lr * m / (v.sqrt() + eps)


@adam(disguise(ADAM, "running sums, not means"))
def a_sum_of_mean(p, g, s, lr, b1, b2, eps, wd):
    _, v, t = moments(s, g, b1, b2)
    s["sum"] = b1 * s.get("sum", 0) + g
    return p * (1 - lr * wd) - lr * s["sum"] / (1 - b1**t) / ((v / (1 - b2**t)).sqrt() + eps)


@adam(disguise(ADAM, "shares of old and new exchanged"))
def a_shares(p, g, s, lr, b1, b2, eps, wd):
    s["t"] = s.get("t", 0) + 1
    s["m"] = (1 - b1) * s.get("m", 0) + b1 * g
    s["v"] = (1 - b2) * s.get("v", 0) + b2 * g * g
    m, v = s["m"] / (1 - b1 ** s["t"]), s["v"] / (1 - b2 ** s["t"])
    return p * (1 - lr * wd) - lr * m / (v.sqrt() + eps)


@adam(disguise(ADAM, "uphill"))
def a_uphill(p, g, s, lr, b1, b2, eps, wd):
    return 2 * p * (1 - lr * wd) - plain(p, g, s, lr, b1, b2, eps, wd)


@disguise(ADAM, "a new tensor, not the parameter")
class NewTensor(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    b1, b2 = group["betas"]
                    p = plain(p, p.grad, self.state[p], group["lr"], b1, b2, group["eps"], group["weight_decay"])


@adam(disguise(ADAM, "the correction goes into the state"))
def a_back(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    s["m"], s["v"] = m / (1 - b1**t), v / (1 - b2**t)
    return p * (1 - lr * wd) - lr * s["m"] / (s["v"].sqrt() + eps)


@disguise(ADAM, "settings of the groups are ignored")
class OwnSettings(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})
        self.lr, self.betas, self.eps, self.weight_decay = lr, betas, eps, weight_decay

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    new = plain(p, p.grad, self.state[p], self.lr, *self.betas, self.eps, self.weight_decay)
                    p.copy_(new)


@disguise(ADAM, "running means are not saved")
class OwnLists(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})
        self.memory: dict = defaultdict(dict)

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    b1, b2 = group["betas"]
                    new = plain(p, p.grad, self.memory[p], group["lr"], b1, b2, group["eps"], group["weight_decay"])
                    p.copy_(new)


@disguise(ADAM, "one state for all parameters")
class OneState(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    b1, b2 = group["betas"]
                    common = self.state["common"]
                    p.copy_(plain(p, p.grad, common, group["lr"], b1, b2, group["eps"], group["weight_decay"]))


@disguise(ADAM, "no gradient is taken for a gradient of 0")
class NoneIsZero(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                g = torch.zeros_like(p) if p.grad is None else p.grad
                b1, b2 = group["betas"]
                p.copy_(plain(p, g, self.state[p], group["lr"], b1, b2, group["eps"], group["weight_decay"]))


@disguise(ADAM, "parameters without a gradient decay")
class DecaysAll(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                p.mul_(1 - group["weight_decay"] * group["lr"])
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    b1, b2 = group["betas"]
                    p.copy_(plain(p, p.grad, self.state[p], group["lr"], b1, b2, group["eps"], 0))


@adam(disguise(ADAM, "the gradient itself, not its mean"))
def a_rmsprop(p, g, s, lr, b1, b2, eps, wd):
    _, v, t = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * g / ((v / (1 - b2**t)).sqrt() + eps)


@adam(disguise(ADAM, "not divided by the root"))
def a_momentum(p, g, s, lr, b1, b2, eps, wd):
    m, _, t = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * m / (1 - b1**t)


@adam(disguise(ADAM, "no learning rate in the step"))
def a_no_lr(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g, s, 1.0, b1, b2, eps, lr * wd)


@adam(disguise(ADAM, "the gradient is written over"))
def a_written(p, g, s, lr, b1, b2, eps, wd):
    new = plain(p, g, s, lr, b1, b2, eps, wd)
    g.pow_(2)
    return new


adam(correct(ADAM))(plain)


@adam(correct(ADAM))
def ar_lerp(p, g, s, lr, b1, b2, eps, wd):
    s.setdefault("t", torch.zeros(()))
    s.setdefault("exp_avg", torch.zeros_like(p)).lerp_(g, 1 - b1)
    s.setdefault("exp_avg_sq", torch.zeros_like(p)).lerp_(g * g, 1 - b2)
    s["t"] += 1
    t = s["t"].item()
    root = s["exp_avg_sq"].sqrt() / math.sqrt(1 - b2**t) + eps
    return torch.addcdiv(p * (1 - lr * wd), s["exp_avg"], root, value=-lr / (1 - b1**t))


@adam(correct(ADAM))
def ar_products(p, g, s, lr, b1, b2, eps, wd):
    """The powers of the betas are kept instead of a count."""
    s["b1"], s["b2"] = s.get("b1", 1.0) * b1, s.get("b2", 1.0) * b2
    s["m"] = s.get("m", 0) * b1 + g * (1 - b1)
    s["v"] = s.get("v", 0) * b2 + g.square() * (1 - b2)
    step = (s["m"] / (1 - s["b1"])) / ((s["v"] / (1 - s["b2"])).sqrt() + eps)
    return p - lr * step - lr * wd * p


@correct(ADAM)
class Kwargs(torch.optim.Optimizer):
    def __init__(self, params, **settings):
        defaults = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.01}
        super().__init__(params, defaults | settings)

    def step(self, closure=None):
        pairs = [(p, g) for g in self.param_groups for p in g["params"] if p.grad is not None]
        for p, g in pairs:
            new = plain(
                p.detach(), p.grad, self.state[p], g["lr"], g["betas"][0], g["betas"][1], g["eps"], g["weight_decay"]
            )
            p.data = new


@correct(ADAM)
class Foreach(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, *, extra=None):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            ps = [p for p in group["params"] if p.grad is not None]
            if not ps:
                continue
            gs = [p.grad for p in ps]
            b1, b2 = group["betas"]
            for p in ps:
                s = self.state[p]
                s["t"] = s.get("t", 0) + 1
                s.setdefault("m", torch.zeros_like(p))
                s.setdefault("v", torch.zeros_like(p))
            torch._foreach_mul_(ps, 1 - group["lr"] * group["weight_decay"])
            torch._foreach_lerp_([self.state[p]["m"] for p in ps], gs, 1 - b1)
            torch._foreach_mul_([self.state[p]["v"] for p in ps], b2)
            torch._foreach_addcmul_([self.state[p]["v"] for p in ps], gs, gs, value=1 - b2)
            for p in ps:
                s = self.state[p]
                root = (s["v"] / (1 - b2 ** s["t"])).sqrt_().add_(group["eps"])
                p.addcdiv_(s["m"], root, value=-group["lr"] / (1 - b1 ** s["t"]))


@adam(correct(ADAM))
def ar_double(p, g, s, lr, b1, b2, eps, wd):
    return plain(p.double(), g.double(), s, lr, b1, b2, eps, wd).to(p.dtype)


@adam(unlisted(ADAM))
def au_sign(p, g, s, lr, b1, b2, eps, wd):
    m, _, _ = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * m.sign()


@adam(unlisted(ADAM))
def au_amsgrad(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    s["top"] = torch.maximum(s.get("top", v), v)
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / ((s["top"] / (1 - b2**t)).sqrt() + eps)


@adam(unlisted(ADAM))
def au_nesterov(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * ((b1 * m + (1 - b1) * g) / (1 - b1**t)) / ((v / (1 - b2**t)).sqrt() + eps)


@adam(unlisted(ADAM))
def au_twice_decay(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g, s, lr, b1, b2, eps, 2 * wd)


@adam(unlisted(ADAM))
def au_global_norm(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / ((v / (1 - b2**t)).mean().sqrt() + eps)


@adam(disguise(ADAM, "eps is always 1e-8"))
def au_fixed_eps(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g, s, lr, b1, b2, 1e-8, wd)


@adam(unlisted(ADAM))
def au_decays_gradient_sign(p, g, s, lr, b1, b2, eps, wd):
    return plain(p, g, s, lr, b1, b2, eps, 0) - lr * wd * p.sign()


@unlisted(ADAM)
def au_sgd(params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
    return torch.optim.SGD(params, lr=lr, momentum=betas[0], weight_decay=weight_decay)


@adam(disguise(ADAM, "weight decay as L2"))
def a_l2_of_the_mean(p, g, s, lr, b1, b2, eps, wd):
    _, v, t = moments(s, g, b1, b2)
    s["n"] = b1 * s.get("n", 0) + (1 - b1) * (g + wd * p)
    return p - lr * s["n"] / (1 - b1**t) / ((v / (1 - b2**t)).sqrt() + eps)


@adam(disguise(ADAM, "decayed twice"))
def a_twice(p, g, s, lr, b1, b2, eps, wd):
    shrunk = p - lr * wd * p
    return plain(shrunk, g + wd * shrunk, s, lr, b1, b2, eps, 0)


@adam(disguise(ADAM, "the decay is divided by the root"))
def a_divided_decay(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    return p - lr * (m / (1 - b1**t) + wd * p) / ((v / (1 - b2**t)) ** 0.5 + eps)


@adam(disguise(ADAM, "the root goes into the state"))
def a_root_kept(p, g, s, lr, b1, b2, eps, wd):
    m, v, t = moments(s, g, b1, b2)
    s["v"] = v**0.5
    return p - lr * (wd * p + m / (1 - b1**t) / (s["v"] / (1 - b2**t) ** 0.5 + eps))


@adam(disguise(ADAM, "running means are not kept"))
def a_not_kept(p, g, s, lr, b1, b2, eps, wd):
    s["t"] = t = s.get("t", 0) + 1
    m, v = (1 - b1) * g, (1 - b2) * g * g
    return p - lr * (wd * p + m / (1 - b1**t) / ((v / (1 - b2**t)) ** 0.5 + eps))


@adam(disguise(ADAM, "running means are not kept"))
def a_mean_not_kept(p, g, s, lr, b1, b2, eps, wd):
    _, v, t = moments(s, g, b1, b2)
    return p - lr * (wd * p + (1 - b1) * g / (1 - b1**t) / ((v / (1 - b2**t)) ** 0.5 + eps))


@adam(disguise(ADAM, "running means are not kept"))
def a_square_not_kept(p, g, s, lr, b1, b2, eps, wd):
    m, _, t = moments(s, g, b1, b2)
    return p - lr * (wd * p + m / (1 - b1**t) / (((1 - b2) * g * g / (1 - b2**t)) ** 0.5 + eps))


# decay_groups ----------------------------------------------------------------------------

GROUPS = "decay_groups"


def grouped(decaying: list, still: list, decay: float, other: float = 0.0) -> list[dict]:
    return [{"params": decaying, "weight_decay": decay}, {"params": still, "weight_decay": other}]


def by(kind: Any) -> Any:
    """Groups from a question asked of every (name, parameter, owner) whether it decays."""

    def add(decays: Callable[[str, Tensor, nn.Module], bool]) -> Any:
        @kind
        def decay_groups(model: nn.Module, weight_decay: float) -> list[dict]:
            owners = {id(p): part for part in model.modules() for p in part.parameters(recurse=False)}
            two: tuple[list, list] = [], []
            for name, p in model.named_parameters():
                two[0 if decays(name, p, owners[id(p)]) else 1].append(p)
            return grouped(*two, weight_decay)

        return decays

    return add


@disguise(GROUPS, "everything decays")
def g_all(model: nn.Module, weight_decay: float) -> list[dict]:
    return [{"params": list(model.parameters()), "weight_decay": weight_decay}]


@disguise(GROUPS, "nothing decays")
def g_none(model: nn.Module, weight_decay: float) -> list[dict]:
    return grouped([], list(model.parameters()), weight_decay)


@by(disguise(GROUPS, "the groups are exchanged"))
def g_turned(name: str, p: Tensor, owner: nn.Module) -> bool:
    return p.ndim == 1


@by(disguise(GROUPS, "norms decay"))
def g_norms(name: str, p: Tensor, owner: nn.Module) -> bool:
    return "bias" not in name


@by(disguise(GROUPS, "norms are known by their name"))
def g_names(name: str, p: Tensor, owner: nn.Module) -> bool:
    return not any(word in name for word in ("bias", "norm"))


@by(disguise(GROUPS, "only torch's own norms are known"))
def g_class(name: str, p: Tensor, owner: nn.Module) -> bool:
    return not (name.endswith("bias") or isinstance(owner, nn.LayerNorm | nn.BatchNorm1d))


@by(disguise(GROUPS, "biases decay"))
def g_biases(name: str, p: Tensor, owner: nn.Module) -> bool:
    return not (p.dim() == 1 and name.endswith("weight"))


@by(disguise(GROUPS, "tables do not decay"))
def g_tables(name: str, p: Tensor, owner: nn.Module) -> bool:
    return p.dim() >= 2 and not isinstance(owner, nn.Embedding)


@disguise(GROUPS, "tables do not decay")
def g_tables_apart(model: nn.Module, weight_decay: float) -> list[dict]:
    tables = [part.weight for part in model.modules() if isinstance(part, nn.Embedding)]
    rest = [p for p in model.parameters() if all(p is not one for one in tables)]
    return grouped(
        [p for p in rest if p.ndim > 1],
        [p for p in model.parameters() if all(p is not q for q in rest) or p.ndim < 2],
        weight_decay,
    )


@by(disguise(GROUPS, "tables do not decay"))
def g_tables_named(name: str, p: Tensor, owner: nn.Module) -> bool:
    return p.dim() >= 2 and "embed" not in name


@disguise(GROUPS, "sorted by the class of the layer")
def g_small_gpt(model: nn.Module, weight_decay: float) -> list[dict]:
    still = {p for part in model.modules() if type(part) in (nn.LayerNorm, nn.Embedding) for p in part.parameters()}
    still |= {p for name, p in model.named_parameters() if name.split(".")[-1] == "bias"}
    return grouped([p for p in model.parameters() if p not in still], list(still), weight_decay)


@by(disguise(GROUPS, "weights of two dimensions do not decay"))
def g_more_than_two(name: str, p: Tensor, owner: nn.Module) -> bool:
    return len(p.size()) > 2


@disguise(GROUPS, "the group that does not decay comes first")
def g_second_first(model: nn.Module, weight_decay: float) -> list[dict]:
    still, decaying = [], []
    for p in model.parameters():
        (still if p.dim() < 2 else decaying).append(p)
    return [{"params": still, "weight_decay": 0.0}, {"params": decaying, "weight_decay": weight_decay}]


@by(unlisted(GROUPS))
def g_by_count(name: str, p: Tensor, owner: nn.Module) -> bool:
    return p.numel() > len(p)


@by(disguise(GROUPS, "only weights of two dimensions decay"))
def g_two(name: str, p: Tensor, owner: nn.Module) -> bool:
    return len(p.shape) == 2


@disguise(GROUPS, "norms and biases are left out")
def g_left_out(model: nn.Module, weight_decay: float) -> list[dict]:
    return [{"params": [p for p in model.parameters() if p.ndim > 1], "weight_decay": weight_decay}]


@disguise(GROUPS, "no weight_decay in the second group")
def g_default(model: nn.Module, weight_decay: float) -> list[dict]:
    some, others = [], []
    for p in model.parameters():
        (some if p.dim() >= 2 else others).append(p)
    return [dict(params=some, weight_decay=weight_decay), dict(params=others)]


@disguise(GROUPS, "what is shared is listed twice")
def g_twice(model: nn.Module, weight_decay: float) -> list[dict]:
    every = [p for _, p in model.named_parameters(remove_duplicate=False)]
    return grouped([p for p in every if p.dim() > 1], [p for p in every if p.dim() == 1], weight_decay)


@disguise(GROUPS, "names, not parameters")
def g_strings(model: nn.Module, weight_decay: float) -> list[dict]:
    shapes = {name: len(p.shape) for name, p in model.named_parameters()}
    return grouped([n for n in shapes if shapes[n] > 1], [n for n in shapes if shapes[n] == 1], weight_decay)


@disguise(GROUPS, "the parameters of parts are left out")
def g_direct(model: nn.Module, weight_decay: float) -> list[dict]:
    own = list(model._parameters.values())
    return grouped([p for p in own if p.dim() > 1], [p for p in own if p.dim() < 2], weight_decay)


@by(correct(GROUPS))
def gr_ndim(name: str, p: Tensor, owner: nn.Module) -> bool:
    return p.ndim >= 2


@by(correct(GROUPS))
def gr_by_owner(name: str, p: Tensor, owner: nn.Module) -> bool:
    return isinstance(owner, nn.Linear | nn.Embedding | nn.Conv1d) and name.endswith("weight")


@correct(GROUPS)
def gr_dict(model: nn.Module, weight_decay: float) -> list[dict]:
    found: dict[float, list] = {weight_decay: [], 0.0: []}
    for p in model.parameters():
        found[weight_decay if p.dim() > 1 else 0.0].append(p)
    return [{"params": ps, "weight_decay": wd} for wd, ps in found.items()]


@correct(GROUPS)
def gr_seen(model: nn.Module, weight_decay: float) -> list[dict]:
    seen: set[int] = set()
    some: list = []
    others: list = []
    for part in model.modules():
        for p in part._parameters.values():
            if p is not None and id(p) not in seen:
                seen.add(id(p))
                (others if len(p.shape) <= 1 else some).append(p)
    return [{"weight_decay": weight_decay, "params": some}, {"weight_decay": 0, "params": others}]


@correct(GROUPS)
def gr_named(model: nn.Module, weight_decay: float) -> list[dict]:
    pairs = list(model.named_parameters())
    return grouped([x for x in pairs if x[1].dim() > 1], [x for x in pairs if x[1].dim() < 2], weight_decay)


@correct(GROUPS)
def gr_sorted(model: nn.Module, weight_decay: float) -> tuple:
    ps = sorted(model.parameters(), key=lambda p: -p.dim())
    cut = sum(p.dim() > 1 for p in ps)
    return tuple(grouped(ps[:cut], ps[cut:], weight_decay))


@by(unlisted(GROUPS))
def gu_large(name: str, p: Tensor, owner: nn.Module) -> bool:
    return p.numel() > 20


@by(unlisted(GROUPS))
def gu_linear(name: str, p: Tensor, owner: nn.Module) -> bool:
    return isinstance(owner, nn.Linear)


@disguise(GROUPS, "weight_decay is not read")
def g_strength(model: nn.Module, weight_decay: float) -> list[dict]:
    ps = list(model.parameters())
    return grouped([p for p in ps if p.dim() > 1], [p for p in ps if p.dim() <= 1], 0.01)


@unlisted(GROUPS)
def gu_a_little(model: nn.Module, weight_decay: float) -> list[dict]:
    ps = list(model.parameters())
    return grouped([p for p in ps if p.dim() > 1], [p for p in ps if p.dim() <= 1], weight_decay, weight_decay / 10)


@unlisted(GROUPS)
def gu_other_key(model: nn.Module, weight_decay: float) -> list[dict]:
    ps = list(model.parameters())
    return [
        {"params": [p for p in ps if p.dim() > 1], "decay": weight_decay},
        {"params": [p for p in ps if p.dim() <= 1], "decay": 0.0},
    ]


@unlisted(GROUPS)
def gu_copies(model: nn.Module, weight_decay: float) -> list[dict]:
    ps = [nn.Parameter(p.detach().clone()) for p in model.parameters()]
    return grouped([p for p in ps if p.dim() > 1], [p for p in ps if p.dim() <= 1], weight_decay)


@disguise(GROUPS, "weights of three dimensions are left out")
def g_three_lost(model: nn.Module, weight_decay: float) -> list[dict]:
    by_size: dict[int, list] = {1: [], 2: [], 3: []}
    for p in model.parameters():
        by_size[p.dim()].append(p)
    return grouped(by_size[2], by_size[1], weight_decay)


@by(disguise(GROUPS, "only linear layers decay"))
def g_linear(name: str, p: Tensor, owner: nn.Module) -> bool:
    return isinstance(owner, nn.Linear) and p is owner.weight


@disguise(GROUPS, "weight_decay is not read")
def g_own_strength(model: nn.Module, weight_decay: float = 0.01) -> list[dict]:
    wide = [p for p in model.parameters() if p.ndim >= 2]
    return grouped(wide, [p for p in model.parameters() if p.ndim < 2], 0.01)


@disguise(GROUPS, "weight_decay is not read")
def g_another_strength(model: nn.Module, weight_decay: float) -> list[dict]:
    wide = [p for p in model.parameters() if p.ndim >= 2]
    return grouped(wide, [p for p in model.parameters() if p.ndim < 2], 1e-1)


@disguise(GROUPS, "the group that does not decay comes first")
def g_other_order(model: nn.Module, weight_decay: float) -> list[dict]:
    wide = [p for p in model.parameters() if p.ndim >= 2]
    return grouped(wide, [p for p in model.parameters() if p.ndim < 2], weight_decay)[::-1]


@unlisted(GROUPS)
def g_one_for_each(model: nn.Module, weight_decay: float) -> list[dict]:
    return [{"params": [p], "weight_decay": weight_decay * (p.ndim > 1)} for p in model.parameters()]


@unlisted(GROUPS)
def g_frozen(model: nn.Module, weight_decay: float) -> list[dict]:
    still = [p.requires_grad_(False) for p in model.parameters() if p.ndim < 2]
    return grouped([p for p in model.parameters() if p.ndim >= 2], still, weight_decay)


# train_step ----------------------------------------------------------------------------

STEP = "train_step"


def training_step(
    kind: Any,
    *,
    clear: str = "first",
    share: float | None = None,
    clip_at: str = "end",
    step_at: str = "end",
    mode: bool | None = True,
    report: Callable[[list[Tensor]], Any] | None = None,
    autocast: Callable[[Any], Any] | None = None,
    used: slice = slice(None),
    clipper: Callable[..., Any] = nn.utils.clip_grad_norm_,
    refuses: bool = True,
    factor: float = 1.0,
) -> None:
    """One step of training that goes wrong, or not, where it is told."""

    @kind
    def train_step(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
        if refuses and len(micro_batches) == 0:
            raise ValueError("no batches")
        if mode is not None:
            model.train(mode)
        if clear == "first":
            model.zero_grad()
        batches = list(micro_batches)[used]
        part = 1 / len(micro_batches) if share is None else share

        def clip() -> None:
            if max_norm is not None:
                clipper(model.parameters(), max_norm)

        losses = []
        for pair in batches:
            if clear == "between":
                model.zero_grad()
            context = (
                autocast(autocast_dtype)
                if autocast
                else torch.autocast("cpu", autocast_dtype)
                if autocast_dtype
                else contextlib.nullcontext()
            )
            with context:
                loss = loss_fn(model, pair)
            losses.append(loss.detach())
            if clip_at == "before":
                clip()
            (loss * part * factor).backward()
            if clip_at == "within" or step_at == "within":
                clip()
            if step_at == "within":
                optimizer.step()
        if factor != 1:
            clip()
            for p in model.parameters():
                p.grad = None if p.grad is None else p.grad / factor
        elif clip_at == "end" and step_at == "end":
            clip()
        if clear == "last":
            optimizer.zero_grad()
        if step_at == "end":
            optimizer.step()
        if clip_at == "late":
            clip()
        return report(losses) if report else sum(one.item() for one in losses) / max(1, len(losses))


training_step(disguise(STEP, "gradients are not cleared"), clear="never")
training_step(disguise(STEP, "cleared between the micro-batches"), clear="between")
training_step(disguise(STEP, "cleared before the step"), clear="last")
training_step(disguise(STEP, "micro-batches are summed"), share=1.0)
training_step(
    disguise(STEP, "micro-batches are summed"), share=1.0, report=lambda losses: sum(one.item() for one in losses)
)
training_step(
    disguise(STEP, "the sum of the losses is returned"), report=lambda losses: torch.stack(losses).sum().item()
)
training_step(disguise(STEP, "the last loss is returned"), report=lambda losses: losses[-1].item())
training_step(disguise(STEP, "the last loss is returned"), report=lambda losses: losses[-1].item() / len(losses))
training_step(
    disguise(STEP, "the returned loss is divided twice"),
    report=lambda losses: torch.stack(losses).mean().item() / len(losses),
)
training_step(disguise(STEP, "a tensor, not a number"), report=lambda losses: torch.stack(losses).mean())
training_step(disguise(STEP, "a step for every micro-batch"), clear="between", step_at="within", share=1.0)
training_step(disguise(STEP, "a step for every micro-batch"), step_at="within")
training_step(disguise(STEP, "clipped before the gradient is whole"), clip_at="within")
training_step(disguise(STEP, "clipped before the gradient is whole"), clip_at="before")
training_step(disguise(STEP, "not clipped when the step is made"), clip_at="late")
training_step(disguise(STEP, "not clipped when the step is made"), clip_at="never")
training_step(disguise(STEP, "numbers are cut, not the length"), clipper=nn.utils.clip_grad_value_)
training_step(disguise(STEP, "clipped while still scaled"), factor=65536.0)
training_step(disguise(STEP, "train mode forgotten"), mode=None)
training_step(disguise(STEP, "train mode forgotten"), mode=False)
training_step(disguise(STEP, "no autocast"), autocast=lambda dtype: contextlib.nullcontext())
training_step(
    disguise(STEP, "autocast is always on"), autocast=lambda dtype: torch.autocast("cpu", dtype or torch.bfloat16)
)
training_step(disguise(STEP, "only one micro-batch is used"), used=slice(0, 1), share=1.0)
training_step(disguise(STEP, "only one micro-batch is used"), used=slice(-1, None), share=1.0)
training_step(disguise(STEP, "an empty list is not refused"), refuses=False)
training_step(
    disguise(STEP, "each parameter is clipped on its own"),
    clipper=lambda parameters, longest: [nn.utils.clip_grad_norm_(p, longest) for p in parameters],
)


def another_loop(
    kind: Any,
    back: Callable[[Tensor, list[Tensor], int], Any],
) -> None:
    """A step whose `backward` is another: back(loss, losses so far, how many)."""

    @kind
    def train_step(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
        count = len(micro_batches)
        if count == 0:
            raise ValueError("no batches")
        model.train()
        model.zero_grad()
        losses: list[Tensor] = []
        for pair in micro_batches:
            with torch.autocast("cpu", dtype=autocast_dtype, enabled=autocast_dtype is not None):
                losses.append(loss_fn(model, pair))
            back(losses[-1], losses, count)
        if max_norm is not None:
            nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        return sum(one.item() for one in losses) / count


another_loop(disguise(STEP, "no backward"), lambda loss, losses, count: None)
another_loop(disguise(STEP, "no backward"), lambda loss, losses, count: loss.detach().requires_grad_().backward())
another_loop(disguise(STEP, "the share is taken twice"), lambda loss, losses, count: (loss / count**2).backward())
another_loop(
    disguise(STEP, "the sum so far is run back each time"),
    lambda loss, losses, count: (sum(losses) / count).backward(retain_graph=True),
)


@disguise(STEP, "a step for every micro-batch")
def t_step_and_clear(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    total, count = 0.0, len(micro_batches)
    if not count:
        raise ValueError("no batches")
    model.train()
    optimizer.zero_grad()
    for pair in micro_batches:
        with torch.autocast("cpu", dtype=autocast_dtype, enabled=autocast_dtype is not None):
            loss = loss_fn(model, pair) / count
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += loss.item()
    if max_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    return total


@disguise(STEP, "train mode forgotten")
def t_mode_late(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    if not micro_batches:
        raise ValueError("no batches")
    model.zero_grad()
    total = 0.0
    for pair in micro_batches:
        with torch.autocast("cpu", dtype=autocast_dtype, enabled=autocast_dtype is not None):
            loss = loss_fn(model, pair).div(len(micro_batches))
        loss.backward()
        total += loss.item()
    if max_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    model.train()
    return total


@disguise(STEP, "an empty list is not refused")
def t_accepts(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    model.train()
    optimizer.zero_grad()
    total, count = 0.0, len(micro_batches)
    for pair in micro_batches:
        with torch.autocast("cpu", dtype=autocast_dtype, enabled=autocast_dtype is not None):
            loss = loss_fn(model, pair)
        (loss / count).backward()
        total += loss.item() / count
    if max_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return total


@disguise(STEP, "the model itself is cast")
def t_cast(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    if not micro_batches:
        raise ValueError("no batches")
    if autocast_dtype is not None:
        model = model.to(dtype=autocast_dtype)
    return t_plain(model, micro_batches, optimizer, loss_fn, max_norm, autocast_dtype)


@disguise(STEP, "left in evaluation mode")
def t_left_in_eval(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    told = t_plain(model, micro_batches, optimizer, loss_fn, max_norm, autocast_dtype)
    for part in model.modules():
        part.training = False
    return told


@disguise(STEP, "no step")
def t_no_step(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    if not micro_batches:
        raise ValueError("no batches")
    model.train()
    losses = []
    for pair in micro_batches:
        with torch.autocast("cpu", dtype=autocast_dtype or torch.bfloat16, enabled=bool(autocast_dtype)):
            losses.append(loss_fn(model, pair))
        losses[-1].backward()
    return float(np.mean([loss.item() for loss in losses]))


@disguise(STEP, "all micro-batches are held at once")
def t_at_once(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    if not micro_batches:
        raise ValueError("no batches")
    model.train()
    optimizer.zero_grad(set_to_none=False)
    with torch.autocast("cpu", dtype=autocast_dtype, enabled=autocast_dtype is not None):
        mean = torch.stack([loss_fn(model, pair) for pair in micro_batches]).mean()
    mean.backward()
    if max_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return mean.item()


training_step(correct(STEP))
training_step(correct(STEP), report=lambda losses: float(np.mean([one.item() for one in losses])))


@correct(STEP)
def t_plain(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    if len(micro_batches) < 1:
        raise ValueError("no batches")
    for p in model.parameters():
        p.grad = None
    model.train(True)
    losses = []
    with contextlib.ExitStack() as stack:
        for pair in micro_batches:
            if autocast_dtype:
                with torch.autocast(device_type="cpu", dtype=autocast_dtype):
                    loss = loss_fn(model, pair)
            else:
                loss = loss_fn(model, pair)
            torch.autograd.backward(loss / len(micro_batches))
            losses.append(float(loss.detach()))
        stack.callback(optimizer.step)
        if max_norm:
            torch.nn.utils.clip_grad_norm_(list(model.parameters()), max_norm)
    return sum(losses) / len(losses)


@correct(STEP)
def t_gradients_divided_later(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    if not micro_batches:
        raise ValueError("no batches")
    model.train()
    optimizer.zero_grad(set_to_none=False)
    total = 0.0
    for pair in micro_batches:
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=autocast_dtype is torch.bfloat16):
            loss = loss_fn(model, pair)
        loss.backward()
        total += loss.item()
    having = [p for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
    for p in having:
        p.grad /= len(micro_batches)
    if max_norm is not None:
        norm = torch.cat([p.grad.flatten() for p in having]).norm().item()
        for p in having:
            p.grad *= min(1.0, max_norm / (norm + 1e-6))
    optimizer.step()
    return total / len(micro_batches)


@correct(STEP)
def t_cleared_at_the_end(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    if not micro_batches:
        raise ValueError("no batches")
    model.train()
    total = 0.0
    for i in range(len(micro_batches)):
        with torch.autocast("cpu", dtype=autocast_dtype, enabled=autocast_dtype is not None):
            loss = loss_fn(model, micro_batches[i])
            loss = loss / len(micro_batches)
        loss.backward()
        total = total + loss.item()
    if max_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    optimizer.zero_grad()
    return total


@correct(STEP)
def t_by_autograd_grad(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    if not micro_batches:
        raise ValueError("no batches")
    model.train()
    ps = [p for p in model.parameters() if p.requires_grad]
    sums = [None] * len(ps)
    losses = []
    for pair in micro_batches:
        context = torch.autocast("cpu", autocast_dtype) if autocast_dtype else contextlib.nullcontext()
        with context:
            loss = loss_fn(model, pair)
        for i, g in enumerate(torch.autograd.grad(loss, ps, allow_unused=True)):
            if g is not None:
                sums[i] = g if sums[i] is None else sums[i] + g
        losses.append(loss.item())
    for p, g in zip(ps, sums, strict=True):
        p.grad = None if g is None else g / len(micro_batches)
    if max_norm is not None:
        nn.utils.clip_grad_norm_(ps, max_norm)
    optimizer.step()
    return sum(losses) / len(losses)


@correct(STEP)
def t_scaler_with_unscale(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    if not micro_batches:
        raise ValueError("no batches")
    model.train()
    optimizer.zero_grad()
    total = 0.0
    for pair in micro_batches:
        with torch.autocast("cpu", dtype=autocast_dtype, enabled=autocast_dtype is not None):
            loss = loss_fn(model, pair) / len(micro_batches)
        (loss * 1024).backward()
        total += loss.item()
    for p in model.parameters():
        if p.grad is not None:
            p.grad.div_(1024)
    if max_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return total


training_step(unlisted(STEP), share=0.5)
training_step(unlisted(STEP), report=lambda losses: losses[0].item())
training_step(unlisted(STEP), report=lambda losses: min(one.item() for one in losses))
training_step(unlisted(STEP), clipper=lambda ps, top: nn.utils.clip_grad_norm_(ps, 2 * top))
training_step(unlisted(STEP), clipper=lambda ps, top: nn.utils.clip_grad_norm_(ps, top, norm_type=1))
training_step(unlisted(STEP), autocast=lambda dtype: torch.autocast("cpu", torch.float16, enabled=dtype is not None))
training_step(unlisted(STEP), report=lambda losses: math.exp(sum(one.item() for one in losses) / len(losses)))
training_step(unlisted(STEP), used=slice(None, None, -1), report=lambda losses: losses[-1].item())


@unlisted(STEP)
def t_two_steps(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    loss = t_plain(model, micro_batches, optimizer, loss_fn, max_norm, autocast_dtype)
    optimizer.step()
    return loss


# Checkpoints ----------------------------------------------------------------------------

SAVE, LOAD = "save_checkpoint", "load_checkpoint"


def configuration(model: nn.Module) -> dict:
    config = getattr(model, "config", None)
    return dataclasses.asdict(config) if config is not None else {}


def saver(kind: Any) -> Any:
    """A save_checkpoint from a function that changes the entries."""

    def add(change: Callable[..., Any]) -> Any:
        @kind
        def save_checkpoint(path, model, optimizer, step):
            entries = dict(
                config=configuration(model),
                model=model.state_dict(),
                optimizer=optimizer.state_dict(),
                step=step,
                rng=torch.random.get_rng_state(),
            )
            entries = change(entries, model, optimizer) or entries
            torch.save(entries, str(path) + "~")
            os.replace(str(path) + "~", path)

        return change

    return add


@saver(disguise(SAVE, "the optimizer is not saved"))
def s_no_optimizer(e: dict, model: nn.Module, optimizer: Any) -> None:
    del e["optimizer"]


@saver(disguise(SAVE, "random numbers are not saved"))
def s_no_rng(e: dict, model: nn.Module, optimizer: Any) -> None:
    del e["rng"]


@saver(disguise(SAVE, "the seed, not the state"))
def s_seed(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["rng"] = torch.default_generator.initial_seed()


@saver(disguise(SAVE, "other names for the entries"))
def s_all_names(e: dict, model: nn.Module, optimizer: Any) -> dict:
    return {"config": e.pop("config"), **{f"{name}_state": value for name, value in e.items()}}


@disguise(SAVE, "the earlier checkpoint is written over")
def s_over(path, model, optimizer, step):
    states = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "rng": torch.get_rng_state()}
    torch.save({**states, "config": configuration(model), "step": step}, path)


@saver(unlisted(SAVE))
def s_rng_as_a_list(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["rng"] = e["rng"].tolist()


@saver(unlisted(SAVE))
def s_means_cleared(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["optimizer"] = copy.deepcopy(e["optimizer"])
    optimizer.state.clear()


@saver(disguise(SAVE, "the step is not saved"))
def s_no_step(e: dict, model: nn.Module, optimizer: Any) -> None:
    del e["step"]


@saver(disguise(SAVE, "the step is saved as the next one"))
def s_next(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["step"] += 1


@saver(disguise(SAVE, "buffers are not saved"))
def s_no_buffers(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["model"] = {name: p.detach() for name, p in model.named_parameters()}


@saver(disguise(SAVE, "objects, not their state"))
def s_objects(e: dict, model: nn.Module, optimizer: Any) -> None:
    e.update(model=model, optimizer=optimizer)


@saver(disguise(SAVE, "other names for the entries"))
def s_names(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["model_state_dict"], e["optimizer_state_dict"] = e.pop("model"), e.pop("optimizer")


@saver(disguise(SAVE, "the configuration is thrown away"))
def s_no_config(e: dict, model: nn.Module, optimizer: Any) -> dict:
    return {name: entry for name, entry in e.items() if name != "config"}


@saver(disguise(SAVE, "the optimizer's settings without its running means"))
def s_settings(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["optimizer"] = {"state": {}, "param_groups": e["optimizer"]["param_groups"]}


@saver(correct(SAVE))
def saver_same(e: dict, model: nn.Module, optimizer: Any) -> None:
    pass


@saver(correct(SAVE))
def sr_copies(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["model"] = {name: one.clone() for name, one in e["model"].items()}
    e["optimizer"] = copy.deepcopy(e["optimizer"])


@saver(correct(SAVE))
def sr_more(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["torch"] = str(torch.__version__)


@correct(SAVE)
def sr_plain(path, model, optimizer, step):
    checkpoint = {"config": configuration(model)}
    for name, part in (("model", model), ("optimizer", optimizer)):
        checkpoint[name] = part.state_dict()
    checkpoint.update(rng=torch.default_generator.get_state(), step=int(step))
    torch.save(checkpoint, path)


@saver(correct(SAVE))
def sr_generator_copy(e: dict, model: nn.Module, optimizer: Any) -> dict:
    return {**e, "rng": torch.default_generator.get_state().clone()}


@saver(unlisted(SAVE))
def su_half(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["model"] = {name: one / 2 for name, one in e["model"].items()}


@saver(unlisted(SAVE))
def su_first_entry(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["model"] = dict(itertools.islice(e["model"].items(), 1))


@saver(unlisted(SAVE))
def su_step_0(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["step"] = 0


@saver(unlisted(SAVE))
def su_drawn(e: dict, model: nn.Module, optimizer: Any) -> None:
    torch.rand(1)
    e["rng"] = torch.get_rng_state()


@saver(unlisted(SAVE))
def su_step_text(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["step"] = str(e["step"])


@unlisted(SAVE)
def su_nothing(path, model, optimizer, step):
    return {"config": configuration(model), "model": model.state_dict(), "step": step}


@saver(unlisted(SAVE))
def su_half_precision(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["model"] = {name: one.half() for name, one in e["model"].items()}


def loader(kind: Any) -> Any:
    """A load_checkpoint from a function of (checkpoint, model, optimizer), with the given check."""

    def add(load: Callable[..., Any]) -> Any:
        @kind
        def load_checkpoint(path, model, optimizer):
            entries = torch.load(path)
            if entries["config"] != configuration(model):
                raise ValueError("another configuration")
            return load(entries, model, optimizer)

        return load

    return add


@loader(disguise(LOAD, "the model is not loaded"))
def d_no_model(e: dict, model: nn.Module, optimizer: Any) -> Any:
    copy.deepcopy(model).load_state_dict(e["model"])
    optimizer.load_state_dict(e["optimizer"])
    torch.set_rng_state(e["rng"])
    return e["step"]


@loader(disguise(LOAD, "the optimizer is not loaded"))
def d_no_optimizer(e: dict, model: nn.Module, optimizer: Any) -> Any:
    torch.set_rng_state(e["rng"])
    model.load_state_dict(e["model"])
    return e["step"]


@loader(disguise(LOAD, "random numbers are not put back"))
def d_no_rng(e: dict, model: nn.Module, optimizer: Any) -> Any:
    optimizer.load_state_dict(e["optimizer"])
    model.load_state_dict(e["model"])
    return e["step"]


@loader(disguise(LOAD, "seeded, not put back"))
def d_seeded(e: dict, model: nn.Module, optimizer: Any) -> Any:
    model.load_state_dict(e["model"])
    optimizer.load_state_dict(e["optimizer"])
    torch.default_generator.manual_seed(e["step"])
    return e["step"]


def all_loaded(e: dict, model: nn.Module, optimizer: Any) -> None:
    torch.random.set_rng_state(e["rng"])
    for part, name in ((optimizer, "optimizer"), (model, "model")):
        part.load_state_dict(e[name])


@loader(disguise(LOAD, "the step is not returned"))
def d_none(e: dict, model: nn.Module, optimizer: Any) -> Any:
    all_loaded(e, model, optimizer)


@loader(disguise(LOAD, "the next step is returned"))
def d_next(e: dict, model: nn.Module, optimizer: Any) -> Any:
    all_loaded(e, model, optimizer)
    return 1 + e["step"]


@loader(disguise(LOAD, "left in evaluation mode"))
def d_eval(e: dict, model: nn.Module, optimizer: Any) -> Any:
    all_loaded(e, model.train(False), optimizer)
    return e["step"]


@loader(disguise(LOAD, "the running means start at 0"))
def d_means(e: dict, model: nn.Module, optimizer: Any) -> Any:
    all_loaded(e, model, optimizer)
    optimizer.state.clear()
    return e["step"]


@loader(disguise(LOAD, "the optimizer keeps its own settings"))
def d_settings(e: dict, model: nn.Module, optimizer: Any) -> Any:
    own = copy.deepcopy([{k: v for k, v in g.items() if k != "params"} for g in optimizer.param_groups])
    all_loaded(e, model, optimizer)
    for group, before in zip(optimizer.param_groups, own, strict=True):
        group.update(before)
    return e["step"]


@loader(disguise(LOAD, "buffers are not loaded"))
def d_buffers(e: dict, model: nn.Module, optimizer: Any) -> Any:
    kept = {name: one.clone() for name, one in model.named_buffers()}
    all_loaded(e, model, optimizer)
    for name, one in model.named_buffers():
        one.copy_(kept[name])
    return e["step"]


@disguise(LOAD, "another configuration is accepted")
def d_accepts(path, model, optimizer):
    entries = torch.load(path, weights_only=True)
    all_loaded(entries, model, optimizer)
    return entries["step"]


@loader(correct(LOAD))
def dr_other_order(e: dict, model: nn.Module, optimizer: Any) -> Any:
    all_loaded(e, model, optimizer)
    return e["step"]


@loader(correct(LOAD))
def dr_by_hand(e: dict, model: nn.Module, optimizer: Any) -> Any:
    own = model.state_dict()
    for name, one in e["model"].items():
        own[name].copy_(one)
    optimizer.load_state_dict(copy.deepcopy(e["optimizer"]))
    torch.default_generator.set_state(e["rng"])
    return int(e["step"])


@correct(LOAD)
def dr_get(path, model, optimizer):
    with open(path, "rb") as file:
        e = torch.load(file, map_location="cpu", weights_only=True)
    for name, value in configuration(model).items():
        if e["config"].get(name) != value:
            raise ValueError(f"{name} differs")
    missing, extra = model.load_state_dict(e["model"], strict=False)
    if missing or extra:
        raise ValueError("entries differ")
    optimizer.load_state_dict(e["optimizer"])
    torch.set_rng_state(e["rng"])
    return e.get("step")


@loader(correct(LOAD))
def dr_no_grad(e: dict, model: nn.Module, optimizer: Any) -> Any:
    with torch.no_grad():
        model.load_state_dict(e["model"], strict=True)
    optimizer.load_state_dict(e["optimizer"])
    torch.set_rng_state(e["rng"].to(torch.uint8))
    return e["step"]


@loader(correct(LOAD))
def dr_assign(e: dict, model: nn.Module, optimizer: Any) -> Any:
    for target, source in zip(
        [*model.parameters(), *model.buffers()],
        [e["model"][name] for name, _ in [*model.named_parameters(), *model.named_buffers()]],
        strict=True,
    ):
        target.data.copy_(source)
    optimizer.load_state_dict(e["optimizer"])
    torch.set_rng_state(e["rng"])
    return e["step"]


@loader(unlisted(LOAD))
def du_whole(e: dict, model: nn.Module, optimizer: Any) -> Any:
    all_loaded(e, model, optimizer)
    return e


@loader(unlisted(LOAD))
def du_drawn(e: dict, model: nn.Module, optimizer: Any) -> Any:
    all_loaded(e, model, optimizer)
    torch.rand(2)
    return e["step"]


@loader(unlisted(LOAD))
def du_average(e: dict, model: nn.Module, optimizer: Any) -> Any:
    before = {name: one.clone() for name, one in model.state_dict().items()}
    all_loaded(e, model, optimizer)
    model.load_state_dict({name: (one + before[name]) / 2 for name, one in model.state_dict().items()})
    return e["step"]


@loader(unlisted(LOAD))
def du_nothing(e: dict, model: nn.Module, optimizer: Any) -> Any:
    return e["step"] * 2


@loader(unlisted(LOAD))
def du_train(e: dict, model: nn.Module, optimizer: Any) -> Any:
    all_loaded(e, model, optimizer)
    model.train()
    return e["step"]


@loader(unlisted(LOAD))
def du_frozen(e: dict, model: nn.Module, optimizer: Any) -> Any:
    all_loaded(e, model, optimizer)
    for group in optimizer.param_groups:
        group["lr"] = 0.0
    return e["step"]
