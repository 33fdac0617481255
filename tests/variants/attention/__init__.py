"""Lesson 02."""

from tests.variants.attention import masks, mixing, scores

__all__ = ["masks", "mixing", "scores"]
