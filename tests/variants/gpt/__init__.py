"""Lesson 14."""

from tests.variants.gpt import blocks, data, from_the_page, in_a_hurry, inductions, loadings, models, starts, writing

__all__ = ["blocks", "data", "from_the_page", "in_a_hurry", "inductions", "loadings", "models", "starts", "writing"]
