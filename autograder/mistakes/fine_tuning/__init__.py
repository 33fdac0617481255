"""Wrong ways of lesson 16."""

from autograder.mistakes.fine_tuning import (
    adapters,
    confusion,
    entities,
    evaluating,
    groups,
    heads,
    labels,
    metrics,
    questions,
    ranking,
)

__all__ = [
    "adapters",
    "confusion",
    "entities",
    "evaluating",
    "groups",
    "heads",
    "labels",
    "metrics",
    "questions",
    "ranking",
]
