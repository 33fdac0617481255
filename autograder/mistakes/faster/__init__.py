"""Wrong ways of lesson 20."""

from autograder.mistakes.faster import attention, measuring, smaller, speculative, steps

__all__ = ["attention", "measuring", "smaller", "speculative", "steps"]
