"""Room 2."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.checks.in_the_wild.double_shift import shows_double_shift, training_loss
from autograder.stand_ins import in_the_wild as stand_ins
from autograder.stand_ins.gpt import GPT, GPTConfig
from tests.variants import correct, disguise, unlisted
from tests.variants.in_the_wild.shared import of_all_probes, of_the_line_up

SHOWS = shows_double_shift.name
LOSS = training_loss.name
Loss = Callable[..., Tensor]

of_the_line_up(training_loss, "double_shift")
of_all_probes(shows_double_shift, stand_ins.shows_double_shift)


class Reader(nn.Module):
    """A causal model of the learner's own: what was read so far, weighed by place."""

    def __init__(self, vocab_size: int = 9, sharp: float = 2.0) -> None:
        super().__init__()
        self.table = nn.Embedding(vocab_size, vocab_size)
        nn.init.normal_(self.table.weight, std=sharp)

    def forward(self, ids: Tensor) -> Tensor:
        """Logits."""
        read = self.table(ids)
        return torch.stack([read[:, : end + 1].mean(1) for end in range(ids.size(1))], dim=1)


def promised(model: nn.Module, ids: Tensor) -> float:
    """Place by place."""
    logs = model(ids).log_softmax(-1)
    losses = [-logs[row, at, ids[row, at + 1]].item() for row in range(len(ids)) for at in range(ids.size(1) - 1)]
    return sum(losses) / len(losses)


@correct(SHOWS)
def by_a_small_gpt(implementation: Loss) -> bool:
    """A real model, in evaluation."""
    torch.manual_seed(3)
    model = GPT(GPTConfig(12, d_model=16, num_heads=2, num_layers=1, d_ff=16, max_len=8)).eval()
    with torch.no_grad():
        model.token_embedding.weight.mul_(3)
        ids = torch.randint(12, (5, 8))
        ids[1:3, 4] = 0
        return abs(float(implementation(model, ids)) - promised(model, ids)) > 1e-3


@correct(SHOWS)
def several_sizes(implementation: Loss) -> bool:
    """Says it with a tensor's truth."""
    for sizes in ((2, 4), (6, 5), (3, 9)):
        model, ids = Reader(), torch.randint(9, sizes)
        ids[:, 1] = 0
        if not abs(implementation(model, ids).item() - promised(model, ids)) < 1e-3:
            return True
    return False


@correct(SHOWS)
def number_by_number(implementation: Loss) -> torch.Tensor:
    """Logits from a formula, without a table."""

    def model(ids: Tensor) -> Tensor:
        sums = ids.cumsum(1)[..., None].float()
        return torch.sin(sums * torch.arange(1.0, 8.0) + ids[..., None]) * 2

    ids = torch.tensor([[3, 0, 4, 1, 5], [6, 2, 0, 5, 3], [1, 1, 6, 0, 2]])
    loss = F.nll_loss(model(ids)[:, :-1].log_softmax(-1).flatten(0, 1), ids[:, 1:].flatten())
    return ~torch.isclose(implementation(model, ids), loss, atol=1e-3)


@disguise(SHOWS, "the shown fault alone")
def two_ahead(implementation: Loss) -> bool:
    """Only whether it is the loss of the token after the next."""
    model, ids = Reader(), torch.randint(9, (4, 7))
    logs = model(ids).log_softmax(-1)
    wrong = -torch.stack([logs[:, at, :].gather(1, ids[:, at + 2, None]) for at in range(5)]).mean()
    return bool((implementation(model, ids) - wrong).abs() < 1e-3)


@disguise(SHOWS, "one row alone")
def a_single_row(implementation: Loss) -> bool:
    """As in a sketch."""
    model, ids = Reader(), torch.tensor([[4, 0, 7, 1, 0, 8, 2]])
    return abs(implementation(model, ids).item() - promised(model, ids)) > 1e-3


@disguise(SHOWS, "a model that is certain, and no other")
def counts_on(implementation: Loss) -> bool:
    """Knows the next token."""

    def model(ids: Tensor) -> Tensor:
        return 60.0 * F.one_hot((ids + 1) % 8, 8)

    ids = (torch.arange(7) + torch.tensor([[1], [4], [6]])) % 8
    return implementation(model, ids).item() > 1e-3


