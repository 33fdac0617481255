"""Lesson 01."""

from tests.variants.layer_norm import layers, normalizing, rms

__all__ = ["layers", "normalizing", "rms"]
