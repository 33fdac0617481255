"""Wrong ways of lesson 16."""

from autograder.mistakes.fine_tuning import (
    adapters,
    choosing,
    confusion,
    entities,
    evaluating,
    groups,
    heads,
    labels,
    metrics,
    questions,
    ranking,
    span_scores,
)

__all__ = [
    "adapters",
    "choosing",
    "confusion",
    "entities",
    "evaluating",
    "groups",
    "heads",
    "labels",
    "metrics",
    "questions",
    "ranking",
    "span_scores",
]
