"""Lesson 18."""

from tests.variants.vision import (
    adversaries,
    embeddings,
    models,
    patches,
    pictures,
    positions,
    rollouts,
    second,
    stumbles,
    third,
)

__all__ = [
    "adversaries",
    "embeddings",
    "models",
    "patches",
    "pictures",
    "positions",
    "rollouts",
    "second",
    "stumbles",
    "third",
]
