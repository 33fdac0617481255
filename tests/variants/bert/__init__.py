"""Lesson 15."""

from tests.variants.bert import embeddings, heads, masking, models, neighbours, packing, written_again

__all__ = ["embeddings", "heads", "masking", "models", "neighbours", "packing", "written_again"]
