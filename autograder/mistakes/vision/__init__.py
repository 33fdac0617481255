"""Wrong ways of lesson 18."""

from autograder.mistakes.vision import embedding, model, patches, positions, rollout

__all__ = ["embedding", "model", "patches", "positions", "rollout"]
