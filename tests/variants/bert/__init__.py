"""Lesson 15."""

from tests.variants.bert import heads, masking, models, neighbours, packing

__all__ = ["heads", "masking", "models", "neighbours", "packing"]
