"""Wrong ways of lesson 14."""

from autograder.mistakes.gpt import data, induction, loading, measuring, model, starts, writing

__all__ = ["data", "induction", "loading", "measuring", "model", "starts", "writing"]
