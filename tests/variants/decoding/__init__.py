"""Lesson 11."""

from tests.variants.decoding import beam, cache, cached_decoder, greedy, sampling

__all__ = ["beam", "cache", "cached_decoder", "greedy", "sampling"]
