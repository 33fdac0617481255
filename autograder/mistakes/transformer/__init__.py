"""Wrong ways of lesson 08."""

from autograder.mistakes.transformer import counting, model

__all__ = ["counting", "model"]
