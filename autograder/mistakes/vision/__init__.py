"""Wrong ways of lesson 18."""

from autograder.mistakes.vision import model, patches, positions, rollout

__all__ = ["model", "patches", "positions", "rollout"]
