"""Lesson 19: what adversaries have written and no list had; CTC, losses and errors."""

import itertools
from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.stand_ins.hearing import ctc_greedy, edit_distance
from tests.variants import disguise, unlisted
from tests.variants.hearing import distances, losses, paths, rates

GREEDY, CTC, JOINT, EDITS, RATE = "ctc_greedy", "ctc_loss", "joint_loss", "edit_distance", "error_rate"

# ctc_greedy ----------------------------------------------------------------------------


def until_a_blank(row: list[int], blank: int) -> list[int]:
    merged = []
    for token in row:
        if token == blank:
            break
        if token not in merged[-1:]:
            merged.append(token)
    return merged


disguise(GREEDY, "the first blank ends the text")(paths.read(merge=until_a_blank))
disguise(GREEDY, "the mask is turned round")(paths.read(real=lambda row, n: row[n:]))
disguise(GREEDY, "the padding becomes token 0")(paths.read(real=lambda row, n: row[:n] + [0] * (len(row) - n)))
disguise(GREEDY, "tensors instead of numbers")(
    paths.read(drop=lambda row, blank: [torch.tensor(one) for one in row if one != blank])
)


@disguise(GREEDY, "all texts in one list")
def g_one_list(log_probs: Tensor, mask: Tensor, blank: int) -> list[int]:
    return [token for text in paths.with_groups(log_probs, mask, blank) for token in text]


@disguise(GREEDY, "one text alone")
def g_first(log_probs: Tensor, mask: Tensor, blank: int) -> list[list[int]]:
    return paths.with_a_memory(log_probs[:1], mask[:1], blank)


# ctc_loss ----------------------------------------------------------------------------


@disguise(CTC, "the first vector counts twice")
def l_twice(log_probs: Tensor, target: Tensor, blank: int) -> Tensor:
    return paths.state_by_state(torch.cat([log_probs[:1], log_probs]), target, blank)


@disguise(CTC, "the last vector is left out")
def l_too_short(log_probs: Tensor, target: Tensor, blank: int) -> Tensor:
    return paths.state_by_state(log_probs[:-1] if len(log_probs) > 1 else log_probs, target, blank)


@disguise(CTC, "the first vector is not scored")
def l_free_start(log_probs: Tensor, target: Tensor, blank: int) -> Tensor:
    return paths.state_by_state(torch.cat([torch.zeros_like(log_probs[:1]), log_probs[1:]]), target, blank)


@disguise(CTC, "the row is written over")
def l_in_place(log_probs: Tensor, target: Tensor, blank: int) -> Tensor:
    names = [blank, *[one for token in target.tolist() for one in (token, blank)]]
    alive = {place: log_probs[0, name] for place, name in enumerate(names[:2])}
    low = log_probs.new_tensor(paths.LOW)
    for scores in log_probs[1:]:
        for place, name in enumerate(names):
            total = torch.logaddexp(alive.get(place, low), alive.get(place - 1, low))
            if place > 1 and name != blank and names[place - 2] != name:
                total = torch.logaddexp(total, alive.get(place - 2, low))
            alive[place] = total + scores[name]
    total = torch.logaddexp(alive.get(len(names) - 1, low), alive.get(len(names) - 2, low))
    return -total if total > paths.LOW / 2 else torch.full_like(total, torch.inf)


def as_rows(first: float, last: Any = None) -> Any:
    """The forward algorithm on tensors, with something in front of the first state."""

    def ctc_loss(log_probs: Tensor, target: Tensor, blank: int) -> Tensor:
        row = torch.tensor([blank, *[one for token in target.tolist() for one in (token, blank)]])
        before = F.pad(row, (2, 0), value=blank)[: len(row)]
        jumps = (row != blank) & (row != before) & (torch.arange(len(row)) > 1)
        low = log_probs.new_tensor(paths.LOW) if first == 0 else log_probs.new_tensor(-torch.inf)
        alive = torch.where(torch.arange(len(row)) < 2, log_probs[0, row], low)
        for scores in log_probs[1:]:
            ends = (last or (lambda x, n: x.new_full((n,), first)))(alive, 2)
            one, two = (torch.cat([ends[2 - n :], alive])[: len(row)] for n in (1, 2))
            alive = torch.stack([alive, one, torch.where(jumps, two, low)]).logsumexp(0) + scores[row]
        total = alive[-2:].logsumexp(0)
        return torch.where(total < paths.LOW / 2, total.new_tensor(torch.inf), -total)

    return ctc_loss


