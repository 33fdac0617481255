"""Room 2: ways of asking a model for the next token."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.probing.lineup import right, wrong


@right("gives the model whole rows and drops the last place's logits")
def drops_the_last(model: Any, ids: Tensor) -> Tensor:
    logits = model(ids)[:, :-1]
    return F.cross_entropy(logits.reshape(-1, logits.size(-1)), ids[:, 1:].reshape(-1))


@right("puts the vocabulary in the second dimension")
def second_dimension(model: Any, ids: Tensor) -> Tensor:
    return F.cross_entropy(model(ids[:, :-1]).mT, ids[:, 1:])


@right("rolls the ids, and ignores the last place")
def rolled(model: Any, ids: Tensor) -> Tensor:
    asked = ids.roll(-1, dims=1).clone()
    asked[:, -1] = -100
    return F.cross_entropy(model(ids).flatten(0, 1), asked.flatten(), ignore_index=-100)


@right("picks log-probabilities")
def picked(model: Any, ids: Tensor) -> Tensor:
    logs = torch.log_softmax(model(ids), dim=-1)
    return -logs[:, :-1].gather(2, ids[:, 1:].unsqueeze(2)).mean()


@right("goes row by row and place by place")
def in_loops(model: Any, ids: Tensor) -> Tensor:
    losses = []
    for row in ids:
        logits = model(row[None])[0]
        losses += [logits[at].logsumexp(0) - logits[at, row[at + 1]] for at in range(len(row) - 1)]
    return torch.stack(losses).mean()


@right("calls the model anew for every beginning of a row")
def beginnings(model: Any, ids: Tensor) -> Tensor:
    losses = [F.cross_entropy(model(ids[:, :end])[:, -1], ids[:, end]) for end in range(1, ids.size(1))]
    return sum(losses[1:], losses[0]) / len(losses)


@right("multiplies with one-hot rows, in double precision")
def one_hot(model: Any, ids: Tensor) -> Tensor:
    logs = model(ids[:, :-1]).double().log_softmax(-1)
    wanted = F.one_hot(ids[:, 1:], logs.size(-1)).double()
    return -(logs * wanted).sum(-1).mean().float()


@right("divides a sum by its count")
def sum_by_count(model: Any, ids: Tensor) -> Tensor:
    asked = ids[:, 1:]
    return F.nll_loss(model(ids)[:, :-1].log_softmax(-1).transpose(1, 2), asked, reduction="sum") / asked.numel()


@right("cuts logits and ids by narrow")
def narrowed(model: Any, ids: Tensor) -> Tensor:
    count = ids.size(1) - 1
    logits, asked = model(ids).narrow(1, 0, count), ids.narrow(1, 1, count)
    return F.cross_entropy(logits.movedim(-1, 1), asked)


# Wrong ----------------------------------------------------------------------------


def next_ones(ids: Tensor) -> Tensor:
    return F.pad(ids[:, 1:], (0, 1), value=-100)


@wrong("shifts labels that are shifted, and ignores what is left over", mistake="shifted twice")
def again(model: Any, ids: Tensor) -> Tensor:
    labels = next_ones(ids)
    return F.cross_entropy(model(ids)[:, :-1].flatten(0, 1), labels[:, 1:].flatten(), ignore_index=-100)


@wrong("cuts two places off the logits and off the ids", mistake="shifted twice")
def two_places(model: Any, ids: Tensor) -> Tensor:
    return F.cross_entropy(model(ids)[:, :-2].mT, ids[:, 2:])


@wrong(
    "makes one row of all rows first, shifts in the loader and in the loss",
    mistake="shifted twice + one row's end asks for another's beginning",
    kin=True,
)
def flat_and_again(model: Any, ids: Tensor) -> Tensor:
    logits, labels = model(ids)[:, :-1].flatten(0, 1), ids[:, 1:].flatten()
    return F.cross_entropy(logits[:-1], labels[1:])


@wrong(
    "shifts the flat ids, so that a row's end asks for the next row's beginning",
    mistake="one row's end asks for another's beginning",
    kin=True,
)
def flat_ids(model: Any, ids: Tensor) -> Tensor:
    logits = model(ids)
    return F.cross_entropy(logits.reshape(-1, logits.size(-1))[:-1], ids.reshape(-1)[1:])


@wrong("asks for the token before", mistake="shifted backwards", kin=True)
def before(model: Any, ids: Tensor) -> Tensor:
    return F.cross_entropy(model(ids)[:, 1:].mT, ids[:, :-1])


@wrong("asks for what is read", mistake="not shifted at all")
def what_is_read(model: Any, ids: Tensor) -> Tensor:
    inputs = ids[:, :-1]
    return F.cross_entropy(model(inputs).flatten(0, 1), inputs.flatten())


@wrong("asks the last place for the first token of the row", mistake="the last place is asked too", kin=True)
def in_a_ring(model: Any, ids: Tensor) -> Tensor:
    return F.cross_entropy(model(ids).flatten(0, 1), ids.roll(-1, dims=1).flatten())


@wrong("takes id 0 for padding", mistake="id 0 is left out")
def zero_is_padding(model: Any, ids: Tensor) -> Tensor:
    return F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten(), ignore_index=0)


@wrong("gives the loss probabilities instead of logits", mistake="softmax before the loss")
def probabilities(model: Any, ids: Tensor) -> Tensor:
    return F.cross_entropy(model(ids)[:, :-1].softmax(-1).flatten(0, 1), ids[:, 1:].flatten())


@wrong("adds up each row and takes the mean of the rows", mistake="a sum, or another mean")
def row_sums(model: Any, ids: Tensor) -> Tensor:
    losses = F.cross_entropy(model(ids)[:, :-1].mT, ids[:, 1:], reduction="none")
    return losses.sum(1).mean()


@wrong("divides by the number of all tokens, the first ones too", mistake="a sum, or another mean")
def by_all_tokens(model: Any, ids: Tensor) -> Tensor:
    losses = F.cross_entropy(model(ids)[:, :-1].mT, ids[:, 1:], reduction="none")
    return losses.sum() / ids.numel()


@wrong("asks the last two places alone")
def last_ones(model: Any, ids: Tensor) -> Tensor:
    return F.cross_entropy(model(ids)[:, :-1][:, -2:].mT, ids[:, -2:] if ids.size(1) > 2 else ids[:, 1:])


@wrong("leaves the first row out")
def first_row_missing(model: Any, ids: Tensor) -> Tensor:
    rows = ids[1:] if len(ids) > 1 else ids[:, :1].expand(-1, 2)
    return F.cross_entropy(model(rows)[:, :-1].flatten(0, 1), rows[:, 1:].flatten())


@wrong("measures in bits")
def in_bits(model: Any, ids: Tensor) -> Tensor:
    return F.cross_entropy(model(ids)[:, :-1].mT, ids[:, 1:]) / torch.log(torch.tensor(2.0))


@wrong(
    "cuts the first place off the logits, and not the last",
    mistake="not shifted at all",
    kin=True,
)
def first_place_cut(model: Any, ids: Tensor) -> Tensor:
    return F.cross_entropy(model(ids)[:, 1:].mT, ids[:, 1:])
