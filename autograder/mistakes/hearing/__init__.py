"""Wrong ways of lesson 19."""

from autograder.mistakes.hearing import ears, errors, losses, model, reading, sound

__all__ = ["ears", "errors", "losses", "model", "reading", "sound"]
