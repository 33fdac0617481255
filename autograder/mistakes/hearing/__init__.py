"""Wrong ways of lesson 19."""

from autograder.mistakes.hearing import ears, errors, model, reading, sound

__all__ = ["ears", "errors", "model", "reading", "sound"]
