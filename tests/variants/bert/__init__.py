"""Lesson 15."""

from tests.variants.bert import (
    against_the_page,
    counted,
    embeddings,
    further,
    heads,
    masking,
    models,
    neighbours,
    packing,
    written_again,
)

__all__ = [
    "against_the_page",
    "counted",
    "embeddings",
    "further",
    "heads",
    "masking",
    "models",
    "neighbours",
    "packing",
    "written_again",
]
