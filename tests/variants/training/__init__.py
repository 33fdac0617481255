"""Lesson 09."""

from tests.variants.training import checkpoints, clipping, losses, rates, steps, updates

__all__ = ["checkpoints", "clipping", "losses", "rates", "steps", "updates"]
