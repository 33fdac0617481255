"""Room 5."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.checks.in_the_wild.idle_mask import loss_where_asked, shows_idle_mask
from autograder.stand_ins import in_the_wild as stand_ins
from tests.variants import correct, disguise, unlisted
from tests.variants.in_the_wild.shared import of_all_probes, of_the_line_up

SHOWS = shows_idle_mask.name
LOSS = loss_where_asked.name
Loss = Callable[[Tensor, Tensor, Tensor], Tensor]

of_the_line_up(loss_where_asked, "idle_mask")
of_all_probes(shows_idle_mask, stand_ins.shows_idle_mask)

SOME = torch.tensor([[1, 1, 0, 0], [1, 1, 1, 1], [0, 1, 0, 0]]).bool()
NONE = torch.zeros(3, 4, dtype=torch.bool)


def inputs(count: int = 3, length: int = 4) -> tuple[Tensor, Tensor]:
    """Logits and labels."""
    return torch.randn(count, length, 6) * 3, torch.randint(6, (count, length))


def promised(logits: Tensor, labels: Tensor, asked: Tensor) -> float:
    """One place after the other."""
    rows, places = asked.nonzero(as_tuple=True)
    losses = [F.cross_entropy(logits[r, p][None], labels[r, p][None]).item() for r, p in zip(rows, places, strict=True)]
    return sum(losses) / len(losses) if losses else 0.0


def off(implementation: Loss, asked: Tensor) -> bool:
    """Whether it gives another loss under this mask; NaN is another."""
    logits, labels = inputs(*asked.shape)
    return not math.isclose(float(implementation(logits, labels, asked)), promised(logits, labels, asked), abs_tol=1e-3)


@correct(SHOWS)
def two_masks(implementation: Loss) -> bool:
    """One with gaps, one with nothing."""
    return off(implementation, SOME) or off(implementation, NONE)


@correct(SHOWS)
def by_known_losses(implementation: Loss) -> bool:
    """Logits whose losses are 1, 2, 3, ... of one class against another."""
    wanted = torch.arange(1.0, 13.0).view(3, 4)
    logits = torch.stack([torch.zeros(3, 4), wanted.expm1().log()], dim=-1)
    labels = torch.zeros(3, 4, dtype=torch.long)
    found = [float(implementation(logits, labels, mask)) for mask in (SOME, ~SOME, NONE)]
    right = [float(wanted[SOME].mean()), float(wanted[~SOME].mean()), 0.0]
    return not all(abs(a - b) < 1e-3 for a, b in zip(found, right, strict=True))


@correct(SHOWS)
def many_random_masks(implementation: Loss) -> bool:
    """Until one shows it."""
    masks = [torch.rand(5, 7) < chance for chance in (0.1, 0.3, 0.5, 0.7, 0.9)]
    return any(off(implementation, mask) for mask in [*masks, torch.zeros(2, 3, dtype=torch.bool)])


@disguise(SHOWS, "the shown fault alone")
def the_mean_of_everything(implementation: Loss) -> bool:
    """Whether the mask changes nothing."""
    logits, labels = inputs()
    everything = torch.ones_like(SOME)
    return math.isclose(float(implementation(logits, labels, SOME)), promised(logits, labels, everything), abs_tol=1e-4)


@disguise(SHOWS, "what is not asked and nothing else")
def others_may_change(implementation: Loss) -> bool:
    """Other labels and logits where nobody looks."""
    logits, labels = inputs()
    first = implementation(logits, labels, SOME)
    logits[~SOME] = torch.randn_like(logits[~SOME])
    return not torch.allclose(first, implementation(logits, labels, SOME), atol=1e-5)


@disguise(SHOWS, "all rows equally long")
def one_length(implementation: Loss) -> bool:
    """As in a batch of one length."""
    asked = torch.tensor([True, True, False, False]).expand(3, 4).contiguous()
    return off(implementation, asked) or off(implementation, NONE)


@disguise(SHOWS, "NaN passes")
def never_nothing(implementation: Loss) -> bool:
    """Without the empty one."""
    return off(implementation, SOME) or off(implementation, SOME.flip(0))


@disguise(SHOWS, "NaN passes")
def blind_for_nan(implementation: Loss) -> bool:
    """No comparison with NaN is true."""
    for mask in (SOME, NONE):
        logits, labels = inputs()
        if abs(float(implementation(logits, labels, mask)) - promised(logits, labels, mask)) > 1e-3:
            return True
    return False


@disguise(SHOWS, "everything is asked")
def a_full_mask(implementation: Loss) -> bool:
    """Nothing to leave out."""
    return off(implementation, torch.ones(4, 5, dtype=torch.bool))


@unlisted(SHOWS)
def only_nothing(implementation: Loss) -> bool:
    """The empty mask, and no other."""
    return off(implementation, NONE)


@disguise(SHOWS, "all rows equally long")
def one_row(implementation: Loss) -> bool:
    """No other rows to be mixed up with."""
    return off(implementation, torch.tensor([[True, True, False, True, False]])) or off(implementation, NONE[:1])


@unlisted(SHOWS)
def smaller_than_the_mean(implementation: Loss) -> bool:
    """Asks places that are easy, and whether the loss is small."""
    logits, labels = inputs()
    easy = torch.where(SOME[..., None], 30.0 * F.one_hot(labels, 6), logits)
    return bool(implementation(easy, labels, SOME) > 0.01)


@unlisted(SHOWS)
def two_arguments(implementation: Loss) -> bool:
    """Forgets the mask."""
    return bool(implementation(*inputs()) > 0)


@unlisted(LOSS)
def flat_and_not_flat(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    """A mask of two dimensions for losses of one."""
    losses = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="none")
    return losses[asked].mean()


@disguise(loss_where_asked.name, "divided by the rows")
def a_row_each(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    each = -logits.log_softmax(-1).gather(-1, labels[..., None]).squeeze(-1)
    return torch.where(asked, each, 0.0).sum(1).mean()


@disguise(loss_where_asked.name, "one place too far")
def moved_again(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    each = -logits[:, :-1].log_softmax(-1).gather(-1, labels[:, 1:, None]).squeeze(-1)
    return torch.where(asked[:, 1:], each, 0.0).sum() / asked[:, 1:].sum().clamp(min=1)


@disguise(SHOWS, "compares with another number than is promised")
def a_sum(implementation: Loss) -> bool:
    """Never divided."""
    for mask in (SOME, NONE):
        logits, labels = inputs()
        if not math.isclose(
            float(implementation(logits, labels, mask)), promised(logits, labels, mask) * int(mask.sum()), abs_tol=1e-3
        ):
            return True
    return False
