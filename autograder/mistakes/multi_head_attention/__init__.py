"""Wrong ways of lesson 03."""

from autograder.mistakes.multi_head_attention import attending, grouped, heads, loading

__all__ = ["attending", "grouped", "heads", "loading"]
