"""How nearly the effects of two mistakes add up, or multiply, to what came out: which pair to try first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.judging.table import Table
from autograder.probing.outcome import leaves
from autograder.probing.run import Run


def left_over(table: Table, got: Run) -> Iterator[Tensor]:
    """For every place at which numbers are wrong: of every two mistakes, what their effects together leave unexplained.

    Where one mistake adds something and the other something else, both add the sum; where they scale, the product.

    Yields:
        Shares between 0 (nothing is left) and 1 (they explain nothing, or nothing can be said), (mistakes, mistakes).
    """
    found = dict(leaves(got.returned))
    wrongs = [dict(leaves(run.returned)) for run in table.runs]
    which = torch.tensor(table.which)
    for path, leaf in leaves(table.right.returned):
        right, mine = _numbers(leaf), _numbers(found.get(path))
        if right is not None and mine is not None and right.shape == mine.shape and not torch.equal(right, mine):
            share = _share(right, mine, [_numbers(wrong.get(path)) for wrong in wrongs])
            yield share[which][:, which]


def _numbers(leaf: Any) -> Tensor | None:
    """A leaf's numbers in a row; none where it has none, or not finite ones."""
    if type(leaf) in (int, float):
        leaf = torch.tensor([leaf], dtype=torch.float64)
    if not isinstance(leaf, Tensor) or not leaf.numel() or leaf.is_complex():
        return None
    row = leaf.reshape(-1).double()
    return row if bool(torch.isfinite(row).all()) else None


def _share(right: Tensor, mine: Tensor, wrongs: Sequence[Tensor | None]) -> Tensor:
    fits = torch.tensor([one is not None and one.shape == right.shape for one in wrongs])
    rows = torch.stack([right if one is None or not fit else one for one, fit in zip(wrongs, fits, strict=True)])
    share = _unexplained(rows - right, mine - right)
    positive = (rows * right > 0).all(1)
    if bool((mine * right > 0).all()) and bool(positive.any()):
        logs = torch.where(positive[:, None], rows / right, 1.0).log()
        scaled = _unexplained(logs, (mine / right).log())
        share = torch.where(positive[:, None] & positive, torch.minimum(share, scaled), share)
    return torch.where(fits[:, None] & fits, share, 1.0)


def _unexplained(effects: Tensor, effect: Tensor) -> Tensor:
    """|effect - one - other|² as a share of |effect|², for every two of the effects (mistakes, numbers)."""
    rest = effect - effects
    # |rest_i - e_j|² without a tensor for every pair.
    squares = (rest**2).sum(1)[:, None] + (effects**2).sum(1) - 2 * rest @ effects.T
    return (squares / (effect**2).sum()).clamp(0, 1)
