"""Wrong ways of lesson 11."""

from autograder.mistakes.decoding import beam, cache, greedy, sampling

__all__ = ["beam", "cache", "greedy", "sampling"]