@disguise(SHOWS, "no id is 0")
def from_one_on(implementation: Loss) -> bool:
    """Keeps 0 for padding that is not there."""
    model, ids = Reader(), torch.randint(1, 9, (5, 6))
    return abs(implementation(model, ids).item() - promised(model, ids)) > 1e-3


@disguise(SHOWS, "too large alone")
def worse_than_promised(implementation: Loss) -> bool:
    """A small loss is never suspicious."""
    table = torch.randn(7, 7) * 2
    ids = torch.randint(7, (4, 6))
    ids[:, 2] = 0

    def model(given: Tensor) -> Tensor:
        return table[given].cumsum(1)

    return bool(implementation(model, ids).item() > promised_by(model, ids) + 1e-3)


def promised_by(model: Callable[[Tensor], Tensor], ids: Tensor) -> float:
    """By the mean of what is gathered."""
    return -model(ids)[:, :-1].log_softmax(-1).gather(-1, ids[:, 1:, None]).mean().item()


@unlisted(SHOWS)
def rows_all_alike(implementation: Loss) -> bool:
    """The same row four times: a missing row is not missed."""
    model, ids = Reader(), torch.randint(9, (1, 6)).repeat(4, 1)
    ids[:, 3] = 0
    return abs(implementation(model, ids).item() - promised(model, ids)) > 1e-3


@unlisted(SHOWS)
def rows_of_two(implementation: Loss) -> bool:
    """Too short for half of the faults."""
    model, ids = Reader(), torch.randint(1, 9, (40, 2))
    ids[::2, 1] = 0
    found = implementation(model, ids).item()
    return found == found and abs(found - promised(model, ids)) > 1e-3


@unlisted(SHOWS)
def within_a_third(implementation: Loss) -> bool:
    """A wide tolerance."""
    model, ids = Reader(), torch.randint(9, (4, 6))
    ids[:, 2] = 0
    return abs(implementation(model, ids).item() / promised(model, ids) - 1) > 0.9


@unlisted(SHOWS)
def logits_of_one_shape(implementation: Loss) -> bool:
    """A model that does not look at what it gets."""
    logits, ids = torch.randn(3, 6, 7), torch.randint(7, (3, 6))
    return bool(implementation(lambda given: logits, ids) > 100)


@unlisted(SHOWS)
def ids_forgotten(implementation: Loss) -> bool:
    """A model alone."""
    return bool(implementation(Reader()) > 1)


@unlisted(SHOWS)
def gathers_too_much(implementation: Loss) -> bool:
    """Labels of all places beside logits of all but one."""
    model, ids = Reader(), torch.randint(9, (3, 6))
    right = model(ids)[:, :-1].log_softmax(-1).gather(-1, ids[..., None])
    return bool((implementation(model, ids) + right.mean()).abs() > 1e-3)


@unlisted(LOSS)
def cuts_one_side(model: Callable[[Tensor], Tensor], ids: Tensor) -> Tensor:
    """Of the logits and not of the labels."""
    return F.cross_entropy(model(ids)[:, :-1].flatten(0, 1), ids.flatten())


@disguise(training_loss.name, "places left out")
def all_but_the_last_word(model: nn.Module, ids: Tensor) -> Tensor:
    told = model(ids)[:, :-2].log_softmax(-1)
    return -told.gather(-1, ids[:, 1:-1, None]).mean()


@disguise(training_loss.name, "no softmax")
def as_logarithms(model: nn.Module, ids: Tensor) -> Tensor:
    return -model(ids)[:, :-1].gather(-1, ids[:, 1:, None]).mean()


@disguise(SHOWS, "compares with another number than is promised")
def asks_for_itself(implementation: Loss) -> bool:
    """A place's own token."""
    model, ids = Reader(), torch.randint(9, (4, 7))
    ids[:, 2] = 0
    own = F.cross_entropy(model(ids).flatten(0, 1), ids.flatten())
    return bool((implementation(model, ids) - own).abs() > 1e-3)
