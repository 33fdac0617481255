"""Lesson 07. The steps are written out by hand, half of them on an attention and a network written anew."""

from tests.variants.decoder import layer, layer_slips, stack, stack_slips

__all__ = ["layer", "layer_slips", "stack", "stack_slips"]
