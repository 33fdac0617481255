"""Wrong ways of lesson 04."""

from autograder.mistakes.positional_encoding import adding, attending, learned, tables, turning

__all__ = ["adding", "attending", "learned", "tables", "turning"]
