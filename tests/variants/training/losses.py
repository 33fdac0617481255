"""The decoder's input and the loss."""

import math
from collections.abc import Callable
from typing import Any

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
