"""Lesson 19: joint_loss."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted

LOSS = "joint_loss"


def asked(labels: Tensor, weight: float, pad_id: int, eos_id: int) -> Tensor:
    """What CTC is asked for, and the given ValueError."""
    tokens = ~torch.isin(labels, torch.tensor([pad_id, eos_id]))
    if weight < 0 or weight > 1 or not tokens.any():
        raise ValueError("weight or tokens")
    return tokens


def text_by_text(
    logits: Any, ctc_log_probs: Any, labels: Any, mask: Any, weight: float, pad_id: int, eos_id: int
) -> Any:
    tokens = asked(labels, weight, pad_id, eos_id)
    ce_sum, ce_count = logits.new_tensor(0.0), 0
    ctc_sum, ctc_count = logits.new_tensor(0.0), 0
    for row in range(len(labels)):
        wanted = labels[row] != pad_id
        ce_sum = ce_sum - logits[row].log_softmax(-1)[torch.arange(len(wanted)), labels[row]][wanted].sum()
        ce_count = ce_count + int(wanted.sum())
        text = labels[row][tokens[row]]
        heard = ctc_log_probs[row][mask[row]].unsqueeze(1)
        sizes = torch.tensor([len(heard)]), torch.tensor([len(text)])
        ctc_sum = ctc_sum + F.ctc_loss(heard, text[None], *sizes, blank=pad_id, reduction="none").sum()
        ctc_count = ctc_count + len(text)
    return (1 - weight) * ce_sum / ce_count + weight * ctc_sum / ctc_count


slips(
    LOSS,
    text_by_text,
    {
        "CTC's sum beside a mean": {"ctc_sum / ctc_count": "ctc_sum"},
        "CTC for each text": {"ctc_sum / ctc_count": "ctc_sum / len(labels)"},
        "the weights are exchanged": {
            "(1 - weight) * ce_sum": "weight * ce_sum",
            "+ weight * ctc_sum": "+ (1 - weight) * ctc_sum",
        },
        "the cross-entropy keeps its full weight": {"(1 - weight) * ce_sum": "ce_sum"},
        "the decoder is asked for padding": {"wanted = labels[row] != pad_id": "wanted = labels[row] >= 0"},
        "CTC is asked for the end token": {"text = labels[row][tokens[row]]": "text = labels[row][wanted]"},
        "CTC reads the padding of the sounds": {
            "ctc_log_probs[row][mask[row]].unsqueeze(1)": "ctc_log_probs[row].unsqueeze(1)"
        },
        "the cross-entropy is a sum": {"ce_sum / ce_count": "ce_sum"},
        "the blank is taken to be 0": {"blank=pad_id, ": ""},
        "the end tokens count for CTC": {"ctc_sum / ctc_count": "ctc_sum / ce_count"},
        "CTC as a mean of the texts' means": {
            'reduction="none").sum()': 'reduction="mean") / len(labels)',
            "ctc_sum / ctc_count": "ctc_sum",
        },
    },
)


def padded_targets(
    logits: Any, ctc_log_probs: Any, labels: Any, mask: Any, weight: float, pad_id: int, eos_id: int
) -> Any:
    tokens = asked(labels, weight, pad_id, eos_id)
    flat = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=pad_id)
    real, count = mask.long().sum(-1), tokens.long().sum(-1)
    each = F.ctc_loss(ctc_log_probs.permute(1, 0, 2), labels, real, count, pad_id, "none")
    return flat - weight * flat + each.sum() * weight / count.sum()


slips(
    LOSS,
    padded_targets,
    {
        "CTC's sum beside a mean": {" / count.sum()": ""},
        "CTC for each text": {" / count.sum()": " / len(count)"},
        "the cross-entropy keeps its full weight": {"flat - weight * flat": "flat"},
        "the decoder is asked for padding": {", ignore_index=pad_id)": ")"},
        "CTC as a mean of the texts' means": {"each.sum() * weight / count.sum()": "(each / count).mean() * weight"},
        "CTC is asked for the end token": {
            "tokens.long().sum(-1)": "(labels != pad_id).long().sum(-1)",
            " / count.sum()": " / tokens.sum()",
        },
        "CTC reads the padding of the sounds": {"mask.long().sum(-1)": "torch.full((len(mask),), mask.size(1))"},
        "the blank is taken to be 0": {"real, count, pad_id,": "real, count, 0,"},
    },
)


def by_gathering(
    logits: Any, ctc_log_probs: Any, labels: Any, mask: Any, weight: float, pad_id: int, eos_id: int
) -> Any:
    tokens = asked(labels, weight, pad_id, eos_id)
    picked = torch.gather(F.log_softmax(logits, dim=-1), -1, labels[:, :, None])[:, :, 0]
    first = -picked[labels != pad_id].mean()
    second = F.ctc_loss(
        ctc_log_probs.swapaxes(0, 1),
        labels.masked_select(tokens),
        mask.sum(1),
        tokens.sum(1),
        blank=pad_id,
        reduction="sum",
    )
    total = torch.stack([first, second / tokens.sum()])
    return (total * torch.tensor([1 - weight, weight], dtype=total.dtype)).sum()


slips(
    LOSS,
    by_gathering,
    {
        "CTC's sum beside a mean": {"second / tokens.sum()": "second"},
        "the weights are exchanged": {"[1 - weight, weight]": "[weight, 1 - weight]"},
        "the cross-entropy keeps its full weight": {"[1 - weight, weight]": "[1.0, weight]"},
        "the cross-entropy is a sum": {"[labels != pad_id].mean()": "[labels != pad_id].sum()"},
        "the end tokens count for CTC": {"second / tokens.sum()": "second / (labels != pad_id).sum()"},
        "the decoder is asked for padding": {"picked[labels != pad_id].mean()": "picked.mean()"},
        "the blank is taken to be 0": {"        blank=pad_id,\n": ""},
    },
)


def weighed(pieces: Any = None, first: Any = None, second: Any = None, mixed: Any = None) -> Any:
    """Two losses with some steps written otherwise."""

    def joint_loss(
        logits: Any, ctc_log_probs: Any, labels: Any, mask: Any, weight: float, pad_id: int, eos_id: int
    ) -> Any:
        tokens = asked(labels, weight, pad_id, eos_id)
        rows = [
            row[keep]
            for row, keep in zip(labels, (pieces or (lambda t, labels, p: t))(tokens, labels, pad_id), strict=True)
        ]
        of_row = []
        for heard, real, row in zip(ctc_log_probs, mask, rows, strict=True):
            vectors, blank = (second or (lambda h, r, p: (h[r], p)))(heard, real, pad_id)
            sizes = torch.tensor(len(vectors)), torch.tensor(len(row))
            of_row.append(F.ctc_loss(vectors, row, *sizes, blank=blank, reduction="sum"))
        ce = F.cross_entropy(logits.mT, labels, reduction="none")
        ce = (first or (lambda ce, labels, p: ce[labels != p].mean()))(ce, labels, pad_id)
        sums = torch.stack(of_row), tokens, labels != pad_id
        return (mixed or (lambda ce, ctc, t, a, w: (1 - w) * ce + w * ctc.sum() / t.sum()))(ce, *sums, weight)

    return joint_loss


correct(LOSS)(weighed())
disguise(LOSS, "CTC's sum beside a mean")(weighed(mixed=lambda ce, ctc, t, a, w: (1 - w) * ce + w * ctc.sum()))
disguise(LOSS, "CTC for each text")(weighed(mixed=lambda ce, ctc, t, a, w: (1 - w) * ce + w * ctc.mean()))
disguise(LOSS, "CTC as a mean of the texts' means")(
    weighed(mixed=lambda ce, ctc, t, a, w: (1 - w) * ce + w * (ctc / t.sum(1).clamp(min=1)).mean())
)
disguise(LOSS, "the weights are exchanged")(
    weighed(mixed=lambda ce, ctc, t, a, w: w * ce + (1 - w) * ctc.sum() / t.sum())
)
disguise(LOSS, "the cross-entropy keeps its full weight")(
    weighed(mixed=lambda ce, ctc, t, a, w: ce + w * ctc.sum() / t.sum())
)
disguise(LOSS, "the decoder is asked for padding")(weighed(first=lambda ce, labels, pad: ce.mean()))
disguise(LOSS, "the decoder is not asked for the end")(
    weighed(first=lambda ce, labels, pad: ce[(labels != pad) & (labels != 1)].mean())
)
disguise(LOSS, "the cross-entropy is a sum")(weighed(first=lambda ce, labels, pad: ce[labels != pad].sum()))
disguise(LOSS, "CTC is asked for the end token")(weighed(pieces=lambda t, labels, pad: labels != pad))
disguise(LOSS, "CTC is asked for the end token")(
    weighed(
        pieces=lambda t, labels, pad: labels != pad,
        mixed=lambda ce, ctc, t, a, w: (1 - w) * ce + w * ctc.sum() / a.sum(),
    )
)
disguise(LOSS, "CTC reads the padding of the sounds")(weighed(second=lambda heard, real, pad: (heard, pad)))
disguise(LOSS, "the blank is taken to be 0")(weighed(second=lambda heard, real, pad: (heard[real], 0)))
disguise(LOSS, "the end tokens count for CTC")(
    weighed(mixed=lambda ce, ctc, t, a, w: (1 - w) * ce + w * ctc.sum() / a.sum())
)
disguise(LOSS, "a loss with the wrong sign")(
    weighed(mixed=lambda ce, ctc, t, a, w: (1 - w) * ce - w * ctc.sum() / t.sum())
)
disguise(LOSS, "the weight is not used")(weighed(mixed=lambda ce, ctc, t, a, w: ctc.sum() / t.sum() + ce))
disguise(LOSS, "the weight is not used")(weighed(mixed=lambda ce, ctc, t, a, w: ce))
disguise(LOSS, "CTC of the last text alone")(
    weighed(mixed=lambda ce, ctc, t, a, w: (1 - w) * ce + w * ctc[len(ctc) - 1] / t.sum())
)
disguise(LOSS, "repeats are merged in the text")(
    weighed(pieces=lambda t, labels, p: t & labels.diff(dim=1, prepend=labels[:, :1] + 1).bool())
)
disguise(LOSS, "a text without a token is left out")(
    weighed(mixed=lambda ce, ctc, t, a, w: (1 - w) * ce + w * (ctc * (t.sum(1) > 0)).sum() / t.sum())
)
disguise(LOSS, "no single tensor")(
    weighed(mixed=lambda ce, ctc, t, a, w: float((1 - w) * ce + w * ctc.sum() / t.sum()))
)
disguise(LOSS, "CTC of a text that is cut")(weighed(pieces=lambda t, labels, p: t & (t.cumsum(1) > 1)))
disguise(LOSS, "CTC of a text that is cut")(weighed(pieces=lambda t, labels, p: t & (t.cumsum(1) < t.sum(1)[:, None])))
for share in (
    lambda ctc, t: ctc[0] / t.sum(),
    lambda ctc, t: ctc[0] / t[0].sum(),
    lambda ctc, t: ctc[-1] / t[-1].sum().clamp(min=1),
):
    disguise(LOSS, "CTC of the last text alone")(
        weighed(mixed=lambda ce, ctc, t, a, w, share=share: torch.lerp(ce, share(ctc, t), w))
    )
for share in (lambda ctc, t: ctc.sum() / max(t.sum(1)), lambda ctc, t: ctc.mean() / max(t.sum(1))):
    disguise(LOSS, "CTC for each text")(
        weighed(mixed=lambda ce, ctc, t, a, w, share=share: torch.lerp(ce, share(ctc, t), w))
    )
for share in (
    lambda ctc, t: ctc.mean() / t.sum(),
    lambda ctc, t: sum(one / max(1, int(n)) for one, n in zip(ctc, t.sum(1), strict=True)) / t.sum(),
):
    disguise(LOSS, "CTC is divided twice")(
        weighed(mixed=lambda ce, ctc, t, a, w, share=share: torch.lerp(ce, share(ctc, t), w))
    )
disguise(LOSS, "the weights are exchanged")(
    weighed(mixed=lambda ce, ctc, t, a, w: (ce + ctc.sum() / t.sum() * w) * (1 - w))
)
disguise(LOSS, "the weight is not used")(weighed(mixed=lambda ce, ctc, t, a, w: ce - w + w * ctc.sum() / t.sum()))
disguise(LOSS, "half of the loss")(
    weighed(mixed=lambda ce, ctc, t, a, w: torch.stack([ce - w * ce, w * ctc.sum() / t.sum()]).mean())
)
disguise(LOSS, "no single tensor")(
    weighed(mixed=lambda ce, ctc, t, a, w: torch.stack([ce - w * ce, w * ctc.sum() / t.sum()]))
)
for of_all in (
    lambda ce, labels, pad: ce[-1][labels[-1] != pad].mean(),
    lambda ce, labels, pad: ce[0][labels[0] != pad].sum() / (labels != pad).sum(),
):
    disguise(LOSS, "the cross-entropy of one text alone")(weighed(first=of_all))
disguise(LOSS, "the cross-entropy is divided by something else")(
    weighed(first=lambda ce, labels, pad: sum(row[its != pad].mean() for row, its in zip(ce, labels, strict=True)))
)
disguise(LOSS, "the decoder is asked for padding")(
    weighed(first=lambda ce, labels, pad: ce.sum() / (labels != pad).sum())
)
disguise(LOSS, "the decoder is not asked for the end")(
    weighed(first=lambda ce, labels, pad: ce[labels != 1].sum() / (labels != pad).sum())
)


@disguise(LOSS, "CTC's texts backwards")
def from_the_end(
    logits: Any, ctc_log_probs: Any, labels: Any, mask: Any, weight: float, pad_id: int, eos_id: int
) -> Any:
    asked(labels, weight, pad_id, eos_id)
    turned = labels.clone()
    for row in turned:
        count = int((~torch.isin(row, torch.tensor([pad_id, eos_id]))).sum())
        row[:count] = row[:count].flip(0)
    written = text_by_text(logits, ctc_log_probs, labels, mask, 0.0, pad_id, eos_id)
    heard = text_by_text(logits, ctc_log_probs, turned, mask, 1.0, pad_id, eos_id)
    return torch.lerp(written, heard, weight)


unlisted(LOSS)(weighed(mixed=lambda ce, ctc, t, a, w: (1 - w) * ce + w * (ctc.sum() / t.sum()) ** 2))
unlisted(LOSS)(weighed(mixed=lambda ce, ctc, t, a, w: ce * ctc.sum() / t.sum()))
unlisted(LOSS)(weighed(first=lambda ce, labels, pad: ce.amax()))
