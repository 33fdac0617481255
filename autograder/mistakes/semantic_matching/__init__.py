"""Wrong ways of lesson 17."""

from autograder.mistakes.semantic_matching import counting, encoding, finding, losses, measures, vectors

__all__ = ["counting", "encoding", "finding", "losses", "measures", "vectors"]
