"""Lesson 14."""

from tests.variants.gpt import (
    blocks,
    by_trunks,
    counted,
    counted_again,
    counted_models,
    data,
    from_the_page,
    in_a_hurry,
    inductions,
    loadings,
    models,
    models_again,
    starts,
    strangers,
    writing,
    written_again,
)

__all__ = [
    "blocks",
    "by_trunks",
    "counted",
    "counted_again",
    "counted_models",
    "data",
    "from_the_page",
    "in_a_hurry",
    "inductions",
    "loadings",
    "models",
    "models_again",
    "starts",
    "strangers",
    "writing",
    "written_again",
]
