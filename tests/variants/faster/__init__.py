"""Lesson 20."""

from tests.variants.faster import attention, counts, smaller, speculative, steps, stopwatches

__all__ = ["attention", "counts", "smaller", "speculative", "steps", "stopwatches"]
