"""Wrong ways of lesson 10."""

from autograder.mistakes.training import checkpoints, steps

__all__ = ["checkpoints", "steps"]
