"""Lesson 14."""

from tests.variants.gpt import blocks, data, inductions, loadings, models, starts, writing

__all__ = ["blocks", "data", "inductions", "loadings", "models", "starts", "writing"]