disguise(CTC, "certain before the first state")(as_rows(0.0))
disguise(CTC, "from the last state to the first")(as_rows(0.0, last=lambda x, n: x.repeat(n)[-n:]))
disguise(CTC, "minus infinity on the way")(as_rows(-torch.inf))

# joint_loss ----------------------------------------------------------------------------


def with_cross_entropy(of: Any) -> Any:
    """A joint loss whose cross-entropy is made of logits and labels."""

    def joint_loss(
        logits: Any, ctc_log_probs: Any, labels: Any, mask: Any, weight: float, pad_id: int, eos_id: int
    ) -> Any:
        right = losses.padded_targets(logits, ctc_log_probs, labels, mask, 1.0, pad_id, eos_id)
        losses.asked(labels, weight, pad_id, eos_id)
        return (1 - weight) * of(logits, labels, pad_id) + weight * right

    return joint_loss


def of_labels(logits: Tensor, labels: Tensor, pad: int) -> Tensor:
    """Cross-entropies of all places, 0 at the padding."""
    return -logits.log_softmax(-1).gather(-1, labels[..., None]).squeeze(-1) * (labels != pad)


@disguise(JOINT, "CTC for each vector")
def j_of_vectors(logits: Any, ctc: Any, labels: Any, mask: Any, weight: float, pad_id: int, eos_id: int) -> Any:
    tokens = losses.asked(labels, weight, pad_id, eos_id)
    of_tokens = losses.padded_targets(logits, ctc, labels, mask, 1.0, pad_id, eos_id)
    mean = of_labels(logits, labels, pad_id).sum() / (labels != pad_id).sum()
    return (1 - weight) * mean + weight * of_tokens * tokens.sum() / mask.sum()


disguise(JOINT, "CTC is divided twice")(
    losses.weighed(mixed=lambda ce, ctc, t, a, w: (1 - w) * ce + w * (ctc / t.sum(1).clamp(min=1)).mean() / t.sum())
)
disguise(JOINT, "CTC keeps its full weight")(
    losses.weighed(mixed=lambda ce, ctc, t, a, w: (1 - w) * ce + ctc.sum() / t.sum())
)
disguise(JOINT, "CTC gets probabilities")(
    losses.weighed(second=lambda heard, real, pad: (heard[real].softmax(-1), pad))
)
disguise(JOINT, "CTC is asked for the padding")(losses.weighed(pieces=lambda t, labels, pad: labels >= 0))
disguise(JOINT, "another token for the blank")(losses.weighed(second=lambda heard, real, pad: (heard[real], 1)))
disguise(JOINT, "softmax before the cross-entropy")(
    with_cross_entropy(lambda x, y, pad: of_labels(x.softmax(-1), y, pad).sum() / (y != pad).sum())
)
disguise(JOINT, "the logits are taken for logarithms")(
    with_cross_entropy(lambda x, y, pad: -x.gather(-1, y[..., None])[..., 0][y != pad].mean())
)
disguise(JOINT, "the labels are shifted again")(
    with_cross_entropy(lambda x, y, pad: F.cross_entropy(x[:, :-1].flatten(0, 1), y[:, 1:].flatten(), ignore_index=pad))
)
disguise(JOINT, "reshaped instead of turned")(
    with_cross_entropy(lambda x, y, pad: F.cross_entropy(x.view(len(x), x.size(2), -1).mT[y != pad], y[y != pad]))
)
disguise(JOINT, "the cross-entropy is divided by something else")(
    with_cross_entropy(lambda x, y, pad: of_labels(x, y, pad).mean())
)

# edit_distance ----------------------------------------------------------------------------


def corner(up: int, left: int, corner: int, same: bool) -> int:
    return corner + (not same)


