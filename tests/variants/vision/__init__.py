"""Lesson 18."""

from tests.variants.vision import embeddings, models, patches, pictures, positions, rollouts

__all__ = ["embeddings", "models", "patches", "pictures", "positions", "rollouts"]
