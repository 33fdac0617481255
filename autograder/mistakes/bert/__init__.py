"""Wrong ways of lesson 15."""

from autograder.mistakes.bert import data, embedding, head, model, neighbours, packing

__all__ = ["data", "embedding", "head", "model", "neighbours", "packing"]
