"""Lesson 21."""

from tests.variants.in_the_wild import (
    copied_table,
    double_shift,
    idle_mask,
    nothing_hidden,
    residuals,
    upside_down,
)

__all__ = ["copied_table", "double_shift", "idle_mask", "nothing_hidden", "residuals", "upside_down"]
