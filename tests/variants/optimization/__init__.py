"""Lesson 09."""

from tests.variants.optimization import clipping, groups, losses, rates, updates

__all__ = ["clipping", "groups", "losses", "rates", "updates"]
