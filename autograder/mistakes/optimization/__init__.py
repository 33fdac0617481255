"""Wrong ways of lesson 09."""

from autograder.mistakes.optimization import clipping, losses, rates, updates

__all__ = ["clipping", "losses", "rates", "updates"]
