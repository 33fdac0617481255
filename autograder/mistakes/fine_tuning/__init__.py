"""Wrong ways of lesson 16."""

from autograder.mistakes.fine_tuning import entities, labels, metrics

__all__ = ["entities", "labels", "metrics"]
