"""Wrong ways of lesson 11."""

from autograder.mistakes.decoding import beam, cache, greedy, keys_and_values, sampling

__all__ = ["beam", "cache", "greedy", "keys_and_values", "sampling"]
