"""Wrong ways of lesson 21."""

from autograder.mistakes.in_the_wild import (
    copied_table,
    double_shift,
    idle_mask,
    nothing_hidden,
    residuals,
    upside_down,
)

__all__ = ["copied_table", "double_shift", "idle_mask", "nothing_hidden", "residuals", "upside_down"]
