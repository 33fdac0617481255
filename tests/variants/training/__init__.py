"""Lesson 10."""

from tests.variants.training import checkpoints, steps

__all__ = ["checkpoints", "steps"]
