"""Lesson 20."""

from tests.variants.faster import attention

__all__ = ["attention"]
