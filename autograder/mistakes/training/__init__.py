"""Wrong ways of lesson 09."""

from autograder.mistakes.training import checkpoints, clipping, losses, rates, steps, updates

__all__ = ["checkpoints", "clipping", "losses", "rates", "steps", "updates"]
