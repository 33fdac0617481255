"""Lesson 06. Nothing here uses the lessons before: attention and the feed-forward network are written anew."""

from tests.variants.encoder import layer, layer_slips, stack, stack_slips

__all__ = ["layer", "layer_slips", "stack", "stack_slips"]
