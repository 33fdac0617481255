"""What the commands share that measure with several seeds: a log that grows row by row, and a table of it."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

Row = TypeVar("Row", bound=tuple[Any, ...])
"""A seed, what was measured, and the number that came."""


def kept(rows: Iterable[Row], columns: Sequence[str], path: Path) -> list[Row]:
    """Write rows to a CSV file as they come, and return what stands there: values have four digits.

    Args:
        rows: what is measured.
        columns: the names of their entries.
        path: where the log goes; what is there is replaced.
    """
    found = list[Row]()
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for *what, value in rows:
            writer.writerow([*what, f"{value:.4f}"])
            file.flush()
            found.append((*what, round(value, 4)))  # type: ignore[arg-type]
    return found


def by_seed(rows: Iterable[Row], head: Sequence[str], named: Callable[[Row], tuple[str, ...] | None]) -> list[str]:
    """A table in Markdown: a line for each thing that was measured, and its value with each seed.

    Args:
        rows: a seed first, a value last.
        head: what stands above the first columns.
        named: the first cells of a row's line; None for a row that is not of this table.
    """
    lines: dict[tuple[str, ...], dict[int, float]] = {}
    for row in rows:
        cells = named(row)
        if cells is not None:
            lines.setdefault(cells, {})[row[0]] = row[-1]
    seeds = sorted({seed for found in lines.values() for seed in found})
    return [
        _line([*head, *(f"seed {seed}" for seed in seeds)]),
        _line(["---"] * (len(head) + len(seeds))),
        *(_line([*cells, *(f"{found[seed]:.3f}" for seed in seeds)]) for cells, found in lines.items()),
    ]


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
