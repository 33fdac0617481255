"""Lesson 14."""

from tests.variants.gpt import (
    blocks,
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
