"""Wrong ways of lesson 08."""

from autograder.mistakes.transformer import counting, model, outputs

__all__ = ["counting", "model", "outputs"]
