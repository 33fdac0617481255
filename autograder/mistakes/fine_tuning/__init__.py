"""Wrong ways of lesson 16."""

from autograder.mistakes.fine_tuning import entities, heads, labels, metrics

__all__ = ["entities", "heads", "labels", "metrics"]
