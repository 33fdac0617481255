"""Lesson 08, on parts of one's own and the stand-ins of the lessons before."""

from tests.variants.transformer import counts, embeddings, masks, models, wiring

__all__ = ["counts", "embeddings", "masks", "models", "wiring"]
