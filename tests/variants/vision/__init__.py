"""Lesson 18."""

from tests.variants.vision import embeddings, models, patches, pictures, positions, rollouts, stumbles

__all__ = ["embeddings", "models", "patches", "pictures", "positions", "rollouts", "stumbles"]
