"""How the widgets write numbers. `numbers.js` writes the same; a test holds the two together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

SHOWN = 3
MINUS = "\N{MINUS SIGN}"


def number(value: float) -> str:
    """Write a number with two decimals, or with what its size needs.

    Args:
        value: any float, NaN and infinities included.
    Returns:
        A short text with a true minus sign, such as "0.25", "−1.07", "0.0031", "1240", "NaN".
    """
    if math.isnan(value):
        return "NaN"
    sign = MINUS if value < 0 else ""
    return sign + _size(abs(value))


def _size(size: float) -> str:
    if math.isinf(size):
        return "∞"
    if size == 0:
        return "0"
    if size >= 1e5 or size < 1e-4:
        return _exponent(size)
    return _rounded(size, 0 if size >= 1000 else 2 if size >= 0.01 else 4)


def _rounded(size: float, decimals: int) -> str:
    # Python's format rounds 0.125 to even, JavaScript's toFixed away from zero: be the latter.
    return str(Decimal(size).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))


def _exponent(size: float) -> str:
    digits, power = f"{size:.1e}".split("e")
    return f"{digits}e{int(power)}".replace("-", MINUS)


def short(value: float) -> str:
    """Write a number without trailing zeros ("2", "0.5"): for ticks and arithmetic."""
    text = number(value)
    digits, mark, power = text.partition("e")
    digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
    return digits + mark + power


def in_cell(value: float) -> str:
    """Write a number for a cell of a heatmap, two decimals at most; what would round to 0 is "~0"."""
    sign, size = MINUS if value < 0 else "", abs(value)
    if 0 < size < 0.005:
        return "~0"
    return sign + _rounded(size, 2) if 0.005 <= size < 0.01 else number(value)


def listed(items: Sequence[str]) -> str:
    """Join at most three items with commas and count the rest ("a, b, c and 4 more")."""
    text = ", ".join(items[:SHOWN])
    rest = len(items) - SHOWN
    return f"{text} and {rest} more" if rest > 0 else text


def count(items: Sequence[object], one: str, many: str) -> str:
    """Say how many there are, with the verb phrase that fits ("1 row is", "2 rows are")."""
    return f"1 {one}" if len(items) == 1 else f"{len(items)} {many}"
