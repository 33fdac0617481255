"""Lesson 10."""

from tests.variants.training import checkpoints, steps, strangers

__all__ = ["checkpoints", "steps", "strangers"]
