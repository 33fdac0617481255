"""The toy tensor of Part I: three tokens, four named features, numbers small enough for one's head."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import torch
from torch import Tensor

TOKENS = ("the", "cat", "sat")
FEATURES = ("noun", "verb", "animal", "common")


def toy() -> Tensor:
    """The toy tensor, (3 tokens, 4 features), fresh at every call."""
    return torch.tensor(
        [
            [0.0, 0.0, 0.0, 2.0],  # the: no noun, no verb, but very common
            [2.0, 0.0, 2.0, 0.0],  # cat: a noun and an animal
            [0.0, 2.0, 1.0, 1.0],  # sat: a verb, what animals do, fairly common
        ]
    )


class Table:
    """A tensor of one or two dimensions with names on its rows and columns; displays itself."""

    def __init__(self, values: Tensor, rows: Sequence[str], columns: Sequence[str], digits: int) -> None:
        self.numbers = values.detach().reshape(len(rows), len(columns))
        self.rows = list(rows)
        self.columns = list(columns)
        self.digits = digits

    def _cells(self) -> list[list[str]]:
        return [[number(one, self.digits) for one in row] for row in self.numbers.tolist()]

    def __repr__(self) -> str:
        width = max(8, *(len(name) + 2 for name in self.columns))
        first = max(len(name) for name in self.rows) + 1
        lines = [" " * first + "".join(f"{name:>{width}}" for name in self.columns)]
        for name, cells in zip(self.rows, self._cells(), strict=True):
            lines.append(f"{name:<{first}}" + "".join(f"{cell:>{width}}" for cell in cells))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = "".join(
            f"<tr><th>{escape(name)}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
            for name, cells in zip(self.rows, self._cells(), strict=True)
        )
        return f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>"


def show(values: Tensor, rows: Sequence[str] = TOKENS, columns: Sequence[str] = FEATURES, digits: int = 2) -> Table:
    """Show a small tensor with names.

    Args:
        values: as many numbers as there are rows times columns.
        rows, columns: their names; by default the toy tensor's.
        digits: decimals of numbers that are not whole.

    Raises:
        ValueError: when the names do not fit the tensor.
    """
    if values.numel() != len(rows) * len(columns):
        wanted = f"{len(rows)} rows × {len(columns)} columns"
        raise ValueError(f"a tensor of shape {tuple(values.shape)} does not fit {wanted}; give rows= and columns=")
    return Table(values, rows, columns, digits)


def number(value: float | bool, digits: int = 2) -> str:
    """A number as one would write it: whole ones without a point, others with some decimals."""
    if isinstance(value, bool):
        return "✓" if value else "·"
    if value != value or abs(value) == float("inf"):
        return str(value)
    if value == round(value) and abs(value) < 1e6:
        return str(int(value))
    return f"{value:.{digits}f}" if abs(value) >= 0.5 * 10**-digits else f"{value:.1e}"
