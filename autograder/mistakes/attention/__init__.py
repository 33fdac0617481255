"""Wrong ways of lesson 02."""

from autograder.mistakes.attention import masks, mixing, scores

__all__ = ["masks", "mixing", "scores"]
