"""Lesson 09."""

from tests.variants.training import checkpoints, clipping, groups, losses, rates, steps, updates

__all__ = ["checkpoints", "clipping", "groups", "losses", "rates", "steps", "updates"]
