"""Wrong ways of lesson 21."""

from autograder.mistakes.in_the_wild import residuals

__all__ = ["residuals"]
