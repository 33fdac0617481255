"""Says how one array differs from another, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from course.widgets.numbers import number

RTOL, ATOL = 1e-4, 1e-5

Array = np.ndarray


def same(mine: Array, theirs: Array) -> bool:
    """Whether two float32 results are equal up to rounding."""
    return mine.shape == theirs.shape and bool(np.allclose(mine, theirs, RTOL, ATOL, equal_nan=True))


def difference(
    mine: Array,
    theirs: Array,
    *,
    what: str,
    owner: str,
    rows: Sequence[str],
    columns: Sequence[str],
    allowed: Array | None = None,
) -> str:
    """Say how `mine` differs from `theirs`.

    Args:
        mine: (rows, columns) numbers.
        theirs: as many.
        what: what one number is, such as "score".
        owner: whose `theirs` is, such as "the stand-in's".
        rows: names of the rows.
        columns: names of the columns.
        allowed: booleans, False where a mask says "may not look".
    Returns:
        One sentence without its full stop, "" when they are the same.
    """
    if same(mine, theirs):
        return ""
    factor = _factor(mine, theirs)
    if factor is not None:
        return f"every {what} is {number(factor)} times {owner}"
    return _shape(mine, theirs, what, owner, allowed) or _largest(mine, theirs, what, rows, columns)


def _factor(mine: Array, theirs: Array) -> float | None:
    """The one number c for which mine = c · theirs, if there is one and it is not 0."""
    if not (np.isfinite(mine).all() and np.isfinite(theirs).all()) or not theirs.any():
        return None
    factor = float((mine * theirs).sum() / (theirs * theirs).sum())
    return factor if abs(factor) > 1e-6 and same(mine, factor * theirs) else None


def _shape(mine: Array, theirs: Array, what: str, owner: str, allowed: Array | None) -> str:
    if not np.isfinite(mine).all():
        return ""
    if mine.shape[0] == mine.shape[1] and same(mine.T, theirs):
        return f"your {what}s are {owner}, transposed"
    if allowed is not None and not allowed.all():
        whole = allowed.all(1)
        if whole.any() and same(mine[whole], theirs[whole]):
            return f"only rows in which something is masked differ from {owner}"
    return ""


def _largest(mine: Array, theirs: Array, what: str, rows: Sequence[str], columns: Sequence[str]) -> str:
    gap = np.abs(mine - theirs)
    gap = np.where(np.isnan(gap), np.where(np.isnan(mine) == np.isnan(theirs), 0, np.inf), gap)
    row, column = divmod(int(gap.argmax()), gap.shape[1])
    got, expected = number(float(mine[row, column])), number(float(theirs[row, column]))
    return f"the {what} furthest off is {rows[row]} → {columns[column]}: {got} against {expected}"
