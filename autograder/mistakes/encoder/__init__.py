"""Wrong ways of lesson 06."""

from autograder.mistakes.encoder import layer, stack

__all__ = ["layer", "stack"]
