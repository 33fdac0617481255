"""Wrong ways of lesson 13."""

# In the lesson's order: the mistakes of pairs also show in what is built on pairs, and are the first there.
from autograder.mistakes.tokenization import cutting, pairs, learning, coding, word_piece  # noqa: I001

__all__ = ["coding", "cutting", "learning", "pairs", "word_piece"]
