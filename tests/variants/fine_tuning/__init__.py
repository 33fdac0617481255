"""Lesson 16."""

from tests.variants.fine_tuning import entities, heads, labels, metrics

__all__ = ["entities", "heads", "labels", "metrics"]
