"""Room 5: ways of taking the loss of some places alone."""

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.probing.lineup import right, wrong


def each(logits: Tensor, labels: Tensor) -> Tensor:
    return F.cross_entropy(logits.movedim(-1, 1), labels, reduction="none")


@right("picks the places first")
def picks_first(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    if not asked.any():
        return logits.sum() * 0
    return F.cross_entropy(logits[asked], labels[asked])


@right("gives all other places a label that is ignored")
def ignored_label(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    wanted = torch.where(asked, labels, -1)
    total = F.cross_entropy(logits.flatten(0, 1), wanted.flatten(), ignore_index=-1, reduction="sum")
    return total / asked.sum().clamp(min=1)


@right("gathers log-probabilities")
def gathered(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    logs = logits.log_softmax(-1).gather(-1, labels.unsqueeze(-1)).squeeze(-1)
    return -(logs * asked).sum() / max(int(asked.sum()), 1)


@right("weighs every place with 1 / n")
def weighed(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    weights = asked.to(logits.dtype)
    weights = weights / weights.sum().clamp_min(1.0)
    return torch.einsum("bs,bs->", each(logits, labels), weights)


@right("goes place by place")
def in_loops(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    total, count = logits.new_zeros(()), 0
    for row in range(len(logits)):
        for place in range(logits.size(1)):
            if asked[row, place]:
                scores = logits[row, place]
                total = total + scores.logsumexp(0) - scores[labels[row, place]]
                count += 1
    return total / count if count else total


@right("sets all other losses to 0 with `where`")
def by_where(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    losses = torch.where(asked, each(logits, labels), 0.0)
    return losses.sum() / asked.count_nonzero().clamp(min=1)


@right("takes the mean of a masked selection, and 0 for NaN")
def selected(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    found = each(logits, labels).masked_select(asked)
    return found.mean() if len(found) else found.sum()


@right("weighs the rows' means by how much is asked in each")
def by_rows(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    counts = asked.sum(1)
    means = (each(logits, labels) * asked).sum(1) / counts.clamp(min=1)
    return (means * counts).sum() / counts.sum().clamp(min=1)


@right("subtracts what is not asked from the whole")
def subtracted(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    losses = each(logits, labels).double()
    total = losses.sum() - losses[~asked].sum()
    return (total / asked.sum().clamp(min=1)).to(logits.dtype)


# Wrong ----------------------------------------------------------------------------


@wrong("multiplies a mean with a mask, and takes its mean over the mask", mistake="the mask does nothing")
def mean_first(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    loss = F.cross_entropy(logits.movedim(-1, 1), labels)
    return (loss * asked).sum() / asked.sum().clamp(min=1)


@wrong("never uses the mask, but for saying 0 where nothing is asked", mistake="the mask does nothing")
def unused(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten()) * asked.any()


@wrong(
    "masks logits and labels with 0, and asks all places",
    mistake="what is not asked counts as a uniform guess",
    kin=True,
)
def zero_logits(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    return F.cross_entropy((logits * asked[..., None]).movedim(-1, 1), labels * asked)


@wrong("takes the mean of masked losses over all places", mistake="divided by all places", kin=True)
def over_all(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    return (each(logits, labels) * asked).sum() / labels.numel()


@wrong("divides by the number of rows", mistake="divided by the rows", kin=True)
def over_rows(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    return (each(logits, labels) * asked).sum(1).mean()


@wrong("gives every row the same weight, however little is asked in it", mistake="a mean of means", kin=True)
def rows_alike(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    losses = each(logits, labels)
    means = [(one * row).sum() / row.sum().clamp(min=1) for one, row in zip(losses, asked, strict=True)]
    return torch.stack(means).mean()


@wrong("gives rows in which something is asked the same weight", mistake="a mean of means")
def rows_that_count(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    losses = each(logits, labels)
    means = [one[row].mean() for one, row in zip(losses, asked, strict=True) if row.any()]
    return torch.stack(means).mean() if means else losses.sum() * 0


@wrong("asks what is not to be asked", mistake="the mask upside down", kin=True)
def others(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    rest = ~asked
    return (each(logits, labels) * rest).sum() / rest.sum().clamp(min=1)


@wrong("adds up and does not divide", mistake="a sum")
def summed(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    return each(logits, labels)[asked].sum()


@wrong("is NaN where nothing is asked", mistake="NaN where nothing is asked")
def empty_mean(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    return (each(logits, labels) * asked).sum() / asked.sum()


@wrong("asks one place further on")
def one_further(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    later = asked.roll(1, dims=1)
    return (each(logits, labels) * later).sum() / later.sum().clamp(min=1)


@wrong("takes the first row's mask for all rows", kin=True)
def first_mask(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    mask = asked[:1].expand_as(asked)
    return (each(logits, labels) * mask).sum() / mask.sum().clamp(min=1)


@wrong("counts how many are asked in the first row")
def count_of_the_first(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    return (each(logits, labels) * asked).sum() / (asked[0].sum() * len(asked)).clamp(min=1)


@wrong("divides by one more than there are")
def one_too_many(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    return (each(logits, labels) * asked).sum() / (asked.sum() + 1)
