"""What is wrong with attention weights, in words. `problems.js` says the same in the browser."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from course.widgets.numbers import count, listed, number

SUM_TOLERANCE = 1e-3
READ_TOLERANCE = 1e-6

Array = np.ndarray


def weight_problems(weights: Array, mask: Array | None, rows: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Say what is wrong with the weights of one head.

    Args:
        weights: (query_len, key_len) floats.
        mask: (query_len, key_len) booleans, True means "may look"; None allows everything.
        rows: one name for each query.
        columns: one name for each key.
    Returns:
        Sentences, an empty list when nothing is wrong.
    """
    allowed = np.ones(weights.shape, bool) if mask is None else mask.astype(bool)
    return [
        *_nan_rows(weights, rows),
        *_sums(weights, allowed, rows),
        *_reads(weights, allowed, rows, columns),
    ]


def _nan_rows(weights: Array, rows: Sequence[str]) -> list[str]:
    names = [rows[int(i)] for i in np.flatnonzero(np.isnan(weights).any(1))]
    return [f"{count(names, 'row is', 'rows are')} NaN: {listed(names)}."] if names else []


def _sums(weights: Array, allowed: Array, rows: Sequence[str]) -> list[str]:
    sums = weights.sum(1)
    wrong = np.abs(sums - 1) > SUM_TOLERANCE
    # A row that may look at nothing is right when it sums to zero.
    wrong &= allowed.any(1) | (np.abs(sums) > SUM_TOLERANCE)
    places = np.flatnonzero(wrong & ~np.isnan(sums)).tolist()
    bad = [f"{rows[i]} {number(float(sums[i]))}" for i in places]
    return [f"{count(bad, 'row does', 'rows do')} not sum to 1: {listed(bad)}."] if bad else []


def _reads(weights: Array, allowed: Array, rows: Sequence[str], columns: Sequence[str]) -> list[str]:
    read = (np.abs(np.nan_to_num(weights)) > READ_TOLERANCE) & ~allowed
    square = weights.shape[0] == weights.shape[1]
    later = np.triu(np.ones(weights.shape, bool), 1) & square
    future = _cells(weights, read & later, rows, columns)
    other = _cells(weights, read & ~later, rows, columns)
    said = [f"The future leaks through the mask: {listed(future)}."] if future else []
    return said + ([f"Masked keys are read: {listed(other)}."] if other else [])


def _cells(weights: Array, where: Array, rows: Sequence[str], columns: Sequence[str]) -> list[str]:
    return [f"{rows[i]} → {columns[j]} {number(float(weights[i, j]))}" for i, j in np.argwhere(where)]


def means_causal(mask: Array) -> bool:
    """Whether a square mask hides some of the future from some queries (a key hidden from all is padding)."""
    allowed = mask.astype(bool)
    return bool(np.triu(~allowed & allowed.any(0), 1).any())


def looks_ahead(mask: Array, names: Sequence[str]) -> str:
    """Say which queries a square mask lets look at later keys ("" when none)."""
    later = np.triu(mask.astype(bool), 1)
    pairs = [f"{names[i]} → {names[j]}" for i, j in np.argwhere(later)]
    if not pairs:
        return ""
    cells = count(pairs, "cell", "cells")
    end = "The future leaks." if means_causal(mask) else "Right in an encoder; in a decoder, a leak."
    return f"The mask looks ahead in {cells}: {listed(pairs)}. {end}"