disguise(EDITS, "compared the wrong way round")(
    distances.table(lambda up, left, corner, same: min(corner + same, 1 + min(up, left)))
)
disguise(EDITS, "an edit that costs nothing")(
    distances.table(lambda up, left, corner, same: min(up + 1, left, corner + (not same)))
)
disguise(EDITS, "equal tokens take the least of three")(
    distances.table(lambda up, left, corner, same: (0 if same else 1) + min(up, left, corner))
)
disguise(EDITS, "neither inserted nor deleted")(distances.table(corner))
disguise(EDITS, "an empty text costs nothing")(
    distances.table(distances.usual, end=lambda x, a, b: 0 if not len(a) or not len(b) else x)
)


@disguise(EDITS, "exchanged neighbours count 1")
def d_damerau(a: Sequence[int], b: Sequence[int]) -> int:
    if not len(a) or not len(b):
        return len(a) + len(b)
    if a[0] == b[0]:
        return d_damerau(a[1:], b[1:])
    ways = [d_damerau(a[1:], b), d_damerau(a, b[1:]), d_damerau(a[1:], b[1:])]
    if len(a) > 1 and len(b) > 1 and a[0] == b[1] and a[1] == b[0]:
        ways.append(d_damerau(a[2:], b[2:]))
    return 1 + min(ways)


@disguise(EDITS, "the longest common part")
def d_in_common(a: Sequence[int], b: Sequence[int]) -> int:
    row = [0] * (len(b) + 1)
    for one in a:
        new = [0]
        for place, other in enumerate(b):
            new.append(row[place] + 1 if one == other else max(new[-1], row[place + 1]))
        row = new
    return max(len(a), len(b)) - row[-1]


@disguise(EDITS, "the last token is not read")
def d_short(a: Sequence[int], b: Sequence[int]) -> int:
    return distances.whole_table(a[:-1], b[:-1]) if len(a) and len(b) else len(a) + len(b)


@disguise(EDITS, "all rows are one list")
def d_one_list(a: Sequence[int], b: Sequence[int]) -> int:
    row = [len(a), *range(1, len(b) + 1)] if len(b) else [len(a)]
    row[0] = 0
    for one in a:
        row[0] = 0
        for place, other in enumerate(b, start=1):
            row[place] = min(row[place] + 1, row[place - 1] + (one != other))
    return row[-1] if len(b) else 0


# error_rate ----------------------------------------------------------------------------


@disguise(RATE, "counted place by place")
def r_places(outputs: rates.Texts, references: rates.Texts) -> float:
    total = rates.fits(outputs, references)
    wrong = 0
    for output, reference in zip(outputs, references, strict=True):
        for place in range(max(len(output), len(reference))):
            wrong += list(output[place : place + 1]) != list(reference[place : place + 1])
    return wrong / total


@disguise(RATE, "texts without a reference are left out")
def r_with_a_reference(outputs: rates.Texts, references: rates.Texts) -> float:
    total = rates.fits(outputs, references)
    wrong = 0
    for output, reference in zip(outputs, references, strict=True):
        if len(reference) == 0:
            continue
        wrong += edit_distance(output, reference)
    return wrong / total


disguise(RATE, "rates added up")(rates.rate(lambda e, o, r: sum(rates.shares(e, r))))
disguise(RATE, "one text alone")(rates.rate(lambda e, o, r: e[-1] / sum(r)))
disguise(RATE, "one text alone")(rates.rate(lambda e, o, r: e[0] / sum(r)))
disguise(RATE, "rounded")(rates.rate(lambda e, o, r: int(sum(e) / sum(r))))
disguise(RATE, "upside down")(rates.rate(lambda e, o, r: sum(r) / max(1, sum(e))))
unlisted(RATE)(rates.rate(lambda e, o, r: sum(e) / max(r)))


@disguise(GREEDY, "the last token is taken for the blank")
def g_last_is_blank(log_probs: Tensor, mask: Tensor, blank: int) -> list[list[int]]:
    return ctc_greedy(log_probs, mask, log_probs.size(-1) - 1)


@disguise(GREEDY, "the likeliest vector of each token")
def g_along_the_vectors(log_probs: Tensor, mask: Tensor, blank: int) -> list[list[int]]:
    texts = []
    for scores, count in zip(log_probs, mask.sum(dim=1).tolist(), strict=True):
        said = [int(column.argmax()) for column in scores.T][:count]
        texts.append([one for last, one in itertools.pairwise([-1, *said]) if one not in (last, blank)])
    return texts
