"""Wrong ways of lesson 21."""

from autograder.mistakes.in_the_wild import (
    added_mask,
    article,
    clipping,
    copied_table,
    double_shift,
    idle_mask,
    nothing_hidden,
    one_position,
    residuals,
    stopwatch,
    two_tasks,
    upside_down,
    weak_mask,
)

__all__ = [
    "added_mask",
    "article",
    "clipping",
    "copied_table",
    "double_shift",
    "idle_mask",
    "nothing_hidden",
    "one_position",
    "residuals",
    "stopwatch",
    "two_tasks",
    "upside_down",
    "weak_mask",
]
