"""Lesson 16."""

from tests.variants.fine_tuning import entities, labels, metrics

__all__ = ["entities", "labels", "metrics"]
