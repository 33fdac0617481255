"""Lesson 16."""

from tests.variants.fine_tuning import entities, evaluating, groups, heads, labels, metrics

__all__ = ["entities", "evaluating", "groups", "heads", "labels", "metrics"]
