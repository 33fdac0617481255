"""Lesson 16."""

from tests.variants.fine_tuning import (
    adapters,
    against_the_page,
    choosing,
    counted,
    entities,
    evaluating,
    groups,
    heads,
    labels,
    metrics,
    questions,
    ranking,
    span_scores,
    stumbles,
    written_again,
)

__all__ = [
    "adapters",
    "against_the_page",
    "choosing",
    "counted",
    "entities",
    "evaluating",
    "groups",
    "heads",
    "labels",
    "metrics",
    "questions",
    "ranking",
    "span_scores",
    "stumbles",
    "written_again",
]
