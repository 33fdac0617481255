"""Room 4."""

from __future__ import annotations

import copy
from collections.abc import Callable

import torch
from torch import Tensor, nn

from autograder.checks.in_the_wild.copied_table import shows_copied_table, tied_model
from autograder.stand_ins import in_the_wild as stand_ins
from tests.variants import correct, disguise, unlisted
from tests.variants.in_the_wild.shared import of_all_probes, of_the_line_up

SHOWS = shows_copied_table.name
TIED = tied_model.name
Make = Callable[[int, int], nn.Module]

of_the_line_up(tied_model, "copied_table")
of_all_probes(shows_copied_table, stand_ins.shows_copied_table)

IDS = torch.tensor([[0, 3, 5], [2, 2, 1]])


def rewritten(model: nn.Module) -> torch.Tensor:
    """The model's table, with other numbers in it."""
    table = model.embedding.weight
    with torch.no_grad():
        table.copy_(torch.randn_like(table))
    return table


def logits_of(table: torch.Tensor) -> torch.Tensor:
    """What they should be."""
    return table[IDS] @ table.T


def full_gradient(table: torch.Tensor, away: torch.Tensor) -> torch.Tensor:
    """By autograd on a copy."""
    own = table.detach().clone().requires_grad_()
    (logits_of(own) * away).sum().backward()
    assert own.grad is not None
    return own.grad


@correct(SHOWS)
def by_differences(implementation: Make) -> bool:
    """The slope of the loss along one direction, in numbers and by its gradient."""
    model = implementation(6, 4).double()
    table = rewritten(model)
    away, step = torch.randn(2, 3, 6, dtype=torch.float64), 1e-5 * torch.randn(6, 4, dtype=torch.float64)
    first = (model(IDS) * away).sum()
    if not torch.allclose(model(IDS), logits_of(table.detach()), atol=1e-6) or not first.requires_grad:
        return True
    first.backward()
    if table.grad is None:
        return True
    with torch.no_grad():
        table.add_(step)
        moved = (model(IDS) * away).sum() - first
    return bool((moved - (table.grad * step).sum()).abs() > 1e-7)


@correct(SHOWS)
def by_training(implementation: Make) -> bool:
    """Adam leads both to one place."""
    model, own = implementation(6, 4), nn.Parameter(torch.randn(6, 4))
    with torch.no_grad():
        model.embedding.weight.copy_(own)
    if not any(one.requires_grad for one in model.parameters()):
        return True
    optimizers = [torch.optim.Adam(one, lr=0.05) for one in (model.parameters(), [own])]
    for _ in range(4):
        away = torch.randn(2, 3, 6)
        got, wanted = model(IDS), logits_of(own)
        if not torch.allclose(got, wanted, atol=1e-3):
            return True
        for optimizer, output in zip(optimizers, (got, wanted), strict=True):
            optimizer.zero_grad()
            (output * away).sum().backward()
            optimizer.step()
    return False


@correct(SHOWS)
def in_other_sizes(implementation: Make) -> bool:
    """Several, and by `torch.autograd.grad`."""
    for vocab_size, d_model in ((6, 2), (9, 7)):
        model = implementation(vocab_size, d_model)
        table = rewritten(model)
        away, output = torch.randn(2, 3, vocab_size), model(IDS)
        right = logits_of(table.detach())
        if (output - right).abs().max() > 1e-3 or not table.requires_grad:
            return True
        (found,) = torch.autograd.grad((output * away).sum(), table, allow_unused=True)
        if found is None or (found - full_gradient(table, away)).abs().max() > 1e-3:
            return True
    return False


@disguise(SHOWS, "the shown fault alone")
def the_old_table(implementation: Make) -> bool:
    """Whether it still writes with what it began with."""
    model = implementation(8, 5)
    old = copy.deepcopy(model.embedding.weight.detach())
    table = rewritten(model).detach()
    return torch.allclose(model(IDS), table[IDS] @ old.T, atol=1e-4)


@disguise(SHOWS, "at the start alone")
def as_made(implementation: Make) -> bool:
    """Nothing is changed."""
    model = implementation(8, 5)
    return bool((model(IDS) - logits_of(model.embedding.weight)).abs().max() > 1e-4)


