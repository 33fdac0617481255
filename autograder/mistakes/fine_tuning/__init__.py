"""Wrong ways of lesson 16."""

from autograder.mistakes.fine_tuning import entities, evaluating, groups, heads, labels, metrics

__all__ = ["entities", "evaluating", "groups", "heads", "labels", "metrics"]
