"""Lesson 10."""

from tests.variants.decoding import beam, cache, greedy, sampling

__all__ = ["beam", "cache", "greedy", "sampling"]