@disguise(SHOWS, "gradients are not looked at")
def values_alone(implementation: Make) -> bool:
    """After a change, and no more."""
    model = implementation(8, 5)
    table = rewritten(model).detach()
    out = model(IDS)
    return not (out.requires_grad and torch.allclose(out, logits_of(table), atol=1e-4))


@disguise(SHOWS, "gradients are not looked at")
def learns_somehow(implementation: Make) -> bool:
    """Values, and whether anything comes back."""
    model = implementation(8, 5)
    table = rewritten(model)
    out = model(IDS)
    if not out.requires_grad or not torch.allclose(out, logits_of(table), atol=1e-4):
        return True
    out.square().mean().backward()
    return table.grad is None


@disguise(SHOWS, "a head is asked for")
def the_same_object(implementation: Make) -> bool:
    """Identity of two parameters, and then all the rest."""
    model = implementation(7, 5)
    if not hasattr(model, "head") or not isinstance(getattr(model.head, "weight", None), nn.Parameter):
        return True
    return model.head.weight is not model.embedding.weight or in_other_sizes(implementation)


@unlisted(SHOWS)
def counts_parameters(implementation: Make) -> bool:
    """One table's worth, and no look at what it does."""
    return sum(one.numel() for one in implementation(9, 4).parameters() if one.requires_grad) != 36


@unlisted(SHOWS)
def plain_descent(implementation: Make) -> bool:
    """A step without memory adds two gradients up where the storage is one."""
    model, own = implementation(6, 4), nn.Parameter(torch.randn(6, 4))
    with torch.no_grad():
        model.embedding.weight.copy_(own)
    away = torch.randn(2, 3, 6)
    for parameters, output in ((list(model.parameters()), model(IDS)), ([own], logits_of(own))):
        if not output.requires_grad:
            return True
        (output * away).sum().backward()
        torch.optim.SGD(parameters, lr=0.1).step()
    return not torch.allclose(model(IDS), logits_of(own), atol=1e-3)


@unlisted(SHOWS)
def gradient_alone(implementation: Make) -> bool:
    """And not the logits."""
    model = implementation(6, 4)
    table, away = rewritten(model), torch.randn(2, 3, 6)
    out = model(IDS)
    if not out.requires_grad:
        return True
    (out * away).sum().backward()
    return table.grad is None or not torch.allclose(table.grad, full_gradient(table, away), atol=1e-3)


@unlisted(SHOWS)
def looks_for_the_head(implementation: Make) -> bool:
    """Raises where there is none."""
    model = implementation(6, 4)
    return model.head.weight.data_ptr() != model.embedding.weight.data_ptr()


@unlisted(SHOWS)
def writes_without_no_grad(implementation: Make) -> bool:
    """Into a leaf."""
    model = implementation(6, 4)
    model.embedding.weight.mul_(2)
    return bool((model(IDS) > 1e9).any())


@unlisted(SHOWS)
def one_size(implementation: Make) -> bool:
    """Forgets an argument."""
    return implementation(6) is None


@unlisted(TIED)
def a_computed_tensor(vocab_size: int, d_model: int) -> nn.Module:
    """What was computed is no parameter."""
    embedding, head = nn.Embedding(vocab_size, d_model), nn.Linear(d_model, vocab_size, bias=False)
    head.weight = embedding.weight * 1.0
    return nn.Sequential(embedding, head)


@unlisted(TIED)
def no_embedding(vocab_size: int, d_model: int) -> nn.Module:
    """Under another name."""
    embedding, head = nn.Embedding(vocab_size, d_model), nn.Linear(d_model, vocab_size, bias=False)
    head.weight = embedding.weight
    return nn.Sequential(embedding, head)


@disguise(tied_model.name, "a row that does not learn from reading")
class FirstIsSilent(nn.Module):
    def __init__(self, vocab_size: int, d_model: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)

    def forward(self, ids: Tensor) -> Tensor:
        """The first row is read without a gradient."""
        table = self.embedding.weight
        read = torch.where(ids[..., None] == 0, table.detach()[ids], table[ids])
        return read @ table.T
