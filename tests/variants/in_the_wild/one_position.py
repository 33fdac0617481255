"""Room 8."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.checks.in_the_wild.one_position import shows_one_position, with_positions
from autograder.stand_ins import in_the_wild as stand_ins
from tests.variants import correct, disguise, unlisted
from tests.variants.in_the_wild.shared import of_all_probes, of_the_line_up

SHOWS = shows_one_position.name
PLACED = with_positions.name
Places = Callable[[Tensor, Tensor, Tensor], Tensor]

of_the_line_up(with_positions, "one_position")
of_all_probes(shows_one_position, stand_ins.shows_one_position)


def drawn(batch: int = 2, length: int = 3, rows: int = 6, width: int = 5) -> list[Tensor]:
    """Patches, a class token, a table."""
    return [torch.randn(batch, length, width), torch.randn(width), torch.randn(rows, width)]


def promised(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    """In two loops."""
    rows = [[first, *picture] for picture in patches]
    return torch.stack([torch.stack([one + table[at] for at, one in enumerate(row)]) for row in rows])


def off(found: Tensor, wanted: Tensor) -> bool:
    """Whether two results are not one."""
    return found.shape != wanted.shape or bool((found - wanted).abs().max() > 1e-4)


def writes(implementation: Places) -> bool:
    """Whether what is given is another afterwards."""
    given = drawn()
    kept = [one.clone() for one in given]
    implementation(*given)
    return any(bool((one != copy).any()) for one, copy in zip(given, kept, strict=True))


def learns_not(implementation: Places) -> bool:
    """Whether something is moved by no step."""
    given = drawn(rows=4)
    for one in given:
        one.requires_grad_()
    made = implementation(*given)
    if made.requires_grad:
        made.sum().backward()
    return any(given[one].grad is None or not given[one].grad.all() for one in range(3))


@correct(SHOWS)
def in_three_questions(implementation: Places) -> bool:
    """Numbers, then what was given, then what learns."""
    if writes(implementation):
        return True
    for rows in (4, 11):
        given = drawn(rows=rows)
        if off(implementation(*given), promised(*given)):
            return True
    return learns_not(implementation)


@correct(SHOWS)
def with_rows_that_tell_their_numbers(implementation: Places) -> bool:
    """Patches of 100, 200, ... and rows of 0, 1, 2, ...: the result can be read."""
    patches = torch.arange(100.0, 500.0, 100.0).view(1, 4, 1).repeat(3, 1, 2)
    given = [patches.clone(), torch.full((2,), 900.0), torch.arange(8.0)[:, None].repeat(1, 2)]
    found = implementation(*given)
    wanted = torch.tensor([900.0, 101.0, 202.0, 303.0, 404.0])
    right = all(one[:, column].tolist() == wanted.tolist() for one in found for column in (0, 1))
    return not right or not torch.equal(patches, given[0]) or learns_not(implementation)


@correct(SHOWS)
def by_differences(implementation: Places) -> bool:
    """Against what comes back for a table of zeros, and by what moves when a row is another."""
    patches, first, table = drawn(3, 4, 7)
    kept = patches.clone()
    bare = implementation(patches, first, torch.zeros_like(table))
    if off(bare, torch.cat([first.repeat(3, 1, 1), kept], 1)) or writes(implementation):
        return True
    for place in range(7):
        one = torch.zeros_like(table)
        one[place] = table[place]
        moved = implementation(patches, first, one) - bare
        wanted = torch.zeros_like(bare)
        if place < 5:
            wanted[:, place] = table[place]
        if off(moved, wanted):
            return True
    return learns_not(implementation)


@correct(SHOWS)
def in_numpy(implementation: Places) -> bool:
    """Numbers as arrays; rows that are not used hold NaN."""
    for rows in (4, 9):
        patches, first, table = drawn(rows=rows)
        table[4:] = float("nan")
        kept = patches.numpy().copy()
        found = implementation(patches, first, table).numpy()
        bare = [np.stack([first.numpy(), *one]) for one in kept]
        wanted = np.stack(bare) + table[:4].numpy()
        if found.shape != (2, 4, 5) or not (abs(found - wanted) < 1e-5).all() or (patches.numpy() != kept).any():
            return True
    return learns_not(implementation)


@disguise(SHOWS, "the shown fault alone")
def the_row_of_the_last_place(implementation: Places) -> bool:
    """Whether it is that very row."""
    patches, first, table = drawn()
    wanted = torch.cat([first.repeat(2, 1, 1), patches], 1) + table[3]
    return not off(implementation(patches, first, table), wanted)


@disguise(SHOWS, "the order of the patches alone")
def a_picture_upside_down(implementation: Places) -> bool:
    """Whether the picture may be turned round."""
    patches, first, table = drawn(length=4)
    one = implementation(patches.clone(), first, table)
    other = implementation(patches.flip(1), first, table)
    return not off(one[:, 1:].flip(1), other[:, 1:])


@disguise(SHOWS, "a table of exactly as many rows")
def as_in_the_paper(implementation: Places) -> bool:
    """N + 1 rows."""
    given = drawn(rows=4)
    return writes(implementation) or off(implementation(*given), promised(*given)) or learns_not(implementation)


@disguise(SHOWS, "no gradient is looked at")
def numbers(implementation: Places) -> bool:
    """What comes back is right."""
    if writes(implementation):
        return True
    return any(off(implementation(*given), promised(*given)) for given in (drawn(), drawn(rows=4)))


@disguise(SHOWS, "changed patches pass")
def with_copies(implementation: Places) -> bool:
    """Each call has a copy of its own."""
    for rows in (4, 7):
        leaves = [one.requires_grad_() for one in drawn(rows=rows)]
        wanted = promised(*leaves)
        made = implementation(*(one + 0 for one in leaves))
        if off(made, wanted):
            return True
        found = torch.autograd.grad((made.exp() + 0 * sum(one.sum() for one in leaves)).sum(), leaves)
        due = torch.autograd.grad(wanted.exp().sum(), leaves)
        if any(off(a, b) for a, b in zip(found, due, strict=True)):
            return True
    return False


@disguise(SHOWS, "the class token is not looked at")
def behind_the_first(implementation: Places) -> bool:
    """Leaves the first place out."""
    for rows in (4, 6):
        given = drawn(rows=rows)
        wanted = promised(*given)[:, 1:]
        if writes(implementation) or off(implementation(*given)[:, 1:], wanted):
            return True
        patches, first, table = (one.requires_grad_() for one in given)
        made = implementation(patches, first, table)[:, 1:].sum()
        found = torch.autograd.grad(made, (patches, table), allow_unused=True)
        if any(one is None for one in found):
            return True
    return False


@unlisted(SHOWS)
def a_single_row(implementation: Places) -> bool:
    """Whether two patches differ by more than themselves, and nothing of which."""
    patches, first, table = drawn()
    found = implementation(torch.zeros_like(patches), first, table)
    return not off(found[:, 1], found[:, 2]) or writes(implementation)


@unlisted(SHOWS)
def the_sum_of_everything(implementation: Places) -> bool:
    """One number for all."""
    given = drawn()
    return bool((implementation(*given).sum() - promised(*given).sum()).abs() > 1e-3)


@unlisted(SHOWS)
def in_the_other_order(implementation: Places) -> bool:
    """The table first."""
    patches, first, table = drawn()
    return off(implementation(table, first, patches), promised(patches, first, table))


@unlisted(PLACED)
def places_by_columns(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    """Another order of reading."""
    order = torch.arange(patches.size(1) + 1)
    order[1:] = torch.cat([order[1::2], order[2::2]])
    return torch.cat([first.expand(len(patches), 1, -1), patches], dim=1) + table[order]


@unlisted(PLACED)
def half_the_width(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    """Positions in some features alone."""
    tokens = torch.cat([first.expand(len(patches), 1, -1), patches], dim=1)
    return tokens + F.pad(table[: tokens.size(1), :2], (0, table.size(1) - 2))


@disguise(PLACED, "the patches alike")
def the_second_row(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    order = [0, *[1] * patches.size(1)]
    return torch.cat([first.expand(len(patches), 1, -1), patches], dim=1) + table[order]


@disguise(PLACED, "no positions")
def tokens_alone(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    assert len(table) > patches.size(1)
    return torch.hstack([first.view(1, 1, -1).repeat(len(patches), 1, 1), patches])


@disguise(PLACED, "the class token's numbers left out")
def an_empty_front(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    return F.pad(patches, (0, 0, 1, 0)) + table[: patches.size(1) + 1]


@disguise(PLACED, "the class token for one picture alone")
def in_the_first_picture(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    room = F.pad(patches, (0, 0, 1, 0))
    room[0, 0] += first
    return room + table[None, : room.size(1)]


@disguise(PLACED, "subtracted")
def the_other_sign(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    tokens = torch.cat([first.expand(len(patches), 1, -1), patches], dim=1)
    return torch.stack([one - row for one, row in zip(tokens.unbind(1), table, strict=False)], 1)


@unlisted(PLACED)
def one_row_for_all_pictures(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    """A class token that is no batch."""
    return torch.cat([first.view(1, 1, -1), patches], dim=1) + table[: patches.size(1) + 1]


@unlisted(PLACED)
def one_row_too_few(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    """As many as there are patches."""
    return torch.cat([first.expand(len(patches), 1, -1), patches], dim=1) + table[: patches.size(1)]


@unlisted(PLACED)
def a_row_behind_the_last(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    """Where the table may end."""
    return torch.cat([first.expand(len(patches), 1, -1), patches], dim=1) + table[patches.size(1) + 1]


@unlisted(SHOWS)
def without_a_table(implementation: Callable[..., Tensor]) -> bool:
    """Forgets an argument."""
    return off(implementation(*drawn()[:2]), promised(*drawn()))


@unlisted(SHOWS)
def into_leaves(implementation: Places) -> bool:
    """Some write into them."""
    leaves = [one.requires_grad_() for one in drawn()]
    return off(implementation(*leaves), promised(*leaves))


@unlisted(SHOWS)
def what_must_have_been_used(implementation: Places) -> bool:
    """Some cut off what should learn."""
    leaves = [one.requires_grad_() for one in drawn()]
    found = torch.autograd.grad(implementation(*(1 * one for one in leaves)).sum(), leaves)
    return any(bool((one == 0).all()) for one in found) or off(implementation(*drawn()), promised(*drawn()))


@unlisted(SHOWS)
def a_step_without_a_graph(implementation: Places) -> bool:
    """Nothing that was given wants a gradient."""
    implementation(*drawn()).sum().backward()
    return False


@disguise(PLACED, "the class token's row behind the others")
def a_row_for_the_end(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    length = patches.size(1)
    front = first + table[length]
    return torch.cat([front.repeat(len(patches), 1, 1), patches + table[:length]], dim=1)


@disguise(PLACED, "row 0 given twice")
def each_from_its_own_zero(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    order = [0, *range(patches.size(1))]
    return torch.cat([first.expand(len(patches), 1, -1), patches], dim=1) + table[order]


@disguise(PLACED, "the table stretched")
def resized(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    tokens = torch.cat([first.expand(len(patches), 1, -1), patches], dim=1)
    rows = F.interpolate(table.T.unsqueeze(0), tokens.size(1), mode="linear", align_corners=False)
    return tokens + rows.squeeze(0).T


@disguise(PLACED, "rows for one picture alone")
def the_first_picture(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    tokens = torch.cat([first.expand(len(patches), 1, -1), patches], dim=1)
    pictures = [one + table[: len(one)] if number == 0 else one for number, one in enumerate(tokens)]
    return torch.stack(pictures)


@disguise(PLACED, "scaled before the rows")
def as_words(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    tokens = torch.cat([first.expand(len(patches), 1, -1), patches], dim=1)
    return tokens.mul(patches.size(2) ** 0.5).add(table[: tokens.size(1)])


@disguise(PLACED, "the class token added to the patches")
def in_every_token(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    return first + F.pad(patches, (0, 0, 1, 0)) + table[: patches.size(1) + 1]


@disguise(SHOWS, "a longer table alone")
def with_rows_to_spare(implementation: Places) -> bool:
    """More rows than tokens, always."""
    given = drawn(rows=12)
    learned = [one.clone().requires_grad_() for one in given]
    if writes(implementation) or off(implementation(*given), promised(*given)):
        return True
    found, due = ((make(*learned) ** 2).sum() for make in (implementation, promised))
    if not found.requires_grad:
        return True
    pairs = zip(*(torch.autograd.grad(one, learned, allow_unused=True) for one in (found, due)), strict=True)
    return any(a is None or off(a, b) for a, b in pairs)


@disguise(SHOWS, "gradients that are there, and no more")
def is_there_a_gradient(implementation: Places) -> bool:
    """Whether each has one."""
    for rows in (4, 8):
        given = drawn(rows=rows)
        if writes(implementation) or off(implementation(*given), promised(*given)):
            return True
        leaves = [one.requires_grad_() for one in given]
        made = implementation(*leaves)
        if made.requires_grad:
            made.sum().backward()
        if any(one.grad is None for one in leaves):
            return True
    return False


@disguise(SHOWS, "several things not asked")
def token_for_token(implementation: Places) -> bool:
    """Every picture, every token."""
    for rows in (4, 9):
        given = drawn(rows=rows)
        wanted = promised(*given)
        found = implementation(*given)
        if found.shape != wanted.shape:
            return True
        if any(off(found[:, place], wanted[:, place]) for place in range(4)):
            return True
    return False
