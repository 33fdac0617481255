"""Wrong ways of lesson 15."""

from autograder.mistakes.bert import data, head, model, neighbours

__all__ = ["data", "head", "model", "neighbours"]
