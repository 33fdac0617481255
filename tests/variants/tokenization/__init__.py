"""Lesson 13. Nothing here is built on the reference's functions."""

from tests.variants.tokenization import bookkeeping, coding, counted, cutting, learning, pairs, word_piece

__all__ = ["bookkeeping", "coding", "counted", "cutting", "learning", "pairs", "word_piece"]
