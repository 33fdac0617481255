"""Lesson 18."""

from tests.variants.vision import adversaries, embeddings, models, patches, pictures, positions, rollouts, stumbles

__all__ = ["adversaries", "embeddings", "models", "patches", "pictures", "positions", "rollouts", "stumbles"]
