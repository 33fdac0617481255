"""Checks of lesson 21: rooms, each with a repair and a probe that shows what was wrong."""

from autograder.checks.in_the_wild.residuals import init_residuals_, shows_unscaled_residuals

EXERCISES = (
    init_residuals_,
    shows_unscaled_residuals,
)
