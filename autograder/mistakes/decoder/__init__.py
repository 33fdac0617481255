"""Wrong ways of lesson 07."""

from autograder.mistakes.decoder import attending, returning, stacking, stepping

__all__ = ["attending", "returning", "stacking", "stepping"]
