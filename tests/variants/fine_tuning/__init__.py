"""Lesson 16."""

from tests.variants.fine_tuning import (
    adapters,
    entities,
    evaluating,
    groups,
    heads,
    labels,
    metrics,
    questions,
    ranking,
    stumbles,
    written_again,
)

__all__ = [
    "adapters",
    "entities",
    "evaluating",
    "groups",
    "heads",
    "labels",
    "metrics",
    "questions",
    "ranking",
    "stumbles",
    "written_again",
]
