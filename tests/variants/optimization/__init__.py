"""Lesson 09."""

from tests.variants.optimization import clipping, groups, losses, rates, strangers, updates

__all__ = ["clipping", "groups", "losses", "rates", "strangers", "updates"]
