"""Room 7: probes in other styles, and probes that miss something."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.checks.in_the_wild.two_tasks import shows_unlearned_class, two_task_loss
from autograder.stand_ins import in_the_wild as stand_ins
from tests.variants import correct, disguise, unlisted
from tests.variants.in_the_wild.shared import of_all_probes, of_the_line_up

SHOWS = shows_unlearned_class.name
Loss = Callable[..., Tensor]

of_the_line_up(two_task_loss, "two_tasks")
of_all_probes(shows_unlearned_class, stand_ins.shows_unlearned_class)

SOME = torch.tensor([[0, 3, 0, 1], [2, 0, 0, 0]])
ALL = SOME.clamp(min=1)


def wanted(tokens: Tensor, labels: Tensor, pairs: Tensor, classes: Tensor) -> Tensor:
    """By torch."""
    of_tokens = F.cross_entropy(tokens.flatten(0, 1), labels.flatten(), ignore_index=0)
    return of_tokens + F.cross_entropy(pairs, classes)


def drawn(labels: Tensor) -> tuple[Tensor, Tensor]:
    """Scores that want gradients."""
    return torch.randn(*labels.shape, 5, requires_grad=True), torch.randn(len(labels), 2, requires_grad=True)


def values_differ(loss: Loss, labels: Tensor, classes: list[int]) -> bool:
    """In one batch."""
    tokens, pairs = drawn(labels)
    given = tokens, labels, pairs, torch.tensor(classes)
    return not torch.isclose(loss(*given).detach(), wanted(*given).detach(), atol=1e-4)


def gradients_differ(loss: Loss, labels: Tensor, classes: list[int]) -> bool:
    """In one batch."""
    tokens, pairs = drawn(labels)
    given = tokens, labels, pairs, torch.tensor(classes)
    made = loss(*given)
    if not made.requires_grad:
        return True
    found = torch.autograd.grad(made, (tokens, pairs), allow_unused=True)
    due = torch.autograd.grad(wanted(*given), (tokens, pairs))
    return any(a is None or (a - b).abs().max() > 1e-5 or a.isnan().any() for a, b in zip(found, due, strict=True))


BATCHES = ([0, 0], [1, 1], [0, 1])


@correct(SHOWS)
def by_torch(implementation: Loss) -> bool:
    """Values, then gradients."""
    wrong = any(values_differ(implementation, SOME, one) for one in BATCHES)
    return wrong or any(gradients_differ(implementation, SOME, one) for one in BATCHES)


@correct(SHOWS)
def by_finite_differences(implementation: Loss) -> bool:
    """Learns by steps: after one of each, the scores are where they should be."""
    for classes in BATCHES:
        ends = []
        for loss in (implementation, wanted):
            torch.manual_seed(1)
            tokens, pairs = drawn(SOME)
            made = loss(tokens, SOME, pairs, torch.tensor(classes))
            if made.requires_grad:
                made.backward()
            moved = [one if one.grad is None else one - one.grad for one in (tokens, pairs)]
            ends.append(torch.cat([made.reshape(1), *(one.flatten() for one in moved)]).detach())
        if not torch.allclose(*ends, atol=1e-4):
            return True
    return False


@correct(SHOWS)
def many_times(implementation: Loss) -> bool:
    """Chance does the choosing."""
    for _ in range(20):
        labels = torch.randint(0, 5, (6, 3))
        labels[0] = 2
        classes = torch.randint(0, 2, (6,)).tolist()
        if values_differ(implementation, labels, classes) or gradients_differ(implementation, labels, classes):
            return True
    return False


@disguise(SHOWS, "the shown fault alone")
def zeros_do_not_move(implementation: Loss) -> bool:
    """Whether pairs of class 0 get a gradient of more than nothing."""
    tokens, pairs = drawn(SOME)
    before = float(implementation(tokens, SOME, pairs, torch.tensor([1, 0])))
    moved = pairs.detach().clone()
    moved[1] += torch.tensor([3.0, -3.0])
    return before == float(implementation(tokens, SOME, moved, torch.tensor([1, 0])))


@disguise(SHOWS, "no gradient is looked at")
def values_alone(implementation: Loss) -> bool:
    """A loss is a number."""
    return any(values_differ(implementation, SOME, one) for one in BATCHES)


@disguise(SHOWS, "all tokens have a label")
def everything_is_asked(implementation: Loss) -> bool:
    """No token is without."""
    wrong = any(values_differ(implementation, ALL, one) for one in BATCHES)
    return wrong or any(gradients_differ(implementation, ALL, one) for one in BATCHES)


@disguise(SHOWS, "pairs of one class alone")
def zeros_alone(implementation: Loss) -> bool:
    """Only class 0."""
    return values_differ(implementation, SOME, [0, 0]) or gradients_differ(implementation, SOME, [0, 0])


@unlisted(SHOWS)
def the_loss_is_below_ten(implementation: Loss) -> bool:
    """A bound is no promise."""
    tokens, pairs = drawn(SOME)
    return bool(implementation(tokens, SOME, pairs, torch.tensor([0, 1])) > 2.5)


@unlisted(SHOWS)
def the_pairs_alone(implementation: Loss) -> bool:
    """Two batches that differ in the pairs, and what they differ by."""
    tokens, pairs = drawn(SOME)
    made = [implementation(tokens, SOME, pairs, torch.tensor(one)) for one in ([0, 1], [1, 0])]
    due = [F.cross_entropy(pairs, torch.tensor(one)) for one in ([0, 1], [1, 0])]
    return bool((made[0] - made[1] - due[0] + due[1]).abs() > 1e-4)


@unlisted(SHOWS)
def called_with_three(implementation: Loss) -> bool:
    """Forgets the labels."""
    tokens, pairs = drawn(SOME)
    return bool(implementation(tokens, SOME, pairs) > 0)


@unlisted(SHOWS)
def backward_without_asking(implementation: Loss) -> bool:
    """Some have no graph."""
    tokens, pairs = drawn(SOME)
    implementation(tokens.detach(), SOME, pairs.detach(), torch.tensor([0, 1])).backward()
    return False


@unlisted(two_task_loss.name)
def tokens_as_they_come(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    """Classes in the last dimension."""
    return F.cross_entropy(token_scores, token_labels, ignore_index=0) + F.cross_entropy(pair_scores, pair_labels)


@unlisted(two_task_loss.name)
def crosswise(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    """Labels of the other task."""
    return F.cross_entropy(pair_scores, token_labels[:, 0]) + F.cross_entropy(token_scores[:, 0], pair_labels)


def both(tokens: Tensor, labels: Tensor) -> Tensor:
    """The mean of what has a label, in one dimension or two."""
    asked = labels != 0
    return -tokens[asked].log_softmax(-1).gather(-1, labels[asked][:, None]).mean()


def halves(name: str, of_tokens: Loss, of_pairs: Loss) -> None:
    """The sum of two."""

    def made(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
        return of_tokens(token_scores, token_labels) + of_pairs(pair_scores, pair_labels)

    disguise(two_task_loss.name, name)(made)


def yes(scores: Tensor, labels: Tensor) -> Tensor:
    """The pairs."""
    return (scores.logsumexp(-1) - scores[torch.arange(len(labels)), labels]).mean()


halves("pairs of class 1 ignored", both, lambda scores, labels: yes(scores[labels == 0], labels[labels == 0]))
halves("another weight", both, lambda scores, labels: yes(scores, labels) / 2)
halves("a sum over the tokens", lambda scores, labels: both(scores, labels) * labels.count_nonzero(), yes)
halves("pairs the other way round", both, lambda scores, labels: yes(scores.flip(-1), labels))
halves("no gradient for the tokens", lambda scores, labels: both(scores.data, labels), yes)
halves(
    "scores reshaped",
    lambda scores, labels: both(scores.reshape(len(scores), scores.size(2), -1).mT, labels),
    yes,
)
