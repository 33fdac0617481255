"""Lesson 21."""

from tests.variants.in_the_wild import residuals

__all__ = ["residuals"]
